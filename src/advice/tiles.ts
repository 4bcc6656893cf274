import { shortSize } from '../base/sizes.ts'
import { sum } from '../base/sum.ts'
import { type DenseAxis, denseTileGrid } from '../format/dense-tiles.ts'
import type { OpenedArray } from '../read/query.ts'
import { mean, overlaps, shareInside, TYPICAL_SHARE, typicalBoxes, typicalBoxText, unionOfBoxes } from './boxes.ts'
import { rounded, secondsOf } from './costs.ts'
import { type ArrayFacts, type Box, type FragmentFacts, tileBoxes } from './facts.ts'
import { advise, type Finding } from './finding.ts'
import { type Rewrite, rewriteLines } from './lines.ts'

/** Bytes that each tile of a data file takes in addition to its data: the number of chunks, and the lengths of one chunk. */
const BYTES_PER_TILE = 20
/** Lower limits on the stored bytes that describe tiles instead of holding data: as a part of the array, and in bytes. */
const MIN_OVERHEAD_SHARE = 0.2
const MIN_OVERHEAD_BYTES = 32 * 1024
/** Fragments with fewer tiles never have too many. */
const MIN_TILES = 100

/** Finds tiles that are so small that lists of tiles and headers of chunks take much of the array. */
export function* smallTiles(facts: ArrayFacts): Generator<Finding> {
  const { opened, fragments, examined, stored_bytes, unfiltered_bytes } = facts
  const tiled = fragments.filter(({ info }) => info.tile_num >= MIN_TILES)
  if (tiled.length === 0) return
  const tiles = sum(tiled, ({ info }) => info.tile_num)
  const ofTiles = sum(tiled, ({ info, files }) => info.tile_num * files * BYTES_PER_TILE)
  // Filters, too, add bytes to each chunk.
  const added = examined.length > 0 ? stored_bytes - unfiltered_bytes : 0
  const overhead = sum(tiled, ({ sections_bytes }) => sections_bytes) + Math.max(ofTiles, added)
  const all = stored_bytes + sum(fragments, ({ sections_bytes }) => sections_bytes)
  if (overhead < MIN_OVERHEAD_BYTES || overhead < MIN_OVERHEAD_SHARE * all) return
  const cells = Math.round(sum(tiled, ({ cell_num }) => cell_num) / tiles)
  const perTile = Math.round(unfiltered_bytes / sum(fragments, ({ info }) => info.tile_num))
  const size = examined.length > 0 ? `, ${shortSize(perTile)} in all fields` : ''
  const share = overhead / all
  yield advise('TILES_SMALL', {
    message: `${tiles} tiles of ${cells} cells${size}: ${percent(share)} of the stored bytes describe the tiles, and are not data`,
    effect: { seconds: rounded(secondsOf(0, overhead)), bytes: overhead, tiles, share },
    advice: rewriteLines(opened, ofTileSize(opened, cells, GOOD_CELLS)),
  })
}

/** A tile is large from this number of unfiltered bytes in all fields on. */
const LARGE_TILE = 8 * 1024 * 1024
/** Lower limit on the cells that are read per wanted cell. */
const MIN_READ_RATIO = 8

/** Finds tiles that are so large that the read of a small box gets much more than it needs. */
export function* largeTiles(facts: ArrayFacts): Generator<Finding> {
  const { opened, fragments, cell_num, unfiltered_bytes, stored_bytes } = facts
  const tiles = sum(fragments, ({ info }) => info.tile_num)
  const perTile = unfiltered_bytes / Math.max(1, tiles)
  if (perTile < LARGE_TILE) return
  const cellsPerTile = cell_num / tiles
  // A box of 1 % of the domain touches at least one tile.
  const share = Math.max(TYPICAL_SHARE, 1 / tiles)
  if (share / TYPICAL_SHARE < MIN_READ_RATIO) return
  const bytes = (share - TYPICAL_SHARE) * stored_bytes
  yield advise('TILES_LARGE', {
    message: `tiles of ${shortSize(Math.round(perTile))} in all fields: ${boxText(facts)} reads ${percent(share)} of the array or more`,
    effect: {
      seconds: rounded(secondsOf(0, bytes)),
      bytes: Math.round(bytes),
      unfiltered_bytes: Math.round((share - TYPICAL_SHARE) * unfiltered_bytes),
      tiles,
      share: share - TYPICAL_SHARE,
    },
    advice: rewriteLines(opened, ofTileSize(opened, cellsPerTile, (cellsPerTile / perTile) * GOOD_BYTES)),
  })
}

/** Describes the box of a typical read. */
function boxText({ opened: { schema }, fragments }: ArrayFacts): string {
  const { dimensions } = schema.domain
  const boxes = fragments.flatMap(({ box }) => (box.length === dimensions.length ? [box] : []))
  return typicalBoxText(dimensions, unionOfBoxes(boxes), schema.array_type === 'dense')
}

/**
 * Lower limits on a bad shape, compared with tiles of the same size and the best shape: the ratio of the cells that a box reads, and the
 * bytes that it reads more.
 */
const MIN_SHAPE_RATIO = 2.5
const MIN_UNWANTED_BYTES = 256 * 1024

/** Finds tiles that are long and thin, so that a box touches many of them. */
export async function* badShapes(facts: ArrayFacts): AsyncGenerator<Finding> {
  const { opened, examined, cell_num, unfiltered_bytes, stored_bytes, scale } = facts
  let change: Rewrite = { cell_order: 'hilbert' }
  let read = 0
  let best = 0
  let span: string | undefined
  for (const one of examined) {
    const costs = one.info.dense ? denseCosts(one) : await sparseCosts(one)
    if (!costs) continue
    read += costs.read
    best += costs.best
    span ??= costs.span
    if (costs.extents) change = { tile_extents: costs.extents }
  }
  if (read < MIN_SHAPE_RATIO * best) return
  const perCell = unfiltered_bytes / Math.max(1, cell_num)
  const more = (read - best) * scale
  if (more * perCell < MIN_UNWANTED_BYTES) return
  const bytes = (more / cell_num) * stored_bytes
  yield advise('TILE_SHAPE', {
    message: `${span ?? 'tiles are long and thin'}: ${boxText(facts)} reads about ${Math.round(read * scale)} cells; with tiles of the same size in another shape it would read ${Math.round(best * scale)}`,
    effect: {
      seconds: rounded(secondsOf(0, bytes)),
      cells: Math.round(more),
      unfiltered_bytes: Math.round(more * perCell),
      bytes: Math.round(bytes),
      share: (read - best) / read,
    },
    advice: rewriteLines(opened, change),
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
  /** Dense arrays: tile extents of the best shape. */
  extents?: Readonly<Record<string, number>> | undefined
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
    extents: Object.fromEntries(dimensions.map(({ name }, d) => [name, good[d]])),
    span: `tile extents are ${dimensions.map(({ name }, d) => `${name} ${extents[d]}`).join(', ')}`,
  }
}

async function sparseCosts(one: FragmentFacts): Promise<ShapeCosts | undefined> {
  const { info, cell_num } = one
  const { dimensions } = info.schema.domain
  const text = dimensions.map(({ cell_val_num }) => cell_val_num === 'var')
  const count = text.filter((isText) => !isText).length
  if (count < 2 || text.includes(true) || info.tile_num < 2) return undefined
  const boxes = (await tileBoxes(info.schema.domain, [one])).filter((box) => box.flat().every(Number.isFinite))
  if (boxes.length === 0) return undefined
  const domain = unionOfBoxes(boxes)
  // The length of a dimension may exceed the largest number.
  if (!domain.every(([low, high]) => Number.isFinite(high - low))) return undefined
  const perTile = cell_num / info.tile_num
  const asked = typicalBoxes(domain, boxes, text)
  const touched = asked.map((box) => boxes.filter((tile) => overlaps(tile, box)))
  const read = mean(touched.map(({ length }) => length)) * perTile
  const wanted = mean(asked.map((box, i) => sum(touched[i], (tile) => shareInside(tile, box)))) * perTile
  const best = wanted * (1 + (perTile / Math.max(1, wanted)) ** (1 / count)) ** count
  return {
    read,
    best,
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
const MIN_BOXES = 16
const MIN_TOUCHED_BYTES = 256 * 1024

/** Finds text dimensions whose ranges exclude few tiles. */
export async function* wideTextBoxes(facts: ArrayFacts): AsyncGenerator<Finding> {
  const { examined, unfiltered_bytes, stored_bytes, opened } = facts
  const { dimensions } = opened.schema.domain
  const all = examined.filter(({ info }) => !info.dense && info.tile_num >= MIN_BOXES)
  const boxes = await tileBoxes(opened.schema.domain, all)
  if (boxes.length === 0) return
  for (const [d, { name, cell_val_num }] of dimensions.entries()) {
    if (cell_val_num !== 'var') continue
    const values = Array.from({ length: 64 }, (_, i) => boxes[Math.floor((i * boxes.length) / 64)][d][0])
    const share = mean(
      values.map((value) => boxes.filter((box) => box[d][0] <= value && box[d][1] >= value).length / boxes.length),
    )
    if (share < MIN_TOUCHED_SHARE || share * unfiltered_bytes < MIN_TOUCHED_BYTES) continue
    yield advise('BOXES_NOT_PRUNING', {
      field: name,
      message: `a value of ${name} is in the boxes of ${percent(share)} of ${boxes.length} tiles: a range of ${name} reads them all`,
      effect: {
        seconds: rounded(secondsOf(0, share * stored_bytes)),
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
  const axes = axesOf(opened) ?? []
  return extentsOf(
    opened,
    axes.map(({ extent }) => Number(extent) * stretch),
  )
}

/** The change to other tile extents of a dense array. They are rounded, and at most as long as the domain. */
export function extentsOf(opened: OpenedArray, extents: readonly number[]): Rewrite {
  const lengths = domainLengths(opened) ?? []
  const { dimensions } = opened.schema.domain
  return {
    tile_extents: Object.fromEntries(
      extents.map((extent, d) => [dimensions[d].name, Math.min(lengths[d], Math.max(1, Math.round(extent)))]),
    ),
  }
}

/** By dimension: number of cells in the domain of a dense array. */
export function domainLengths(opened: OpenedArray): number[] | undefined {
  return axesOf(opened)?.map(({ domainLow, domainHigh }) => Number(domainHigh - domainLow + 1n))
}

function axesOf({ schema, fragments }: OpenedArray): DenseAxis[] | undefined {
  const domain = fragments.find(({ info }) => info.dense && info.nonempty_domain)?.info.nonempty_domain
  return domain && denseTileGrid(schema, domain).axes
}
