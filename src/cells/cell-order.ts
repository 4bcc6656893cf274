import type { ArraySchema } from '../format/array-schema.ts'
import { type Datatype, datatypeKind, datatypeSize, isSignedInteger } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { ColumnData } from './column.ts'
import { numbersOf, uint32LanesOf } from './elements.ts'
import { hilbertValues } from './hilbert.ts'
import { type KeyLanes, SortedPositions } from './sorted-positions.ts'
import { type TileArithmetic, tileLanes } from './tile-numbers.ts'

/** Rules of cell order that differ between TileDB releases. @see check/old-orders.ts for the rules of each release */
export interface OrderRule {
  /** How the tile of a coordinate is computed. */
  tiles: TileArithmetic
  /** The processor whose conversion rules apply. */
  conversion: Conversion
  /**
   * Whether bytes of text sort as unsigned or as signed numbers, like C's char. With `any`, neither text nor the dimensions
   * after it have an order.
   */
  text: 'unsigned' | 'signed' | 'any'
  /** Order of cells with equal Hilbert values; with `any`, they have no order. */
  hilbertTies: 'row-major' | 'col-major' | 'any'
  /** Range of an integer dimension: the difference of its ends, or the number of its values, as in TileDB 2.2. */
  hilbertRange: 'difference' | 'count'
}

/** The order of TileDB 2.25 and later (format 22). */
export const PRESENT_ORDER: OrderRule = {
  tiles: 'exact',
  conversion: 'x86-64',
  text: 'unsigned',
  hilbertTies: 'row-major',
  hilbertRange: 'difference',
}

/**
 * Sorts cells into the order in which a sparse fragment stores them: by tile in tile order, then by coordinates in cell order.
 * With a Hilbert order: by Hilbert value, then by coordinates in row-major order. The sort is stable.
 *
 * @param pause called between passes over all cells: see `ReadContext.pause`
 * @returns for each stored cell its position among the given cells; undefined if they are already in order
 * @see tiledb/sm/misc/comparators.h, GlobalCmpQB and HilbertCmpQB in unordered_writer.cc
 */
export async function globalOrder(
  schema: ArraySchema,
  columns: readonly ColumnData[],
  cellNum: number,
  pause?: () => Promise<void> | undefined,
): Promise<Int32Array | undefined> {
  const lanes = orderLanes(schema, columns, cellNum)
  await pause?.()
  if (isSorted(lanes, cellNum)) return undefined
  const positions = new SortedPositions(lanes, cellNum)
  for (const _ of positions.steps()) await pause?.()
  return positions.list
}

/** The sort keys of row-major or column-major order. */
export function layoutLanes(
  dimensions: readonly Dimension[],
  columns: readonly ColumnData[],
  cellNum: number,
  colMajor: boolean,
): KeyLanes {
  const lanes = dimensions.map((dimension, d) => coordinateLanes(dimension, columns[d], cellNum, PRESENT_ORDER))
  return (colMajor ? lanes.reverse() : lanes).flat()
}

/** The sort keys of {@link globalOrder}. */
export function orderLanes(
  schema: ArraySchema,
  columns: readonly ColumnData[],
  cellNum: number,
  rule: OrderRule = PRESENT_ORDER,
): KeyLanes {
  const { dimensions } = schema.domain
  const hilbert = schema.cell_order === 'hilbert'
  const coordinates =
    hilbert && rule.hilbertTies === 'any'
      ? []
      : dimensions.map((dimension, d) => coordinateLanes(dimension, columns[d], cellNum, rule))
  const colMajor = hilbert ? rule.hilbertTies === 'col-major' : schema.cell_order === 'col-major'
  if (colMajor) coordinates.reverse()
  if (rule.text === 'any') cutAtText(coordinates)
  if (hilbert) {
    return [...hilbertValues(dimensions, columns, cellNum, rule.hilbertRange), ...coordinates.flat()]
  }
  const tiles = dimensions.map((dimension, d) => tileLanes(dimension, columns[d], cellNum, rule))
  if (schema.tile_order === 'col-major') tiles.reverse()
  return [...tiles.flat(), ...coordinates.flat()]
}

/** Removes the keys of the first string dimension and of all less significant ones, so that they have no order. */
function cutAtText(coordinates: KeyLanes[]): void {
  const text = coordinates.findIndex((lanes) => lanes.length === 0)
  if (text >= 0) coordinates.length = text
}

/** Sort keys of the coordinates of one dimension; none for text without an order. */
function coordinateLanes(dimension: Dimension, column: ColumnData, cellNum: number, rule: OrderRule): KeyLanes {
  if (column.starts) {
    if (rule.text === 'any') return []
    // With the highest bit flipped, signed bytes sort like unsigned ones. The end of a text still sorts first.
    const text = rule.text === 'signed' ? column.data.map((byte) => byte ^ 0x80) : column.data
    return textLanes(text, column.starts)
  }
  return valueLanes(dimension.type, column.data, cellNum)
}

/** The value of every lane of a NaN. The lanes of other floats never have it. */
export const NAN_LANE = 0xffffffff

/** Unsigned lanes that sort like the values. NaN sorts last, whatever its sign, as in TileDB. */
export function valueLanes(type: Datatype, data: Uint8Array, cellNum: number): KeyLanes {
  const float = datatypeKind(type) === 'float'
  const low = new Uint32Array(cellNum)
  if (datatypeSize(type) === 8) {
    const high = new Uint32Array(cellNum)
    const pairs = uint32LanesOf(data)
    const turn = isSignedInteger(type) ? 0x80000000 : 0
    for (let i = 0; i < cellNum; i++) {
      const lo = pairs[2 * i]
      const hi = pairs[2 * i + 1]
      if (float && (hi & 0x7fffffff) >= 0x7ff00000 && ((hi & 0xfffff) | lo) !== 0) {
        high[i] = low[i] = NAN_LANE
        continue
      }
      const negative = float && hi >= 0x80000000
      const zero = negative && hi === 0x80000000 && lo === 0
      if (zero) high[i] = 0x80000000
      else if (negative) high[i] = ~hi
      else high[i] = hi ^ (float ? 0x80000000 : turn)
      low[i] = negative && !zero ? ~lo : lo
    }
    return [high, low]
  }
  if (float) {
    const bits = uint32LanesOf(data)
    for (let i = 0; i < cellNum; i++) {
      const value = bits[i]
      if ((value & 0x7fffffff) > 0x7f800000) low[i] = NAN_LANE
      else if (value === 0x80000000) low[i] = value
      else low[i] = value > 0x80000000 ? ~value : value ^ 0x80000000
    }
    return [low]
  }
  const values = numbersOf(type, data)
  const turn = isSignedInteger(type) ? 0x80000000 : 0
  for (let i = 0; i < cellNum; i++) low[i] = values[i] ^ turn
  return [low]
}

/** How NaN and too large numbers convert to uint64: to 2^63 and 0 on x86-64, to 0 and the largest uint64 on ARM. */
export type Conversion = 'x86-64' | 'arm'

/** Most bytes of text, after what all texts begin with, that become lanes of their own. */
const MAX_LANE_BYTES = 12
const LANE_BYTES = 4
/** Bytes of text that fit exactly in one number. */
const PREFIX_BYTES = 6

/**
 * Sort keys of texts. They compare by unsigned bytes; a prefix sorts before a longer text. Short texts are their own keys, which a
 * radix sort takes as they are. Long ones are ranked, which takes a sort of its own.
 */
function textLanes(data: Uint8Array, starts: Float64Array): KeyLanes {
  const count = starts.length - 1
  const shared = sharedBytes(data, starts)
  let [shortest, longest] = [Number.POSITIVE_INFINITY, 0]
  for (let i = 0; i < count; i++) {
    const length = starts[i + 1] - starts[i]
    if (length < shortest) shortest = length
    if (length > longest) longest = length
  }
  if (longest - shared > MAX_LANE_BYTES) return [textRanks(data, starts, shared)]
  const lanes: KeyLanes = []
  for (let at = shared; at < longest; at += LANE_BYTES) {
    const lane = new Uint32Array(count)
    for (let i = 0; i < count; i++) {
      const from = starts[i] + at
      const end = starts[i + 1]
      lane[i] =
        from + LANE_BYTES <= end
          ? (data[from] << 24) | (data[from + 1] << 16) | (data[from + 2] << 8) | data[from + 3]
          : bytesBefore(data, from, end, LANE_BYTES)
    }
    lanes.push(lane)
  }
  // The end of a text and a byte of 0 have the same lane.
  if (shortest < longest || lanes.length === 0)
    lanes.push(Uint32Array.from({ length: count }, (_, i) => starts[i + 1] - starts[i]))
  return lanes
}

/** The first bytes of a text as a number. After the end of the text there are zeros. */
function bytesBefore(data: Uint8Array, from: number, end: number, count: number): number {
  let value = 0
  for (let b = 0; b < count; b++) value = value * 256 + (from + b < end ? data[from + b] : 0)
  return value
}

/** The number of bytes with which all texts begin. */
function sharedBytes(data: Uint8Array, starts: Float64Array): number {
  let shared = starts.length > 1 ? starts[1] - starts[0] : 0
  for (let i = 1; i < starts.length - 1 && shared > 0; i++) {
    const most = Math.min(shared, starts[i + 1] - starts[i])
    let same = 0
    while (same < most && data[starts[i] + same] === data[starts[0] + same]) same++
    shared = same
  }
  return shared
}

/** Rank of each text in the column. @param shared number of bytes with which all begin */
function textRanks(data: Uint8Array, starts: Float64Array, shared: number): Uint32Array {
  const count = starts.length - 1
  // Most comparisons are decided by the first bytes, kept as one number.
  const prefixes = new Float64Array(count)
  for (let i = 0; i < count; i++) prefixes[i] = bytesBefore(data, starts[i] + shared, starts[i + 1], PREFIX_BYTES)
  const compare = (a: number, b: number): number =>
    prefixes[a] - prefixes[b] || compareBytes(data, starts[a], starts[a + 1], starts[b], starts[b + 1])
  const order = Uint32Array.from({ length: count }, (_, i) => i).sort(compare)
  const ranks = new Uint32Array(count)
  let rank = 0
  for (let i = 1; i < count; i++) {
    if (compare(order[i - 1], order[i]) !== 0) rank = i
    ranks[order[i]] = rank
  }
  return ranks
}

function compareBytes(data: Uint8Array, a: number, aEnd: number, b: number, bEnd: number): number {
  const length = Math.min(aEnd - a, bEnd - b)
  for (let i = 0; i < length; i++) {
    const difference = data[a + i] - data[b + i]
    if (difference !== 0) return difference
  }
  return aEnd - a - (bEnd - b)
}

/** Whether the cells are sorted by their keys. */
export function isSorted(lanes: KeyLanes, cellNum: number): boolean {
  for (let i = 1; i < cellNum; i++) {
    for (const lane of lanes) {
      if (lane[i - 1] === lane[i]) continue
      if (lane[i - 1] > lane[i]) return false
      break
    }
  }
  return true
}
