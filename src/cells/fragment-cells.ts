import { element } from '../base/element.ts'
import { addPlace, InspectError, inconsistent, usage, withPlace } from '../base/errors.ts'
import { didYouMean } from '../base/nearest.ts'
import { sum } from '../base/sum.ts'
import { viewOf } from '../filters/bytes.ts'
import type { LostTail, RefusedPart } from '../filters/filter.ts'
import type { TileReadOptions } from '../filters/pipeline.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import { isCompressor } from '../format/filter-pipeline.ts'
import { fixedSize } from '../format/range.ts'
import { u64s } from '../format/u32.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import type { CellBatch, ColumnData, ColumnType } from './column.ts'
import { type CellBox, type CellRun, DenseCoordinates } from './dense-coordinates.ts'
import { withEnd } from './elements.ts'
import { LARGE_TILE } from './large-tiles.ts'
import { isStringOffsetsTile, planTiles, TileFile, type TileRole } from './tile-files.ts'
import { tileCellNum } from './tile-places.ts'
import { type TileUnitRunner, tileUnits, unfilterUnit } from './tile-units.ts'

/** Which cells to read. */
export interface CellSelection {
  /** Names of fields; undefined selects all. Dimensions are always included. */
  fields?: readonly string[] | undefined
  /** First and last tile, inclusive. */
  tiles?: { from: number; to: number } | undefined
  /** Whether to skip the tile with this number, for example because all its cells lie outside of the wanted ranges. */
  skipTile?: ((tile: number) => boolean) | undefined
  /** Dense arrays: the box to which cells are limited, unless {@link fill} is set. */
  box?: CellBox | undefined
  /** Dense arrays: whether padding cells are included. */
  fill?: boolean | undefined
  /** Dense arrays: whether the columns of the coordinates are left out. */
  withoutCoordinates?: boolean | undefined
  /** Whether to fail as TileDB does if the file of the offsets is missing or short, although the values hold the offsets. */
  needsOffsets?: boolean | undefined
  /** Whether the next batch may overwrite the memory of the current one. */
  reuse?: boolean | undefined
  /** With `reuse`: the memory, if it is shared by fragments that are read one after the other. */
  memories?: ReusedMemories | undefined
  /** Runner for unfiltering on several threads, used if there is enough work. */
  threads?: TileUnitRunner | undefined
  /** Called for a column that cannot be read, which is then left out of its batch. If undefined, the error is thrown. */
  onColumnError?: ((error: InspectError, column: ColumnType, tile: number) => void) | undefined
  /**
   * Returns the validity of a tile whose values are whole, but whose validity cannot be read; undefined if nobody knows it. The column is
   * then given without. If this is undefined or throws, the column cannot be read.
   */
  lostValidity?: ((error: unknown, slot: number, tile: number) => Promise<Uint8Array | undefined>) | undefined
  /** Whether to skip every tile with an unreadable column. Columns that are unreadable in all tiles are dropped: {@link onFieldError}. */
  wholeTiles?: boolean | undefined
  /** With `wholeTiles`: whether tiles with an unreadable column are returned without the column, and not skipped. */
  withUnreadable?: boolean | undefined
  /** Called for tiles in which the writer lost bytes of a field. */
  onLostTail?: ((lost: LostTail, field: string, tile: number) => void) | undefined
  /** {@link TileFile.onRefused} for all files of the fragment. */
  onRefused?: ((chunk: RefusedChunk) => void) | undefined
  /** Called for a field whose validity TileDB filtered as if it were values, and reads as bytes. */
  onOtherType?: ((field: string) => void) | undefined
  /** With `wholeTiles`: called for a column that is left out, because its metadata or files cannot be read. */
  onFieldError?: ((error: InspectError, field: string) => void) | undefined
}

/** A chunk that TileDB cannot read, though nothing of it is lost. */
export interface RefusedChunk {
  part: RefusedPart
  /** The data file. */
  file: string
  tile: number
}

/** Reads one column. */
interface ColumnReader {
  /** The cells of a tile. Without a promise if everything is in memory. */
  read(tile: number): ColumnData | Promise<ColumnData>
  /** Reads a large tile part by part, from start to end. */
  parts?(tile: number): PartReader
}

type PartReader = (part: CellRun) => Promise<ColumnData>

/** Parts of a large tile: bytes of the first part in all columns, bytes of the largest, and the factor by which parts grow. */
const FIRST_PART = 64 * 1024
const MAX_PART = 4 * 2 ** 20
const PART_GROWS = 4
/** Upper limit on the bytes of a coordinate of a dense cell. */
const COORDINATE_BYTES = 8

/**
 * Reads the cells of a fragment tile by tile, in stored order. Memory holds one tile of the selected columns. Of a large tile
 * it holds only a part of each column, except of var-sized columns. The coordinates of dense fragments are computed. Those of
 * sparse fragments of versions 1 to 4 come from `__coords.tdb`.
 */
export class FragmentCells {
  readonly columns: ColumnType[] = []
  readonly info: FragmentInfo
  /** Coordinates of a dense fragment; undefined for a sparse one. */
  readonly dense: DenseCoordinates | undefined
  private readonly fragment: Fragment
  private readonly readers: (ColumnReader | undefined)[] = []
  private readonly files: TileFile[] = []
  private readonly selection: CellSelection

  private constructor(fragment: Fragment, info: FragmentInfo, selection: CellSelection) {
    this.fragment = fragment
    this.info = info
    this.selection = selection
    this.dense = info.dense ? new DenseCoordinates(info) : undefined
  }

  /** @throws InspectError USAGE if the fragment does not have a selected field */
  static async open(fragment: Fragment, selection: CellSelection = {}): Promise<FragmentCells> {
    const info = await fragment.info()
    checkFields(info, selection.fields)
    const cells = new FragmentCells(fragment, info, selection)
    await cells.openColumns()
    return cells
  }

  private async openColumns(): Promise<void> {
    const { columns, readers, files, info, selection } = this
    const { fields, onFieldError, onLostTail, onRefused, onOtherType } = selection
    const unlessUnreadable = <T>(field: string, open: () => Promise<T>): Promise<T | undefined> =>
      open().catch((error: unknown) => {
        if (!(error instanceof InspectError) || !selection.wholeTiles || !onFieldError) throw error
        onFieldError(error, field)
        return undefined
      })
    const old = info.format_version < 5 && !info.dense
    const coords = old ? await unlessUnreadable('__coords', () => this.coordsReader()) : undefined
    info.schema.domain.dimensions.forEach(({ name, type, cell_val_num }, d) => {
      columns.push({ name, kind: 'dimension', type, cell_val_num, nullable: false })
      readers.push(coords && { read: (tile) => coords(tile, d) })
    })
    for (const [i, { name, kind, index, type, cell_val_num, nullable }] of info.slots.entries()) {
      if (kind === 'coords' || (kind === 'dimension' && info.dense)) continue
      if (kind !== 'dimension' && fields !== undefined && !fields.includes(name)) continue
      const reader = await unlessUnreadable(name, () => this.fieldReader(i))
      if (kind === 'dimension') readers[index] = reader
      else if (reader) {
        columns.push({ name, kind, type, cell_val_num, nullable })
        readers.push(reader)
      }
    }
    const nameOf = ({ slot }: TileFile): string => element(info.slots, slot).name
    if (onLostTail) for (const file of files) file.onLostTail = (tile, lost) => onLostTail(lost, nameOf(file), tile)
    if (onRefused)
      for (const file of files) file.onRefused = (tile, part) => onRefused({ part, file: file.source.name, tile })
    if (onOtherType) for (const file of files) file.onOtherType = () => onOtherType(nameOf(file))
  }

  /** Batches in stored order: one per tile, several for a large tile. */
  async *batches(): AsyncGenerator<CellBatch> {
    const { tile_num } = this.info
    // Without any file, only the metadata says how many tiles there are, and it may be wrong.
    if (this.selection.wholeTiles && this.readers.every((read) => read === undefined)) return
    const from = this.selection.tiles?.from ?? 0
    const to = Math.min(this.selection.tiles?.to ?? tile_num - 1, tile_num - 1)
    try {
      for await (const tiles of this.tileGroups(from, to)) {
        for (const tile of tiles) {
          if (this.isLarge(tile)) {
            yield* this.parts(tile)
            continue
          }
          const pause = this.fragment.cx.pause?.()
          if (pause) await pause
          const batch = await this.batch(tile)
          if (!this.selection.wholeTiles || this.selection.withUnreadable || this.isWhole(batch)) yield batch
        }
      }
    } finally {
      this.release()
    }
  }

  /** The selected tiles in groups that are read one after the other: a single group, unless threads unfilter. */
  private async *tileGroups(from: number, to: number): AsyncGenerator<Iterable<number>> {
    const { files, selection } = this
    const { threads, skipTile } = selection
    const units = threads && files.length > 0 && tileUnits(this.fragment, files, [...this.selected(from, to)], threads)
    const readHere = units ? files.filter((file) => !units.files.includes(file)) : files
    planTiles(readHere, from, to, skipTile)
    if (!threads || !units) {
      yield this.selected(from, to)
      return
    }
    for await (const done of threads.run(units, (unit) => unfilterUnit(units.files, unit))) {
      units.lend(done)
      yield done.tiles
      if (selection.reuse) units.takeBack(done)
    }
    for (const file of units.files) file.lent = undefined
  }

  private *selected(from: number, to: number): Generator<number> {
    const { skipTile } = this.selection
    for (let tile = from; tile <= to; tile++) if (!skipTile?.(tile)) yield tile
  }

  private isWhole({ columns }: CellBatch): boolean {
    return columns.every((column, i) => column !== undefined || this.readers[i] === undefined)
  }

  /** Whether a tile is read part by part. With `wholeTiles`, tiles must be read whole. */
  private isLarge(tile: number): boolean {
    if (this.selection.wholeTiles) return false
    const coordinates = this.dense ? tileCellNum(this.info, tile) * COORDINATE_BYTES : 0
    return coordinates > LARGE_TILE || this.files.some((file) => file.isLarge(tile))
  }

  /**
   * The cells of a large tile, part by part. A column that cannot be read is missing from then on. If no column with a file is
   * left, the tile ends: only the metadata says how many cells it has, and it may be wrong.
   */
  private async *parts(tile: number): AsyncGenerator<CellBatch> {
    const { dense, selection } = this
    const cells = tileCellNum(this.info, tile)
    const nextRow = (from: number): number =>
      dense && !selection.fill ? dense.nextRow(tile, from, selection.box) : from
    const readers = this.partReaders(tile)
    const hasFiles = readers.some((read) => read !== undefined)
    const cellBytes = sum(this.columns, (column) => fixedSize(column) ?? datatypeSize(column.type))
    let bytes = FIRST_PART
    for (let first = nextRow(0); first < cells; ) {
      const part = { first, count: Math.min(cells - first, Math.max(1, Math.floor(bytes / cellBytes))) }
      yield await this.part(tile, part, readers)
      await this.fragment.cx.pause?.()
      if (hasFiles && readers.every((read) => read === undefined)) return
      bytes = Math.min(MAX_PART, bytes * PART_GROWS)
      first = nextRow(first + part.count)
    }
  }

  /** Reads a part of a tile. @param readers readers of the columns; undefined for a column that could not be read */
  private part(tile: number, part: CellRun, readers: (PartReader | undefined)[]): Promise<CellBatch> {
    return this.batchOf(tile, part, async (i) => {
      const column = await readers[i]?.(part).catch((error: unknown) => this.reportUnreadable(error, i, tile))
      if (!column) readers[i] = undefined
      return column
    })
  }

  /** One cell of a tile, as a batch. */
  cell(tile: number, cell: number): Promise<CellBatch> {
    return this.part(tile, { first: cell, count: 1 }, this.partReaders(tile))
  }

  /** Returns what reads runs of fixed-sized cells of a tile, one after the other and never back, without holding the whole tile. */
  runs(tile: number): (run: CellRun) => Promise<CellBatch> {
    const readers = this.readers.map(
      (reader, i) => reader && (reader.parts?.(tile) ?? partsOfWhole(reader, tile, element(this.columns, i))),
    )
    return (run) => this.part(tile, run, readers)
  }

  private partReaders(tile: number): (PartReader | undefined)[] {
    const isLarge = this.isLarge(tile)
    return this.readers.map(
      (reader, i) =>
        reader && ((isLarge && reader.parts?.(tile)) || partsOfWhole(reader, tile, element(this.columns, i))),
    )
  }

  /** Announces that {@link batch} will be called for the selected tiles, in rising order, so that they may be read ahead. */
  plan(): void {
    planTiles(this.files, 0, this.info.tile_num - 1, this.selection.skipTile)
  }

  /** The cells of one tile. */
  batch(tile: number): Promise<CellBatch> {
    return this.batchOf(tile, undefined, (i) => {
      try {
        const column = this.readers[i]?.read(tile)
        return column instanceof Promise
          ? column.catch((error: unknown) => this.reportUnreadable(error, i, tile))
          : column
      } catch (error) {
        return this.reportUnreadable(error, i, tile)
      }
    })
  }

  /** A batch of the columns that `read` returns, with computed coordinates if the fragment is dense. */
  private async batchOf(
    tile: number,
    part: CellRun | undefined,
    read: (index: number) => ColumnData | undefined | Promise<ColumnData | undefined>,
  ): Promise<CellBatch> {
    const { dense, selection } = this
    const columns: (ColumnData | undefined)[] = []
    for (let i = 0; i < this.columns.length; i++) {
      const column = read(i)
      columns.push(column instanceof Promise ? await column : column)
    }
    const cell_num = part?.count ?? tileCellNum(this.info, tile)
    const batch: CellBatch = { tile, first: part?.first, cell_num, rows: undefined, columns }
    // A skipped tile gets no coordinates. They could take all memory, as damaged metadata may have any number of cells.
    if (!dense || selection.withoutCoordinates || (selection.wholeTiles && !this.isWhole(batch))) return batch
    const { coordinates, rows } = dense.cells(tile, part, selection.box)
    for (const [d, data] of coordinates.entries()) columns[d] = { data, starts: undefined, validity: undefined }
    return selection.fill ? batch : { ...batch, rows }
  }

  /** Reports that a column of a tile cannot be read. */
  private reportUnreadable(error: unknown, index: number, tile: number): undefined {
    const placed = addPlace(error, { tile })
    if (!(placed instanceof InspectError) || !this.selection.onColumnError) throw placed
    this.selection.onColumnError(placed, element(this.columns, index), tile)
  }

  private async openFile(slot: number, role: TileRole): Promise<TileFile> {
    const file = await TileFile.open(this.fragment, slot, role)
    this.files.push(file)
    return file
  }

  private async fieldReader(slot: number): Promise<ColumnReader> {
    const { kind, name, varSized, nullable, type, cellSize } = element(this.info.slots, slot)
    const validity = nullable ? new ValidityReader(await this.openFile(slot, 'validity'), this.selection) : undefined
    const memory = new ReusedMemory(this.selection, `${kind} ${name}`)
    if (!varSized) return fixedReader(await this.openFile(slot, 'data'), validity, memory, cellSize)
    // Cells of var-sized text and bytes may have any length.
    const valueKind = datatypeKind(type)
    const size = valueKind === 'text' || valueKind === 'bytes' ? 1 : cellSize
    const values = await this.openFile(slot, 'var')
    const isNeeded = !values.holdsOffsets || this.selection.needsOffsets
    const offsets = isNeeded ? await this.openFile(slot, 'offsets') : undefined
    const neededStarts = this.selection.fill ? undefined : this.dense?.neededStarts.bind(this.dense)
    const read = varReader(offsets, values, size, memory, neededStarts)
    return {
      read: async (tile) => ({ ...(await read(tile)), validity: await validity?.read(tile) }),
    }
  }

  /** Reads the coordinates of versions 1 to 4: {@link coordsOfDimension}. */
  private async coordsReader(): Promise<(tile: number, dimension: number) => Promise<ColumnData>> {
    const { info } = this
    const file = await this.openFile(info.schema.attributes.length, 'data')
    let last: { tile: number; data: Uint8Array } | undefined
    return async (tile, d) => {
      if (last?.tile !== tile) last = { tile, data: (await file.read(tile)).data }
      return { data: coordsOfDimension(info, last.data, file.cells(tile), d), starts: undefined, validity: undefined }
    }
  }

  /** Called when the last batch is no longer used, and no other comes soon. */
  release(): void {
    for (const file of this.files) file.release()
  }

  async close(): Promise<void> {
    for (const file of this.files) await file.close()
  }
}

/** A reader of the parts of a tile that can only be read whole. */
function partsOfWhole(reader: ColumnReader, tile: number, column: ColumnType): PartReader {
  let whole: ColumnData | Promise<ColumnData> | undefined
  const size = fixedSize(column) ?? 0
  return async ({ first, count }) => {
    whole ??= reader.read(tile)
    const { data, starts, validity } = await whole
    const valid = validity?.subarray(first, first + count)
    if (!starts) return { data: data.subarray(first * size, (first + count) * size), starts, validity: valid }
    const from = element(starts, first)
    const rebased = starts.subarray(first, first + count + 1).map((start) => start - from)
    return { data: data.subarray(from, starts[first + count]), starts: rebased, validity: valid }
  }
}

function checkFields(info: FragmentInfo, fields: readonly string[] | undefined): void {
  const names = info.slots.filter((slot) => slot.kind !== 'coords').map((slot) => slot.name)
  const known = [...info.schema.domain.dimensions.map(({ name }) => name), ...names]
  const unknown = fields?.find((field) => !known.includes(field))
  if (unknown === undefined) return
  const found = `${JSON.stringify(unknown)}${didYouMean(unknown, known)}`
  throw usage({ expected: `a field of the fragment (${[...new Set(known)].join(', ')})`, found })
}

/** By kind and name of the field: memory that is used for one tile after another. */
export type ReusedMemories = Map<string, Uint8Array>

/** The memory of one field. New memory for each tile takes more time and raises the peak. */
class ReusedMemory {
  private readonly selection: Pick<CellSelection, 'reuse' | 'memories'>
  private readonly field: string
  private reading = NO_OPTIONS

  /** @param selection says before each tile whether the next one may overwrite it */
  constructor(selection: Pick<CellSelection, 'reuse' | 'memories'>, field: string) {
    this.selection = selection
    this.field = field
  }

  /** Read options for the next tile. */
  get options(): TileReadOptions {
    const { reuse, memories } = this.selection
    if (!reuse) return NO_OPTIONS
    const into = memories?.get(this.field)
    if (into && into !== this.reading.into) this.reading = { into }
    return this.reading
  }

  /** Enlarges the memory to the size of a tile. */
  fit({ length }: Uint8Array): void {
    const { reuse, memories } = this.selection
    if (!reuse || length <= (this.reading.into?.length ?? WORTH_REUSE)) return
    const into = new Uint8Array(length)
    this.reading = { into }
    memories?.set(this.field, into)
  }
}

const NO_OPTIONS: TileReadOptions = {}
/** Up to this many bytes, new memory is on V8's heap. */
const WORTH_REUSE = 64

type ValuesReader = (tile: number) => Promise<Omit<ColumnData, 'validity'>>

/** Reads the validity of a field. */
class ValidityReader {
  private readonly file: TileFile
  private readonly selection: Pick<CellSelection, 'lostValidity'>

  constructor(file: TileFile, selection: Pick<CellSelection, 'lostValidity'>) {
    this.file = file
    this.selection = selection
  }

  async read(tile: number): Promise<Uint8Array | undefined> {
    try {
      return (await this.file.read(tile)).data
    } catch (error) {
      return this.lost(error, tile)
    }
  }

  /** {@link read}, done synchronously. Undefined if that cannot be. */
  readFetched(tile: number): Uint8Array | undefined {
    try {
      return this.file.readFetched(tile)?.data
    } catch {
      // Reading it again gives the error.
      return undefined
    }
  }

  /** Returns what reads the cells of a large tile, from start to end. */
  pieces(tile: number): (from: number, to: number) => Promise<Uint8Array | undefined> {
    const pieces = this.file.pieces(tile)
    let lost: Promise<Uint8Array | undefined> | undefined
    return async (from, to) => {
      if (!lost) {
        try {
          return await pieces.read(from, to)
        } catch (error) {
          lost = this.lost(error, tile)
        }
      }
      return (await lost)?.subarray(from, to)
    }
  }

  private async lost(error: unknown, tile: number): Promise<Uint8Array | undefined> {
    if (!this.selection.lostValidity) throw error
    return this.selection.lostValidity(error, this.file.slot, tile)
  }
}

/** A reader of fixed-sized cells. @param size bytes of a cell */
function fixedReader(
  file: TileFile,
  validity: ValidityReader | undefined,
  memory: ReusedMemory,
  size: number,
): ColumnReader {
  const later = async (tile: number): Promise<ColumnData> => {
    const { data } = await file.read(tile, memory.options)
    memory.fit(data)
    return { data, starts: undefined, validity: await validity?.read(tile) }
  }
  return {
    read(tile) {
      const values = file.readFetched(tile, memory.options)
      if (!values) return later(tile)
      memory.fit(values.data)
      const valid = validity?.readFetched(tile)
      if (validity && !valid) return later(tile)
      return { data: values.data, starts: undefined, validity: valid }
    },
    parts(tile) {
      const values = file.pieces(tile)
      const valid = validity?.pieces(tile)
      return async ({ first, count }) => ({
        data: await values.read(first * size, (first + count) * size),
        starts: undefined,
        validity: await valid?.(first, first + count),
      })
    },
  }
}

/** Reads the var-sized cells of a field, tile by tile. @param size bytes of an element */
export function varCells(offsets: TileFile, values: TileFile, size: number): ValuesReader {
  return varReader(offsets, values, size, new ReusedMemory({}, ''))
}

/**
 * @param offsets undefined if the values hold the offsets, by the schema
 * @param neededStarts see {@link DenseCoordinates.neededStarts}; undefined if all are needed
 */
function varReader(
  offsets: TileFile | undefined,
  values: TileFile,
  size: number,
  memory: ReusedMemory,
  neededStarts?: (tile: number) => Uint8Array | undefined,
): ValuesReader {
  /** Memory for the next offsets. */
  let into: Uint8Array | undefined
  return async (tile) => {
    const cells = values.cells(tile)
    const lent = offsets?.lent?.get(tile)
    const storedOffsets = lent ?? offsets?.fetched(tile) ?? (await offsets?.stored(tile))
    const isInside = values.holdsOffsets || (!lent && cells > 0 && storedOffsets && isStringOffsetsTile(storedOffsets))
    if (!offsets || !storedOffsets || isInside) {
      const { data, offsets: inside } = await values.read(tile, { stringOffsets: true })
      const starts = inside ?? new Float64Array(cells)
      if (starts.length !== cells) {
        throw inconsistent(
          { expected: `offsets of ${cells} cells inside the data`, found: starts.length },
          {
            file: values.source.name,
            offset: values.offsets[tile],
          },
        )
      }
      return { data, starts: withEnd(starts, data.length) }
    }
    const raw = lent ?? (await offsets.unfilter(tile, storedOffsets, { into })).data
    // Offsets without filters are a view of the read buffer, which has other tiles, too.
    into = raw.buffer === storedOffsets.buffer ? undefined : raw
    const { data } = await values.read(tile, memory.options)
    memory.fit(data)
    try {
      return { data, starts: startsOf(raw, data.length, size) }
    } catch (error) {
      const place = { file: offsets.source.name, offset: offsets.offsets[tile] }
      const needed = neededStarts?.(tile)
      if (!needed) throw addPlace(error, place)
      return { data, starts: withPlace(place, () => startsOf(raw, data.length, size, needed)) }
    }
  }
}

/** Place of errors about offsets. */
const AT_OFFSETS = { field: 'offsets' }

/**
 * The stored offsets (uint64, in bytes), with the end of the data after them.
 * @param size bytes of an element
 * @param needed marks of the offsets that readers need; undefined for all. The others are not examined, and get any value.
 * @throws InspectError INCONSISTENT if offsets fall, leave the data or are inside an element
 */
function startsOf(raw: Uint8Array, length: number, size: number, needed?: Uint8Array): Float64Array {
  const starts = u64s(raw, length)
  let before = 0
  for (let i = 0; i < starts.length; i++) {
    if (needed?.[i] === 0) starts[i] = before
    const start = starts[i] ?? length
    if (start < before || start > length) {
      const found = viewOf(raw).getBigUint64(8 * i, true)
      throw inconsistent({ expected: `cell ${i} to start between ${before} and ${length}`, found }, AT_OFFSETS)
    }
    if (start % size !== 0)
      throw inconsistent({ expected: `cell ${i} to start at a multiple of ${size}`, found: start }, AT_OFFSETS)
    before = start
  }
  return starts
}

/**
 * The coordinates of one dimension in an unfiltered tile of `__coords.tdb`. A tile has all values of the first dimension,
 * then of the second, and so on. Version 1 interleaves them (x0 y0 x1 y1…) unless the coords filters contain a compressor.
 */
export function coordsOfDimension(info: FragmentInfo, data: Uint8Array, cells: number, dimension: number): Uint8Array {
  const { coords_filters, domain } = info.schema
  const size = datatypeSize(element(domain.dimensions, 0).type)
  if (info.format_version > 1 || coords_filters.filters.some(({ name }) => isCompressor(name)))
    return data.subarray(dimension * cells * size, (dimension + 1) * cells * size)
  const out = new Uint8Array(cells * size)
  const step = size * domain.dimensions.length
  for (let cell = 0; cell < cells; cell++) {
    const from = cell * step + dimension * size
    out.set(data.subarray(from, from + size), cell * size)
  }
  return out
}
