import { InspectError } from '../base/errors.ts'
import { type Overlap, type RangeSets, rangeOverlap, rowsInside } from '../cells/bounds.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { aligned } from '../cells/elements.ts'
import { type CellSelection, FragmentCells, type ReusedMemories } from '../cells/fragment-cells.ts'
import { tileCellNum } from '../cells/tile-places.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { NDRange } from '../format/range.ts'
import { leafLevel, mbrAt, type RTree, type RTreeLevel } from '../format/rtree.ts'
import { u64s } from '../format/u32.ts'
import { tellOnce, tellRTreeFault } from '../objects/told-faults.ts'
import { dimensionOutside, hasSlot } from './opening.ts'
import type { TileTest } from './pruning.ts'
import type { OpenedFragment, ReadQuery } from './query.ts'

/** A tile of a sparse fragment that the ranges touch. */
export interface WantedTile {
  tile: number
  overlap: Overlap
}

/** Times of cells, in milliseconds. Some programs write nanoseconds, which only a bigint holds exactly. */
export type CellTimes = Float64Array | BigUint64Array

/** The cells of a tile, or of a part of a large tile. */
export interface SourceBatch {
  source: SparseSource
  tile: number
  /** Position of the first cell in the tile. */
  first: number
  cell_num: number
  /** By wanted column; undefined for a column that the fragment lacks. */
  columns: (ColumnData | undefined)[]
  /** The time at which each cell was written; undefined if the fragment does not store these times. */
  written: CellTimes | undefined
  /** The time at which each cell was deleted; undefined likewise. */
  deleted: CellTimes | undefined
  /** Whether a column could not be read. The cells hide older ones, but are left out of the result. */
  lost?: boolean | undefined
}

/** Number of tiles that are selected together: few at first, so that the first cells come soon. */
const FIRST_GROUP = 256
const MAX_GROUP = 2 ** 16
const GROUP_GROWTH = 4

const TIMESTAMPS = '__timestamps'
const DELETE_TIMESTAMPS = '__delete_timestamps'

type Faults = Pick<ReadQuery, 'onFault' | 'onRefused'>

/** A fragment of a sparse array whose cells are read. */
export class SparseSource {
  readonly fragment: OpenedFragment
  /** Position among the fragments of the read. Of two cells of the same time, the one in the later fragment wins. */
  readonly index: number
  /** Whether its cells have times of their own. */
  readonly hasTimes: boolean
  private readonly wanted: readonly ColumnType[]
  private readonly faults: Faults
  /** What {@link cells} reads now. Made when it is needed: most sources of a short read never are. */
  private selection: CellSelection | undefined
  private cells: FragmentCells | undefined
  /** Set by the reader to skip tiles whose cells cannot meet the condition. */
  mayHold: TileTest | undefined
  private readonly leaves: RTreeLevel | undefined

  private constructor(
    fragment: OpenedFragment,
    index: number,
    wanted: readonly ColumnType[],
    leaves: RTreeLevel | undefined,
    faults: Faults,
  ) {
    this.fragment = fragment
    this.index = index
    this.wanted = wanted
    this.leaves = leaves
    this.faults = faults
    this.hasTimes = hasSlot(fragment, 'timestamps')
  }

  /** What is read of the fragment, but for the tiles. */
  private selectionOfAll(): CellSelection {
    const { onFault, onRefused } = this.faults
    const { slots } = this.fragment.info
    const has = (name: string): boolean => slots.some((slot) => slot.name === name)
    const names = [...this.wanted.map(({ name }) => name), TIMESTAMPS, DELETE_TIMESTAMPS]
    return {
      fields: names.filter(has),
      wholeTiles: onFault !== undefined,
      withUnreadable: true,
      needsOffsets: true,
      onRefused,
      onColumnError: onFault && ((error, column, tile) => onFault(this.placed(error, `${column.name}, tile ${tile}`))),
      onFieldError: onFault && ((error, field) => onFault(this.placed(error, field))),
    }
  }

  /** @param wanted the columns of its batches */
  static async open(
    fragment: OpenedFragment,
    index: number,
    wanted: readonly ColumnType[],
    faults: Faults = {},
  ): Promise<SparseSource> {
    return SparseSource.of(fragment, index, wanted, await fragment.fragment.rtree(), faults)
  }

  /** {@link open} without waiting; undefined if that is not possible. Opens no file that stays open. */
  static openSync(
    fragment: OpenedFragment,
    index: number,
    wanted: readonly ColumnType[],
    faults: Faults = {},
  ): SparseSource | undefined {
    const rtree = fragment.fragment.rtreeSync()
    return rtree && SparseSource.of(fragment, index, wanted, rtree, faults)
  }

  private static of(
    fragment: OpenedFragment,
    index: number,
    wanted: readonly ColumnType[],
    rtree: RTree,
    faults: Faults,
  ): SparseSource {
    const counts = rtree.levels.map(({ mbr_num }) => mbr_num)
    tellRTreeFault(fragment.fragment, fragment.info, rtree.fanout, counts)
    const outside = dimensionOutside(fragment)
    if (outside !== undefined) {
      const mismatch = { expected: 'a range inside the domain', found: 'one that leaves it' }
      tellOnce(fragment.fragment, mismatch, {
        offset: fragment.info.footer_span?.offset,
        field: `nonempty_domain.${outside}`,
      })
    }
    return new SparseSource(fragment, index, wanted, leafLevel(rtree), faults)
  }

  private placed({ code, fault, at, cause }: InspectError, field: string): InspectError {
    return new InspectError(
      code,
      fault,
      { ...at, file: at.file ?? this.fragment.fragment.folder.path, field },
      { cause },
    )
  }

  /** Yields the tiles that the ranges touch, in stored order, without those that {@link mayHold} excludes. */
  *tiles(ranges: RangeSets): Generator<WantedTile> {
    const { leaves, fragment } = this
    const overlapOf = rangeOverlap(fragment.info.schema.domain.dimensions, ranges)
    for (let tile = 0; tile < Math.min(fragment.info.tile_num, leaves?.mbr_num ?? 0); tile++) {
      const mbr = this.mbr(tile)
      const overlap = overlapOf(mbr)
      if (overlap !== 'none' && this.mayHold?.(tile, mbr) !== false) yield { tile, overlap }
    }
  }

  /** The bounding box of one of {@link tiles}. */
  mbr(tile: number): NDRange {
    return mbrAt(this.leaves as RTreeLevel, tile, this.fragment.info.schema.domain.dimensions)
  }

  /** Yields {@link tiles} in groups. */
  *tileGroups(ranges: RangeSets): Generator<WantedTile[]> {
    let [group, most]: [WantedTile[], number] = [[], FIRST_GROUP]
    for (const tile of this.tiles(ranges)) {
      group.push(tile)
      if (group.length < most) continue
      yield group
      group = []
      most = Math.min(MAX_GROUP, most * GROUP_GROWTH)
    }
    yield group
  }

  /** Estimates the bytes of the wanted columns of a tile. */
  tileBytes(tile: number): number {
    const { info } = this.fragment
    const cells = tileCellNum(info, tile)
    return this.wanted.reduce((sum, { name, type, cell_val_num }) => {
      if (cell_val_num !== 'var') return sum + cells * datatypeSize(type) * cell_val_num
      const slot = info.slots.findIndex((one) => one.name === name)
      const stored = slot < 0 ? 0 : (info.file_var_sizes[slot] ?? 0) / info.tile_num
      return sum + cells * 8 + stored * ASSUMED_RATIO
    }, 0)
  }

  /** Finds the tiles that have a cell in the ranges. Reads only coordinates. @param tiles rising */
  async touched(tiles: readonly number[], ranges: RangeSets): Promise<Set<number>> {
    const { fragment, info } = this.fragment
    const { dimensions } = info.schema.domain
    const found = new Set<number>()
    if (tiles.length === 0) return found
    const cells = await FragmentCells.open(fragment, {
      ...this.selectionOfAll(),
      ...selectionOf(tiles),
      fields: [],
      withUnreadable: false,
    })
    try {
      for await (const { tile, cell_num, columns } of cells.batches())
        if (rowsInside(dimensions, columns as ColumnData[], cell_num, ranges)?.length !== 0) found.add(tile)
    } finally {
      await cells.close()
    }
    return found
  }

  /** Reads the cells of tiles. @param tiles rising @param memories set if the next batch may overwrite the memory of the current one */
  async *batches(tiles: readonly number[], memories?: ReusedMemories): AsyncGenerator<SourceBatch> {
    if (tiles.length === 0) return
    this.selection ??= this.selectionOfAll()
    const selection = Object.assign(this.selection, selectionOf(tiles), { reuse: memories !== undefined, memories })
    this.cells ??= await FragmentCells.open(this.fragment.fragment, selection)
    const { columns } = this.cells
    // TileDB misreads attributes of another form than the array has now. Coordinates are looked at before (hasTilesOf).
    const place = ({ kind, name }: ColumnType): number =>
      columns.findIndex(
        (one) => one.kind === kind && one.name === name && (kind === 'dimension' || !this.fragment.misread?.has(name)),
      )
    const places = this.wanted.map(place)
    // By kind: a schema that TileDB did not write may have an attribute of that name.
    const [times, deletes] = ['timestamps', 'delete_timestamps'].map((kind) =>
      columns.findIndex((one) => one.kind === kind),
    )
    const dimensions = this.fragment.info.schema.domain.dimensions.length
    const opensAll = selection.fields?.every((name) => columns.some((one) => one.name === name))
    for await (const batch of this.cells.batches()) {
      const lost = !opensAll || batch.columns.some((column) => column === undefined)
      // It is unknown which cells a tile without coordinates or times hides.
      const needed = [...batch.columns.slice(0, dimensions), ...(this.hasTimes ? [batch.columns[times]] : [])]
      if (lost && needed.some((column) => column === undefined)) continue
      yield {
        source: this,
        tile: batch.tile,
        first: batch.first ?? 0,
        cell_num: batch.cell_num,
        columns: places.map((at) => batch.columns[at]),
        written: timesOf(batch, times),
        deleted: timesOf(batch, deletes),
        lost,
      }
    }
  }

  async close(): Promise<void> {
    const { cells } = this
    this.cells = undefined
    await cells?.close()
    await this.fragment.fragment.close()
  }
}

/** Makes a selection of tiles. @param tiles rising, at least one */
function selectionOf(tiles: readonly number[]): Pick<CellSelection, 'tiles' | 'skipTile'> {
  const [from, to] = [tiles[0], tiles[tiles.length - 1]]
  const all = new Set(tiles)
  return { tiles: { from, to }, skipTile: all.size === to - from + 1 ? undefined : (tile) => !all.has(tile) }
}

/** Ratio that is assumed between unfiltered and stored bytes of var-sized values. */
export const ASSUMED_RATIO = 4

function timesOf(batch: CellBatch, column: number): CellTimes | undefined {
  const data = batch.columns[column]?.data
  const times = data && u64s(data)
  if (!times || !areRounded(times)) return times
  const { buffer, byteOffset } = aligned(data as Uint8Array, 8)
  return new BigUint64Array(buffer, byteOffset, times.length)
}

/** The stored deletion time of a cell that is not deleted, as a number. */
const NEVER = 2 ** 64

/** Whether any time is too large for an exact number. */
function areRounded(times: Float64Array): boolean {
  for (let i = 0; i < times.length; i++) if (times[i] > Number.MAX_SAFE_INTEGER && times[i] < NEVER) return true
  return false
}

/** A time as a number if that is exact, otherwise as a bigint. */
export function exactTime(time: bigint): number | bigint {
  return time <= Number.MAX_SAFE_INTEGER ? Number(time) : time
}
