import type { ColumnData } from '../cells/column.ts'
import { DenseCoordinates, type Slabs } from '../cells/dense-coordinates.ts'
import { type Cells, numbersOf } from '../cells/elements.ts'
import { isPlainText } from '../cells/extremes.ts'
import {
  fragmentStatistics,
  hasMinMax,
  hasSum,
  type StatisticsField,
  TileStatistics,
} from '../cells/tile-statistics.ts'
import { NO_BYTES } from '../filters/bytes.ts'
import { filterOf } from '../filters/registry.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { type Fragment, type FragmentInfo, filePipeline } from '../store/fragment.ts'
import { FINDING_CODES, type FindingCode, type Meaning } from './codes.ts'
import { attempt, type Finding, finding, type Item, type Place } from './finding.ts'
import { BATCHES_FAULT, type Loss, lossOf, misreadFault, statisticsFault } from './known-faults.ts'
import { isLastAtFirst, type WrittenStatistics, writtenStatistics } from './written-statistics.ts'

/** Statistics of one slot as stored in the fragment metadata. */
interface Stored {
  min: TileMinMax | undefined
  max: TileMinMax | undefined
  sums: Uint8Array | undefined
  nullCounts: Float64Array | undefined
  fragment: SlotStatistics | undefined
}

/** A field whose values an ordered write may have stored at the places of other tiles. */
interface Batched {
  /** For each tile, the statistics that each way of writing gives. */
  ways: Map<number, WrittenStatistics[]>
  /** Values that fit no way of writing their tile. */
  pending: { place: Place; expected: string | number; found: string | number }[]
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
  private readonly field: StatisticsField
  private readonly info: FragmentInfo
  private readonly slot: number
  private readonly stored: Stored
  private readonly counted: TileStatistics
  private readonly coordinates: DenseCoordinates | undefined
  private readonly loss: Loss
  private readonly file: string
  private readonly batched: Batched | undefined
  private complete = true
  /** Whether all cells are exactly as they were written. */
  private exact = true
  private tileNum = 0
  private readonly knownReported = new Set<FindingCode>()
  private readonly encrypted: boolean
  private evidenceSought = 0

  private constructor(
    { cx }: Fragment,
    info: FragmentInfo,
    slot: number,
    field: StatisticsField,
    stored: Stored,
    file: string,
  ) {
    this.encrypted = cx.encrypted
    this.info = info
    this.slot = slot
    this.field = field
    this.stored = stored
    this.file = file
    this.counted = new TileStatistics(field, info.tile_num)
    this.coordinates = info.dense ? new DenseCoordinates(info) : undefined
    this.loss = lossOf(info, slot)
    const attributes = info.schema.attributes.length
    if (info.dense && field.cell_val_num === 'var' && hasMinMax(field) && attributes > info.tile_num)
      this.batched = { ways: new Map(), pending: [] }
  }

  /** Undefined if the format version or the fragment has no statistics for the slot. */
  static async open(
    fragment: Fragment,
    info: FragmentInfo,
    slot: number,
    file: string,
    fragmentStatistics: readonly SlotStatistics[] | undefined,
  ): Promise<StatisticsCheck | undefined> {
    if (!info.footer?.tile_min_values_offsets) return undefined
    const { kind } = info.slots[slot]
    const field: StatisticsField = {
      ...typeOf(info, slot),
      nullable: info.slots[slot].nullable,
      dimension: kind === 'dimension',
    }
    // The check of the lists reports what cannot be read.
    const quietly = <T>(work: () => Promise<T>) => attempt<T>([], 'SECTION_UNREADABLE', { file }, work)
    const stored: Stored = {
      min: await quietly(() => fragment.tileMinMax('min', slot)),
      max: await quietly(() => fragment.tileMinMax('max', slot)),
      sums: await quietly(() => fragment.tileSums(slot)),
      nullCounts: await quietly(() => fragment.offsets('tile_null_counts', slot)),
      fragment: fragmentStatistics?.[slot],
    }
    return new StatisticsCheck(fragment, info, slot, field, stored, file)
  }

  /** Skips a tile whose cells could not be read. The fragment's statistics can then not be checked either. */
  skip(): void {
    this.complete = false
  }

  add(tile: number, column: ColumnData, cells: number, rows: Uint32Array | undefined, items: Item[]): void {
    this.tileNum++
    this.counted.add(tile, column, cells, rows)
    if (this.isLossy(column.data)) {
      this.exact = false
      return
    }
    const place = this.place(tile)
    // Computed only once something does not fit.
    let written: readonly WrittenStatistics[] | undefined
    const fits = (test: (one: WrittenStatistics) => boolean): boolean => {
      written ??= this.writtenStatistics(tile, column, cells)
      return written.some(test)
    }
    if (hasMinMax(this.field)) {
      for (const which of ['min', 'max'] as const) {
        const found = this.tileExtreme(which, tile)
        const expected = this.counted.extreme(which, tile) ?? NO_BYTES
        if (!found || this.sameValue(expected, found)) continue
        const at = { ...place, field: `tile_${which}_values.${this.name}` }
        const alike = fits((one) => this.sameValue(one[which], found))
        const evidence = (): string => this.evidence(tile, which, expected)
        this.wrong('TILE_MIN_MAX', at, hexOf(expected), hexOf(found), alike, items, evidence)
      }
    }
    const sum = this.tileSum(tile)
    const counted = this.counted.sums.subarray(8 * tile, 8 * tile + 8)
    if (sum && !this.sameSum(counted, sum)) {
      const at = { ...place, field: `tile_sums.${this.name}` }
      const alike = fits((one) => this.sameSum(one.sum, sum))
      const evidence = (): string => this.evidence(tile, 'sum', counted)
      this.wrong('TILE_SUM', at, this.sumText(counted), this.sumText(sum), alike, items, evidence)
    }
    const nulls = this.tileNulls(tile)
    const expected = this.counted.nullCounts[tile]
    if (nulls !== undefined && expected !== nulls) {
      const at = { ...place, field: `tile_null_counts.${this.name}` }
      this.wrong(
        'TILE_NULL_COUNT',
        at,
        expected,
        nulls,
        fits((one) => one.null_count === nulls),
        items,
        () => this.evidence(tile, 'null_count', expected),
      )
    }
    if (this.batched) this.keepForBatches(tile, column, cells, written)
  }

  /**
   * Checks the fragment's own statistics, after all tiles were added. They follow from the cells, or from the tiles'
   * statistics.
   */
  finish(items: Item[]): void {
    if (this.complete) this.finishBatches(items)
    const { fragment } = this.stored
    // If a file is missing, no tile was added.
    if (!fragment || !this.complete || this.tileNum === 0) return
    const worked = [...(this.exact ? [this.counted.fragment()] : []), ...this.ofTiles()]
    const faulty = this.ofTilesBefore()
    if (worked.length === 0) return
    const place: Place = { file: this.file, offset: this.info.footer?.fragment_min_max_sum_null_count_offset }
    const field = (name: string): Place => ({ ...place, field: `fragment_${name}.${this.name}` })
    if (hasMinMax(this.field) && this.hasTileExtremes && fragment.max.length + fragment.min.length > 0) {
      for (const which of ['min', 'max'] as const) {
        const found = fragment[which]
        if (worked.some((one) => this.sameValue(one[which], found))) continue
        const alike = faulty !== undefined && this.sameValue(faulty[which], found)
        this.wrong('FRAGMENT_MIN_MAX', field(which), hexOf(worked[0][which]), hexOf(found), alike, items)
      }
    }
    if (hasSum(this.field) && (this.stored.sums?.length ?? 0) > 0) {
      if (!worked.some((one) => this.sameSum(one.sum, fragment.sum))) {
        const [expected, found] = [this.sumText(worked[0].sum), this.sumText(fragment.sum)]
        this.wrong('FRAGMENT_SUM', field('sum'), expected, found, false, items)
      }
    }
    if (this.field.nullable && (this.stored.nullCounts?.length ?? 0) > 0) {
      if (!worked.some((one) => one.null_count === fragment.null_count)) {
        const at = field('null_count')
        this.wrong('FRAGMENT_NULL_COUNT', at, worked[0].null_count, fragment.null_count, false, items)
      }
    }
  }

  /**
   * The statistics that releases compute for a tile. A dense tile may have been written row by row, column by column, or
   * whole.
   */
  private writtenStatistics(tile: number, column: ColumnData, cells: number): WrittenStatistics[] {
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
  private evidence(tile: number, which: keyof SlotStatistics, counted: Uint8Array | number): string {
    const checksum = this.checksum
    if (checksum !== undefined)
      return `the tile's ${checksum} fits its bytes: the cells are as they were written, the metadata is wrong`
    const { fragment } = this.stored
    if (!fragment || !this.listsFit || ++this.evidenceSought > MOST_EVIDENCE) return NO_EVIDENCE
    const fits = (one: SlotStatistics): boolean => this.sameStatistic(which, one[which], fragment[which])
    const before = this.fragmentOf(this.stored)
    const after = this.fragmentOf(replaced(this.stored, which, tile, counted, this.field))
    const [asStored, asCounted] = [before !== undefined && fits(before), after !== undefined && fits(after)]
    if (asStored === asCounted) return NO_EVIDENCE
    return asStored
      ? "the fragment's own statistics fit the metadata: the cells were changed since they were written"
      : "the fragment's own statistics fit the cells: the value in the metadata is wrong"
  }

  private sameStatistic(which: keyof SlotStatistics, a: Uint8Array | number, b: Uint8Array | number): boolean {
    if (typeof a === 'number' || typeof b === 'number') return a === b
    return which === 'sum' ? this.sameSum(a, b) : this.sameValue(a, b)
  }

  /** The filter that proves the bytes of the tiles. Tiles with a wrong checksum are reported separately and left out here. */
  private get checksum(): string | undefined {
    const roles = this.field.cell_val_num === 'var' ? (['offsets', 'var'] as const) : (['data'] as const)
    const found = roles.map((role) => {
      const filters = filePipeline(this.info, { slot: this.slot, role }, this.encrypted)
      return filters.find(({ name }) => filterOf(name)?.tellsDamage)?.name
    })
    return found.every((name) => name !== undefined) ? found[0] : undefined
  }

  private fragmentOf(stored: Stored): SlotStatistics | undefined {
    const { min, max, sums, nullCounts } = stored
    const lists = {
      min: min ?? NO_LIST,
      max: max ?? NO_LIST,
      sums: sums ?? NO_BYTES,
      nullCounts: nullCounts ?? NO_COUNTS,
    }
    return fragmentStatistics(this.field, lists, this.tilesWithValues())
  }

  /** Fragment statistics that follow from the stored statistics of the tiles. */
  private ofTiles(): SlotStatistics[] {
    const { min, max, sums, nullCounts } = this.stored
    const lists = {
      min: min ?? NO_LIST,
      max: max ?? NO_LIST,
      sums: sums ?? NO_BYTES,
      nullCounts: nullCounts ?? NO_COUNTS,
    }
    const tiles = this.tilesWithValues()
    return this.listsFit ? [fragmentStatistics(this.field, lists, tiles)] : []
  }

  /**
   * {@link ofTiles} for text of one length. There, a tile of nulls shifts the values after it by one.
   * @see compute_fragment_min_max_sum<char>
   */
  private ofTilesBefore(): SlotStatistics | undefined {
    const { min, max } = this.stored
    if (!this.listsFit || !isPlainText(this.field) || this.field.cell_val_num === 'var') return undefined
    const lists = { min: min ?? NO_LIST, max: max ?? NO_LIST, sums: NO_BYTES, nullCounts: NO_COUNTS }
    return fragmentStatistics(this.field, lists, { length: this.tilesWithValues().length, at: undefined })
  }

  private tilesWithValues(): Cells {
    const { nullCounts } = this.stored
    if (!nullCounts || !this.field.nullable) return { length: this.info.tile_num, at: undefined }
    const { tile_num, cells_per_tile, last_tile_cell_num } = this.info
    const at: number[] = []
    for (let tile = 0; tile < tile_num; tile++)
      if (nullCounts[tile] !== (tile === tile_num - 1 ? last_tile_cell_num : cells_per_tile)) at.push(tile)
    return { length: at.length, at: Uint32Array.from(at) }
  }

  /** Whether each list has one entry per tile, with values inside it. Other lists are reported separately. */
  private get listsFit(): boolean {
    const { min, max, sums, nullCounts } = this.stored
    const { tile_num } = this.info
    if (hasSum(this.field) && sums?.length !== 8 * tile_num) return false
    if (this.field.nullable && nullCounts?.length !== tile_num) return false
    if (!hasMinMax(this.field)) return true
    return [min, max].every((list) => {
      if (!list || list.fixed.length !== tile_num * this.fixedSize) return false
      if (this.field.cell_val_num !== 'var') return true
      for (let tile = 0; tile < tile_num; tile++) if (!varValue(list, tile)) return false
      return true
    })
  }

  private get fixedSize(): number {
    const { type, cell_val_num } = this.field
    return cell_val_num === 'var' ? 8 : datatypeSize(type) * cell_val_num
  }

  private isLossy(data: Uint8Array): boolean {
    return this.loss === 'digits' || (this.loss === 'hidden colours' && hasHiddenPixel(data))
  }

  private get name(): string {
    return this.info.slots[this.slot].name
  }

  private get hasTileExtremes(): boolean {
    return (this.stored.min?.fixed.length ?? 0) > 0
  }

  private place(tile: number): Place {
    return { file: this.file, offset: this.info.footer?.offset, tile }
  }

  /**
   * A known fault is reported once per field, not for each tile.
   *
   * @param alike whether some release stores this value
   */
  private wrong(
    code: FindingCode,
    place: Place,
    expected: string | number,
    found: string | number,
    alike: boolean,
    items: Item[],
    evidence: () => string = () => FRAGMENT_EVIDENCE,
  ): void {
    if (!alike) {
      if (this.batched && code === 'TILE_MIN_MAX') this.batched.pending.push({ place, expected, found })
      else {
        const misread = misreadFault(this.info, this.field)
        if (misread === undefined) items.push(disagreement(code, place, expected, found, evidence()))
        else items.push(finding(code, place, expected, found, misread))
      }
      return
    }
    const known = statisticsFault(this.info, this.field, code)
    if (known !== undefined) this.reportKnown(code, place, expected, found, known, items)
  }

  private reportKnown(
    code: FindingCode,
    place: Place,
    expected: string | number,
    found: string | number,
    known: string,
    items: Item[],
  ): void {
    if (this.knownReported.has(code)) return
    this.knownReported.add(code)
    items.push(finding(code, place, expected, found, known))
  }

  /** Keeps minima and maxima of each way of writing until all tiles are there. */
  private keepForBatches(
    tile: number,
    column: ColumnData,
    cells: number,
    written: readonly WrittenStatistics[] = this.writtenStatistics(tile, column, cells),
  ): void {
    written.forEach((one, way) => {
      this.batched?.ways.set(way, [...(this.batched.ways.get(way) ?? []), one])
    })
  }

  /** Values that fit no tile. They are a known fault if the lists look as that fault leaves them. */
  private finishBatches(items: Item[]): void {
    const { batched } = this
    if (!batched || batched.pending.length === 0) return
    const { min, max } = this.stored
    const left = [...batched.ways.values()].some(
      (tiles) =>
        min !== undefined &&
        max !== undefined &&
        isLastAtFirst(
          min.variable,
          tiles.map((one) => one.min),
        ) &&
        isLastAtFirst(
          max.variable,
          tiles.map((one) => one.max),
        ),
    )
    for (const { place, expected, found } of batched.pending) {
      if (left) this.reportKnown('TILE_MIN_MAX', place, expected, found, BATCHES_FAULT, items)
      else items.push(disagreement('TILE_MIN_MAX', place, expected, found, NO_EVIDENCE))
    }
  }

  private tileExtreme(which: 'min' | 'max', tile: number): Uint8Array | undefined {
    const list = this.stored[which]
    if (!list || list.fixed.length === 0) return undefined
    if (this.field.cell_val_num === 'var') return varValue(list, tile)
    const size = this.fixedSize
    return list.fixed.length >= (tile + 1) * size ? list.fixed.subarray(tile * size, (tile + 1) * size) : undefined
  }

  private tileSum(tile: number): Uint8Array | undefined {
    const { sums } = this.stored
    return hasSum(this.field) && sums && sums.length >= 8 * (tile + 1)
      ? sums.subarray(8 * tile, 8 * tile + 8)
      : undefined
  }

  private tileNulls(tile: number): number | undefined {
    return this.field.nullable ? this.stored.nullCounts?.[tile] : undefined
  }

  private sameValue(a: Uint8Array, b: Uint8Array): boolean {
    const { type } = this.field
    if (isPlainText(this.field)) return a.length === b.length && sameText(a, b)
    if (datatypeKind(type) === 'float' && a.length === b.length && a.length > 0) {
      const [x] = numbersOf(type, a)
      const [y] = numbersOf(type, b)
      return x === y || (Number.isNaN(x) && Number.isNaN(y))
    }
    return isSame(a, b)
  }

  private sameSum(a: Uint8Array, b: Uint8Array): boolean {
    if (a.length !== b.length) return a.length === 0
    if (datatypeKind(this.field.type) !== 'float') return isSame(a, b)
    const [x] = numbersOf('FLOAT64', a)
    const [y] = numbersOf('FLOAT64', b)
    if (x === y || (Number.isNaN(x) && Number.isNaN(y))) return true
    return Math.abs(x - y) <= FLOAT_TOLERANCE * Math.max(1, Math.abs(x), Math.abs(y))
  }

  private sumText(bytes: Uint8Array): string {
    if (bytes.length < 8) return 'none'
    const view = new DataView(bytes.buffer, bytes.byteOffset, 8)
    const kind = datatypeKind(this.field.type)
    if (kind === 'float') return String(view.getFloat64(0, true))
    return String(hasSignedSum(this.field.type) ? view.getBigInt64(0, true) : view.getBigUint64(0, true))
  }
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
const NO_EVIDENCE = 'nothing else tells whether the cells or the metadata are wrong'
const FRAGMENT_EVIDENCE =
  'a tile whose own statistics do not fit is a finding, too; if there is none, this value is wrong'

/** Cells and metadata that disagree; either may be right. @param evidence which of them is wrong, in words */
function disagreement(
  code: FindingCode,
  place: Place,
  counted: string | number,
  stored: string | number,
  evidence: string,
): Finding {
  const [severity, meaning] = FINDING_CODES[code]
  const known: Meaning = [severity, `${meaning}; ${evidence}`]
  return finding(
    code,
    place,
    'cells and metadata that agree',
    `${counted} by the cells, ${stored} in the metadata`,
    known,
  )
}

/** The statistics, with one tile's value replaced by that of its cells; unchanged if values differ in length. */
function replaced(
  stored: Stored,
  which: keyof SlotStatistics,
  tile: number,
  counted: Uint8Array | number,
  { cell_val_num }: StatisticsField,
): Stored {
  if (typeof counted === 'number') {
    const nullCounts = stored.nullCounts?.slice()
    if (nullCounts) nullCounts[tile] = counted
    return { ...stored, nullCounts }
  }
  if (which === 'sum') return { ...stored, sums: withBytes(stored.sums, tile, counted) }
  if (which === 'null_count' || cell_val_num === 'var') return stored
  const list = stored[which]
  return { ...stored, [which]: list && { ...list, fixed: withBytes(list.fixed, tile, counted) ?? list.fixed } }
}

function withBytes(list: Uint8Array | undefined, tile: number, value: Uint8Array): Uint8Array | undefined {
  const out = list?.slice()
  if (out && (tile + 1) * value.length <= out.length) out.set(value, tile * value.length)
  return out
}

const NO_LIST: TileMinMax = { fixed: NO_BYTES, variable: NO_BYTES }
const NO_COUNTS = new Float64Array(0)

/** The value of a tile in a var-sized list; undefined if it does not lie in the list. */
function varValue({ fixed, variable }: TileMinMax, tile: number): Uint8Array | undefined {
  if (fixed.length < (tile + 1) * 8) return undefined
  const view = new DataView(fixed.buffer, fixed.byteOffset, fixed.byteLength)
  const from = Number(view.getBigUint64(tile * 8, true))
  const to = fixed.length < (tile + 2) * 8 ? variable.length : Number(view.getBigUint64(tile * 8 + 8, true))
  return from <= to && to <= variable.length ? variable.subarray(from, to) : undefined
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

function typeOf(info: FragmentInfo, slot: number): Pick<StatisticsField, 'type' | 'cell_val_num'> {
  const { type, cell_val_num } = info.slots[slot]
  return { type, cell_val_num }
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
