import { element } from '../base/element.ts'
import { inconsistent } from '../base/errors.ts'
import type { ArraySchema } from './array-schema.ts'
import { type Datatype, datatypeSize, isSignedInteger } from './datatype.ts'
import type { Dimension } from './dimension.ts'
import type { NDRange } from './range.ts'

/** Reads a little-endian integer of a dimension's type, up to 8 bytes. Dates and times are integers, too. */
export function integerOf(type: Datatype, bytes: Uint8Array): bigint {
  let [low, high] = [0, 0]
  for (let i = 0; i < bytes.length; i++) {
    if (i < 4) low |= (bytes[i] ?? 0) << (8 * i)
    else high |= (bytes[i] ?? 0) << (8 * i - 32)
  }
  low >>>= 0
  high >>>= 0
  // Most numbers need a single BigInt: each takes memory of its own.
  const value = high < 2 ** 21 ? BigInt(high * 2 ** 32 + low) : (BigInt(high) << 32n) | BigInt(low)
  return isSignedInteger(type) ? BigInt.asIntN(8 * bytes.length, value) : value
}

/** One dimension of a {@link DenseTileGrid}. */
export interface DenseAxis {
  type: Datatype
  domainLow: bigint
  domainHigh: bigint
  extent: bigint
  /** Lower bound of the non-empty domain. */
  low: bigint
  /** Upper bound of the non-empty domain, inclusive. */
  high: bigint
  /** Index of the first tile, counted from the domain's low end. */
  firstTile: bigint
  tile_num: number
}

/** The tiles of a dense fragment: the smallest grid of whole tiles that covers its non-empty domain. */
export interface DenseTileGrid {
  axes: DenseAxis[]
  tile_num: number
  cells_per_tile: number
}

/**
 * Computes the grid of a dense fragment. It uses tile indexes, because the upper bound of the last tile may not fit in
 * the dimension's type.
 *
 * @throws InspectError INCONSISTENT if a range of the non-empty domain is reversed or outside the domain
 * @see format_spec/fragment.md; tiledb/sm/array_schema/domain.cc
 */
export function denseTileGrid(schema: ArraySchema, nonemptyDomain: NDRange): DenseTileGrid {
  const axes = schema.domain.dimensions.map((dimension, d) => denseAxis(dimension, element(nonemptyDomain, d)))
  let tile_num = 1
  let cells_per_tile = 1
  for (const axis of axes) {
    tile_num *= axis.tile_num
    cells_per_tile *= Number(axis.extent)
  }
  if (tile_num > Number.MAX_SAFE_INTEGER || cells_per_tile > Number.MAX_SAFE_INTEGER) {
    throw inconsistent(
      { expected: 'fewer than 2^53 tiles and cells a tile', found: `${tile_num} and ${cells_per_tile}` },
      {
        field: 'nonempty_domain',
      },
    )
  }
  return { axes, tile_num, cells_per_tile }
}

/** One dimension of {@link denseTileGrid}. @throws InspectError INCONSISTENT */
export function denseAxis(dimension: Dimension, range: { min: Uint8Array; max: Uint8Array }): DenseAxis {
  const { type, name } = dimension
  const { domainLow, domainHigh, extent } = tilingOf(dimension)
  const low = integerOf(type, range.min)
  const high = integerOf(type, range.max)
  const field = `nonempty_domain.${name}`
  if (extent <= 0n)
    throw inconsistent(
      { expected: 'a positive tile extent', found: extent },
      {
        field: `dimensions.${name}`,
      },
    )
  if (low > high || low < domainLow || high > domainHigh) {
    throw inconsistent(
      { expected: `a range inside [${domainLow}, ${domainHigh}]`, found: `[${low}, ${high}]` },
      { field },
    )
  }
  const firstTile = (low - domainLow) / extent
  const tile_num = Number((high - domainLow) / extent - firstTile + 1n)
  return { type, domainLow, domainHigh, extent, low, high, firstTile, tile_num }
}

/** What all fragments have in common of an axis. */
type Tiling = Pick<DenseAxis, 'domainLow' | 'domainHigh' | 'extent'>

/** The tilings of dimensions: thousands of fragments have the same. */
const tilings = new WeakMap<Dimension, Tiling>()

export function tilingOf(dimension: Dimension): Tiling {
  let tiling = tilings.get(dimension)
  if (!tiling) {
    const { type, domain, tile_extent } = dimension
    const size = datatypeSize(type)
    const domainLow = integerOf(type, domain.subarray(0, size))
    const domainHigh = integerOf(type, domain.subarray(size))
    const length = domainHigh - domainLow + 1n
    // The extent of a whole domain may overflow a signed type: for INT8 from 0 to 127 it is stored as -128.
    const whole = tile_extent && integerOf('UINT64', tile_extent) === length
    const extent = tile_extent && !whole ? integerOf(type, tile_extent) : length
    tiling = { domainLow, domainHigh, extent }
    tilings.set(dimension, tiling)
  }
  return tiling
}
