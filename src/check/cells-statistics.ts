import type { ColumnData } from '../cells/column.ts'
import { slotType } from '../cells/slot-type.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { type Fragment, type FragmentInfo, filePipeline, slotShape } from '../fragment.ts'
import { lanesOf, numbersOf } from '../write/elements.ts'
import { hasMinMax, hasSum, type StatisticsField, TileStatistics } from '../write/tile-statistics.ts'
import type { FindingCode } from './codes.ts'
import { attempt, finding, type Item, type Place } from './finding.ts'
import { statisticsFault } from './known-faults.ts'

/** Statistics as the fragment metadata holds them, for one slot. */
interface Stored {
  min: TileMinMax | undefined
  max: TileMinMax | undefined
  sums: Uint8Array | undefined
  nullCounts: Float64Array | undefined
  fragment: SlotStatistics | undefined
}

/** Relative difference of sums of floats that the order of adding explains. */
const FLOAT_TOLERANCE = 1e-9

/**
 * Minimum, maximum, sum and null count of each tile of one slot and of the fragment, worked out again and compared.
 * Statistics that are not there are passed over: readers do so, too.
 *
 * @see tiledb/sm/tile/tile_metadata_generator.cc
 */
export class StatisticsCheck {
  private readonly field: StatisticsField
  private readonly info: FragmentInfo
  private readonly slot: number
  private readonly stored: Stored
  private readonly counted: TileStatistics
  /** Dense tiles with padding: writes in global order count it. */
  private readonly whole: TileStatistics | undefined
  private readonly file: string
  private complete = true
  private tileNum = 0
  private readonly knownTold = new Set<FindingCode>()
  private readonly cellsOf: Uint32Array

  private constructor(info: FragmentInfo, slot: number, field: StatisticsField, stored: Stored, file: string) {
    this.info = info
    this.slot = slot
    this.field = field
    this.stored = stored
    this.file = file
    this.counted = new TileStatistics(field, info.tile_num)
    this.whole = info.dense ? new TileStatistics(field, info.tile_num) : undefined
    this.cellsOf = new Uint32Array(field.nullable ? info.tile_num : 0)
  }

  /** Undefined where the version or the fragment has none for the slot. */
  static async open(
    fragment: Fragment,
    info: FragmentInfo,
    slot: number,
    file: string,
    fragmentStatistics: readonly SlotStatistics[] | undefined,
  ): Promise<StatisticsCheck | undefined> {
    if (!info.footer?.tile_min_values_offsets || isLossy(info, slot)) return undefined
    const { kind } = info.slots[slot]
    const field: StatisticsField = {
      ...typeOf(info, slot),
      nullable: slotShape(info, info.slots[slot]).nullable,
      dimension: kind === 'dimension',
    }
    // What cannot be read is told with the lists.
    const quietly = <T>(work: () => Promise<T>) => attempt<T>([], 'SECTION_UNREADABLE', { file }, work)
    const stored: Stored = {
      min: await quietly(() => fragment.tileMinMax('min', slot)),
      max: await quietly(() => fragment.tileMinMax('max', slot)),
      sums: await quietly(() => fragment.tileSums(slot)),
      nullCounts: await quietly(() => fragment.offsets('tile_null_counts', slot)),
      fragment: fragmentStatistics?.[slot],
    }
    return new StatisticsCheck(info, slot, field, stored, file)
  }

  /** A tile whose cells could not be read: nothing can be said of it, nor of the fragment. */
  skip(): void {
    this.complete = false
  }

  add(tile: number, column: ColumnData, cells: number, rows: Uint32Array | undefined, items: Item[]): void {
    this.tileNum++
    this.counted.add(tile, column, cells, rows)
    if (rows) this.whole?.add(tile, column, cells, undefined)
    else this.whole?.add(tile, column, cells, rows)
    if (this.field.nullable) this.cellsOf[tile] = rows?.length ?? cells
    const both = rows && this.whole ? [this.counted, this.whole] : [this.counted]
    const place = this.place(tile)
    const nan = hasNaN(this.field.type, column.data)
    if (hasMinMax(this.field) && !nan) {
      for (const which of ['min', 'max'] as const) {
        const found = this.tileExtreme(which, tile)
        if (found && !both.some((one) => this.sameValue(one.extreme(which, tile) ?? NOTHING, found))) {
          const expected = hexOf(this.counted.extreme(which, tile) ?? NOTHING)
          this.wrong(
            'TILE_MIN_MAX',
            { ...place, field: `tile_${which}_values.${this.name}` },
            expected,
            hexOf(found),
            items,
          )
        }
      }
    }
    const sum = this.tileSum(tile)
    if (sum && !nan && !both.some((one) => this.sameSum(one.sums().subarray(8 * tile, 8 * tile + 8), sum))) {
      const at = { ...place, field: `tile_sums.${this.name}` }
      const expected = this.sumText(this.counted.sums().subarray(8 * tile, 8 * tile + 8))
      this.wrong('TILE_SUM', at, expected, this.sumText(sum), items)
    }
    const nulls = this.tileNulls(tile)
    if (nulls !== undefined && !both.some((one) => one.nullCounts()[tile] === nulls)) {
      const at = { ...place, field: `tile_null_counts.${this.name}` }
      this.wrong('TILE_NULL_COUNT', at, this.counted.nullCounts()[tile], nulls, items)
    }
  }

  /** The fragment's own statistics, once all tiles were added. */
  finish(items: Item[]): void {
    const { fragment } = this.stored
    // Of a file that is gone no tile was added.
    if (!fragment || !this.complete || this.tileNum === 0) return
    const both = this.whole ? [this.counted, this.whole] : [this.counted]
    const worked = both.map((one) => one.fragment())
    const place: Place = { file: this.file, offset: this.info.footer?.fragment_min_max_sum_null_count_offset }
    const field = (name: string): Place => ({ ...place, field: `fragment_${name}.${this.name}` })
    if (hasMinMax(this.field) && this.hasTileExtremes && fragment.max.length + fragment.min.length > 0) {
      for (const which of ['min', 'max'] as const) {
        const found = fragment[which]
        if (
          worked.some((one) => this.sameValue(one[which], found) || isFloatOddity(this.field.type, one[which], found))
        )
          continue
        this.wrong('FRAGMENT_MIN_MAX', field(which), hexOf(worked[0][which]), hexOf(found), items)
      }
    }
    if (hasSum(this.field) && (this.stored.sums?.length ?? 0) > 0) {
      if (!worked.some((one) => this.sameSum(one.sum, fragment.sum))) {
        this.wrong('FRAGMENT_SUM', field('sum'), this.sumText(worked[0].sum), this.sumText(fragment.sum), items)
      }
    }
    if (this.field.nullable && (this.stored.nullCounts?.length ?? 0) > 0) {
      if (!worked.some((one) => one.null_count === fragment.null_count)) {
        this.wrong('FRAGMENT_NULL_COUNT', field('null_count'), worked[0].null_count, fragment.null_count, items)
      }
    }
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

  /** A known fault is told once a field, not for each tile. */
  private wrong(
    code: FindingCode,
    place: Place,
    expected: string | number,
    found: string | number,
    items: Item[],
  ): void {
    const known = statisticsFault(this.info, this.field, code)
    if (known !== undefined && this.knownTold.has(code)) return
    if (known !== undefined) this.knownTold.add(code)
    items.push(finding(code, place, expected, found, known))
  }

  private tileExtreme(which: 'min' | 'max', tile: number): Uint8Array | undefined {
    const list = this.stored[which]
    if (!list || list.fixed.length === 0) return undefined
    if (this.field.cell_val_num !== 'var') {
      const size = datatypeSize(this.field.type) * this.field.cell_val_num
      return list.fixed.length >= (tile + 1) * size ? list.fixed.subarray(tile * size, (tile + 1) * size) : undefined
    }
    if (list.fixed.length < (tile + 1) * 8) return undefined
    const view = new DataView(list.fixed.buffer, list.fixed.byteOffset, list.fixed.byteLength)
    const from = Number(view.getBigUint64(tile * 8, true))
    const to = list.fixed.length < (tile + 2) * 8 ? list.variable.length : Number(view.getBigUint64(tile * 8 + 8, true))
    return from <= to && to <= list.variable.length ? list.variable.subarray(from, to) : undefined
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
    if (type === 'CHAR' || type === 'STRING_ASCII') return a.length === b.length && sameText(a, b)
    if (datatypeKind(type) === 'float' && a.length === b.length && a.length > 0) {
      const [x] = numbersOf(type, a)
      const [y] = numbersOf(type, b)
      return x === y || (Number.isNaN(x) && Number.isNaN(y))
    }
    return a.length === b.length && a.every((byte, i) => byte === b[i])
  }

  private sameSum(a: Uint8Array, b: Uint8Array): boolean {
    if (a.length !== b.length) return a.length === 0
    if (datatypeKind(this.field.type) !== 'float') {
      // Adding stops at the limit: where, if at all, depends on the order of cells.
      const signed = hasSignedSum(this.field.type)
      return isLimit(a, signed) || isLimit(b, signed) || a.every((byte, i) => byte === b[i])
    }
    const [x] = numbersOf('FLOAT64', a)
    const [y] = numbersOf('FLOAT64', b)
    if (!(Math.abs(x) < Number.MAX_VALUE) || !(Math.abs(y) < Number.MAX_VALUE)) return true
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

/** Statistics are those of the cells as they were written: filters that lose digits make others of them. */
function isLossy(info: FragmentInfo, slot: number): boolean {
  return filePipeline(info, { slot, role: 'data' }, false).some(
    ({ name, lossless }) => name === 'SCALE_FLOAT' || (name === 'WEBP' && !lossless),
  )
}

function hasSignedSum(type: Datatype): boolean {
  const kind = datatypeKind(type)
  return kind !== 'uint' && kind !== 'bool'
}

/** Largest or smallest int64, or largest uint64. */
function isLimit(sum: Uint8Array, signed: boolean): boolean {
  const [low, high] = lanesOf(sum)
  if (low === 0xffffffff) return high === (signed ? 0x7fffffff : 0xffffffff)
  return signed && low === 0 && high === 0x80000000
}

const NOTHING = new Uint8Array(0)

function typeOf(info: FragmentInfo, slot: number): Pick<StatisticsField, 'type' | 'cell_val_num'> {
  const { type, cell_val_num } = slotType(info, info.slots[slot])
  return { type, cell_val_num }
}

/** Minimum and maximum of tiles with a NaN depend on the order of cells. */
function hasNaN(type: Datatype, data: Uint8Array): boolean {
  if (datatypeKind(type) !== 'float') return false
  const values = numbersOf(type, data)
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) return true
  return false
}

function isFloatOddity(type: Datatype, a: Uint8Array, b: Uint8Array): boolean {
  return hasNaN(type, a) || hasNaN(type, b)
}

/** Equal as `strncmp` says, which ends at a zero byte. */
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
