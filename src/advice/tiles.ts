import { shortSize } from '../base/sizes.ts'
import { sum } from '../base/sum.ts'
import { comparable } from '../cells/bounds.ts'
import { datatypeKind } from '../format/datatype.ts'
import { denseTileGrid } from '../format/dense-tiles.ts'
import { domainRange } from '../format/dimension.ts'
import { isCompressor } from '../format/filter-pipeline.ts'
import type { RangeType } from '../format/range.ts'
import { cellsInDomain, paddingNum } from '../objects/cell-counts.ts'
import { gridAxes } from '../read/dense-windows.ts'
import type { OpenedArray } from '../read/query.ts'
import {
  mean,
  overlaps,
  shareInside,
  TYPICAL_SHARE,
  typicalBoxes,
  typicalBoxText,
  typicalSides,
  unionOfBoxes,
} from './boxes.ts'
import { objectStoreSeconds, rounded } from './costs.ts'
import { type AdviceFacts, type Box, type FragmentFacts, tileBoxes } from './facts.ts'
import { type AdvisedFinding, advise } from './finding.ts'
import { consolidationLines, type Rewrite, rewriteLines } from './lines.ts'

/** Bytes that each tile of a data file takes in addition to its data: the number of chunks, and the lengths of one chunk. */
const BYTES_PER_TILE = 20
/** Lower limits on the stored bytes that describe tiles instead of holding data: as a part of the array, and in bytes. */
const MIN_OVERHEAD_SHARE = 0.2
export const MIN_OVERHEAD_BYTES = 32 * 1024
/** Fragments with fewer tiles never have too many. */
export const MIN_TILES = 100

/** Stored bytes that describe tiles, if they are many for what the tiles hold. */
interface TileOverhead {
  /** The fragments with many tiles. */
  tiled: readonly FragmentFacts[]
  bytes: number
  /** Their part of all stored bytes. */
  share: number
}

/** @param isWhole whether the facts have the unfiltered bytes of all fields: filters, too, add bytes to each chunk */
export function tileOverhead(facts: AdviceFacts, isWhole = true): TileOverhead | undefined {
  const { fragments, examined, stored_bytes, unfiltered_bytes } = facts
  const tiled = fragments.filter(({ info }) => info.tile_num >= MIN_TILES)
  if (tiled.length === 0) return undefined
  const ofTiles = sum(tiled, ({ info, file_num }) => info.tile_num * file_num * BYTES_PER_TILE)
  const added = isWhole && examined.length > 0 ? stored_bytes - unfiltered_bytes : 0
  const bytes = sum(tiled, ({ sections_bytes }) => sections_bytes) + Math.max(ofTiles, added)
  const all = stored_bytes + sum(fragments, ({ sections_bytes }) => sections_bytes)
  const isLittle = bytes < MIN_OVERHEAD_BYTES || bytes < MIN_OVERHEAD_SHARE * all
  return isLittle ? undefined : { tiled, bytes, share: bytes / all }
}

/** Finds tiles that are so small that lists of tiles and headers of chunks take much of the array. */
export function* smallTiles(facts: AdviceFacts): Generator<AdvisedFinding> {
  const { opened, fragments, examined, unfiltered_bytes } = facts
  const found = tileOverhead(facts)
  if (!found) return
  const { tiled, bytes, share } = found
  const tiles = sum(tiled, ({ info }) => info.tile_num)
  const cells = Math.round(sum(tiled, ({ cell_num }) => cell_num) / tiles)
  const bytesOfTile = Math.round(unfiltered_bytes / sum(fragments, ({ info }) => info.tile_num))
  const size = examined.length > 0 ? `, ${shortSize(bytesOfTile)} in all fields` : ''
  yield advise('TILES_SMALL', {
    message: `${tiles} tiles of ${cells} cells${size}: ${percent(share)} of the stored bytes describe the tiles, and are not data`,
    effect: { seconds: rounded(objectStoreSeconds(0, bytes)), bytes, tiles, share },
    advice: rewriteLines(opened, ofTileSize(opened, cells, GOOD_CELLS)),
  })
}

/** A tile is large from this number of unfiltered bytes in all fields on. */
const LARGE_TILE = 8 * 1024 * 1024
/** Lower limit on the cells that are read per wanted cell. */
export const MIN_READ_RATIO = 8

/** Finds tiles that are so large that the read of a small box gets much more than it needs. */
export function* largeTiles(facts: AdviceFacts): Generator<AdvisedFinding> {
  const { opened, fragments, cell_num, unfiltered_bytes, stored_bytes } = facts
  const tiles = sum(fragments, ({ info }) => info.tile_num)
  const bytesOfTile = unfiltered_bytes / Math.max(1, tiles)
  if (bytesOfTile < LARGE_TILE) return
  const cellsOfTile = cell_num / tiles
  // A box of 1 % of the domain touches at least one tile.
  const share = Math.max(TYPICAL_SHARE, 1 / tiles)
  if (share / TYPICAL_SHARE < MIN_READ_RATIO) return
  const bytes = (share - TYPICAL_SHARE) * stored_bytes
  yield advise('TILES_LARGE', {
    message: `tiles of ${shortSize(Math.round(bytesOfTile))} in all fields: ${boxText(facts)} reads ${percent(share)} of the array or more`,
    effect: {
      seconds: rounded(objectStoreSeconds(0, bytes)),
      bytes: Math.round(bytes),
      unfiltered_bytes: Math.round((share - TYPICAL_SHARE) * unfiltered_bytes),
      tiles,
      share: share - TYPICAL_SHARE,
    },
    advice: rewriteLines(opened, ofTileSize(opened, cellsOfTile, (cellsOfTile / bytesOfTile) * GOOD_BYTES)),
  })
}

/** Lower limits on padding: its part of the stored cells, and its unfiltered bytes. */
const MIN_PADDED_SHARE = 0.5
export const MIN_PADDED_BYTES = 1024 * 1024

/** The part of the stored cells that is padding of dense tiles. */
export function paddedShare({ fragments, cell_num }: AdviceFacts): number {
  return sum(fragments, ({ info }) => paddingNum(info)) / Math.max(1, cell_num)
}

/** Unfiltered bytes of padding, if they are many. */
export function paddedBytes(facts: AdviceFacts): number | undefined {
  const share = paddedShare(facts)
  const bytes = share * facts.unfiltered_bytes
  return share < MIN_PADDED_SHARE || bytes < MIN_PADDED_BYTES ? undefined : bytes
}

/** Finds dense tiles that are mostly padding: they are far larger than the boxes that were written, or lie across their ends. */
export function* paddedTiles(facts: AdviceFacts): Generator<AdvisedFinding> {
  const { opened, fragments, files, scale, cell_num, unfiltered_bytes } = facts
  const share = paddedShare(facts)
  const padded_bytes = paddedBytes(facts)
  if (padded_bytes === undefined) return
  const cells = sum(fragments, ({ info }) => paddingNum(info))
  // A compressor makes next to nothing of padding, which is one value.
  const raw = files.filter(({ filters }) => !filters.some(({ name }) => isCompressor(String(name))))
  const bytes = share * scale * sum(raw, (file) => file.stored_bytes)
  const size = shortSize(Math.round(padded_bytes))
  yield advise('TILES_PADDED', {
    message: `${cells} of ${cell_num} stored cells are padding of dense tiles: ${size} of ${shortSize(Math.round(unfiltered_bytes))}, unfiltered`,
    effect: {
      seconds: rounded(objectStoreSeconds(0, bytes)),
      cells,
      bytes: Math.round(bytes),
      unfiltered_bytes: Math.round(padded_bytes),
      share,
    },
    advice: mergeHalvesPadding(facts) ? consolidationLines(opened) : rewriteLines(opened, fittingExtents(facts)),
  })
}

/** Whether fragments share so many tiles that one fragment in their place has less than half of the padding. */
function mergeHalvesPadding({ opened, fragments, cell_num }: AdviceFacts): boolean {
  if (fragments.length < 2) return false
  const box = unionOfBoxes(fragments.flatMap(({ box }) => (box.length > 0 ? [box] : [])))
  const grid = gridAxes(opened.schema.domain)
  const covered = box.reduce(
    (cells, side, d) => cells * coveredLength(side, Number(grid[d].extent), Number(grid[d].domainLow)),
    1,
  )
  const written = sum(fragments, ({ info }) => Number(cellsInDomain(info)))
  return covered - written < (cell_num - written) / 2
}

/** Upper limit on the length of the tiles along one dimension, as a multiple of the length of the box that they cover. */
const MAX_COVERED = 1.25

/** The change to the largest tile extents whose tiles hardly exceed the box around all cells. */
function fittingExtents(facts: AdviceFacts): Rewrite {
  const { opened } = facts
  const box = boxAroundCells(facts) ?? []
  const extents = gridAxes(opened.schema.domain).map(({ extent, domainLow }, d) => {
    const [low, high] = box[d]
    const length = high - low + 1
    const now = Number(extent)
    const fits = (one: number): boolean => coveredLength(box[d], one, Number(domainLow)) <= MAX_COVERED * length
    const candidates = [now, ...(length < now ? [length] : [])]
    for (let half = Math.min(now, length); half > 1; half = Math.ceil(half / 2)) candidates.push(Math.ceil(half / 2))
    return candidates.find(fits) ?? 1
  })
  return extentsOf(opened, extents)
}

/** Length of the tiles along one dimension that cover a side of a box. @param start where the first tile of the domain begins */
function coveredLength([low, high]: Box[number], extent: number, start: number): number {
  return (Math.floor((high - start) / extent) - Math.floor((low - start) / extent) + 1) * extent
}

/** Describes the box of a typical read. */
function boxText(facts: AdviceFacts): string {
  const { array_type, domain } = facts.opened.schema
  return typicalBoxText(domain.dimensions, boxAroundCells(facts) ?? [], array_type === 'dense')
}

/** A shape is bad if a read has this many times the cells that it would have with tiles of the same size in the proportions of its box. */
export const MIN_SHAPE_RATIO = 2.5
/** Lower limit on the unfiltered bytes that are read in vain. */
export const MIN_UNWANTED_BYTES = 256 * 1024

/** Finds tiles that are long and thin, so that a box touches many of them. */
export async function* badShapes(facts: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  const { opened, examined, cell_num, unfiltered_bytes, stored_bytes, scale } = facts
  let read = 0
  let best = 0
  let span: string | undefined
  for (const one of examined) {
    const costs = one.info.dense ? denseCosts(one) : await sparseCosts(one)
    if (!costs) continue
    read += costs.read
    best += costs.best
    span ??= costs.span
  }
  if (read < MIN_SHAPE_RATIO * best) return
  const bytesOfCell = unfiltered_bytes / Math.max(1, cell_num)
  const unwanted = (read - best) * scale
  if (unwanted * bytesOfCell < MIN_UNWANTED_BYTES) return
  const bytes = (unwanted / cell_num) * stored_bytes
  yield advise('TILE_SHAPE', {
    message: `${span ?? 'tiles are long and thin'}: ${boxText(facts)} reads about ${Math.round(read * scale)} cells; with tiles of the same size in the proportions of the box it could be about ${Math.round(best * scale)}`,
    effect: {
      seconds: rounded(objectStoreSeconds(0, bytes)),
      cells: Math.round(unwanted),
      unfiltered_bytes: Math.round(unwanted * bytesOfCell),
      bytes: Math.round(bytes),
      share: (read - best) / read,
    },
    advice: rewriteLines(opened, shapeTiles(facts, typicalSides(opened.schema.domain.dimensions), tileSize(facts))),
  })
}

/** What a typical box reads, depending on the shape of the tiles. */
interface ShapeCosts {
  /** Number of cells in the tiles that the box touches. */
  read: number
  /** The same with tiles of the same size whose sides have the proportions of the box. */
  best: number
  /** A description of the present shape. */
  span: string | undefined
}

function denseCosts({ info }: FragmentFacts): ShapeCosts | undefined {
  if (!info.nonempty_domain) return undefined
  const { axes, cells_per_tile } = denseTileGrid(info.schema, info.nonempty_domain)
  if (axes.length < 2) return undefined
  const share = TYPICAL_SHARE ** (1 / axes.length)
  const sides = axes.map(({ low, high }) => Math.max(1, Number(high - low + 1n) * share))
  const box = sides.reduce((a, b) => a * b)
  const stretch = (cells_per_tile / box) ** (1 / axes.length)
  const cost = (extents: number[]): number =>
    extents.reduce((all, extent, d) => {
      const { low, high } = axes[d]
      return all * Math.min(Number(high - low + 1n) + extent - 1, sides[d] + extent - 1)
    }, 1)
  const { dimensions } = info.schema.domain
  const extents = axes.map(({ extent }) => Number(extent))
  const good = sides.map((side) => Math.max(1, Math.round(side * stretch)))
  return {
    read: cost(extents),
    best: cost(good),
    span: `tile extents are ${dimensions.map(({ name }, d) => `${name} ${extents[d]}`).join(', ')}`,
  }
}

async function sparseCosts(one: FragmentFacts): Promise<ShapeCosts | undefined> {
  const { info, cell_num } = one
  const { dimensions } = info.schema.domain
  const text = dimensions.map(({ cell_val_num }) => cell_val_num === 'var')
  if (dimensions.length < 2 || text.includes(true) || info.tile_num < 2) return undefined
  const boxes = (await tileBoxes(info.schema.domain, [one])).filter((box) => box.flat().every(Number.isFinite))
  if (boxes.length === 0) return undefined
  const domain = unionOfBoxes(boxes)
  // The length of a dimension may exceed the largest number.
  if (!domain.every(([low, high]) => Number.isFinite(high - low))) return undefined
  const cellsOfTile = cell_num / info.tile_num
  const asked = typicalBoxes(domain, boxes, text)
  const touched = asked.map((box) => boxes.filter((tile) => overlaps(tile, box)))
  const read = mean(touched.map(({ length }) => length)) * cellsOfTile
  const wanted = mean(asked.map((box, i) => sum(touched[i], (tile) => shareInside(tile, box)))) * cellsOfTile
  return {
    read,
    best: bestRead(wanted, typicalSides(dimensions), cellsOfTile),
    span: widestSpan(
      domain,
      boxes,
      dimensions.map(({ name }) => name),
    ),
  }
}

/** Describes the dimension in which tiles are longest, compared with the domain. */
function widestSpan(domain: Box, boxes: readonly Box[], names: readonly string[]): string | undefined {
  const spans = domain.map(([low, high], d) =>
    high > low ? mean(boxes.map((box) => (box[d][1] - box[d][0]) / (high - low))) : 0,
  )
  const most = spans.indexOf(Math.max(...spans))
  return `a tile spans ${percent(spans[most])} of ${names[most]} on average`
}

/** Text boxes do not prune if a value lies in more than this part of the tiles' boxes. */
const MIN_TOUCHED_SHARE = 0.3
/** Fragments with fewer tiles are not looked at. */
const MIN_BOXES = 16
/** Lower limit on the unfiltered bytes that a read of one value makes. */
const MIN_TOUCHED_BYTES = 256 * 1024
/** Number of values that are tried. */
const TRIED_VALUES = 64

/** Finds string dimensions whose ranges exclude few tiles. */
export async function* wideTextBoxes(facts: AdviceFacts): AsyncGenerator<AdvisedFinding> {
  const { examined, unfiltered_bytes, stored_bytes, opened } = facts
  const { dimensions } = opened.schema.domain
  const tiled = examined.filter(({ info }) => !info.dense && info.tile_num >= MIN_BOXES)
  const boxes = await tileBoxes(opened.schema.domain, tiled)
  if (boxes.length === 0) return
  for (const [d, { name, cell_val_num }] of dimensions.entries()) {
    if (cell_val_num !== 'var') continue
    const values = Array.from(
      { length: TRIED_VALUES },
      (_, i) => boxes[Math.floor((i * boxes.length) / TRIED_VALUES)][d][0],
    )
    const share = mean(
      values.map((value) => boxes.filter((box) => box[d][0] <= value && box[d][1] >= value).length / boxes.length),
    )
    if (share < MIN_TOUCHED_SHARE || share * unfiltered_bytes < MIN_TOUCHED_BYTES) continue
    yield advise('BOXES_NOT_PRUNING', {
      field: name,
      message: `a value of ${name} is in the boxes of ${percent(share)} of ${boxes.length} tiles: a range of ${name} reads them all`,
      effect: {
        seconds: rounded(objectStoreSeconds(0, share * stored_bytes)),
        bytes: Math.round(share * stored_bytes),
        unfiltered_bytes: Math.round(share * unfiltered_bytes),
        tiles: Math.round(share * boxes.length),
        share,
      },
      advice: rewriteLines(opened, {
        dimensions: [name, ...dimensions.map((one) => one.name).filter((one) => one !== name)],
      }),
    })
  }
}

export function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}

/** Number of cells in a tile that is neither small nor large: TileDB's default capacity. */
export const GOOD_CELLS = 10_000
/** Unfiltered bytes, in all fields, of a tile that is neither small nor large. */
const GOOD_BYTES = 1024 * 1024

/** The change to tiles of another size: another capacity, or extents in the same proportions. @param now @param wanted cells of a tile */
export function ofTileSize(opened: OpenedArray, now: number, wanted: number): Rewrite {
  const { array_type, domain } = opened.schema
  if (array_type === 'sparse') return { capacity: Math.max(1, Math.round(wanted)) }
  const stretch = (wanted / now) ** (1 / domain.dimensions.length)
  return extentsOf(
    opened,
    gridAxes(domain).map(({ extent }) => Number(extent) * stretch),
  )
}

/** Number of cells in a tile on average; padding counts. */
export function cellsPerTile({ fragments, cell_num }: AdviceFacts): number {
  const tiles = sum(fragments, ({ info }) => info.tile_num)
  return cell_num / Math.max(1, tiles)
}

/** Number of cells in a tile if the array is written anew: sparse tiles are then full. The padding of a tile that has all cells does not count. */
export function tileSize(facts: AdviceFacts): number {
  const { array_type, capacity } = facts.opened.schema
  if (array_type === 'sparse') return Math.min(Number(capacity), facts.cell_num)
  return Math.min(cellsPerTile(facts), cellNumOfBox(boxAroundCells(facts) ?? []))
}

/** Number of cells in a box of a dense array. */
export function cellNumOfBox(box: Box): number {
  return box.reduce((cells, [low, high]) => cells * (high - low + 1), 1)
}

/**
 * The change that gives tiles the proportions of a box. Extents do so in any domain. Hilbert order does not: its tiles have the
 * proportions of the domain, and all cells have one place in a domain that is far larger than the cells' box.
 *
 * @param sides by dimension: the part of the box around all cells that the box covers
 * @param size number of cells in a tile
 */
export function shapeTiles(facts: AdviceFacts, sides: readonly number[], size: number): Rewrite {
  const { opened, cell_num } = facts
  const { array_type, cell_order, domain } = opened.schema
  const box = boxAroundCells(facts) ?? []
  const lengths = box.map(([low, high], d) => high - low + stepOf(domain.dimensions[d]))
  const shares = tileShares(sides, size / (array_type === 'dense' ? cellNumOfBox(box) : cell_num))
  const change = extentsOf(
    opened,
    shares.map((share, d) => share * lengths[d]),
  )
  return cell_order === 'hilbert' ? { ...change, cell_order: 'row-major' } : change
}

/** The box around all cells; undefined if there are none. */
export function boxAroundCells({ fragments }: AdviceFacts): Box | undefined {
  const boxes = fragments.flatMap(({ box }) => (box.length > 0 ? [box] : []))
  return boxes.length > 0 ? unionOfBoxes(boxes) : undefined
}

/** The distance between adjacent coordinates: 1, or 0 for floats and texts. A range from 3 to 3 has a length only among integers. */
export function stepOf({ type, cell_val_num }: RangeType): number {
  return cell_val_num === 'var' || datatypeKind(type) === 'float' ? 0 : 1
}

/**
 * By dimension: the length of tiles in the proportions of a box. A tile is at most as long as the box around all cells. If that shortens
 * it along some dimensions, it is longer along the others.
 *
 * @param sides lengths of the box, as parts of the box around all cells
 * @param part the part of that box that a tile covers
 */
function tileShares(sides: readonly number[], part: number): number[] {
  const shares = sides.map(() => 1)
  let free = [...sides.keys()]
  for (;;) {
    const stretch = (part / free.reduce((product, d) => product * sides[d], 1)) ** (1 / free.length)
    const fitting = free.filter((d) => sides[d] * stretch < 1)
    if (fitting.length === free.length) {
      for (const d of free) shares[d] = sides[d] * stretch
      return shares
    }
    free = fitting
  }
}

/**
 * Estimates the cells that are read for a box if tiles have its proportions, and cells are spread evenly.
 * @param cells number of cells in the box
 * @param sides as for {@link tileShares}
 * @param size number of cells in a tile
 */
export function bestRead(cells: number, sides: readonly number[], size: number): number {
  const all = Math.max(1, cells) / sides.reduce((a, b) => a * b, 1)
  const shares = tileShares(sides, size / all)
  return sides.reduce((read, side, d) => read * Math.min(1, side + shares[d]), all)
}

/** The change to other tile extents. They are rounded, in sparse arrays to powers of two, and at most as long as the domain. */
export function extentsOf({ schema }: OpenedArray, extents: readonly number[]): Rewrite {
  const named = schema.domain.dimensions.flatMap((dimension, d): [string, number][] => {
    if (dimension.cell_val_num === 'var') return []
    const { min, max } = domainRange(dimension)
    const [low, high] = [min, max].map((end) => Number(comparable(dimension.type, end)))
    const step = stepOf(dimension)
    const length = high - low + step
    // Without an extent of its own, as if all cells have one coordinate, the tile is as long as the domain.
    const extent = Math.min(extents[d] || length, length)
    if (step === 0) return [[dimension.name, Math.min(length, Number(extent.toPrecision(3)))]]
    const whole = Math.max(1, Math.round(extent))
    // The last tile then ends inside the type in most domains, even if they end with the type. Rounded down, it is no longer than the domain.
    return [[dimension.name, schema.array_type === 'dense' ? whole : 2 ** Math.floor(Math.log2(whole))]]
  })
  return { tile_extents: Object.fromEntries(named) }
}
