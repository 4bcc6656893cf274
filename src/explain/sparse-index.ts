import { atOnce, inOrder } from '../base/in-order.ts'
import { type RangeSets, rangeOverlap, rowsInside } from '../cells/bounds.ts'
import type { ColumnData } from '../cells/column.ts'
import { numbersOf } from '../cells/elements.ts'
import { tileCellNum, tilesCellNum } from '../cells/tile-places.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { u64s } from '../format/u32.ts'
import type { FragmentInfo } from '../objects/fragment.ts'
import { conditionFields } from '../read/condition.ts'
import { hasSlot, isCutByTime, isLost } from '../read/opening.ts'
import { type OpenedArray, type OpenedFragment, PROVENANCE, type ReadQuery, readColumns } from '../read/query.ts'
import { readMerged } from '../read/read.ts'
import { SparseSource } from '../read/source.ts'
import type { TileRound } from './memory/sparse-rounds.ts'
import { type ExplainQuery, type FragmentPlan, type MetadataRead, type TileRead, tileListReads } from './plan.ts'
import { allTiles, NO_TILES, planOfTouched, type TouchedTiles, touchedTiles } from './touched-tiles.ts'

/**
 * What TileDB's two index readers of sparse arrays have in common: which fragments and tiles the ranges touch, in which order the
 * fields are loaded, and which sections of the metadata.
 *
 * @see tiledb/sm/query/readers/sparse_index_reader_base.cc, reader_base.cc
 */

/** A fragment, and what a query touches of it. */
export interface IndexedFragment extends TouchedTiles {
  opened: OpenedFragment
  /** Position in {@link OpenedArray.fragments}. */
  index: number
  /** Whether its non-empty domain touches the ranges. */
  isRelevant: boolean
  /** Whether the reader loads the timestamps of its cells. */
  loadsTimes: boolean
}

/** The cells that a query finds. In its place is undefined where they are not known. */
export interface FoundCells {
  /** By fragment: the tiles that give cells, rising. */
  tiles: Uint32Array[]
  /** By fragment: how many cells each touched tile gives. */
  counts: Uint32Array[]
  cells: number
}

/** Names of the fields that a reader of sparse arrays loads. */
interface LoadedFields {
  dimensions: string[]
  /** Fields of conditions, which are loaded before the others. Dimensions are among them only if coordinates are not loaded anyway. */
  forConditions: string[]
  /** Fields that the query returns, without those that are loaded earlier: as coordinates or for conditions. */
  returned: string[]
}

const NOT_RELEVANT = { isRelevant: false, ...NO_TILES }

const TIMESTAMPS = '__timestamps'
const DELETE_TIMESTAMPS = '__delete_timestamps'

/** A query on a sparse array, with the tiles that it touches. */
export class SparseIndex {
  readonly query: ExplainQuery
  /** Whether the query limits any dimension. */
  readonly isRanged: boolean
  /** Whether coordinates are loaded before all other fields. Otherwise they are loaded only if something asks for them. */
  readonly loadsCoordinates: boolean
  readonly fragments: readonly IndexedFragment[]
  readonly fields: LoadedFields
  /** Whether the reader asks for cell timestamps in any fragment. */
  private readonly usesTimes: boolean
  /** {@link fieldSlots} by the slots of a fragment, which fragments share. */
  private readonly slotsWithTimes = new WeakMap<readonly Slot[], readonly number[]>()
  private readonly slotsWithoutTimes = new WeakMap<readonly Slot[], readonly number[]>()

  private constructor(query: ExplainQuery, fragments: readonly IndexedFragment[], loadsCoordinates: boolean) {
    this.query = query
    this.isRanged = isRanged(query.query.ranges)
    this.loadsCoordinates = loadsCoordinates
    this.fragments = fragments
    this.fields = loadedFields(query, loadsCoordinates)
    this.usesTimes = usesTimes(query, fragments)
  }

  /** @param needsCoordinates whether the reader loads coordinates even if the query has no ranges */
  static async open(query: ExplainQuery, needsCoordinates: boolean): Promise<SparseIndex> {
    const { opened, query: read } = query
    const ranged = isRanged(read.ranges)
    const overlapOf = rangeOverlap(opened.schema.domain.dimensions, read.ranges)
    const fragments: IndexedFragment[] = []
    const touch = async (one: OpenedFragment): Promise<TouchedTiles & { isRelevant: boolean }> => {
      const { fragment, info } = one
      const { nonempty_domain } = info
      const overlap = ranged && nonempty_domain ? overlapOf(nonempty_domain) : 'all'
      if (overlap === 'none' || isLost(one)) return NOT_RELEVANT
      return { isRelevant: true, ...(overlap === 'all' ? allTiles(info) : await touchedTiles(fragment, overlapOf)) }
    }
    for await (const touched of inOrder(opened.fragments, atOnce(opened.array.folder), touch)) {
      const index = fragments.length
      const one = opened.fragments[index]
      const { tiles, inside, isRelevant } = touched
      fragments.push({ opened: one, index, isRelevant, loadsTimes: loadsTimesOf(query, one), tiles, inside })
    }
    return new SparseIndex(query, fragments, needsCoordinates || ranged)
  }

  /** The fragments with touched tiles. */
  get touched(): readonly IndexedFragment[] {
    return this.fragments.filter(({ tiles }) => tiles.length > 0)
  }

  private get schema(): ArraySchema {
    return this.query.opened.schema
  }

  /** Returns the slot of a field in a fragment; -1 if the reader finds none. @see ReaderBase::skip_field */
  slotOf({ opened, loadsTimes }: IndexedFragment, name: string): number {
    const { slots, format_version, schema } = opened.info
    if (name === TIMESTAMPS && !loadsTimes) return -1
    const isDimension = schema.domain.dimensions.some((one) => one.name === name)
    if (isDimension && format_version < 5) return -1
    const slot = slots.findIndex((one) => one.name === name && one.kind !== 'coords')
    const attribute = this.schema.attributes.find((one) => one.name === name)
    // After schema evolution the field may be fixed-sized here and var-sized in the array.
    return slot >= 0 && attribute && (attribute.cell_val_num === 'var') !== slots[slot].varSized ? -1 : slot
  }

  /** The reads of one call of ReaderBase::read_tiles. @param tiles by fragment */
  private callReads(names: readonly string[], tiles: readonly Uint32Array[], call: number): TileRead[] {
    return names.flatMap((name) =>
      this.fragments.flatMap((fragment) => {
        const own = tiles[fragment.index]
        const slot = own.length === 0 ? -1 : this.slotOf(fragment, name)
        return slot < 0 ? [] : [{ fragment: fragment.index, slot, tiles: own, call }]
      }),
    )
  }

  /** The reads of coordinates: a call for those of versions 1 to 4, which are in one file, then a call for the dimensions. */
  private coordinateReads(tiles: readonly Uint32Array[], call: number): TileRead[] {
    const zipped = this.fragments.flatMap(({ opened: { info }, index }) => {
      const slot = zippedSlot(info)
      return slot < 0 || tiles[index].length === 0 ? [] : [{ fragment: index, slot, tiles: tiles[index], call }]
    })
    return [...zipped, ...this.callReads(this.fields.dimensions, tiles, call + 1)]
  }

  /**
   * All reads of tiles.
   * @param rounds undefined if everything fits into memory at once
   */
  tileReads(rounds: readonly TileRound[] | undefined, found: FoundCells | undefined): TileRead[] {
    const touched = this.fragments.map(({ tiles }) => tiles)
    const { forConditions, returned } = this.fields
    const forCells = [...(this.usesTimes ? [TIMESTAMPS] : []), DELETE_TIMESTAMPS, ...forConditions]
    return (rounds ?? [{ loaded: touched, given: found?.tiles ?? touched }]).flatMap(({ loaded, given }, r) => [
      ...(this.loadsCoordinates ? this.coordinateReads(loaded, 4 * r) : []),
      ...this.callReads(forCells, loaded, 4 * r + 2),
      ...this.callReads(returned, given, 4 * r + 3),
    ])
  }

  /** The metadata sections that the reader loads. @param rtrees whether it loads R-trees even if the query has no ranges */
  metadataReads(rtrees: boolean): MetadataRead[] {
    const reads: MetadataRead[] = []
    for (const { index, opened } of this.query.opened.deletes.length > 0 ? this.fragments : [])
      if (opened.info.format_version >= 16 && hasSlot(opened, 'delete_timestamps'))
        reads.push({ fragment: index, section: 'processed_conditions' })
    for (const fragment of this.fragments) {
      // Of versions 1 and 2 the array has loaded all when it was opened.
      if (!fragment.isRelevant || fragment.opened.info.format_version < 3) continue
      if (rtrees || this.isRanged) reads.push({ fragment: fragment.index, section: 'rtree' })
      reads.push(...this.listReads(fragment))
    }
    return reads
  }

  /** Number of lists of tile offsets and sizes that the reader needs of a fragment. @see ReaderBase::tile_offset_sizes */
  offsetListNum(fragment: IndexedFragment): number {
    const { format_version, slots } = fragment.opened.info
    if (format_version >= 3) return this.listReads(fragment).length
    return 1 + this.fieldSlots(fragment).reduce((sum, slot) => sum + (slots[slot].varSized ? 3 : 1), 0)
  }

  private listReads(fragment: IndexedFragment): MetadataRead[] {
    const { info } = fragment.opened
    const slots = [...(info.format_version < 5 ? [zippedSlot(info)] : []), ...this.fieldSlots(fragment)]
    return slots.flatMap((slot) => tileListReads(fragment.index, slot, info.slots[slot]))
  }

  /** The slots of all fields that are loaded, without the coordinates of versions 1 to 4. */
  private fieldSlots(fragment: IndexedFragment): readonly number[] {
    const known = fragment.loadsTimes ? this.slotsWithTimes : this.slotsWithoutTimes
    const { slots } = fragment.opened.info
    const found = known.get(slots) ?? this.foundSlots(fragment)
    known.set(slots, found)
    return found
  }

  private foundSlots(fragment: IndexedFragment): readonly number[] {
    const { dimensions, forConditions, returned } = this.fields
    const times = this.usesTimes ? [TIMESTAMPS] : []
    const names = [...dimensions, ...forConditions, ...returned, ...times, DELETE_TIMESTAMPS]
    return [...new Set(names.map((name) => this.slotOf(fragment, name)))].filter((slot) => slot >= 0)
  }

  fragmentPlans(found: FoundCells | undefined): FragmentPlan[] {
    return this.fragments.map((fragment) => {
      const { index, opened, tiles, isRelevant } = fragment
      return {
        ...planOfTouched(index, opened.info, isRelevant ? fragment : undefined),
        tiles_dropped: found ? tiles.length - found.tiles[index].length : 0,
        cells_read: this.isRanged ? tilesCellNum(opened.info, tiles) : 0,
      }
    })
  }

  /** Finds the cells of the query. Decodes coordinates, and the fields of conditions. */
  async foundCells(order: 'unordered' | 'global'): Promise<FoundCells> {
    const counts = await (this.isMerged(order) || this.hasFilters ? this.countMerged(order) : this.countInside())
    const cells = counts.reduce((sum, own) => own.reduce((all, count) => all + count, sum), 0)
    const tiles = this.fragments.map(({ tiles }, f) => tiles.filter((_, i) => counts[f][i] > 0))
    return { cells, counts, tiles }
  }

  /** Whether cells may hide each other: not those of a single fragment, unless they have times. */
  private isMerged(order: 'unordered' | 'global'): boolean {
    if (order === 'unordered' || this.schema.allows_duplicates) return false
    const relevant = this.fragments.filter(({ isRelevant }) => isRelevant)
    return relevant.length > 1 || relevant.some(({ opened }) => hasSlot(opened, 'timestamps'))
  }

  /** Whether anything besides the ranges excludes cells. */
  private get hasFilters(): boolean {
    const { opened, query } = this.query
    return (
      query.where !== undefined ||
      opened.deletes.length > 0 ||
      opened.fragments.some(
        (one) => (hasSlot(one, 'timestamps') && isCutByTime(opened, one)) || hasSlot(one, 'delete_timestamps'),
      )
    )
  }

  /** Counts the cells inside the ranges. @returns by fragment and touched tile */
  private async countInside(): Promise<Uint32Array[]> {
    const { opened, query } = this.query
    const { dimensions } = opened.schema.domain
    const columns = readColumns(opened.schema, { ...query, fields: [], provenance: false })
    const all: Uint32Array[] = []
    for (const { opened: one, index, tiles, inside } of this.fragments) {
      const counts = tiles.map((tile, i) => (inside[i] === 1 ? tileCellNum(one.info, tile) : 0))
      all.push(counts)
      const partly = tiles.filter((_, i) => inside[i] === 0)
      if (partly.length === 0) continue
      const source = await SparseSource.open(one, index, columns)
      let at = 0
      try {
        for await (const batch of source.batches([...partly], new Map())) {
          while (tiles[at] !== batch.tile) at++
          const rows = rowsInside(dimensions, batch.columns as ColumnData[], batch.cell_num, query.ranges)
          counts[at] += rows?.length ?? batch.cell_num
        }
      } finally {
        await source.close()
      }
    }
    return all
  }

  /** Counts the cells that the whole query returns. @returns by fragment and touched tile */
  private async countMerged(order: 'unordered' | 'global'): Promise<Uint32Array[]> {
    const counts = this.fragments.map(({ opened: { info } }) => new Uint32Array(info.tile_num))
    for await (const { fragments, tiles, cell_num } of cellPlaces(this.query.opened, { ...this.query.query, order }))
      for (let i = 0; i < cell_num; i++) counts[fragments[i]][tiles[i]]++
    return this.fragments.map(({ index, tiles }) => tiles.map((tile) => counts[index][tile]))
  }
}

/** For a batch of cells: the fragment and the tile of each. */
interface CellPlaces {
  fragments: ArrayLike<number>
  tiles: Float64Array
  /** 0 for a cell that no fragment has; undefined if fragments have all cells. */
  validity: Uint8Array | undefined
  cell_num: number
}

/** Reads where the cells of a query come from. */
export async function* cellPlaces(opened: OpenedArray, query: ReadQuery): AsyncGenerator<CellPlaces> {
  const asked = { ...query, fields: [], provenance: 'places' } as const
  const at = readColumns(opened.schema, asked).length - PROVENANCE.length
  for await (const { columns, cell_num } of readMerged(opened, asked)) {
    const [from, tiles] = [columns[at], columns[at + 1]] as ColumnData[]
    yield {
      fragments: numbersOf('INT32', from.data),
      tiles: u64s(tiles.data),
      validity: from.validity,
      cell_num,
    }
  }
}

/** The slot of the coordinates in versions 1 to 4, which is -1 in later versions. */
function zippedSlot({ format_version, slots }: FragmentInfo): number {
  return format_version < 5 ? slots.findIndex(({ kind }) => kind === 'coords') : -1
}

/** Whether ranges limit any dimension. */
function isRanged(ranges: RangeSets): boolean {
  return [...ranges.values()].some((all) => !all.some(({ low, high }) => low === undefined && high === undefined))
}

/** Whether the time of a delete lies within the times of a fragment whose cells have timestamps. */
function isCutByDelete({ opened }: ExplainQuery, one: OpenedFragment): boolean {
  const [first, last] = one.fragment.timestamp_range ?? [0n, 0n]
  return hasSlot(one, 'timestamps') && opened.deletes.some(({ time }) => time >= first && time <= last)
}

/** @see ReaderBase::include_timestamps */
function loadsTimesOf(query: ExplainQuery, one: OpenedFragment): boolean {
  const { opened } = query
  const isNeeded = !opened.schema.allows_duplicates || isCutByTime(opened, one) || isCutByDelete(query, one)
  return isNeeded && hasSlot(one, 'timestamps')
}

/** @see SparseIndexReaderBase::load_initial_data */
function usesTimes(query: ExplainQuery, fragments: readonly IndexedFragment[]): boolean {
  const { opened } = query
  const isCut = ({ opened: one, isRelevant }: IndexedFragment): boolean =>
    isRelevant && hasSlot(one, 'timestamps') && isCutByTime(opened, one)
  return (
    !opened.schema.allows_duplicates ||
    fragments.some(isCut) ||
    opened.fragments.some((one) => isCutByDelete(query, one))
  )
}

function loadedFields({ opened, query }: ExplainQuery, loadsCoordinates: boolean): LoadedFields {
  const { schema, deletes } = opened
  const dimensions = schema.domain.dimensions.map(({ name }) => name)
  const conditions = [...deletes.map(({ stays }) => stays), ...(query.where ? [query.where] : [])]
  const needed = new Set(conditions.flatMap((node) => [...conditionFields(node)]))
  const forConditions = [...needed].filter((name) => !loadsCoordinates || !dimensions.includes(name))
  const attributes = readColumns(schema, { ...query, provenance: false }).flatMap(({ name, kind }) =>
    kind === 'attribute' ? [name] : [],
  )
  const returned = [...attributes, ...(loadsCoordinates ? [] : dimensions)]
  return { dimensions, forConditions, returned: returned.filter((name) => !forConditions.includes(name)) }
}
