import { NO_BYTES } from '../base/bytes.ts'
import { element } from '../base/element.ts'
import {
  addSection,
  badValue,
  ERROR_CODES,
  faultOf,
  hasCode,
  InspectError,
  inconsistent,
  unlessCode,
  unlessFault,
} from '../base/errors.ts'
import { lastNotAfter } from '../base/last-not-after.ts'
import { sizeText } from '../base/sizes.ts'
import { sameBytes } from '../filters/bytes.ts'
import { keepsOffsets } from '../filters/registry.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { denseTileGrid } from '../format/dense-tiles.ts'
import { type FileRole, fieldFileName, fieldFileRoles } from '../format/field-files.ts'
import type { FilterConfig, FilterPipeline } from '../format/filter-pipeline.ts'
import {
  FOOTER_LENGTH_BYTES,
  type FooterHead,
  FRAGMENT_METADATA_FILE,
  type FragmentFooter,
  footerHead,
  footerLength,
  footerLengthIsStored,
  footerPlace,
  fragmentFooter,
  OLD_SCHEMA_FILE,
} from '../format/fragment-footer.ts'
import { type FragmentMetadataV1, fragmentMetadataV1 } from '../format/fragment-metadata-v1.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import { fragmentSlots, type Slot } from '../format/fragment-slots.ts'
import type { GenericTileHeader } from '../format/generic-tile.ts'
import { decode, decodePrefix } from '../format/io.ts'
import {
  type OffsetsList,
  type SectionContents,
  type SectionName,
  sectionContent,
  sectionKey,
  sectionPlaces,
} from '../format/metadata-sections.ts'
import type { NDRange } from '../format/range.ts'
import type { RTree } from '../format/rtree.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import type { TileOffsets } from '../format/tile-offsets.ts'
import { type FragmentName, nameFacts, parseFragmentName } from '../format/timestamped-name.ts'
import { u32 } from '../format/u32.ts'
import { countReadBytes } from '../storage/lean-heap.ts'
import { type ByteSource, type Entry, type Folder, TAIL_BYTES } from '../storage/source.ts'
import type { FooterCopy, InspectArray } from './array.ts'
import {
  decodeTile,
  type GenericTile,
  type GenericTilePlace,
  openGenericTile,
  readGenericTile,
} from './generic-tile.ts'
import { LaidOutInfo } from './laid-out-info.ts'
import { footerSync, MetadataFile } from './metadata-file.ts'
import { openPagedTile, type PagedTile, type Scan, type StoredSection } from './paged-tile.ts'
import type { ReadContext } from './read-context.ts'

/** Bytes of the longest metadata file that is fetched whole. There is a limit because several fragments are fetched at once. */
const MAX_PLANNED = 2 ** 22

/**
 * Limits on the stored bytes of paged sections that are read at once and kept: for each section, and for all together. Over a
 * network a section of a million tiles should take one or two requests.
 */
const LOCAL_WINDOWS = { each: 2 ** 18, all: 2 ** 23 }
const REMOTE_WINDOWS = { each: 2 ** 23, all: 2 ** 26 }
const MIN_WINDOW = 2 ** 14

/** {@link Fragment.forget} reports at least this many bytes as garbage. */
const MANY_BYTES = 2 ** 20

/** A fragment's metadata from its footer and schema; in versions 1 and 2 from the only generic tile. */
export interface FragmentInfo {
  format_version: number
  /** File name of the schema. Before version 10 it is always `__array_schema.tdb`. */
  schemaName: string
  schema: ArraySchema
  dense: boolean
  /** Undefined only if versions 1 and 2 store none. */
  nonempty_domain: NDRange | undefined
  tile_num: number
  /** Cells of each tile except the last. */
  cells_per_tile: number
  last_tile_cell_num: number
  slots: readonly Slot[]
  /** Sizes in bytes by slot. Slots that have no entry in this version are missing. */
  file_sizes: Float64Array
  file_var_sizes: Float64Array
  file_validity_sizes: Float64Array | undefined
  /** Whether the footer says that the non-empty domain is unset. */
  null_nonempty_domain: boolean
  /** Where the footer of versions 3 and up is in the file, in bytes. Decoding it takes longer. */
  footer_span: { offset: number; size: number } | undefined
  /** Bytes of the footer after its known fields. */
  footer_slack: number
  /** The footer of versions 3 and up, and its place in the file. */
  footer: (FragmentFooter & { offset: number; size: number }) | undefined
  /** The metadata of versions 1 and 2. */
  v1: FragmentMetadataV1 | undefined
}

/**
 * Whether the fragment's lists may have too many entries. When TileDB 2.2 writes in global order, it counts validity tiles
 * as separate tiles and leaves zeros after the used entries. Readers use one entry per tile.
 *
 * @see Writer::global_write of 2.2 and 2.3
 */
export function countsValidityTiles({ format_version, dense, schema }: FragmentInfo): boolean {
  return (format_version === 7 || format_version === 8) && dense && schema.attributes.some(({ nullable }) => nullable)
}

/** Whether a list has zeros, and only zeros, after the entries of its tiles. See {@link countsValidityTiles}. */
export function hasValidityEntries(info: FragmentInfo, stored: Float64Array): boolean {
  return (
    countsValidityTiles(info) &&
    stored.length > info.tile_num &&
    stored.subarray(info.tile_num).every((entry) => entry === 0)
  )
}

/** Whether the fragment stores when its cells were deleted. */
export function holdsMarks({ slots }: Pick<FragmentInfo, 'slots'>): boolean {
  return slots.some(({ kind }) => kind === 'delete_timestamps')
}

/** A data file that the metadata says a field has. */
export interface FieldFile {
  name: string
  slot: number
  role: FileRole
  /** In bytes, from the metadata. */
  size: number
}

/**
 * A fragment. Everything is read on demand and then kept. A read of an array holds all its fragments, which may be 100,000: what few of them
 * need is made on demand, too.
 */
export class Fragment {
  readonly folder: Folder
  readonly cx: ReadContext
  /** The array that has the fragment; undefined for a folder that was moved out of its array. */
  readonly array: InspectArray | undefined
  private fileOpened: MetadataFile | undefined
  /** What {@link infoSync} has read. */
  private known: FragmentInfo | undefined
  /** The error of everything but the footer, if only a copy of the footer is left: {@link assumeLost}. */
  lost: InspectError | undefined
  /** The error of the footer in the metadata file, if {@link info} has a copy of it instead: {@link infoByCopy}. */
  ownFooterFault: InspectError | undefined
  private infoRead: Promise<FragmentInfo> | undefined
  /** {@link asStored} */
  isAsStored = false
  private entriesRead: Promise<readonly Entry[]> | undefined
  private starts: readonly number[] | undefined
  /** Opened generic tiles, by offset. */
  private tiles: Map<number, Promise<GenericTile>> | undefined
  /** Unfiltered bytes of the opened tiles. */
  private openedBytes = 0

  constructor(folder: Folder, cx: ReadContext, array: InspectArray | undefined) {
    this.folder = folder
    this.cx = cx
    this.array = array
  }

  private get file(): MetadataFile {
    this.fileOpened ??= new MetadataFile(this.folder, this.array)
    return this.fileOpened
  }

  /** What its name says; undefined for a name of unusual form. */
  get parsedName(): FragmentName | undefined {
    return parseFragmentName(this.name)
  }

  get name(): string {
    return this.folder.name
  }

  /** In milliseconds, from the name. In an array, names of unusual form count, too, as in TileDB. */
  get timestamp_range(): [bigint, bigint] | undefined {
    return this.parsedName?.timestamp_range ?? (this.array && nameFacts(this.name)?.timestamp_range)
  }

  /** The metadata file. */
  metadataSource(): ByteSource {
    return this.file.source()
  }

  async close(): Promise<void> {
    await this.fileOpened?.close()
  }

  /**
   * Reads its own footer, even if consolidated fragment metadata has a copy, which TileDB and {@link info} take instead. To call before
   * {@link info}.
   */
  asStored(): this {
    this.isAsStored = true
    return this
  }

  /** The copy of the footer, once the array has listed its fragments. TileDB never looks at a footer that has a copy. Measured with 2.30. */
  private get copy(): FooterCopy | undefined {
    return this.isAsStored ? undefined : this.array?.footerCopies?.get(this.name)
  }

  /**
   * The content of the footer (or of the metadata of versions 1 and 2) and the schema, and facts that follow from them.
   * @throws InspectError NO_SCHEMA if there is no array around the fragment. {@link head} still works since version 10.
   */
  info(): Promise<FragmentInfo> {
    this.infoRead ??= this.known
      ? Promise.resolve(this.known)
      : this.withFooterFault(
          () => this.readInfo(),
          (fault, copy, offset) => this.infoByCopy(fault, copy, offset),
        )
    return this.infoRead
  }

  /**
   * The info by the copy of a footer that cannot be read. TileDB reads the copies in consolidated fragment metadata, and looks at no footer
   * that has one: it opens the array, and reads what is left of the metadata file. Measured with 2.30: only consolidation fails (bad_alloc).
   * @param offset where the footer of the undamaged file begins
   * @throws InspectError fault, if the copy is damaged, too
   */
  private async infoByCopy(fault: InspectError, copy: FooterCopy, offset: number): Promise<FragmentInfo> {
    const info = await this.infoFromStored(copy.bytes, copy.place, offset).catch(unlessFault)
    if (!info) throw fault
    this.ownFooterFault = fault
    return info
  }

  /**
   * {@link info}, read synchronously. Works if another footer of the array with the same layout was read before. If the
   * result is undefined, the metadata may still be readable.
   */
  infoSync(): FragmentInfo | undefined {
    if (this.known) return this.known
    if (this.infoRead || !this.array || (this.parsedName?.least_version ?? 0) < 10) return undefined
    const found = footerSync(this.folder)
    if (!found) return undefined
    const { copy } = this
    // Whether its own footer can be read decides what is said of it.
    if (copy && !sameBytes(copy.bytes, found.bytes)) return undefined
    this.known = this.array.layouts.info(found.bytes, { folder: this.folder, offset: found.offset })
    this.metadataSize = found.offset + found.bytes.length + FOOTER_LENGTH_BYTES
    return this.known
  }

  /** Keeps the boxes that {@link infoSync} has read just now, for {@link rtreeSync}. */
  keepRTree(): void {
    if (this.known instanceof LaidOutInfo) this.array?.sections.keepRTree(this.folder, this.known)
  }

  /** Size of the metadata file in bytes, once {@link infoSync} has read its end. */
  metadataSize: number | undefined

  /**
   * Uses a copy of the footer, of version 10 or later, instead of reading it.
   * @param fileSize size in bytes of the metadata file, which ends with the footer and its length
   */
  assumeFooter({ bytes, place }: FooterCopy, fileSize: number): void {
    this.infoRead = this.infoFromStored(bytes, place, fileSize - FOOTER_LENGTH_BYTES - bytes.length)
    // Whoever awaits it gets the failure.
    this.infoRead.catch(() => {})
  }

  /** Uses a copy of the footer of a fragment whose metadata file is gone. @param error of all that the file held beside the footer */
  assumeLost(footer: FooterCopy, error: InspectError): void {
    this.lost = error
    this.assumeFooter(footer, footer.bytes.length + FOOTER_LENGTH_BYTES)
  }

  /** The fields of the footer that need no schema. Since version 10. */
  head(): Promise<FooterHead & { offset: number; size: number }> {
    return this.withFooterFault(() => this.readHead())
  }

  /**
   * Replaces an error about a damaged footer by an error that says what happened to the file: {@link footerFault}.
   * @param byCopy gives the result by a copy of the footer; without it, the error is thrown
   */
  private async withFooterFault<T>(
    work: () => Promise<T>,
    byCopy?: (fault: InspectError, copy: FooterCopy, offset: number) => Promise<T>,
  ): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const source = this.metadataSource()
      const named = this.parsedName?.least_version
      if (!(error instanceof InspectError) || error.code === 'MISSING_FILE') throw error
      const isDamage = ERROR_CODES[error.code] === 1 || error.code === 'UNSUPPORTED_VERSION'
      if (!isDamage || error.at.file !== source.name || error.at.space !== undefined) throw error
      if (named !== undefined && named < 3) throw error
      const { footerFault } = await import('./footer-fault.ts')
      const { fileSize } = await this.file.tail()
      const copy = (await this.array?.consolidatedFooters().catch(() => undefined))?.get(this.name)
      const schema = (name: string): Promise<ArraySchema | undefined> =>
        this.schemaNamed(name === '' ? OLD_SCHEMA_FILE : name).catch(() => undefined)
      const { fault, footerAt } = await footerFault(error, { source, fileSize, named, copy: copy?.bytes, schema })
      if (!copy || !byCopy) throw fault
      return byCopy(fault, copy, footerAt)
    }
  }

  private async readHead(): Promise<FooterHead & { offset: number; size: number }> {
    const { bytes, place } = await this.file.footerBytes()
    await this.checkAgainstName(bytes, place)
    return { ...decodePrefix(bytes, footerHead, place).value, offset: place.offset, size: bytes.length }
  }

  private async readInfo(): Promise<FragmentInfo> {
    await this.file.tail()
    const version = this.parsedName?.least_version ?? (await this.guessVersion())
    if (version < 3) return this.readV1Info()
    const schema = version < 10 ? await this.schemaForFooterPlace() : undefined
    const isStored = footerLengthIsStored(version, schema)
    const { bytes, place } = await this.file.footerBytes(
      schema && !isStored ? footerLength(version, schema) : undefined,
    )
    // New bytes, so that the surrounding ones of the file are not kept in memory with the footer's values.
    const own = await this.infoFromStored(bytes.slice(), place)
    const { copy } = this
    return copy && !sameBytes(copy.bytes, bytes) ? this.infoFromStored(copy.bytes, copy.place, place.offset) : own
  }

  /**
   * The schema whose dimensions tell where the footer is, for a version before 10 in the name. If the version in the name is
   * wrong, there may be no `__array_schema.tdb`; then the newest schema is used.
   */
  private async schemaForFooterPlace(): Promise<ArraySchema> {
    try {
      return await this.schemaNamed(OLD_SCHEMA_FILE)
    } catch (error) {
      const newest = this.array && (await this.array.newestSchema().catch(() => undefined))
      if (!newest) throw error
      return newest.schema
    }
  }

  /** @param offset of the footer in the metadata file, if `place` is that of a copy */
  private async infoFromStored(
    bytes: Uint8Array,
    place: GenericTilePlace,
    offset = place.offset,
  ): Promise<FragmentInfo> {
    await this.checkAgainstName(bytes, place)
    const head = decodePrefix(bytes, footerHead, place).value
    const schemaName = head.array_schema_name ?? OLD_SCHEMA_FILE
    const schema = await this.schemaNamed(schemaName)
    let read: FragmentFooter
    try {
      read = decode(bytes, fragmentFooter(schema), place)
      if (read.version >= 10) this.array?.layouts.learn(bytes, schema)
    } catch (error) {
      faultOf(error)
      read = decode(bytes, fragmentFooter(schema, 'rounded'), place)
    }
    const footer = { ...read, offset, size: bytes.length }
    return infoOf(schema, read, read.sparse_tile_num, { schemaName, dense: read.dense, footer, v1: undefined })
  }

  /**
   * Checks that the footer's format version and the one in the folder's name put the footer in the same place. If not,
   * TileDB fails to open the array.
   * @throws InspectError INCONSISTENT
   */
  private async checkAgainstName(footer: Uint8Array, place: GenericTilePlace): Promise<void> {
    const named = this.parsedName?.least_version
    if (named === undefined || footer.length < 4) return
    const found = u32(footer, 0)
    if (found === named || (found >= 10 && named >= 10)) return
    const schema = await this.schemaForFooterPlace().catch(() => undefined)
    if (footerPlace(found, schema) === footerPlace(named, schema)) return
    throw inconsistent(
      { expected: `format version ${named} as the folder's name says`, found },
      {
        ...place,
        field: 'version',
      },
    )
  }

  /** The version of a fragment without one in its name: tries the forms of the footer from the newest to the oldest. */
  private async guessVersion(): Promise<number> {
    let unsupported: InspectError | undefined
    try {
      const { bytes, place } = await this.file.footerBytes()
      const { version } = decodePrefix(bytes, footerHead, place).value
      if (version >= 5) return version
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      if (error.code === 'UNSUPPORTED_VERSION') unsupported = error
    }
    const schema = await this.schemaNamed(OLD_SCHEMA_FILE).catch((error: unknown) => {
      throw unsupported ?? error
    })
    const { fileSize } = await this.file.tail()
    for (const version of [9, 6, 4]) {
      const length = footerLength(version, schema)
      if (length > fileSize) continue
      const found = u32((await this.file.footerBytes(length)).bytes, 0)
      if (found <= version && found >= 3 && footerLength(found, schema) === length) return found
    }
    return 1
  }

  private async readV1Info(): Promise<FragmentInfo> {
    const schema = await this.schemaNamed(OLD_SCHEMA_FILE)
    const source = this.metadataSource()
    const bytes = await source.read(0, await this.file.size())
    const describe = fragmentMetadataV1(schema)
    const v1 = await readGenericTile(bytes, describe, this.cx, { file: source.name, offset: 0 })
    const dense = (await this.folder.kind('__coords.tdb')) !== 'file'
    return infoOf(schema, v1, v1.mbr_num, { schemaName: OLD_SCHEMA_FILE, dense, footer: undefined, v1 })
  }

  private async schemaNamed(name: string): Promise<ArraySchema> {
    if (!this.array) {
      const message = `expected the fragment inside its array, whose schema ${name} tells its fields; found no array around it`
      throw new InspectError('NO_SCHEMA', message, { file: this.folder.path })
    }
    try {
      return await this.array.schema(name)
    } catch (error) {
      if (!hasCode(error, 'NOT_FOUND')) throw error
      const fault = { expected: 'the schema that the fragment names', found: 'no such file' }
      throw new InspectError('MISSING_FILE', fault, error.at, { cause: error })
    }
  }

  /**
   * The generic tile at an offset of the metadata file. One read fetches all bytes up to the next tile or the footer.
   * @throws InspectError BAD_VALUE if the offset is outside the file
   */
  genericTileAt(offset: number, section: string): Promise<GenericTile> {
    this.tiles ??= new Map()
    let tile = this.tiles.get(offset)
    if (!tile) {
      tile = this.readTileAt(offset, section)
      this.tiles.set(offset, tile)
    }
    return tile
  }

  private async readTileAt(offset: number, section: string): Promise<GenericTile> {
    const next = await this.sectionEnd(offset, section)
    try {
      const bytes = await this.file.read(offset, next - offset)
      const tile = await openGenericTile(bytes, this.cx, { file: this.metadataSource().name, offset })
      this.openedBytes += tile.payload.length
      return tile
    } catch (error) {
      throw addSection(error, section)
    }
  }

  /**
   * Where the next generic tile or the footer begins.
   * @throws InspectError BAD_VALUE if the offset is outside the file
   */
  async sectionEnd(offset: number, section: string): Promise<number> {
    const { footer } = await this.info()
    const source = this.metadataSource()
    const end = footer ? footer.offset : await source.size()
    if (offset >= end) {
      throw badValue(
        { expected: `an offset before the footer at ${end}`, found: sizeText(offset) },
        {
          file: source.name,
          field: section.includes('.') ? section.replace('.', '_offsets.') : `${section}_offset`,
        },
      )
    }
    // The next section after the offset. Thousands of fields have thousands of sections.
    const starts = await this.metadataOffsets()
    const next = lastNotAfter(starts.length, (i) => element(starts, i), offset) + 1
    return Math.min(starts[next] ?? end, end)
  }

  /** Opens a section whose content is never in memory as a whole. Undefined if the version has no such section. */
  async pagedSection(name: SectionName, slot?: number, scan?: Scan): Promise<PagedTile | undefined> {
    const place = await this.sectionPlace(name, slot)
    if (!place) return undefined
    const end = await this.sectionEnd(place.offset, place.section)
    const sections = (await this.metadataOffsets()).length
    const room = this.folder.isRemote ? REMOTE_WINDOWS : LOCAL_WINDOWS
    const window = Math.max(MIN_WINDOW, Math.min(room.each, Math.floor(room.all / sections)))
    const read: StoredSection['read'] = (at, length, into) => this.file.read(at, length, into)
    return openPagedTile({ read, end, window }, place.offset, this.cx, scan)
  }

  /** Begins to fetch the whole metadata file over a network, if the file is longer than its tail but not too long. */
  planMetadata({ footer }: FragmentInfo): void {
    const length = footer?.offset ?? 0
    if (!this.folder.isRemote || length <= TAIL_BYTES || length > MAX_PLANNED) return
    // Later reads wait for this one. They throw its failure.
    this.metadataSource()
      .read(0, length)
      .catch(() => {})
  }

  /** Offsets of all generic tiles in the metadata file, sorted, each once. */
  async metadataOffsets(): Promise<readonly number[]> {
    const { footer, slots } = await this.info()
    if (!footer) return [0]
    this.starts ??= [...new Set(sectionPlaces(footer, slots).map(({ offset }) => offset))].sort((a, b) => a - b)
    return this.starts
  }

  /** Content of a section; undefined if the version has no such section. */
  private async section<Name extends SectionName>(
    name: Name,
    slot?: number,
  ): Promise<SectionContents[Name] | undefined> {
    const { known, array, lost } = this
    if (lost) throw lost
    const atOnce = known instanceof LaidOutInfo ? array?.sections.read(this.folder, known, name, slot) : undefined
    if (atOnce) return atOnce
    const place = await this.sectionPlace(name, slot)
    if (!place) return undefined
    const { offset, section } = place
    const { format_version, schema, slots } = await this.info()
    const tile = await this.genericTileAt(offset, section)
    await this.learnTile(tile.header)
    try {
      const describe = sectionContent(name, format_version, schema, slots)
      return decodeTile(tile, describe, { file: this.metadataSource().name, offset })
    } catch (error) {
      throw addSection(error, section)
    }
  }

  /** Prepares for reading sections of other fragments synchronously: most of their tiles have headers like this one. */
  async learnTile(header: GenericTileHeader): Promise<void> {
    const { known, array } = this
    if (known instanceof LaidOutInfo && array && !array.sections.isReady) await array.sections.learn(header)
  }

  /** Where a section is, and its name in errors; undefined if the version has no such section. */
  private async sectionPlace(
    name: SectionName,
    slot?: number,
  ): Promise<{ offset: number; section: string } | undefined> {
    const { footer, slots } = await this.info()
    const key = sectionKey(name)
    const stored = key && footer?.[key]
    const offset = typeof stored === 'object' ? stored[slot ?? 0] : stored
    if (key === undefined || offset === undefined) return undefined
    const section = key.replace(/_offsets?$/, '')
    return { offset, section: slot === undefined ? section : `${section}.${slots[slot]?.name ?? slot}` }
  }

  /** A list of a slot, without surplus entries ({@link countsValidityTiles}); undefined if the version has no such list. */
  async offsets(list: OffsetsList, slot: number): Promise<Float64Array | undefined> {
    const stored = await this.storedOffsets(list, slot)
    const info = await this.info()
    return stored && countsValidityTiles(info) ? stored.subarray(0, info.tile_num) : stored
  }

  /** {@link offsets}, including surplus entries. */
  async storedOffsets(list: OffsetsList, slot: number): Promise<Float64Array | undefined> {
    const { v1 } = await this.info()
    const lists: { [list in OffsetsList]?: TileOffsets[] } | undefined = v1
    return (lists ? lists[list]?.[slot] : await this.section(list, slot))?.values
  }

  /** Minima or maxima of a slot's tiles; undefined before version 11. */
  tileMinMax(which: 'min' | 'max', slot: number): Promise<TileMinMax | undefined> {
    return this.section(`tile_${which}s`, slot)
  }

  /** Sums of a slot's tiles, 8 bytes each; undefined before version 11. */
  async tileSums(slot: number): Promise<Uint8Array | undefined> {
    return (await this.section('tile_sums', slot))?.values
  }

  /** Statistics over the whole fragment by slot; undefined before version 12. */
  statistics(): Promise<SlotStatistics[] | undefined> {
    return this.section('fragment_min_max_sum_null_count')
  }

  /** Delete conditions applied to the cells; undefined before version 16. */
  async processedConditions(): Promise<string[] | undefined> {
    return (await this.section('processed_conditions'))?.conditions
  }

  /** R-tree. Versions 1 and 2 have a list of MBRs instead, which becomes the only level. */
  async rtree(): Promise<RTree> {
    const stored = await this.section('rtree')
    if (stored) return stored
    const { mbr_num = 0, mbrs: bytes = NO_BYTES } = (await this.info()).v1 ?? {}
    const levels = mbr_num > 0 ? [{ mbr_num, bytes, starts: undefined }] : []
    return { fanout: 0, dim_num: undefined, type: undefined, levels }
  }

  /**
   * {@link rtree}, read synchronously, and not kept. Works after {@link infoSync}, if a section of another such fragment was read before. If
   * the result is undefined, the R-tree may still be readable.
   */
  rtreeSync(): RTree | undefined {
    return this.known instanceof LaidOutInfo ? this.array?.sections.rtree(this.folder, this.known) : undefined
  }

  /**
   * Bytes of the generic tile at an offset, as {@link rtreeSync}: stored, with its header, and unfiltered.
   * @param end where the next section begins, if the caller knows it
   */
  tileSizesSync(offset: number, end?: number): { size: number; unfiltered_size: number } | undefined {
    const { known, array } = this
    return known instanceof LaidOutInfo ? array?.sections.stored(this.folder, known, offset, end) : undefined
  }

  /** Drops the opened generic tiles, so that the lists of a million tiles are not all in memory at once. */
  forget(): void {
    this.tiles?.clear()
    if (this.openedBytes >= MANY_BYTES) countReadBytes(this.openedBytes)
    this.openedBytes = 0
  }

  /** Entries of the folder. If the server cannot list it, these are the files that the metadata names and that exist. */
  entries(): Promise<readonly Entry[]> {
    this.entriesRead ??= this.listEntries()
    return this.entriesRead
  }

  private async listEntries(): Promise<readonly Entry[]> {
    const entries = await this.folder.list().catch(unlessCode('NO_LISTING'))
    if (entries) return entries
    const names = [FRAGMENT_METADATA_FILE, ...(await this.fieldFiles()).map(({ name }) => name)]
    const kinds = await Promise.all(names.map((name) => this.folder.kind(name)))
    return names.flatMap((name, i) => ({ name, kind: kinds[i] ?? 'other' })).filter(({ kind }) => kind !== 'other')
  }

  /** Data files that the metadata says the fragment has, in slot order. */
  async fieldFiles(): Promise<FieldFile[]> {
    return fieldFilesOf(await this.info())
  }
}

/** {@link Fragment.fieldFiles} by what its metadata says. */
export function fieldFilesOf(info: FragmentInfo): FieldFile[] {
  // Each list is decoded whenever it is asked for, and few fields have values of variable size or nulls.
  const lists: Partial<Record<FileRole, Float64Array | undefined>> = {}
  return filesOfSlots(info).map(({ name, slot, role }) => {
    lists[role] ??= sizesOf(info, role)
    return { name, slot, role, size: lists[role]?.[slot] ?? 0 }
  })
}

/** The data files of slots, without their sizes. Fragments whose footers have the same layout share their slots. */
const filesBySlots = new WeakMap<readonly Slot[], readonly Omit<FieldFile, 'size'>[]>()

function filesOfSlots(info: FragmentInfo): readonly Omit<FieldFile, 'size'>[] {
  const { slots, format_version } = info
  let files = filesBySlots.get(slots)
  if (!files) {
    files = slots.flatMap((one, slot) => {
      const roles = slotHasFiles(info, one) ? fieldFileRoles(one) : []
      return roles.map((role) => ({ name: fieldFileName(format_version, one, role) ?? '', slot, role }))
    })
    filesBySlots.set(slots, files)
  }
  return files
}

/** Sizes in bytes of the data files with a role, by slot. */
export function sizesOf(footer: FileSizeLists, role: FileRole): Float64Array | undefined {
  if (role === 'var') return footer.file_var_sizes
  return role === 'validity' ? footer.file_validity_sizes : footer.file_sizes
}

/** The lists of a footer with the sizes of data files. */
type FileSizeLists = Pick<FragmentInfo, 'file_sizes' | 'file_var_sizes' | 'file_validity_sizes'>

/** Whether a slot has data files. Coordinates have none in dense fragments; the phantom slot never has any. */
export function slotHasFiles(info: Pick<FragmentInfo, 'dense'>, slot: Slot): boolean {
  if (slot.phantom) return false
  return !(info.dense && (slot.kind === 'dimension' || slot.kind === 'coords'))
}

/**
 * Filters of a data file, in writing order. Values have the filters of their field. Offsets, validity and coordinates have
 * filters of the schema. A dimension without filters uses the coords filters, except before schema version 5, where these are
 * only for `__coords.tdb`.
 */
export function filePipeline(
  info: Pick<FragmentInfo, 'schema' | 'slots'>,
  file: Pick<FieldFile, 'slot' | 'role'>,
  encrypted: boolean,
): readonly FilterConfig[] {
  const filters = pipelineOf(info.schema, element(info.slots, file.slot), file.role).filters
  return encrypted ? withEncryption(filters) : filters
}

/** Lists with the filter of encryption, by those without it: tallies know a list of a schema again. */
const encryptedLists = new WeakMap<readonly FilterConfig[], readonly FilterConfig[]>()

function withEncryption(filters: readonly FilterConfig[]): readonly FilterConfig[] {
  const found = encryptedLists.get(filters) ?? [...filters, { name: 'AES_256_GCM' }]
  encryptedLists.set(filters, found)
  return found
}

/**
 * Whether the values of a string field hold their offsets, as TileDB decides it. It reads the file of the offsets then, too, but never
 * looks at the bytes.
 * @param schemaVersion version of the schema with which TileDB reads, if it is not the fragment's
 * @see FilterPipeline::skip_offsets_filtering
 */
export function valuesHoldOffsets(
  info: Pick<FragmentInfo, 'schema' | 'slots'>,
  slot: number,
  schemaVersion: number = info.schema.version,
): boolean {
  const { type, varSized } = element(info.slots, slot)
  if (!varSized) return false
  return filePipeline(info, { slot, role: 'var' }, false).some((filter) => keepsOffsets(filter, type, schemaVersion))
}

/** The pipeline of a data file, without encryption. */
export function pipelineOf(schema: ArraySchema, slot: Slot, role: FileRole): FilterPipeline {
  if (role === 'offsets') return schema.offsets_filters
  if (role === 'validity') return schema.validity_filters ?? { max_chunk_size: 0, filters: [] }
  if (slot.kind === 'attribute') return element(schema.attributes, slot.index).filters
  if (slot.kind === 'dimension') {
    const { filters } = element(schema.domain.dimensions, slot.index)
    return filters.filters.length > 0 || schema.version < 5 ? filters : schema.coords_filters
  }
  return schema.coords_filters
}

/** @param tileNum number of tiles of a sparse fragment; in a dense fragment it follows from the domain */
function infoOf(
  schema: ArraySchema,
  stored: FragmentFooter | FragmentMetadataV1,
  tileNum: number,
  facts: Pick<FragmentInfo, 'schemaName' | 'dense' | 'footer' | 'v1'>,
): FragmentInfo {
  const { version, nonempty_domain, file_sizes, file_var_sizes } = stored
  const grid = facts.dense && nonempty_domain ? denseTileGrid(schema, nonempty_domain) : undefined
  return {
    ...facts,
    footer_span: facts.footer && { offset: facts.footer.offset, size: facts.footer.size },
    footer_slack: facts.footer?.slack.length ?? 0,
    null_nonempty_domain: facts.footer?.null_nonempty_domain ?? false,
    format_version: version,
    schema,
    nonempty_domain,
    tile_num: grid?.tile_num ?? tileNum,
    cells_per_tile: grid?.cells_per_tile ?? Number(schema.capacity),
    last_tile_cell_num: grid?.cells_per_tile ?? Number(stored.last_tile_cell_num),
    slots: fragmentSlots(version, schema, facts.footer),
    file_sizes,
    file_var_sizes,
    file_validity_sizes: facts.footer?.file_validity_sizes,
  }
}

/** Whether several cells of the fragment may have the same coordinates. Consolidation keeps them if it keeps the time of each cell. */
export function mayRepeatCoordinates(info: FragmentInfo): boolean {
  return info.schema.allows_duplicates || info.footer?.includes_timestamps === true
}

/** Number of cells that the fragment stores. In dense fragments whole tiles count, as in TileDB. */
export function storedCellNum(info: FragmentInfo): number {
  if (info.tile_num === 0) return 0
  return (info.tile_num - 1) * info.cells_per_tile + info.last_tile_cell_num
}
