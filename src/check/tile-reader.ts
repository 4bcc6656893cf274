import { addPlace, InspectError } from '../base/errors.ts'
import { Lease } from '../base/memory.ts'
import { sizeText } from '../base/sizes.ts'
import { tileDatatypes } from '../cells/slot-type.ts'
import { isStringOffsetsTile, planTiles, TileFile, type TileRole } from '../cells/tile-files.ts'
import type { ChecksumVerdict } from '../filters/filter.ts'
import { mayHoldOffsets } from '../filters/registry.ts'
import { chunkCount } from '../format/tile-chunks.ts'
import { u64s } from '../format/u32.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import { keyOrDamage } from '../objects/generic-tile.ts'
import { countReadBytes } from '../storage/lean-heap.ts'
import { isCutOff } from './cut-off.ts'
import { type FindingPlace, finding, fromError, type Item, type Items } from './finding.ts'
import { filterOfOtherType, validityFault } from './known-faults.ts'
import { onceInFile, refusedPart } from './refused-part.ts'
import { type CheckRun, reaches } from './run.ts'
import {
  type ChunkReports,
  FaultlessTiles,
  hasOffsetsInside,
  KEPT_TIMES,
  saysOffsetsInside,
  type UndoneTile,
  undoTile,
} from './undo.ts'
import type { FieldsStretch } from './units.ts'

/** Since this version, no cell lies in two chunks. @see tiledb/sm/filter/filter_pipeline.cc */
const WHOLE_CELLS_SINCE = 11

/** The cells of a field in a tile, as far as they could be read. */
export interface ReadColumn {
  /** Fixed-sized cells or var-sized values; undefined if a chunk was lost. */
  data: Uint8Array | undefined
  /** Stored offsets of var-sized values, in bytes; undefined if they were lost. Those above 2^53 are not exact. */
  starts: Float64Array | undefined
  /** The bytes of `starts`, unless the values hold the offsets. */
  storedStarts: Uint8Array | undefined
  /** One byte per cell of a nullable field. */
  validity: Uint8Array | undefined
}

/**
 * Reads the files of a field tile by tile, and reports all faults of their chunks. Undoes every filter, verifies every checksum
 * and tag, and compares sizes with the metadata.
 */
export class FieldReader {
  readonly slot: number
  readonly varSized: boolean
  /** The files of the field that could be opened. */
  readonly files = new Map<TileRole, TileFile>()
  /** The fast way to undo the same files; undefined if it must not be taken. */
  private faultless: { role: TileRole; tiles: FaultlessTiles }[] | undefined = []
  private readonly run: CheckRun
  private readonly fragment: Fragment
  private readonly info: FragmentInfo
  private readonly name: string

  private constructor(run: CheckRun, fragment: Fragment, info: FragmentInfo, slot: number) {
    this.run = run
    this.fragment = fragment
    this.info = info
    this.slot = slot
    this.name = info.slots[slot].name
    this.varSized = info.slots[slot].varSized
  }

  /** Opens the files of a field. Reports and leaves out files that cannot be opened. Other checks report missing files. */
  static async open(
    run: CheckRun,
    fragment: Fragment,
    info: FragmentInfo,
    slot: number,
    items: Item[],
  ): Promise<FieldReader> {
    const field = new FieldReader(run, fragment, info, slot)
    const roles: TileRole[] = field.varSized ? ['offsets', 'var'] : ['data']
    if (info.slots[slot].nullable) roles.push('validity')
    for (const role of roles) {
      try {
        const file = await TileFile.open(fragment, slot, role)
        if ((await fragment.folder.kind(file.name)) === 'file') field.add(role, file)
      } catch (error) {
        const placed = addPlace(error, { file: fragment.folder.path })
        if (!(placed instanceof InspectError)) throw error
        items.push({ notExamined: placed })
      }
    }
    return field
  }

  private add(role: TileRole, file: TileFile): void {
    this.files.set(role, file)
    if (this.otherType(file) !== undefined || (role === 'var' && mayHoldOffsets(file.filters)))
      this.faultless = undefined
    this.faultless?.push({ role, tiles: new FaultlessTiles(file, reaches(this.run, 'cells')) })
  }

  /** Lets signals be handled. @returns what to wait for, if anything */
  pause(): Promise<void> | undefined {
    return this.fragment.cx.pause?.()
  }

  place(tile: number, role: TileRole = this.varSized ? 'offsets' : 'data'): FindingPlace {
    const file = this.files.get(role)
    return file ? { ...placeOf(file, tile), field: this.name } : { file: '', tile, field: this.name }
  }

  /** {@link read} without waiting; undefined if the tile has faults or is not in memory. */
  readFaultless(tile: number): ReadColumn | undefined {
    if (!this.faultless) return undefined
    const column: ReadColumn = { data: undefined, starts: undefined, storedStarts: undefined, validity: undefined }
    for (const { role, tiles } of this.faultless) {
      const undone = tiles.undo(tile)
      if (!undone) return undefined
      if (role === 'offsets') {
        column.starts = u64s(undone)
        column.storedStarts = undone
      } else column[role === 'validity' ? role : 'data'] = undone
    }
    this.run.counts.tile_num += this.faultless.length
    this.run.counts.chunk_num += this.faultless.length
    return column
  }

  /** Reads a tile. Its bytes are only right if cells are checked. */
  async read(tile: number, items: Item[]): Promise<ReadColumn> {
    const keep = reaches(this.run, 'cells')
    const validity = await this.readFixed('validity', tile, 1, keep, items)
    if (this.varSized) return { ...(await this.readVar(tile, keep, items)), validity }
    const { cellSize } = this.info.slots[this.slot]
    const data = await this.readFixed('data', tile, cellSize, keep, items)
    return { data, starts: undefined, storedStarts: undefined, validity }
  }

  private async readFixed(
    role: TileRole,
    tile: number,
    cellSize: number,
    keep: boolean,
    items: Item[],
  ): Promise<Uint8Array | undefined> {
    const file = this.files.get(role)
    if (!file) return undefined
    const undone = await this.undo(file, tile, false, keep, items)
    if (undone) this.checkChunkEnds(file, tile, undone, (end) => end % cellSize === 0, items)
    return undone?.data
  }

  private async readVar(tile: number, keep: boolean, items: Item[]): Promise<Omit<ReadColumn, 'validity'>> {
    const offsets = this.files.get('offsets')
    const values = this.files.get('var')
    if (offsets && values?.holdsOffsets) await this.checkUnused(offsets, tile, items)
    const said = values && (await saysOffsetsInside(values, offsets, tile))
    const stored = said ? undefined : await this.readFixed('offsets', tile, 8, true, items)
    let starts = stored && u64s(stored)
    if (!values) return { data: undefined, starts, storedStarts: stored }
    const inside = said ?? (await hasOffsetsInside(values, tile))
    const undone = await this.undo(values, tile, inside, keep, items)
    if (!undone) return { data: undefined, starts, storedStarts: stored }
    if (inside) {
      const cells = values.cells(tile)
      starts = undone.offsets ?? new Float64Array(cells)
      if (starts.length !== cells) {
        const found = `offsets of ${starts.length}`
        items.push(finding('TILE_SIZE', placeOf(values, tile), `offsets of ${cells} cells inside the data`, found))
        starts = undefined
      }
    } else if (starts) this.checkValueEnds(values, tile, undone, starts, items)
    return { data: undone.data, starts, storedStarts: inside ? undefined : stored }
  }

  /** Checks a tile of offsets that the values hold: it has no chunks. */
  private async checkUnused(file: TileFile, tile: number, items: Item[]): Promise<void> {
    const place = placeOf(file, tile)
    try {
      const stored = await file.stored(tile)
      if (isStringOffsetsTile(stored)) return
      const found = `${chunkCount(stored)} chunks`
      items.push(finding('TILE_UNREADABLE', place, 'no chunks, as the values hold the offsets', found, 'unusedTile'))
    } catch (error) {
      if (!(await isCutOff(file, tile))) items.push(fromError(error, 'TILE_UNREADABLE', place, 'unusedOffsets'))
    }
  }

  /**
   * Undoes a tile and reports its faults.
   * @param inside whether the tile holds the offsets of its strings
   * @param keep whether to return the unfiltered bytes
   * @returns undefined if any part of the tile is lost
   */
  private async undo(
    file: TileFile,
    tile: number,
    inside: boolean,
    keep: boolean,
    items: Item[],
  ): Promise<UndoneTile | undefined> {
    const place = placeOf(file, tile)
    const before = items.length
    try {
      const stored = file.isLarge(tile) ? undefined : await file.stored(tile)
      this.run.counts.tile_num++
      const undone = await undoTile(file, tile, stored, this.reports(place, items), { stringOffsets: inside, keep })
      const { end, total, whole } = undone
      const { offset, size } = file.place(tile)
      const expected = file.expectedSize(tile) ?? total
      const ofTile: Item[] = []
      const otherType = this.otherType(file)
      if (otherType !== undefined) {
        const at = { ...place, field: this.name }
        ofTile.push(onceInFile(finding('CHUNK_UNREADABLE', at, 'what every release reads', otherType, 'otherTypes')))
      }
      if (end < size) {
        const at = { ...place, offset: offset + end }
        ofTile.push(finding('TILE_TRAILING_BYTES', at, 'the next tile after the last chunk', `${size - end} bytes`))
      }
      if (total !== expected) {
        const at = { ...place, field: 'original_length' }
        ofTile.push(finding('TILE_SIZE', at, `${sizeText(expected)} unfiltered bytes`, `chunks of ${total}`))
      }
      // They come before the findings about the chunks.
      items.splice(before, 0, ...ofTile)
      return whole && total === expected ? undone : undefined
    } catch (error) {
      if (!(await isCutOff(file, tile))) items.push(fromError(error, 'TILE_UNREADABLE', place))
      return undefined
    }
  }

  /** Turns the reports of a tile's chunks into findings. */
  private reports(place: FindingPlace, items: Item[]): ChunkReports {
    const { fragment, info, name, slot } = this
    return {
      counts: this.run.counts,
      onVerdict(verdict, chunk, offset) {
        if (!verdict.ok) items.push(verdictItem(verdict, { ...place, chunk, offset }, fragment))
      },
      onFault(error, chunk, offset) {
        const fault = keyOrDamage(error, fragment.cx)
        const variant = fault instanceof InspectError && fault.at.field?.endsWith('.ZSTD') ? 'brokenZstd' : undefined
        items.push(fromError(fault, 'CHUNK_UNREADABLE', { ...place, chunk, offset }, variant))
      },
      onLostTail({ length, element_size, of_metadata }, chunk, offset) {
        const at = { ...place, chunk, offset, field: name }
        const [expected, found] = [`whole ${element_size}-byte elements`, `${length} bytes lost after the last`]
        const variant = of_metadata ? 'metadataTailLost' : 'tailLost'
        items.push(onceInFile(finding('CHUNK_UNREADABLE', at, expected, found, variant)))
      },
      onRefused(part, chunk, offset) {
        const at = { ...place, chunk, offset }
        items.push(refusedPart(at, part))
      },
      onOtherType(chunk, offset) {
        const at = { ...place, chunk, offset }
        const [expected, known] = ['validity that is filtered as UINT8', validityFault(info, info.slots[slot])]
        items.push(onceInFile(finding('CELL_VALIDITY', at, expected, info.slots[slot].type, known)))
      },
    }
  }

  /** Describes the filter of a file that later releases undo with another type; undefined if there is none. */
  private otherType(file: TileFile): string | undefined {
    const { datatype } = tileDatatypes(this.info, this.info.slots[this.slot], file.role)
    const filter = filterOfOtherType(file.filters, datatype, this.info.format_version)
    return filter && `${filter.name} of ${datatype} after a filter that makes another type`
  }

  /** Checks that each chunk of var-sized values ends with a value, which ends where the next one of `starts` begins. */
  private checkValueEnds(file: TileFile, tile: number, undone: UndoneTile, starts: Float64Array, items: Item[]): void {
    let cell = 0
    const endsCell = (end: number): boolean => {
      while (cell < starts.length && starts[cell] < end) cell++
      // After the last value there may be an empty chunk.
      return cell < starts.length ? starts[cell] === end : end === undone.total
    }
    this.checkChunkEnds(file, tile, undone, endsCell, items)
  }

  /** Checks that each chunk but the last ends with a cell. */
  private checkChunkEnds(
    file: TileFile,
    tile: number,
    { ends }: UndoneTile,
    endsCell: (end: number) => boolean,
    items: Item[],
  ): void {
    const chunk = ends.slice(0, -1).findIndex((end) => !endsCell(end))
    if (chunk < 0 || this.info.format_version < WHOLE_CELLS_SINCE) return
    const place = { ...placeOf(file, tile), chunk }
    items.push(finding('CHUNK_SPLITS_CELL', place, 'a chunk that ends with a cell', 'half of one'))
  }
}

function placeOf(file: TileFile, tile: number): FindingPlace {
  return { file: file.source.name, offset: file.offsets[tile], tile }
}

function verdictItem({ filter, expected, actual }: ChecksumVerdict, at: FindingPlace, { cx }: Fragment): Item {
  const place = { ...at, field: filter }
  if (actual !== undefined) return finding('CHECKSUM_MISMATCH', place, expected, actual)
  if (cx.keyProven) return finding('CHECKSUM_MISMATCH', place, 'a tag that fits the bytes', 'one that does not')
  const why = new InspectError('WRONG_KEY', 'the tag does not fit: the key is wrong, or the bytes are damaged', place)
  return { notExamined: why }
}

/** The opened fields of a stretch of tiles. */
export interface OpenFields {
  readonly check: CheckRun
  readonly stretch: Omit<FieldsStretch, 'bytes'>
  /** The tile before the stretch, which is only read to compare the order of cells; -1 for none. */
  readonly lead: number
  readonly fields: readonly FieldReader[]
  /** Reports about files that could not be opened. */
  readonly items: readonly Item[]
}

/** Opens the fields of a stretch of tiles. A remote source begins to fetch the tiles. */
export async function openFields(
  check: CheckRun,
  fragment: Fragment,
  info: FragmentInfo,
  stretch: OpenFields['stretch'],
): Promise<OpenFields> {
  const items: Item[] = []
  const fields: FieldReader[] = []
  for (const slot of stretch.slots) {
    fields.push(await FieldReader.open(check, fragment, info, slot, items))
    // The reader has copies of the lists, which may have a million tiles.
    fragment.forget()
    countReadBytes(info.tile_num * LIST_ENTRY_BYTES)
  }
  const lead = check.isPart ? stretch.from - 1 : -1
  planTiles(
    fields.flatMap((field) => [...field.files.values()]),
    lead >= 0 ? lead : stretch.from,
    stretch.to - 1,
    undefined,
    // The check of cells keeps the last cell of a tile for the next one.
    !reaches(check, 'cells'),
  )
  return { check, stretch, lead, fields, items }
}

/** Bytes of a tile in a list of the metadata and in its copy. */
const LIST_ENTRY_BYTES = 16

/** Called with each tile. @param columns one for each field */
export type VisitTile = (tile: number, columns: readonly ReadColumn[], items: Item[]) => void

/**
 * Visits tiles until a field cannot be read without waiting, or something is found.
 * @param columns receives the fields of the last tile that were read
 * @returns the last tile, which has findings or fields that were not read; the end of the stretch if there is none
 */
function visitFaultless(
  { fields, stretch: { to } }: OpenFields,
  from: number,
  visit: VisitTile | undefined,
  columns: ReadColumn[],
  items: Item[],
): number {
  for (let tile = from; tile < to; tile++) {
    for (let i = 0; i < fields.length; i++) {
      const column = fields[i].readFaultless(tile)
      if (!column) {
        columns.length = i
        return tile
      }
      columns[i] = column
    }
    visit?.(tile, columns, items)
    if (items.length > 0) return tile
  }
  return to
}

/**
 * Waits for the memory of any tile of a stretch, over all fields: units of other fragments may run at the same time, over a network. A stretch with
 * a tile for which there is no room does not wait: that tile is refused when it is read.
 */
async function leaseOf({ check, stretch, fields }: OpenFields): Promise<Lease | undefined> {
  const files = fields.flatMap((field) => [...field.files.values()])
  if (!reaches(check, 'cells') || files.length === 0) return undefined
  const { memory } = files[0].fragment.cx
  let most = 0
  for (let tile = Math.max(0, stretch.from - 1); tile < stretch.to; tile++) {
    let bytes = 0
    for (const file of files) bytes += KEPT_TIMES[file.role] * (file.expectedSize(tile) ?? 0)
    most = Math.max(most, bytes)
  }
  if (!(most <= memory.room)) return undefined
  const lease = new Lease(memory)
  await lease.wait(most)
  for (const file of files) file.isHeld = true
  return lease
}

/** Reads and visits all tiles of a stretch, then closes its files. */
export async function* eachTile(opened: OpenFields, visit: VisitTile | undefined): Items {
  const { check, stretch, lead, fields, items: reported } = opened
  let lease: Lease | undefined
  try {
    // The first stretch of a file reports that it could not be opened.
    if (stretch.from === 0) yield* reported
    // If no file could be opened, the number of tiles is only a claim of the metadata.
    if (fields.every(({ files }) => files.size === 0)) return
    lease = await leaseOf(opened)
    if (lead >= 0) {
      const { counts } = check
      const before = { ...counts }
      // The unit of the tiles before reports and counts this tile.
      const columns: ReadColumn[] = []
      for (const field of fields) columns.push(await field.read(lead, []))
      visit?.(lead, columns, [])
      Object.assign(counts, before)
    }
    for (let tile = stretch.from; tile < stretch.to; tile++) {
      const pause = fields[0].pause()
      if (pause) await pause
      const items: Item[] = []
      const columns: ReadColumn[] = []
      tile = visitFaultless(opened, tile, visit, columns, items)
      if (tile < stretch.to && items.length === 0) {
        for (const field of fields.slice(columns.length))
          columns.push(field.readFaultless(tile) ?? (await field.read(tile, items)))
        visit?.(tile, columns, items)
      }
      if (items.length > 0) yield* items
    }
  } finally {
    lease?.release()
    for (const { files } of fields) for (const file of files.values()) await file.close()
  }
}
