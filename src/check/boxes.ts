import { type KeyLanes, NAN_LANE, valueLanes } from '../cells/cell-order.ts'
import { datatypeKind } from '../format/datatype.ts'
import { fixedSize, type NDRange, type RangeType } from '../format/range.ts'
import type { RTreeLevel } from '../format/rtree.ts'

/** Which end of a range. */
export type End = 'min' | 'max'

/**
 * The boxes of one level of an R-tree, prepared for comparison. Values of fixed-sized dimensions become unsigned lanes that
 * sort like them; values of string dimensions stay in place. There is no object per box.
 */
export class Boxes {
  readonly count: number
  private readonly axes: readonly Axis[]

  constructor(level: RTreeLevel, dimensions: readonly RangeType[]) {
    this.count = level.mbr_num
    this.axes = axesOf(level, dimensions)
  }

  /** The boxes of one range. */
  static of(range: NDRange, dimensions: readonly RangeType[]): Boxes {
    const parts: Uint8Array[] = []
    range.forEach(({ min, max }, d) => {
      if (fixedSize(dimensions[d]) === undefined) {
        const lengths = new BigUint64Array([BigInt(min.length + max.length), BigInt(min.length)])
        parts.push(new Uint8Array(lengths.buffer))
      }
      parts.push(min, max)
    })
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      bytes.set(part, at)
      at += part.length
    }
    return new Boxes({ mbr_num: 1, bytes, starts: Float64Array.of(0) }, dimensions)
  }

  /** Compares an end of box `i` along dimension `d` with an end of another level's box. @returns below 0, 0 or above 0 */
  compare(d: number, end: End, i: number, other: Boxes, otherEnd: End, j: number): number {
    const a = this.axes[d]
    const b = other.axes[d]
    if (a.text) return compareText(a.bytes, a[`${end}Start`][i], a[`${end}End`][i], b as TextAxis, otherEnd, j)
    const mine = a[end]
    const theirs = (b as FixedAxis)[otherEnd]
    for (let lane = 0; lane < mine.length; lane++) {
      const difference = mine[lane][i] - theirs[lane][j]
      if (difference !== 0) return difference
    }
    return 0
  }

  /** Lower end of a box along a string dimension. */
  textStart(d: number, i: number): Uint8Array | undefined {
    const axis = this.axes[d]
    return axis.text ? axis.bytes.subarray(axis.minStart[i], axis.minEnd[i]) : undefined
  }

  /** First box whose lower end is above its upper end, or with NaN at only one end. */
  firstInvalid(): { box: number; dimension: number } | undefined {
    for (let d = 0; d < this.axes.length; d++) {
      for (let i = 0; i < this.count; i++) {
        if (this.compare(d, 'min', i, this, 'max', i) > 0 || this.isNaN(d, 'min', i) !== this.isNaN(d, 'max', i))
          return { box: i, dimension: d }
      }
    }
    return undefined
  }

  /** Most cells with different coordinates that fit in a box, according to its ends. */
  roomOf(i: number, dimensions: readonly RangeType[]): number {
    let room = 1
    for (let d = 0; d < this.axes.length; d++) {
      const axis = this.axes[d]
      if (axis.text) {
        if (this.compare(d, 'min', i, this, 'max', i) !== 0) return Number.POSITIVE_INFINITY
      } else if (datatypeKind(dimensions[d].type) === 'float') return Number.POSITIVE_INFINITY
      else {
        let length = 0
        for (const [lane, max] of axis.max.entries()) length = length * 2 ** 32 + (max[i] - axis.min[lane][i])
        room *= length + 1
      }
    }
    return room
  }

  /** Whether a box is one point. */
  isPoint(i: number): boolean {
    for (let d = 0; d < this.axes.length; d++) if (this.compare(d, 'min', i, this, 'max', i) !== 0) return false
    return true
  }

  /** First box, from `from` up to but not including `to`, that is NaN along a dimension; -1 if none is. */
  firstNaN(d: number, from = 0, to = this.count): number {
    const axis = this.axes[d]
    if (axis.text || !axis.float) return -1
    for (let i = from; i < Math.min(to, this.count); i++) if (this.isNaN(d, 'min', i)) return i
    return -1
  }

  isNaN(d: number, end: End, i: number): boolean {
    const axis = this.axes[d]
    return !axis.text && axis.float && axis[end].every((lane) => lane[i] === NAN_LANE)
  }

  get dimensionNum(): number {
    return this.axes.length
  }
}

interface FixedAxis {
  text: false
  float: boolean
  min: KeyLanes
  max: KeyLanes
}

interface TextAxis {
  text: true
  bytes: Uint8Array
  minStart: Float64Array
  minEnd: Float64Array
  maxStart: Float64Array
  maxEnd: Float64Array
}

type Axis = FixedAxis | TextAxis

function axesOf({ bytes, starts, mbr_num }: RTreeLevel, dimensions: readonly RangeType[]): Axis[] {
  const stride = mbr_num === 0 ? 0 : bytes.length / mbr_num
  const at = new Float64Array(mbr_num)
  for (let i = 0; i < mbr_num; i++) at[i] = starts ? starts[i] : i * stride
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return dimensions.map((dimension): Axis => {
    const size = fixedSize(dimension)
    if (size === undefined) return textAxis(bytes, view, at)
    const min = new Uint8Array(mbr_num * size)
    const max = new Uint8Array(mbr_num * size)
    for (let i = 0; i < mbr_num; i++) {
      const from = at[i]
      for (let b = 0; b < size; b++) {
        min[i * size + b] = bytes[from + b]
        max[i * size + b] = bytes[from + size + b]
      }
      at[i] = from + 2 * size
    }
    return {
      text: false,
      float: datatypeKind(dimension.type) === 'float',
      min: valueLanes(dimension.type, min, mbr_num),
      max: valueLanes(dimension.type, max, mbr_num),
    }
  })
}

function textAxis(bytes: Uint8Array, view: DataView, at: Float64Array): TextAxis {
  const axis: TextAxis = {
    text: true,
    bytes,
    minStart: new Float64Array(at.length),
    minEnd: new Float64Array(at.length),
    maxStart: new Float64Array(at.length),
    maxEnd: new Float64Array(at.length),
  }
  for (let i = 0; i < at.length; i++) {
    const total = view.getUint32(at[i], true) + view.getUint32(at[i] + 4, true) * 2 ** 32
    const least = view.getUint32(at[i] + 8, true) + view.getUint32(at[i] + 12, true) * 2 ** 32
    axis.minStart[i] = at[i] + 16
    axis.minEnd[i] = axis.minStart[i] + least
    axis.maxStart[i] = axis.minEnd[i]
    axis.maxEnd[i] = axis.minStart[i] + total
    at[i] = axis.maxEnd[i]
  }
  return axis
}

function compareText(a: Uint8Array, from: number, to: number, other: TextAxis, end: End, j: number): number {
  const b = other.bytes
  const bFrom = other[`${end}Start`][j]
  const bTo = other[`${end}End`][j]
  const length = Math.min(to - from, bTo - bFrom)
  for (let i = 0; i < length; i++) {
    const difference = a[from + i] - b[bFrom + i]
    if (difference !== 0) return difference
  }
  return to - from - (bTo - bFrom)
}
