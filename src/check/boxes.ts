import { NAN_LANE, valueLanes } from '../cells/cell-order.ts'
import type { KeyLanes } from '../cells/sorted-positions.ts'
import { datatypeKind } from '../format/datatype.ts'
import { fixedSize, type NDRange, type RangeType } from '../format/range.ts'
import { levelOf, type RTreeLevel } from '../format/rtree.ts'
import { u64 } from '../format/u32.ts'

/** One end of a range. */
export type End = 'min' | 'max'

/**
 * The boxes of one level of an R-tree, prepared for comparison. Values of fixed-sized dimensions become unsigned lanes in the
 * same order. Values of string dimensions stay where they are. No object is made for a single box.
 */
export class Boxes {
  readonly count: number
  private readonly axes: readonly Axis[]

  constructor(level: RTreeLevel, dimensions: readonly RangeType[]) {
    this.count = level.mbr_num
    this.axes = axesOf(level, dimensions)
  }

  /** Makes a level of one box. */
  static of(range: NDRange, dimensions: readonly RangeType[]): Boxes {
    return new Boxes(levelOf([range], dimensions), dimensions)
  }

  /** Compares an end of box `i` along dimension `d` with an end of another level's box. @returns below 0, 0 or above 0 */
  // biome-ignore lint/complexity/useMaxParams: called for each box, so no object is made
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

  /** Lower end of a box along a string dimension; undefined for other dimensions. */
  textStart(d: number, i: number): Uint8Array | undefined {
    const axis = this.axes[d]
    return axis.text ? axis.bytes.subarray(axis.minStart[i], axis.minEnd[i]) : undefined
  }

  /** The first box whose lower end is above its upper end, or that has NaN at only one end. */
  firstInvalid(): { box: number; dimension: number } | undefined {
    for (let d = 0; d < this.axes.length; d++) {
      for (let i = 0; i < this.count; i++) {
        if (this.compare(d, 'min', i, this, 'max', i) > 0 || this.isNaN(d, 'min', i) !== this.isNaN(d, 'max', i))
          return { box: i, dimension: d }
      }
    }
    return undefined
  }

  /** Upper limit on the cells with different coordinates in a box. */
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

  /** The first box that is NaN along a dimension; -1 if none is. @param to end of the search, exclusive */
  firstNaN(d: number, from = 0, to = this.count): number {
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

/** Sorts the bytes of a level by dimension. */
function axesOf({ bytes, starts, mbr_num }: RTreeLevel, dimensions: readonly RangeType[]): Axis[] {
  const stride = mbr_num === 0 ? 0 : bytes.length / mbr_num
  const at = new Float64Array(mbr_num)
  for (let i = 0; i < mbr_num; i++) at[i] = starts ? starts[i] : i * stride
  return dimensions.map((dimension): Axis => {
    const size = fixedSize(dimension)
    if (size === undefined) return textAxis(bytes, at)
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

/** @param at start of each box along this dimension; moved to its end */
function textAxis(bytes: Uint8Array, at: Float64Array): TextAxis {
  const minStart = at.map((start) => start + 16)
  const minEnd = at.map((start, i) => minStart[i] + u64(bytes, start + 8))
  const maxEnd = at.map((start, i) => minStart[i] + u64(bytes, start))
  at.set(maxEnd)
  return { text: true, bytes, minStart, minEnd, maxStart: minEnd, maxEnd }
}

// biome-ignore lint/complexity/useMaxParams: as `compare`
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
