import { atOnce, inOrder } from '../base/in-order.ts'
import { type Bounds, compare, type Overlap, rangeOverlap, rowsInside } from '../cells/bounds.ts'
import { allRows, type ColumnData, type ColumnType } from '../cells/column.ts'
import { numbersOf } from '../cells/elements.ts'
import { tilesCellNum } from '../cells/tile-places.ts'
import type { ConditionNode } from '../format/delete-condition.ts'
import type { Dimension } from '../format/dimension.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { u64s } from '../format/u32.ts'
import { conditionFields } from '../read/condition.ts'
import { isCutByTime } from '../read/opening.ts'
import {
  fieldNames,
  type OpenedArray,
  type OpenedFragment,
  PROVENANCE,
  type ReadQuery,
  readColumns,
} from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { visitTiles } from './dense-visits.ts'
import { rangesOf } from './partition-ranges.ts'
import { type Buffers, ENDLESS, Partitioner, type TouchedFragment } from './partitions.ts'
import type { ExplainQuery, FragmentPlan, MetadataRead, ReadPlan, TileRead } from './plan.ts'
import { allTiles, insideNum, NO_TILES, type TouchedTiles, touchedTiles } from './touched-tiles.ts'

/**
 * What TileDB's first reader does, which reads sparse arrays in row-major and column-major order.
 *
 * It finds the touched tiles by the R-trees, and reads all coordinates of all of them. It sorts the cells and drops the older
 * ones. It then reads the other fields of all these tiles, also of those without a cell in the ranges. No tile is dropped by
 * minima and maxima. Each field is a call of its own, but the dimensions are one.
 *
 * Where it expects more than fits into the buffers or into `sm.memory_budget`, it reads part after part of the ranges, each
 * with all its tiles: see {@link Partitioner}. It takes no notice of `sm.mem.total_budget`.
 *
 * It also reads dense arrays that have sparse fragments, which releases before 2.4 could write: of these fragments as above, but then only
 * tiles that show a cell, of the dense fragments as well. It is taken to have room for all.
 *
 * @param buffers by default there is room for all; with less, tests see small arrays parted as large ones are by `sm.memory_budget`
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
  await (opened.schema.array_type === 'dense' ? plan.readDense(exact) : plan.readAll(exact, buffers))
  return {
    reader: 'legacy Reader',
    fragments: plan.fragments,
    tile_reads: plan.tile_reads,
    metadata_reads: plan.metadata_reads,
    cells_read: plan.fragments.reduce((sum, { cells_read }) => sum + cells_read, 0),
    cells_found: exact ? plan.cells_found : null,
    least_memory_budget: 0,
  }
}

/** A fragment that is not passed over by its non-empty domain. */
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

  /** Which cells stay: those of deletes, and that of the query. */
  private get conditions(): ConditionNode[] {
    const { where } = this.query
    return [...this.opened.deletes.map(({ stays }) => stays), ...(where ? [where] : [])]
  }

  /** Adds the next fragment. @param touched undefined if its non-empty domain touches no range */
  touch(touched: TouchedTiles | undefined): void {
    const fragment = this.fragments.length
    const one = this.opened.fragments[fragment]
    const { tile_num } = one.info
    const plan = { fragment, tile_num, tiles_touched: 0, tiles_inside: 0, tiles_dropped: 0, cells_read: 0 }
    if (!touched) {
      this.fragments.push({ ...plan, passed_over_by: 'domain' })
      return
    }
    const { tiles } = touched
    this.relevant.push({ fragment, one, tiles })
    this.load(fragment, one, 'rtree')
    const shown = readColumns(this.opened.schema, this.query)
    this.loadVarSizes(
      fragment,
      one,
      shown.map(({ name }) => name),
    )
    const passed_over_by = tile_num === 0 ? 'no tiles' : tiles.length === 0 ? 'rtree' : null
    this.fragments.push({ ...plan, passed_over_by, tiles_touched: tiles.length, tiles_inside: insideNum(touched) })
  }

  async readAll(exact: boolean, buffers: Buffers): Promise<void> {
    const partitioner = await Partitioner.of(this.opened, this.query, this.relevant, buffers)
    if (!partitioner) {
      const whole = this.relevant.map(({ tiles }) => tiles)
      await this.readPartition(this.query, whole, exact, ENDLESS)
      return
    }
    // With room for all, parts need not be counted one by one, unless conditions are evaluated where a part has cells.
    const countsParts = exact && (buffers !== ENDLESS || this.conditions.length > 0)
    if (exact && !countsParts) this.cells_found = (await countCells(this.opened, this.query, [])).found
    let room = buffers
    partitioner.next()
    for (;;) {
      const { box, tiles } = partitioner.current
      if (partitioner.hasHalved) this.loadAllVarSizes()
      const overflows = await this.readPartition({ ...this.query, ranges: rangesOf(box) }, tiles, countsParts, room)
      if (overflows) {
        // Without a single cell, the query is asked again with larger buffers.
        if (partitioner.splitCurrent()) room = { cells: 2 * room.cells, var_bytes: 4 * room.var_bytes }
      } else if (partitioner.done) return
      else partitioner.next()
    }
  }

  async readDense(exact: boolean): Promise<void> {
    const touched = this.relevant.map(({ tiles }) => tiles)
    if (touched.some(({ length }) => length > 0)) this.readCoordinates(touched)
    const all = exact ? await this.shownTiles() : this.densestTiles()
    const tiles = this.relevant.map(({ fragment }) => all[fragment])
    for (const [i, { fragment, one }] of this.relevant.entries()) {
      const cells_read = tilesCellNum(one.info, tiles[i])
      const own = { tiles_touched: tiles[i].length, passed_over_by: tiles[i].length > 0 ? null : ('covered' as const) }
      this.fragments[fragment] = { ...this.fragments[fragment], ...(one.info.dense ? own : {}), cells_read }
    }
    this.readAttributes(tiles, true, true)
  }

  /** By fragment, the tiles that show a cell. */
  private async shownTiles(): Promise<Uint32Array[]> {
    const marks = this.opened.fragments.map(({ info }) => new Uint8Array(info.tile_num))
    const query: ReadQuery = { ...this.query, order: 'row-major', fields: [], where: undefined, provenance: 'places' }
    const at = readColumns(this.opened.schema, query).length - PROVENANCE.length
    for await (const { columns, cell_num } of readMerged(this.opened, query)) {
      this.cells_found += cell_num
      const [from, tiles] = [columns[at], columns[at + 1]] as ColumnData[]
      const [fragments, numbers] = [numbersOf('INT32', from.data), u64s(tiles.data)]
      for (let i = 0; i < cell_num; i++) if (from.validity?.[i] !== 0) marks[fragments[i]][numbers[i]] = 1
    }
    return marks.map((own) => Uint32Array.from(own.keys()).filter((tile) => own[tile] === 1))
  }

  /** At most which tiles show a cell: touched sparse tiles, and dense ones that no newer dense tile hides. */
  private densestTiles(): Uint32Array[] {
    const { schema, fragments } = this.opened
    const tiles: number[][] = fragments.map(() => [])
    for (const { fragment, tiles: own } of this.relevant) tiles[fragment].push(...own)
    const dense = [...fragments.keys()].filter((f) => fragments[f].info.dense)
    const visited = visitTiles({ schema, fragments: dense.map((f) => fragments[f]) }, this.query)
    for (const [i, f] of visited.fragments.entries()) tiles[dense[f]].push(visited.tiles[i])
    return tiles.map((own) => Uint32Array.from(own))
  }

  /** @returns whether the cells do not fit into the buffers, as far as that is known */
  private async readPartition(
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
    this.readCoordinates(tiles)
    // Without a cell in the ranges, conditions are not evaluated.
    this.readAttributes(tiles, counted?.merged !== 0, coordinatesFit)
    return tooLong.length > 0 || !coordinatesFit
  }

  /** Which delete conditions fragments have applied already. */
  loadDeletes(): void {
    if (this.opened.deletes.length === 0) return
    for (const [fragment, one] of this.opened.fragments.entries())
      if (one.info.slots.some(({ kind }) => kind === 'delete_timestamps'))
        this.load(fragment, one, 'processed_conditions')
  }

  /** Coordinates, then the times of cells where they count. @param tiles by relevant fragment */
  private readCoordinates(tiles: readonly Uint32Array[]): void {
    for (const kind of ['coords', 'dimension'] as const) this.read(tiles, (slot) => slot.kind === kind)
    this.read(tiles, (slot, one) => slot.kind === 'timestamps' && this.needsTimes(one))
    this.read(tiles, (slot) => slot.kind === 'delete_timestamps')
  }

  /**
   * @param evaluates whether delete conditions and that of the query are evaluated on any cell
   * @param copies whether other attributes are read, too
   */
  private readAttributes(tiles: readonly Uint32Array[], evaluates: boolean, copies: boolean): void {
    const needed = new Set(this.conditions.flatMap((node) => [...conditionFields(node)]))
    const shown = readColumns(this.opened.schema, this.query)
      .filter(({ kind, name }) => kind === 'attribute' && !needed.has(name))
      .map(({ name }) => name)
    for (const name of [...(evaluates ? needed : []), ...(copies ? shown : [])])
      this.read(tiles, (slot) => slot.name === name)
  }

  /** Reads a field. Its offsets are loaded of all relevant fragments. */
  private read(tiles: readonly Uint32Array[], isWanted: (slot: Slot, one: OpenedFragment) => boolean): void {
    const call = this.call++
    for (const [i, { fragment, one }] of this.relevant.entries()) {
      for (const [slot, field] of one.info.slots.entries()) {
        if (field.phantom || !isWanted(field, one) || !this.hasForm(field)) continue
        this.loadOffsets(fragment, one, slot)
        if (tiles[i].length > 0) this.tile_reads.push({ fragment, slot, tiles: tiles[i], call })
      }
    }
  }

  /** A field that was fixed-sized when the fragment was written, and is var-sized now, is not read. Neither the other way round. */
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
    this.load(fragment, one, 'tile_offsets', slot)
    const { varSized, nullable } = one.info.slots[slot]
    if (varSized) this.load(fragment, one, 'tile_var_offsets', slot)
    if (nullable) this.load(fragment, one, 'tile_validity_offsets', slot)
    if (varSized) this.load(fragment, one, 'tile_var_sizes', slot)
  }

  /** To halve ranges, TileDB estimates what they hold of all fields, whichever are asked for. */
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
    // Versions 1 and 2 have all of it in one section, which opening loads.
    if (info.format_version < 3 || this.loaded.has(id)) return
    this.loaded.add(id)
    this.metadata_reads.push({ fragment, section, slot })
  }
}

/** Undefined if the non-empty domain touches no range. Of dense fragments no tiles are found here. */
async function touchedBy(
  { fragment, info }: OpenedFragment,
  overlapOf: (box: NDRange) => Overlap,
): Promise<TouchedTiles | undefined> {
  const overlap = info.nonempty_domain ? overlapOf(info.nonempty_domain) : 'some'
  if (overlap === 'none') return undefined
  if (info.dense) return NO_TILES
  return overlap === 'all' ? allTiles(info) : touchedTiles(fragment, overlapOf)
}

/** Cells of a query. */
interface CellCounts {
  /** Those inside the ranges of which no newer one is found, before conditions; with conditions any number that is not 0. */
  merged: number
  /** Those that the query finds. Ranges of a dimension that overlap each other count their cells once each. */
  found: number
  /** Bytes of the values of some var-sized fields, of the cells that are found. */
  bytes: Map<string, number>
}

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
  // The condition may have left out whole tiles.
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
