import { InspectError, unlessFault, usage } from '../base/errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeSize } from '../format/datatype.ts'
import { type DenseTileGrid, denseTileGrid, integerOf } from '../format/dense-tiles.ts'
import type { NDRange } from '../format/range.ts'
import { bytesOf, cellValue } from '../format/value.ts'
import type { FooterRemains } from './footer-remains.ts'

/** The box that a dense fragment wrote, found although its metadata is damaged or missing. */
interface KnownDomain {
  domain: NDRange
  /** What was assumed, in words; undefined if nothing was. */
  assumed: string | undefined
}

/**
 * Finds the non-empty domain of a dense fragment with this number of tiles. Its cells do not tell: they have no coordinates, and
 * padding looks like cells.
 *
 * @param known.given returns the box that the user gave
 * @param known.remains what is left of the footer
 * @param known.agrees whether the file sizes in `remains` are those of the files
 * @param known.damagedBox the box in metadata whose other bytes are damaged
 * @param known.union the box around the fragments that this one replaced, if they are still there
 * @throws InspectError NOT_RECOVERED if nothing tells the box; USAGE if the given one has another number of tiles
 */
export function denseDomain(
  schema: ArraySchema,
  tileNum: number,
  known: {
    given(): NDRange | undefined
    remains: FooterRemains | undefined
    agrees: boolean
    damagedBox: NDRange | undefined
    union: NDRange | undefined
  },
): KnownDomain {
  const fits = (domain: NDRange | undefined): domain is NDRange => {
    if (!domain) return false
    try {
      return denseTileGrid(schema, domain).tile_num === tileNum
    } catch (error) {
      unlessFault(error)
      return false
    }
  }
  const { remains, damagedBox, agrees, union } = known
  const left = remains?.dense && fits(remains.domain) ? remains : undefined
  // A cut file lacks its end, but the rest is right. In a file of full length any byte may be wrong.
  if (left && (left.copied || agrees || !left.footer)) return { domain: left.domain, assumed: undefined }
  if (fits(union)) return { domain: union, assumed: undefined }
  const box = known.given()
  if (box) {
    if (fits(box)) return { domain: box, assumed: undefined }
    throw usage(`--domain expects a box of ${tileNum} tiles, found ${boxText(schema, box)}`)
  }
  const damaged = left?.domain ?? damagedBox
  if (fits(damaged))
    return { domain: damaged, assumed: `the box is ${boxText(schema, damaged)}, as the damaged metadata says` }
  // Nothing is written outside a current domain.
  const now = schema.current_domain?.range
  if (fits(now)) return { domain: now, assumed: `the box is ${boxText(schema, now)}, the current domain` }
  const everything = wholeDomain(schema)
  if (!now && fits(everything)) return roundOut(schema, everything, 'the whole domain')
  throw new InspectError(
    'NOT_RECOVERED',
    `the metadata that says where the fragment lies is lost. It has ${tileNum} of ${gridOf(schema).tile_num} tiles, in a box of ${shapesText(schema, tileNum)}. Give the box with --domain NAME=LO..HI for each dimension, or leave out the fragment with --drop-damaged`,
    { field: 'nonempty_domain' },
  )
}

/** A box, rounded out to whole tiles within the domain. @param what the origin of the box, in words */
export function roundOut(schema: ArraySchema, domain: NDRange, what: string): KnownDomain {
  const { axes } = denseTileGrid(schema, domain)
  const rounded = axes.map(({ type, domainLow, domainHigh, firstTile, tile_num, extent }) => {
    const low = domainLow + firstTile * extent
    const end = low + BigInt(tile_num) * extent - 1n
    const high = end > domainHigh ? domainHigh : end
    return { min: bytesOf(type, 1, low, { raw: true }), max: bytesOf(type, 1, high, { raw: true }) }
  })
  return { domain: rounded, assumed: `the box is ${boxText(schema, rounded)}, ${what}` }
}

/**
 * `1 × 6 or 2 × 3`: the shapes of boxes with this number of tiles that fit into the domain. Of many shapes the first ones:
 * `1 × 36, 2 × 18, 3 × 12, 4 × 9, 6 × 6 or another shape`.
 */
function shapesText(schema: ArraySchema, tileNum: number): string {
  let shapes: { sides: number[]; rest: number }[] = [{ sides: [], rest: tileNum }]
  for (const { tile_num } of gridOf(schema).axes)
    shapes = shapes.flatMap(({ sides, rest }) => {
      const fitting = Array.from({ length: Math.min(tile_num, rest) }, (_, i) => i + 1).filter((n) => rest % n === 0)
      return fitting.map((n) => ({ sides: [...sides, n], rest: rest / n }))
    })
  const texts = shapes.filter(({ rest }) => rest === 1).map(({ sides }) => sides.join(' × '))
  return texts.length > MAX_SHAPES
    ? `${texts.slice(0, MAX_SHAPES - 1).join(', ')} or another shape`
    : texts.join(' or ')
}

/** Limit on the shapes that a message names. */
const MAX_SHAPES = 6

/** The whole domain of an array as a box. String dimensions have empty ends. */
export function wholeDomain(schema: ArraySchema): NDRange {
  return schema.domain.dimensions.map(({ type, domain }) => {
    const size = datatypeSize(type)
    return { min: domain.subarray(0, size), max: domain.subarray(size) }
  })
}

/** The grid of all tiles of a dense array. */
export function gridOf(schema: ArraySchema): DenseTileGrid {
  return denseTileGrid(schema, wholeDomain(schema))
}

/** `x 0..9, y 2024-01-01..2024-01-31` */
function boxText(schema: ArraySchema, box: NDRange): string {
  return schema.domain.dimensions
    .map(({ name, type, cell_val_num }, d) => {
      const text = (bytes: Uint8Array): string => String(cellValue(type, cell_val_num, bytes, { raw: false }))
      return `${name} ${text(box[d].min)}..${text(box[d].max)}`
    })
    .join(', ')
}

/** Number of cells in a dense box. */
export function boxCells(schema: ArraySchema, box: NDRange): number {
  return schema.domain.dimensions.reduce(
    (cells, { type }, d) => cells * Number(integerOf(type, box[d].max) - integerOf(type, box[d].min) + 1n),
    1,
  )
}
