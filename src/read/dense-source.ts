import { NO_BYTES } from '../base/bytes.ts'
import { InspectError } from '../base/errors.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { type CellRun, fastestFirst } from '../cells/dense-coordinates.ts'
import { type CellSelection, FragmentCells, type ReusedMemories } from '../cells/fragment-cells.ts'
import { NULLS_AS_WRITTEN } from '../cells/slot-type.ts'
import { datatypeSize } from '../format/datatype.ts'
import { type DenseAxis, denseTileGrid, integerOf } from '../format/dense-tiles.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import { storedCellNum } from '../objects/fragment.ts'
import {
  type AxisInterval,
  type Block,
  intersection,
  intervalsOf,
  type Segment,
  stridesOf,
  type WantedCells,
} from './dense-windows.ts'
import { hasAttribute } from './fill.ts'
import { type OpenedArray, type OpenedFragment, type ReadQuery, WRITTEN } from './query.ts'
import { ASSUMED_RATIO } from './source.ts'
import { untimedText, WrittenTimes } from './written-times.ts'

/** An attribute that is read. */
export interface DenseColumn {
  type: ColumnType
  /** Bytes of a cell; undefined for var-sized cells. */
  size: number | undefined
  /** A column of one cell: the fill value of cells that were never written. */
  fill: ColumnData
}

/** The coordinates of a segment that a fragment has, along one axis; undefined if it has none. `tile` is a share of the tile's number. */
export type AxisOverlap = { from: number; at: number; length: number; tile: number } | undefined

/** A fragment of a dense array whose cells are read. */
export class DenseSource {
  /** Position among the fragments of the array. */
  readonly index: number
  readonly isSparse: boolean
  /** For sparse fragments: whether one file holds all coordinates. */
  readonly isZipped: boolean
  /** The non-empty domain of the fragment. */
  readonly domain: readonly AxisInterval[]
  private readonly fragment: OpenedFragment
  private readonly query: ReadQuery
  private readonly grid: readonly DenseAxis[]
  /** The axes of the fragment's own tiles; none for sparse fragments. */
  private readonly axes: readonly DenseAxis[]
  private readonly tileOrder: readonly number[]
  /** Along each axis: the difference between the numbers of adjacent tiles. None for sparse fragments. */
  private readonly strides: readonly number[]
  /** By attribute: its name; undefined if the fragment lacks it, or has it in another form than the array. */
  private readonly names: readonly (string | undefined)[]
  private cells: Promise<FragmentCells | undefined> | undefined
  /** Undefined unless the query wants provenance with times. */
  private times: WrittenTimes | undefined
  private readonly selection: CellSelection = {
    withoutCoordinates: true,
    needsOffsets: true,
    onColumnError: (error, { name }, tile) => {
      this.isLost = true
      this.fault(error, `${name}, tile ${tile}`)
    },
  }
  /** Whether a column of the current tile could not be read. */
  private isLost = false
  private isPlanned = false
  /** The tile that {@link box} reads. */
  private running:
    | { tile: number; end: number; isLost: boolean; read: (run: CellRun) => Promise<CellBatch> }
    | undefined
  /** Faults that were reported. */
  private readonly told = new Set<string>()
  /** Remarks on missing times that were made. */
  private readonly untimed = new Set<string>()

  constructor(
    fragment: OpenedFragment,
    index: number,
    grid: readonly DenseAxis[],
    attributes: readonly DenseColumn[],
    { query, memories }: { query: ReadQuery; memories: ReusedMemories },
  ) {
    const { info } = fragment
    this.fragment = fragment
    this.index = index
    this.query = query
    this.grid = grid
    this.isSparse = !info.dense
    this.isZipped = info.format_version < 5
    const nonempty = info.nonempty_domain ?? []
    this.axes = info.dense ? denseTileGrid(info.schema, nonempty).axes : []
    this.domain = intervalsOf(nonempty, grid)
    this.tileOrder = fastestFirst(info.schema.tile_order, this.axes.length)
    this.strides = stridesOf(
      this.axes.map(({ tile_num }) => tile_num),
      this.tileOrder.toReversed(),
    )
    const { onRemark, onRefused } = query
    this.selection.onRefused = onRefused
    this.selection.memories = memories
    if (onRemark) this.selection.onOtherType = (name) => onRemark(name, NULLS_AS_WRITTEN)
    this.names = attributes.map(({ type }) => (hasAttribute(fragment, type) ? type.name : undefined))
  }

  /** Whether each of its tiles is a tile of the array's grid and has all attributes. */
  get hasAll(): boolean {
    return !this.isSparse && this.names.every((name) => name !== undefined)
  }

  /** Estimates the bytes of a cell of a var-sized attribute. */
  varBytes(c: number): number {
    const { info } = this.fragment
    const slot = info.slots.findIndex((one) => one.kind === 'attribute' && one.name === this.names[c])
    if (slot < 0) return 0
    const { filters } = info.schema.attributes[info.slots[slot].index].filters
    const bytes = info.file_var_sizes[slot] * (filters.length > 0 ? ASSUMED_RATIO : 1)
    return bytes / Math.max(1, storedCellNum(info))
  }

  /** Prepares the read. @param rising whether tiles will be read in the order in which they are stored */
  plan(wanted: WantedCells, rising: boolean): void {
    this.isPlanned = rising && !this.isSparse
    this.selection.skipTile = (tile) => {
      const at = this.tileAt(tile)
      return wanted.some((intervals, d) => {
        const low = this.grid[d].domainLow + at[d] * this.grid[d].extent
        const high = low + this.grid[d].extent - 1n
        return !intervals.some((one) => one.low <= high && one.high >= low)
      })
    }
  }

  async findTimes(array: OpenedArray['array']): Promise<void> {
    this.times = await WrittenTimes.of(array, this.grid, this.fragment)
  }

  /** The times of the cells of a tile; undefined if the query does not want them. */
  timesOf(tile: number): WrittenTimes | undefined {
    if (this.times?.only !== undefined) return this.times
    const first = this.tileAt(tile).map((at, d) => this.grid[d].domainLow + at * this.grid[d].extent)
    return this.times?.within(first.map((low, d) => ({ low, high: low + this.grid[d].extent - 1n })))
  }

  /** Remarks, once per kind, why cells have no time. */
  remarkUntimed(time: 'unknown' | 'never'): void {
    if (this.untimed.has(time)) return
    this.untimed.add(time)
    this.query.onRemark?.(WRITTEN.name, untimedText(this.fragment, time))
  }

  /** The numbers of a tile along each axis, counted from the start of the domain. */
  private tileAt(tile: number): bigint[] {
    const at = this.axes.map(() => 0n)
    let rest = tile
    for (const d of this.tileOrder) {
      at[d] = this.axes[d].firstTile + BigInt(rest % this.axes[d].tile_num)
      rest = Math.floor(rest / this.axes[d].tile_num)
    }
    return at
  }

  /** By axis and segment of a block: the coordinates that the fragment has of it. */
  overlaps({ axes }: Block): AxisOverlap[][] {
    return axes.map(({ segments }, d) =>
      segments.map(({ low, high, tile, at }): AxisOverlap => {
        const common = intersection(this.domain[d], { low, high })
        if (!common) return undefined
        const { low: first, high: last } = common
        const { domainLow, extent } = this.grid[d]
        return {
          from: Number(first - domainLow - tile * extent),
          at: at + Number(first - low),
          length: Number(last - first + 1n),
          tile: this.isSparse ? 0 : Number(tile - this.axes[d].firstTile) * this.strides[d],
        }
      }),
    )
  }

  /** Reads a tile. @returns its columns by attribute; undefined if it cannot be read */
  async tile(tile: number, reuse: boolean): Promise<(ColumnData | undefined)[] | undefined> {
    const cells = await this.open()
    if (!cells) return undefined
    this.selection.reuse = reuse
    const batch = await this.read(cells, tile)
    return batch && this.names.map((name) => columnNamed(cells, batch, name))
  }

  /**
   * Reads some cells of a tile alone. Costs least if boxes come in the order of the tile: otherwise the tile begins anew.
   * @param runs the cells, rising
   * @param cellNum number of cells of all runs
   * @returns the cells one run after the other; undefined if one cannot be read
   */
  async box(tile: number, runs: Iterable<CellRun>, cellNum: number): Promise<(ColumnData | undefined)[] | undefined> {
    const cells = await this.open()
    if (!cells) return undefined
    const joined = this.names.map((name) => (name === undefined ? undefined : new JoinedCells(cellNum)))
    for (const run of runs) {
      const goesOn = this.running?.tile === tile && this.running.end <= run.first
      const running = goesOn && this.running ? this.running : { tile, end: 0, isLost: false, read: cells.runs(tile) }
      this.running = running
      this.isLost = running.isLost
      const batch = running.isLost ? undefined : await running.read(run)
      running.isLost = this.isLost
      if (!batch || this.isLost) return undefined
      running.end = run.first + run.count
      for (const [i, name] of this.names.entries()) {
        const column = columnNamed(cells, batch, name)
        if (column) joined[i]?.add(column, run.count)
      }
    }
    return joined.map((one) => one?.column)
  }

  private async read(cells: FragmentCells, tile: number): Promise<CellBatch | undefined> {
    this.isLost = false
    const batch = await cells.batch(tile)
    return this.isLost ? undefined : batch
  }

  /** Reports a fault, or throws it if nobody handles faults. @param where the field and its tile; undefined for the whole fragment */
  private fault(error: unknown, where?: string): void {
    const { onFault } = this.query
    if (!(error instanceof InspectError)) throw error
    const { code, fault, at, cause } = error
    const { folder } = this.fragment.fragment
    const field = where === undefined || at.field === undefined ? (where ?? at.field) : `${where}, ${at.field}`
    const placed = new InspectError(code, fault, { ...at, file: at.file ?? folder.path, field }, { cause })
    if (!onFault) throw placed
    // A missing file is reported once, not once for each of its tiles.
    const text = code === 'MISSING_FILE' ? `${placed.at.file}` : `${code} ${error.message} ${field}`
    // Prose: what would look the same is told once.
    if (this.told.has(text)) return
    this.told.add(text)
    onFault(placed)
  }

  /** Reads the tiles of a sparse fragment that the segments touch. */
  async *sparseTiles(segments: readonly Segment[]) {
    const cells = await this.open()
    if (!cells) return
    this.selection.reuse = false
    const { fragment, info } = this.fragment
    const { dimensions } = info.schema.domain
    const leaves = leafLevel(await fragment.rtree())
    for (let tile = 0; leaves && tile < Math.min(info.tile_num, leaves.mbr_num); tile++) {
      const box = intervalsOf(mbrAt(leaves, tile, dimensions), this.grid)
      if (!segments.every((segment, d) => intersection(segment, box[d]))) continue
      const batch = await this.read(cells, tile)
      if (!batch) continue
      const { columns, cell_num } = batch
      const coordinates = (d: number, cell: number): bigint => {
        const size = datatypeSize(dimensions[d].type)
        return integerOf(dimensions[d].type, columns[d]?.data.subarray(cell * size, (cell + 1) * size) ?? NO_BYTES)
      }
      yield { tile, box, cell_num, coordinates, columns: this.names.map((name) => columnNamed(cells, batch, name)) }
    }
  }

  private open(): Promise<FragmentCells | undefined> {
    this.cells ??= this.openCells()
    return this.cells
  }

  private async openCells(): Promise<FragmentCells | undefined> {
    try {
      this.selection.fields = this.names.filter((name) => name !== undefined)
      const cells = await FragmentCells.open(this.fragment.fragment, this.selection)
      if (this.isPlanned) cells.plan()
      return cells
    } catch (error) {
      this.fault(error)
      return undefined
    }
  }

  /** Called when the last tile is no longer used. */
  async release(): Promise<void> {
    const cells = await this.cells
    cells?.release()
  }

  async close(): Promise<void> {
    if (!this.cells) return
    const cells = await this.cells
    this.cells = undefined
    this.running = undefined
    await cells?.close()
    await this.fragment.fragment.close()
  }
}

/** Cells of a fixed-sized column that come run by run. */
class JoinedCells {
  private readonly cellNum: number
  private at = 0
  column: ColumnData | undefined

  constructor(cellNum: number) {
    this.cellNum = cellNum
  }

  add({ data, validity }: ColumnData, count: number): void {
    const size = data.length / count
    this.column ??= {
      data: new Uint8Array(size * this.cellNum),
      starts: undefined,
      validity: validity && new Uint8Array(this.cellNum),
    }
    this.column.data.set(data, this.at * size)
    if (validity) this.column.validity?.set(validity, this.at)
    this.at += count
  }
}

function columnNamed(cells: FragmentCells, { columns }: CellBatch, name: string | undefined): ColumnData | undefined {
  if (name === undefined) return undefined
  return columns[cells.columns.findIndex((one) => one.kind === 'attribute' && one.name === name)]
}
