import { addPlace, InspectError } from '../base/errors.ts'
import { tileDatatypes } from '../cells/slot-type.ts'
import { placedChunks } from '../cells/tile-chunks.ts'
import { isStringOffsetsTile, planTiles, TileFile, type TileRole } from '../cells/tile-files.ts'
import type { ChecksumVerdict, LostTail, RefusedPart } from '../filters/filter.ts'
import { mostUnfolded, withRoom } from '../filters/pipeline.ts'
import { mayHoldOffsets } from '../filters/registry.ts'
import { decode } from '../format/io.ts'
import { tileChunks } from '../format/tile-chunks.ts'
import type { Fragment, FragmentInfo } from '../store/fragment.ts'
import { keyOrDamage } from '../store/generic-tile.ts'
import { MEANINGS, type Meaning } from './codes.ts'
import { finding, fromError, type Item, type Items, type Place } from './finding.ts'
import { filterOfOtherType, validityFault } from './known-faults.ts'
import { type CheckRun, reaches } from './run.ts'

/** Since this version, writers do not split a cell between two chunks. @see tiledb/sm/filter/filter_pipeline.cc */
const WHOLE_CELLS_SINCE = 11

const REFUSED: Readonly<Record<RefusedPart, Meaning>> = {
  'stream cut short': MEANINGS.CHUNK_UNREADABLE.cutShort,
  'delta of nothing': MEANINGS.CHUNK_UNREADABLE.deltaOfNothing,
  'part of nothing': MEANINGS.CHUNK_UNREADABLE.partOfNothing,
}

/** Size in bytes of a tile without chunks. */
const EMPTY_TILE = 8

/** An unfiltered tile. */
interface Unfiltered {
  /** Empty if it is not wanted. */
  data: Uint8Array
  /** For var-sized strings whose filters hold the offsets: start of each cell. */
  offsets: Float64Array | undefined
  /** Where each chunk except the last ends in the unfiltered bytes. */
  ends: number[]
}

/** The cells of one field in one tile, as far as they could be read. */
export interface ReadColumn {
  /** Fixed-sized cells or var-sized values; undefined if a chunk was lost. */
  data: Uint8Array | undefined
  /** Var-sized: offsets as stored, in bytes; undefined if they were lost. */
  starts: Float64Array | undefined
  /** Nullable: one byte per cell. */
  validity: Uint8Array | undefined
}

/**
 * Reads the tiles of one data file and reports all faults of their chunks. It compares headers with the tile, undoes every
 * filter, verifies every checksum and tag, and compares sizes with the metadata.
 */
class TileReader {
  readonly file: TileFile
  /** Reported once per file, not for each tile. */
  private readonly refusedReported = new Set<RefusedPart>()
  private readonly run: CheckRun
  private readonly fragment: Fragment
  private readonly info: FragmentInfo
  private toldOtherType = false
  private toldOtherTypes = false
  private readonly lostReported = new Set<boolean>()

  constructor(run: CheckRun, fragment: Fragment, info: FragmentInfo, file: TileFile) {
    this.run = run
    this.fragment = fragment
    this.info = info
    this.file = file
  }

  /** The stored bytes of a tile; undefined if the file does not contain them. */
  async stored(tile: number, items: Item[]): Promise<Uint8Array | undefined> {
    try {
      return await this.file.stored(tile)
    } catch (error) {
      items.push(fromError(error, 'TILE_UNREADABLE', this.place(tile)))
      return undefined
    }
  }

  place(tile: number): Place {
    return { file: this.file.source.name, offset: this.file.offsets[tile], tile }
  }

  /**
   * Undoes the filters chunk by chunk, and continues after a fault.
   * @param stored undefined for a large tile, which is read chunk by chunk
   * @param keep whether to return the unfiltered bytes
   */
  async unfilter(
    tile: number,
    stored: Uint8Array | undefined,
    stringOffsets: boolean,
    items: Item[],
    keep: boolean,
  ): Promise<Unfiltered | undefined> {
    const { file, run } = this
    const base = file.offsets[tile]
    const place = this.place(tile)
    run.counts.tile_num++
    try {
      const whole = stored && decode(stored, tileChunks, { file: file.source.name, offset: base })
      const pipeline = await file.pipeline(stringOffsets)
      this.otherTypes(place, items)
      const expected = file.expectedSize(tile)
      const { size } = file.place(tile)
      let lost = false
      const framed = (end: number, total: number): void => {
        if (end < size) {
          const at = { ...place, offset: base + end }
          items.push(finding('TILE_TRAILING_BYTES', at, 'the next tile behind the last chunk', `${size - end} bytes`))
        }
        if (expected === undefined || total === expected) return
        lost = true
        const found = `chunks of ${total}`
        items.push(finding('TILE_SIZE', { ...place, field: 'original_length' }, `${expected} unfiltered bytes`, found))
      }
      if (whole) {
        const total = whole.chunks.reduce((sum, { original_length }) => sum + original_length, 0)
        framed(size - whole.extra.length, total)
      }
      const chunks = whole ? placedChunks(whole.chunks, stored, base) : file.chunks(tile)
      const most = keep ? Math.min(expected ?? 0, mostUnfolded(size)) : 0
      let data: Uint8Array = new Uint8Array(0)
      const ends: number[] = []
      let offsets: Float64Array | undefined
      let seen = 0
      let framedTo = EMPTY_TILE
      for await (const { chunk, index, offset } of chunks) {
        run.counts.chunk_num++
        let mismatch = false
        const at = { ...place, chunk: index, offset }
        const from = seen
        seen += chunk.original_length
        ends.push(seen)
        framedTo = offset + chunk.metadata.length + chunk.data.length - base
        if (expected !== undefined && seen > expected) {
          // A chunk is not undone if its size contradicts the metadata.
          lost = true
          continue
        }
        const onVerdict = (verdict: ChecksumVerdict): void => {
          if (verdict.ok) return
          mismatch = true
          lost = true
          items.push(verdictItem(verdict, at, this.fragment))
        }
        const onRefused = (part: RefusedPart): void => {
          if (this.refusedReported.has(part)) return
          this.refusedReported.add(part)
          items.push(finding('CHUNK_UNREADABLE', at, 'what TileDB can read', `a ${part}`, REFUSED[part]))
        }
        try {
          pipeline.refuseBeyond(seen, expected, size)
          const onOtherType = (): void => this.otherType(at, items)
          const onLostTail = (tail: LostTail): void => this.lostTail(tail, at, items)
          const options = { onVerdict, onRefused, onLostTail, onOtherType }
          const out = pipeline.reverseChunkAt(chunk.metadata, offset, chunk, index, options)
          offsets ??= out.offsets
          if (!keep) continue
          if (from === 0 && seen === expected) data = out.data
          else {
            // Memory costs nothing until it is written to.
            if (data.length === 0) data = new Uint8Array(most)
            data = withRoom(data, from, seen, 2 * seen)
            data.set(out.data, from)
          }
        } catch (error) {
          lost = true
          // The wrong digest of this chunk was reported already.
          if (mismatch && error instanceof InspectError) continue
          const item = fromError(keyOrDamage(error, this.fragment.cx), 'CHUNK_UNREADABLE', at)
          items.push('code' in item && !('notExamined' in item) ? { ...item, tile, chunk: index } : item)
        }
      }
      if (!whole) framed(framedTo, seen)
      return lost ? undefined : { data: keep ? data.subarray(0, seen) : data, offsets, ends: ends.slice(0, -1) }
    } catch (error) {
      items.push(fromError(error, 'TILE_UNREADABLE', place))
      return undefined
    }
  }

  /** Reports filters that later releases undo with another type; once per file. */
  private otherTypes(at: Place, items: Item[]): void {
    if (this.toldOtherTypes) return
    this.toldOtherTypes = true
    const { file, info } = this
    const slot = info.slots[file.slot]
    const { datatype } = tileDatatypes(info, slot, file.role)
    const filter = filterOfOtherType(file.filters, datatype, info.format_version)
    if (!filter) return
    const place = { ...at, field: slot.name }
    const found = `${filter.name} of ${datatype} behind a filter that makes another type`
    items.push(
      finding('CHUNK_UNREADABLE', place, 'what every release reads', found, MEANINGS.CHUNK_UNREADABLE.otherTypes),
    )
  }

  /** Reported once per file for data, and once for metadata. */
  private lostTail({ length, element_size, of_metadata }: LostTail, at: Place, items: Item[]): void {
    if (this.lostReported.has(of_metadata)) return
    this.lostReported.add(of_metadata)
    const place = { ...at, field: this.info.slots[this.file.slot].name }
    const { tailLost, metadataTailLost } = MEANINGS.CHUNK_UNREADABLE
    const expected = `whole ${element_size}-byte elements`
    const found = `${length} bytes lost behind the last`
    items.push(finding('CHUNK_UNREADABLE', place, expected, found, of_metadata ? metadataTailLost : tailLost))
  }

  /** Reports validity that was filtered with another type than readers use; once per file. */
  private otherType(at: Place, items: Item[]): void {
    if (this.toldOtherType) return
    this.toldOtherType = true
    const { type } = this.info.slots[this.file.slot]
    const known = validityFault(this.info, this.file.slot)
    items.push(finding('CELL_VALIDITY', at, 'validity that is filtered as UINT8', type, known))
  }

  /** Checks that chunks hold whole cells of one size. */
  wholeCells(tile: number, { ends }: Unfiltered, cellSize: number, items: Item[]): void {
    if (this.info.format_version < WHOLE_CELLS_SINCE) return
    const split = ends.findIndex((end) => end % cellSize !== 0)
    if (split >= 0) this.split(tile, split, items)
  }

  /** Checks that chunks hold whole cells, which lie between `starts`. */
  wholeValues(tile: number, { ends }: Unfiltered, starts: Float64Array, items: Item[]): void {
    if (this.info.format_version < WHOLE_CELLS_SINCE) return
    let cell = 0
    for (const [index, end] of ends.entries()) {
      while (cell < starts.length && starts[cell] < end) cell++
      if (cell < starts.length && starts[cell] === end) continue
      // After the last value there may be an empty chunk.
      if (cell === starts.length && end === this.file.expectedSize(tile)) continue
      this.split(tile, index, items)
      return
    }
  }

  private split(tile: number, chunk: number, items: Item[]): void {
    items.push(
      finding('CHUNK_SPLITS_CELL', { ...this.place(tile), chunk }, 'a chunk that ends with a cell', 'half of one'),
    )
  }
}

function verdictItem({ filter, expected, actual }: ChecksumVerdict, at: Place, { cx }: Fragment): Item {
  const place = { ...at, field: filter }
  if (actual !== undefined) return finding('CHECKSUM_MISMATCH', place, expected, actual)
  if (cx.keyProven) return finding('CHECKSUM_MISMATCH', place, 'a tag that fits the bytes', 'one that does not')
  const why = new InspectError('WRONG_KEY', 'the tag does not fit: the key is wrong, or the bytes are damaged', place)
  return { notExamined: why }
}

/** The files of one field, read tile by tile. */
export class FieldReader {
  readonly slot: number
  readonly varSized: boolean
  private readonly readers: ReadonlyMap<TileRole, TileReader>
  private readonly run: CheckRun
  private readonly info: FragmentInfo

  private constructor(
    run: CheckRun,
    info: FragmentInfo,
    slot: number,
    varSized: boolean,
    readers: ReadonlyMap<TileRole, TileReader>,
  ) {
    this.run = run
    this.info = info
    this.slot = slot
    this.varSized = varSized
    this.readers = readers
  }

  /** A file that cannot be opened is reported and left out. Missing files have their own findings. */
  static async open(
    run: CheckRun,
    fragment: Fragment,
    info: FragmentInfo,
    slot: number,
    items: Item[],
  ): Promise<FieldReader> {
    const { varSized, nullable } = info.slots[slot]
    const roles: TileRole[] = varSized ? ['offsets', 'var'] : ['data']
    if (nullable) roles.push('validity')
    const readers = new Map<TileRole, TileReader>()
    for (const role of roles) {
      try {
        const file = await TileFile.open(fragment, slot, role)
        if ((await fragment.folder.kind(file.name)) === 'file')
          readers.set(role, new TileReader(run, fragment, info, file))
      } catch (error) {
        const placed = addPlace(error, { file: fragment.folder.path })
        if (!(placed instanceof InspectError)) throw error
        items.push({ notExamined: placed })
      }
    }
    return new FieldReader(run, info, slot, varSized, readers)
  }

  get files(): TileFile[] {
    return Array.from(this.readers.values(), ({ file }) => file)
  }

  /** Whether no file could be opened. */
  get empty(): boolean {
    return this.readers.size === 0
  }

  place(tile: number, role?: TileRole): Place {
    const reader = this.readers.get(role ?? (this.varSized ? 'offsets' : 'data'))
    const field = this.info.slots[this.slot].name
    return reader ? { ...reader.place(tile), field } : { file: '', tile, field }
  }

  async read(tile: number, items: Item[]): Promise<ReadColumn> {
    const column: ReadColumn = { data: undefined, starts: undefined, validity: undefined }
    const validity = this.readers.get('validity')
    if (validity) column.validity = (await this.fixed(validity, tile, 1, items))?.data
    if (this.varSized) await this.readVar(tile, column, items)
    else {
      const data = this.readers.get('data')
      const size = this.info.slots[this.slot].cellSize
      if (data) column.data = (await this.fixed(data, tile, size, items))?.data
    }
    return column
  }

  private async fixed(
    reader: TileReader,
    tile: number,
    cellSize: number,
    items: Item[],
  ): Promise<Unfiltered | undefined> {
    const isLarge = reader.file.isLarge(tile)
    const stored = isLarge ? undefined : await reader.stored(tile, items)
    const keep = reaches(this.run, 'cells')
    const unfiltered = isLarge || stored ? await reader.unfilter(tile, stored, false, items, keep) : undefined
    if (unfiltered) reader.wholeCells(tile, unfiltered, cellSize, items)
    return unfiltered
  }

  private async readVar(tile: number, column: ReadColumn, items: Item[]): Promise<void> {
    const offsets = this.readers.get('offsets')
    const values = this.readers.get('var')
    const storedOffsets = await offsets?.stored(tile, items)
    const cells = offsets?.file.cells(tile) ?? 0
    const maybeInside = values !== undefined && mayHoldOffsets(values.file.filters)
    const inside = maybeInside && storedOffsets !== undefined && cells > 0 && isStringOffsetsTile(storedOffsets)
    if (offsets && storedOffsets && !inside) {
      const unfiltered = await offsets.unfilter(tile, storedOffsets, false, items, true)
      if (unfiltered) {
        offsets.wholeCells(tile, unfiltered, 8, items)
        column.starts = startsOf(unfiltered.data)
      }
    }
    const stored = await values?.stored(tile, items)
    const unfiltered = stored && (await values?.unfilter(tile, stored, inside, items, reaches(this.run, 'cells')))
    if (!values || !unfiltered) return
    column.data = unfiltered.data
    if (inside) {
      column.starts = unfiltered.offsets ?? new Float64Array(cells)
      if (column.starts.length !== cells) {
        const found = `offsets of ${column.starts.length}`
        items.push(finding('TILE_SIZE', values.place(tile), `offsets of ${cells} cells inside the data`, found))
        column.starts = undefined
      }
    } else if (column.starts) values.wholeValues(tile, unfiltered, column.starts, items)
  }

  async close(): Promise<void> {
    for (const { file } of this.readers.values()) await file.close()
  }
}

/** Offsets as stored, uint64. Those above 2^53 lose digits, but lie outside any tile. */
function startsOf(raw: Uint8Array): Float64Array {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
  const starts = new Float64Array(Math.floor(raw.length / 8))
  for (let i = 0; i < starts.length; i++) {
    starts[i] = view.getUint32(i * 8 + 4, true) * 2 ** 32 + view.getUint32(i * 8, true)
  }
  return starts
}

/** The open fields, and the reports about those that could not be opened. */
export interface OpenFields {
  readonly slots: readonly number[]
  readonly fields: readonly FieldReader[]
  readonly items: readonly Item[]
}

/** Opens fields. A remote source starts to fetch their tiles. */
export async function openFields(
  run: CheckRun,
  fragment: Fragment,
  info: FragmentInfo,
  slots: readonly number[],
): Promise<OpenFields> {
  const items: Item[] = []
  const fields: FieldReader[] = []
  for (const slot of slots) fields.push(await FieldReader.open(run, fragment, info, slot, items))
  planTiles(fields.flatMap((field) => field.files))
  return { slots, fields, items }
}

/** Runs through the tiles of open fields, then closes them. */
export async function* eachTile(
  info: FragmentInfo,
  { fields, items: reported }: OpenFields,
  visit: (tile: number, columns: readonly ReadColumn[], fields: readonly FieldReader[]) => Iterable<Item>,
): Items {
  try {
    yield* reported
    // Without any file, the number of tiles is only a claim of the metadata.
    if (fields.every((field) => field.empty)) return
    for (let tile = 0; tile < info.tile_num; tile++) {
      const items: Item[] = []
      const columns: ReadColumn[] = []
      for (const field of fields) columns.push(await field.read(tile, items))
      yield* items
      yield* visit(tile, columns, fields)
    }
  } finally {
    for (const field of fields) await field.close()
  }
}
