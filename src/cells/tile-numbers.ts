import { type Datatype, datatypeKind, datatypeSize, isSignedInteger } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import type { KeyLanes } from './cell-order.ts'
import { lanesOf, numbersOf } from './elements.ts'

/**
 * How TileDB releases compute the number of a coordinate's tile, (coordinate - start) / extent:
 *
 * - `exact`: right for every domain.
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

/** Tile numbers as lanes that sort like the release's numbers; undefined if the exact numbers apply. */
export function typedTileLanes(
  { type, domain }: Dimension,
  extent: Uint8Array,
  data: Uint8Array,
  cellNum: number,
  how: Exclude<TileArithmetic, 'exact' | 'none'>,
): KeyLanes | undefined {
  const size = datatypeSize(type)
  const start = domain.subarray(0, size)
  if (datatypeKind(type) === 'float') {
    if (how !== 'typed') return undefined
    return quotientLanes(type, data, numbersOf(type, start)[0], numbersOf(type, extent)[0], cellNum)
  }
  const step = integerOf('UINT64', extent)
  const signed = isSignedInteger(type)
  const small = size < 4
  if (step === 0n || !signed || (how === 'wrapping' && small) || (how === 'bytes' && !small)) return undefined
  if (size === 8) return wideLanes(data, BigInt.asIntN(64, integerOf('UINT64', start)), step, cellNum, how)
  const values = numbersOf(type, data)
  const first = numbersOf(type, start)[0]
  const divisor = Number(step)
  const mask = 2 ** (8 * size) - 1
  const high = new Uint32Array(cellNum)
  const low = new Uint32Array(cellNum)
  for (let i = 0; i < cellNum; i++) {
    // int is 32 bits: differences of the smaller types do not wrap.
    const difference = how === 'bytes' ? (values[i] & mask) - (first & mask) : (values[i] - first) | 0
    const quotient = Math.trunc(difference / divisor)
    const tile = how === 'typed' && small ? (quotient << (32 - 8 * size)) >> (32 - 8 * size) : quotient
    low[i] = tile
    high[i] = tile < 0 ? (how === 'typed' ? 0 : 0xffffffff) : how === 'typed' ? 1 : 0
  }
  return [high, low]
}

/** Quotients of floats; each operation is rounded to the type. */
function quotientLanes(type: Datatype, data: Uint8Array, start: number, extent: number, cellNum: number): KeyLanes {
  const round = type === 'FLOAT32' ? Math.fround : (x: number): number => x
  const values = numbersOf(type, data)
  const bytes = new Float64Array(cellNum)
  for (let i = 0; i < cellNum; i++) bytes[i] = round(round(values[i] - start) / extent)
  const pairs = lanesOf(new Uint8Array(bytes.buffer))
  const high = new Uint32Array(cellNum)
  const low = new Uint32Array(cellNum)
  for (let i = 0; i < cellNum; i++) {
    // No quotient is negative, and the bits of such doubles sort like the values.
    low[i] = pairs[2 * i]
    high[i] = pairs[2 * i + 1] & 0x7fffffff
  }
  return [high, low]
}

function wideLanes(data: Uint8Array, start: bigint, extent: bigint, cellNum: number, how: TileArithmetic): KeyLanes {
  const pairs = lanesOf(data)
  const high = new Uint32Array(cellNum)
  const low = new Uint32Array(cellNum)
  const turn = how === 'typed' ? 0x80000000 : 0
  for (let i = 0; i < cellNum; i++) {
    const value = (BigInt(pairs[2 * i + 1] | 0) << 32n) | BigInt(pairs[2 * i])
    const tile = BigInt.asIntN(64, value - start) / extent
    high[i] = Number(BigInt.asIntN(32, tile >> 32n)) ^ turn
    low[i] = Number(tile & 0xffffffffn)
  }
  return [high, low]
}
