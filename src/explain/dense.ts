import type { OffsetsList } from '../format/metadata-sections.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import { DEFAULT_MEMORY, divide, type Lot } from './dense-memory.ts'
import { byFragment, type Fields, fieldsOf, slotOf, type Visited, visitTiles } from './dense-visits.ts'
import type { ExplainQuery, FragmentPlan, MetadataRead, ReadPlan, TileRead } from './plan.ts'

/**
 * What TileDB's DenseReader does.
 *
 * 1. A fragment whose non-empty domain misses the ranges along any dimension is passed over. The metadata of the others is
 *    loaded: the R-tree (which is empty), and for each field the lists of offsets and of sizes of var-sized tiles.
 * 2. It visits the tiles that the ranges touch, in tile order. Of each it reads the tile of every fragment whose non-empty domain
 *    touches the tile, even if none of these cells is wanted. A tile is left out if all that the fragment has of it lies inside
 *    what one newer fragment has of it.
 * 3. As many tiles as fit in half of the free memory are one lot. For each lot, one call reads the attributes of the condition,
 *    then one call each of the other attributes, whether or not any cell meets the condition. Of a fragment, no field is read
 *    that it lacks, or that is var-sized there and not in the array, or the other way round.
 *
 * The reader counts no cells.
 *
 * @see tiledb/sm/query/readers/dense_reader.cc, reader_base.cc; tiledb/sm/subarray/relevant_fragment_generator.cc
 */
export async function planDense(asked: ExplainQuery, memory = DEFAULT_MEMORY): Promise<ReadPlan> {
  const { opened, query, exact } = asked
  const fields = fieldsOf(opened, query)
  const visited = visitTiles(opened, query)
  const metadata_reads = visited.relevant.flatMap((f) => metadataReads(opened.fragments[f], f, fields))
  const { lots, least_memory_budget } = await divide(asked, fields, visited, metadata_reads, memory)
  return {
    reader: 'DenseReader',
    fragments: opened.fragments.map((fragment, f) => fragmentPlan(fragment, f, visited)),
    tile_reads: lots.flatMap((lot, l) => tileReads(opened, fields, visited, lot, l)),
    metadata_reads,
    cells_read: 0,
    cells_found: exact ? 0 : null,
    least_memory_budget,
  }
}

/** What is loaded of the metadata of a fragment that is not passed over. Before version 3 all of it is loaded at once. */
function metadataReads(fragment: OpenedFragment, f: number, { condition, others }: Fields): MetadataRead[] {
  const { format_version, slots } = fragment.info
  if (format_version < 3) return []
  const reads: MetadataRead[] = [{ fragment: f, section: 'rtree' }]
  for (const field of [...condition, ...others]) {
    const slot = slotOf(fragment, field)
    if (slot === undefined) continue
    const { varSized, nullable } = slots[slot]
    const sections: OffsetsList[] = ['tile_offsets']
    if (varSized) sections.push('tile_var_offsets', 'tile_var_sizes')
    if (nullable && format_version >= 7) sections.push('tile_validity_offsets')
    for (const section of sections) reads.push({ fragment: f, section, slot })
  }
  return reads
}

function fragmentPlan({ info }: OpenedFragment, fragment: number, visited: Visited): FragmentPlan {
  const [tiles_touched, tiles_inside, tiles_dropped] = [visited.touched, visited.inside, visited.covered].map(
    (counts) => counts[fragment],
  )
  return {
    fragment,
    passed_over_by: tiles_touched === 0 ? 'domain' : tiles_dropped === tiles_touched ? 'covered' : null,
    tile_num: info.tile_num,
    tiles_touched,
    tiles_inside,
    tiles_dropped,
    cells_read: (tiles_touched - tiles_dropped) * info.cells_per_tile,
  }
}

/** The reads of a lot: a call for the condition's attributes, then one for each other attribute. */
function tileReads(
  { fragments }: OpenedArray,
  { condition, others }: Fields,
  visited: Visited,
  { from, to }: Lot,
  l: number,
): TileRead[] {
  const tiles = byFragment(visited, from, to)
  const calls = [condition.filter(({ kind }) => kind === 'attribute'), ...others.map((field) => [field])]
  return calls.flatMap((fields, c) =>
    fields.flatMap((field) =>
      tiles.flatMap(({ fragment, tiles }): TileRead[] => {
        const slot = slotOf(fragments[fragment], field)
        return slot === undefined ? [] : [{ fragment, slot, tiles, call: l * calls.length + c }]
      }),
    ),
  )
}
