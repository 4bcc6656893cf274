import { NO_BYTES } from '../base/bytes.ts'
import { allRows, type ColumnData } from '../cells/column.ts'
import { DenseCoordinates, type Slabs } from '../cells/dense-coordinates.ts'
import {
  allCells,
  cellNumOf,
  markedPieces,
  type Numbers,
  numberOf,
  numbersOf,
  type VisitedCells,
} from '../cells/elements.ts'
import { extremesOf, isPlainText } from '../cells/extremes.ts'
import { lossOf, roundingAt, roundingOf, type ValueLoss } from '../cells/loss.ts'
import { tileCellNum } from '../cells/tile-places.ts'
import {
  cellSizeOf,
  entryAt,
  extremeAt,
  fragmentStatistics,
  hasMinMax,
  hasSum,
  holdsExtremes,
  isSumAtLimit,
  type StatisticsField,
  type StatisticsLists,
  TileStatistics,
} from '../cells/tile-statistics.ts'
import { hex, sameBytes } from '../filters/bytes.ts'
import { type LazyKernels, loadKernels } from '../filters/kernels/kernels.ts'
import { filterOf } from '../filters/registry.ts'
import type { FloatScale } from '../filters/scale-float.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import { leafLevel, mbrAt, type RTreeLevel } from '../format/rtree.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { cellValue, sumType } from '../format/value.ts'
import { type Fragment, type FragmentInfo, filePipeline } from '../objects/fragment.ts'
import { lostByScale, type WrittenBounds } from './cells-rounded.ts'
import { type ChangedCell, changedCell, MAX_SEARCHED_CELLS } from './changed-cell.ts'
import type { KnownFault } from './codes/known.ts'
import type { FindingCode } from './codes.ts'
import { type Finding, type FindingPlace, finding, type Item, quietly } from './finding.ts'
import { statisticsFault, validityFault } from './known-faults.ts'
import { isLastAtFirst, isSumOfTwoCalls, writtenStatistics } from './written-statistics.ts'

/** A minimum, a maximum, a sum, or a number of nulls. */
type Which = keyof SlotStatistics
type Value = Uint8Array | number

/** Codes of the findings about a statistic, and the name of its list in the metadata. */
const NAMES: Readonly<Record<Which, { tile: FindingCode; fragment: FindingCode; list: string }>> = {
  min: { tile: 'TILE_MIN_MAX', fragment: 'FRAGMENT_MIN_MAX', list: 'tile_min_values' },
  max: { tile: 'TILE_MIN_MAX', fragment: 'FRAGMENT_MIN_MAX', list: 'tile_max_values' },
  sum: { tile: 'TILE_SUM', fragment: 'FRAGMENT_SUM', list: 'tile_sums' },
  null_count: { tile: 'TILE_NULL_COUNT', fragment: 'FRAGMENT_NULL_COUNT', list: 'tile_null_counts' },
}

/**
 * Twice the unit roundoff of FLOAT64, and a little more. Each addition of a sum errs by at most the unit roundoff of a partial sum. No
 * partial sum is larger than the sum of the magnitudes. The order of addition is unknown, so two sums of the same `n` floats may differ
 * by this, times `n`, times the sum of their magnitudes.
 * @see Higham, Accuracy and Stability of Numerical Algorithms, section 4.2
 */
const SUM_ROUNDING = 2.02 * 2 ** -53

/** From this number of cells on, loading the kernels is worth it. */
const MANY_CELLS = 1 << 17

/** A stored statistic that differs from the computed one, as texts. */
interface WrongStatistic {
  code: FindingCode
  place: FindingPlace
  expected: string
  found: string
}

/** What a check of statistics compares cells with, and where it is. */
interface StatisticsSources {
  fragment: Fragment
  lists: StatisticsLists
  stored: SlotStatistics | undefined
  file: string
  boxes: RTreeLevel | undefined
  kernels: LazyKernels | undefined
}

/** The cells of a tile of one slot. */
interface CheckedTile {
  tile: number
  column: ColumnData
  cells: number
  /** Returns the cells that count; undefined if all do. */
  rows: (() => Iterable<VisitedCells>) | undefined
}

/**
 * Computes minimum, maximum, sum and null count of each tile of one slot, and of the fragment, and compares them with the
 * stored ones. Ignores missing statistics, as readers do.
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
  /** Stored statistics of the tiles; empty if there are none. */
  private readonly lists: StatisticsLists
  /** Stored statistics of the fragment. */
  private readonly stored: SlotStatistics | undefined
  private readonly counted: TileStatistics
  private readonly coordinates: DenseCoordinates | undefined
  private readonly loss: ValueLoss
  /** The scale by which filters rounded the values; undefined if they did not. */
  private readonly scale: FloatScale | undefined
  /** Boxes of the tiles, for a dimension whose coordinates were rounded. */
  private readonly boxes: RTreeLevel | undefined
  /** Returns the place of the last tile in its data file. */
  private dataPlace: (() => FindingPlace) | undefined
  /** The last tile with a finding that a filter lost cells. */
  private lostTile: number | undefined
  /** The largest absolute value in the tile, as it was written. Only for rounded values. */
  private largest = 0
  private readonly file: string
  /**
   * Statistics of each tile, for each possible order in which the cells were written. Only for a field whose values TileDB may
   * have stored for the wrong tiles (`batchesSwapped`).
   */
  private readonly ways: SlotStatistics[][] | undefined
  /** Values of such a field that fit none of these statistics. */
  private readonly pending: WrongStatistic[] = []
  /** The last tile. */
  private last: CheckedTile | undefined
  /** How much sums of the last tile may differ by the order of addition; undefined until a sum differs. */
  private bound: number | undefined
  /** Sum of these bounds. */
  private boundOfTiles = 0
  /** Whether the cells of all tiles so far could be read. */
  private complete = true
  /** Whether filters kept the exact cells that were written. */
  private exact = true
  private tileNum = 0
  private readonly knownReported = new Set<FindingCode>()
  private evidenceSought = 0

  private constructor(
    info: FragmentInfo,
    slot: number,
    { fragment, lists, stored, file, boxes, kernels }: StatisticsSources,
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
    this.counted = new TileStatistics(field, info.tile_num, kernels)
    this.coordinates = info.dense ? new DenseCoordinates(info) : undefined
    this.loss = lossOf(info, slot)
    this.scale = roundingOf(info, slot)
    this.boxes = boxes?.mbr_num === info.tile_num ? boxes : undefined
    const attributes = info.schema.attributes.length
    if (info.dense && cell_val_num === 'var' && hasMinMax(field) && attributes > info.tile_num) this.ways = []
  }

  /** Opens the check. Undefined if the format version has no statistics of tiles, or the number of tiles is uncertain. */
  static async open(
    fragment: Fragment,
    info: FragmentInfo,
    slot: number,
    file: string,
    stored: readonly SlotStatistics[] | undefined,
  ): Promise<StatisticsCheck | undefined> {
    if (!info.footer?.tile_min_values_offsets) return undefined
    // The number of tiles is trusted only if each has an offset.
    const offsets = await quietly(() => fragment.offsets('tile_offsets', slot))
    if (!offsets || offsets.length < info.tile_num) return undefined
    const lists: StatisticsLists = {
      min: (await quietly(() => fragment.tileMinMax('min', slot))) ?? NO_LIST,
      max: (await quietly(() => fragment.tileMinMax('max', slot))) ?? NO_LIST,
      sums: (await quietly(() => fragment.tileSums(slot))) ?? NO_BYTES,
      nullCounts: (await quietly(() => fragment.offsets('tile_null_counts', slot))) ?? new Float64Array(0),
    }
    const needsBoxes = info.slots[slot].kind === 'dimension' && lossOf(info, slot) !== 'none'
    const rtree = needsBoxes ? await quietly(() => fragment.rtree()) : undefined
    const boxes = rtree && leafLevel(rtree)
    const kernels = info.tile_num * info.cells_per_tile < MANY_CELLS ? undefined : await loadKernels()
    return new StatisticsCheck(info, slot, { fragment, lists, stored: stored?.[slot], file, boxes, kernels })
  }

  /** Called for a tile whose cells could not be read. The fragment's statistics cannot be checked then. */
  skip(): void {
    this.complete = false
  }

  /** @param placeOf returns the place of the tile in its data file */
  add(checked: CheckedTile, placeOf: () => FindingPlace, items: Item[]): void {
    const { tile, column, cells, rows } = checked
    this.tileNum++
    this.dataPlace = placeOf
    this.counted.add(tile, column, cells, rows)
    this.last = checked
    this.bound = undefined
    const isRounded = this.loss === 'digits'
    if (isRounded || (this.loss === 'hidden colours' && hasHiddenPixel(column.data))) this.exact = false
    const kinds = isRounded || this.exact ? this.comparable(checked, placeOf, items) : []
    // Computed only if something does not fit.
    let written: readonly SlotStatistics[] | undefined
    for (const which of kinds) {
      const found = this.storedOf(which, tile)
      const expected = this.countedOf(which, tile)
      if (found === undefined || this.fits(which, expected, found, cells)) continue
      const { tile: code } = NAMES[which]
      const place = this.placeOf(which, tile)
      written ??= this.writtenStatistics(tile, column, cells)
      const alike =
        written.some((one) => this.fits(which, one[which], found, cells)) ||
        (which === 'sum' && found instanceof Uint8Array && isSumOfTwoCalls(this.field.type, column, cells, found))
      const evidence = (): Evidence => this.evidence(checked, which, expected)
      const wrong = { code, place, expected: this.text(which, expected), found: this.text(which, found) }
      this.report(wrong, alike, evidence, items)
    }
    this.boundOfTiles += this.bound ?? 0
    if (!this.exact) return
    this.reportNaN(checked, items)
    if (!this.ways) return
    written ??= this.writtenStatistics(tile, column, cells)
    for (const [way, one] of written.entries()) this.ways[way] = [...(this.ways[way] ?? []), one]
  }

  /** The statistics of a tile that can be compared with its cells, after filters may have changed these. */
  private comparable(
    { tile, column, cells, rows }: CheckedTile,
    placeOf: () => FindingPlace,
    items: Item[],
  ): readonly Which[] {
    if (this.loss !== 'digits') return this.kinds
    const nulls = this.kinds.filter((which) => which === 'null_count')
    if (!this.scale) return nulls
    const bounds = this.writtenBounds(tile)
    if (!bounds) return nulls
    const counted = positionsOf(rows, cells).filter((cell) => column.validity?.[cell] !== 0)
    if (counted.length === 0) return this.kinds
    this.largest = Math.max(Math.abs(bounds.min), Math.abs(bounds.max))
    const field = { type: this.field.type, scale: this.scale }
    const lost = lostByScale(field, column, counted, bounds, { ...placeOf(), field: this.name })
    if (lost) items.push(lost)
    return lost || !bounds.holdAll ? nulls : this.kinds
  }

  /** {@link WrittenBounds} of a tile; undefined if the metadata does not tell them. */
  private writtenBounds(tile: number): WrittenBounds | undefined {
    const { type } = this.field
    const box = this.boxes && mbrAt(this.boxes, tile, this.info.schema.domain.dimensions)
    const range = box?.[this.info.slots[this.slot].index]
    const [min, max] = range ? [range.min, range.max] : (['min', 'max'] as const).map((one) => this.storedOf(one, tile))
    const sum = this.storedOf('sum', tile)
    if (!(min instanceof Uint8Array && max instanceof Uint8Array && sum instanceof Uint8Array)) return undefined
    return {
      min: numberOf(type, min),
      max: numberOf(type, max),
      holdAll: holdsExtremes(type, sum),
      hasNaN: Number.isNaN(numberOf('FLOAT64', sum)),
    }
  }

  /** Reports stored extremes that are as TileDB computes them, but are not those of the cells, because of NaN. */
  private reportNaN({ tile, column, cells, rows }: CheckedTile, items: Item[]): void {
    const { field } = this
    if (!hasMinMax(field) || holdsExtremes(field.type, this.counted.sums.subarray(8 * tile, 8 * tile + 8))) return
    const values = numbersOf(field.type, column.data)
    const visited = positionsOf(rows, cells)
    const at = visited.filter((i) => column.validity?.[i] !== 0 && !Number.isNaN(values[i]))
    if (at.length === visited.length || at.length === 0) return
    const right = extremesOf(field.type, column.data, undefined, cellSizeOf(field), [{ length: at.length, at }])
    if (!right) return
    for (const which of ['min', 'max'] as const) {
      const found = this.storedOf(which, tile)
      if (found === undefined || this.isSame(which, right[which], found)) continue
      const [expected, shown] = [this.text(which, right[which]), this.text(which, found)]
      const wrong = { code: 'TILE_MIN_MAX', place: this.placeOf(which, tile), expected, found: shown } as const
      this.reportKnown(wrong, 'nanExtremes', items)
    }
  }

  /**
   * Checks the fragment's own statistics after the last tile. They must follow from the cells, or from the statistics of the
   * tiles.
   * @param isPart whether only some of the tiles were added
   * @returns false if the result is unknown until all tiles are added
   */
  finish(items: Item[], isPart: boolean): boolean {
    if (isPart && (!this.complete || this.pending.length > 0)) return false
    if (this.complete) this.finishBatches(items)
    const { stored } = this
    // No tile was added if a file is missing.
    if (!stored || !this.complete || this.tileNum === 0) return true
    const computed: { values: SlotStatistics; bound: number }[] = []
    if (this.exact && !isPart)
      computed.push({ values: this.counted.fragment(), bound: this.boundOfTiles + this.boundOf(this.counted) })
    if (this.listsFit) computed.push({ values: this.fragmentOf(this.lists), bound: this.boundOf(this.lists) })
    if (computed.length === 0) return !isPart
    const { min, sums, nullCounts } = this.lists
    const hasExtremes = min.fixed.length > 0 && stored.max.length + stored.min.length > 0
    const isThere = { min: hasExtremes, max: hasExtremes, sum: sums.length > 0, null_count: nullCounts.length > 0 }
    for (const which of this.kinds) {
      const found = stored[which]
      if (!isThere[which] || computed.some((one) => this.isSame(which, one.values[which], found, () => one.bound)))
        continue
      const offset = this.info.footer?.fragment_min_max_sum_null_count_offset
      const place = { file: this.file, offset, field: `fragment_${which}.${this.name}` }
      const [expected, shown] = [this.text(which, computed[0].values[which]), this.text(which, found)]
      const alike = (which === 'min' || which === 'max') && this.shiftedExtreme(which, stored[which])
      const wrong = { code: NAMES[which].fragment, place, expected, found: shown }
      this.report(wrong, alike, () => FRAGMENT_EVIDENCE, items)
    }
    return true
  }

  private get name(): string {
    return this.info.slots[this.slot].name
  }

  /** Place of a tile's statistic in the metadata. */
  private placeOf(which: Which, tile: number): FindingPlace {
    const offset = this.info.footer?.offset
    return { file: this.file, offset, tile, field: `${NAMES[which].list}.${this.name}` }
  }

  /** The statistic of a tile as stored; undefined if there is none. */
  private storedOf(which: Which, tile: number): Value | undefined {
    if (which === 'null_count') return this.lists.nullCounts[tile]
    if (which === 'sum') return entryAt(this.lists.sums, tile, 8)
    const list = this.lists[which]
    if (list.fixed.length === 0) return undefined
    return extremeAt(list, tile, this.field)
  }

  /** The statistic of a tile, computed from its cells. */
  private countedOf(which: Which, tile: number): Value {
    if (which === 'null_count') return this.counted.nullCounts[tile]
    if (which === 'sum') return this.counted.sums.subarray(8 * tile, 8 * tile + 8)
    return this.counted.extreme(which, tile) ?? NO_BYTES
  }

  /**
   * The statistics that TileDB releases may have computed for a tile. A dense tile may have been written whole, row by row, or
   * column by column.
   */
  private writtenStatistics(tile: number, column: ColumnData, cells: number): SlotStatistics[] {
    const { dense, cells_per_tile, format_version } = this.info
    const slabs: Slabs[] = [{ num: 1, starts: () => [Uint32Array.of(0)], length: cells }]
    if (this.coordinates) {
      for (const write of ['row-major', 'col-major'] as const) slabs.push(this.coordinates.slabs(tile, write))
    }
    return slabs.flatMap((one) => {
      const written = writtenStatistics(this.field, column, one, format_version)
      if (!this.field.nullable || written.null_count < cells) return [written]
      // A tile of nulls has empty statistics. But the last tile of a write in global order keeps the initial value of its
      // minimum.
      const none = { ...written, min: new Uint8Array(written.min.length), max: new Uint8Array(written.max.length) }
      return dense || cells === cells_per_tile ? [none] : [none, written]
    })
  }

  /**
   * Finds out whether the cells or the metadata of a tile are wrong, if possible. A checksum proves what the filters before it made of the
   * cells. TileDB computed the fragment's own statistics from the tiles' when it wrote them. A minimum or maximum and the sum of a tile
   * stand in different sections: that both do not fit, or only one, tells the side, too.
   *
   * @param counted the statistic that was computed from the cells
   */
  private evidence(checked: CheckedTile, which: Which, counted: Value): Evidence {
    const { tile, cells } = checked
    const checksum = this.checksum
    const mayHaveLost = this.hasFaultyFilter
    if (checksum !== undefined && !mayHaveLost)
      return {
        wrong: 'metadata',
        text: `the tile's ${checksum} fits its bytes: the cells are as they were written, the metadata is wrong`,
      }
    const { stored } = this
    if (!stored || !this.listsFit || ++this.evidenceSought > MAX_EVIDENCE) return NO_EVIDENCE
    const others = this.others(tile, which, cells)
    const fits = (lists: StatisticsLists): boolean =>
      this.isSame(which, this.fragmentOf(lists)[which], stored[which], () => this.boundOf(lists))
    const asStored = fits(this.lists)
    const isFound = asStored !== fits(replaced(this.lists, which, tile, counted, this.field))
    if (checksum !== undefined && asStored && (isFound || others === 'differ')) return LOST_BY_FILTER
    const own = asStored ? CELLS_CHANGED : METADATA_WRONG
    const found = isFound ? own : others && OTHERS[others]
    if (found?.wrong !== 'cells') return found ?? NO_EVIDENCE
    if (mayHaveLost)
      return {
        ...found,
        text: `${found.text}, or a filter lost them when it wrote: DOUBLE_DELTA of older releases may`,
      }
    const changed = others === 'differ' ? this.changedCell(checked) : undefined
    if (!changed) return found
    const about = changed.isExact ? '' : 'about '
    const was = `cell ${changed.cell} of tile ${tile} of ${this.name} was ${about}${shownNumber(this.field.type, changed.was)}`
    return { ...found, cell: changed.cell, changed: was, text: `${found.text}. One cell explains it: ${was}` }
  }

  /** The cell whose change alone explains that neither the sum of a tile nor its minimum or maximum fits its cells. */
  private changedCell({ tile, column, cells, rows }: CheckedTile): ChangedCell | undefined {
    if (cells > MAX_SEARCHED_CELLS) return undefined
    const [min, max, sum] = (['min', 'max', 'sum'] as const).map((which) => this.storedOf(which, tile))
    if (this.scale || !(min instanceof Uint8Array && max instanceof Uint8Array && sum instanceof Uint8Array))
      return undefined
    const counted = positionsOf(rows, cells).filter((cell) => column.validity?.[cell] !== 0)
    return changedCell(this.field.type, { column, counted }, { min, max, sum }, this.tileBound())
  }

  private tileBound(): number {
    this.bound ??= this.last ? sumBound(this.field.type, this.last) : 0
    return this.bound
  }

  /** How much the sum of the fragment may differ by the order in which the sums of its tiles were added. */
  private boundOf({ sums }: Pick<StatisticsLists, 'sums'>): number {
    if (sums.length === 0 || sumType(this.field.type) !== 'FLOAT64') return 0
    return boundOf(numbersOf('FLOAT64', sums), allCells(sums.length >>> 3))
  }

  /** Whether the other statistics of a tile fit its cells; undefined if that tells nothing about this one. */
  private others(tile: number, which: Which, cells: number): 'fit' | 'differ' | undefined {
    if (which === 'null_count') return undefined
    const fits = (other: Which): boolean => {
      const stored = this.storedOf(other, tile)
      return stored !== undefined && this.fits(other, this.countedOf(other, tile), stored, cells)
    }
    if (which === 'sum') return hasMinMax(this.field) && !(fits('min') && fits('max')) ? 'differ' : undefined
    const sum = this.counted.sums.subarray(8 * tile, 8 * tile + 8)
    if (!hasSum(this.field) || isSumAtLimit(this.field.type, sum)) return undefined
    if (!fits('sum')) return 'differ'
    // The sum of rounded values is not exact.
    return this.scale ? undefined : 'fit'
  }

  /** The filter whose checksum proves the bytes of the tiles. Tiles with a wrong checksum are never added. */
  private get checksum(): string | undefined {
    const found = this.valueFiles().map((filters) => filters.find(({ name }) => filterOf(name)?.tellsDamage)?.name)
    return found.every((name) => name !== undefined) ? found[0] : undefined
  }

  /** Whether releases of the fragment's time had a fault in a filter before the checksum: the checksum then proves what the fault left. */
  private get hasFaultyFilter(): boolean {
    const { format_version } = this.info
    return this.valueFiles().some((filters) => {
      const checksum = filters.findIndex(({ name }) => filterOf(name)?.tellsDamage)
      return filters
        .slice(0, checksum < 0 ? filters.length : checksum)
        .some((filter) => filterOf(filter.name)?.mayLose?.(this.field.type, filter, format_version))
    })
  }

  /** The filters of the files that hold the values. */
  private valueFiles(): (readonly FilterConfig[])[] {
    const roles = this.field.cell_val_num === 'var' ? (['offsets', 'var'] as const) : (['data'] as const)
    return roles.map((role) => filePipeline(this.info, { slot: this.slot, role }, this.fragment.cx.encrypted))
  }

  /** The statistics of the fragment, computed from those of the tiles. */
  private fragmentOf(lists: StatisticsLists): SlotStatistics {
    return fragmentStatistics(this.field, lists, this.tilesWithValues())
  }

  /**
   * Whether TileDB computes this extreme of the fragment for text of fixed length. There, a tile of nulls makes it take the
   * values after it from the wrong tiles.
   * @see compute_fragment_min_max_sum<char>
   */
  private shiftedExtreme(which: 'min' | 'max', found: Uint8Array): boolean {
    if (!this.listsFit || !isPlainText(this.field) || this.field.cell_val_num === 'var') return false
    const tiles = allCells(cellNumOf(this.tilesWithValues()))
    return this.isSame(which, fragmentStatistics(this.field, this.lists, tiles)[which], found)
  }

  /** The tiles that are not all null. */
  private tilesWithValues(): VisitedCells[] {
    const { nullCounts } = this.lists
    const { tile_num } = this.info
    if (nullCounts.length === 0 || !this.field.nullable) return allCells(tile_num)
    const at = allRows(tile_num).filter((tile) => nullCounts[tile] !== tileCellNum(this.info, tile))
    return [{ length: at.length, at }]
  }

  /** Whether each list has one valid entry for each tile. Another check reports lists that have not. */
  private get listsFit(): boolean {
    const { min, max, sums, nullCounts } = this.lists
    const { tile_num } = this.info
    if (hasSum(this.field) && sums.length !== 8 * tile_num) return false
    if (this.field.nullable && nullCounts.length !== tile_num) return false
    if (!hasMinMax(this.field)) return true
    const isVar = this.field.cell_val_num === 'var'
    return [min, max].every((list) => {
      if (list.fixed.length !== tile_num * (isVar ? 8 : cellSizeOf(this.field))) return false
      for (let tile = 0; isVar && tile < tile_num; tile++) if (!extremeAt(list, tile, this.field)) return false
      return true
    })
  }

  /**
   * Reports a stored value that differs from the computed one.
   *
   * @param alike whether some release stores this value
   */
  private report(wrong: WrongStatistic, alike: boolean, evidence: () => Evidence, items: Item[]): void {
    const { code, place, expected, found } = wrong
    const misread = validityFault(this.info, this.field)
    if (alike) this.reportKnown(wrong, statisticsFault(this.info, this.field, code), items)
    else if (this.ways && code === 'TILE_MIN_MAX') this.pending.push(wrong)
    else if (misread !== undefined) items.push(finding(code, place, expected, found, misread))
    else this.reportDisagreement(wrong, evidence(), items)
  }

  private reportDisagreement(wrong: WrongStatistic, evidence: Evidence, items: Item[]): void {
    const { code, place, expected, found } = wrong
    if (!evidence.isLost) items.push(disagreement(code, place, expected, found, evidence))
    else if (this.lostTile !== place.tile) {
      this.lostTile = place.tile
      const at = { ...(this.dataPlace?.() ?? place), field: this.name }
      items.push(finding('CELL_LOST', at, `${found}, as ${place.field} says`, expected, 'doubleDelta'))
    }
  }

  /** Reports a known fault once per field, not for each tile. */
  private reportKnown(wrong: WrongStatistic, known: KnownFault | undefined, items: Item[]): void {
    const { code, place, expected, found } = wrong
    if (known === undefined || this.knownReported.has(code)) return
    this.knownReported.add(code)
    items.push(finding(code, place, expected, found, known))
  }

  /** Reports the pending values. They are a known fault if the lists look as that fault leaves them. */
  private finishBatches(items: Item[]): void {
    if (this.pending.length === 0) return
    const isLeft = (tiles: readonly SlotStatistics[], which: 'min' | 'max'): boolean =>
      isLastAtFirst(
        this.lists[which].variable,
        tiles.map((one) => one[which]),
      )
    const left = this.ways?.some((tiles) => isLeft(tiles, 'min') && isLeft(tiles, 'max'))
    for (const wrong of this.pending) {
      const { code, place, expected, found } = wrong
      if (left) this.reportKnown(wrong, 'batchesSwapped', items)
      else items.push(disagreement(code, place, expected, found, NO_EVIDENCE))
    }
  }

  /** Whether a statistic of the cells fits a stored one, which may be from before the cells were rounded. @param cells of the tile */
  private fits(which: Which, counted: Value, stored: Value, cells: number): boolean {
    if (this.isSame(which, counted, stored)) return true
    const { scale } = this
    if (!scale || typeof counted === 'number' || typeof stored === 'number') return false
    const type = which === 'sum' ? 'FLOAT64' : this.field.type
    if (counted.length !== datatypeSize(type) || stored.length !== counted.length) return false
    const [a, b] = [numberOf(type, counted), numberOf(type, stored)]
    if (which !== 'sum') return Math.abs(a - b) <= roundingAt(b, scale)
    return Math.abs(a - b) <= cells * roundingAt(this.largest, scale) + this.tileBound()
  }

  /** @param bound returns how much two sums of floats may differ */
  private isSame(which: Which, a: Value, b: Value, bound = (): number => this.tileBound()): boolean {
    if (typeof a === 'number' || typeof b === 'number') return a === b
    if (which === 'sum' && a.length !== b.length) return a.length === 0
    if (which !== 'sum' && isPlainText(this.field)) return a.length === b.length && sameText(a, b)
    if (datatypeKind(this.field.type) !== 'float' || a.length !== b.length || a.length === 0) return sameBytes(a, b)
    const type = which === 'sum' ? 'FLOAT64' : this.field.type
    const x = numberOf(type, a)
    const y = numberOf(type, b)
    if (x === y || (Number.isNaN(x) && Number.isNaN(y))) return true
    return which === 'sum' && Math.abs(x - y) <= bound()
  }

  private text(which: Which, value: Value): string {
    if (typeof value === 'number') return String(value)
    if (which !== 'sum') return this.extremeText(value)
    if (value.length < 8) return 'none'
    return String(cellValue(sumType(this.field.type), 1, value.subarray(0, 8), { raw: false }))
  }

  /** Shows a number or a time as its value. Shows texts, which may have any bytes, and values of a wrong size as bytes. */
  private extremeText(value: Uint8Array): string {
    const { type, cell_val_num } = this.field
    const isText = ['text', 'bytes'].includes(datatypeKind(type))
    if (isText || cell_val_num !== 1 || value.length !== datatypeSize(type)) return hexOf(value)
    return String(cellValue(type, 1, value, { raw: false }))
  }
}

/** Bytes of a pixel with transparency, which is the last byte. */
const PIXEL = 4

/** Whether any pixel is wholly transparent: lossless WebP does not keep its colour. */
function hasHiddenPixel(data: Uint8Array): boolean {
  for (let at = PIXEL - 1; at < data.length; at += PIXEL) if (data[at] === 0) return true
  return false
}

/** Most searches for the wrong side per field. Each search visits all tiles. */
const MAX_EVIDENCE = 100

/** Whether the cells or the metadata are wrong, if known, and how that is known. */
interface Evidence {
  wrong?: Finding['wrong']
  /** Whether a filter lost the cells when they were written. */
  isLost?: boolean
  /** Index in the tile of the one cell that was changed, if it is known. */
  cell?: number
  /** That cell and its value before, in words. */
  changed?: string
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
/** What the other statistics of a tile show about one that does not fit. */
const OTHERS: Readonly<Record<'fit' | 'differ', Evidence>> = {
  differ: {
    wrong: 'cells',
    text: 'the sum of the tile and its minimum or maximum both contradict the cells: the cells were changed since they were written',
  },
  fit: {
    wrong: 'metadata',
    text: 'the sum of the tile fits the cells: the value in the metadata is wrong',
  },
}
const LOST_BY_FILTER: Evidence = { isLost: true, text: '' }
const METADATA_WRONG: Evidence = {
  wrong: 'metadata',
  text: "the fragment's own statistics fit the cells: the value in the metadata is wrong",
}

/** The finding about cells and metadata that disagree. */
function disagreement(
  code: FindingCode,
  place: FindingPlace,
  counted: string,
  stored: string,
  { wrong, cell, changed, text }: Evidence,
): Finding {
  const found = `${counted} by the cells, ${stored} in the metadata`
  const made = finding(code, { ...place, cell }, 'cells and metadata that agree', found)
  return { ...made, meaning: `${made.meaning}; ${text}`, wrong, changed, statistic: { counted, stored } }
}

/** The lists, with the statistic of one tile replaced by the computed one. Lists of var-sized values stay as they are. */
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

/** Whether two texts of the same length are equal up to their first zero byte, as `strncmp` compares them. */
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
  const text = hex(bytes.subarray(0, SHOWN_BYTES))
  return `bytes ${text}${bytes.length > SHOWN_BYTES ? `… (${bytes.length})` : ''}`
}

/** How much sums of a tile's cells may differ by the order of addition. Only sums of floats do. */
function sumBound(type: Datatype, { column, cells, rows }: CheckedTile): number {
  if (sumType(type) !== 'FLOAT64') return 0
  const { data, validity } = column
  const all = rows?.() ?? allCells(cells)
  return boundOf(numbersOf(type, data), validity ? markedPieces(all, validity) : all)
}

function boundOf(values: Numbers, pieces: Iterable<VisitedCells>): number {
  let [magnitude, cells] = [0, 0]
  for (const { length, at } of pieces) {
    cells += length
    for (let i = 0; i < length; i++) magnitude += Math.abs(values[at ? at[i] : i])
  }
  return SUM_ROUNDING * cells * magnitude
}

/** A number as cells of its type are shown. */
function shownNumber(type: Datatype, value: number | bigint): string {
  const size = datatypeSize(type)
  let bytes = new Uint8Array(typeof value === 'bigint' ? BigInt64Array.of(value).buffer : Float64Array.of(value).buffer)
  if (typeof value === 'number' && size === 4) bytes = new Uint8Array(Float32Array.of(value).buffer)
  return String(cellValue(type, 1, bytes.subarray(0, size), { raw: false }))
}

/** The positions of cells. @param rows returns them in pieces; undefined for all @param cells number of all */
function positionsOf(rows: CheckedTile['rows'], cells: number): Uint32Array {
  if (!rows) return allRows(cells)
  const out = new Uint32Array(cellNumOf(rows()))
  let end = 0
  for (const { length, at } of rows()) {
    out.set(at ?? allRows(length), end)
    end += length
  }
  return out
}
