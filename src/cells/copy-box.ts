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

/** Up to this many units of a run, a loop is faster than `subarray` and `set`. */
const FEW_UNITS = 128
/** Cells along each axis of a block that is turned: the lines of source and target that it meets stay in the first cache. */
const BLOCK = 32

/** An axis of one cell. */
const ONE: RunAxis = { length: 1, from: 0, to: 0 }

/** A box of cells to copy from one buffer to another. */
export interface CopiedBox {
  /** Cells along each axis. */
  lengths: readonly number[]
  /** Where they are in the source. */
  from: BoxPlace
  /** Where they are in the target, which may have another order. */
  to: BoxPlace
  /** Bytes of a cell. */
  size: number
}

/** Copies the cells of a box from one buffer to another. */
export function copyBox(source: Uint8Array, target: Uint8Array, box: CopiedBox): void {
  const { lengths, from, to } = box
  const axes = joinedAxes(lengths, from, to)
  if (!axes) return
  const [run, rows = ONE, ...outer] = axes
  const copyRows = rowsCopier(source, target, box, axes)
  const walk = (axis: number, first: number, at: number): void => {
    if (axis < 0) copyRows(run, rows, first, at)
    else {
      const { length, from: fromStep, to: toStep } = outer[axis]
      for (let i = 0; i < length; i++) walk(axis - 1, first + i * fromStep, at + i * toStep)
    }
  }
  walk(outer.length - 1, from.at, to.at)
}

/** Copies the cells of the two innermost axes. The places of the first cell are in cells. */
type RowsCopier = (run: RunAxis, rows: RunAxis, first: number, at: number) => void

/** The way to copy that suits the axes. */
function rowsCopier(
  source: Uint8Array,
  target: Uint8Array,
  { from, to, size }: CopiedBox,
  axes: readonly RunAxis[],
): RowsCopier {
  const [run, ...others] = axes
  if (run.to === 1 && run.from === 0) return constantCopier(source, target, size)
  if (run.from !== 1 || run.to !== 1) return turningCopier(source, target, size)
  const places = [from.at, to.at, run.length, ...others.flatMap((axis) => [axis.from, axis.to])]
  const bytes = [source.byteOffset, target.byteOffset, ...places.map((place) => place * size)]
  const unit = bytes.every((place) => place % 8 === 0) ? 8 : unitOf(...bytes)
  return (run.length * size) / unit > FEW_UNITS
    ? longRunCopier(source, target, size)
    : shortRunCopier(source, target, size, unit)
}

function constantCopier(source: Uint8Array, target: Uint8Array, size: number): RowsCopier {
  const unit = unitOf(source.byteOffset, target.byteOffset, size)
  const read = unitsOf(source, unit)
  const write = unitsOf(target, unit)
  return (run, rows, first, at) => {
    for (let row = 0; row < rows.length; row++, first += rows.from, at += rows.to) {
      const end = at + run.length
      if (size === unit) write.fill(read[first], at, end)
      else fillRun(source.subarray(first * size, (first + 1) * size), target, at * size, end * size)
    }
  }
}

function longRunCopier(source: Uint8Array, target: Uint8Array, size: number): RowsCopier {
  return (run, rows, first, at) => {
    for (let row = 0; row < rows.length; row++, first += rows.from, at += rows.to)
      target.set(source.subarray(first * size, (first + run.length) * size), at * size)
  }
}

/** Small cells of a run are copied together. @param unit of copying, in bytes: as large as the places of the runs allow */
function shortRunCopier(source: Uint8Array, target: Uint8Array, size: number, unit: 1 | 2 | 4 | 8): RowsCopier {
  // A quotient of integers stays an integer for V8, which a product with a fraction does not.
  const inUnits = (cells: number): number => (cells * size) / unit
  const copy = unit === 8 ? wideRuns(source, target) : shortRuns(source, target, unit)
  return (run, { length, from, to }, first, at) =>
    copy(inUnits(first), inUnits(at), inUnits(run.length), { length, from: inUnits(from), to: inUnits(to) })
}

/** Copies runs of `count` units, one for each cell of an axis. All places are in units. */
type RunsCopier = (first: number, at: number, count: number, rows: RunAxis) => void

function shortRuns(source: Uint8Array, target: Uint8Array, unit: 1 | 2 | 4): RunsCopier {
  const read = unitsOf(source, unit)
  const write = unitsOf(target, unit)
  return (first, at, count, rows) => copyShortRuns(read, first, write, at, count, rows)
}

function wideRuns(source: Uint8Array, target: Uint8Array): RunsCopier {
  const { read, write } = wideUnits(source, target)
  return (first, at, count, rows) => copyWideRuns(read, first, write, at, count, rows)
}

/** For cells that are not neighbours in both buffers. A block at a time, so that no line of memory is fetched again for its next cell. */
function turningCopier(source: Uint8Array, target: Uint8Array, size: number): RowsCopier {
  const isWide = size === 8 && source.byteOffset % 8 === 0 && target.byteOffset % 8 === 0
  const { width, copy } = isWide ? wideBlocks(source, target) : blocks(source, target, size)
  return (run, rows, first, at) => {
    for (let row = 0; row < rows.length; row += BLOCK)
      for (let cell = 0; cell < run.length; cell += BLOCK)
        copy(
          (first + row * rows.from + cell * run.from) * width,
          (at + row * rows.to + cell * run.to) * width,
          blockAxis(run, cell, width),
          blockAxis(rows, row, width),
        )
  }
}

/** Copies blocks. */
interface BlockCopier {
  /** Units of a cell. */
  width: number
  /** All places are in units. */
  copy(first: number, at: number, run: RunAxis, rows: RunAxis): void
}

function blocks(source: Uint8Array, target: Uint8Array, size: number): BlockCopier {
  const unit = unitOf(source.byteOffset, target.byteOffset, size)
  const width = size / unit
  const read = unitsOf(source, unit)
  const write = unitsOf(target, unit)
  return { width, copy: (first, at, run, rows) => copyBlock(read, first, write, at, run, rows, width) }
}

function wideBlocks(source: Uint8Array, target: Uint8Array): BlockCopier {
  const { read, write } = wideUnits(source, target)
  return { width: 1, copy: (first, at, run, rows) => copyWideBlock(read, first, write, at, run, rows) }
}

/** Both buffers in units of 8 bytes. */
function wideUnits(source: Uint8Array, target: Uint8Array) {
  return {
    read: new BigUint64Array(source.buffer, source.byteOffset, source.length >>> 3),
    write: new BigUint64Array(target.buffer, target.byteOffset, target.length >>> 3),
  }
}

/** The part of an axis that is in a block, with strides in units. @param start its first cell */
function blockAxis({ length, from, to }: RunAxis, start: number, width: number): RunAxis {
  return { length: Math.min(BLOCK, length - start), from: from * width, to: to * width }
}

// biome-ignore lint/complexity/useMaxParams: a hot loop over two buffers
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

/**
 * {@link copyShortRuns} of 8 bytes a step, a function of its own as V8 would make an object of each unit if the same code also copied
 * numbers. Eight steps together take half as long (Node 20, November 2026).
 */
// biome-ignore lint/complexity/useMaxParams: a hot loop over two buffers
function copyWideRuns(
  read: BigUint64Array,
  first: number,
  write: BigUint64Array,
  at: number,
  count: number,
  { length, from, to }: RunAxis,
): void {
  for (let row = 0; row < length; row++, first += from, at += to) {
    const lastOfEight = count - 7
    let i = 0
    for (; i < lastOfEight; i += 8) {
      const to8 = at + i
      const from8 = first + i
      write[to8] = read[from8]
      write[to8 + 1] = read[from8 + 1]
      write[to8 + 2] = read[from8 + 2]
      write[to8 + 3] = read[from8 + 3]
      write[to8 + 4] = read[from8 + 4]
      write[to8 + 5] = read[from8 + 5]
      write[to8 + 6] = read[from8 + 6]
      write[to8 + 7] = read[from8 + 7]
    }
    for (; i < count; i++) write[at + i] = read[first + i]
  }
}

/** Fills the bytes `[start, end)` with copies of a cell. */
function fillRun(cell: Uint8Array, target: Uint8Array, start: number, end: number): void {
  target.set(cell, start)
  for (let done = cell.length; start + done < end; done *= 2)
    target.copyWithin(start + done, start, start + Math.min(done, end - start - done))
}

/** Copies the cells of a block, of `width` units each. The places and strides are in units. */
// biome-ignore lint/complexity/useMaxParams: a hot loop over two buffers
function copyBlock(
  read: Units,
  first: number,
  write: Units,
  at: number,
  run: RunAxis,
  rows: RunAxis,
  width: number,
): void {
  const { length, from: fromStep, to: toStep } = run
  for (let row = 0; row < rows.length; row++, first += rows.from, at += rows.to) {
    let from = first
    let to = at
    if (width === 1) for (let i = 0; i < length; i++, from += fromStep, to += toStep) write[to] = read[from]
    else
      for (let i = 0; i < length; i++, from += fromStep, to += toStep)
        for (let u = 0; u < width; u++) write[to + u] = read[from + u]
  }
}

/** {@link copyBlock} of cells of 8 bytes, a function of its own for the reason of {@link copyWideRuns}: 0.7 of the time of two halves. */
// biome-ignore lint/complexity/useMaxParams: a hot loop over two buffers
function copyWideBlock(
  read: BigUint64Array,
  first: number,
  write: BigUint64Array,
  at: number,
  run: RunAxis,
  rows: RunAxis,
): void {
  const { length, from: fromStep, to: toStep } = run
  for (let row = 0; row < rows.length; row++, first += rows.from, at += rows.to) {
    let from = first
    let to = at
    for (let i = 0; i < length; i++, from += fromStep, to += toStep) write[to] = read[from]
  }
}
