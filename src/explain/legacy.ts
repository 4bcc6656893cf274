import { atOnce, inOrder } from '../base/in-order.ts'
import { sum } from '../base/sum.ts'
import { type Bounds, compare, type Overlap, rangeOverlap, rowsInside } from '../cells/bounds.ts'
import { allRows, type ColumnData, type ColumnType } from '../cells/column.ts'
import { tilesCellNum } from '../cells/tile-places.ts'
import type { ConditionNode } from '../format/delete-condition.ts'
import type { Dimension } from '../format/dimension.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { conditionFields } from '../read/condition.ts'
import { hasSlot, isCutByTime, isLost } from '../read/opening.ts'
import { fieldNames, type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { visitTiles } from './dense-visits.ts'
import { rangesOf } from './memory/partition-ranges.ts'
import { type Buffers, ENDLESS, Partitioner, type TouchedFragment } from './memory/partitions.ts'
import {
  type ExplainQuery,
  type FragmentPlan,
  type MetadataRead,
  type ReadPlan,
  type TileRead,
  tileListReads,
} from './plan.ts'
import { cellPlaces } from './sparse-index.ts'
import { allTiles, NO_TILES, planOfTouched, type TouchedTiles, touchedTiles } from './touched-tiles.ts'

/**
 * Plans a read by TileDB's first reader, which reads sparse arrays in row-major and column-major order.
 *
 * The reader finds the touched tiles with the R-trees, and loads all coordinates of all of them. It sorts the cells and drops hidden
 * older ones. Then it loads the other fields of all these tiles, even of tiles without a cell in the ranges. It drops no tile because
 * of minima and maxima. Each field is a call of its own, but all dimensions are one call.
 *
 * If it expects more cells than fit into the buffers or into `sm.memory_budget`, it divides the ranges into parts, and reads all tiles of
 * one part after another: see {@link Partitioner}. It ignores `sm.mem.total_budget`.
 *
 * It also reads dense arrays that have sparse fragments, which releases before 2.4 could write. There it loads the coordinates of the sparse
 * fragments as above. Then it loads, of all fragments, only the tiles that show a cell. The plan assumes that there is room for all.
 *
 * @param buffers by default they have room for the whole result; tests pass small ones, so that a small array is divided as
 *   `sm.memory_budget` divides a large one
 * @see tiledb/sm/query/legacy/reader.cc
 */
export async function planLegacy(
  { opened, query, exact }: ExplainQuery,
  buffers: Buffers = ENDLESS,
): Promise<ReadPlan> {
  const plan = new LegacyPlan(opened, query)
  const overlapOf = rangeOverlap(opened.schema.domain.dimensions, query.ranges)
  const find = (one: OpenedFragment): Promise<TouchedTiles | undefined> => touchedBy(one, overlapOf)
  for await (const touched of inOrder(opened.fragments, atOnce(opened.array.folder), find)) plan.touch(touched)
  plan.loadDeletes()
  await (opened.schema.array_type === 'dense' ? plan.planDense(exact) : plan.planAll(exact, buffers))
  return {
    reader: 'legacy Reader',
    fragments: plan.fragments,
    tile_reads: plan.tile_reads,
    metadata_reads: plan.metadata_reads,
    cells_read: sum(plan.fragments, ({ cells_read }) => cells_read),
    cells_found: exact ? plan.cells_found : null,
    least_memory_budget: 0,
  }
}

/** A fragment whose non-empty domain touches the ranges. */
interface Relevant extends TouchedFragment {
  fragment: number
}

class LegacyPlan {
  readonly fragments: FragmentPlan[] = []
  readonly tile_reads: TileRead[] = []
  readonly metadata_reads: MetadataRead[] = []
  cells_found = 0
  private readonly opened: OpenedArray
  private readonly query: ReadQuery
  private readonly relevant: Relevant[] = []
  private call = 0
  private readonly loaded = new Set<string>()

  constructor(opened: OpenedArray, query: ReadQuery) {
    this.opened = opened
    this.query = query
  }

  /** The conditions that say which cells are kept: those of deletes, and that of the query. */
  private get conditions(): ConditionNode[] {
    const { where } = this.query
    return [...this.opened.deletes.map(({ stays }) => stays), ...(where ? [where] : [])]
  }

  /** Adds the next fragment. @param touched undefined if its non-empty domain touches no range */
  touch(touched: TouchedTiles | undefined): void {
    const fragment = this.fragments.length
    const one = this.opened.fragments[fragment]
    this.fragments.push(planOfTouched(fragment, one.info, touched))
    if (!touched) return
    this.relevant.push({ fragment, one, tiles: touched.tiles })
    this.load(fragment, one, 'rtree')
    const shown = readColumns(this.opened.schema, this.query).map(({ name }) => name)
    this.loadVarSizes(fragment, one, shown)
  }

  async planAll(exact: boolean, buffers: Buffers): Promise<void> {
    const partitioner = await Partitioner.of(this.opened, this.query, this.relevant, buffers)
    if (!partitioner) {
      const whole = this.relevant.map(({ tiles }) => tiles)
      await this.planPartition(this.query, whole, exact, ENDLESS)
      return
    }
    // Cells are counted part by part only if that matters: for limited buffers, or because conditions are evaluated only where a part
    // has cells.
    const countsParts = exact && (buffers !== ENDLESS || this.conditions.length > 0)
    if (exact && !countsParts) this.cells_found = (await countCells(this.opened, this.query, [])).found
    let room = buffers
    partitioner.next()
    for (;;) {
      const { box, tiles } = partitioner.current
      if (partitioner.hasHalved) this.loadAllVarSizes()
      const overflows = await this.planPartition({ ...this.query, ranges: rangesOf(box) }, tiles, countsParts, room)
      if (overflows) {
        // If the part cannot be divided, it is read again with larger buffers, as if the user had submitted the query with these.
        if (partitioner.splitCurrent()) room = { cells: 2 * room.cells, var_bytes: 4 * room.var_bytes }
      } else if (partitioner.isDone) return
      else partitioner.next()
    }
  }

  async planDense(exact: boolean): Promise<void> {
    const touched = this.relevant.map(({ tiles }) => tiles)
    if (touched.some(({ length }) => length > 0)) this.planCoordinates(touched)
    const all = exact ? await this.shownTiles() : this.tilesThatMayShow()
    const tiles = this.relevant.map(({ fragment }) => all[fragment])
    for (const [i, { fragment, one }] of this.relevant.entries()) {
      const cells_read = tilesCellNum(one.info, tiles[i])
      const own = { tiles_touched: tiles[i].length, passed_over_by: tiles[i].length > 0 ? null : ('covered' as const) }
      this.fragments[fragment] = { ...this.fragments[fragment], ...(one.info.dense ? own : {}), cells_read }
    }
    this.planAttributes(tiles, true, true)
  }

  /** By fragment: the tiles that show a cell. */
  private async shownTiles(): Promise<Uint32Array[]> {
    const marks = this.opened.fragments.map(({ info }) => new Uint8Array(info.tile_num))
    const query: ReadQuery = { ...this.query, order: 'row-major', where: undefined }
    for await (const { fragments, tiles, validity, cell_num } of cellPlaces(this.opened, query)) {
      this.cells_found += cell_num
      for (let i = 0; i < cell_num; i++) if (validity?.[i] !== 0) marks[fragments[i]][tiles[i]] = 1
    }
    return marks.map((own) => Uint32Array.from(own.keys()).filter((tile) => own[tile] === 1))
  }

  /** By fragment: all tiles that may show a cell, which are the touched sparse tiles, and the dense tiles that no newer dense tile covers. */
  private tilesThatMayShow(): Uint32Array[] {
    const { schema, fragments } = this.opened
    const tiles: number[][] = fragments.map(() => [])
    for (const { fragment, tiles: own } of this.relevant) tiles[fragment].push(...own)
    const dense = [...fragments.keys()].filter((f) => fragments[f].info.dense)
    const visited = visitTiles({ schema, fragments: dense.map((f) => fragments[f]) }, this.query)
    for (const [i, f] of visited.fragments.entries()) tiles[dense[f]].push(visited.tiles[i])
    return tiles.map((own) => Uint32Array.from(own))
  }

  /**
   * Plans one part of the ranges.
   * @param counts whether to count its cells
   * @returns whether the cells are known not to fit into the buffers
   */
  private async planPartition(
    query: ReadQuery,
    tiles: readonly Uint32Array[],
    counts: boolean,
    room: Buffers,
  ): Promise<boolean> {
    const texts = room === ENDLESS ? [] : readColumns(this.opened.schema, query).filter(isVarSized)
    const counted = counts ? await countCells(this.opened, query, texts) : undefined
    this.cells_found += counted?.found ?? 0
    for (const [i, { fragment, one }] of this.relevant.entries())
      this.fragments[fragment].cells_read += tilesCellNum(one.info, tiles[i])
    if (tiles.every(({ length }) => length === 0)) return false
    const tooLong = texts.filter(({ name }) => (counted?.bytes.get(name) ?? 0) > room.var_bytes)
    const coordinatesFit = (counted?.found ?? 0) <= room.cells && tooLong.every(({ kind }) => kind !== 'dimension')
    this.planCoordinates(tiles)
    // If no cell is in the ranges, the conditions are not evaluated.
    this.planAttributes(tiles, counted?.merged !== 0, coordinatesFit)
    return tooLong.length > 0 || !coordinatesFit
  }

  /** Loads which delete conditions consolidation has already applied to each fragment. */
  loadDeletes(): void {
    if (this.opened.deletes.length === 0) return
    for (const [fragment, one] of this.opened.fragments.entries())
      if (hasSlot(one, 'delete_timestamps')) this.load(fragment, one, 'processed_conditions')
  }

  /** Plans the coordinates, then the times of cells if they matter. @param tiles by relevant fragment */
  private planCoordinates(tiles: readonly Uint32Array[]): void {
    for (const kind of ['coords', 'dimension'] as const) this.planCall(tiles, (slot) => slot.kind === kind)
    this.planCall(tiles, (slot, one) => slot.kind === 'timestamps' && this.needsTimes(one))
    this.planCall(tiles, (slot) => slot.kind === 'delete_timestamps')
  }

  /**
   * @param evaluates whether the conditions are evaluated on any cell
   * @param copies whether the attributes without a condition are read, too
   */
  private planAttributes(tiles: readonly Uint32Array[], evaluates: boolean, copies: boolean): void {
    const needed = new Set(this.conditions.flatMap((node) => [...conditionFields(node)]))
    const shown = readColumns(this.opened.schema, this.query)
      .filter(({ kind, name }) => kind === 'attribute' && !needed.has(name))
      .map(({ name }) => name)
    for (const name of [...(evaluates ? needed : []), ...(copies ? shown : [])])
      this.planCall(tiles, (slot) => slot.name === name)
  }

  /** Adds one call for the wanted slots. Their tile offsets are loaded for every relevant fragment, even if none of its tiles is read. */
  private planCall(tiles: readonly Uint32Array[], isWanted: (slot: Slot, one: OpenedFragment) => boolean): void {
    const call = this.call++
    for (const [i, { fragment, one }] of this.relevant.entries()) {
      for (const [slot, field] of one.info.slots.entries()) {
        if (field.phantom || !isWanted(field, one) || !this.hasForm(field)) continue
        this.loadOffsets(fragment, one, slot)
        if (tiles[i].length > 0) this.tile_reads.push({ fragment, slot, tiles: tiles[i], call })
      }
    }
  }

  /** Whether an attribute is var-sized in the fragment as it is in the array. If not, the reader skips it. */
  private hasForm({ name, kind, varSized }: Slot): boolean {
    if (kind !== 'attribute') return true
    const now = this.opened.schema.attributes.find((one) => one.name === name)
    return now !== undefined && (now.cell_val_num === 'var') === varSized
  }

  private needsTimes(one: OpenedFragment): boolean {
    const { schema, deletes } = this.opened
    return deletes.length > 0 || isCutByTime(this.opened, one) || !schema.allows_duplicates
  }

  private loadOffsets(fragment: number, one: OpenedFragment, slot: number): void {
    for (const { section } of tileListReads(fragment, slot, one.info.slots[slot]))
      this.load(fragment, one, section, slot)
  }

  /** Loads what TileDB needs to halve ranges: it then estimates the sizes of all fields, not only of those that the query returns. */
  private loadAllVarSizes(): void {
    const names = fieldNames(this.opened.schema)
    for (const { fragment, one } of this.relevant) this.loadVarSizes(fragment, one, names)
  }

  private loadVarSizes(fragment: number, one: OpenedFragment, names: readonly string[]): void {
    for (const [slot, { name, varSized, phantom }] of one.info.slots.entries())
      if (varSized && !phantom && names.includes(name)) this.load(fragment, one, 'tile_var_sizes', slot)
  }

  private load(fragment: number, { info }: OpenedFragment, section: MetadataRead['section'], slot?: number): void {
    const id = `${fragment} ${section} ${slot}`
    // Versions 1 and 2 have a single section, which is loaded when the array is opened.
    if (info.format_version < 3 || this.loaded.has(id)) return
    this.loaded.add(id)
    this.metadata_reads.push({ fragment, section, slot })
  }
}

/**
 * Finds the tiles of a sparse fragment that the ranges touch. It finds none of a dense fragment.
 * @returns undefined if the non-empty domain touches no range
 */
async function touchedBy(
  opened: OpenedFragment,
  overlapOf: (box: NDRange) => Overlap,
): Promise<TouchedTiles | undefined> {
  const { fragment, info } = opened
  const overlap = info.nonempty_domain ? overlapOf(info.nonempty_domain) : 'some'
  if (overlap === 'none' || isLost(opened)) return undefined
  if (info.dense) return NO_TILES
  return overlap === 'all' ? allTiles(info) : touchedTiles(fragment, overlapOf)
}

/** Numbers of cells of a query. */
interface CellCounts {
  /** Cells inside the ranges that no newer cell hides, before conditions. If the query has a condition, the number may be too small. It is 0 only if there are no such cells. */
  merged: number
  /** Cells that the query finds. A cell in several overlapping ranges of a dimension counts once for each. */
  found: number
  /** Bytes of the values of var-sized fields in the found cells, by field. */
  bytes: Map<string, number>
}

/** @param texts the var-sized fields whose bytes are counted */
async function countCells(opened: OpenedArray, query: ReadQuery, texts: readonly ColumnType[]): Promise<CellCounts> {
  const { dimensions } = opened.schema.domain
  const repeated = [...query.ranges].filter(([, ranges]) => overlapEachOther(ranges))
  const counts: CellCounts = { merged: 0, found: 0, bytes: new Map(texts.map(({ name }) => [name, 0])) }
  const counting: ReadQuery = {
    ...query,
    order: 'unordered',
    fields: texts.flatMap(({ name, kind }) => (kind === 'attribute' ? [name] : [])),
    reuse: true,
    onMerged: (cells) => {
      counts.merged += cells
    },
  }
  const types = readColumns(opened.schema, counting)
  for await (const { columns, rows, cell_num } of readMerged(opened, counting)) {
    const wanted = rows ?? allRows(cell_num)
    const times = timesFound(dimensions, columns as ColumnData[], cell_num, repeated)
    for (const row of wanted) counts.found += times[row]
    for (const [c, { name }] of types.entries()) {
      const { starts } = columns[c] as ColumnData
      let bytes = counts.bytes.get(name)
      if (bytes === undefined || !starts) continue
      for (const row of wanted) bytes += times[row] * (starts[row + 1] - starts[row])
      counts.bytes.set(name, bytes)
    }
  }
  if (counts.merged > 0 || !query.where) return counts
  // The condition may have excluded whole tiles without reading them.
  return { ...counts, merged: (await countCells(opened, { ...query, where: undefined }, [])).merged }
}

function overlapEachOther(ranges: readonly Bounds[]): boolean {
  const meet = ({ low }: Bounds, { high }: Bounds): boolean =>
    low === undefined || high === undefined || compare(low, high) <= 0
  return ranges.some((a, i) => ranges.slice(i + 1).some((b) => meet(a, b) && meet(b, a)))
}

/** How often each cell is found: once for each range of a dimension that it lies in, multiplied over the dimensions. */
function timesFound(
  dimensions: readonly Dimension[],
  columns: readonly ColumnData[],
  count: number,
  repeated: readonly (readonly [number, readonly Bounds[]])[],
): Float64Array {
  const times = new Float64Array(count).fill(1)
  for (const [d, ranges] of repeated) {
    const own = new Float64Array(count)
    for (const range of ranges)
      for (const row of rowsInside(dimensions, columns, count, new Map([[d, [range]]])) ?? allRows(count)) own[row]++
    for (let i = 0; i < count; i++) times[i] *= own[i]
  }
  return times
}

function isVarSized({ cell_val_num }: ColumnType): boolean {
  return cell_val_num === 'var'
}
