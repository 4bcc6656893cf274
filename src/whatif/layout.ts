import { type Change, changedSchema, textOf } from '../advice/remedies.ts'
import { arrayInMemory } from '../advice/rewrite.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import { withSource } from '../source/source.ts'
import { cellsToRewrite } from '../steps/cells.ts'
import { unfilteredFileSize } from '../store/file-sizes.ts'
import { storedCellNum } from '../store/fragment.ts'
import { metadataSections } from '../store/metadata-sections.ts'

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
}

/** What is changed when all cells are written anew, in one fragment. */
export type LayoutChange = Exclude<Change, { consolidate: true }>

/** Filters by what they are for. */
export interface NewFilters {
  fields: ReadonlyMap<string, readonly FilterConfig[]>
  offsets?: readonly FilterConfig[] | undefined
  validity?: readonly FilterConfig[] | undefined
}

/** An array is written anew in memory up to so many cells, and so many bytes before filtering. */
const MOST_CELLS = 2_000_000
const MOST_BYTES = 128 * 1024 * 1024

/** Why {@link tryLayouts} cannot write all cells anew; undefined if it can. */
export async function notInMemory({ fragments }: OpenedArray, most = MOST_CELLS): Promise<string | undefined> {
  let [cells, bytes] = [0, 0]
  for (const { fragment, info } of fragments) {
    cells += storedCellNum(info)
    for (const file of await fragment.fieldFiles()) bytes += await unfilteredFileSize(fragment, file)
    fragment.forget()
    if (cells > most) return `expected at most ${most} cells, found more`
    if (bytes > MOST_BYTES) return `expected at most ${MOST_BYTES} bytes without filters, found more`
  }
  return cells === 0 ? 'expected cells, found none' : undefined
}

/** The array as it is, then with each change: all its cells written anew, in memory. */
export async function* tryLayouts(
  opened: OpenedArray,
  changes: readonly LayoutChange[],
  filters: NewFilters,
  codecs: Codecs,
): AsyncGenerator<Layout> {
  yield layoutOf(opened.fragments, '')
  const cells = await cellsToRewrite(opened)
  for (const change of changes) {
    const schema = schemaWith({ ...opened.schema, dimension_labels: [] }, change, filters)
    const { fragments } = await arrayInMemory(schema, [cells], codecs)
    yield layoutOf(fragments, textOf(change))
  }
}

const STATISTICS = /^tile_(?:mins|maxs|sums|null_counts)|min_max_sum/

async function layoutOf(fragments: readonly OpenedFragment[], change: string): Promise<Layout> {
  const layout: Layout = {
    change,
    fragment_num: fragments.length,
    tile_num: 0,
    data_bytes: 0,
    metadata_bytes: 0,
    rtree_bytes: 0,
    statistics_bytes: 0,
  }
  for (const { fragment, info } of fragments) {
    layout.tile_num += info.tile_num
    for (const { size } of await fragment.fieldFiles()) layout.data_bytes += size
    layout.metadata_bytes += await withSource(fragment.metadataSource(), (source) => source.size())
    for (const { name, size } of await metadataSections(fragment)) {
      if (name === 'rtree') layout.rtree_bytes += size
      else if (STATISTICS.test(name)) layout.statistics_bytes += size
    }
    await fragment.close()
  }
  return layout
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
