import { InspectError, inconsistent } from '../base/errors.ts'
import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { type BoxPlace, copyBox, forRuns, oneRun, samePlace } from '../cells/copy-box.ts'
import { axisCoordinates, fastestFirst } from '../cells/dense-coordinates.ts'
import { lanesOf } from '../cells/elements.ts'
import { type CellSelection, FragmentCells } from '../cells/fragment-cells.ts'
import { NO_BYTES } from '../filters/bytes.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { ConditionNode } from '../format/delete-condition.ts'
import { type DenseAxis, denseAxis, denseTileGrid, integerOf } from '../format/dense-tiles.ts'
import type { Dimension } from '../format/dimension.ts'
import { fixedSize } from '../format/range.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import { formOf } from '../store/changed-fields.ts'
import { storedCellNum } from '../store/fragment.ts'
import { type ConditionColumn, meets } from './condition.ts'
import {
  type Block,
  type BlockAxis,
  globalWindows,
  type Interval,
  intersection,
  intervalsOf,
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
import {
  type OpenedArray,
  type OpenedFragment,
  PROVENANCE,
  type ReadBatches,
  type ReadQuery,
  readColumns,
  wantedColumns,
} from './query.ts'
import { untimedText, WrittenTimes } from './written-times.ts'

/** How much is in memory, in bytes. */
export interface DenseRoom {
  /** Most of the cells that are put together at once, and of the tiles that are kept because they are needed again. */
  most: number
  /** Of a batch: larger windows are given out in parts, small tiles are put together. */
  batch: number
}

const ROOM: DenseRoom = { most: 32 * 2 ** 20, batch: 4 * 2 ** 20 }

/**
 * The cells of a dense array as TileDB's reader gives them: newer fragments over older ones cell by cell, fill values where
 * nothing was written. Without ranges these are all cells of the box around the fragments' non-empty domains.
 *
 * Several ranges of a dimension are united: their cells come once, in order. (TileDB gives the ranges in the order in which
 * they were added, and a cell once for each range that has it.) Unordered cells come in row-major order, as TileDB knows no
 * such reads of dense arrays. A read in global order may have several ranges and ranges that cut tiles, which TileDB refuses.
 *
 * Releases before 2.4 could write sparse fragments, too. Their cells hide those of all dense fragments, of newer ones as well. But
 * a newer dense fragment hides a sparse tile whose box it covers, and of a tile that is not wholly wanted the cells that it has.
 *
 * With `onFault`, the cells of a tile that cannot be read are left out, unless a newer fragment has them.
 */
export async function* readDense(opened: OpenedArray, query: ReadQuery, room = ROOM): ReadBatches {
  const reader = new DenseReader(opened, query, room)
  try {
    yield* reader.batches()
  } finally {
    await reader.close()
  }
}

/** Where a cell comes from: not from any fragment. */
const UNWRITTEN = -1
/** Where a cell comes from: a tile that cannot be read. */
const LOST = -2

/** One attribute that is read. */
interface Column {
  type: ColumnType
  /** Bytes of a cell; undefined for var-sized cells. */
  size: number | undefined
  /** One cell that stands where nothing was written. */
  fill: ColumnData
}

/** The box of cells, inside one tile of the grid, that a fragment has in a block. */
interface Part {
  source: Source
  /** Number of the tile in the fragment. */
  tile: number
  /** Along each axis: first position in the tile, position in the block, and number of cells. */
  from: number[]
  at: number[]
  lengths: number[]
}

/** Wanted cells inside one tile of the grid: along each axis one segment of a block. */
interface Piece {
  from: number[]
  at: number[]
  lengths: number[]
  segments: Segment[]
  /** Of the fragments that have some of them; the oldest first. */
  parts: Part[]
}

/** A tile of a fragment that was read. */
interface ReadTile {
  source: Source
  /** Number of the tile in the fragment. */
  tile: number
  /** By attribute; undefined for one that the fragment lacks, or has in another form. */
  columns: (ColumnData | undefined)[]
}

/** Cells of a window while they are put together. */
interface Assembly {
  window: Window
  /** By attribute; undefined for var-sized ones, which are put together at the end. */
  columns: { data: Uint8Array | undefined; validity: Uint8Array | undefined }[]
  /** For each cell the number of its tile among `tiles`, {@link UNWRITTEN} or {@link LOST}. Undefined if nothing needs it. */
  owner: Int32Array | undefined
  /** Position of each cell in its tile. */
  place: Int32Array | undefined
  tiles: ReadTile[]
}

class DenseReader {
  private readonly array: OpenedArray['array']
  private readonly query: ReadQuery
  private readonly dimensions: readonly Dimension[]
  private readonly grid: readonly DenseAxis[]
  /** Those to show, then others that the condition needs. */
  private readonly attributes: readonly Column[]
  /** Number of attributes to show. */
  private readonly shown: number
  private readonly sources: readonly Source[]
  private readonly files: OpenFiles
  private readonly room: DenseRoom
  private readonly kept: KeptTiles
  /** By column, for {@link ReadQuery.reuse}. */
  private readonly rooms: Uint8Array[] = []
  /** Cells between neighbours of a tile along each axis. */
  private readonly tileStrides: readonly number[]
  private readonly wanted: WantedCells | undefined
  private readonly order: { tileOrder: number[]; cellOrder: number[] }
  /** Whether it must be known of each cell which tile it comes from. */
  private readonly tracked: boolean

  constructor(opened: OpenedArray, query: ReadQuery, room: DenseRoom) {
    const { array, schema, fragments } = opened
    this.array = array
    this.query = query
    this.room = room
    this.kept = new KeptTiles(room.most)
    const { dimensions } = schema.domain
    this.dimensions = dimensions
    this.grid = dimensions.map((dimension) => {
      const size = datatypeSize(dimension.type)
      return denseAxis(dimension, { min: dimension.domain.subarray(0, size), max: dimension.domain.subarray(size) })
    })
    const slowestFirst = (layout: typeof schema.cell_order): number[] =>
      fastestFirst(layout, dimensions.length).reverse()
    this.order = { tileOrder: slowestFirst(schema.tile_order), cellOrder: slowestFirst(schema.cell_order) }
    this.tileStrides = stridesOf(
      this.grid.map(({ extent }) => Number(extent)),
      this.order.cellOrder,
    )
    const isAttribute = ({ kind }: ColumnType): boolean => kind === 'attribute'
    const wanted = wantedColumns(schema, query, query.where ? [query.where] : []).filter(isAttribute)
    this.shown = readColumns(schema, { ...query, provenance: false }).filter(isAttribute).length
    this.files = new OpenFiles(wanted)
    this.attributes = wanted.map((type) => ({
      type,
      size: fixedSize(type),
      fill: fillCell(schema, type),
    }))
    this.sources = fragments.flatMap((fragment, index) =>
      fragment.info.nonempty_domain ? [new Source(fragment, index, this.grid, this.attributes, query)] : [],
    )
    remarkChanged(opened, wanted, query.onRemark)
    this.wanted = wantedCells(
      this.grid,
      query.ranges,
      this.grid.map((_, d) => this.sources.map(({ domain }) => domain[d])),
    )
    const isVar = this.attributes.some(({ size }) => size === undefined)
    this.tracked = (query.provenance ?? false) !== false || query.where !== undefined || isVar
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
      for (let first = 0; first < window.cell_num; first += sizes.good) {
        const count = Math.min(sizes.good, window.cell_num - first)
        yield this.batch(whole, first, count)
      }
      // Along the slowest axis, windows only rise.
      const [block] = window.blocks
      const { low } = block.axes[slowest].segments[0]
      for (const source of this.sources) if (source.domain[slowest].high < low) await source.close()
    }
  }

  /** Sizes of windows, in cells. */
  private sizes(): WindowSizes {
    let bytes = this.tracked ? 8 : 0
    for (const [c, { type, size }] of this.attributes.entries()) {
      bytes += (size ?? 8) + (type.nullable ? 1 : 0)
      if (size === undefined) bytes += this.sources.reduce((most, source) => Math.max(most, source.varBytes(c)), 0)
    }
    const coordinates = this.dimensions.reduce((sum, { type }) => sum + datatypeSize(type), 0)
    const most = Math.max(1, Math.floor(this.room.most / Math.max(1, bytes)))
    return { good: Math.min(most, Math.ceil(this.room.batch / (bytes + coordinates))), most }
  }

  private async assemble(window: Window): Promise<Assembly> {
    const touching = this.touching(this.sources, window.blocks)
    const pieces = window.blocks.map((block) => this.pieces(block, this.touching(touching, [block])))
    const whole = await this.passedOn(window, pieces)
    if (whole) return whole
    const { cell_num } = window
    const made: Assembly = {
      window,
      columns: this.attributes.map(({ size, type }, c) => ({
        data: size === undefined ? undefined : this.roomFor(c, size * cell_num),
        validity: type.nullable ? new Uint8Array(cell_num) : undefined,
      })),
      owner: this.tracked ? new Int32Array(cell_num) : undefined,
      place: this.tracked ? new Int32Array(cell_num) : undefined,
      tiles: [],
    }
    for (const [b, block] of window.blocks.entries()) for (const piece of pieces[b]) await this.put(made, block, piece)
    return made
  }

  /** Memory for the cells of a column: that of the window before, if it may be overwritten. All of it will be. */
  private roomFor(column: number, bytes: number): Uint8Array {
    if (this.query.reuse !== true) return new Uint8Array(bytes)
    const known = this.rooms[column]
    if (known && known.length >= bytes) return known.subarray(0, bytes)
    const made = new Uint8Array(bytes)
    this.rooms[column] = made
    return made
  }

  /** A window that is one tile, or consecutive cells of one: its cells without a copy. */
  private async passedOn(window: Window, pieces: readonly (readonly Piece[])[]): Promise<Assembly | undefined> {
    if (pieces.length !== 1 || pieces[0].length !== 1 || this.tracked) return undefined
    const [{ parts, lengths }] = pieces[0]
    const [part] = parts
    if (parts.length !== 1 || !part.source.hasAll || !isSame(part.lengths, lengths)) return undefined
    const [block] = window.blocks
    const first = oneRun(lengths, this.inTile(part.from), inBlock(block, part.at))
    if (first === undefined) return undefined
    const tile = await this.tile(part, this.query.reuse === true)
    if (!tile) return undefined
    const end = first + window.cell_num
    const columns = this.attributes.map(({ size = 0 }, c): Assembly['columns'][number] => ({
      data: tile[c]?.data.subarray(first * size, end * size),
      validity: tile[c]?.validity?.subarray(first, end),
    }))
    return { window, columns, owner: undefined, place: undefined, tiles: [] }
  }

  /** Puts the cells of all fragments into their places, the oldest first. */
  private async put(made: Assembly, block: Block, piece: Piece): Promise<void> {
    const { parts } = piece
    if (!parts.some(({ source, lengths }) => !source.isSparse && isSame(lengths, piece.lengths)))
      this.fill(made, piece.lengths, inBlock(block, piece.at), UNWRITTEN)
    for (const part of parts) {
      if (part.source.isSparse) continue
      const to = inBlock(block, part.at)
      const columns = await this.tile(part, !this.tracked)
      if (!columns) {
        this.fill(made, part.lengths, to, LOST)
        continue
      }
      const tile = this.addTile(made, { source: part.source, tile: part.tile, columns })
      this.putTile(made, tile, part.lengths, this.inTile(part.from), to)
    }
    for (const { source } of parts) if (source.isSparse) await this.putSparse(made, block, piece, source)
  }

  /** The tile with its number among those of the window. It is only kept if it is needed later. */
  private addTile({ tiles }: Assembly, tile: ReadTile): ReadTile & { number: number } {
    return { ...tile, number: this.tracked ? tiles.push(tile) - 1 : 0 }
  }

  private putTile(
    made: Assembly,
    { columns, number }: ReadTile & { number: number },
    lengths: readonly number[],
    from: BoxPlace,
    to: BoxPlace,
  ): void {
    const { owner, place } = made
    for (const [c, { fill, size }] of this.attributes.entries()) {
      const column = columns[c] ?? fill
      const place = columns[c] ? from : samePlace(lengths)
      const { data, validity } = made.columns[c]
      if (data && size !== undefined) copyBox(column.data, place, data, to, lengths, size)
      if (validity && column.validity) copyBox(column.validity, place, validity, to, lengths, 1)
    }
    if (!owner) return
    forRuns(lengths, from, to, (first, at, count, fromStep, toStep) => {
      for (let i = 0, p = first, o = at; i < count; i++, p += fromStep, o += toStep) {
        owner[o] = number
        if (place) place[o] = p
      }
    })
  }

  /** @param owner {@link UNWRITTEN} or {@link LOST} */
  private fill(made: Assembly, lengths: readonly number[], to: BoxPlace, owner: number): void {
    if (owner === LOST) made.owner ??= new Int32Array(made.window.cell_num)
    for (const [c, { fill, size }] of this.attributes.entries()) {
      const { data, validity } = made.columns[c]
      if (data && size !== undefined) copyBox(fill.data, samePlace(lengths), data, to, lengths, size)
      if (validity && fill.validity) copyBox(fill.validity, samePlace(lengths), validity, to, lengths, 1)
    }
    const { owner: owners } = made
    if (owners)
      forRuns(lengths, to, to, (_, at, count, __, step) => {
        for (let i = 0, o = at; i < count; i++, o += step) owners[o] = owner
      })
  }

  /** @see tiledb/sm/query/legacy/reader.cc: sparse_tile_overwritten, compute_range_result_coords; measured with 1.7 to 2.30 */
  private async putSparse(made: Assembly, block: Block, { segments }: Piece, source: Source): Promise<void> {
    await this.files.use(source)
    const newer = this.sources.filter(({ index, isSparse }) => index > source.index && !isSparse)
    const ones = segments.map(() => 1)
    for await (const { tile, box, coordinates, columns, cell_num } of source.sparseTiles(segments)) {
      if (newer.some(({ domain }) => isInside(box, domain))) continue
      const isWhole = this.wanted?.every((intervals, d) => intervals.some((one) => isInside([box[d]], [one])))
      const hiding = isWhole ? [] : newer
      const added = this.addTile(made, { source, tile, columns })
      for (let cell = 0; cell < cell_num; cell++) {
        const point = segments.map((_, d) => ({ low: coordinates(d, cell), high: coordinates(d, cell) }))
        // Of coordinates in files of their own, TileDB takes the last for all. @see ResultTile::compute_results_dense
        const tested = source.isZipped ? point : point.map(() => point[point.length - 1])
        if (!isInside(point, segments) || hiding.some(({ domain }) => isInside(tested, domain))) continue
        const at = segments.map(({ low, at: first }, d) => first + Number(point[d].low - low))
        this.putTile(made, added, ones, samePlace(ones, cell), inBlock(block, at))
      }
    }
  }

  /** The sources whose domain meets the box around blocks. */
  private touching(sources: readonly Source[], blocks: readonly Block[]): Source[] {
    const box = this.grid.map((_, d) => hullOf(blocks.map(({ axes }) => axes[d])))
    return sources.filter(({ domain }) => box.every((side, d) => intersection(side, domain[d])))
  }

  /** The pieces of a block in tile order, each with the cells that fragments have of it. */
  private pieces(block: Block, touching: readonly Source[]): Piece[] {
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
        from: segments.map((segment, axis) => this.inTileAlong(axis, segment)),
        at: segments.map(({ at }) => at),
        lengths: segments.map(({ length }) => length),
        segments,
        parts: notCovered(touching.flatMap((source, i) => partOf(source, overlaps[i], chosen) ?? [])),
      })
    }
    walk(0)
    return pieces
  }

  private inTileAlong(axis: number, { low, tile }: Segment): number {
    const { domainLow, extent } = this.grid[axis]
    return Number(low - domainLow - tile * extent)
  }

  private inTile(from: readonly number[]): BoxPlace {
    return placeOf(from, this.tileStrides, 0)
  }

  /** The columns of a tile; undefined if it cannot be read. @param reuse whether its memory may be used for the next tile */
  private async tile({ source, tile }: Part, reuse: boolean): Promise<(ColumnData | undefined)[] | undefined> {
    const key = `${source.index} ${tile}`
    const known = this.kept.get(key)
    if (known) return known
    const keep = this.kept.hasRoom
    await this.files.use(source)
    const columns = await source.tile(tile, reuse && !keep)
    if (columns && keep) this.kept.add(key, columns)
    return columns
  }

  /** Some cells of a window, with their coordinates. */
  private batch(made: Assembly, first: number, count: number): CellBatch {
    const { query, dimensions, attributes } = this
    const coordinates = dimensions.map(
      (dimension, d): ColumnData => ({
        data: coordinatesOf(dimension, made.window, d, first, count),
        starts: undefined,
        validity: undefined,
      }),
    )
    const { owner } = made
    const owners = owner?.subarray(first, first + count)
    const places = made.place?.subarray(first, first + count)
    const values = attributes.map(({ size = 0, fill }, c): ColumnData => {
      const { data, validity: all } = made.columns[c]
      const validity = all?.subarray(first, first + count)
      if (data) return { data: data.subarray(first * size, (first + count) * size), starts: undefined, validity }
      return { ...varColumn(made.tiles, c, fill, owners, places), validity }
    })
    const met = query.where && owners && this.met(query.where, made.tiles, owners, coordinates, values)
    if (met && owners && !query.leavesOutUnmet) this.hideUnmet(met, made, owners, places, values)
    const columns = [...coordinates, ...values.slice(0, this.shown)]
    if (query.provenance) columns.push(...this.provenanceOf(made, first, coordinates, count))
    return { tile: 0, cell_num: count, rows: owners && rowsOf(owners, query.leavesOutUnmet ? met : undefined), columns }
  }

  /** The columns of {@link PROVENANCE}. */
  private provenanceOf(
    { owner, place, tiles }: Assembly,
    first: number,
    coordinates: readonly ColumnData[],
    count: number,
  ): ColumnData[] {
    const [fragment, tile, cell, written] = PROVENANCE.map(({ type }) => new Uint8Array(count * datatypeSize(type)))
    const [validity, timed] = [new Uint8Array(count), new Uint8Array(count)]
    const fragments = new Int32Array(fragment.buffer)
    const [tileLanes, cellLanes, writtenLanes] = [tile, cell, written].map(lanesOf)
    const times = tiles.map(({ source, tile }) => source.timesOf(tile))
    const only = times.map((own) => (own ? own.only : 'unknown'))
    const lanes = only.map((time) => lanesOfInteger(typeof time === 'bigint' ? time : 0n))
    for (let i = 0; i < count && owner && place; i++) {
      const number = owner[first + i]
      if (number < 0) continue
      validity[i] = 1
      const { source, tile: n } = tiles[number]
      fragments[i] = source.index
      tileLanes[2 * i] = n
      tileLanes[2 * i + 1] = n / 2 ** 32
      cellLanes[2 * i] = place[first + i]
      const time = only[number] ?? times[number]?.at(this.cellAt(coordinates, i))
      if (typeof time !== 'bigint') {
        if (times[number] && time) source.tellUntimed(time)
        continue
      }
      timed[i] = 1
      const [low, high] = only[number] === undefined ? lanesOfInteger(time) : lanes[number]
      writtenLanes[2 * i] = low
      writtenLanes[2 * i + 1] = high
    }
    return [fragment, tile, cell, written].map((data) => ({
      data,
      starts: undefined,
      validity: data === written ? timed : validity,
    }))
  }

  private cellAt(coordinates: readonly ColumnData[], i: number): bigint[] {
    return this.dimensions.map(({ type }, d) => {
      const size = datatypeSize(type)
      return integerOf(type, coordinates[d].data.subarray(i * size, (i + 1) * size))
    })
  }

  /** Puts fill values in place of the attributes of cells that do not meet the condition. */
  private hideUnmet(
    met: Uint8Array,
    { tiles }: Assembly,
    owners: Int32Array,
    places: Int32Array | undefined,
    values: ColumnData[],
  ): void {
    const shown = owners.map((owner, i) => (met[i] === 1 ? owner : UNWRITTEN))
    for (let i = 0; i < met.length; ) {
      let end = i + 1
      while (end < met.length && met[end] === met[i]) end++
      const lengths = [end - i]
      const to = { at: i, strides: [1] }
      for (const [c, { size, fill }] of this.attributes.entries()) {
        const { data, validity } = values[c]
        if (met[i] === 1) continue
        if (size !== undefined) copyBox(fill.data, samePlace(lengths), data, to, lengths, size)
        if (validity && fill.validity) copyBox(fill.validity, samePlace(lengths), validity, to, lengths, 1)
      }
      i = end
    }
    for (const [c, { size, fill }] of this.attributes.entries())
      if (size === undefined) values[c] = { ...values[c], ...varColumn(tiles, c, fill, shown, places) }
  }

  /** Which cells meet the condition. What a comparison of a field gives depends on whether the fragment has the field. */
  private met(
    where: ConditionNode,
    tiles: readonly ReadTile[],
    owners: Int32Array,
    coordinates: readonly ColumnData[],
    values: readonly ColumnData[],
  ): Uint8Array {
    const columns = new Map<string, ConditionColumn>()
    for (const [d, { name, type, cell_val_num }] of this.dimensions.entries())
      columns.set(name, { type: { type, cell_val_num, nullable: false }, data: coordinates[d] })
    for (const [c, { type }] of this.attributes.entries()) columns.set(type.name, { type, data: values[c] })
    const byMissing = new Map<string, Uint8Array>()
    const results = tiles.map(({ columns: own }) => {
      const missing = this.attributes.flatMap(({ type }, c) => (own[c] ? [] : [type.name]))
      const key = JSON.stringify(missing)
      const known = byMissing.get(key)
      if (known) return known
      const there = new Map(columns)
      for (const name of missing) there.delete(name)
      const result = meets(where, there, owners.length)
      byMissing.set(key, result)
      return result
    })
    return Uint8Array.from(owners, (owner, i) => (owner < 0 ? 0 : results[owner][i]))
  }

  async close(): Promise<void> {
    for (const source of this.sources) await source.close()
  }
}

/** Var-sized cells, each from its tile. Neighbours are copied together. */
function varColumn(
  tiles: readonly ReadTile[],
  c: number,
  fill: ColumnData,
  owners: Int32Array | undefined,
  places: Int32Array | undefined,
): { data: Uint8Array; starts: Float64Array } {
  const count = owners?.length ?? 0
  const starts = new Float64Array(count + 1)
  if (!owners || !places) return { data: new Uint8Array(0), starts }
  let length = 0
  for (let i = 0; i < count; i++) {
    const from = owners[i] < 0 ? undefined : tiles[owners[i]].columns[c]?.starts
    const at = places[i]
    length += from ? from[at + 1] - from[at] : fill.data.length
    starts[i + 1] = length
  }
  const data = new Uint8Array(length)
  for (let i = 0; i < count; ) {
    const number = owners[i]
    const column = number < 0 ? undefined : tiles[number].columns[c]
    if (!column?.starts) {
      data.set(fill.data, starts[i++])
      continue
    }
    const at = places[i]
    let run = 1
    while (i + run < count && owners[i + run] === number && places[i + run] === at + run) run++
    data.set(column.data.subarray(column.starts[at], column.starts[at + run]), starts[i])
    i += run
  }
  return { data, starts }
}

/** A fragment whose cells are read. */
class Source {
  /** Position among the fragments. */
  readonly index: number
  readonly isSparse: boolean
  /** Of sparse fragments: whether one file holds all coordinates. */
  readonly isZipped: boolean
  /** The non-empty domain. */
  readonly domain: readonly Interval[]
  private readonly fragment: OpenedFragment
  private readonly query: ReadQuery
  private readonly grid: readonly DenseAxis[]
  /** Of dense fragments. */
  private readonly axes: readonly DenseAxis[]
  private readonly tileOrder: readonly number[]
  /** Of dense fragments: tiles between neighbours along each axis. */
  private readonly strides: readonly number[]
  /** Names of the attributes that the fragment has in the form of the array. */
  private readonly names: readonly (string | undefined)[]
  private cells: Promise<FragmentCells | undefined> | undefined
  /** Undefined where nobody asks. */
  private times: WrittenTimes | undefined
  private readonly selection: CellSelection = {
    withoutCoordinates: true,
    onColumnError: (error, { name }, tile) => {
      this.isLost = true
      this.fault(error, `${name}, tile ${tile}`)
    },
  }
  /** Whether a column of the tile that is being read cannot be read. */
  private isLost = false
  private isPlanned = false
  private readonly told = new Set<string>()
  private readonly untimed = new Set<string>()

  constructor(
    fragment: OpenedFragment,
    index: number,
    grid: readonly DenseAxis[],
    attributes: readonly Column[],
    query: ReadQuery,
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
    if (this.axes.some(({ domainLow, extent }, d) => domainLow !== grid[d].domainLow || extent !== grid[d].extent)) {
      throw inconsistent('expected the tiles of the array in the schema of the fragment, found others', {
        file: fragment.fragment.folder.path,
      })
    }
    this.names = attributes.map(({ type }) => {
      const own = info.schema.attributes.find(({ name }) => name === type.name)
      return own && formOf(own) === formOf(type) ? type.name : undefined
    })
  }

  /** Whether each of its tiles is a tile of the grid with all attributes. */
  get hasAll(): boolean {
    return !this.isSparse && this.names.every((name) => name !== undefined)
  }

  /** About so many bytes has a cell of a var-sized attribute. */
  varBytes(c: number): number {
    const { info } = this.fragment
    const slot = info.slots.findIndex((one) => one.kind === 'attribute' && one.name === this.names[c])
    if (slot < 0) return 0
    const { filters } = info.schema.attributes[info.slots[slot].index].filters
    const unfolded = info.file_var_sizes[slot] * (filters.length > 0 ? UNFOLDED : 1)
    return unfolded / Math.max(1, storedCellNum(info))
  }

  /** @param rising whether tiles will be asked for in the order in which they are stored */
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

  /** Undefined where nobody asks. */
  timesOf(tile: number): WrittenTimes | undefined {
    if (this.times?.only !== undefined) return this.times
    const first = this.tileAt(tile).map((at, d) => this.grid[d].domainLow + at * this.grid[d].extent)
    return this.times?.within(first.map((low, d) => ({ low, high: low + this.grid[d].extent - 1n })))
  }

  /** Says once what it means that a cell has no time. */
  tellUntimed(time: 'unknown' | 'never'): void {
    if (this.untimed.has(time)) return
    this.untimed.add(time)
    this.query.onRemark?.(PROVENANCE[3].name, untimedText(this.fragment, time))
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

  /** Along each axis, for each segment of a block: the coordinates that the fragment has of it. */
  overlaps({ axes }: Block): Overlap[][] {
    return axes.map(({ segments }, d) =>
      segments.map(({ low, high, tile, at }): Overlap => {
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

  /** The columns of a tile by attribute; undefined if it cannot be read. */
  async tile(tile: number, reuse: boolean): Promise<(ColumnData | undefined)[] | undefined> {
    const cells = await this.open()
    if (!cells) return undefined
    this.selection.reuse = reuse
    const batch = await this.read(cells, tile)
    return batch && this.names.map((name) => columnNamed(cells, batch, name))
  }

  private async read(cells: FragmentCells, tile: number): Promise<CellBatch | undefined> {
    this.isLost = false
    const batch = await cells.batch(tile)
    return this.isLost ? undefined : batch
  }

  /** @param where the field, and its tile; undefined for the whole fragment */
  private fault(error: unknown, where?: string): void {
    const { onFault } = this.query
    if (!(error instanceof InspectError)) throw error
    const { code, message, at, cause } = error
    const { folder } = this.fragment.fragment
    const field = where === undefined || at.field === undefined ? (where ?? at.field) : `${where}, ${at.field}`
    const placed = new InspectError(code, message, { ...at, file: at.file ?? folder.path, field }, { cause })
    if (!onFault) throw placed
    // If a file is missing, one tile's error says it all.
    const text = code === 'MISSING_FILE' ? `${placed.at.file}` : `${code} ${message} ${field}`
    if (this.told.has(text)) return
    this.told.add(text)
    onFault(placed)
  }

  /** The tiles of a sparse fragment that the segments touch. */
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

  async close(): Promise<void> {
    if (!this.cells) return
    const cells = await this.cells
    this.cells = undefined
    await cells?.close()
    await this.fragment.fragment.close()
  }
}

/** Filters may have made values so many times as small. */
const UNFOLDED = 4

/** The coordinates along an axis that a fragment has of a segment; undefined for none. */
type Overlap = { from: number; at: number; length: number; tile: number } | undefined

function partOf(
  source: Source,
  overlaps: readonly (readonly Overlap[])[],
  segments: readonly number[],
): Part | undefined {
  const along = segments.map((s, d) => overlaps[d][s])
  if (along.some((one) => one === undefined)) return undefined
  const all = along as Exclude<Overlap, undefined>[]
  return {
    source,
    tile: all.reduce((sum, { tile }) => sum + tile, 0),
    from: all.map(({ from }) => from),
    at: all.map(({ at }) => at),
    lengths: all.map(({ length }) => length),
  }
}

/** Leaves out dense parts that a newer one covers wholly. */
function notCovered(parts: readonly Part[]): Part[] {
  const isHidden = (older: Part, i: number): boolean =>
    parts.some((newer, j) => j > i && !newer.source.isSparse && covers(newer, older))
  return parts.filter((part, i) => part.source.isSparse || !isHidden(part, i))
}

function covers(newer: Part, older: Part): boolean {
  return newer.from.every(
    (from, d) => from <= older.from[d] && from + newer.lengths[d] >= older.from[d] + older.lengths[d],
  )
}

/** From the first to the last coordinate of some blocks along an axis. */
function hullOf(axes: readonly BlockAxis[]): Interval {
  const [{ segments }] = axes
  let { low } = segments[0]
  let { high } = segments[segments.length - 1]
  for (const { segments: next } of axes) {
    if (next[0].low < low) low = next[0].low
    if (next[next.length - 1].high > high) high = next[next.length - 1].high
  }
  return { low, high }
}

/** Whether a box lies in another. */
function isInside(inner: readonly Interval[], outer: readonly Interval[]): boolean {
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

function columnNamed(cells: FragmentCells, { columns }: CellBatch, name: string | undefined): ColumnData | undefined {
  if (name === undefined) return undefined
  return columns[cells.columns.findIndex((one) => one.kind === 'attribute' && one.name === name)]
}

/** Coordinates of some cells of a window along one axis. */
function coordinatesOf({ type }: Dimension, { blocks }: Window, d: number, first: number, count: number): Uint8Array {
  const size = datatypeSize(type)
  const out = new Uint8Array(count * size)
  for (const { axes, strides, at, cell_num } of blocks) {
    const from = Math.max(first, at)
    const end = Math.min(first + count, at + cell_num)
    if (end <= from) continue
    const { segments, length } = axes[d]
    const values = new Uint8Array(length * size)
    for (const { low, length: many, at: place } of segments)
      values.set(axisCoordinates(type, low, 1, many, { first: 0, count: many }), place * size)
    spread(values, size, strides[d], from - at, out.subarray((from - first) * size, (end - first) * size))
  }
  return out
}

/** Fills `out` with the values, each `stride` times, over and over again, from the cell `first` on. */
function spread(values: Uint8Array, size: number, stride: number, first: number, out: Uint8Array): void {
  const length = values.length / size
  const count = out.length / size
  const period = Math.min(stride * length, count)
  let run = Math.floor(first / stride) % length
  let left = stride - (first % stride)
  for (let i = 0; i < period; left = stride) {
    // Where each value stands once, all up to the last follow each other.
    const many = Math.min(period - i, stride === 1 ? length - run : left)
    if (stride === 1) out.set(values.subarray(run * size, (run + many) * size), i * size)
    else copyBox(values, samePlace([1], run), out, { at: i, strides: [1] }, [many], size)
    run = stride === 1 ? 0 : (run + 1) % length
    i += many
  }
  for (let done = period; done < count; done *= 2) out.copyWithin(done * size, 0, Math.min(done, count - done) * size)
}

function lanesOfInteger(value: bigint): [low: number, high: number] {
  return [Number(BigInt.asUintN(32, value)), Number(BigInt.asUintN(32, value >> 32n))]
}

/** The cells that could be read, and meet the condition if there is one; undefined for all. */
function rowsOf(owners: Int32Array, met: Uint8Array | undefined): Uint32Array | undefined {
  if (!met && !owners.includes(LOST)) return undefined
  const rows = new Uint32Array(owners.length)
  let kept = 0
  for (let i = 0; i < rows.length; i++) if (owners[i] !== LOST && met?.[i] !== 0) rows[kept++] = i
  return rows.subarray(0, kept)
}

/** Tiles that other windows of the same group need, too: as many as fit, the first ones. */
class KeptTiles {
  private readonly most: number
  private group: string | undefined
  private readonly tiles = new Map<string, (ColumnData | undefined)[]>()
  private bytes = 0

  /** @param most bytes */
  constructor(most: number) {
    this.most = most
  }

  begin(group: string | undefined): void {
    if (group === this.group) return
    this.group = group
    this.tiles.clear()
    this.bytes = 0
  }

  get hasRoom(): boolean {
    return this.group !== undefined && this.bytes < this.most
  }

  get(key: string): (ColumnData | undefined)[] | undefined {
    return this.tiles.get(key)
  }

  add(key: string, columns: (ColumnData | undefined)[]): void {
    this.tiles.set(key, columns)
    for (const column of columns) this.bytes += (column?.data.length ?? 0) + (column?.starts?.length ?? 0) * 8
  }
}
