import { type Units, unitOf, unitsOf } from './elements.ts'

/** Where the cells of a box lie in a buffer. */
export interface BoxPlace {
  /** Position of the first cell. */
  at: number
  /** Distance in cells between neighbours along each axis. */
  strides: readonly number[]
}

/** The place of a box whose cells are all the same cell of the buffer. */
export function constantPlace(axes: readonly unknown[], at = 0): BoxPlace {
  return { at, strides: axes.map(() => 0) }
}

/**
 * Called once per run: `count` cells that begin at `from` in the source and at `to` in the target. Neighbouring cells of the
 * run are `fromStep` and `toStep` cells apart.
 */
type RunVisitor = (from: number, to: number, count: number, fromStep: number, toStep: number) => void

/** Visits the cells of a box as runs that are as long as possible, in the order of the target. */
export function visitRuns(lengths: readonly number[], from: BoxPlace, to: BoxPlace, visit: RunVisitor): void {
  const axes = joinedAxes(lengths, from, to)
  if (!axes) return
  const [first, ...outer] = axes
  const walk = (axis: number, source: number, target: number): void => {
    if (axis < 0) {
      visit(source, target, first.length, first.from, first.to)
      return
    }
    const { length, from: fromStep, to: toStep } = outer[axis]
    for (let i = 0; i < length; i++) walk(axis - 1, source + i * fromStep, target + i * toStep)
  }
  walk(outer.length - 1, from.at, to.at)
}

/** An axis of a box: its length, and its strides in the source and in the target. */
interface RunAxis {
  length: number
  from: number
  to: number
}

/** The axes of a box, in the order of the target, with axes joined where one continues the other. Undefined for no cells. */
function joinedAxes(lengths: readonly number[], from: BoxPlace, to: BoxPlace): RunAxis[] | undefined {
  if (lengths.some((length) => length <= 0)) return undefined
  const axes = lengths
    .map((length, d): RunAxis => ({ length, from: from.strides[d], to: to.strides[d] }))
    .filter(({ length }) => length > 1)
    .sort((a, b) => a.to - b.to)
  const joined: RunAxis[] = []
  for (const axis of axes) {
    const last = joined.at(-1)
    if (last && axis.from === last.from * last.length && axis.to === last.to * last.length) last.length *= axis.length
    else joined.push(axis)
  }
  return joined.length > 0 ? joined : [{ length: 1, from: 1, to: 1 }]
}

/** Start of the box's cells in `from`, if they are consecutive, and in the same order in `to`; undefined otherwise. */
export function startOfRun(lengths: readonly number[], from: BoxPlace, to: BoxPlace): number | undefined {
  const axes = joinedAxes(lengths, from, to)
  return axes?.length === 1 && axes[0].from === 1 && axes[0].to === 1 ? from.at : undefined
}

/** Up to this many units, a loop is faster than `subarray` and `set`. */
const FEW_UNITS = 128

/** An axis of one cell. */
const ONE: RunAxis = { length: 1, from: 0, to: 0 }

/** Copies the cells of a box from one buffer to another, which may have another order. @param size bytes of a cell */
export function copyBox(
  source: Uint8Array,
  from: BoxPlace,
  target: Uint8Array,
  to: BoxPlace,
  lengths: readonly number[],
  size: number,
): void {
  const axes = joinedAxes(lengths, from, to)
  if (!axes) return
  const [run, rows = ONE, ...outer] = axes
  const isWhole = run.from === 1 && run.to === 1
  // Small cells of a run are copied together, in units as large as the places of the runs allow.
  const places = isWhole ? [from.at, to.at, run.length, ...[rows, ...outer].flatMap(({ from, to }) => [from, to])] : [1]
  const unit = unitOf(source.byteOffset, target.byteOffset, ...places.map((place) => place * size))
  const width = size / unit
  // A quotient of integers stays an integer for V8, which a product with a fraction does not.
  const inUnits = (cells: number): number => (cells * size) / unit
  const read = unitsOf(source, unit)
  const write = unitsOf(target, unit)
  const walk = (axis: number, first: number, at: number): void => {
    if (axis >= 0) {
      const { length, from: fromStep, to: toStep } = outer[axis]
      for (let i = 0; i < length; i++) walk(axis - 1, first + i * fromStep, at + i * toStep)
    } else if (isWhole && inUnits(run.length) <= FEW_UNITS)
      copyShortRuns(read, inUnits(first), write, inUnits(at), inUnits(run.length), {
        length: rows.length,
        from: inUnits(rows.from),
        to: inUnits(rows.to),
      })
    else
      for (let row = 0; row < rows.length; row++, first += rows.from, at += rows.to) {
        const end = at + run.length
        if (isWhole) target.set(source.subarray(first * size, (first + run.length) * size), at * size)
        else if (run.to === 1 && run.from === 0 && width === 1) write.fill(read[first], at, end)
        else if (run.to === 1 && run.from === 0)
          fillRun(source.subarray(first * size, (first + 1) * size), target, at * size, end * size)
        else copyUnits(read, first * width, write, at * width, run.length, run.from * width, run.to * width, width)
      }
  }
  walk(outer.length - 1, from.at, to.at)
}

/** Copies runs of `count` units, one for each cell of an axis. All places are in units. */
function copyShortRuns(
  read: Units,
  first: number,
  write: Units,
  at: number,
  count: number,
  { length, from, to }: RunAxis,
): void {
  for (let row = 0; row < length; row++, first += from, at += to)
    for (let i = 0; i < count; i++) write[at + i] = read[first + i]
}

/** Fills the bytes `[start, end)` with copies of a cell. */
function fillRun(cell: Uint8Array, target: Uint8Array, start: number, end: number): void {
  target.set(cell, start)
  for (let done = cell.length; start + done < end; done *= 2)
    target.copyWithin(start + done, start, start + Math.min(done, end - start - done))
}

/** Copies cells of `width` units each. The places and steps are in units. */
function copyUnits(
  read: Units,
  first: number,
  write: Units,
  at: number,
  count: number,
  fromStep: number,
  toStep: number,
  width: number,
): void {
  let [from, to] = [first, at]
  if (width === 1) {
    for (let i = 0; i < count; i++, from += fromStep, to += toStep) write[to] = read[from]
  } else if (width === 2) {
    for (let i = 0; i < count; i++, from += fromStep, to += toStep) {
      write[to] = read[from]
      write[to + 1] = read[from + 1]
    }
  } else {
    for (let i = 0; i < count; i++, from += fromStep, to += toStep)
      for (let u = 0; u < width; u++) write[to + u] = read[from + u]
  }
}
