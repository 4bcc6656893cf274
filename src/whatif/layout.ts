import { type Change, changeText } from '../advice/change.ts'
import type { StorageReadCounts } from '../advice/finding.ts'
import { arrayInMemory, consolidatedInMemory } from '../advice/in-memory.ts'
import { changedSchema, countsOfRead } from '../advice/remedies.ts'
import { InspectError, unlessFault, withHint } from '../base/errors.ts'
import type { Memory } from '../base/memory.ts'
import { sum } from '../base/sum.ts'
import { comparable } from '../cells/bounds.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { unfilteredFileSize } from '../objects/file-sizes.ts'
import { storedCellNum } from '../objects/fragment.ts'
import { metadataSections } from '../objects/metadata-sections.ts'
import type { OpenedArray, OpenedFragment, ReadQuery } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { boxAround, cellsToRewrite } from '../steps/cells.ts'
import { withSource } from '../storage/source.ts'
import type { FragmentCellsToWrite } from '../write/ndjson-cells.ts'
import { type SampleBox, sampleBoxes } from './sample-boxes.ts'

/** Number and sizes of what fragments consist of. */
interface Sizes {
  fragment_num: number
  tile_num: number
  /** Bytes of the data files. */
  data_size: number
  /** Bytes of the fragments' metadata. */
  fragment_metadata_size: number
  /** Bytes of the R-trees in it. */
  rtree_size: number
  /** Bytes of the minima, maxima, sums and null counts in it. */
  statistics_size: number
}

/** The size of an array with other tiles, or with its cells in another order. */
export interface TriedLayout extends Sizes {
  /** What was changed, in words; empty for the array as it is. */
  change: string
  /** Number of cells in the boxes from which the sizes were estimated; null if they were not estimated. */
  sample_cell_num: number | null
  /** Cost of the read that the user asked about; null without one, and if only boxes were written. */
  read_cost: StorageReadCounts | null
}

/** A change that writes all cells that readers see anew, in one fragment. */
export type LayoutChange = Exclude<Change, { consolidate: true }>

/** Filters of fields, by name, and of the offsets and the validity of all fields. */
export interface NewFilters {
  fields: ReadonlyMap<string, readonly FilterConfig[]>
  offsets?: readonly FilterConfig[] | undefined
  validity?: readonly FilterConfig[] | undefined
}

/** Limits on the cells and unfiltered bytes of an array that is written anew in memory as a whole. It takes about 200 MB of memory. */
const MAX_CELLS = 1_000_000
const MAX_BYTES = 16 * 1024 * 1024
/** With little memory the limits are less: what a cell takes then, and how often its bytes are held. */
const CELL_BYTES = 200
const TIMES_HELD = 12
/** Number of boxes of a larger array that are written anew instead. */
const BOXES = 4
/** Limits on the cells and unfiltered bytes of all these boxes. */
const BOX_CELLS = 400_000
const BOX_BYTES = 8 * 1024 * 1024

/** Cells of an array, and their unfiltered bytes. */
export interface CellTotals {
  cells: number
  bytes: number
}

export async function cellTotals({ fragments }: OpenedArray): Promise<CellTotals> {
  let [cells, bytes] = [0, 0]
  for (const { fragment, info } of fragments) {
    cells += storedCellNum(info)
    for (const file of await fragment.fieldFiles()) bytes += await unfilteredFileSize(fragment, file)
    fragment.forget()
  }
  return { cells, bytes }
}

/** Whether an array can be written anew as a whole, with the memory of the run. @param most limit on the cells */
export function isSmall({ cells, bytes }: CellTotals, { room }: Memory, most = MAX_CELLS): boolean {
  return cells <= Math.min(most, room / CELL_BYTES) && bytes <= Math.min(MAX_BYTES, room / TIMES_HELD)
}

/**
 * Yields the layout of the array as it is, then with each change, made in memory. A small array is consolidated, if TileDB would do
 * that, or all its cells are written anew. Of a large array some boxes are written anew, and the whole is estimated from them.
 * @throws InspectError TOO_LARGE if a tile has too many cells
 */
export async function* tryLayouts(
  opened: OpenedArray,
  changes: readonly Change[],
  filters: NewFilters,
  codecs: Codecs,
  { extent, seed, query }: { extent: CellTotals; seed: string; query?: ReadQuery | undefined },
): AsyncGenerator<TriedLayout> {
  const now = await measure(opened.fragments)
  const withRead = async (layout: TriedLayout, changed: OpenedArray, before?: OpenedArray): Promise<TriedLayout> => {
    if (!query) return layout
    const { counts, cost } = await countsOfRead({ opened: changed, query, exact: true }, before)
    return { ...layout, read_cost: { ...counts, vfs_bytes: sum(cost.steps, ({ bytes }) => bytes) } }
  }
  yield withRead(layoutOf(now, ''), opened)
  const schema = { ...opened.schema, dimension_labels: [] }
  const { memory } = opened.array.cx
  const rewritten = (cells: FragmentCellsToWrite, changed: ArraySchema): Promise<OpenedArray> =>
    arrayInMemory(changed, [cells], codecs)
  for (const change of changes) {
    if ('consolidate' in change) {
      const consolidated = isSmall(extent, memory)
        ? await consolidatedInMemory(opened, codecs).catch(unlessFault)
        : undefined
      if (consolidated)
        yield withRead(layoutOf(await measure(consolidated.fragments), changeText(change)), consolidated, opened)
      continue
    }
    const changed = schemaWith(schema, change, filters)
    // A dense fragment has whole tiles, however few of their cells are written.
    if (changed.array_type === 'dense') refuseBox(tileCellsOf(changed) * (extent.bytes / extent.cells), memory)
    if (isSmall(extent, memory)) {
      const whole = await rewritten(await cellsToRewrite(opened), changed)
      yield withRead(layoutOf(await measure(whole.fragments), changeText(change)), whole)
      continue
    }
    const most = Math.min(BOX_BYTES, memory.room / TIMES_HELD)
    const room = Math.min(BOX_CELLS, memory.room / CELL_BYTES, (most / extent.bytes) * extent.cells)
    const boxes = await sampleBoxes(opened, { cells: room, count: BOXES, seed }, changed.domain.dimensions)
    const [before, after]: Measured[][] = [[], []]
    let [taken, stored] = [0, 0]
    for (const box of boxes) {
      if (box.cells > MAX_OF_A_BOX) throw tooLarge(box.cells)
      refuseBox(box.cells * (extent.bytes / extent.cells), memory)
      const cells = await cellsToRewrite(opened, box)
      if (cells.cell_num === 0) continue
      taken += cells.cell_num
      stored += await storedIn(opened, box, cells.cell_num)
      // The present sizes say nothing about one fragment if there are several.
      if (opened.fragments.length === 1)
        before.push(await measure((await rewritten(cells, schemaWith(schema, {}, { fields: new Map() }))).fragments))
      after.push(await measure((await rewritten(cells, changed)).fragments))
    }
    if (taken === 0) continue
    const cells = taken * ((schema.array_type === 'dense' ? cellsIn(opened) : extent.cells) / stored)
    const whole = scale(after, cells / taken, tilesOf(opened, changed, cells), growthOf(before, now))
    // The present size, estimated from the same boxes, tells how much the boxes differ from the rest.
    if (before.length > 0) whole.data_size *= now.data_size / (sum(before, (part) => part.data_size) * (cells / taken))
    yield { ...layoutOf(whole, changeText(change)), sample_cell_num: taken }
  }
}

/** Refuses a box whose unfiltered bytes memory cannot hold several times. @throws InspectError TOO_LARGE */
function refuseBox(bytes: number, { room }: Memory): void {
  const most = Math.floor(room / TIMES_OF_BOX)
  if (bytes <= most) return
  const fault = {
    expected: `at most ${most} unfiltered bytes in the cells of a tile that are written anew`,
    found: `${Math.ceil(bytes)}`,
  }
  throw new InspectError('TOO_LARGE', withHint(fault, '(a ninth of --memory)'))
}

/** Number of cells of a dense tile. */
function tileCellsOf({ domain }: ArraySchema): number {
  return domain.dimensions.reduce((cells, { type, tile_extent }) => {
    // A type with a sign may be too small for the extent, which has none.
    return tile_extent ? cells * Math.abs(Number(integerOf(type, tile_extent))) : cells
  }, 1)
}

/** How often memory holds the bytes of a box, as a share of {@link Memory.room}: as they were and as they are written. */
const TIMES_OF_BOX = 3

/** Limit on the cells of one box. A box of a dense array cannot be smaller than a tile. */
const MAX_OF_A_BOX = 1_000_000

function tooLarge(cells: number): InspectError {
  const found = `found about ${Math.round(cells)} in the smallest box of whole tiles`
  return new InspectError('TOO_LARGE', `whatif writes cells anew in memory: expected at most ${MAX_OF_A_BOX}, ${found}`)
}

/** The first and the last written coordinate along each dimension of a dense array. */
function writtenDomain({ schema, fragments }: OpenedArray): (readonly [low: number, high: number])[] {
  const { dimensions } = schema.domain
  return boxAround(fragments, dimensions).map(({ min, max }, d) => {
    const number = (bytes: Uint8Array): number => Number(comparable(dimensions[d].type, bytes))
    return [number(min), number(max)]
  })
}

function cellsIn(opened: OpenedArray): number {
  return writtenDomain(opened).reduce((product, [low, high]) => product * (high - low + 1), 1)
}

/** Number of tiles of one fragment with all these cells. */
function tilesOf(opened: OpenedArray, { array_type, capacity, domain }: ArraySchema, cells: number): number {
  if (array_type === 'sparse') return Math.ceil(cells / Number(capacity))
  return writtenDomain(opened).reduce((product, [low, high], d) => {
    const { type, domain: ends, tile_extent } = domain.dimensions[d]
    const number = (bytes: Uint8Array): number => Number(comparable(type, bytes))
    const start = number(ends.subarray(0, ends.length / 2))
    const extent = tile_extent ? number(tile_extent) : high - start + 1
    return product * (Math.floor((high - start) / extent) - Math.floor((low - start) / extent) + 1)
  }, 1)
}

/** Number of stored cells in a box, including those that newer ones hide. @param merged number of cells that a read returns */
async function storedIn(opened: OpenedArray, { ranges }: SampleBox, merged: number): Promise<number> {
  const { schema, fragments, deletes } = opened
  if (schema.array_type === 'dense' || (fragments.length === 1 && deletes.length === 0)) return merged
  let cells = 0
  for (const one of fragments) {
    const alone = { ...opened, fragments: [one], deletes: [] }
    for await (const { rows, cell_num } of readMerged(alone, { order: 'unordered', ranges, fields: [] }))
      cells += rows ? rows.length : cell_num
  }
  return cells
}

/** The sizes of the files of some fragments, with the bytes of metadata that do not grow with the number of tiles. */
interface Measured extends Sizes {
  fixed_size: number
  fixed_rtree_size: number
  fixed_statistics_size: number
}

const COUNTS = ['tile_num', 'data_size', 'fragment_metadata_size', 'rtree_size', 'statistics_size'] as const

/** The power of the number of tiles with which metadata usually grows. It is below 1 because metadata is compressed. */
const USUAL_GROWTH = 0.85

/** The power of the number of tiles with which the metadata of this array grows. @param parts boxes written as they are now */
function growthOf(parts: readonly Measured[], now: Measured): number {
  const each = (key: keyof Measured): number => sum(parts, (part) => part[key]) / parts.length
  const [few, many] = [each('fragment_metadata_size') - each('fixed_size'), now.fragment_metadata_size - now.fixed_size]
  const growth = Math.log(many / few) / Math.log(now.tile_num / each('tile_num'))
  return growth > 0.5 && growth < 1.1 ? growth : USUAL_GROWTH
}

/** Estimates the sizes of a whole array from some of its boxes. @param times cells of the array, as a multiple of those of the boxes */
function scale(parts: readonly Measured[], times: number, tile_num: number, growth: number): Sizes {
  const each = (key: keyof Measured): number => sum(parts, (part) => part[key]) / parts.length
  const byTiles = (tile_num / each('tile_num')) ** growth
  const grown = (all: keyof Measured, fixed: keyof Measured): number =>
    (each(all) - each(fixed)) * byTiles + each(fixed)
  return {
    fragment_num: 1,
    tile_num,
    data_size: sum(parts, (part) => part.data_size) * times,
    fragment_metadata_size: grown('fragment_metadata_size', 'fixed_size'),
    rtree_size: grown('rtree_size', 'fixed_rtree_size'),
    statistics_size: grown('statistics_size', 'fixed_statistics_size'),
  }
}

function layoutOf(sizes: Sizes, change: string): TriedLayout {
  const { fragment_num } = sizes
  const layout = { change, fragment_num, sample_cell_num: null, read_cost: null } as TriedLayout
  for (const key of COUNTS) layout[key] = Math.round(sizes[key])
  return layout
}

const STATISTICS = /^tile_(?:mins|maxs|sums|null_counts)|min_max_sum/

/** Approximate bytes of a section of the metadata that is about no tiles: mostly headers. */
const EMPTY_SECTION = 100

async function measure(fragments: readonly OpenedFragment[]): Promise<Measured> {
  const found: Measured = {
    fragment_num: fragments.length,
    tile_num: 0,
    data_size: 0,
    fragment_metadata_size: 0,
    rtree_size: 0,
    statistics_size: 0,
    fixed_size: 0,
    fixed_rtree_size: 0,
    fixed_statistics_size: 0,
  }
  for (const { fragment, info } of fragments) {
    found.tile_num += info.tile_num
    for (const { size } of await fragment.fieldFiles()) found.data_size += size
    const metadata = await withSource(fragment.metadataSource(), (source) => source.size())
    found.fragment_metadata_size += metadata
    found.fixed_size += metadata
    for (const { name, size } of await metadataSections(fragment)) {
      found.fixed_size -= Math.max(0, size - EMPTY_SECTION)
      const fixed = Math.min(size, EMPTY_SECTION)
      if (name === 'rtree') {
        found.rtree_size += size
        found.fixed_rtree_size += fixed
      } else if (STATISTICS.test(name)) {
        found.statistics_size += size
        found.fixed_statistics_size += fixed
      }
    }
    await fragment.close()
  }
  return found
}

/** The schema of a new array with these changes. */
export function schemaWith(schema: ArraySchema, change: LayoutChange, filters: NewFilters): ArraySchema {
  const changed = changedSchema(schema, change)
  const withFilters = <T extends { name: string; filters: ArraySchema['coords_filters'] }>(field: T): T => {
    const changedFilters = filters.fields.get(field.name)
    return changedFilters ? { ...field, filters: { ...field.filters, filters: [...changedFilters] } } : field
  }
  const { offsets, validity } = filters
  return {
    ...changed,
    attributes: changed.attributes.map(withFilters),
    domain: { ...changed.domain, dimensions: changed.domain.dimensions.map(withFilters) },
    offsets_filters: offsets ? { ...changed.offsets_filters, filters: [...offsets] } : changed.offsets_filters,
    validity_filters:
      changed.validity_filters &&
      (validity ? { ...changed.validity_filters, filters: [...validity] } : changed.validity_filters),
  }
}
