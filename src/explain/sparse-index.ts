import { atOnce, inOrder } from '../base/in-order.ts'
import { type RangeSets, rangeOverlap, rowsInside } from '../cells/bounds.ts'
import type { ColumnData } from '../cells/column.ts'
import { tileCellNum, tilesCellNum } from '../cells/tile-places.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { conditionFields } from '../read/condition.ts'
import { isCutByTime } from '../read/opening.ts'
import { type OpenedFragment, PROVENANCE, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { Source } from '../read/source.ts'
import type { FragmentInfo } from '../store/fragment.ts'
import type { ExplainQuery, FragmentPlan, MetadataRead, TileRead } from './plan.ts'
import type { TileRound } from './sparse-memory.ts'
import { allTiles, insideNum, NO_TILES, type TouchedTiles, touchedTiles } from './touched-tiles.ts'

/**
 * What TileDB's two readers of sparse arrays by index do alike: which fragments and tiles the ranges touch, which fields are
 * loaded before which, and which sections of the metadata.
 *
 * @see tiledb/sm/query/readers/sparse_index_reader_base.cc, reader_base.cc
 */

/** A fragment, and what a query touches of it. */
export interface IndexedFragment extends TouchedTiles {
  opened: OpenedFragment
  /** Position in {@link import('../read/query.ts').OpenedArray.fragments}. */
  index: number
  /** Whether its non-empty domain touches the ranges. */
  relevant: boolean
  /** Whether the reader loads the times of its cells. */
  loadsTimes: boolean
}

/** The cells that a query gives. */
export interface FoundCells {
  /** By fragment: the tiles that give cells, rising. */
  tiles: Uint32Array[]
  /** By fragment: how many cells each touched tile gives. */
  counts: Uint32Array[]
  cells: number
}

/** The fields that a reader of sparse arrays loads, by name. */
interface LoadedFields {
  dimensions: string[]
  /** Loaded to know which cells stay, before the others. */
  forConditions: string[]
  /** Attributes to return that are not loaded for conditions. */
  attributes: string[]
}

const TIMESTAMPS = '__timestamps'
const DELETE_TIMESTAMPS = '__delete_timestamps'

/** A query on a sparse array. */
export class SparseIndex {
  readonly query: ExplainQuery
  /** Whether the query limits any dimension. */
  readonly isRanged: boolean
  readonly fragments: readonly IndexedFragment[]
  readonly fields: LoadedFields
  /** Whether times of cells are asked for in any fragment. */
  readonly usesTimes: boolean

  private constructor(query: ExplainQuery, fragments: readonly IndexedFragment[], withCoordinates: boolean) {
    this.query = query
    this.isRanged = isRanged(query.query.ranges)
    this.fragments = fragments
    this.fields = loadedFields(query, withCoordinates)
    this.usesTimes = usesTimes(query, fragments)
  }

  /** @param withCoordinates whether the reader loads coordinates though nothing limits them */
  static async open(query: ExplainQuery, withCoordinates: boolean): Promise<SparseIndex> {
    const { opened, query: read } = query
    const ranged = isRanged(read.ranges)
    const overlapOf = rangeOverlap(opened.schema.domain.dimensions, read.ranges)
    const fragments: IndexedFragment[] = []
    const touch = async (one: OpenedFragment): Promise<TouchedTiles & { relevant: boolean }> => {
      const { nonempty_domain } = one.info
      const overlap = ranged && nonempty_domain ? overlapOf(nonempty_domain) : 'all'
      const relevant = overlap !== 'none'
      if (overlap === 'some') return { relevant, ...(await touchedTiles(one.fragment, overlapOf)) }
      return { relevant, ...(relevant ? allTiles(one.info) : NO_TILES) }
    }
    for await (const touched of inOrder(opened.fragments, atOnce(opened.array.folder), touch)) {
      const index = fragments.length
      const one = opened.fragments[index]
      fragments.push({ opened: one, index, loadsTimes: hasTimes(one) && loadsTimesOf(query, one), ...touched })
    }
    return new SparseIndex(query, fragments, withCoordinates || ranged)
  }

  private get schema(): ArraySchema {
    return this.query.opened.schema
  }

  /** The slot of a field in a fragment; -1 where the reader finds none. @see ReaderBase::skip_field */
  slotOf({ opened, loadsTimes }: IndexedFragment, name: string): number {
    const { slots, format_version, schema } = opened.info
    if (name === TIMESTAMPS && !loadsTimes) return -1
    const dimension = schema.domain.dimensions.some((one) => one.name === name)
    if (dimension && format_version < 5) return -1
    const slot = slots.findIndex((one) => one.name === name && one.kind !== 'coords')
    const now = this.schema.attributes.find((one) => one.name === name)
    return slot >= 0 && now && (now.cell_val_num === 'var') !== slots[slot].varSized ? -1 : slot
  }

  /** One call of ReaderBase::read_tiles. @param tiles by fragment */
  tileReads(names: readonly string[], tiles: readonly Uint32Array[], call: number): TileRead[] {
    return names.flatMap((name) =>
      this.fragments.flatMap((fragment) => {
        const own = tiles[fragment.index]
        const slot = own.length === 0 ? -1 : this.slotOf(fragment, name)
        return slot < 0 ? [] : [{ fragment: fragment.index, slot, tiles: own, call }]
      }),
    )
  }

  /** The coordinates of versions 1 to 4, which one file holds. */
  zippedReads(tiles: readonly Uint32Array[], call: number): TileRead[] {
    return this.fragments.flatMap(({ opened: { info }, index }) => {
      const slot = zippedSlot(info)
      return slot < 0 || tiles[index].length === 0 ? [] : [{ fragment: index, slot, tiles: tiles[index], call }]
    })
  }

  /**
   * What is read before it is known which cells stay.
   * @param coordinates whether coordinates are loaded
   */
  private firstReads(tiles: readonly Uint32Array[], coordinates: boolean, call: number): TileRead[] {
    const { dimensions, forConditions } = this.fields
    const times = this.usesTimes ? [TIMESTAMPS] : []
    return [
      ...(coordinates ? [...this.zippedReads(tiles, call), ...this.tileReads(dimensions, tiles, call + 1)] : []),
      ...this.tileReads([...times, DELETE_TIMESTAMPS, ...forConditions], tiles, call + 2),
    ]
  }

  /**
   * All reads.
   * @param rounds undefined where all fits into memory at once
   * @param given by fragment: the tiles that give cells
   * @param coordinates whether coordinates are loaded first @param names the fields to return that are not loaded first
   */
  readsOf(
    rounds: readonly TileRound[] | undefined,
    given: readonly Uint32Array[],
    coordinates: boolean,
    names: readonly string[],
  ): TileRead[] {
    return (rounds ?? [{ loaded: this.touched, given }]).flatMap((round, r) => [
      ...this.firstReads(round.loaded, coordinates, 4 * r),
      ...this.tileReads(names, round.given, 4 * r + 3),
    ])
  }

  /** The sections of the metadata. @param rtrees whether R-trees are loaded though nothing is limited */
  metadataReads(rtrees: boolean): MetadataRead[] {
    const reads: MetadataRead[] = []
    const { opened } = this.query
    for (const { index, opened: one } of opened.deletes.length > 0 ? this.fragments : [])
      if (one.info.format_version >= 16 && one.info.slots.some(({ kind }) => kind === 'delete_timestamps'))
        reads.push({ fragment: index, section: 'processed_conditions' })
    for (const fragment of this.fragments) {
      const { info } = fragment.opened
      // Versions 1 and 2 have one section, which is loaded as the array is opened.
      if (!fragment.relevant || info.format_version < 3) continue
      if (rtrees || this.isRanged) reads.push({ fragment: fragment.index, section: 'rtree' })
      reads.push(...this.offsetReads(fragment))
    }
    return reads
  }

  /** Number of the lists of tile offsets that a fragment needs. @see ReaderBase::tile_offset_sizes */
  offsetLists(fragment: IndexedFragment): number {
    const { info } = fragment.opened
    if (info.format_version >= 3) return this.offsetReads(fragment).length
    return 1 + this.fieldSlots(fragment).reduce((sum, slot) => sum + (info.slots[slot].varSized ? 3 : 1), 0)
  }

  private offsetReads(fragment: IndexedFragment): MetadataRead[] {
    const { info } = fragment.opened
    const { index } = fragment
    const slots = [...(info.format_version < 5 ? [zippedSlot(info)] : []), ...this.fieldSlots(fragment)]
    return slots.flatMap((slot): MetadataRead[] => {
      const { varSized, nullable } = info.slots[slot]
      const reads: MetadataRead[] = [{ fragment: index, section: 'tile_offsets', slot }]
      if (varSized)
        reads.push(
          { fragment: index, section: 'tile_var_sizes', slot },
          { fragment: index, section: 'tile_var_offsets', slot },
        )
      if (nullable) reads.push({ fragment: index, section: 'tile_validity_offsets', slot })
      return reads
    })
  }

  /** The slots of all fields that are loaded. */
  private fieldSlots(fragment: IndexedFragment): number[] {
    const names = [...this.fields.dimensions, ...this.fields.forConditions, ...this.fields.attributes]
    if (this.usesTimes) names.push(TIMESTAMPS)
    names.push(DELETE_TIMESTAMPS)
    return [...new Set(names.map((name) => this.slotOf(fragment, name)))].filter((slot) => slot >= 0)
  }

  /** The tiles that the ranges touch, by fragment. */
  get touched(): Uint32Array[] {
    return this.fragments.map(({ tiles }) => tiles)
  }

  /** Cells of the touched tiles. */
  touchedCells({ opened, tiles }: IndexedFragment): number {
    return tilesCellNum(opened.info, tiles)
  }

  /** @param kept the tiles that give cells; undefined if that is not known */
  fragmentPlans(kept: readonly Uint32Array[] | undefined, countsCells: boolean): FragmentPlan[] {
    return this.fragments.map((fragment) => {
      const { index, opened, tiles, relevant } = fragment
      const { tile_num } = opened.info
      return {
        fragment: index,
        passed_over_by: !relevant ? 'domain' : tile_num === 0 ? 'no tiles' : tiles.length === 0 ? 'rtree' : null,
        tile_num,
        tiles_touched: tiles.length,
        tiles_inside: insideNum(fragment),
        tiles_dropped: kept ? tiles.length - kept[index].length : 0,
        cells_read: countsCells ? this.touchedCells(fragment) : 0,
      }
    })
  }

  /** The cells that the query gives. Undoes coordinates, and the fields of conditions. */
  foundCells(order: 'unordered' | 'global'): Promise<FoundCells> {
    const isMerged = order === 'global' && !this.schema.allows_duplicates
    return isMerged || this.filters ? this.mergedCells(order) : this.cellsInside()
  }

  /** Whether anything but the ranges leaves out cells. */
  private get filters(): boolean {
    const { opened, query } = this.query
    return (
      query.where !== undefined ||
      opened.deletes.length > 0 ||
      opened.fragments.some(
        (one) =>
          (hasTimes(one) && isCutByTime(opened, one)) ||
          one.info.slots.some(({ kind }) => kind === 'delete_timestamps'),
      )
    )
  }

  /** Cells that nothing leaves out but the ranges. */
  private async cellsInside(): Promise<FoundCells> {
    const { opened, query } = this.query
    const { dimensions } = opened.schema.domain
    const columns = readColumns(opened.schema, { ...query, fields: [], provenance: false })
    const all: Uint32Array[] = []
    for (const { opened: one, index, tiles, inside } of this.fragments) {
      const counts = tiles.map((tile, i) => (inside[i] === 1 ? tileCellNum(one.info, tile) : 0))
      all.push(counts)
      const partly = tiles.filter((_, i) => inside[i] === 0)
      if (partly.length === 0) continue
      const source = await Source.open(one, index, columns, undefined)
      let at = 0
      try {
        for await (const batch of source.batches([...partly], true)) {
          while (tiles[at] !== batch.tile) at++
          const rows = rowsInside(dimensions, batch.columns as ColumnData[], batch.cell_num, query.ranges)
          counts[at] += rows?.length ?? batch.cell_num
        }
      } finally {
        await source.close()
      }
    }
    return this.foundOf(all)
  }

  private async mergedCells(order: 'unordered' | 'global'): Promise<FoundCells> {
    const asked = { ...this.query.query, order, fields: [], provenance: 'places' } as const
    const at = readColumns(this.schema, asked).length - PROVENANCE.length
    const counts = this.fragments.map(({ opened: { info } }) => new Uint32Array(info.tile_num))
    for await (const { columns, cell_num } of readMerged(this.query.opened, asked)) {
      const from = int32s(columns[at])
      const tiles = int32s(columns[at + 1])
      for (let i = 0; i < cell_num; i++) {
        // Numbers of tiles are of 64 bits, the upper of which are 0.
        counts[from[i]][tiles[2 * i]]++
      }
    }
    return this.foundOf(this.fragments.map(({ index, tiles }) => tiles.map((tile) => counts[index][tile])))
  }

  /** @param counts by fragment: cells of each touched tile */
  private foundOf(counts: Uint32Array[]): FoundCells {
    const cells = counts.reduce((sum, own) => own.reduce((all, count) => all + count, sum), 0)
    const tiles = this.touched.map((own, f) => own.filter((_, i) => counts[f][i] > 0))
    return { cells, counts, tiles }
  }
}

function int32s(column: ColumnData | undefined): Int32Array {
  const { buffer, byteOffset, byteLength } = (column as ColumnData).data
  return new Int32Array(buffer, byteOffset, byteLength / 4)
}

function zippedSlot({ format_version, slots }: FragmentInfo): number {
  return format_version < 5 ? slots.findIndex(({ kind }) => kind === 'coords') : -1
}

/** Whether ranges limit any dimension. */
function isRanged(ranges: RangeSets): boolean {
  return [...ranges.values()].some((all) => !all.some(({ low, high }) => low === undefined && high === undefined))
}

function hasTimes({ info }: OpenedFragment): boolean {
  return info.slots.some(({ kind }) => kind === 'timestamps')
}

/** Whether a delete lies between the times of a fragment whose cells have times. */
function isCutByDelete({ opened }: ExplainQuery, one: OpenedFragment): boolean {
  const [first, last] = one.fragment.timestamp_range ?? [0n, 0n]
  return hasTimes(one) && opened.deletes.some(({ time }) => time >= first && time <= last)
}

/** @see ReaderBase::include_timestamps */
function loadsTimesOf(query: ExplainQuery, one: OpenedFragment): boolean {
  const { opened } = query
  return !opened.schema.allows_duplicates || isCutByTime(opened, one) || isCutByDelete(query, one)
}

/** @see SparseIndexReaderBase::load_initial_data */
function usesTimes(query: ExplainQuery, fragments: readonly IndexedFragment[]): boolean {
  const { opened } = query
  return (
    !opened.schema.allows_duplicates ||
    fragments.some(({ opened: one, relevant }) => relevant && hasTimes(one) && isCutByTime(opened, one)) ||
    opened.fragments.some((one) => isCutByDelete(query, one))
  )
}

/** @param withCoordinates whether coordinates are loaded anyhow */
function loadedFields({ opened, query }: ExplainQuery, withCoordinates: boolean): LoadedFields {
  const { schema, deletes } = opened
  const dimensions = schema.domain.dimensions.map(({ name }) => name)
  const conditions = [...deletes.map(({ stays }) => stays), ...(query.where ? [query.where] : [])]
  const needed = new Set(conditions.flatMap((node) => [...conditionFields(node)]))
  const forConditions = [...needed].filter((name) => !withCoordinates || !dimensions.includes(name))
  const shown = readColumns(schema, { ...query, provenance: false }).map(({ name }) => name)
  return {
    dimensions,
    forConditions,
    attributes: shown.filter((name) => !dimensions.includes(name) && !forConditions.includes(name)),
  }
}
