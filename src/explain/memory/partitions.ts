import { type Comparable, comparable } from '../../cells/bounds.ts'
import type { ColumnType } from '../../cells/column.ts'
import { tileCellNum, tilesCellNum } from '../../cells/tile-places.ts'
import { datatypeSize } from '../../format/datatype.ts'
import type { Dimension } from '../../format/dimension.ts'
import { mbrAt } from '../../format/rtree.ts'
import type { FragmentInfo } from '../../objects/fragment.ts'
import { BLOCK_TILES, TileLists } from '../../objects/tile-lists.ts'
import { type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from '../../read/query.ts'
import {
  boxBetween,
  boxOf,
  type DimensionOrder,
  halves,
  overlapRatio,
  type PartitionRange,
  type RangeBox,
  rangeIndex,
  rangeNum,
  rangePlaces,
  valueNum,
} from './partition-ranges.ts'
import { RELEASE } from './release.ts'

/** Size of the buffers of each field of a query. */
export interface Buffers {
  /** Number of cells. */
  cells: number
  /** Bytes for the values of a var-sized field. */
  var_bytes: number
}

export const ENDLESS: Buffers = { cells: Number.POSITIVE_INFINITY, var_bytes: Number.POSITIVE_INFINITY }

/** A fragment with the tiles that the whole query touches. */
export interface TouchedFragment {
  one: OpenedFragment
  /** Rising. */
  tiles: Uint32Array
}

/** Bytes of a field: of its fixed-sized cells or offsets, of its var-sized values, and of its validity. */
type Sizes = readonly [fixed: number, variable: number, validity: number]

/** The memory for a field. */
function fieldMemory(): Sizes {
  const fixed = RELEASE.settings['sm.memory_budget']
  return [fixed, RELEASE.settings['sm.memory_budget_var'], fixed]
}

/** A field that the query returns. */
interface Field {
  name: string
  varSized: boolean
  nullable: boolean
  /** Bytes of one value. */
  typeSize: number
  /** Bytes of a cell; of its offset if the field is var-sized. */
  cellSize: number
}

/** A fragment with the boxes and sizes of its tiles. */
interface Measured extends TouchedFragment {
  /** By dimension and touched tile: the ends of its box. */
  mins: Comparable[][]
  maxs: Comparable[][]
  /** By field: bytes of a cell in the fragment, or of its offset; 0 if the fragment lacks the field. */
  cellSizes: number[]
  /** By field and tile number: bytes of the var-sized values. Has all tiles, not only the touched ones. */
  varSizes: (Float64Array | undefined)[]
}

/** A part of the ranges. */
interface Partition {
  box: RangeBox
  /** By fragment: the tiles that the part touches. */
  tiles: readonly Uint32Array[]
}

/** The tiles of a fragment that an n-dimensional range touches. */
interface Overlap {
  /** Positions among the fragment's touched tiles. */
  at: number[]
  /** The share of each tile's box that lies in the range. */
  ratio: number[]
}

/** Sizes of several n-dimensional ranges together. */
interface RangeSums {
  /** By field: estimated bytes of the cells. */
  cells: number[][]
  /** By field: bytes of the whole tiles. */
  tiles: number[][]
  /** By fragment and touched tile: 1 if `tiles` includes it. */
  seen: readonly Uint8Array[]
}

/**
 * Divides the ranges of a query into partitions as TileDB does: the estimated cells of each fit into the buffers, and its tiles fit into
 * memory. TileDB estimates the cells of a tile by the share of its box that lies in the ranges.
 *
 * @see tiledb/sm/subarray/subarray_partitioner.cc; Subarray::compute_relevant_fragment_est_result_sizes
 */
export class Partitioner {
  current: Partition
  /** Whether any ranges had to be halved. Then TileDB loads the sizes of all var-sized fields. */
  hasHalved = false
  private readonly dimensions: readonly Dimension[]
  /** Whether the number of coordinates in a range limits its estimated number of cells. */
  private readonly isCapped: boolean
  private readonly isHilbert: boolean
  private readonly fields: readonly Field[]
  private readonly fragments: readonly Measured[]
  private readonly buffers: Buffers
  private readonly whole: RangeBox
  private readonly order: DimensionOrder
  /** Number of the next n-dimensional range. */
  private start = 0
  /** First and last n-dimensional range of the current partition. */
  private from = 0
  private to = 0
  /** Whether the current partition is a half of a slab. */
  private isHalf = false
  /** By n-dimensional range and fragment; empty until they are needed. */
  private overlaps: Overlap[][] = []
  /** Halves to read later. The last one comes next. */
  private readonly halvesOfSlab: RangeBox[] = []
  private readonly halvesOfRange: RangeBox[] = []

  private constructor(
    { schema }: OpenedArray,
    { order, ranges }: ReadQuery,
    fields: readonly Field[],
    fragments: readonly Measured[],
    buffers: Buffers,
  ) {
    const { dimensions } = schema.domain
    const rising = dimensions.map((_, d) => d)
    this.dimensions = dimensions
    this.isCapped = !schema.allows_duplicates && dimensions.every(({ cell_val_num }) => cell_val_num !== 'var')
    this.isHilbert = schema.cell_order === 'hilbert'
    this.fields = fields
    this.fragments = fragments
    this.buffers = buffers
    this.order = order === 'col-major' ? rising.toReversed() : rising
    this.whole = boxOf(dimensions, ranges)
    this.current = { box: this.whole, tiles: [] }
  }

  /** @param fragments those that the query touches @returns undefined if everything fits into one partition */
  static async of(
    opened: OpenedArray,
    query: ReadQuery,
    fragments: readonly TouchedFragment[],
    buffers: Buffers,
  ): Promise<Partitioner | undefined> {
    const fields = readColumns(opened.schema, { ...query, provenance: false }).map(fieldOf)
    const ranges = rangeNum(boxOf(opened.schema.domain.dimensions, query.ranges))
    const room = fields.map((field) => roomOf(field, buffers))
    const most = fields.map(() => [0, 0, 0])
    for (const { one, tiles } of fragments) {
      for (const [n, field] of fields.entries()) {
        const cells = tilesCellNum(one.info, tiles)
        most[n][0] += cells * field.cellSize
        most[n][1] +=
          field.varSized && room[n][1] < Number.POSITIVE_INFINITY ? await varBytes(one, field.name, tiles) : 0
        most[n][2] += field.nullable ? cells * Math.max(1, field.cellSize / field.typeSize) : 0
      }
    }
    const fits = most.every((sizes, n) => sizes.every((size, i) => size * ranges <= room[n][i]))
    if (fits) return undefined
    const measured: Measured[] = []
    for (const one of fragments) measured.push(await measure(one, fields, opened.schema.domain.dimensions))
    return new Partitioner(opened, query, fields, measured, buffers)
  }

  get isDone(): boolean {
    return this.start >= rangeNum(this.whole)
  }

  /** Goes to the next partition. @returns whether it is too large, but cannot be halved */
  next(): boolean {
    if (this.halvesOfRange.length > 0) return this.nextHalf(this.halvesOfRange)
    if (this.halvesOfSlab.length > 0) return this.nextHalf(this.halvesOfSlab)
    const found = this.findRanges()
    const mustHalve = this.toSlab()
    if (!found || mustHalve) return this.halve(this.between(), this.halvesOfSlab)
    this.takeRanges()
    return false
  }

  /** Halves the current partition, because its cells do not fit into the buffers. @returns whether it cannot be halved */
  splitCurrent(): boolean {
    if (this.isHalf) return this.halveAgain(this.halvesOfSlab)
    if (this.from < this.to) {
      this.to = this.from + Math.floor((this.to - this.from + 1) * (1 - RELEASE.splitting.multi_range_reduction)) - 1
      if (this.toSlab()) return this.halveAgain(this.halvesOfSlab)
      this.takeRanges()
      return false
    }
    return this.halveAgain(this.halvesOfRange)
  }

  /** Makes the n-dimensional ranges from `from` to `to` the current partition. */
  private takeRanges(): void {
    this.isHalf = false
    this.start = this.to + 1
    this.take(this.between())
  }

  private between(): RangeBox {
    const [first, last] = [this.from, this.to].map((index) => rangePlaces(this.whole, index, this.order))
    return boxBetween(this.whole, first, last)
  }

  private take(box: RangeBox): void {
    const seen = this.fragments.map(({ tiles }) => new Uint8Array(tiles.length))
    for (const own of this.overlapsOf(box)) for (const [f, { at }] of own.entries()) for (const i of at) seen[f][i] = 1
    this.current = { box, tiles: this.fragments.map(({ tiles }, f) => tiles.filter((_, i) => seen[f][i] === 1)) }
  }

  /** Halves a box, and takes the first part of it that fits. @returns whether it cannot be halved */
  private halve(box: RangeBox, waiting: RangeBox[]): boolean {
    const parts = halves(this.dimensions, box, this.order, this.isHilbert)
    waiting.push(...(parts ? parts.toReversed() : [box]))
    return parts ? this.nextHalf(waiting) : this.takeHalf(waiting, true)
  }

  private halveAgain(waiting: RangeBox[]): boolean {
    if (waiting.length === 0) this.start = this.from
    return this.halve(this.current.box, waiting)
  }

  /** Halves the next box until its first part fits. @returns whether that part is too large, but cannot be halved */
  private nextHalf(waiting: RangeBox[]): boolean {
    this.hasHalved = true
    for (;;) {
      const box = waiting[waiting.length - 1]
      if (!this.isTooLarge(box)) return this.takeHalf(waiting, false)
      const parts = halves(this.dimensions, box, this.order, this.isHilbert)
      if (!parts) return this.takeHalf(waiting, true)
      waiting.pop()
      waiting.push(...parts.toReversed())
    }
  }

  /** Makes the next waiting half the current partition. @returns `unsplittable` */
  private takeHalf(waiting: RangeBox[], unsplittable: boolean): boolean {
    this.isHalf = waiting === this.halvesOfSlab
    this.take(waiting.pop() as RangeBox)
    if (waiting.length === 0) this.start = this.to + 1
    return unsplittable
  }

  /** Finds how many n-dimensional ranges fit together. @returns whether at least one fits */
  private findRanges(): boolean {
    if (this.overlaps.length === 0) this.overlaps = this.overlapsOf(this.whole)
    const sums = this.newSums()
    this.from = this.start
    for (this.to = this.start; this.to < rangeNum(this.whole); this.to++) {
      this.addRange(sums, this.whole, this.to, this.overlaps[this.to])
      const { cells, tiles } = sums
      const isTooMuch = this.fields.some(
        (field, n) => exceeds(cells[n], bufferSizes(field, this.buffers)) || exceeds(tiles[n], fieldMemory()),
      )
      if (isTooMuch) break
    }
    if (this.to === this.from) return false
    this.to--
    return true
  }

  private newSums(): RangeSums {
    return {
      cells: this.fields.map(() => [0, 0, 0]),
      tiles: this.fields.map(() => [0, 0, 0]),
      seen: this.fragments.map(({ tiles }) => new Uint8Array(tiles.length)),
    }
  }

  /** Adds the sizes of an n-dimensional range of a box. */
  private addRange(
    { cells, tiles, seen }: RangeSums,
    box: RangeBox,
    index: number,
    overlaps: readonly Overlap[],
  ): void {
    add(cells, this.estimate(overlaps, this.intervalsAt(box, index)))
    add(tiles, this.tileBytes(overlaps, seen))
  }

  /** The range of each dimension that an n-dimensional range consists of. */
  private intervalsAt(box: RangeBox, index: number): PartitionRange[] {
    const places = rangePlaces(box, index, this.order)
    return box.intervals.map((own, d) => own[places[d]])
  }

  /**
   * Moves `to` so that `from` to `to` is a slab: ranges whose cells follow one another in the order of the query.
   * @returns whether the slab has more ranges than before, so that it has to be halved
   */
  private toSlab(): boolean {
    const { whole, order } = this
    const first = rangePlaces(whole, this.from, order)
    const last = rangePlaces(whole, this.to, order)
    const lastPlace = (d: number): number => whole.intervals[d].length - 1
    const toEnd = (from: number): void => {
      for (const d of order.slice(from)) last[d] = lastPlace(d)
    }
    for (const [i, major] of order.slice(0, -1).entries()) {
      const minors = order.slice(i + 1)
      if (minors.every((d) => first[d] === 0)) {
        if (minors.every((d) => last[d] === lastPlace(d))) break
        if (first[major] < last[major]) {
          last[major]--
          toEnd(i + 1)
          break
        }
      } else if (last[major] > first[major]) {
        last[major] = first[major]
        toEnd(i + 1)
      }
    }
    const fastest = order[order.length - 1]
    const mustHalve = order.length > 1 && last[fastest] !== lastPlace(fastest)
    if (mustHalve) last[fastest] = lastPlace(fastest)
    this.to = rangeIndex(whole, last, order)
    return mustHalve
  }

  /** Finds the tiles of each n-dimensional range of a box. @returns by range and fragment */
  private overlapsOf(box: RangeBox): Overlap[][] {
    return Array.from({ length: rangeNum(box) }, (_, index) => {
      const intervals = this.intervalsAt(box, index)
      return this.fragments.map((fragment) => this.overlap(fragment, intervals, box.limited))
    })
  }

  private overlap(
    { tiles, mins, maxs }: Measured,
    intervals: readonly PartitionRange[],
    limited: readonly boolean[],
  ): Overlap {
    const found: Overlap = { at: [], ratio: [] }
    for (let i = 0; i < tiles.length; i++) {
      let ratio = 1
      for (let d = 0; d < intervals.length && ratio > 0; d++) {
        if (!limited[d]) continue
        const own = overlapRatio(this.dimensions[d].type, intervals[d], mins[d][i], maxs[d][i])
        ratio = own === 0 ? 0 : ratio * own || Number.MIN_VALUE
      }
      if (ratio === 0) continue
      found.at.push(i)
      found.ratio.push(ratio)
    }
    return found
  }

  /** By field: bytes of the cells that TileDB expects in an n-dimensional range. */
  private estimate(overlaps: readonly Overlap[], intervals: readonly PartitionRange[]): number[][] {
    const values = intervals.map((interval, d) => valueNum(this.dimensions[d].type, interval))
    const most = this.isCapped ? values.reduce((product, one) => product * one, 1) : Number.POSITIVE_INFINITY
    return this.fields.map((field, n) => {
      const sum = [0, 0, 0]
      for (const [f, { at, ratio }] of overlaps.entries()) {
        const { one, tiles, cellSizes, varSizes } = this.fragments[f]
        if (cellSizes[n] === 0) continue
        for (const [i, share] of ratio.entries()) {
          const tile = tiles[at[i]]
          const cells = tileCellNum(one.info, tile)
          sum[0] += cells * cellSizes[n] * share
          sum[1] += (varSizes[n]?.[tile] ?? 0) * share
          // In a cell with several values, each value counts.
          if (field.nullable) sum[2] += cells * (field.varSized ? 1 : Math.floor(cellSizes[n] / field.typeSize)) * share
        }
      }
      return [Math.min(sum[0], most * field.cellSize), sum[1], field.nullable ? Math.min(sum[2], most) : 0]
    })
  }

  /** By field: bytes of the whole tiles, except those seen before. Marks the tiles as seen. */
  private tileBytes(overlaps: readonly Overlap[], seen: readonly Uint8Array[]): number[][] {
    const sums = this.fields.map(() => [0, 0, 0])
    for (const [f, { at }] of overlaps.entries()) {
      const { one, tiles, cellSizes, varSizes } = this.fragments[f]
      for (const i of at) {
        if (seen[f][i] === 1) continue
        seen[f][i] = 1
        const cells = tileCellNum(one.info, tiles[i])
        for (const [n, field] of this.fields.entries()) {
          sums[n][0] += cells * cellSizes[n]
          sums[n][1] += varSizes[n]?.[tiles[i]] ?? 0
          if (field.nullable && !field.varSized) sums[n][2] += cells
        }
      }
    }
    return sums
  }

  private isTooLarge(box: RangeBox): boolean {
    const sums = this.newSums()
    for (const [index, own] of this.overlapsOf(box).entries()) this.addRange(sums, box, index, own)
    return this.fields.some((field, n) => {
      const sizes = sums.cells[n].map(Math.ceil)
      // TileDB expects no cells where it expects no values, and otherwise at least one cell.
      if (field.varSized && sizes[1] === 0) sizes.fill(0)
      else if (sizes[0] > 0) sizes[0] = Math.max(sizes[0], field.cellSize)
      return exceeds(sizes, bufferSizes(field, this.buffers)) || exceeds(sums.tiles[n], fieldMemory())
    })
  }
}

function bufferSizes({ varSized, cellSize }: Field, { cells, var_bytes }: Buffers): Sizes {
  return [cells * cellSize, varSized ? var_bytes : Number.POSITIVE_INFINITY, cells]
}

function roomOf(field: Field, buffers: Buffers): number[] {
  const memory = fieldMemory()
  return bufferSizes(field, buffers).map((size, i) => Math.min(size, memory[i]))
}

function exceeds(sizes: readonly number[], room: Sizes): boolean {
  return sizes.some((size, i) => size > room[i])
}

function add(sums: number[][], sizes: readonly (readonly number[])[]): void {
  for (const [n, own] of sizes.entries()) for (let i = 0; i < own.length; i++) sums[n][i] += own[i]
}

function fieldOf({ name, type, cell_val_num, nullable }: ColumnType): Field {
  const varSized = cell_val_num === 'var'
  const typeSize = datatypeSize(type)
  return { name, varSized, nullable, typeSize, cellSize: varSized ? 8 : typeSize * cell_val_num }
}

/** The slot of a field; -1 if the fragment has none. */
function slotOf({ slots }: FragmentInfo, name: string): number {
  return slots.findIndex((slot) => slot.name === name && !slot.phantom)
}

/** Bytes of the var-sized values of tiles. */
async function varBytes({ fragment, info }: OpenedFragment, name: string, tiles: Uint32Array): Promise<number> {
  const slot = slotOf(info, name)
  if (slot < 0 || !info.slots[slot].varSized || tiles.length === 0) return 0
  const sizes = await new TileLists(fragment).offsets('tile_var_sizes', slot)
  let [sum, i] = [0, 0]
  for (let from = 0; sizes && from < sizes.count && i < tiles.length; from += BLOCK_TILES) {
    const { first, entries } = await sizes.block(from, Math.min(from + BLOCK_TILES, sizes.count))
    for (; i < tiles.length && tiles[i] < from + BLOCK_TILES; i++) sum += entries[tiles[i] - first] ?? 0
  }
  sizes?.release()
  return sum
}

async function measure(
  { one, tiles }: TouchedFragment,
  fields: readonly Field[],
  dimensions: readonly Dimension[],
): Promise<Measured> {
  const { fragment, info } = one
  const slots = fields.map(({ name }) => info.slots[slotOf(info, name)])
  const mins: Comparable[][] = dimensions.map(() => [])
  const maxs: Comparable[][] = dimensions.map(() => [])
  const boxes = await new TileLists(fragment).boxes()
  for (let i = 0; boxes && i < tiles.length; ) {
    const from = tiles[i]
    const to = Math.min(from + BLOCK_TILES, boxes.count)
    const { first, entries } = await boxes.block(from, to)
    for (; i < tiles.length && tiles[i] < to; i++)
      for (const [d, { min, max }] of mbrAt(entries, tiles[i] - first, dimensions).entries()) {
        mins[d].push(comparable(dimensions[d].type, min))
        maxs[d].push(comparable(dimensions[d].type, max))
      }
  }
  boxes?.release()
  const varSizes: Measured['varSizes'] = []
  for (const [n, { name, varSized }] of fields.entries())
    varSizes.push(
      varSized && slots[n]?.varSized ? await fragment.offsets('tile_var_sizes', slotOf(info, name)) : undefined,
    )
  await fragment.close()
  const isDimension = (name: string): boolean => dimensions.some((one) => one.name === name)
  const cellSizes = fields.map(({ name, cellSize }, n) => {
    if (slots[n]) return slots[n].varSized ? 8 : slots[n].cellSize
    return isDimension(name) ? cellSize : 0
  })
  return { one, tiles, mins, maxs, cellSizes, varSizes }
}
