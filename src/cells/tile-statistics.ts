import { NO_BYTES } from '../filters/bytes.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import { type Datatype, datatypeKind, datatypeSize, isSignedInteger } from '../format/datatype.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import type { ColumnData } from './column.ts'
import type { Slabs } from './dense-coordinates.ts'
import { type Cells, isWide, lanesOf, numbersOf } from './elements.ts'
import { numberExtremes, SumOf, wideExtremes } from './number-statistics.ts'
import { type ByteRange, fixedTextExtremes, varTextExtremes } from './text-extremes.ts'

/** The properties of a field that decide which statistics it has. */
export interface StatisticsField {
  type: Datatype
  cell_val_num: CellValNum
  nullable: boolean
  /** Dimensions have an R-tree in place of minima and maxima. */
  dimension: boolean
}

/** @see tiledb/sm/tile/tile_metadata_generator.cc, has_min_max_metadata */
export function hasMinMax({ type, cell_val_num, dimension }: StatisticsField): boolean {
  if (dimension) return false
  if (isPlainText({ type })) return true
  const kind = datatypeKind(type)
  return cell_val_num === 1 && kind !== 'text' && kind !== 'bytes'
}

/** @see tiledb/sm/tile/tile_metadata_generator.cc, has_sum_metadata */
export function hasSum({ type, cell_val_num }: Pick<StatisticsField, 'type' | 'cell_val_num'>): boolean {
  if (cell_val_num !== 1) return false
  const kind = datatypeKind(type)
  return type === 'CHAR' || (kind !== 'text' && kind !== 'bytes')
}

/**
 * Minima, maxima, sums and null counts of one field, collected tile by tile as in TileDB, and then for the fragment. Nulls
 * and padding are ignored. A tile of nulls has zero bytes as minimum and maximum.
 *
 * @see tiledb/sm/tile/tile_metadata_generator.cc; FragmentMetadata::compute_fragment_min_max_sum_null_count
 */
export class TileStatistics {
  private readonly field: StatisticsField
  private readonly tileNum: number
  private readonly cellSize: number
  private readonly nulls: Float64Array
  /** One byte per tile: 0 if all its cells are null. */
  private readonly known: Uint8Array
  private readonly min: ExtremeList | undefined
  private readonly max: ExtremeList | undefined
  private readonly tileSums: Uint8Array

  constructor(field: StatisticsField, tileNum: number) {
    this.field = field
    this.tileNum = tileNum
    const { type, cell_val_num } = field
    const varSized = cell_val_num === 'var'
    this.cellSize = varSized ? 0 : datatypeSize(type) * cell_val_num
    this.nulls = new Float64Array(field.nullable ? tileNum : 0)
    this.known = new Uint8Array(tileNum).fill(1)
    if (hasMinMax(field)) {
      this.min = varSized ? new VarExtremes(tileNum) : new FixedExtremes(tileNum, this.cellSize)
      this.max = varSized ? new VarExtremes(tileNum) : new FixedExtremes(tileNum, this.cellSize)
    }
    this.tileSums = new Uint8Array(hasSum(field) ? 8 * tileNum : 0)
  }

  /**
   * @param visit positions of the cells that count, in TileDB's order; undefined for all
   * @param slabs of a dense tile, called if the sum depends on them
   */
  add(tile: number, cells: ColumnData, cellNum: number, visit: Uint32Array | undefined, slabs?: () => Slabs): void {
    const { validity } = cells
    const counted = withoutNulls(visit, validity, cellNum)
    if (validity) {
      this.nulls[tile] = (visit?.length ?? cellNum) - counted.length
      if (this.nulls[tile] === cellNum) this.known[tile] = 0
    }
    if (this.known[tile] === 0) return
    this.addExtremes(tile, cells, counted)
    if (this.tileSums.length > 0) {
      const sum = sumOf(this.field.type, cells.data, counted)
      const bytes = sum.saturated && slabs ? slabSum(this.field.type, cells, slabs()) : sum.bytes()
      this.tileSums.set(bytes, 8 * tile)
    }
  }

  private addExtremes(tile: number, cells: ColumnData, counted: Cells): void {
    if (!this.min || !this.max) return
    const { data, starts } = cells
    if (starts) {
      const found = varTextExtremes(data, starts, counted)
      if (!found) return
      this.min.set(tile, data, found.min)
      this.max.set(tile, data, found.max)
      return
    }
    const { min, max } = fixedExtremes(this.field, data, this.cellSize, counted)
    this.min.set(tile, min.bytes, min.range)
    this.max.set(tile, max.bytes, max.range)
  }

  /** Minimum or maximum of one tile; undefined if the field has none. */
  extreme(which: 'min' | 'max', tile: number): Uint8Array | undefined {
    return this[which]?.get(tile)
  }

  minima(): TileMinMax {
    return this.min?.list() ?? NO_MIN_MAX
  }

  maxima(): TileMinMax {
    return this.max?.list() ?? NO_MIN_MAX
  }

  sums(): Uint8Array {
    return this.tileSums
  }

  nullCounts(): Float64Array {
    return this.nulls
  }

  fragment(): SlotStatistics {
    const lists = { min: this.minima(), max: this.maxima(), sums: this.tileSums, nullCounts: this.nulls }
    return fragmentStatistics(this.field, lists, withoutNulls(undefined, this.known, this.tileNum))
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
 * @param tiles that are not all null
 * @see FragmentMetadata::compute_fragment_min_max_sum_null_count
 */
export function fragmentStatistics(field: StatisticsField, lists: StatisticsLists, tiles: Cells): SlotStatistics {
  const { sums, nullCounts } = lists
  let null_count = 0
  for (const nulls of nullCounts) null_count += nulls
  // TileDB stores sums of characters for tiles, but computes none for the fragment.
  const hasSums = sums.length > 0 && hasSum(field) && field.type !== 'CHAR'
  const sum = hasSums ? sumOf(sumType(field.type), sums, tiles).bytes() : new Uint8Array(8)
  const [min, max] = (['min', 'max'] as const).map((which) => fragmentExtreme(field, lists, which, tiles))
  return { min, max, sum, null_count }
}

function fragmentExtreme(
  field: StatisticsField,
  lists: StatisticsLists,
  which: 'min' | 'max',
  tiles: Cells,
): Uint8Array {
  if (!hasMinMax(field)) return NO_BYTES
  const { fixed, variable } = lists[which]
  if (field.cell_val_num === 'var') {
    const found = varTextExtremes(variable, startsOf(fixed, variable.length), tiles)?.[which]
    return found ? variable.slice(found.from, found.to) : NO_BYTES
  }
  if (isPlainText(field) && tiles.length === 0) return NO_BYTES
  const { bytes, range } = fixedExtremes(field, fixed, datatypeSize(field.type) * field.cell_val_num, tiles)[which]
  return bytes.slice(range.from, range.to)
}

/** Starts of var-sized values (uint64, bytes) as numbers, and the end of the last value. */
export function startsOf(fixed: Uint8Array, end: number): Float64Array {
  const lanes = lanesOf(fixed)
  const starts = new Float64Array(fixed.length / 8 + 1)
  for (let i = 0; i < starts.length - 1; i++) starts[i] = lanes[2 * i + 1] * 2 ** 32 + lanes[2 * i]
  starts[starts.length - 1] = end
  return starts
}

/** Text that TileDB compares. It stores minima and maxima of any length for it. */
export function isPlainText({ type }: Pick<StatisticsField, 'type'>): boolean {
  return type === 'CHAR' || type === 'STRING_ASCII'
}

const NO_MIN_MAX: TileMinMax = { fixed: NO_BYTES, variable: NO_BYTES }

export function withoutNulls(visit: Uint32Array | undefined, validity: Uint8Array | undefined, cellNum: number): Cells {
  if (!validity) return { length: visit?.length ?? cellNum, at: visit }
  const total = visit?.length ?? cellNum
  const at = new Uint32Array(total)
  let length = 0
  for (let i = 0; i < total; i++) {
    const cell = visit ? visit[i] : i
    if (validity[cell] !== 0) at[length++] = cell
  }
  return { length, at: at.subarray(0, length) }
}

export interface Found {
  bytes: Uint8Array
  range: ByteRange
}

export function fixedExtremes(
  { type }: Pick<StatisticsField, 'type'>,
  data: Uint8Array,
  cellSize: number,
  cells: Cells,
): { min: Found; max: Found } {
  if (isPlainText({ type })) {
    const found = fixedTextExtremes(data, cellSize, cells)
    if (!found) return { min: zeros(cellSize), max: zeros(cellSize) }
    return { min: { bytes: data, range: found.min }, max: { bytes: data, range: found.max } }
  }
  const { min, max } = isWide(type)
    ? wideExtremes(lanesOf(data), isSignedInteger(type), cells)
    : numberExtremes(numbersOf(type, data), type, cells)
  return { min: numberFound(min, data, cellSize), max: numberFound(max, data, cellSize) }
}

function zeros(size: number): Found {
  return { bytes: new Uint8Array(size), range: { from: 0, to: size } }
}

/** The value at a position, or the bytes of the type's limit if no cell replaced it. */
function numberFound(found: number | Uint8Array, data: Uint8Array, size: number): Found {
  if (typeof found !== 'number') return { bytes: found, range: { from: 0, to: size } }
  return { bytes: data, range: { from: found * size, to: (found + 1) * size } }
}

/** The type in which a type's values are summed. */
export function sumType(type: Datatype): Datatype {
  const kind = datatypeKind(type)
  return kind === 'float' ? 'FLOAT64' : kind === 'uint' || kind === 'bool' ? 'UINT64' : 'INT64'
}

function sumOf(type: Datatype, data: Uint8Array, cells: Cells, sum = new SumOf(sumType(type))): SumOf {
  if (isWide(type)) sum.addWide(lanesOf(data), cells)
  else sum.addNumbers(numbersOf(type === 'CHAR' ? 'INT8' : type, data), cells)
  return sum
}

/** The sum of a tile's cells, slab by slab. A sum that reaches the limit ignores only the rest of its slab. */
export function slabSum(type: Datatype, { data, validity }: ColumnData, { starts, length }: Slabs): Uint8Array {
  const sum = new SumOf(sumType(type))
  for (const start of starts) {
    const cells = Uint32Array.from({ length }, (_, i) => start + i)
    sumOf(type, data, withoutNulls(cells, validity, length), sum)
  }
  return sum.bytes()
}

interface ExtremeList {
  set(tile: number, bytes: Uint8Array, range: ByteRange): void
  get(tile: number): Uint8Array
  list(): TileMinMax
}

class FixedExtremes implements ExtremeList {
  private readonly fixed: Uint8Array
  private readonly size: number

  constructor(tileNum: number, size: number) {
    this.fixed = new Uint8Array(tileNum * size)
    this.size = size
  }

  set(tile: number, bytes: Uint8Array, { from, to }: ByteRange): void {
    this.fixed.set(bytes.subarray(from, to), tile * this.size)
  }

  get(tile: number): Uint8Array {
    return this.fixed.subarray(tile * this.size, (tile + 1) * this.size)
  }

  list(): TileMinMax {
    return { fixed: this.fixed, variable: NO_BYTES }
  }
}

class VarExtremes implements ExtremeList {
  private readonly values: Uint8Array[]

  constructor(tileNum: number) {
    this.values = new Array<Uint8Array>(tileNum).fill(NO_BYTES)
  }

  set(tile: number, bytes: Uint8Array, { from, to }: ByteRange): void {
    this.values[tile] = bytes.slice(from, to)
  }

  get(tile: number): Uint8Array {
    return this.values[tile]
  }

  list(): TileMinMax {
    const offsets = new BigUint64Array(this.values.length)
    const variable = new Uint8Array(this.values.reduce((sum, value) => sum + value.length, 0))
    let start = 0
    this.values.forEach((value, i) => {
      offsets[i] = BigInt(start)
      variable.set(value, start)
      start += value.length
    })
    return { fixed: new Uint8Array(offsets.buffer), variable }
  }
}
