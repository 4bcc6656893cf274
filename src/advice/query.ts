import { sum } from '../base/sum.ts'
import type { RangeSets } from '../cells/bounds.ts'
import { tileCellNum, tileRole } from '../cells/tile-places.ts'
import type { PartCost } from '../explain/cost.ts'
import { visitsOfOne } from '../explain/dense-visits.ts'
import { RELEASE } from '../explain/memory/release.ts'
import type { ExplainQuery, ReadPlan } from '../explain/plan.ts'
import type { ReadCost } from '../explain/read-cost.ts'
import { GENERIC_TILE_READS } from '../explain/step-cost.ts'
import { denseTileGrid } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import { boxAround } from '../steps/cells.ts'
import { type Change, changeText } from './change.ts'
import { objectStoreSeconds, rounded } from './costs.ts'
import { type AdviceFacts, type Box, type FragmentFacts, requestsOf, tileBoxes } from './facts.ts'
import { compresses } from './filter-sizes.ts'
import { type AdvisedFinding, advise, type ReadCounts, type Remedy } from './finding.ts'
import { requestsAfterMerge } from './fragments.ts'
import { consolidationLines, type Rewrite, rewriteLines } from './lines.ts'
import { changedSchema, Remedies } from './remedies.ts'
import {
  bestRead,
  boxAroundCells,
  cellNumOfBox,
  cellsPerTile,
  GOOD_CELLS,
  MIN_READ_RATIO,
  MIN_SHAPE_RATIO,
  MIN_UNWANTED_BYTES,
  ofTileSize,
  shapeTiles,
  stepOf,
  tileSize,
} from './tiles.ts'

/** Codes of findings about typical reads. A query with ranges has findings of its own instead. */
export const CODES_OF_TYPICAL_READS: ReadonlySet<string> = new Set([
  'FRAGMENTS_OVERLAP',
  'TILE_SHAPE',
  'TILES_LARGE',
  'BOXES_NOT_PRUNING',
])

/** Ranges that touch fewer fragments make no finding. */
const MIN_TOUCHED_FRAGMENTS = 6

/** Finds that many fragments hold cells in the ranges. */
export function* touchedFragments(asked: ExplainQuery, facts: AdviceFacts, plan: ReadPlan): Generator<AdvisedFinding> {
  const touched = new Set(plan.tile_reads.flatMap(({ fragment, tiles }) => (tiles.length > 0 ? [fragment] : [])))
  if (touched.size < MIN_TOUCHED_FRAGMENTS) return
  const some = Array.from(touched, (fragment) => facts.fragments[fragment])
  const now = sum(some, requestsOf)
  const after = requestsAfterMerge(asked.opened, some)
  yield advise('FRAGMENTS_OVERLAP', {
    message: `the ranges touch tiles of ${touched.size} of ${facts.fragments.length} fragments: that takes about ${now} requests to S3, with one fragment about ${after}`,
    effect: {
      seconds: rounded(objectStoreSeconds(now - after, 0)),
      requests: now - after,
      fragments: touched.size,
      share: (now - after) / now,
    },
    advice: consolidationLines(asked.opened),
  })
}

/** Finds tiles that have a bad shape or are too large: the ranges need only a small part of them. */
export async function* overRead(
  { opened, query }: ExplainQuery,
  facts: AdviceFacts,
  plan: ReadPlan,
  counts: ReadCounts,
): AsyncGenerator<AdvisedFinding> {
  const wanted = await wantedCells(facts, query.ranges, plan)
  const touched = touchedTiles(facts, plan)
  const read = sum(touched, ({ tiles, tile_cells }) => tiles.length * tile_cells)
  if (wanted === undefined || read === 0 || read < MIN_READ_RATIO * wanted.cells) return
  const { all, cells, sides } = wanted
  const share = 1 - cells / read
  const unwantedBytes = bytesOf(counts) * share
  if (unwantedBytes < MIN_UNWANTED_BYTES) return
  const cellsOfTile = read / sum(touched, ({ tiles }) => tiles.length)
  const size = tileSize(facts)
  const shaped = shapeTiles(facts, sides, size)
  // Extents tell exactly what is read of a dense array. Where the cells of a sparse array are, only --exact knows.
  const isDense = opened.schema.array_type === 'dense'
  const best = isDense ? denseRead(shaped, opened, query.ranges).read : bestRead(cells, sides, size)
  const bytes = counts.stored_bytes * share
  const effect = {
    seconds: rounded(objectStoreSeconds(0, bytes)),
    cells: Math.round(read - cells),
    unfiltered_bytes: Math.round(unwantedBytes),
    bytes: Math.round(bytes),
    share,
  }
  const found = `${read} cells are read for ${countedCells(plan) === undefined ? 'about ' : ''}${Math.round(cells)} in the ranges`
  // A single tile is too large in any shape.
  if (sides.length > 1 && size < all && read >= MIN_SHAPE_RATIO * best) {
    const number = isDense ? `would be ${best}` : `could be about ${Math.round(best)}`
    const message = `${found}; with tiles in the proportions of the ranges it ${number}`
    yield advise('TILE_SHAPE', { message, effect, advice: rewriteLines(opened, shaped) })
  } else {
    const message = `${found}: tiles have ${Math.round(cellsOfTile)} cells`
    yield advise('TILES_LARGE', { message, effect, advice: rewriteLines(opened, smallerTiles(facts)) })
  }
}

/** The change to tiles of a tenth of the cells, without padding. */
function smallerTiles(facts: AdviceFacts): Rewrite {
  return ofTileSize(facts.opened, cellsPerTile(facts), Math.min(cellsPerTile(facts), tileSize(facts)) / 10)
}

/** What is read of a fragment. */
interface Touched {
  one: FragmentFacts
  /** Those of the field of which the most are read. */
  tiles: Uint32Array
  /** Number of cells in a tile. */
  tile_cells: number
}

function touchedTiles(facts: AdviceFacts, { tile_reads }: ReadPlan): Touched[] {
  const most = new Map<number, Uint32Array>()
  for (const { fragment, tiles } of tile_reads)
    if (tiles.length > (most.get(fragment)?.length ?? 0)) most.set(fragment, tiles)
  return Array.from(most, ([fragment, tiles]) => {
    const one = facts.fragments[fragment]
    const { tile_num, last_tile_cell_num, cells_per_tile } = one.info
    return { one, tiles, tile_cells: tile_num === 1 ? last_tile_cell_num : cells_per_tile }
  })
}

/** What the ranges of a query cover. */
interface Wanted {
  /** Number of cells of the array; if it is dense, of the box around all cells. */
  all: number
  /** Number of cells in the ranges: counted, or estimated as if each tile had its cells spread evenly over its box. */
  cells: number
  /** By dimension: the part of the box around all cells that the ranges cover. */
  sides: number[]
}

/** The number of cells that a read finds. Undefined if they were not counted; the DenseReader never counts them. */
function countedCells({ cells_found, reader }: ReadPlan): number | undefined {
  return reader === 'DenseReader' ? undefined : (cells_found ?? undefined)
}

/** What the ranges cover. Undefined without ranges, or if one is of texts: nobody knows how much of the dimension it covers. */
async function wantedCells(facts: AdviceFacts, ranges: RangeSets, plan: ReadPlan): Promise<Wanted | undefined> {
  const { opened, cell_num } = facts
  const { dimensions } = opened.schema.domain
  const box = boxAroundCells(facts)
  const limitsTexts = dimensions.some(({ cell_val_num }, d) => cell_val_num === 'var' && ranges.has(d))
  if (ranges.size === 0 || limitsTexts || !box) return undefined
  // A read of a dense array returns a cell once, however many fragments have it.
  const isDense = opened.schema.array_type === 'dense'
  const all = isDense ? cellNumOfBox(box) : cell_num
  const sides = sharesInside(box, ranges, dimensions).map((share) => Math.min(1, Math.max(share, 1 / all)))
  const evenly = sides.reduce((cells, side) => cells * side, all)
  const cells = countedCells(plan) ?? (isDense ? undefined : await cellsByBoxes(facts, ranges, plan)) ?? evenly
  return { all, cells, sides }
}

/** Estimates the cells in the ranges from the boxes of tiles. Undefined if these take too long to read. */
async function cellsByBoxes(facts: AdviceFacts, ranges: RangeSets, plan: ReadPlan): Promise<number | undefined> {
  const { domain } = facts.opened.schema
  let cells = 0
  for (const { one, tiles } of touchedTiles(facts, plan)) {
    const boxes = facts.examined.includes(one) ? await tileBoxes(domain, [one]) : []
    for (const tile of tiles) {
      if (!boxes[tile]) return undefined
      const shares = sharesInside(boxes[tile], ranges, domain.dimensions)
      cells += shares.reduce((inside, share) => inside * share, tileCellNum(one.info, tile))
    }
  }
  return cells
}

/** By dimension: the part of a box that ranges cover. */
function sharesInside(box: Box, ranges: RangeSets, dimensions: readonly Dimension[]): number[] {
  return box.map(([low, high], d) => {
    const step = stepOf(dimensions[d])
    const share = sum(ranges.get(d) ?? [{ low, high }], (range) => {
      const from = Math.max(low, Number(range.low ?? low))
      const to = Math.min(high, Number(range.high ?? high))
      if (from > to) return 0
      return high - low + step > 0 ? (to - from + step) / (high - low + step) : 1
    })
    return Math.min(1, share)
  })
}

/** Adds to each finding what the query would cost after its remedies. Leaves out remedies that do not help. */
export async function withRemedies(
  findings: readonly AdvisedFinding[],
  asked: ExplainQuery,
  facts: AdviceFacts,
  plan: ReadPlan,
  cost: ReadCost,
): Promise<AdvisedFinding[]> {
  const remedies = new Remedies(asked, facts, plan, cost)
  const out: AdvisedFinding[] = []
  for (const finding of findings) {
    const changes = await changesFor(finding, asked, facts, plan)
    const found: { change: Change; remedy: Remedy }[] = []
    for (const change of changes) {
      const remedy =
        (await remedies.of(change)) ?? estimated(change, { query: asked.query, facts, plan, cost }, remedies.now)
      if (remedy) found.push({ change, remedy })
    }
    found.sort((a, b) => bytesOf(a.remedy.after) - bytesOf(b.remedy.after))
    const best = found.filter(({ remedy }) => helps(remedy))
    // A finding is dropped if the computed remedies show that no change helps.
    const tried = found.some(({ remedy }) => remedy.basis === 'computed')
    if (tried && best.length === 0 && CODES_THAT_MUST_HELP.has(finding.code)) continue
    const [first] = best
    const advice = first && !('consolidate' in first.change) ? rewriteLines(asked.opened, first.change) : finding.advice
    out.push({
      ...finding,
      advice,
      remedies: found.length > 0 ? best.slice(0, 2).map(({ remedy }) => remedy) : undefined,
    })
  }
  return out
}

/** Codes of findings that are dropped if no remedy {@link helps}. */
const CODES_THAT_MUST_HELP: ReadonlySet<string> = new Set([...CODES_OF_TYPICAL_READS, 'FRAGMENTS_MANY'])
/** A remedy must save at least this part of the tiles, of the bytes or of the read operations. */
const MIN_SAVED_SHARE = 0.1

function helps({ before, after }: Remedy): boolean {
  const isLess = (then: number, now: number): boolean => now > 0 && then <= (1 - MIN_SAVED_SHARE) * now
  return (
    isLess(after.tiles_read, before.tiles_read) ||
    isLess(bytesOf(after), bytesOf(before)) ||
    isLess(after.reads, before.reads)
  )
}

/** The bytes that a read makes of tiles. TileDB counts no unfiltered bytes of files without filters. */
function bytesOf({ unfiltered_bytes, stored_bytes }: ReadCounts): number {
  return Math.max(unfiltered_bytes, stored_bytes)
}

async function changesFor(
  { code }: AdvisedFinding,
  { query }: ExplainQuery,
  facts: AdviceFacts,
  plan: ReadPlan,
): Promise<Change[]> {
  const { opened } = facts
  const { schema } = opened
  if (code === 'FRAGMENTS_MANY' || code === 'FRAGMENTS_OVERLAP') return [{ consolidate: true }]
  if (code === 'TILES_SMALL') return [ofTileSize(opened, cellsPerTile(facts), GOOD_CELLS)]
  if (code === 'TILES_LARGE') return [smallerTiles(facts)]
  if (code !== 'TILE_SHAPE') return []
  const wanted = await wantedCells(facts, query.ranges, plan)
  const shaped = wanted ? [shapeTiles(facts, wanted.sides, tileSize(facts))] : []
  if (schema.array_type === 'dense') return shaped
  const hasTexts = schema.domain.dimensions.some(({ cell_val_num }) => cell_val_num === 'var')
  const orders = ['hilbert', 'row-major', 'col-major'] as const
  const others = orders.filter((order) => order !== schema.cell_order && !(hasTexts && order === 'hilbert'))
  return [...shaped, ...others.map((cell_order) => ({ cell_order }))]
}

/**
 * What a query reads of a dense array that is written with other extents, as one fragment: tiles of a field, the cells of these tiles, and
 * how many of them are no padding.
 */
function denseRead(change: Rewrite, { schema, fragments }: OpenedArray, ranges: RangeSets) {
  const changed = changedSchema(schema, change)
  const box = boxAround(fragments, schema.domain.dimensions)
  const { tiles, written } = visitsOfOne(changed, box, ranges)
  return { tiles, read: tiles * denseTileGrid(changed, box).cells_per_tile, written }
}

/** Upper limit on the growth of a tile whose stored bytes are estimated. */
const MAX_GROWTH = 2

/**
 * The effect of other extents of a dense array. The extents tell its tiles exactly. The stored bytes are estimated, as if values were compressed
 * as well as now, and padding took no bytes. Of sparse arrays only --remedies tells what changes do: which boxes other tiles have, and how
 * many cells, hidden cells and timestamps are in consolidated ones.
 */
function estimated(
  change: Change,
  { query, facts, plan, cost }: { query: ExplainQuery['query']; facts: AdviceFacts; plan: ReadPlan; cost: ReadCost },
  before: ReadCounts,
): Remedy | undefined {
  const { opened } = facts
  if ('consolidate' in change || plan.reader !== 'DenseReader') return undefined
  // A rewrite adds the attributes that some fragments lack.
  const hasAll = ({ info: { slots } }: OpenedFragment): boolean =>
    opened.schema.attributes.every(({ name }) => slots.some((slot) => slot.name === name))
  if (!opened.fragments.every(hasAll)) return undefined
  const now = { tiles: 0, read: 0, written: 0 }
  for (const { fragment, tiles_touched, tiles_dropped, cells_read } of plan.fragments) {
    const { schema, nonempty_domain } = opened.fragments[fragment].info
    const tiles = tiles_touched - tiles_dropped
    if (tiles === 0 || !nonempty_domain) continue
    now.tiles += tiles
    now.read += cells_read
    now.written += visitsOfOne(schema, nonempty_domain, query.ranges).written * (tiles / tiles_touched)
  }
  if (now.tiles === 0) return undefined
  const then = denseRead(change, opened, query.ranges)
  // Far larger tiles are compressed better than small ones.
  if (then.read / then.tiles > MAX_GROWTH * (now.read / now.tiles)) return undefined
  const parts = cost.tiles.fields.flatMap((field) => field.parts)
  const bytesThen = (key: 'unfiltered_bytes' | 'stored_bytes', skipsPadding: (part: PartCost) => boolean): number =>
    Math.round(
      sum(parts, (part) => part[key] * (skipsPadding(part) ? then.written / now.written : then.read / now.read)),
    )
  const after: ReadCounts = {
    tiles_read: Math.round((before.tiles_read * then.tiles) / now.tiles),
    cells_read: 0,
    unfiltered_bytes: bytesThen('unfiltered_bytes', ({ role }) => role === 'var'),
    stored_bytes: bytesThen('stored_bytes', ({ role, filters }) => role === 'var' || filters.some(compresses)),
    reads: readsAfter(facts, plan, cost, then.tiles),
  }
  return { change: changeText(change), basis: 'estimated', before, after }
}

/** Read operations for the length of a footer, and for the footer. */
const FOOTER_READS = 2

/**
 * The read operations after the array was rewritten as one fragment: to open it, to read the same sections of its metadata, and its files.
 * @param tiles number of tiles of a field. In a small file one operation reads them all.
 */
function readsAfter({ files, fragments, scale }: AdviceFacts, plan: ReadPlan, cost: ReadCost, tiles: number): number {
  const sections = new Set(
    plan.metadata_reads.map(({ section, fragment, slot }) => {
      const name = slot === undefined ? '' : fragments[fragment].info.slots[slot].name
      return `${section} ${name}`
    }),
  )
  const read = cost.tiles.fields.flatMap(({ name, parts }) => parts.map(({ role }) => ({ name, role })))
  const reads = sum(read, ({ name, role }) => {
    const file = files.find((one) => one.field === name && tileRole(one) === role)
    return file && file.stored_bytes * scale > RELEASE.settings['vfs.min_batch_size'] ? Math.ceil(tiles) : 1
  })
  const enumerations = sum(cost.steps, (step) => (step.name === 'enumerations' ? step.reads : 0))
  return GENERIC_TILE_READS * (1 + sections.size) + FOOTER_READS + enumerations + reads
}
