/** Where the cells of a box lie in a buffer: its first cell, and the cells between neighbours along each axis. */
export interface BoxPlace {
  at: number
  strides: readonly number[]
}

/** A place whose cells are all the same one. */
export function samePlace(axes: readonly unknown[], at = 0): BoxPlace {
  return { at, strides: axes.map(() => 0) }
}

/** Called for each run of a box: `count` cells from `from` and `to` on, each so many cells after the one before. */
type RunVisitor = (from: number, to: number, count: number, fromStep: number, toStep: number) => void

/** Visits the cells of a box as runs, as long as possible. The target's cells are visited with small steps. */
export function forRuns(lengths: readonly number[], from: BoxPlace, to: BoxPlace, visit: RunVisitor): void {
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

interface RunAxis {
  length: number
  from: number
  to: number
}

/** The axes of a box, that of the target's neighbours first. Axes that continue each other are one. Undefined: no cells. */
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

/** Where the box's cells begin, if they follow each other in `from` and in `to` in the same order; undefined if not. */
export function oneRun(lengths: readonly number[], from: BoxPlace, to: BoxPlace): number | undefined {
  const axes = joinedAxes(lengths, from, to)
  return axes?.length === 1 && axes[0].from === 1 && axes[0].to === 1 ? from.at : undefined
}

/** Up to so many bytes, a loop is faster than a call of `set`. */
const SHORT_RUN = 64

/**
 * Copies the cells of a box from one buffer to another, where they may lie in another order.
 * @param size bytes of a cell
 */
export function copyBox(
  source: Uint8Array,
  from: BoxPlace,
  target: Uint8Array,
  to: BoxPlace,
  lengths: readonly number[],
  size: number,
): void {
  const unit = Math.min(unitOf(source, size), unitOf(target, size)) as 1 | 2 | 4
  const width = size / unit
  const read = inUnits(source, unit)
  const write = inUnits(target, unit)
  forRuns(lengths, from, to, (first, at, count, fromStep, toStep) => {
    if (toStep === 1 && fromStep === 1 && count * size > SHORT_RUN)
      target.set(source.subarray(first * size, (first + count) * size), at * size)
    else if (toStep === 1 && fromStep === 0 && width === 1) write.fill(read[first], at, at + count)
    else if (toStep === 1 && fromStep === 0) {
      const [start, end] = [at * size, (at + count) * size]
      target.set(source.subarray(first * size, (first + 1) * size), start)
      for (let done = size; start + done < end; done *= 2)
        target.copyWithin(start + done, start, start + Math.min(done, end - start - done))
    } else copyUnits(read, first * width, write, at * width, count, fromStep * width, toStep * width, width)
  })
}

type Units = Uint8Array | Uint16Array | Uint32Array

/** Integers and not floats: bits that look like a NaN could change. */
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

/** Bytes of the units in which cells of `size` bytes at this address can be copied. */
function unitOf({ byteOffset }: Uint8Array, size: number): 1 | 2 | 4 {
  if (size % 4 === 0 && byteOffset % 4 === 0) return 4
  return size % 2 === 0 && byteOffset % 2 === 0 ? 2 : 1
}

function inUnits(bytes: Uint8Array, unit: 1 | 2 | 4): Units {
  if (unit === 1) return bytes
  const UnitArray = unit === 4 ? Uint32Array : Uint16Array
  return new UnitArray(bytes.buffer as ArrayBuffer, bytes.byteOffset, Math.floor(bytes.length / unit))
}
