import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import { type Fields, fieldsOf, readsByFragment, slotOf, type Visited, visitTiles } from './dense-visits.ts'
import { DEFAULT_BUDGETS, divideIntoLots, type Lot } from './memory/dense-memory.ts'
import {
  type ExplainQuery,
  type FragmentPlan,
  type MetadataRead,
  type ReadPlan,
  type TileRead,
  tileListReads,
} from './plan.ts'

/**
 * Plans a read by TileDB's DenseReader.
 *
 * 1. The reader skips a fragment whose non-empty domain misses the ranges along any dimension. Of the others it loads the metadata:
 *    the R-tree (which is empty), and for each field the lists of tile offsets and of the sizes of var-sized tiles.
 * 2. It visits the tiles that the ranges touch, in tile order. For each it reads the tile of every fragment whose non-empty domain
 *    touches the tile, even if the query wants none of these cells. It leaves out a fragment's tile if everything that the fragment
 *    has of it lies inside what a single newer fragment has of it.
 * 3. It works in lots: as many tiles as fit in half of the free memory. For each lot, one call reads the attributes of the
 *    condition. Then each other attribute has a call of its own, whether or not any cell meets the condition. Of a fragment the
 *    reader skips fields that it lacks, and fields that are var-sized only in the fragment or only in the array.
 *
 * The reader counts no cells.
 *
 * @see tiledb/sm/query/readers/dense_reader.cc, reader_base.cc; tiledb/sm/subarray/relevant_fragment_generator.cc
 */
export async function planDense(asked: ExplainQuery, memory = DEFAULT_BUDGETS): Promise<ReadPlan> {
  const { opened, query, exact } = asked
  const fields = fieldsOf(opened, query)
  const visited = visitTiles(opened, query)
  const metadata_reads = visited.relevant.flatMap((f) => metadataReads(opened.fragments[f], f, fields))
  const { lots, least_memory_budget } = await divideIntoLots(asked, fields, visited, metadata_reads, memory)
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

/** The sections that are loaded of a fragment. In versions 1 and 2 all metadata is loaded when the array is opened. */
function metadataReads(fragment: OpenedFragment, f: number, { condition, others }: Fields): MetadataRead[] {
  const { format_version, slots } = fragment.info
  if (format_version < 3) return []
  const lists = [...condition, ...others].flatMap((field): MetadataRead[] => {
    const slot = slotOf(fragment, field)
    return slot === undefined ? [] : tileListReads(f, slot, slots[slot])
  })
  return [{ fragment: f, section: 'rtree' }, ...lists]
}

function fragmentPlan({ info }: OpenedFragment, fragment: number, visited: Visited): FragmentPlan {
  const [tiles_touched, tiles_inside, tiles_dropped] = [visited.touched, visited.inside, visited.covered].map(
    (counts) => counts[fragment],
  )
  return {
    fragment,
    passed_over_by: passedOverBy(tiles_touched, tiles_dropped),
    tile_num: info.tile_num,
    tiles_touched,
    tiles_inside,
    tiles_dropped,
    cells_read: (tiles_touched - tiles_dropped) * info.cells_per_tile,
  }
}

/** Why no tile of a fragment is read, if none is. */
function passedOverBy(touched: number, dropped: number): FragmentPlan['passed_over_by'] {
  if (touched === 0) return 'domain'
  return dropped === touched ? 'covered' : null
}

/** The reads of a lot: one call for the attributes of the condition, then one for each other attribute. */
function tileReads(
  { fragments }: OpenedArray,
  { condition, others }: Fields,
  visited: Visited,
  { from, to }: Lot,
  l: number,
): TileRead[] {
  const tiles = readsByFragment(visited, from, to)
  // The fields of each call.
  const fieldsOf = [condition.filter(({ kind }) => kind === 'attribute'), ...others.map((field) => [field])]
  return fieldsOf.flatMap((fields, c) =>
    fields.flatMap((field) =>
      tiles.flatMap(({ fragment, tiles }): TileRead[] => {
        const slot = slotOf(fragments[fragment], field)
        return slot === undefined ? [] : [{ fragment, slot, tiles, call: l * fieldsOf.length + c }]
      }),
    ),
  )
}
