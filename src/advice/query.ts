import { sum } from '../base/sum.ts'
import type { RangeSets } from '../cells/bounds.ts'
import { tileRole } from '../cells/tile-places.ts'
import { MIN_BATCH_BYTES } from '../explain/batches.ts'
import type { ExplainQuery, ReadPlan } from '../explain/plan.ts'
import type { ReadCost } from '../explain/read-cost.ts'
import { GENERIC_TILE_READS } from '../explain/step-cost.ts'
import { rounded, secondsOf } from './costs.ts'
import { type ArrayFacts, requestsOf } from './facts.ts'
import { advise, type Finding, type ReadCounts, type Remedy } from './finding.ts'
import { requestsAfterMerge } from './fragments.ts'
import { consolidationLines, type Rewrite, rewriteLines } from './lines.ts'
import { type Change, Remedies, textOf } from './remedies.ts'
import { domainLengths, extentsOf, GOOD_CELLS, ofTileSize } from './tiles.ts'

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
export function* touchedFragments(asked: ExplainQuery, facts: ArrayFacts, plan: ReadPlan): Generator<Finding> {
  const touched = new Set(plan.tile_reads.flatMap(({ fragment, tiles }) => (tiles.length > 0 ? [fragment] : [])))
  if (touched.size < MIN_TOUCHED_FRAGMENTS) return
  const some = Array.from(touched, (fragment) => facts.fragments[fragment])
  const now = sum(some, requestsOf)
  const after = requestsAfterMerge(asked.opened, some)
  yield advise('FRAGMENTS_OVERLAP', {
    message: `the ranges touch tiles of ${touched.size} of ${facts.fragments.length} fragments: that takes about ${now} requests to S3, with one fragment about ${after}`,
    effect: {
      seconds: rounded(secondsOf(now - after, 0)),
      requests: now - after,
      fragments: touched.size,
      share: (now - after) / now,
    },
    advice: consolidationLines(asked.opened),
  })
}

/** Lower limits of a finding: cells that are read per wanted cell, and unfiltered bytes that are read in vain. */
const MIN_READ_RATIO = 8
const MIN_UNWANTED_BYTES = 256 * 1024
/** A shape is bad if the read has this many times the cells that it would have with tiles in the proportions of the ranges. */
const MIN_SHAPE_RATIO = 2.5

/** Finds tiles that have a bad shape or are too large: the ranges need only a small part of them. */
export function* overRead(
  { opened, query }: ExplainQuery,
  facts: ArrayFacts,
  plan: ReadPlan,
  counts: ReadCounts,
): Generator<Finding> {
  const wanted = wantedCells(facts, query.ranges, plan)
  const touched = touchedTiles(facts, plan)
  const read = sum(touched, ({ tiles, perTile }) => tiles * perTile)
  if (wanted === undefined || read === 0 || read < MIN_READ_RATIO * wanted.cells) return
  const { cells, sides } = wanted
  // TileDB counts no unfiltered bytes for files without filters.
  const unwantedBytes = Math.max(counts.unfiltered_bytes, counts.stored_bytes) * (1 - cells / read)
  if (unwantedBytes < MIN_UNWANTED_BYTES) return
  const perTile = read / sum(touched, ({ tiles }) => tiles)
  const n = sides.length
  const { array_type, capacity } = opened.schema
  // A rewrite makes sparse tiles full.
  const size = array_type === 'sparse' ? Math.min(Number(capacity), facts.cell_num) : perTile
  const best = bestRead(cells, size, n)
  const share = 1 - cells / read
  const bytes = counts.stored_bytes * share
  const effect = {
    seconds: rounded(secondsOf(0, bytes)),
    cells: Math.round(read - cells),
    unfiltered_bytes: Math.round(unwantedBytes),
    bytes: Math.round(bytes),
    share,
  }
  const found = `${read} cells are read for ${countedCells(plan) === undefined ? 'about ' : ''}${Math.round(cells)} in the ranges`
  if (n > 1 && read >= MIN_SHAPE_RATIO * best) {
    const message = `${found}; with tiles in the proportions of the ranges it would be about ${Math.round(best)}`
    const change = shapeOf(facts, sides, perTile)
    yield advise('TILE_SHAPE', { message, effect, advice: rewriteLines(opened, change) })
  } else {
    const message = `${found}: tiles have ${Math.round(perTile)} cells`
    const advice = rewriteLines(opened, ofTileSize(opened, perTile, perTile / 10))
    yield advise('TILES_LARGE', { message, effect, advice })
  }
}

/** For each fragment: how many tiles are read of one field (the most of any field), and the cells of a tile. */
function touchedTiles(facts: ArrayFacts, { tile_reads }: ReadPlan): { tiles: number; perTile: number }[] {
  const most = new Map<number, number>()
  for (const { fragment, tiles } of tile_reads) most.set(fragment, Math.max(most.get(fragment) ?? 0, tiles.length))
  return Array.from(most, ([fragment, tiles]) => {
    const { info } = facts.fragments[fragment]
    return { tiles, perTile: info.tile_num === 1 ? info.last_tile_cell_num : info.cells_per_tile }
  }).filter(({ tiles }) => tiles > 0)
}

/** What the ranges of a query cover. */
interface Wanted {
  /** Number of cells in the ranges: counted, or estimated from the part of the domain that they cover. */
  cells: number
  /** By dimension: the part of the domain that the ranges cover. */
  sides: number[]
}

/** The number of cells that a read finds. Undefined if they were not counted; the DenseReader never counts them. */
function countedCells({ cells_found, reader }: ReadPlan): number | undefined {
  return reader === 'DenseReader' ? undefined : (cells_found ?? undefined)
}

/** Undefined if there are no ranges, or if one limits a text dimension: it is unknown how much of the dimension it covers. */
function wantedCells(
  { opened, fragments, cell_num }: ArrayFacts,
  ranges: RangeSets,
  plan: ReadPlan,
): Wanted | undefined {
  const { dimensions } = opened.schema.domain
  if (ranges.size === 0) return undefined
  // A dense cell is one step wide, so that a range of a single cell still covers a part of the dimension.
  const dense = opened.schema.array_type === 'dense'
  const step = dense ? 1 : 0
  // A read of a dense array returns a cell once, however many fragments have it.
  let all = dense ? 1 : cell_num
  const sides: number[] = []
  for (const [d, { cell_val_num }] of dimensions.entries()) {
    if (cell_val_num === 'var') {
      if (ranges.has(d)) return undefined
      sides.push(1)
      continue
    }
    const boxes = fragments.flatMap(({ box }) => (box.length > 0 ? [box[d]] : []))
    const low = Math.min(...boxes.map(([from]) => from))
    const high = Math.max(...boxes.map(([, to]) => to))
    const whole = Math.max(high - low + step, Number.MIN_VALUE)
    const part = sum(ranges.get(d) ?? [{ low, high }], (range) => {
      const from = Math.max(low, Number(range.low ?? low))
      const to = Math.min(high, Number(range.high ?? high))
      return Math.max(0, to - from + step) / whole
    })
    if (dense) all *= whole
    sides.push(Math.min(1, Math.max(part, 1 / all)))
  }
  return { cells: countedCells(plan) ?? sides.reduce((cells, side) => cells * side, all), sides }
}

/** The change that gives tiles of `perTile` cells the proportions of the ranges. */
function shapeOf({ opened }: ArrayFacts, sides: readonly number[], perTile: number): Rewrite {
  const domain = domainLengths(opened)
  if (!domain) return { cell_order: 'hilbert' }
  const lengths = domain.map((length, d) => Math.max(1, length * sides[d]))
  const stretch = (perTile / lengths.reduce((a, b) => a * b)) ** (1 / lengths.length)
  return extentsOf(
    opened,
    lengths.map((length) => length * stretch),
  )
}

/**
 * Estimates the cells that are read for a box if the tiles have its proportions.
 * @param cells number of cells in the box
 * @param perTile number of cells in a tile
 * @param n number of dimensions
 */
function bestRead(cells: number, perTile: number, n: number): number {
  const wanted = Math.max(1, cells)
  return wanted * (1 + (perTile / wanted) ** (1 / n)) ** n
}

/** Adds to each finding what the query would cost after its remedies. Leaves out remedies that do not help. */
export async function withRemedies(
  findings: readonly Finding[],
  asked: ExplainQuery,
  facts: ArrayFacts,
  plan: ReadPlan,
  cost: ReadCost,
): Promise<Finding[]> {
  const remedies = new Remedies(asked, facts, plan, cost)
  const out: Finding[] = []
  for (const finding of findings) {
    const changes = changesFor(finding, asked, facts, plan)
    const found: { change: Change; remedy: Remedy }[] = []
    for (const change of changes) {
      const remedy = (await remedies.of(change)) ?? estimated(change, asked, facts, plan, cost, remedies.now)
      if (remedy) found.push({ change, remedy })
    }
    found.sort((a, b) => a.remedy.after.unfiltered_bytes - b.remedy.after.unfiltered_bytes)
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

/** Codes of findings that are dropped if no remedy reads less, or with fewer requests. */
const CODES_THAT_MUST_HELP: ReadonlySet<string> = new Set([...CODES_OF_TYPICAL_READS, 'FRAGMENTS_MANY'])
/** Lower limit on the part of the tiles, of the unfiltered bytes or of the requests that a remedy must save. */
const MIN_SAVED_SHARE = 0.1

function helps({ before, after }: Remedy): boolean {
  const kept = 1 - MIN_SAVED_SHARE
  return (['tiles_read', 'unfiltered_bytes', 'requests'] as const).some((key) => after[key] <= kept * before[key])
}

function changesFor({ code }: Finding, { query }: ExplainQuery, facts: ArrayFacts, plan: ReadPlan): Change[] {
  const { opened, cell_num, fragments } = facts
  const { schema } = opened
  const dense = schema.array_type === 'dense'
  const tiles = sum(fragments, ({ info }) => info.tile_num)
  const perTile = cell_num / Math.max(1, tiles)
  if (code === 'FRAGMENTS_MANY' || code === 'FRAGMENTS_OVERLAP') return [{ consolidate: true }]
  if (code === 'TILES_SMALL') return [ofTileSize(opened, perTile, GOOD_CELLS)]
  if (code === 'TILES_LARGE') return [ofTileSize(opened, perTile, perTile / 10)]
  if (code !== 'TILE_SHAPE') return []
  if (dense) {
    const wanted = wantedCells(facts, query.ranges, plan)
    return wanted ? [shapeOf(facts, wanted.sides, perTile)] : []
  }
  const numbers = schema.domain.dimensions.every(({ cell_val_num }) => cell_val_num !== 'var')
  const orders = ['hilbert', 'row-major', 'col-major'] as const
  return orders
    .filter((order) => order !== schema.cell_order && (numbers || order !== 'hilbert'))
    .map((cell_order) => ({ cell_order }))
}

/** Estimates the effect of a change from boxes and sizes, as if the cells were spread evenly. */
function estimated(
  change: Change,
  { query }: ExplainQuery,
  facts: ArrayFacts,
  plan: ReadPlan,
  cost: ReadCost,
  before: ReadCounts,
): Remedy | undefined {
  const { opened } = facts
  // Only --exact tells what these changes do: how many cells, hidden cells and timestamps consolidated tiles have, and which boxes
  // tiles of another order have.
  if ('consolidate' in change || change.cell_order !== undefined) return undefined
  const touched = touchedTiles(facts, plan)
  if (touched.length === 0) return undefined
  const read = sum(touched, ({ tiles, perTile }) => tiles * perTile)
  const perTile = sum(touched, (one) => one.perTile) / touched.length
  const wanted = wantedCells(facts, query.ranges, plan)
  const n = opened.schema.domain.dimensions.length
  const cellsFor = (cells: number, size: number): number => (wanted ? bestRead(cells, size, n) : cells)
  const all = wanted?.cells ?? read
  const now = touched.length * cellsFor(all / touched.length, perTile)
  const size = sizeOf(change, perTile)
  const then = cellsFor(all, size)
  // Extents in the proportions of the ranges are assumed to give the best shape. Other changes keep the shape.
  const shaped = change.capacity === undefined && Math.abs(size / perTile - 1) < 0.5
  const cells = Math.round(Math.min(read, shaped ? then : read * (then / now)))
  const part = read === 0 ? 1 : cells / read
  const fields = new Set(plan.tile_reads.map(({ slot }) => slot)).size
  const tiles_read = Math.max(fields, Math.round(before.tiles_read * part * (perTile / size)))
  const after: ReadCounts = {
    tiles_read,
    cells_read: Math.round(before.cells_read * part),
    unfiltered_bytes: Math.round(before.unfiltered_bytes * part),
    stored_bytes: Math.round(before.stored_bytes * part),
    requests: requestsAfter(facts, plan, cost, tiles_read / fields),
  }
  return { change: textOf(change), basis: 'estimated', before, after }
}

/** Read operations for the length of a footer, and for the footer. */
const FOOTER_READS = 2

/**
 * The read operations after the array was rewritten as one fragment: to open it, to read the same sections of its metadata, and its files.
 * @param tiles number of tiles of a field. In a small file one operation reads them all.
 */
function requestsAfter({ files, fragments, scale }: ArrayFacts, plan: ReadPlan, cost: ReadCost, tiles: number): number {
  const sections = new Set(
    plan.metadata_reads.map(({ section, fragment, slot }) => {
      const name = slot === undefined ? '' : fragments[fragment].info.slots[slot].name
      return `${section} ${name}`
    }),
  )
  const read = cost.tiles.fields.flatMap(({ name, parts }) => parts.map(({ role }) => ({ name, role })))
  const reads = sum(read, ({ name, role }) => {
    const file = files.find((one) => one.field === name && tileRole(one) === role)
    return file && file.stored_bytes * scale > MIN_BATCH_BYTES ? Math.ceil(tiles) : 1
  })
  const enumerations = sum(cost.steps, (step) => (step.name === 'enumerations' ? step.reads : 0))
  return GENERIC_TILE_READS * (1 + sections.size) + FOOTER_READS + enumerations + reads
}

/** Number of cells in a tile after a change. @param now number of cells before */
function sizeOf({ capacity, tile_extents }: Rewrite, now: number): number {
  if (tile_extents) return Object.values(tile_extents).reduce((a, b) => a * b, 1)
  return capacity ?? now
}
