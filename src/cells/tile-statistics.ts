import { concat, NO_BYTES, startsOf } from '../base/bytes.ts'
import type { LazyKernels } from '../filters/kernels/kernels.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import { fixedSize, type RangeType } from '../format/range.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { u64, u64s } from '../format/u32.ts'
import { sumType } from '../format/value.ts'
import type { ColumnData } from './column.ts'
import type { Slabs } from './dense-coordinates.ts'
import {
  allCells,
  cellNumOf,
  isWide,
  markedPieces,
  numberOf,
  numbersOf,
  PIECE_CELLS,
  revisited,
  uint32LanesOf,
  type VisitedCells,
  wideNumbersOf,
} from './elements.ts'
import { extremesOf, isPlainText } from './extremes.ts'
import { SumOf } from './sum-of.ts'
import { totalsOf } from './totals.ts'

/** The properties of a field that decide which statistics it has. */
export interface StatisticsField {
  type: Datatype
  cell_val_num: CellValNum
  nullable: boolean
  /** Dimensions have an R-tree in place of minima and maxima. */
  dimension: boolean
}

/** Whether a field has minima and maxima. @see tiledb/sm/tile/tile_metadata_generator.cc, has_min_max_metadata */
export function hasMinMax({ type, cell_val_num, dimension }: StatisticsField): boolean {
  if (dimension) return false
  if (isPlainText({ type })) return true
  const kind = datatypeKind(type)
  return cell_val_num === 1 && kind !== 'text' && kind !== 'bytes'
}

/** Whether a field has sums. @see tiledb/sm/tile/tile_metadata_generator.cc, has_sum_metadata */
export function hasSum({ type, cell_val_num }: Pick<StatisticsField, 'type' | 'cell_val_num'>): boolean {
  if (cell_val_num !== 1) return false
  const kind = datatypeKind(type)
  return type === 'CHAR' || (kind !== 'text' && kind !== 'bytes')
}

/** Whether TileDB counts the nulls of a field at all. */
export function countsNulls(field: StatisticsField): boolean {
  return hasMinMax(field) || (field.cell_val_num !== 'var' && !isEncodedText(field.type))
}

/** Whether the stored null counts of a slot mean what they say. Where TileDB does not count nulls it stores zeros. */
export function knowsNullCount(slot: Omit<StatisticsField, 'dimension'>): boolean {
  return !slot.nullable || countsNulls({ ...slot, dimension: false })
}

/** Text in an encoding other than ASCII. */
function isEncodedText(type: Datatype): boolean {
  return datatypeKind(type) === 'text' && !isPlainText({ type })
}

/**
 * Minima, maxima, sums and null counts of one field, computed tile by tile as in TileDB, and then for the fragment. Nulls
 * and padding are ignored. A tile of nulls has zero bytes as minimum and maximum.
 *
 * @see tiledb/sm/tile/tile_metadata_generator.cc; FragmentMetadata::compute_fragment_min_max_sum_null_count
 */
export class TileStatistics {
  private readonly field: StatisticsField
  /** Number of nulls of each tile; empty for a field that is not nullable. */
  readonly nullCounts: Float64Array
  /** Sums, 8 bytes per tile; empty for a field without sums. */
  readonly sums: Uint8Array
  /** A byte per tile: 0 if all its cells are null. */
  private readonly known: Uint8Array
  private readonly lists: Record<'min' | 'max', ExtremeList> | undefined
  private readonly kernels: LazyKernels | undefined

  /** @param kernels for numbers, if the tiles are worth them */
  constructor(field: StatisticsField, tileNum: number, kernels?: LazyKernels) {
    this.field = field
    this.kernels = hasSum(field) && field.type !== 'CHAR' ? kernels : undefined
    this.nullCounts = new Float64Array(field.nullable ? tileNum : 0)
    this.known = new Uint8Array(tileNum).fill(1)
    const size = cellSizeOf(field)
    if (hasMinMax(field)) this.lists = { min: new ExtremeList(tileNum, size), max: new ExtremeList(tileNum, size) }
    this.sums = new Uint8Array(hasSum(field) ? 8 * tileNum : 0)
  }

  /**
   * Adds the cells of a tile.
   * @param visit returns the cells that count, in TileDB's order; undefined for all
   * @param slabs returns the slabs of a dense tile; called if the sum depends on them
   */
  add(
    tile: number,
    cells: ColumnData,
    cellNum: number,
    visit?: () => Iterable<VisitedCells>,
    slabs?: () => Slabs,
  ): void {
    const { data, starts, validity } = cells
    const { type } = this.field
    const all = visit ?? (() => allCells(cellNum))
    const counted = validity ? revisited(() => markedPieces(all(), validity), cellNum) : all
    if (validity) {
      this.nullCounts[tile] = cellNumOf(all()) - cellNumOf(counted())
      if (this.nullCounts[tile] === cellNum) this.known[tile] = 0
    }
    if (this.known[tile] === 0) return
    const totals =
      this.kernels && !visit && !validity
        ? totalsOf(this.kernels, type, data.subarray(0, cellNum * cellSizeOf(this.field)))
        : undefined
    if (totals) {
      for (const which of ['min', 'max'] as const) this.lists?.[which].set(tile, totals[which])
      this.sums.set(totals.sum, 8 * tile)
      return
    }
    const found = this.lists && extremesOf(type, data, starts, cellSizeOf(this.field), counted())
    if (found) for (const which of ['min', 'max'] as const) this.lists?.[which].set(tile, found[which])
    if (this.sums.length > 0) {
      const sum = sumOf(type, data, counted())
      this.sums.set(sum.saturated && slabs ? slabSum(type, cells, slabs()) : sum.bytes(), 8 * tile)
    }
  }

  /** Replaces the statistics of a tile. */
  replace(tile: number, { min, max, sum, null_count }: SlotStatistics): void {
    this.lists?.min.set(tile, min)
    this.lists?.max.set(tile, max)
    if (this.sums.length > 0) this.sums.set(sum, 8 * tile)
    if (this.nullCounts.length > 0) this.nullCounts[tile] = null_count
  }

  /** Minimum or maximum of one tile; undefined if the field has none. */
  extreme(which: 'min' | 'max', tile: number): Uint8Array | undefined {
    return this.lists?.[which].get(tile)
  }

  /** Minima or maxima of all tiles. */
  extremes(which: 'min' | 'max'): TileMinMax {
    return this.lists?.[which].list() ?? { fixed: NO_BYTES, variable: NO_BYTES }
  }

  /** Statistics of the fragment. */
  fragment(): SlotStatistics {
    const { sums, nullCounts, known } = this
    const lists = { min: this.extremes('min'), max: this.extremes('max'), sums, nullCounts }
    return fragmentStatistics(this.field, lists, [...markedPieces(allCells(known.length), known)])
  }
}

/** Statistics of one field for each tile, as the fragment metadata stores them. */
export interface StatisticsLists {
  min: TileMinMax
  max: TileMinMax
  sums: Uint8Array
  nullCounts: Float64Array
}

/**
 * The statistics of the fragment, which TileDB computes from those of the tiles.
 *
 * @param tiles the tiles whose cells are not all null, in pieces
 * @see FragmentMetadata::compute_fragment_min_max_sum_null_count
 */
export function fragmentStatistics(
  field: StatisticsField,
  lists: StatisticsLists,
  tiles: readonly VisitedCells[],
): SlotStatistics {
  const { sums, nullCounts } = lists
  let null_count = 0
  for (const nulls of nullCounts) null_count += nulls
  // TileDB stores sums of characters for tiles, but computes none for the fragment.
  const hasSums = sums.length > 0 && hasSum(field) && field.type !== 'CHAR'
  const sum = hasSums ? sumOf(sumType(field.type), sums, tiles).bytes() : new Uint8Array(8)
  const extreme = ({ fixed, variable }: TileMinMax, which: 'min' | 'max'): Uint8Array => {
    const starts = field.cell_val_num === 'var' ? u64s(fixed, variable.length) : undefined
    return (
      extremesOf(field.type, starts ? variable : fixed, starts, cellSizeOf(field), tiles)?.[which].slice() ?? NO_BYTES
    )
  }
  if (!hasMinMax(field)) return { min: NO_BYTES, max: NO_BYTES, sum, null_count }
  return { min: extreme(lists.min, 'min'), max: extreme(lists.max, 'max'), sum, null_count }
}

/**
 * Whether all cells certainly lie between their stored minimum and maximum. After a NaN, TileDB starts both anew with the next
 * value, so that values before it may lie outside. With a NaN, the sum is NaN, too. A sum at the limit of its type does not
 * show a NaN that comes later.
 *
 * @param sum stored sum of the same cells, 8 bytes
 */
export function holdsExtremes(type: Datatype, sum: Uint8Array | undefined): boolean {
  if (datatypeKind(type) !== 'float') return true
  return sum?.length === 8 && Math.abs(numberOf('FLOAT64', sum)) < Number.MAX_VALUE
}

/**
 * Whether all texts certainly lie between their stored minimum and maximum. TileDB compares texts only up to a zero byte, so a
 * text that is equal up to there may lie outside.
 */
export function holdsTexts(type: Datatype, ...extremes: (Uint8Array | undefined)[]): boolean {
  return !isPlainText({ type }) || !extremes.some((value) => value?.includes(0))
}

/** The value of a tile in a list of minima or maxima; undefined if it does not lie in the list. */
export function extremeAt({ fixed, variable }: TileMinMax, tile: number, field: RangeType): Uint8Array | undefined {
  const size = cellSizeOf(field)
  if (field.cell_val_num !== 'var') return entryAt(fixed, tile, size)
  if (fixed.length < (tile + 1) * 8) return undefined
  const from = u64(fixed, tile * 8)
  const to = fixed.length < (tile + 2) * 8 ? variable.length : u64(fixed, tile * 8 + 8)
  return from <= to && to <= variable.length ? variable.subarray(from, to) : undefined
}

/** An entry of a list of fixed-sized values; undefined if the list is too short. */
export function entryAt(list: Uint8Array, tile: number, size: number): Uint8Array | undefined {
  return list.length >= (tile + 1) * size ? list.subarray(tile * size, (tile + 1) * size) : undefined
}

/** Bytes of a cell; 0 if cells are var-sized. */
export function cellSizeOf(field: RangeType): number {
  return fixedSize(field) ?? 0
}

/** Whether a sum is at the limit of its type. It then says nothing about what was added later. @param type of the cells @param sum 8 bytes */
export function isSumAtLimit(type: Datatype, sum: Uint8Array): boolean {
  if (sumType(type) === 'FLOAT64') return !holdsExtremes(type, sum)
  const value = wideNumbersOf('UINT64', sum)[0]
  return value === 2n ** 64n - 1n || value === 2n ** 63n - 1n || value === 2n ** 63n
}

/** The sum of cells. At the limit of its type it ignores the rest. */
function sumOf(
  type: Datatype,
  data: Uint8Array,
  pieces: Iterable<VisitedCells>,
  sum = new SumOf(sumType(type)),
): SumOf {
  sum.saturated = false
  for (const cells of pieces) {
    if (isWide(type)) sum.addWide(uint32LanesOf(data), cells)
    else sum.addNumbers(numbersOf(type === 'CHAR' ? 'INT8' : type, data), cells)
    if (sum.saturated) break
  }
  return sum
}

/** The sum of a tile's cells, slab by slab. At the limit of its type, a sum ignores only the rest of the slab. */
export function slabSum(type: Datatype, { data, validity }: ColumnData, slabs: Slabs): Uint8Array {
  const sum = new SumOf(sumType(type))
  for (const starts of slabs.starts())
    for (const start of starts) {
      const cells = slabPieces(start, slabs.length)
      sumOf(type, data, validity ? markedPieces(cells, validity) : cells, sum)
    }
  return sum.bytes()
}

/** The cells of a slab. */
export function* slabPieces(start: number, length: number): Generator<VisitedCells> {
  for (let from = 0; from < length; from += PIECE_CELLS) {
    const at = new Uint32Array(Math.min(PIECE_CELLS, length - from))
    for (let i = 0; i < at.length; i++) at[i] = start + from + i
    yield { length: at.length, at }
  }
}

/** A list that fills with the minima of tiles, or with their maxima. */
export class ExtremeList {
  private readonly size: number
  private readonly fixed: Uint8Array
  /** The values of a var-sized field. */
  private readonly values: Uint8Array[] | undefined

  /** @param size bytes of a value; 0 for a var-sized field */
  constructor(tileNum: number, size: number) {
    this.size = size
    this.fixed = new Uint8Array(tileNum * size)
    if (size === 0) this.values = new Array<Uint8Array>(tileNum).fill(NO_BYTES)
  }

  set(tile: number, value: Uint8Array): void {
    if (this.values) this.values[tile] = value.slice()
    else this.fixed.set(value, tile * this.size)
  }

  get(tile: number): Uint8Array {
    return this.values?.[tile] ?? this.fixed.subarray(tile * this.size, (tile + 1) * this.size)
  }

  list(): TileMinMax {
    if (!this.values) return { fixed: this.fixed, variable: NO_BYTES }
    const starts = BigUint64Array.from(startsOf(this.values), (start) => BigInt(start))
    return { fixed: new Uint8Array(starts.buffer), variable: concat(this.values) }
  }
}
