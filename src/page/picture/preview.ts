import { unlessFault } from '../../base/errors.ts'
import { findOverlaps } from '../../calls/overlaps.ts'
import { tileBoxReader } from '../../calls/tile-boxes.ts'
import { minMaxValues, sumValues } from '../../calls/tile-min-max.ts'
import { comparable, type RangeSets, rangeOverlap } from '../../cells/bounds.ts'
import type { ColumnType } from '../../cells/column.ts'
import { tileCellNum } from '../../cells/tile-places.ts'
import type { CellValue } from '../../documents/common.ts'
import type { NDRange } from '../../format/range.ts'
import { hasAttribute } from '../../read/fill.ts'
import type { OpenedArray, OpenedFragment } from '../../read/query.ts'
import { coarseRaster, type Raster, type RasterAxis } from '../raster.ts'
import { stepWith } from './plot-axis.ts'

/** What a picture shows before its cells are read: what the fragments' own statistics tell of their tiles. No data is read for it. */

/** Most pixels of a preview along an axis, and most tiles that it looks at. */
const [PIXELS, MAX_TILES] = [256, 400_000]
/** Most fragments of which is asked whether they overlap. */
const MAX_FRAGMENTS = 1000

/** The number of cells in tiles that have any in the ranges: as many at most as a read of a sparse array returns. */
export async function cellsInTiles(opened: OpenedArray, ranges: RangeSets): Promise<number> {
  let cells = 0
  for (const one of opened.fragments) for (const { cell_num } of await tilesIn(opened, one, ranges)) cells += cell_num
  return cells
}

export interface TileIn {
  tile: number
  box: NDRange
  cell_num: number
}

/** The tiles of a fragment with any cell in the ranges. Empty if its boxes cannot be read: the read itself says why. */
export async function tilesIn(
  { schema }: OpenedArray,
  { fragment, info }: OpenedFragment,
  ranges: RangeSets,
): Promise<TileIn[]> {
  const overlap = rangeOverlap(schema.domain.dimensions, ranges)
  if (!info.nonempty_domain || overlap(info.nonempty_domain) === 'none') return []
  const boxOf = await tileBoxReader(fragment, info).catch(unlessFault)
  if (!boxOf) return []
  const found: TileIn[] = []
  for (let tile = 0; tile < Math.min(info.tile_num, MAX_TILES); tile++) {
    const box = boxOf(tile)
    if (box && overlap(box) !== 'none') found.push({ tile, box, cell_num: tileCellNum(info, tile) })
  }
  return found
}

/**
 * A picture by the statistics of tiles. Undefined if they do not tell: where fragments overlap, some cells are hidden, and the old
 * formats have no statistics.
 * @param raster the picture that it stands for
 */
export async function previewOf(opened: OpenedArray, raster: Raster, ranges: RangeSets): Promise<Raster | undefined> {
  const { schema, fragments, deletes } = opened
  const { dimensions } = schema.domain
  const { column } = raster
  const isSparse = schema.array_type === 'sparse'
  const overlap = rangeOverlap(dimensions, ranges)
  const inSight = fragments.filter(({ info }) => info.nonempty_domain && overlap(info.nonempty_domain) !== 'none')
  if (inSight.length > MAX_FRAGMENTS || deletes.length > 0) return undefined
  const boxes = inSight.map(({ info }) => info.nonempty_domain)
  if ((column || !isSparse) && findOverlaps(boxes, dimensions, 0).pair_num > 0) return undefined
  const preview = coarseRaster(raster, PIXELS)
  const sides = [preview.down, preview.right].map((axis) => ({ axis, d: dimensions.indexOf(axis.dimension) }))
  for (const one of inSight) {
    const valuesOf = column ? await tileValues(one, column) : () => ({ mean: 0 })
    if (!valuesOf) return undefined
    for (const { tile, box, cell_num } of await tilesIn(opened, one, ranges)) {
      const values = valuesOf(tile, cell_num)
      if (values === undefined) continue
      const [down, right] = sides.map(({ axis, d }) => pixelsOf(axis, box, d))
      // Points of a tile may lie anywhere in its box.
      const weight = column ? 1 : cell_num / ((down[1] - down[0] + 1) * (right[1] - right[0] + 1))
      for (let y = down[0]; y <= down[1]; y++)
        for (let x = right[0]; x <= right[1]; x++) {
          const pixel = y * preview.right.length + x
          preview.sums[pixel] += column ? values.mean : weight
          preview.counts[pixel]++
        }
    }
  }
  if (!column) for (let i = 0; i < preview.sums.length; i++) preview.counts[i] = Math.round(preview.sums[i])
  return preview
}

/** The first and the last pixel of a box along an axis. */
function pixelsOf(axis: RasterAxis, box: NDRange, d: number): readonly [first: number, last: number] {
  const indexOf = (bytes: Uint8Array): number =>
    stepWith(axis, comparable(axis.dimension.type, bytes) as number | bigint)
  return [indexOf(box[d].min), indexOf(box[d].max)]
}

/** What statistics tell of the cells of a tile. */
interface TileNumbers {
  low: number
  high: number
  /** Their mean, or what lies in the middle. */
  mean: number
}

/** Gives the numbers of a fragment's tiles; undefined if it has no statistics of the attribute. */
export async function tileValues(
  one: OpenedFragment,
  column: ColumnType,
): Promise<((tile: number, cells: number) => TileNumbers | undefined) | undefined> {
  const { fragment, info } = one
  if (!hasAttribute(one, column)) return undefined
  const s = info.slots.findIndex(({ name, kind }) => kind === 'attribute' && name === column.name)
  const slot = info.slots[s]
  const style = { raw: true }
  const [sums, mins, maxs] = [
    await fragment.tileSums(s).catch(unlessFault),
    await fragment.tileMinMax('min', s).catch(unlessFault),
    await fragment.tileMinMax('max', s).catch(unlessFault),
  ]
  if (!sums || !mins || !maxs) return undefined
  const [sum, min, max] = [sumValues(slot.type, sums), minMaxValues(slot, mins, style), minMaxValues(slot, maxs, style)]
  return (tile, cells) => {
    const [low, high] = [min, max].map((list) => numberAt(list, tile))
    if (low === undefined || high === undefined) return undefined
    const mean = (numberAt(sum, tile) ?? Number.NaN) / cells
    // A sum is not that of all cells if some are null or were never written, or if it left its type.
    return { low, high, mean: mean >= low && mean <= high ? mean : low / 2 + high / 2 }
  }
}

function numberAt(list: { at(index: number): CellValue } | undefined, tile: number): number | undefined {
  const value = Number(list?.at(tile) ?? Number.NaN)
  return Number.isNaN(value) ? undefined : value
}
