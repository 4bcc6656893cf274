import { fastestFirst } from '../cells/dense-coordinates.ts'
import { datatypeSize } from '../format/datatype.ts'
import { denseAxis, integerOf } from '../format/dense-tiles.ts'
import { fieldSlot, type Slot } from '../format/fragment-slots.ts'
import type { OffsetsList } from '../format/metadata-sections.ts'
import { conditionFields } from '../read/condition.ts'
import { type Interval, intersection, stridesOf, type WantedCells, wantedCells } from '../read/dense-windows.ts'
import { type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from '../read/query.ts'
import { BLOCK_TILES, TileLists } from '../store/tile-lists.ts'
import { covers, forTiles, type GridAxis, type GridBox, gridAxis, isWanted, spanOf } from './dense-grid.ts'
import type { ExplainQuery, FragmentPlan, MetadataRead, ReadPlan, TileRead } from './plan.ts'

/** Settings of TileDB that say how many tiles are in memory at once, in bytes. */
export interface DenseMemory {
  /** `sm.mem.total_budget` */
  total_budget: number
  /** `sm.mem.tile_upper_memory_limit` */
  tile_upper_memory_limit: number
}

const DEFAULTS: DenseMemory = { total_budget: 10 * 2 ** 30, tile_upper_memory_limit: 2 ** 30 }

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
export async function planDense(asked: ExplainQuery, memory = DEFAULTS): Promise<ReadPlan> {
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

/** A field that the reader loads, in the form that the array has now. */
type Field = Slot

/** The fields that the reader loads. */
interface Fields {
  /** Dimensions, too: their lists of offsets are loaded, and their tiles count as needed memory. But there are no such tiles. */
  condition: readonly Field[]
  others: readonly Field[]
}

function fieldsOf({ schema }: OpenedArray, query: ReadQuery): Fields {
  const needed = conditionFields(query.where ?? { node: 'expression', op: 'AND', children: [] })
  const all = [
    ...schema.domain.dimensions.map((one, d) => fieldSlot('dimension', d, one)),
    ...schema.attributes.map((one, a) => fieldSlot('attribute', a, one)),
  ]
  const shown = new Set(readColumns(schema, { ...query, provenance: false }).map(({ name }) => name))
  return {
    condition: all.filter(({ name }) => needed.has(name)),
    others: all.filter(({ kind, name }) => kind === 'attribute' && shown.has(name) && !needed.has(name)),
  }
}

/** The slot of a field in a fragment; undefined if the reader leaves the field out there. @see ReaderBase::skip_field */
function slotOf({ info }: OpenedFragment, { name, varSized }: Field): number | undefined {
  const slot = info.slots.findIndex((one) => one.name === name)
  return slot >= 0 && info.slots[slot].varSized === varSized ? slot : undefined
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

/** The tiles that the reader visits. */
interface Visited {
  /** Fragments that are not passed over, the oldest first. */
  relevant: number[]
  axes: readonly GridAxis[]
  /** How many tiles the ranges touch, tiles without any fragment too. */
  tile_num: number
  /** By fragment. */
  touched: Float64Array
  inside: Float64Array
  covered: Float64Array
  /** Of each visited tile of which something is read, in order: its position among all visited tiles, and where its reads begin. */
  ranks: number[]
  starts: number[]
  /** The reads: fragment and number of the tile in the fragment. A fragment's numbers rise. */
  fragments: number[]
  tiles: number[]
}

function visitTiles({ schema, fragments }: OpenedArray, query: ReadQuery): Visited {
  const { dimensions } = schema.domain
  const grid = dimensions.map((dimension) => {
    const size = datatypeSize(dimension.type)
    return denseAxis(dimension, { min: dimension.domain.subarray(0, size), max: dimension.domain.subarray(size) })
  })
  const domains = fragments.map(({ info }) =>
    (info.nonempty_domain ?? []).map(({ min, max }, d): Interval => {
      const { type } = dimensions[d]
      return { low: integerOf(type, min), high: integerOf(type, max) }
    }),
  )
  const sides = (d: number, among: readonly number[]): Interval[] =>
    among.flatMap((f) => (domains[f].length > 0 ? [domains[f][d]] : []))
  const all = [...fragments.keys()]
  const wanted = wantedCells(
    grid,
    query.ranges,
    grid.map((_, d) => sides(d, all)),
  )
  const relevant = wanted ? all.filter((f) => domains[f].length > 0 && touches(domains[f], wanted)) : []
  const [touched, inside, covered] = [0, 0, 0].map(() => new Float64Array(fragments.length))
  const visited: Visited = {
    relevant,
    axes: [],
    tile_num: 0,
    touched,
    inside,
    covered,
    ranks: [],
    starts: [],
    fragments: [],
    tiles: [],
  }
  if (!wanted) return visited
  const axes = grid.map((axis, d) => gridAxis(axis, wanted[d], sides(d, relevant)))
  const boxes = relevant.map((f): GridBox => domains[f].map((side, d) => spanOf(side, grid[d], axes[d].base)))
  const order = fastestFirst(schema.tile_order, axes.length).reverse()
  const strides = boxes.map((box) =>
    stridesOf(
      box.map(({ first, last }) => last - first + 1),
      order,
    ),
  )
  visited.axes = axes
  visited.tile_num = axes.reduce((product, { tile_num }) => product * tile_num, 1)
  forTiles(axes, order, boxes, (at, rank, touching) => {
    visited.ranks.push(rank)
    visited.starts.push(visited.tiles.length)
    for (const [i, b] of touching.entries()) {
      const f = relevant[b]
      touched[f]++
      if (isWanted(boxes[b], at, axes)) inside[f]++
      let newer = 0
      while (newer < i && !covers(boxes[touching[newer]], boxes[b], at, axes)) newer++
      if (newer < i) covered[f]++
      else {
        visited.fragments.push(f)
        visited.tiles.push(at.reduce((sum, tile, d) => sum + (tile - boxes[b][d].first) * strides[b][d], 0))
      }
    }
  })
  return visited
}

/** Whether a box touches the wanted cells along each axis. */
function touches(box: readonly Interval[], wanted: WantedCells): boolean {
  return box.every((side, d) => wanted[d].some((interval) => intersection(interval, side)))
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

/** Visited tiles, by their places in {@link Visited.ranks}. */
interface Lot {
  from: number
  to: number
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

/** The reads of some visited tiles, by fragment, the oldest first. */
function byFragment(
  { relevant, fragments, tiles, starts }: Visited,
  from: number,
  to: number,
): { fragment: number; tiles: Uint32Array; visits: Uint32Array }[] {
  const counts = new Map(relevant.map((f) => [f, 0]))
  const [first, end] = [starts[from], starts[to] ?? tiles.length]
  for (let i = first; i < end; i++) counts.set(fragments[i], (counts.get(fragments[i]) ?? 0) + 1)
  const found = new Map<number, { fragment: number; tiles: Uint32Array; visits: Uint32Array }>()
  for (const [fragment, count] of counts)
    if (count > 0) found.set(fragment, { fragment, tiles: new Uint32Array(count), visits: new Uint32Array(count) })
  const filled = new Map<number, number>()
  for (let visit = from; visit < to; visit++) {
    for (let i = starts[visit]; i < (starts[visit + 1] ?? tiles.length); i++) {
      const at = filled.get(fragments[i]) ?? 0
      const one = found.get(fragments[i])
      if (!one) continue
      one.tiles[at] = tiles[i]
      one.visits[at] = visit
      filled.set(fragments[i], at + 1)
    }
  }
  return [...found.values()]
}

/** Bytes of TileDB's classes on 64-bit systems: an element of a list of lists, and what stands for a visited tile. */
const VECTOR = 32
const VISITED_TILE = 120

/**
 * Divides the visited tiles into lots.
 *
 * Memory counts as TileDB counts it: what it stores of footers and R-trees, the lists of offsets and sizes, and of each lot the
 * unfiltered tiles of one call, and those stored bytes of them that are values of var-sized fields and validity. Two lots are in
 * memory at once. A tile that does not fit in half of the free memory is a lot by itself; it must fit in all of it.
 *
 * @see DenseReader::compute_result_space_tiles; ReaderBase::tile_offset_sizes, get_attribute_tile_size; MemoryTracker
 */
async function divide(
  { opened, query }: ExplainQuery,
  fields: Fields,
  visited: Visited,
  metadata_reads: readonly MetadataRead[],
  { total_budget, tile_upper_memory_limit }: DenseMemory,
): Promise<{ lots: Lot[]; least_memory_budget: number }> {
  const { fragments, schema } = opened
  const { dimensions } = schema.domain
  const { taken, lists, foreseen } = await metadataMemory(opened, fields, visited, metadata_reads)
  const ofVisit =
    VISITED_TILE + 2 * VECTOR * (1 + dimensions.length) + dimensions.length * (2 * datatypeSize(dimensions[0].type) + 8)
  const half = Math.floor(Math.max(0, total_budget - taken - lists) / 2)
  const all = byFragment(visited, 0, visited.ranks.length)
  const large: TileBytes[] = []
  let [most, mostOfAll] = [0, 0]
  for (const group of [fields.condition, ...fields.others.map((field) => [field])]) {
    const bytes = { unfiltered: new Float64Array(visited.ranks.length), stored: new Float64Array(visited.ranks.length) }
    for (const { fragment, tiles, visits } of all) {
      for (const field of group) await addTileBytes(fragments[fragment], field, tiles, visits, bytes)
    }
    let [unfiltered, together] = [0, visited.tile_num * ofVisit]
    for (const [visit, one] of bytes.unfiltered.entries()) {
      unfiltered += one
      together += one + bytes.stored[visit]
      most = Math.max(most, one + bytes.stored[visit])
    }
    mostOfAll = Math.max(mostOfAll, together)
    if (unfiltered > tile_upper_memory_limit / 2 || together > half) large.push(bytes)
  }
  return {
    lots: lotsOf(visited, large, { ofVisit, half, unfiltered: tile_upper_memory_limit / 2 }),
    least_memory_budget:
      taken + Math.max(foreseen, lists + (needsOneLot(opened, query, visited) ? 2 * mostOfAll : most + ofVisit)),
  }
}

/**
 * Memory for metadata. `taken`: what was stored of footers and R-trees. `lists`: the lists of offsets and sizes in memory.
 * `foreseen`: what the reader checks that these lists will need.
 */
async function metadataMemory(
  { array, fragments }: OpenedArray,
  { condition, others }: Fields,
  { relevant }: Visited,
  metadata_reads: readonly MetadataRead[],
): Promise<{ taken: number; lists: number; foreseen: number }> {
  const consolidated = await array.consolidatedFooters()
  let [taken, lists, foreseen] = [0, 0, 0]
  for (const { fragment, info } of fragments) {
    const { footer, slots, v1 } = info
    if (footer && !consolidated.has(fragment.name)) taken += footer.size
    if (!v1) lists += slots.length * 4 * VECTOR
    for (const list of v1 ? [v1.tile_offsets, v1.tile_var_offsets, v1.tile_var_sizes] : [])
      for (const { values } of list) lists += VECTOR + values.length * 8
  }
  for (const { fragment, section } of metadata_reads) {
    const { format_version, tile_num } = fragments[fragment].info
    if (section === 'rtree') taken += format_version < 5 ? 13 : 8
    else lists += tile_num * 8
  }
  for (const f of relevant) {
    const { slots, tile_num } = fragments[f].info
    foreseen += slots.length * 4 * VECTOR
    for (const { name } of [...condition, ...others]) {
      const own = slots.find((slot) => slot.kind === 'attribute' && slot.name === name)
      if (own) foreseen += tile_num * 8 * (1 + (own.varSized ? 2 : 0) + (own.nullable ? 1 : 0))
    }
  }
  return { taken, lists, foreseen }
}

/**
 * Whether all tiles must be read at once. TileDB 2.30 copies the var-sized cells of a lot as if they followed each other in the
 * result. Where they do not, it writes outside of its memory, and most often crashes.
 *
 * @see DenseReader::fix_offsets_buffer; measured
 */
function needsOneLot({ schema }: OpenedArray, query: ReadQuery, { axes }: Visited): boolean {
  if (query.order === 'global') return false
  const order = [...axes.keys()]
  if (query.order === 'col-major') order.reverse()
  const split = order.findIndex((d) => axes[d].cell_num > 1)
  const isVar = readColumns(schema, query).some(({ cell_val_num }) => cell_val_num === 'var')
  return isVar && order.slice(split + 1).some((d) => axes[d].tile_num > 1)
}

/** Bytes of the tiles of a call, by visited tile. */
interface TileBytes {
  unfiltered: Float64Array
  stored: Float64Array
}

function lotsOf(
  { ranks }: Visited,
  groups: readonly TileBytes[],
  most: { ofVisit: number; half: number; unfiltered: number },
): Lot[] {
  const lots: Lot[] = []
  const sums = groups.map(() => ({ unfiltered: 0, stored: 0 }))
  let from = 0
  for (const visit of ranks.keys()) {
    const isFull = groups.some(({ unfiltered, stored }, g) => {
      const sum = sums[g].unfiltered + unfiltered[visit]
      const structs = (ranks[visit] - ranks[from] + 1) * most.ofVisit
      return sum > most.unfiltered || sum + sums[g].stored + stored[visit] + structs > most.half
    })
    if (visit > from && isFull) {
      lots.push({ from, to: visit })
      from = visit
      for (const sum of sums) Object.assign(sum, { unfiltered: 0, stored: 0 })
    }
    for (const [g, { unfiltered, stored }] of groups.entries()) {
      sums[g].unfiltered += unfiltered[visit]
      sums[g].stored += stored[visit]
    }
  }
  if (from < ranks.length) lots.push({ from, to: ranks.length })
  return lots
}

/** Adds what the tiles of a field in a fragment need. @param visits the visited tile of each */
async function addTileBytes(
  opened: OpenedFragment,
  field: Field,
  tiles: Uint32Array,
  visits: Uint32Array,
  { unfiltered, stored }: TileBytes,
): Promise<void> {
  const { fragment, info } = opened
  const slot = slotOf(opened, field)
  if (slot === undefined) return
  const { cells_per_tile: cells, slots } = info
  const { varSized, nullable, cellSize } = slots[slot]
  const fixed = (varSized ? (cells + 1) * 8 : cells * cellSize) + (field.nullable ? cells : 0)
  for (const visit of visits) unfiltered[visit] += fixed
  const lists = new TileLists(fragment)
  const forEntries = async (
    list: OffsetsList,
    add: (visit: number, entry: number, next: number) => void,
  ): Promise<void> => {
    const read = await lists.offsets(list, slot)
    if (!read) return
    const file = list === 'tile_var_offsets' ? info.file_var_sizes : info.file_validity_sizes
    for (let i = 0; i < tiles.length; ) {
      const { first, entries } = await read.block(tiles[i], tiles[i] + BLOCK_TILES + 1)
      const end = tiles[i] + BLOCK_TILES
      for (; i < tiles.length && tiles[i] < end; i++)
        add(visits[i], entries[tiles[i] - first] ?? 0, entries[tiles[i] + 1 - first] ?? file?.[slot] ?? 0)
    }
    read.release()
  }
  if (varSized) {
    await forEntries('tile_var_sizes', (visit, size) => (unfiltered[visit] += size))
    await forEntries('tile_var_offsets', (visit, from, to) => (stored[visit] += to - from))
  }
  if (nullable) await forEntries('tile_validity_offsets', (visit, from, to) => (stored[visit] += to - from))
}
