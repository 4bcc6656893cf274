import { datatypeKind, datatypeSize, isSignedInteger } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import type { Conversion, OrderRule } from './cell-order.ts'
import type { ColumnData } from './column.ts'
import { numbersOf, uint32LanesOf } from './elements.ts'
import type { KeyLanes } from './sorted-positions.ts'

/**
 * The ways in which TileDB releases compute the number of a coordinate's tile, (coordinate - start) / extent:
 *
 * - `exact`: correct for every domain.
 * - `none`: there are no tiles, although some dimensions have an extent.
 * - `typed`: computed and compared in the dimension's type T. Floats keep their fraction, so cells within one tile
 *   follow tile order, too. For a signed T, differences above its largest value wrap to negative numbers.
 * - `wrapping`: differences of INT32, INT64, dates and times wrap. Negative tiles sort after all others.
 * - `bytes`: coordinate, start and extent of INT8 and INT16 are widened as unsigned numbers. If start is negative, the tiles
 *   of coordinates from 0 up get negative numbers, rounded towards 0, that sort after the others.
 *
 * @see Domain::tile_order_cmp of 1.6, 2.1 and 2.3; Dimension::tile_idx of 2.4 and 2.10
 */
export type TileArithmetic = 'exact' | 'none' | 'typed' | 'wrapping' | 'bytes'

/** Lanes that sort like the tile numbers of the cells along one dimension, by a release's rules; none without tiles. */
export function tileLanes(dimension: Dimension, column: ColumnData, cellNum: number, rule: OrderRule): KeyLanes {
  const { type, domain, tile_extent } = dimension
  if (column.starts || !tile_extent || rule.tiles === 'none') return []
  const size = datatypeSize(type)
  const start = domain.subarray(0, size)
  const values = numbersOf(type, column.data)
  const first = numbersOf(type, start)[0]
  if (datatypeKind(type) === 'float') {
    // In the dimension's type, as TileDB computes it.
    const round = type === 'FLOAT32' ? Math.fround : (x: number): number => x
    const extent = numbersOf(type, tile_extent)[0]
    const quotients = new Float64Array(cellNum)
    for (let i = 0; i < cellNum; i++) quotients[i] = round(round(values[i] - first) / extent)
    return rule.tiles === 'typed' ? quotientLanes(quotients) : floorLanes(quotients, rule.conversion)
  }
  const extent = integerOf('UINT64', tile_extent)
  const small = size < 4
  const isExact = extent === 0n || !isSignedInteger(type) || rule.tiles === (small ? 'wrapping' : 'bytes')
  const how = isExact ? 'exact' : rule.tiles
  if (size === 8) return wideLanes(column.data, start, extent, cellNum, how)
  const divisor = Number(extent)
  const high = new Uint32Array(how === 'exact' ? 0 : cellNum)
  const low = new Uint32Array(cellNum)
  if (how === 'exact') {
    for (let i = 0; i < cellNum; i++) low[i] = Math.floor((values[i] - first) / divisor)
    return [low]
  }
  const mask = 2 ** (8 * size) - 1
  const [below, notBelow] = how === 'typed' ? [0, 1] : [0xffffffff, 0]
  for (let i = 0; i < cellNum; i++) {
    // C++ subtracts smaller types as int, of 32 bits: their differences do not wrap.
    const difference = how === 'bytes' ? (values[i] & mask) - (first & mask) : (values[i] - first) | 0
    const quotient = Math.trunc(difference / divisor)
    const tile = how === 'typed' && small ? (quotient << (32 - 8 * size)) >> (32 - 8 * size) : quotient
    low[i] = tile
    high[i] = tile < 0 ? below : notBelow
  }
  return [high, low]
}

/** Lanes of quotients. None is negative, and the bits of such doubles sort like their values. */
function quotientLanes(quotients: Float64Array): KeyLanes {
  const pairs = new Uint32Array(quotients.buffer)
  const high = new Uint32Array(quotients.length)
  const low = new Uint32Array(quotients.length)
  for (let i = 0; i < high.length; i++) {
    low[i] = pairs[2 * i]
    high[i] = pairs[2 * i + 1] & 0x7fffffff
  }
  return [high, low]
}

/**
 * Lanes of rounded quotients. If the domain covers the full range of the type, a missing extent is stored as Infinity. The
 * distance from the domain's start can be Infinity, too; the tile number is then NaN.
 *
 * @see tiledb/sm/array_schema/dimension.h, tile_idx, which converts to uint64. The order was measured on arrays written on
 * x86-64.
 */
function floorLanes(quotients: Float64Array, conversion: Conversion): KeyLanes {
  const high = new Uint32Array(quotients.length)
  const low = new Uint32Array(quotients.length)
  const arm = conversion === 'arm'
  for (let i = 0; i < high.length; i++) {
    const tile = Math.floor(quotients[i])
    if (tile < 2 ** 64) {
      high[i] = tile / 2 ** 32
      low[i] = tile % 2 ** 32
    } else if (Number.isNaN(tile)) high[i] = arm ? 0 : 0x80000000
    else {
      high[i] = arm ? 0xffffffff : 0
      low[i] = high[i]
    }
  }
  return [high, low]
}

/** Below this difference, the floor of a floating-point division is exact. */
const SAFE_DIFFERENCE = 2 ** 51

/** {@link tileLanes} of 8-byte integers. */
function wideLanes(
  data: Uint8Array,
  start: Uint8Array,
  extent: bigint,
  cellNum: number,
  how: TileArithmetic,
): KeyLanes {
  const pairs = uint32LanesOf(data)
  const [startLow, startHigh] = uint32LanesOf(start)
  const high = new Uint32Array(cellNum)
  const low = new Uint32Array(cellNum)
  const divisor = Number(extent)
  const signBit = how === 'typed' ? 0x80000000 : 0
  for (let i = 0; i < cellNum; i++) {
    const lo = pairs[2 * i] - startLow
    const hi = (pairs[2 * i + 1] - startHigh - (lo < 0 ? 1 : 0)) >>> 0
    const difference = hi * 2 ** 32 + (lo >>> 0)
    if (difference < SAFE_DIFFERENCE) {
      const tile = Math.floor(difference / divisor)
      high[i] = (tile / 2 ** 32) ^ signBit
      low[i] = tile
    } else {
      const exact = (BigInt(hi) << 32n) | BigInt(lo >>> 0)
      const tile = (how === 'exact' ? exact : BigInt.asIntN(64, exact)) / extent
      high[i] = Number(BigInt.asIntN(32, tile >> 32n)) ^ signBit
      low[i] = Number(tile & 0xffffffffn)
    }
  }
  return [high, low]
}
