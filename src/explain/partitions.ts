import { type Comparable, comparable } from '../cells/bounds.ts'
import type { ColumnType } from '../cells/column.ts'
import { tileCellNum, tilesCellNum } from '../cells/tile-places.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import { mbrAt } from '../format/rtree.ts'
import { type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from '../read/query.ts'
import { BLOCK_TILES, TileLists } from '../store/tile-lists.ts'
import {
  type Box,
  boxBetween,
  boxOf,
  halves,
  type Interval,
  overlapRatio,
  rangeIndex,
  rangeNum,
  rangePlaces,
  valueNum,
} from './partition-ranges.ts'

/** Room of the buffers that a query is given for each field. */
export interface Buffers {
  cells: number
  /** Bytes for the values of a var-sized field. */
  var_bytes: number
}

export const ENDLESS: Buffers = { cells: Number.POSITIVE_INFINITY, var_bytes: Number.POSITIVE_INFINITY }

/** `sm.memory_budget`, for fixed-sized cells or offsets of a field and, again, its validity; `sm.memory_budget_var`. */
const MEMORY_BUDGET = 5 * 2 ** 30
const MEMORY_BUDGET_VAR = 10 * 2 ** 30
/** When several ranges do not fit, this share of them is tried next. @see constants::multi_range_reduction_in_split */
const FEWER_RANGES = 1 - 0.3

/** A fragment, and its tiles that the whole query touches. */
export interface TouchedFragment {
  one: OpenedFragment
  /** Rising. */
  tiles: Uint32Array
}

/** Bytes of a field: of fixed-sized cells or offsets, of var-sized values, of the validity. */
type Sizes = readonly [fixed: number, variable: number, validity: number]

/** A field that is returned. */
interface Field {
  name: string
  varSized: boolean
  nullable: boolean
  typeSize: number
  /** Bytes of a cell, or of its offset. */
  cellSize: number
}

/** What is known of a fragment's touched tiles. */
interface Measured extends TouchedFragment {
  /** Ends of their boxes, by dimension. */
  mins: Comparable[][]
  maxs: Comparable[][]
  /** By field, bytes of a cell or of its offset in the fragment; 0 if it lacks the field. */
  cellSizes: number[]
  /** By field, bytes of the values of each of all tiles. */
  varSizes: (Float64Array | undefined)[]
}

/** A part of the ranges, and what it touches. */
interface Partition {
  box: Box
  /** By fragment. */
  tiles: readonly Uint32Array[]
}

/** Tiles of an n-dimensional range in a fragment: positions among its touched tiles, and how much of each lies inside. */
interface Overlap {
  at: number[]
  ratio: number[]
}

/**
 * Parts the ranges of a query so that what TileDB thinks they hold fits into its buffers, and their tiles into its memory. It
 * estimates cells from the shares of the tiles' boxes that lie inside.
 *
 * @see tiledb/sm/subarray/subarray_partitioner.cc; Subarray::compute_relevant_fragment_est_result_sizes
 */
export class Partitioner {
  current: Partition
  /** Whether anything had to be halved: then the sizes of all var-sized fields are loaded. */
  hasHalved = false
  private readonly dimensions: readonly Dimension[]
  private readonly capped: boolean
  private readonly hilbert: boolean
  private readonly fields: readonly Field[]
  private readonly fragments: readonly Measured[]
  private readonly buffers: Buffers
  private readonly whole: Box
  /** Dimensions, from the slowest. */
  private readonly order: readonly number[]
  /** The next n-dimensional range. */
  private start = 0
  /** Those of the current partition. */
  private from = 0
  private to = 0
  private isHalf = false
  private overlaps: Overlap[][] = []
  /** Halves that wait, the next last. */
  private readonly halvesOfSlab: Box[] = []
  private readonly halvesOfRange: Box[] = []

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
    this.capped = !schema.allows_duplicates && dimensions.every(({ cell_val_num }) => cell_val_num !== 'var')
    this.hilbert = schema.cell_order === 'hilbert'
    this.fields = fields
    this.fragments = fragments
    this.buffers = buffers
    this.order = order === 'col-major' ? rising.toReversed() : rising
    this.whole = boxOf(dimensions, ranges)
    this.current = { box: this.whole, tiles: [] }
  }

  /** Undefined if all fits at once. @param fragments those that are not passed over */
  static async of(
    opened: OpenedArray,
    query: ReadQuery,
    fragments: readonly TouchedFragment[],
    buffers: Buffers,
  ): Promise<Partitioner | undefined> {
    const fields = readColumns(opened.schema, { ...query, provenance: false }).map(fieldOf)
    const repeated = rangeNum(boxOf(opened.schema.domain.dimensions, query.ranges))
    const room = fields.map((_, n) => roomOf(fields[n], buffers))
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
    const fits = most.every((sizes, n) => sizes.every((size, i) => size * repeated <= room[n][i]))
    if (fits) return undefined
    const measured: Measured[] = []
    for (const one of fragments) measured.push(await measure(one, fields, opened.schema.domain.dimensions))
    return new Partitioner(opened, query, fields, measured, buffers)
  }

  get done(): boolean {
    return this.start >= rangeNum(this.whole)
  }

  /** Goes to the next partition. @returns whether it holds too much, but cannot be halved */
  next(): boolean {
    if (this.halvesOfRange.length > 0) return this.nextHalf(this.halvesOfRange)
    if (this.halvesOfSlab.length > 0) return this.nextHalf(this.halvesOfSlab)
    const found = this.findRanges()
    const mustHalve = this.toSlab()
    if (!found || mustHalve) return this.halveSlab()
    this.takeRanges()
    return false
  }

  /** Halves the current partition, whose cells do not fit. @returns whether it cannot be halved */
  splitCurrent(): boolean {
    if (this.isHalf) return this.halveAgain(this.halvesOfSlab)
    if (this.from < this.to) {
      this.to = this.from + Math.floor((this.to - this.from + 1) * FEWER_RANGES) - 1
      if (this.toSlab()) return this.halveAgain(this.halvesOfSlab)
      this.takeRanges()
      return false
    }
    return this.halveAgain(this.halvesOfRange)
  }

  /** The n-dimensional ranges from `from` to `to`. */
  private takeRanges(): void {
    this.isHalf = false
    this.start = this.to + 1
    this.take(this.between())
  }

  private between(): Box {
    const [first, last] = [this.from, this.to].map((index) => rangePlaces(this.whole, index, this.order))
    return boxBetween(this.whole, first, last)
  }

  private take(box: Box): void {
    const seen = this.fragments.map(({ tiles }) => new Uint8Array(tiles.length))
    for (const own of this.overlapsOf(box)) for (const [f, { at }] of own.entries()) for (const i of at) seen[f][i] = 1
    this.current = { box, tiles: this.fragments.map(({ tiles }, f) => tiles.filter((_, i) => seen[f][i] === 1)) }
  }

  private halveSlab(): boolean {
    const box = this.between()
    const parts = halves(this.dimensions, box, this.order, this.hilbert)
    this.halvesOfSlab.push(...(parts ? parts.toReversed() : [box]))
    return parts ? this.nextHalf(this.halvesOfSlab) : this.takeHalf(this.halvesOfSlab, true)
  }

  private halveAgain(waiting: Box[]): boolean {
    const { box } = this.current
    const parts = halves(this.dimensions, box, this.order, this.hilbert)
    if (waiting.length === 0) this.start = this.from
    waiting.push(...(parts ? parts.toReversed() : [box]))
    return parts ? this.nextHalf(waiting) : this.takeHalf(waiting, true)
  }

  /** Halves what waits until the next fits. @returns whether it cannot be halved */
  private nextHalf(waiting: Box[]): boolean {
    this.hasHalved = true
    for (;;) {
      const box = waiting[waiting.length - 1]
      if (!this.holdsTooMuch(box)) return this.takeHalf(waiting, false)
      const parts = halves(this.dimensions, box, this.order, this.hilbert)
      if (!parts) return this.takeHalf(waiting, true)
      waiting.pop()
      waiting.push(...parts.toReversed())
    }
  }

  private takeHalf(waiting: Box[], unsplittable: boolean): boolean {
    this.isHalf = waiting === this.halvesOfSlab
    this.take(waiting.pop() as Box)
    if (waiting.length === 0) this.start = this.to + 1
    return unsplittable
  }

  /** Finds how many n-dimensional ranges fit, at least one. @returns whether one fits */
  private findRanges(): boolean {
    const { overlaps, sizes, memory } = this.ofRanges
    const most = this.fields.map(() => [0, 0, 0])
    const tiles = this.fields.map(() => [0, 0, 0])
    const seen = this.fragments.map((fragment) => new Uint8Array(fragment.tiles.length))
    this.from = this.start
    for (this.to = this.start; this.to < rangeNum(this.whole); this.to++) {
      add(most, sizes(this.to))
      add(tiles, memory(overlaps[this.to], seen))
      if (
        this.fields.some((field, n) => exceeds(most[n], bufferSizes(field, this.buffers)) || exceeds(tiles[n], MEMORY))
      )
        break
    }
    if (this.to === this.from) return false
    this.to--
    return true
  }

  private get ofRanges() {
    if (this.overlaps.length === 0) this.overlaps = this.overlapsOf(this.whole)
    const { overlaps } = this
    return {
      overlaps,
      sizes: (index: number) =>
        this.estimate(overlaps[index], this.intervalsAt(this.whole, rangePlaces(this.whole, index, this.order))),
      memory: (own: readonly Overlap[], seen: readonly Uint8Array[]) => this.tileBytes(own, seen),
    }
  }

  private intervalsAt({ intervals }: Box, places: readonly number[]): Interval[] {
    return intervals.map((own, d) => own[places[d]])
  }

  /**
   * Makes `from` to `to` a slab: ranges whose cells follow one another in the order of the query.
   * @returns whether the slab is larger, so that it has to be halved
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

  /** By n-dimensional range and fragment. */
  private overlapsOf(box: Box): Overlap[][] {
    return Array.from({ length: rangeNum(box) }, (_, index) => {
      const intervals = this.intervalsAt(box, rangePlaces(box, index, this.order))
      return this.fragments.map((fragment) => this.overlap(fragment, intervals, box.limited))
    })
  }

  private overlap(
    { tiles, mins, maxs }: Measured,
    intervals: readonly Interval[],
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

  /** By field, bytes of the cells that TileDB expects in an n-dimensional range. */
  private estimate(overlaps: readonly Overlap[], intervals: readonly Interval[]): number[][] {
    const values = intervals.map((interval, d) => valueNum(this.dimensions[d].type, interval))
    const most = this.capped ? values.reduce((product, one) => product * one, 1) : Number.POSITIVE_INFINITY
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
          // Of several values a cell, each counts.
          if (field.nullable) sum[2] += cells * (field.varSized ? 1 : Math.floor(cellSizes[n] / field.typeSize)) * share
        }
      }
      return [Math.min(sum[0], most * field.cellSize), sum[1], field.nullable ? Math.min(sum[2], most) : 0]
    })
  }

  /** By field, bytes of the whole tiles, without those seen before. */
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

  private holdsTooMuch(box: Box): boolean {
    const most = this.fields.map(() => [0, 0, 0])
    const tiles = this.fields.map(() => [0, 0, 0])
    const seen = this.fragments.map((fragment) => new Uint8Array(fragment.tiles.length))
    for (const [index, own] of this.overlapsOf(box).entries()) {
      add(most, this.estimate(own, this.intervalsAt(box, rangePlaces(box, index, this.order))))
      add(tiles, this.tileBytes(own, seen))
    }
    return this.fields.some((field, n) => {
      const sizes = most[n].map(Math.ceil)
      // TileDB expects no cell without values, and room for one cell at least.
      if (field.varSized && sizes[1] === 0) sizes.fill(0)
      else if (sizes[0] > 0) sizes[0] = Math.max(sizes[0], field.cellSize)
      return exceeds(sizes, bufferSizes(field, this.buffers)) || exceeds(tiles[n], MEMORY)
    })
  }
}

const MEMORY: Sizes = [MEMORY_BUDGET, MEMORY_BUDGET_VAR, MEMORY_BUDGET]

function bufferSizes({ varSized, cellSize }: Field, { cells, var_bytes }: Buffers): Sizes {
  return [cells * cellSize, varSized ? var_bytes : Number.POSITIVE_INFINITY, cells]
}

function roomOf(field: Field, buffers: Buffers): number[] {
  return bufferSizes(field, buffers).map((size, i) => Math.min(size, MEMORY[i]))
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

/** The slot of a field of the same kind; -1 if the fragment has none. */
function slotOf({ info }: OpenedFragment, name: string): number {
  return info.slots.findIndex((slot) => slot.name === name && !slot.phantom)
}

async function varBytes({ fragment, info }: OpenedFragment, name: string, tiles: Uint32Array): Promise<number> {
  const slot = slotOf({ fragment, info } as OpenedFragment, name)
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
  const slots = fields.map(({ name }) => info.slots[slotOf(one, name)])
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
      varSized && slots[n]?.varSized ? await fragment.offsets('tile_var_sizes', slotOf(one, name)) : undefined,
    )
  await fragment.close()
  const isDimension = (name: string): boolean => dimensions.some((one) => one.name === name)
  const cellSizes = fields.map(({ name, cellSize }, n) =>
    slots[n] ? (slots[n].varSized ? 8 : slots[n].cellSize) : isDimension(name) ? cellSize : 0,
  )
  return { one, tiles, mins, maxs, cellSizes, varSizes }
}
