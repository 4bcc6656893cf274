import type { ReadCounts } from '../advice/finding.ts'
import { type Change, changedSchema, countsOfRead, textOf } from '../advice/remedies.ts'
import { arrayInMemory, consolidatedInMemory } from '../advice/rewrite.ts'
import { InspectError, unlessFault } from '../base/errors.ts'
import { comparable } from '../cells/bounds.ts'
import { unionOf } from '../cells/rtree-builder.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { OpenedArray, OpenedFragment, ReadQuery } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { withSource } from '../source/source.ts'
import { cellsToRewrite } from '../steps/cells.ts'
import { unfilteredFileSize } from '../store/file-sizes.ts'
import { storedCellNum } from '../store/fragment.ts'
import { metadataSections } from '../store/metadata-sections.ts'
import type { FragmentCellsToWrite } from '../write/ndjson-cells.ts'
import { type Part, partsOf } from './parts.ts'

/** How large an array is with other tiles, or with its cells in another order. */
export interface Layout {
  /** What was changed, in words; empty for what is there now. */
  change: string
  fragment_num: number
  tile_num: number
  /** Bytes of the data files. */
  data_bytes: number
  /** Bytes of the fragments' metadata; of these, of the R-tree, and of minima, maxima, sums and null counts. */
  metadata_bytes: number
  rtree_bytes: number
  statistics_bytes: number
  /** Cells of the boxes that it was estimated from; null where it is not. */
  sample_cells: number | null
  /** What the read costs that was asked about; null without one, and where only boxes were written. */
  read: ReadCounts | null
}

/** What is changed when all cells that readers see are written anew, in one fragment. */
export type LayoutChange = Exclude<Change, { consolidate: true }>

/** Filters by what they are for. */
export interface NewFilters {
  fields: ReadonlyMap<string, readonly FilterConfig[]>
  offsets?: readonly FilterConfig[] | undefined
  validity?: readonly FilterConfig[] | undefined
}

/** An array is written anew in memory up to so many cells, and so many bytes before filtering: with about 200 MB of memory in all. */
const MOST_CELLS = 1_000_000
const MOST_BYTES = 16 * 1024 * 1024
/** Of a larger one, boxes spread over it are: so many, with so many cells or bytes in all. */
const PARTS = 4
const PART_CELLS = 400_000
const PART_BYTES = 8 * 1024 * 1024

/** How large an array is before filtering. */
export interface Extent {
  cells: number
  bytes: number
}

export async function extentOf({ fragments }: OpenedArray): Promise<Extent> {
  let [cells, bytes] = [0, 0]
  for (const { fragment, info } of fragments) {
    cells += storedCellNum(info)
    for (const file of await fragment.fieldFiles()) bytes += await unfilteredFileSize(fragment, file)
    fragment.forget()
  }
  return { cells, bytes }
}

/** @param most cells */
export function isSmall({ cells, bytes }: Extent, most = MOST_CELLS): boolean {
  return cells <= most && bytes <= MOST_BYTES
}

/**
 * The array as it is, then with each change, made in memory: consolidated, if TileDB would do that and the array is small; or all its
 * cells written anew, of a large array those of some boxes, which the rest is estimated from.
 * @throws InspectError TOO_LARGE if a tile has too many cells
 */
export async function* tryLayouts(
  opened: OpenedArray,
  changes: readonly Change[],
  filters: NewFilters,
  codecs: Codecs,
  { extent, seed, query }: { extent: Extent; seed: string; query?: ReadQuery | undefined },
): AsyncGenerator<Layout> {
  const now = await measured(opened.fragments)
  const withRead = async (layout: Layout, changed: OpenedArray): Promise<Layout> =>
    query ? { ...layout, read: (await countsOfRead({ opened: changed, query, exact: true })).counts } : layout
  yield withRead(layoutOf(now, ''), opened)
  const schema = { ...opened.schema, dimension_labels: [] }
  const rewritten = (cells: FragmentCellsToWrite, changed: ArraySchema): Promise<OpenedArray> =>
    arrayInMemory(changed, [cells], codecs)
  for (const change of changes) {
    if ('consolidate' in change) {
      const consolidated = isSmall(extent) ? await consolidatedInMemory(opened, codecs).catch(unlessFault) : undefined
      if (consolidated) yield withRead(layoutOf(await measured(consolidated.fragments), textOf(change)), consolidated)
      continue
    }
    const changed = schemaWith(schema, change, filters)
    if (isSmall(extent)) {
      const whole = await rewritten(await cellsToRewrite(opened), changed)
      yield withRead(layoutOf(await measured(whole.fragments), textOf(change)), whole)
      continue
    }
    const room = Math.min(PART_CELLS, (PART_BYTES / extent.bytes) * extent.cells)
    const parts = await partsOf(opened, { cells: room, count: PARTS, seed }, changed.domain.dimensions)
    const [before, after]: Measured[][] = [[], []]
    let [taken, stored] = [0, 0]
    for (const part of parts) {
      if (part.cells > MOST_OF_A_PART) throw tooLarge(part.cells)
      const cells = await cellsToRewrite(opened, part)
      if (cells.cell_num === 0) continue
      taken += cells.cell_num
      stored += await storedIn(opened, part, cells.cell_num)
      // Of several fragments nothing says what they would be as one.
      if (opened.fragments.length === 1)
        before.push(await measured((await rewritten(cells, schemaWith(schema, {}, { fields: new Map() }))).fragments))
      after.push(await measured((await rewritten(cells, changed)).fragments))
    }
    if (taken === 0) continue
    const cells = taken * ((schema.array_type === 'dense' ? cellsIn(opened) : extent.cells) / stored)
    const whole = scaled(after, cells / taken, tilesOf(opened, changed, cells), growthOf(before, now))
    // What is there now, estimated in the same way, says how far off the boxes are from the rest.
    if (before.length > 0) whole.data_bytes *= now.data_bytes / (sum(before, 'data_bytes') * (cells / taken))
    yield { ...layoutOf(whole, textOf(change)), sample_cells: taken }
  }
}

/** More cells of one box are not taken: TileDB's tiles of dense arrays are whole. */
const MOST_OF_A_PART = 1_000_000

function tooLarge(cells: number): InspectError {
  const found = `found about ${Math.round(cells)} in the smallest box of whole tiles`
  return new InspectError(
    'TOO_LARGE',
    `whatif writes cells anew in memory: expected at most ${MOST_OF_A_PART}, ${found}`,
  )
}

/** Of a dense array, from the first to the last cell that was written along each dimension. */
function writtenDomain({ schema, fragments }: OpenedArray): (readonly [low: number, high: number])[] {
  const { dimensions } = schema.domain
  const domains = fragments.flatMap(({ info }) => (info.nonempty_domain ? [info.nonempty_domain] : []))
  return unionOf(domains, dimensions).map(({ min, max }, d) => {
    const number = (bytes: Uint8Array): number => Number(comparable(dimensions[d].type, bytes))
    return [number(min), number(max)]
  })
}

function cellsIn(opened: OpenedArray): number {
  return writtenDomain(opened).reduce((product, [low, high]) => product * (high - low + 1), 1)
}

/** Tiles of so many cells in one fragment. */
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

/** Cells of all fragments that lie in a box, before newer ones hide others. @param merged cells that a read gives */
async function storedIn(opened: OpenedArray, { ranges }: Part, merged: number): Promise<number> {
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

/** What the files of some fragments have. */
interface Measured extends Omit<Layout, 'change' | 'sample_cells' | 'read'> {
  /** Bytes of metadata that do not grow with the number of tiles; of these, of the R-tree, and of statistics. */
  fixed_bytes: number
  fixed_rtree_bytes: number
  fixed_statistics_bytes: number
}

const COUNTS = ['tile_num', 'data_bytes', 'metadata_bytes', 'rtree_bytes', 'statistics_bytes'] as const

/** Metadata grows as this power of the number of tiles, as it is compressed. */
const USUAL_GROWTH = 0.85

/** @param parts boxes of what is there now */
function growthOf(parts: readonly Measured[], now: Measured): number {
  const each = (key: keyof Measured): number => sum(parts, key) / parts.length
  const [few, many] = [each('metadata_bytes') - each('fixed_bytes'), now.metadata_bytes - now.fixed_bytes]
  const growth = Math.log(many / few) / Math.log(now.tile_num / each('tile_num'))
  return growth > 0.5 && growth < 1.1 ? growth : USUAL_GROWTH
}

/** All of an array, of which some boxes were written. @param times how many times the boxes it is */
function scaled(parts: readonly Measured[], times: number, tile_num: number, growth: number): Measured {
  const each = (key: keyof Measured): number => sum(parts, key) / parts.length
  const byTiles = (tile_num / each('tile_num')) ** growth
  const grown = (all: keyof Measured, fixed: keyof Measured): number =>
    (each(all) - each(fixed)) * byTiles + each(fixed)
  return {
    fragment_num: 1,
    tile_num,
    data_bytes: sum(parts, 'data_bytes') * times,
    metadata_bytes: grown('metadata_bytes', 'fixed_bytes'),
    rtree_bytes: grown('rtree_bytes', 'fixed_rtree_bytes'),
    statistics_bytes: grown('statistics_bytes', 'fixed_statistics_bytes'),
    fixed_bytes: each('fixed_bytes'),
    fixed_rtree_bytes: each('fixed_rtree_bytes'),
    fixed_statistics_bytes: each('fixed_statistics_bytes'),
  }
}

function sum(parts: readonly Measured[], key: keyof Measured): number {
  return parts.reduce((total, { [key]: value }) => total + value, 0)
}

function layoutOf(measured: Measured, change: string): Layout {
  const { fragment_num } = measured
  const layout = { change, fragment_num, sample_cells: null, read: null } as Layout
  for (const key of COUNTS) layout[key] = Math.round(measured[key])
  return layout
}

const STATISTICS = /^tile_(?:mins|maxs|sums|null_counts)|min_max_sum/

/** Bytes of a section of the metadata that has no tiles in it: headers, mostly. */
const EMPTY_SECTION = 100

async function measured(fragments: readonly OpenedFragment[]): Promise<Measured> {
  const found: Measured = {
    fragment_num: fragments.length,
    tile_num: 0,
    data_bytes: 0,
    metadata_bytes: 0,
    rtree_bytes: 0,
    statistics_bytes: 0,
    fixed_bytes: 0,
    fixed_rtree_bytes: 0,
    fixed_statistics_bytes: 0,
  }
  for (const { fragment, info } of fragments) {
    found.tile_num += info.tile_num
    for (const { size } of await fragment.fieldFiles()) found.data_bytes += size
    const metadata = await withSource(fragment.metadataSource(), (source) => source.size())
    found.metadata_bytes += metadata
    found.fixed_bytes += metadata
    for (const { name, size } of await metadataSections(fragment)) {
      found.fixed_bytes -= Math.max(0, size - EMPTY_SECTION)
      const fixed = Math.min(size, EMPTY_SECTION)
      if (name === 'rtree') {
        found.rtree_bytes += size
        found.fixed_rtree_bytes += fixed
      } else if (STATISTICS.test(name)) {
        found.statistics_bytes += size
        found.fixed_statistics_bytes += fixed
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
    const own = filters.fields.get(field.name)
    return own ? { ...field, filters: { ...field.filters, filters: [...own] } } : field
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
