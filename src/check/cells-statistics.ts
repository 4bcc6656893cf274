import type { ColumnData } from '../cells/column.ts'
import { DenseCoordinates, type Slabs } from '../cells/dense-coordinates.ts'
import { type Cells, numberOf, numbersOf } from '../cells/elements.ts'
import { extremesOf, isPlainText } from '../cells/extremes.ts'
import { type Loss, lossOf } from '../cells/loss.ts'
import {
  cellSizeOf,
  fragmentStatistics,
  hasMinMax,
  hasSum,
  holdsExtremes,
  type StatisticsField,
  type StatisticsLists,
  TileStatistics,
} from '../cells/tile-statistics.ts'
import { NO_BYTES, sameBytes } from '../filters/bytes.ts'
import { filterOf } from '../filters/registry.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { cellValue } from '../format/value.ts'
import { type Fragment, type FragmentInfo, filePipeline } from '../store/fragment.ts'
import { FINDING_CODES, type FindingCode, type Meaning } from './codes.ts'
import { type Finding, finding, type Item, type Place, quietly } from './finding.ts'
import { BATCHES_FAULT, misreadFault, NAN_EXTREMES, statisticsFault } from './known-faults.ts'
import { isLastAtFirst, writtenStatistics } from './written-statistics.ts'

/** A minimum, a maximum, a sum, or a number of nulls. */
type Which = keyof SlotStatistics
type Value = Uint8Array | number

/** Names of a statistic: its findings, and its list in the metadata. */
const NAMES: Readonly<Record<Which, { tile: FindingCode; fragment: FindingCode; list: string }>> = {
  min: { tile: 'TILE_MIN_MAX', fragment: 'FRAGMENT_MIN_MAX', list: 'tile_min_values' },
  max: { tile: 'TILE_MIN_MAX', fragment: 'FRAGMENT_MIN_MAX', list: 'tile_max_values' },
  sum: { tile: 'TILE_SUM', fragment: 'FRAGMENT_SUM', list: 'tile_sums' },
  null_count: { tile: 'TILE_NULL_COUNT', fragment: 'FRAGMENT_NULL_COUNT', list: 'tile_null_counts' },
}

/** Sums of floats may differ by this relative amount because of the order of addition. */
const FLOAT_TOLERANCE = 1e-9

/**
 * Computes minimum, maximum, sum and null count of each tile of one slot, and of the fragment, and compares them with the
 * stored ones. Missing statistics are ignored, as readers ignore them.
 *
 * @see tiledb/sm/tile/tile_metadata_generator.cc
 */
export class StatisticsCheck {
  private readonly fragment: Fragment
  private readonly info: FragmentInfo
  private readonly slot: number
  private readonly field: StatisticsField
  /** The statistics that the field has. */
  private readonly kinds: readonly Which[]
  /** As stored: of the tiles, empty where there are none, and of the fragment. */
  private readonly lists: StatisticsLists
  private readonly stored: SlotStatistics | undefined
  private readonly counted: TileStatistics
  private readonly coordinates: DenseCoordinates | undefined
  private readonly loss: Loss
  private readonly file: string
  /**
   * For a field whose values an ordered write may have stored at the places of other tiles: the statistics of each tile, by the
   * way of writing.
   */
  private readonly ways: SlotStatistics[][] | undefined
  /** Values of such a field that fit no way of writing their tile. */
  private readonly pending: { place: Place; expected: string; found: string }[] = []
  private complete = true
  /** Whether all cells are exactly as they were written. */
  private exact = true
  private tileNum = 0
  private readonly knownReported = new Set<FindingCode>()
  private evidenceSought = 0

  private constructor(
    fragment: Fragment,
    info: FragmentInfo,
    slot: number,
    lists: StatisticsLists,
    stored: SlotStatistics | undefined,
    file: string,
  ) {
    const { type, cell_val_num, nullable, kind } = info.slots[slot]
    const field = { type, cell_val_num, nullable, dimension: kind === 'dimension' }
    this.fragment = fragment
    this.info = info
    this.slot = slot
    this.field = field
    this.kinds = [
      ...(hasMinMax(field) ? (['min', 'max'] as const) : []),
      ...(hasSum(field) ? (['sum'] as const) : []),
      ...(nullable ? (['null_count'] as const) : []),
    ]
    this.lists = lists
    this.stored = stored
    this.file = file
    this.counted = new TileStatistics(field, info.tile_num)
    this.coordinates = info.dense ? new DenseCoordinates(info) : undefined
    this.loss = lossOf(info, slot)
    const attributes = info.schema.attributes.length
    if (info.dense && cell_val_num === 'var' && hasMinMax(field) && attributes > info.tile_num) this.ways = []
  }

  /** Undefined if the format version or the fragment has no statistics for the slot. */
  static async open(
    fragment: Fragment,
    info: FragmentInfo,
    slot: number,
    file: string,
    stored: readonly SlotStatistics[] | undefined,
  ): Promise<StatisticsCheck | undefined> {
    if (!info.footer?.tile_min_values_offsets) return undefined
    const lists: StatisticsLists = {
      min: (await quietly(() => fragment.tileMinMax('min', slot))) ?? NO_LIST,
      max: (await quietly(() => fragment.tileMinMax('max', slot))) ?? NO_LIST,
      sums: (await quietly(() => fragment.tileSums(slot))) ?? NO_BYTES,
      nullCounts: (await quietly(() => fragment.offsets('tile_null_counts', slot))) ?? new Float64Array(0),
    }
    return new StatisticsCheck(fragment, info, slot, lists, stored?.[slot], file)
  }

  /** Skips a tile whose cells could not be read. The fragment's statistics can then not be checked either. */
  skip(): void {
    this.complete = false
  }

  add(tile: number, column: ColumnData, cells: number, rows: Uint32Array | undefined, items: Item[]): void {
    this.tileNum++
    this.counted.add(tile, column, cells, rows)
    if (this.loss === 'digits' || (this.loss === 'hidden colours' && hasHiddenPixel(column.data))) {
      this.exact = false
      return
    }
    // Computed only once something does not fit.
    let written: readonly SlotStatistics[] | undefined
    for (const which of this.kinds) {
      const found = this.storedOf(which, tile)
      const expected = this.countedOf(which, tile)
      if (found === undefined || this.same(which, expected, found)) continue
      const { tile: code, list } = NAMES[which]
      const place = { file: this.file, offset: this.info.footer?.offset, tile, field: `${list}.${this.name}` }
      written ??= this.writtenStatistics(tile, column, cells)
      const alike = written.some((one) => this.same(which, one[which], found))
      const evidence = (): Evidence => this.evidence(tile, which, expected)
      this.wrong(code, place, this.text(which, expected), this.text(which, found), alike, items, evidence)
    }
    this.reportNaN(tile, column, cells, rows, items)
    if (!this.ways) return
    written ??= this.writtenStatistics(tile, column, cells)
    for (const [way, one] of written.entries()) this.ways[way] = [...(this.ways[way] ?? []), one]
  }

  /** Notes stored extremes that TileDB computed as it does, and that are not those of the cells because of NaN. */
  private reportNaN(
    tile: number,
    column: ColumnData,
    cells: number,
    rows: Uint32Array | undefined,
    items: Item[],
  ): void {
    const { field } = this
    if (!hasMinMax(field) || holdsExtremes(field.type, this.counted.sums.subarray(8 * tile, 8 * tile + 8))) return
    const values = numbersOf(field.type, column.data)
    const numbers = (rows ? [...rows] : Array.from({ length: cells }, (_, i) => i)).filter(
      (i) => column.validity?.[i] !== 0 && !Number.isNaN(values[i]),
    )
    const hasNaN = numbers.length < (rows?.length ?? cells)
    const at = { length: numbers.length, at: Uint32Array.from(numbers) }
    const right = extremesOf(field.type, column.data, undefined, cellSizeOf(field), at)
    if (!hasNaN || !right || numbers.length === 0) return
    for (const which of ['min', 'max'] as const) {
      const found = this.storedOf(which, tile)
      if (found === undefined || this.same(which, right[which], found)) continue
      const place = {
        file: this.file,
        offset: this.info.footer?.offset,
        tile,
        field: `${NAMES[which].list}.${this.name}`,
      }
      this.reportKnown(
        'TILE_MIN_MAX',
        place,
        this.text(which, right[which]),
        this.text(which, found),
        NAN_EXTREMES,
        items,
      )
    }
  }

  /**
   * Checks the fragment's own statistics, after all tiles were added. They follow from the cells, or from the tiles'
   * statistics.
   * @param isPart whether only some of the tiles were added
   * @returns false if all tiles must be added to tell
   */
  finish(items: Item[], isPart: boolean): boolean {
    if (isPart && (!this.complete || this.pending.length > 0)) return false
    if (this.complete) this.finishBatches(items)
    const { stored } = this
    // If a file is missing, no tile was added.
    if (!stored || !this.complete || this.tileNum === 0) return true
    const computed = this.exact && !isPart ? [this.counted.fragment()] : []
    if (this.listsFit) computed.push(this.fragmentOf(this.lists))
    if (computed.length === 0) return !isPart
    const { min, sums, nullCounts } = this.lists
    const hasExtremes = min.fixed.length > 0 && stored.max.length + stored.min.length > 0
    const isThere = { min: hasExtremes, max: hasExtremes, sum: sums.length > 0, null_count: nullCounts.length > 0 }
    for (const which of this.kinds) {
      const found = stored[which]
      if (!isThere[which] || computed.some((one) => this.same(which, one[which], found))) continue
      const offset = this.info.footer?.fragment_min_max_sum_null_count_offset
      const place = { file: this.file, offset, field: `fragment_${which}.${this.name}` }
      const [expected, shown] = [this.text(which, computed[0][which]), this.text(which, found)]
      const alike = (which === 'min' || which === 'max') && this.shiftedExtreme(which, stored[which])
      this.wrong(NAMES[which].fragment, place, expected, shown, alike, items, () => FRAGMENT_EVIDENCE)
    }
    return true
  }

  private get name(): string {
    return this.info.slots[this.slot].name
  }

  /** The statistic of a tile as stored; undefined if there is none. */
  private storedOf(which: Which, tile: number): Value | undefined {
    if (which === 'null_count') return this.lists.nullCounts[tile]
    if (which === 'sum') return entryOf(this.lists.sums, tile, 8)
    const list = this.lists[which]
    if (list.fixed.length === 0) return undefined
    return this.field.cell_val_num === 'var' ? varValue(list, tile) : entryOf(list.fixed, tile, cellSizeOf(this.field))
  }

  /** The statistic of a tile that follows from its cells. */
  private countedOf(which: Which, tile: number): Value {
    if (which === 'null_count') return this.counted.nullCounts[tile]
    if (which === 'sum') return this.counted.sums.subarray(8 * tile, 8 * tile + 8)
    return this.counted.extreme(which, tile) ?? NO_BYTES
  }

  /**
   * The statistics that releases compute for a tile. A dense tile may have been written row by row, column by column, or
   * whole.
   */
  private writtenStatistics(tile: number, column: ColumnData, cells: number): SlotStatistics[] {
    const { dense, cells_per_tile, format_version } = this.info
    const slabs: Slabs[] = [{ starts: Uint32Array.of(0), length: cells }]
    if (this.coordinates) {
      for (const write of ['row-major', 'col-major'] as const) slabs.push(this.coordinates.slabs(tile, write))
    }
    return slabs.flatMap((one) => {
      const written = writtenStatistics(this.field, column, one, format_version)
      if (!this.field.nullable || written.null_count < cells) return [written]
      // A tile of nulls has empty statistics. But in a write in global order, the last one keeps the starting value of its
      // minimum.
      const none = { ...written, min: new Uint8Array(written.min.length), max: new Uint8Array(written.max.length) }
      return dense || cells === cells_per_tile ? [none] : [none, written]
    })
  }

  /**
   * Cells and metadata disagree about a tile; finds out which is wrong, if it can. A checksum proves the cells. The
   * fragment's own statistics were computed from the tiles' when they were written.
   *
   * @param counted the statistic that follows from the cells
   */
  private evidence(tile: number, which: Which, counted: Value): Evidence {
    const checksum = this.checksum
    if (checksum !== undefined)
      return {
        wrong: 'metadata',
        text: `the tile's ${checksum} fits its bytes: the cells are as they were written, the metadata is wrong`,
      }
    const { stored } = this
    if (!stored || !this.listsFit || ++this.evidenceSought > MOST_EVIDENCE) return NO_EVIDENCE
    const fits = (lists: StatisticsLists): boolean => this.same(which, this.fragmentOf(lists)[which], stored[which])
    const asStored = fits(this.lists)
    if (asStored === fits(replaced(this.lists, which, tile, counted, this.field))) return NO_EVIDENCE
    return asStored ? CELLS_CHANGED : METADATA_WRONG
  }

  /** The filter that proves the bytes of the tiles. Tiles with a wrong checksum are reported separately and left out here. */
  private get checksum(): string | undefined {
    const roles = this.field.cell_val_num === 'var' ? (['offsets', 'var'] as const) : (['data'] as const)
    const found = roles.map((role) => {
      const filters = filePipeline(this.info, { slot: this.slot, role }, this.fragment.cx.encrypted)
      return filters.find(({ name }) => filterOf(name)?.tellsDamage)?.name
    })
    return found.every((name) => name !== undefined) ? found[0] : undefined
  }

  /** Fragment statistics that follow from those of the tiles. */
  private fragmentOf(lists: StatisticsLists): SlotStatistics {
    return fragmentStatistics(this.field, lists, this.tilesWithValues())
  }

  /**
   * Whether an extreme of the fragment is what TileDB makes of those of the tiles if they are text of one length. There, a tile
   * of nulls shifts the values after it by one.
   * @see compute_fragment_min_max_sum<char>
   */
  private shiftedExtreme(which: 'min' | 'max', found: Uint8Array): boolean {
    if (!this.listsFit || !isPlainText(this.field) || this.field.cell_val_num === 'var') return false
    const tiles = { length: this.tilesWithValues().length, at: undefined }
    return this.same(which, fragmentStatistics(this.field, this.lists, tiles)[which], found)
  }

  private tilesWithValues(): Cells {
    const { nullCounts } = this.lists
    const { tile_num, cells_per_tile, last_tile_cell_num } = this.info
    if (nullCounts.length === 0 || !this.field.nullable) return { length: tile_num, at: undefined }
    const at: number[] = []
    for (let tile = 0; tile < tile_num; tile++)
      if (nullCounts[tile] !== (tile === tile_num - 1 ? last_tile_cell_num : cells_per_tile)) at.push(tile)
    return { length: at.length, at: Uint32Array.from(at) }
  }

  /** Whether each list has one entry per tile, with values inside it. Other lists are reported separately. */
  private get listsFit(): boolean {
    const { min, max, sums, nullCounts } = this.lists
    const { tile_num } = this.info
    if (hasSum(this.field) && sums.length !== 8 * tile_num) return false
    if (this.field.nullable && nullCounts.length !== tile_num) return false
    if (!hasMinMax(this.field)) return true
    const isVar = this.field.cell_val_num === 'var'
    return [min, max].every((list) => {
      if (list.fixed.length !== tile_num * (isVar ? 8 : cellSizeOf(this.field))) return false
      for (let tile = 0; isVar && tile < tile_num; tile++) if (!varValue(list, tile)) return false
      return true
    })
  }

  /**
   * A known fault is reported once per field, not for each tile.
   *
   * @param alike whether some release stores this value
   */
  private wrong(
    code: FindingCode,
    place: Place,
    expected: string,
    found: string,
    alike: boolean,
    items: Item[],
    evidence: () => Evidence,
  ): void {
    const misread = misreadFault(this.info, this.field)
    if (alike) this.reportKnown(code, place, expected, found, statisticsFault(this.info, this.field, code), items)
    else if (this.ways && code === 'TILE_MIN_MAX') this.pending.push({ place, expected, found })
    else if (misread === undefined) items.push(disagreement(code, place, expected, found, evidence()))
    else items.push(finding(code, place, expected, found, misread))
  }

  private reportKnown(
    code: FindingCode,
    place: Place,
    expected: string,
    found: string,
    known: string | undefined,
    items: Item[],
  ): void {
    if (known === undefined || this.knownReported.has(code)) return
    this.knownReported.add(code)
    items.push(finding(code, place, expected, found, known))
  }

  /** Values that fit no tile. They are a known fault if the lists look as that fault leaves them. */
  private finishBatches(items: Item[]): void {
    if (this.pending.length === 0) return
    const isLeft = (tiles: readonly SlotStatistics[], which: 'min' | 'max'): boolean =>
      isLastAtFirst(
        this.lists[which].variable,
        tiles.map((one) => one[which]),
      )
    const left = this.ways?.some((tiles) => isLeft(tiles, 'min') && isLeft(tiles, 'max'))
    for (const { place, expected, found } of this.pending) {
      if (left) this.reportKnown('TILE_MIN_MAX', place, expected, found, BATCHES_FAULT, items)
      else items.push(disagreement('TILE_MIN_MAX', place, expected, found, NO_EVIDENCE))
    }
  }

  private same(which: Which, a: Value, b: Value): boolean {
    if (typeof a === 'number' || typeof b === 'number') return a === b
    if (which === 'sum' && a.length !== b.length) return a.length === 0
    if (which !== 'sum' && isPlainText(this.field)) return a.length === b.length && sameText(a, b)
    if (datatypeKind(this.field.type) !== 'float' || a.length !== b.length || a.length === 0) return sameBytes(a, b)
    const type = which === 'sum' ? 'FLOAT64' : this.field.type
    const x = numberOf(type, a)
    const y = numberOf(type, b)
    if (x === y || (Number.isNaN(x) && Number.isNaN(y))) return true
    return which === 'sum' && Math.abs(x - y) <= FLOAT_TOLERANCE * Math.max(1, Math.abs(x), Math.abs(y))
  }

  private text(which: Which, value: Value): string {
    if (typeof value === 'number') return String(value)
    if (which !== 'sum') return this.extremeText(value)
    if (value.length < 8) return 'none'
    const view = new DataView(value.buffer, value.byteOffset, 8)
    if (datatypeKind(this.field.type) === 'float') return String(view.getFloat64(0, true))
    return String(hasSignedSum(this.field.type) ? view.getBigInt64(0, true) : view.getBigUint64(0, true))
  }

  /** A number or time as its value; texts, which may be of any bytes, and values of another size as bytes. */
  private extremeText(value: Uint8Array): string {
    const { type, cell_val_num } = this.field
    const isText = ['text', 'bytes'].includes(datatypeKind(type))
    if (isText || cell_val_num !== 1 || value.length !== datatypeSize(type)) return hexOf(value)
    return String(cellValue(type, 1, value, { raw: false }))
  }
}

/** Entry of a list of values of one size; undefined if the list is shorter. */
function entryOf(list: Uint8Array, tile: number, size: number): Uint8Array | undefined {
  return list.length >= (tile + 1) * size ? list.subarray(tile * size, (tile + 1) * size) : undefined
}

/** Bytes of a pixel with transparency. The transparency is the last byte. */
const PIXEL = 4

/** Whether a pixel is wholly transparent: lossless WebP does not keep its colour. */
function hasHiddenPixel(data: Uint8Array): boolean {
  for (let at = PIXEL - 1; at < data.length; at += PIXEL) if (data[at] === 0) return true
  return false
}

function hasSignedSum(type: Datatype): boolean {
  const kind = datatypeKind(type)
  return kind !== 'uint' && kind !== 'bool'
}

/** For at most this many tiles per field the wrong side is looked for, as each search visits all tiles. */
const MOST_EVIDENCE = 100

/** Which of cells and metadata is wrong, if that can be told, and in words. */
interface Evidence {
  wrong?: Finding['wrong']
  text: string
}

const NO_EVIDENCE: Evidence = { text: 'nothing else shows whether the cells or the metadata are wrong' }
const FRAGMENT_EVIDENCE: Evidence = {
  text: 'a tile whose own statistics do not fit is a finding, too; if there is none, this value is wrong',
}
const CELLS_CHANGED: Evidence = {
  wrong: 'cells',
  text: "the fragment's own statistics fit the metadata: the cells were changed since they were written",
}
const METADATA_WRONG: Evidence = {
  wrong: 'metadata',
  text: "the fragment's own statistics fit the cells: the value in the metadata is wrong",
}

/** Cells and metadata that disagree; either may be right. */
function disagreement(
  code: FindingCode,
  place: Place,
  counted: string,
  stored: string,
  { wrong, text }: Evidence,
): Finding {
  const [severity, meaning] = FINDING_CODES[code]
  const known: Meaning = [severity, `${meaning}; ${text}`]
  const found = `${counted} by the cells, ${stored} in the metadata`
  return { ...finding(code, place, 'cells and metadata that agree', found, known), wrong }
}

/** The lists, with one tile's value replaced by that of its cells; unchanged if values differ in length. */
function replaced(
  lists: StatisticsLists,
  which: Which,
  tile: number,
  counted: Value,
  { cell_val_num }: StatisticsField,
): StatisticsLists {
  if (typeof counted === 'number') return { ...lists, nullCounts: lists.nullCounts.with(tile, counted) }
  if (which === 'sum') return { ...lists, sums: withBytes(lists.sums, tile, counted) }
  if (which === 'null_count' || cell_val_num === 'var') return lists
  return { ...lists, [which]: { ...lists[which], fixed: withBytes(lists[which].fixed, tile, counted) } }
}

function withBytes(list: Uint8Array, tile: number, value: Uint8Array): Uint8Array {
  const out = list.slice()
  if ((tile + 1) * value.length <= out.length) out.set(value, tile * value.length)
  return out
}

const NO_LIST: TileMinMax = { fixed: NO_BYTES, variable: NO_BYTES }

/** The value of a tile in a var-sized list; undefined if it does not lie in the list. */
function varValue({ fixed, variable }: TileMinMax, tile: number): Uint8Array | undefined {
  if (fixed.length < (tile + 1) * 8) return undefined
  const view = new DataView(fixed.buffer, fixed.byteOffset, fixed.byteLength)
  const from = Number(view.getBigUint64(tile * 8, true))
  const to = fixed.length < (tile + 2) * 8 ? variable.length : Number(view.getBigUint64(tile * 8 + 8, true))
  return from <= to && to <= variable.length ? variable.subarray(from, to) : undefined
}

/** Whether `strncmp` calls them equal; it stops at a zero byte. */
function sameText(a: Uint8Array, b: Uint8Array): boolean {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false
    if (a[i] === 0) return true
  }
  return true
}

const SHOWN_BYTES = 16

function hexOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'no bytes'
  let text = ''
  for (const byte of bytes.subarray(0, SHOWN_BYTES)) text += byte.toString(16).padStart(2, '0')
  return `bytes ${text}${bytes.length > SHOWN_BYTES ? `… (${bytes.length})` : ''}`
}
