import { type Bounds, compare, type RangeSets, rangeOverlap, rowsInside } from '../cells/bounds.ts'
import { allRows, type ColumnData } from '../cells/column.ts'
import { tileCellNum } from '../cells/tile-places.ts'
import type { Dimension } from '../format/dimension.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { mbrAt } from '../format/rtree.ts'
import { conditionFields } from '../read/condition.ts'
import { isCutByTime } from '../read/opening.ts'
import { type OpenedArray, type OpenedFragment, type ReadQuery, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { BLOCK_TILES, TileLists } from '../store/tile-lists.ts'
import type { ExplainQuery, FragmentPlan, MetadataRead, ReadPlan, TileRead } from './plan.ts'

/** Tiles of a fragment that the ranges touch. */
interface Touched {
  /** Rising. */
  tiles: Uint32Array
  /** How many of them lie wholly inside the ranges. */
  inside: number
}

/**
 * What TileDB's first reader does, which reads sparse arrays in row-major and column-major order.
 *
 * It finds the touched tiles by the R-trees, and reads all coordinates of all of them. It sorts the cells and drops the older
 * ones. It then reads the other fields of all these tiles, also of those without a cell in the ranges. No tile is dropped by
 * minima and maxima. Each field is a call of its own, but the dimensions are one.
 *
 * It takes no notice of `sm.mem.total_budget`.
 *
 * @see tiledb/sm/query/legacy/reader.cc; Subarray::precompute_tile_overlap
 */
export async function planLegacy({ opened, query, exact }: ExplainQuery): Promise<ReadPlan> {
  const plan = new LegacyPlan(opened, query)
  const fragments: FragmentPlan[] = []
  for (const [fragment, one] of opened.fragments.entries()) fragments.push(await plan.touch(fragment, one))
  plan.loadDeletes()
  plan.readCoordinates()
  const counted = exact ? await countCells(opened, query) : undefined
  // Without a cell in the ranges, conditions are not evaluated.
  plan.readAttributes(counted?.merged !== 0)
  return {
    reader: 'legacy Reader',
    fragments,
    tile_reads: plan.tile_reads,
    metadata_reads: plan.metadata_reads,
    cells_read: fragments.reduce((sum, { cells_read }) => sum + cells_read, 0),
    cells_found: counted?.found ?? null,
    least_memory_budget: 0,
  }
}

/** A fragment that is not passed over by its non-empty domain. */
interface Relevant extends Touched {
  fragment: number
  one: OpenedFragment
}

class LegacyPlan {
  readonly tile_reads: TileRead[] = []
  readonly metadata_reads: MetadataRead[] = []
  private readonly opened: OpenedArray
  private readonly query: ReadQuery
  private readonly relevant: Relevant[] = []
  private call = 0
  private readonly loaded = new Set<string>()

  constructor(opened: OpenedArray, query: ReadQuery) {
    this.opened = opened
    this.query = query
  }

  async touch(fragment: number, one: OpenedFragment): Promise<FragmentPlan> {
    const { info } = one
    const { nonempty_domain, tile_num } = info
    const plan = { fragment, tile_num, tiles_touched: 0, tiles_inside: 0, tiles_dropped: 0, cells_read: 0 }
    const { dimensions } = this.opened.schema.domain
    if (nonempty_domain && rangeOverlap(dimensions, this.query.ranges)(nonempty_domain) === 'none')
      return { ...plan, passed_over_by: 'domain' }
    const { tiles, inside } = await touchedTiles(one, this.query.ranges)
    this.relevant.push({ fragment, one, tiles, inside })
    this.load(fragment, one, 'rtree')
    for (const { slot } of this.shownSlots(one)) this.loadVarSizes(fragment, one, slot)
    const cells_read = tiles.reduce((sum, tile) => sum + tileCellNum(info, tile), 0)
    const passed_over_by = tile_num === 0 ? 'no tiles' : tiles.length === 0 ? 'rtree' : null
    return { ...plan, passed_over_by, tiles_touched: tiles.length, tiles_inside: inside, cells_read }
  }

  /** Which delete conditions fragments have applied already. */
  loadDeletes(): void {
    if (this.opened.deletes.length === 0) return
    for (const [fragment, one] of this.opened.fragments.entries())
      if (one.info.slots.some(({ kind }) => kind === 'delete_timestamps'))
        this.load(fragment, one, 'processed_conditions')
  }

  private get isTouched(): boolean {
    return this.relevant.some(({ tiles }) => tiles.length > 0)
  }

  /** Coordinates, then the times of cells where they count. */
  readCoordinates(): void {
    if (!this.isTouched) return
    for (const kind of ['coords', 'dimension'] as const) this.read((slot) => slot.kind === kind)
    this.read((slot, one) => slot.kind === 'timestamps' && this.needsTimes(one))
    this.read((slot) => slot.kind === 'delete_timestamps')
  }

  /** @param evaluates whether delete conditions and that of the query are evaluated on any cell */
  readAttributes(evaluates: boolean): void {
    if (!this.isTouched) return
    const { deletes } = this.opened
    const conditions = [...deletes.map(({ stays }) => stays), ...(this.query.where ? [this.query.where] : [])]
    const needed = new Set(conditions.flatMap((node) => [...conditionFields(node)]))
    const shown = readColumns(this.opened.schema, this.query)
      .filter(({ kind, name }) => kind === 'attribute' && !needed.has(name))
      .map(({ name }) => name)
    for (const name of [...(evaluates ? needed : []), ...shown]) this.read((slot) => slot.name === name)
  }

  /** Reads a field of all touched tiles. */
  private read(isWanted: (slot: Slot, one: OpenedFragment) => boolean): void {
    const call = this.call++
    for (const { fragment, one, tiles } of this.relevant) {
      for (const [slot, field] of one.info.slots.entries()) {
        if (field.phantom || !isWanted(field, one) || !this.hasForm(field)) continue
        this.loadOffsets(fragment, one, slot)
        if (tiles.length > 0) this.tile_reads.push({ fragment, slot, tiles, call })
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

  private shownSlots({ info }: OpenedFragment): { slot: number }[] {
    const shown = new Set(readColumns(this.opened.schema, this.query).map(({ name }) => name))
    return info.slots.flatMap(({ name, phantom }, slot) => (!phantom && shown.has(name) ? [{ slot }] : []))
  }

  private loadOffsets(fragment: number, one: OpenedFragment, slot: number): void {
    this.load(fragment, one, 'tile_offsets', slot)
    const { varSized, nullable } = one.info.slots[slot]
    if (varSized) this.load(fragment, one, 'tile_var_offsets', slot)
    if (nullable) this.load(fragment, one, 'tile_validity_offsets', slot)
    this.loadVarSizes(fragment, one, slot)
  }

  private loadVarSizes(fragment: number, one: OpenedFragment, slot: number): void {
    if (one.info.slots[slot].varSized) this.load(fragment, one, 'tile_var_sizes', slot)
  }

  private load(fragment: number, { info }: OpenedFragment, section: MetadataRead['section'], slot?: number): void {
    const id = `${fragment} ${section} ${slot}`
    // Versions 1 and 2 have all of it in one section, which opening loads.
    if (info.format_version < 3 || this.loaded.has(id)) return
    this.loaded.add(id)
    this.metadata_reads.push({ fragment, section, slot })
  }
}

async function touchedTiles({ fragment, info }: OpenedFragment, ranges: RangeSets): Promise<Touched> {
  const { dimensions } = info.schema.domain
  const overlapOf = rangeOverlap(dimensions, ranges)
  const boxes = await new TileLists(fragment).boxes()
  const count = Math.min(info.tile_num, boxes?.count ?? 0)
  const tiles = new Uint32Array(count)
  let [touched, inside] = [0, 0]
  for (let from = 0; boxes && from < count; from += BLOCK_TILES) {
    const to = Math.min(count, from + BLOCK_TILES)
    const { first, entries } = await boxes.block(from, to)
    for (let tile = from; tile < to; tile++) {
      const overlap = overlapOf(mbrAt(entries, tile - first, dimensions))
      if (overlap === 'none') continue
      tiles[touched++] = tile
      if (overlap === 'all') inside++
    }
  }
  boxes?.release()
  await fragment.close()
  return { tiles: tiles.slice(0, touched), inside }
}

/** Cells of a query. */
interface CellCounts {
  /** Those inside the ranges of which no newer one is found, before conditions; with conditions any number that is not 0. */
  merged: number
  /** Those that the query finds. Ranges of a dimension that overlap each other count their cells once each. */
  found: number
}

async function countCells(opened: OpenedArray, query: ReadQuery): Promise<CellCounts> {
  const { dimensions } = opened.schema.domain
  const repeated = [...query.ranges].filter(([, ranges]) => overlapEachOther(ranges))
  let [merged, found] = [0, 0]
  const counting: ReadQuery = {
    ...query,
    order: 'unordered',
    fields: [],
    reuse: true,
    onMerged: (cells) => {
      merged += cells
    },
  }
  for await (const { columns, rows, cell_num } of readMerged(opened, counting)) {
    const wanted = rows ?? allRows(cell_num)
    if (repeated.length === 0) found += wanted.length
    else found += timesFound(dimensions, columns as ColumnData[], wanted, cell_num, repeated)
  }
  if (merged > 0 || !query.where) return { merged, found }
  // The condition may have left out whole tiles.
  return { merged: (await countCells(opened, { ...query, where: undefined })).merged, found }
}

function overlapEachOther(ranges: readonly Bounds[]): boolean {
  const meet = ({ low }: Bounds, { high }: Bounds): boolean =>
    low === undefined || high === undefined || compare(low, high) <= 0
  return ranges.some((a, i) => ranges.slice(i + 1).some((b) => meet(a, b) && meet(b, a)))
}

/** Counts a cell once for each range of a dimension that it lies in, multiplied over the dimensions. */
function timesFound(
  dimensions: readonly Dimension[],
  columns: readonly ColumnData[],
  rows: Uint32Array,
  count: number,
  repeated: readonly (readonly [number, readonly Bounds[]])[],
): number {
  const times = new Float64Array(count).fill(1)
  for (const [d, ranges] of repeated) {
    const own = new Float64Array(count)
    for (const range of ranges)
      for (const row of rowsInside(dimensions, columns, count, new Map([[d, [range]]])) ?? allRows(count)) own[row]++
    for (let i = 0; i < count; i++) times[i] *= own[i]
  }
  return rows.reduce((sum, row) => sum + times[row], 0)
}
