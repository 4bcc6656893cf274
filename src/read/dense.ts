import { Lease } from '../base/memory.ts'
import { sum } from '../base/sum.ts'
import { type ColumnData, type ColumnType, columnsBytes } from '../cells/column.ts'
import { type BoxPlace, constantPlace, copyBox, startOfRun, visitRuns } from '../cells/copy-box.ts'
import { type CellRun, fastestFirst } from '../cells/dense-coordinates.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { DenseAxis } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import { fixedSize } from '../format/range.ts'
import { type Assembly, batchOf, CoordinateColumn, fillBox, LOST, type ReadTile, UNWRITTEN } from './dense-batch.ts'
import { type AxisOverlap, type DenseColumn, DenseSource } from './dense-source.ts'
import {
  type AxisInterval,
  type AxisOrder,
  type Block,
  globalWindows,
  gridAxes,
  hull,
  intersection,
  orderedWindows,
  type Segment,
  stridesOf,
  type WantedCells,
  type Window,
  type WindowSizes,
  wantedCells,
} from './dense-windows.ts'
import { fillCell, remarkChanged } from './fill.ts'
import { OpenFiles } from './open-files.ts'
import { hasTilesOf, isLost } from './opening.ts'
import { type OpenedArray, type ReadBatches, type ReadQuery, readColumns, wantedColumns } from './query.ts'
import { uncovered } from './uncovered.ts'

/** Limits on memory, in bytes. */
export interface DenseRoom {
  /** Upper limit on the cells of a window, and on the tiles that are kept because later windows need them. */
  most: number
  /** Size of a batch. Larger windows come in several batches, small tiles are joined. */
  batch: number
}

/**
 * The usual limits, for a run with enough memory. A tile whose rows do not fit into a window is read for several, and what cannot be kept is
 * undone anew for each. So the first limit is large; windows of whole tiles are no larger than a batch.
 */
const USUAL: DenseRoom = { most: 96 * 2 ** 20, batch: 4 * 2 ** 20 }
/** A window, the tiles that are kept, and the tile that is read are held at once. */
const PARTS_OF_ROOM = 4

function roomIn(room: number): DenseRoom {
  return { most: Math.min(USUAL.most, room / PARTS_OF_ROOM), batch: Math.min(USUAL.batch, room / PARTS_OF_ROOM) }
}

/**
 * Reads the cells of a dense array as TileDB's reader returns them: cells of newer fragments replace older ones, and cells that were
 * never written have fill values. Without ranges it reads the box around the fragments' non-empty domains.
 *
 * With several ranges of a dimension each cell comes once, in order. (TileDB returns the ranges in the order in which they
 * were added, and a cell once for each range that has it.) Unordered cells come in row-major order, because TileDB has no unordered
 * reads of dense arrays. A read in global order may have several ranges and ranges that cut tiles; TileDB refuses both.
 *
 * Releases before 2.4 could also write sparse fragments. Their cells hide the cells of all dense fragments, even of newer ones. There
 * are two exceptions: a newer dense fragment hides a sparse tile whose box it covers, and single cells of a sparse tile that is only
 * partly wanted.
 *
 * With `onFault`, the cells of a tile that cannot be read are left out, unless a newer fragment has them.
 */
export async function* readDense(opened: OpenedArray, query: ReadQuery, room?: DenseRoom): ReadBatches {
  const reader = new DenseReader(opened, query, room ?? roomIn(opened.array.cx.memory.room))
  try {
    yield* reader.batches()
  } finally {
    await reader.close()
  }
}

/** The cells of a piece that one fragment has. They are a box. */
interface OwnedBox {
  source: DenseSource
  tile: number
  /** Along each axis: first position in the tile, position in the block, and number of cells. */
  from: number[]
  at: number[]
  lengths: number[]
}

/** Wanted cells inside one tile of the grid: a box that is one segment of a block along each axis. */
interface Piece {
  /** Along each axis: position in the block, and number of cells. */
  at: number[]
  lengths: number[]
  segments: Segment[]
  /** The parts of the fragments that have any of these cells, oldest first. */
  parts: OwnedBox[]
}

class DenseReader {
  private readonly array: OpenedArray['array']
  readonly query: ReadQuery
  readonly dimensions: readonly Dimension[]
  private readonly grid: readonly DenseAxis[]
  readonly attributes: readonly DenseColumn[]
  readonly shownNum: number
  private readonly sources: readonly DenseSource[]
  private readonly files: OpenFiles
  private readonly room: DenseRoom
  private readonly kept: KeptTiles
  /** The sources whose tiles may be kept: other windows of the group want cells of them. */
  private needed: ReadonlySet<DenseSource> = new Set()
  /** The memory of the tiles that the window keeps for the origin of its cells. */
  private readonly tracked: Lease
  /** The source that read a tile last. */
  private last: DenseSource | undefined
  /** By column: memory that the next window may use again, for {@link ReadQuery.reuse}. */
  private readonly buffers: Uint8Array[] = []
  /** By dimension. */
  readonly coordinates: readonly CoordinateColumn[]
  /** Along each axis: the distance between adjacent cells of a tile. */
  private readonly tileStrides: readonly number[]
  private readonly wanted: WantedCells | undefined
  private readonly order: { tileOrder: number[]; cellOrder: number[] }
  /** Whether the read has to know from which tile each cell comes. */
  private readonly isTracked: boolean
  /** Whether tiles have no room in memory as a whole. Their cells are then read box by box: {@link readBox}. */
  private readonly inBoxes: boolean

  constructor(opened: OpenedArray, query: ReadQuery, room: DenseRoom) {
    const { array, schema, fragments } = opened
    this.array = array
    this.query = query
    this.room = room
    this.tracked = new Lease(array.cx.memory)
    this.kept = new KeptTiles(room.most)
    const { dimensions } = schema.domain
    this.dimensions = dimensions
    this.coordinates = dimensions.map((_, d) => new CoordinateColumn(dimensions[d], d, query.reuse === true))
    this.grid = gridAxes(schema.domain)
    const slowestFirst = (layout: typeof schema.cell_order): number[] =>
      fastestFirst(layout, dimensions.length).reverse()
    this.order = { tileOrder: slowestFirst(schema.tile_order), cellOrder: slowestFirst(schema.cell_order) }
    this.tileStrides = stridesOf(
      this.grid.map(({ extent }) => Number(extent)),
      this.order.cellOrder,
    )
    const isAttribute = ({ kind }: ColumnType): boolean => kind === 'attribute'
    const wanted = wantedColumns(schema, query, query.where ? [query.where] : []).filter(isAttribute)
    this.shownNum = readColumns(schema, { ...query, provenance: false }).filter(isAttribute).length
    this.files = new OpenFiles(wanted)
    this.attributes = wanted.map((type) => ({
      type,
      size: fixedSize(type),
      fill: fillCell(schema, type),
    }))
    // The cells of a tile are copied before the next one is read, of whatever fragment.
    const memories = new Map<string, Uint8Array>()
    this.sources = fragments.flatMap((fragment, index) =>
      fragment.info.nonempty_domain && hasTilesOf(schema, fragment, query.onFault)
        ? [new DenseSource(fragment, index, this.grid, this.attributes, { query, memories })]
        : [],
    )
    remarkChanged(opened, wanted, query.onRemark)
    this.wanted = wantedCells(
      this.grid,
      query.ranges,
      this.grid.map((_, d) => this.sources.map(({ domain }) => domain[d])),
    )
    const { wanted: asked } = this
    const isAsked = ({ domain }: DenseSource): boolean =>
      asked?.every((sides, d) => sides.some((side) => intersection(side, domain[d]))) ?? false
    // Not before: a read without ranges reaches as far as the boxes of all fragments.
    this.sources = this.sources.filter((one) => !(isAsked(one) && isLost(fragments[one.index], query.onFault)))
    const isVar = this.attributes.some(({ size }) => size === undefined)
    const cellBytes = sum(this.attributes, ({ size = 0, type }) => size + Number(type.nullable))
    const cellNum = this.grid.reduce((product, { extent }) => product * Number(extent), 1)
    this.inBoxes = !isVar && cellNum * cellBytes > array.cx.memory.room
    this.isTracked = (query.provenance ?? false) !== false || query.where !== undefined || isVar
  }

  async *batches(): ReadBatches {
    const { wanted, query, grid, order } = this
    if (!wanted) return
    const sizes = this.sizes()
    const byColumn = query.order === 'col-major'
    const across = fastestFirst(byColumn ? 'col-major' : 'row-major', grid.length).reverse()
    const isGlobal = query.order === 'global'
    const windows = isGlobal ? globalWindows(grid, wanted, order, sizes) : orderedWindows(grid, wanted, across, sizes)
    const [slowest] = isGlobal ? order.tileOrder : across
    if (query.provenance === true) for (const source of this.sources) await source.findTimes(this.array)
    for (const source of this.sources) source.plan(wanted, order.tileOrder.join() === across.join() || isGlobal)
    for (const window of windows) {
      this.kept.begin(window.group)
      const whole = await this.assemble(window)
      for (let first = 0; first < window.cell_num; first += sizes.usual) {
        const count = Math.min(sizes.usual, window.cell_num - first)
        yield batchOf(this, whole, first, count)
        await this.array.cx.pause?.()
      }
      // Later windows never go back along the slowest axis, so fragments before the window are not needed any more.
      const [block] = window.blocks
      const { low } = block.axes[slowest].segments[0]
      for (const source of this.sources) if (source.domain[slowest].high < low) await source.close()
    }
  }

  /** Computes the sizes of windows from the bytes of a cell. */
  private sizes(): WindowSizes {
    let bytes = this.isTracked ? 8 : 0
    for (const [c, { type, size }] of this.attributes.entries()) {
      bytes += (size ?? 8) + (type.nullable ? 1 : 0)
      if (size === undefined) bytes += this.sources.reduce((most, source) => Math.max(most, source.varBytes(c)), 0)
    }
    const coordinates = sum(this.dimensions, ({ type }) => datatypeSize(type))
    const most = Math.max(1, Math.floor(this.room.most / Math.max(1, bytes)))
    return { usual: Math.min(most, Math.ceil(this.room.batch / (bytes + coordinates))), most, cutsTiles: this.inBoxes }
  }

  private async assemble(window: Window): Promise<Assembly> {
    const touching = this.touching(this.sources, window.blocks)
    this.needed = new Set(this.kept.isUsed ? this.needingOthers(touching, window) : [])
    const pieces = window.blocks.map((block) => this.pieces(block, this.touching(touching, [block])))
    const tile = await this.singleTile(window, pieces)
    if (tile) return tile
    this.tracked.release()
    const { cell_num } = window
    const made: Assembly = {
      window,
      columns: this.attributes.map(({ size, type }, c) => ({
        data: size === undefined ? undefined : this.bufferFor(c, size * cell_num),
        validity: type.nullable ? new Uint8Array(cell_num) : undefined,
      })),
      owner: this.isTracked ? new Int32Array(cell_num) : undefined,
      place: this.isTracked ? new Int32Array(cell_num) : undefined,
      tiles: [],
    }
    const placed = window.blocks.flatMap((block, b) => pieces[b].map((piece) => ({ block, piece })))
    for (const { block, piece } of placed) this.putUncovered(made, block, piece)
    // Opening a fragment again takes as long as to read a hundred small tiles of it. So where not all can be open together, one comes after
    // the other.
    for (const source of this.files.hasRoomFor(touching.length) ? [undefined] : densesFirst(touching))
      for (const { block, piece } of placed) await this.putParts(made, block, piece, source)
    return made
  }

  /** Memory for the cells of a column. The caller overwrites all of it. */
  private bufferFor(column: number, bytes: number): Uint8Array {
    if (this.query.reuse !== true) return new Uint8Array(bytes)
    const known = this.buffers[column]
    if (known && known.length >= bytes) return known.subarray(0, bytes)
    const made = new Uint8Array(bytes)
    this.buffers[column] = made
    return made
  }

  /** The cells of a window that is one tile, or a run of cells of one tile. They are not copied. */
  private async singleTile(window: Window, pieces: readonly (readonly Piece[])[]): Promise<Assembly | undefined> {
    if (pieces.length !== 1 || pieces[0].length !== 1 || this.isTracked || this.inBoxes) return undefined
    const [{ parts, lengths }] = pieces[0]
    const [part] = parts
    if (parts.length !== 1 || !part.source.hasAll || !isSame(part.lengths, lengths)) return undefined
    const [block] = window.blocks
    const first = startOfRun(lengths, this.inTile(part.from), inBlock(block, part.at))
    if (first === undefined) return undefined
    const tile = await this.readTile(part, this.query.reuse === true)
    if (!tile) return undefined
    const end = first + window.cell_num
    const columns = this.attributes.map(({ size = 0 }, c): Assembly['columns'][number] => ({
      data: tile[c]?.data.subarray(first * size, end * size),
      validity: tile[c]?.validity?.subarray(first, end),
    }))
    return { window, columns, owner: undefined, place: undefined, tiles: [] }
  }

  /** Writes fill values into the cells of a piece that no dense fragment has. */
  private putUncovered(made: Assembly, block: Block, piece: Piece): void {
    const covers = piece.parts.filter(({ source }) => !source.isSparse)
    for (const { at, lengths } of uncovered(piece, covers)) this.putFill(made, lengths, inBlock(block, at), UNWRITTEN)
  }

  /** Copies the cells of a piece from all fragments, oldest first, or from one. */
  private async putParts(made: Assembly, block: Block, piece: Piece, only: DenseSource | undefined): Promise<void> {
    const parts = only ? piece.parts.filter(({ source }) => source === only) : piece.parts
    for (const part of parts) {
      if (part.source.isSparse) continue
      const to = inBlock(block, part.at)
      const columns = this.inBoxes ? await this.readBox(part) : await this.readTile(part, !this.isTracked)
      if (!columns) {
        this.putFill(made, part.lengths, to, LOST)
        continue
      }
      const { source, tile } = part
      const cells = this.inTile(part.from)
      const from = this.inBoxes ? this.firstOf(part.lengths) : cells
      this.putTile(made, { source, tile, columns }, part.lengths, { from, to, cells })
    }
    for (const { source } of parts) if (source.isSparse) await this.putSparse(made, block, piece, source)
  }

  /** The place of the cells of {@link readBox} in its columns. */
  private firstOf(lengths: readonly number[]): BoxPlace {
    return { at: 0, strides: stridesOf(lengths, this.order.cellOrder) }
  }

  /** Copies a box of cells of a tile. @param cells their place in the tile, if its columns do not have all cells */
  private putTile(
    made: Assembly,
    tile: ReadTile,
    lengths: readonly number[],
    { from, to, cells = from }: { from: BoxPlace; to: BoxPlace; cells?: BoxPlace },
  ): void {
    const { owner, place, tiles } = made
    const { columns } = tile
    for (const [c, { fill, size }] of this.attributes.entries()) {
      const column = columns[c] ?? fill
      const source = columns[c] ? from : constantPlace(lengths)
      const { data, validity } = made.columns[c]
      if (data && size !== undefined) copyBox(column.data, data, { lengths, from: source, to, size })
      if (validity && column.validity) copyBox(column.validity, validity, { lengths, from: source, to, size: 1 })
    }
    if (!owner) return
    if (this.isTracked && tiles.at(-1) !== tile) {
      tiles.push(tile)
      this.tracked.hold(this.tracked.bytes + columnsBytes(columns))
    }
    const number = tiles.length - 1
    visitRuns(lengths, cells, to, (first, at, count, fromStep, toStep) => {
      for (let i = 0, p = first, o = at; i < count; i++, p += fromStep, o += toStep) {
        owner[o] = number
        if (place) place[o] = p
      }
    })
  }

  /** {@link fillBox}, which also sets the owner of the cells. @param owner {@link UNWRITTEN} or {@link LOST} */
  private putFill(made: Assembly, lengths: readonly number[], to: BoxPlace, owner: number): void {
    if (owner === LOST) made.owner ??= new Int32Array(made.window.cell_num)
    fillBox(this.attributes, made.columns, lengths, to)
    const { owner: owners } = made
    if (owners)
      visitRuns(lengths, to, to, (_, at, count, __, step) => {
        for (let i = 0, o = at; i < count; i++, o += step) owners[o] = owner
      })
  }

  /** Copies the cells that a sparse fragment has of a piece. @see tiledb/sm/query/legacy/reader.cc: sparse_tile_overwritten, compute_range_result_coords; measured with 1.7 to 2.30 */
  private async putSparse(made: Assembly, block: Block, { segments }: Piece, source: DenseSource): Promise<void> {
    await this.files.use(source)
    const newer = this.sources.filter(({ index, isSparse }) => index > source.index && !isSparse)
    const ones = segments.map(() => 1)
    for await (const { tile, box, coordinates, columns, cell_num } of source.sparseTiles(segments)) {
      if (newer.some(({ domain }) => isInside(box, domain))) continue
      const isWhole = this.wanted?.every((intervals, d) => intervals.some((one) => isInside([box[d]], [one])))
      const hiding = isWhole ? [] : newer
      const read: ReadTile = { source, tile, columns }
      for (let cell = 0; cell < cell_num; cell++) {
        const point = segments.map((_, d) => ({ low: coordinates(d, cell), high: coordinates(d, cell) }))
        // If each dimension has its own file, TileDB compares the last coordinate with every side. @see ResultTile::compute_results_dense
        const tested = source.isZipped ? point : point.map(() => point[point.length - 1])
        if (!isInside(point, segments) || hiding.some(({ domain }) => isInside(tested, domain))) continue
        const at = segments.map(({ low, at: first }, d) => first + Number(point[d].low - low))
        this.putTile(made, read, ones, { from: constantPlace(ones, cell), to: inBlock(block, at) })
      }
    }
  }

  /** The sources whose domain touches the box around blocks. */
  private touching(sources: readonly DenseSource[], blocks: readonly Block[]): DenseSource[] {
    const box = this.around(blocks)
    return sources.filter(({ domain }) => box.every((side, d) => side && intersection(side, domain[d])))
  }

  /** The box around blocks. */
  private around(blocks: readonly Block[]): (AxisInterval | undefined)[] {
    return this.grid.map((_, d) =>
      hull(
        blocks.map(
          ({
            axes: {
              [d]: { segments },
            },
          }) => ({ low: segments[0].low, high: segments[segments.length - 1].high }),
        ),
      ),
    )
  }

  /** The sources of which windows beside this one want cells, too. */
  private needingOthers(sources: readonly DenseSource[], { blocks }: Window): DenseSource[] {
    const box = this.around(blocks)
    const isWithin = (wanted: AxisInterval | undefined, side: AxisInterval | undefined): boolean =>
      !wanted || (side !== undefined && isInside([wanted], [side]))
    const all = this.wanted?.map(hull) ?? []
    return sources.filter(({ domain }) => {
      const wanted = domain.map((own, d) => intersection(own, all[d] ?? own))
      return !wanted.every((own, d) => isWithin(own, box[d]))
    })
  }

  /** The pieces of a block in tile order, each with the parts of fragments. */
  private pieces(block: Block, touching: readonly DenseSource[]): Piece[] {
    const overlaps = touching.map((source) => source.overlaps(block))
    const pieces: Piece[] = []
    const chosen: number[] = []
    const { tileOrder } = this.order
    const walk = (slower: number): void => {
      if (slower < tileOrder.length) {
        const d = tileOrder[slower]
        for (let s = 0; s < block.axes[d].segments.length; s++) {
          chosen[d] = s
          walk(slower + 1)
        }
        return
      }
      const segments = chosen.map((s, axis) => block.axes[axis].segments[s])
      pieces.push({
        at: segments.map(({ at }) => at),
        lengths: segments.map(({ length }) => length),
        segments,
        parts: notCovered(touching.flatMap((source, i) => partOf(source, overlaps[i], chosen) ?? [])),
      })
    }
    walk(0)
    return pieces
  }

  private inTile(from: readonly number[]): BoxPlace {
    return placeOf(from, this.tileStrides, 0)
  }

  /** Reads the cells of a part alone, in the order of the tile. @returns undefined if they cannot be read */
  private async readBox({ source, tile, from, lengths }: OwnedBox): Promise<(ColumnData | undefined)[] | undefined> {
    await this.use(source)
    const cellNum = lengths.reduce((product, length) => product * length, 1)
    return source.box(tile, runsOfBox(this.inTile(from), lengths, this.order.cellOrder), cellNum)
  }

  private async use(source: DenseSource): Promise<void> {
    await this.files.use(source)
    if (this.last !== source) await this.last?.release()
    this.last = source
  }

  /** Reads a tile, unless it was kept. @param reuse whether the next tile may overwrite its memory @returns undefined if it cannot be read */
  private async readTile({ source, tile }: OwnedBox, reuse: boolean): Promise<(ColumnData | undefined)[] | undefined> {
    const isNeeded = this.needed.has(source)
    const key = isNeeded ? `${source.index} ${tile}` : ''
    const known = this.kept.get(key)
    if (known) return known
    const keep = isNeeded && this.kept.hasRoom
    await this.use(source)
    const columns = await source.tile(tile, reuse && !keep)
    if (columns && keep) this.kept.add(key, columns)
    return columns
  }

  async close(): Promise<void> {
    this.tracked.release()
    for (const source of this.sources) await source.close()
  }
}

/** The runs of adjacent cells of a box in a tile, rising. */
function* runsOfBox({ at, strides }: BoxPlace, lengths: readonly number[], order: AxisOrder): Generator<CellRun> {
  const [d, ...faster] = order
  if (d === undefined) {
    yield { first: at, count: 1 }
    return
  }
  let run: CellRun | undefined
  for (let i = 0; i < lengths[d]; i++) {
    for (const next of runsOfBox({ at: at + i * strides[d], strides }, lengths, faster)) {
      if (run && run.first + run.count === next.first) run = { first: run.first, count: run.count + next.count }
      else {
        if (run) yield run
        run = next
      }
    }
  }
  if (run) yield run
}

function partOf(
  source: DenseSource,
  overlaps: readonly (readonly AxisOverlap[])[],
  segments: readonly number[],
): OwnedBox | undefined {
  const along = segments.map((s, d) => overlaps[d][s])
  if (along.some((one) => one === undefined)) return undefined
  const all = along as Exclude<AxisOverlap, undefined>[]
  return {
    source,
    tile: sum(all, ({ tile }) => tile),
    from: all.map(({ from }) => from),
    at: all.map(({ at }) => at),
    lengths: all.map(({ length }) => length),
  }
}

/** Sparse fragments come last: their cells hide those of all dense ones. */
function densesFirst(sources: readonly DenseSource[]): DenseSource[] {
  return sources.toSorted((a, b) => Number(a.isSparse) - Number(b.isSparse))
}

/** Leaves out dense parts that a newer dense part covers completely. */
function notCovered(parts: readonly OwnedBox[]): OwnedBox[] {
  const isHidden = (older: OwnedBox, i: number): boolean =>
    parts.some((newer, j) => j > i && !newer.source.isSparse && covers(newer, older))
  return parts.filter((part, i) => part.source.isSparse || !isHidden(part, i))
}

function covers(newer: OwnedBox, older: OwnedBox): boolean {
  return newer.from.every(
    (from, d) => from <= older.from[d] && from + newer.lengths[d] >= older.from[d] + older.lengths[d],
  )
}

/** Whether a box lies inside another. */
function isInside(inner: readonly AxisInterval[], outer: readonly AxisInterval[]): boolean {
  return inner.every(({ low, high }, d) => low >= outer[d].low && high <= outer[d].high)
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.every((one, d) => one === b[d])
}

function inBlock({ strides, at: base }: Block, at: readonly number[]): BoxPlace {
  return placeOf(at, strides, base)
}

function placeOf(position: readonly number[], strides: readonly number[], base: number): BoxPlace {
  return { at: position.reduce((sum, p, d) => sum + p * strides[d], base), strides }
}

/** Keeps tiles that later windows of the same group need again: the first ones, up to a limit of bytes. */
class KeptTiles {
  private readonly most: number
  private group: string | undefined
  private readonly tiles = new Map<string, (ColumnData | undefined)[]>()
  private bytes = 0

  /** @param most upper limit in bytes */
  constructor(most: number) {
    this.most = most
  }

  /** Called once per window. Forgets the tiles if the window belongs to another group. */
  begin(group: string | undefined): void {
    if (group === this.group) return
    this.group = group
    this.tiles.clear()
    this.bytes = 0
  }

  /** Whether other windows need the tiles of this one. */
  get isUsed(): boolean {
    return this.group !== undefined
  }

  get hasRoom(): boolean {
    return this.group !== undefined && this.bytes < this.most
  }

  get(key: string): (ColumnData | undefined)[] | undefined {
    return this.tiles.get(key)
  }

  add(key: string, columns: (ColumnData | undefined)[]): void {
    this.tiles.set(key, columns)
    this.bytes += columnsBytes(columns)
  }
}
