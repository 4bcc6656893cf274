import { asInspectError, ERROR_CODES, faultText, InspectError, inconsistent, unlessFault } from '../base/errors.ts'
import { isStringOffsetsTile, TileFile, withTileFile } from '../cells/tile-files.ts'
import type { ChecksumVerdict } from '../filters/filter.ts'
import type { TileReadOptions } from '../filters/pipeline.ts'
import { hasChecksum, mayHoldOffsets } from '../filters/registry.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { genericTileHeader } from '../format/generic-tile.ts'
import { decode, decodePrefix } from '../format/io.ts'
import { tileChunks } from '../format/tile-chunks.ts'
import { isTimedName } from '../format/timestamped-name.ts'
import type { InspectArray } from '../objects/array.ts'
import type { CommitFile } from '../objects/commits.ts'
import { entrySize } from '../objects/file-sizes.ts'
import type { Fragment } from '../objects/fragment.ts'
import { openGenericTile, readStored } from '../objects/generic-tile.ts'
import { GROUP_DETAILS_FOLDER } from '../objects/group.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { withArticle } from '../objects/target.ts'
import { type Folder, withSource } from '../storage/source.ts'
import { type ChunkReports, FaultlessTiles, hasOffsetsInside, saysOffsetsInside, undoTile } from './undo.ts'
import type { DataFilePart, Unit, UnitResult, UnitTarget } from './units.ts'
import { noneVerified, type VerifyFailure, type VerifyItem } from './verified.ts'

/** Most bytes that a remote source fetches at once: a unit of work. Units have 16 MiB, but end with a whole tile. */
const TOGETHER_BYTES = 32 * 2 ** 20

/** Does the work of a unit. @param deep whether to undo every filter, and to read files without checksums */
export async function verifyUnit(
  target: UnitTarget,
  cx: ReadContext,
  { path, part }: Unit<VerifyItem>,
  deep: boolean,
): Promise<UnitResult<VerifyItem>> {
  const fragment = target.type === 'fragment' ? target.fragment : undefined
  const verifier = new Verifier(cx, deep, fragment?.name ?? null)
  const { counts, items } = verifier
  if (part.kind === 'fragment-metadata') counts.fragment_num = 1
  await verifier.attempt({ file: fragment?.metadataSource().name ?? path }, async () => {
    if (part.kind === 'array-files' && target.type === 'array') await verifier.verifyArrayFiles(target.array)
    else if (part.kind === 'group-files' && target.type === 'group') {
      await verifier.verifyFolder(target.group.folder, GROUP_DETAILS_FOLDER, isTileName)
      await verifier.verifyFolder(target.group.folder, '__meta', isTileName)
    } else if (fragment) {
      // The schema shows whether the data files are encrypted.
      await fragment.info()
      if (part.kind === 'data-file') await verifier.verifyDataFile(fragment, part)
      else await verifier.verifyMetadataFile(fragment)
    } else throw new InspectError('WRONG_TARGET', { expected: part.kind, found: withArticle(target.type) })
  })
  if (cx.keyProven) counts.key_proof_num++
  return { counts, items }
}

/** Where a failure is, as far as it is known. */
type FailurePlace = Partial<VerifyFailure> & { file: string }

/** A failure about which nothing is known. JSON has the keys in this order. */
const UNKNOWN: VerifyFailure = {
  fragment: null,
  file: '',
  tile: null,
  chunk: null,
  filter: null,
  offset: null,
  expected: null,
  actual: null,
  message: '',
}

/** Verifies files one after another, and collects the results. */
class Verifier {
  readonly counts = noneVerified()
  readonly items: VerifyItem[] = []
  private readonly cx: ReadContext
  private readonly deep: boolean
  /** Name of the fragment; null for files of an array or a group. */
  private readonly fragment: string | null
  private lostTailReported = false

  constructor(cx: ReadContext, deep: boolean, fragment: string | null) {
    this.cx = cx
    this.deep = deep
    this.fragment = fragment
  }

  /** Does one part of the work. An error ends only this part, and is reported. */
  async attempt(place: FailurePlace, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.reportError(error, place)
    }
  }

  /** Verifies the generic tiles outside fragments: schemas, enumerations, array metadata and commit files. */
  async verifyArrayFiles(array: InspectArray): Promise<void> {
    const { folder } = array
    // Each fault is reported with its file.
    array.cx.onFault = () => {}
    await this.attempt({ file: folder.path }, async () => {
      for (const { name, path } of await array.schemaFiles()) if (isTileName(name)) await this.verifyFile(folder, path)
    })
    await this.verifyFolder(folder, '__schema/__enumerations', isEnumerationName)
    await this.verifyFolder(folder, '__meta', isTileName)
    await this.attempt({ file: folder.path }, async () => {
      for (const file of (await array.commits()).files) await this.verifyCommitFile(array, file)
    })
  }

  private async verifyCommitFile(array: InspectArray, { path, kind, fault, entries }: CommitFile): Promise<void> {
    const { folder } = array
    const file = `${folder.path}/${path}`
    if (fault) this.reportError(fault, { file })
    if (kind === 'delete' || kind === 'update') await this.verifyFile(folder, path)
    if (kind === 'fragment-metadata') {
      const before = this.items.length
      await this.verifyFile(folder, path)
      // Readers rely on the fragment names in the file, so it is read even if no tag protects it.
      if (this.items.length === before) await this.attempt({ file }, () => array.consolidatedFragmentMetadata(path))
    }
    for (const { tile } of entries) {
      if (!tile) continue
      const { offset, length } = tile
      await this.attempt({ file }, () =>
        withSource(folder.file(path), async (source) =>
          this.verifyGenericTile(await source.read(offset, length), { file: source.name, offset }),
        ),
      )
    }
  }

  /** Verifies the files of a folder that are single generic tiles. @param belongs whether a name is valid in the folder */
  async verifyFolder(folder: Folder, inside: string, belongs: (name: string) => boolean): Promise<void> {
    await this.attempt({ file: `${folder.path}/${inside}` }, async () => {
      for (const { name, kind } of await folder.folder(inside).listIfThere())
        if (kind === 'file' && belongs(name)) await this.verifyFile(folder, `${inside}/${name}`)
    })
  }

  private async verifyFile(folder: Folder, path: string): Promise<void> {
    const source = folder.file(path)
    this.counts.file_num++
    await this.attempt({ file: source.name }, () =>
      withSource(source, async () => {
        const isProtected = await this.verifyGenericTile(await readStored(source, this.cx), {
          file: source.name,
          offset: 0,
        })
        if (isProtected === false) this.counts.unprotected_metadata_file_num++
      }),
    )
  }

  /**
   * Verifies one generic tile. A tile without a tag is opened only with `deep`.
   * @returns whether the tile has a tag; undefined if that is unknown
   */
  private async verifyGenericTile(
    bytes: Uint8Array,
    place: { file: string; offset: number },
  ): Promise<boolean | undefined> {
    let failed = false
    let chunks: number[] = []
    try {
      const { value: header, length: start } = decodePrefix(bytes, genericTileHeader, place)
      const isProtected = hasChecksum(header.filters.filters)
      if (!isProtected && !this.deep) return false
      this.counts.tile_num++
      chunks = chunkOffsets(bytes.subarray(start, start + header.persisted_size), place.offset + start)
      const onVerdict: TileReadOptions['onVerdict'] = (verdict, chunk) => {
        if (!verdict.ok) failed = true
        this.reportVerdict(verdict, { ...place, chunk, offset: chunks[chunk] })
      }
      await openGenericTile(bytes, this.cx, place, { onVerdict })
      this.counts.chunk_num += chunks.length
      return isProtected
    } catch (error) {
      const chunk = error instanceof InspectError ? chunks.indexOf(error.at.offset ?? -1) : -1
      if (!failed) this.reportError(error, chunk < 0 ? place : { ...place, chunk, offset: chunks[chunk] })
      return undefined
    }
  }

  /** Verifies the generic tiles of `__fragment_metadata.tdb`, each once. */
  async verifyMetadataFile(fragment: Fragment): Promise<void> {
    const source = fragment.metadataSource()
    this.counts.file_num++
    let unprotected = false
    for (const offset of await fragment.metadataOffsets()) {
      const place = { file: source.name, offset }
      await this.attempt(place, async () => {
        const end = await fragment.sectionEnd(offset, 'section')
        const isProtected = await this.verifyGenericTile(await source.read(offset, end - offset), place)
        if (isProtected === false) unprotected = true
      })
    }
    if (unprotected) this.counts.unprotected_metadata_file_num++
  }

  /** Verifies tiles `from` to `to` (exclusive) of one data file. The file is counted with its first part. */
  async verifyDataFile(fragment: Fragment, part: DataFilePart): Promise<void> {
    const path = `${fragment.folder.path}/${part.name}`
    if (part.from === 0) {
      this.counts.file_num++
      // The lists of the previous file are not needed again.
      fragment.forget()
    }
    await this.attempt({ file: path }, () =>
      withTileFile(fragment, part.slot, part.role, async (file) => {
        const isProtected = hasChecksum(file.filters)
        if (!isProtected && part.from === 0) this.items.push({ unprotected: path })
        if (isProtected || this.deep) await this.verifyTiles(fragment, file, part)
        else await checkFileSize(fragment, part.name)
      }),
    )
  }

  private async verifyTiles(fragment: Fragment, file: TileFile, { from, to }: DataFilePart): Promise<void> {
    const insideStrings = file.role === 'var' && mayHoldOffsets(file.filters)
    const skip = (tile: number): boolean => file.isFasterInChunks(tile)
    file.plan(from, to - 1, { together: TOGETHER_BYTES, reuse: true, skip })
    const offsets =
      insideStrings && !file.holdsOffsets ? await TileFile.open(fragment, file.slot, 'offsets') : undefined
    offsets?.plan(from, to - 1)
    const faultless = insideStrings ? undefined : new FaultlessTiles(file, false, !this.deep)
    // Each tile tells the fault of a pipeline that cannot be loaded.
    if (faultless) await file.pipeline(false).catch(unlessFault)
    try {
      for (let tile = from; tile < to; tile++) {
        const pause = fragment.cx.pause?.()
        if (pause) await pause
        if (faultless && (file.isFasterInChunks(tile) ? faultless.undoChunks(tile) : faultless.undo(tile))) {
          this.counts.tile_num++
          this.counts.chunk_num += faultless.chunkNum
          for (const { filter } of faultless.verdicts) this.countRight(filter)
          continue
        }
        const place = { file: file.source.name, tile, offset: file.offsets[tile] }
        await this.attempt(place, () => this.verifyTile(file, tile, offsets))
      }
    } finally {
      await offsets?.close()
    }
  }

  /** Verifies a tile. @param offsets the file of the offsets, if it has to tell whether the values hold them */
  private async verifyTile(file: TileFile, tile: number, offsets: TileFile | undefined): Promise<void> {
    const said = offsets ? await saysOffsetsInside(file, offsets, tile) : file.holdsOffsets
    const inside = said ?? (await hasOffsetsInside(file, tile))
    const stored = file.isFasterInChunks(tile) || file.isLarge(tile) ? undefined : await file.stored(tile)
    this.counts.tile_num++
    // The var tile holds the offsets. This tile is 8 zero bytes, neither filtered nor encrypted.
    if (file.role === 'offsets' && stored && isStringOffsetsTile(stored)) return
    const place = { file: file.source.name, tile }
    const reports: ChunkReports = {
      counts: this.counts,
      onVerdict: (verdict, chunk, offset) => this.reportVerdict(verdict, { ...place, chunk, offset }),
      onFault: (error, chunk, offset) => this.reportError(error, { ...place, chunk, offset }),
      onLostTail: ({ of_metadata }) => {
        if (of_metadata || this.lostTailReported) return
        this.lostTailReported = true
        this.items.push({ lostTail: file.source.name, tile })
      },
    }
    const options = { stringOffsets: inside, checksumsOnly: !this.deep }
    const { total } = await undoTile(file, tile, stored, reports, options)
    const expected = file.expectedSize(tile) ?? total
    if (total === expected) return
    throw inconsistent({ expected: `${expected} unfiltered bytes in the tile`, found: `chunks of ${total}` })
  }

  /** Reports the result of comparing a digest or tag. */
  private reportVerdict({ ok, filter, expected, actual }: ChecksumVerdict, place: FailurePlace): void {
    if (ok) {
      this.countRight(filter)
      return
    }
    this.counts.checksum_num++
    const message =
      actual === undefined
        ? 'the AES-256-GCM tag does not fit: the key is wrong, or the bytes are damaged'
        : faultText({ expected, found: actual })
    this.pushFailure({ ...place, filter, expected, actual: actual ?? null, message })
  }

  private countRight(filter: ChecksumVerdict['filter']): void {
    this.counts.checksum_num++
    if (filter === 'AES_256_GCM') this.counts.key_proof_num++
  }

  /** Reports an error: damage as a failure, everything else as not examined. */
  private reportError(caught: unknown, place: FailurePlace): void {
    const error = asInspectError(caught)
    const { code, at, fault, message } = error
    // A listed file that does not exist is damage.
    const isMissing = code === 'NOT_FOUND'
    if (!isMissing && ERROR_CODES[code] !== 1) {
      const file = at.file ?? place.file
      this.items.push({ notExamined: new InspectError(code, fault, { ...at, file }, { cause: caught }) })
      return
    }
    const filter = /(?:^|\.)([A-Z][A-Z0-9_]+)(?:\.|$)/.exec(at.field ?? '')?.[1] ?? null
    const found = isMissing ? faultText({ expected: 'the file', found: 'that it is missing' }) : message
    this.pushFailure({ ...place, filter, offset: place.offset ?? at.offset ?? null, message: found })
  }

  private pushFailure(failure: FailurePlace): void {
    this.items.push({ failure: { ...UNKNOWN, fragment: this.fragment, ...failure } })
  }
}

/** Checks that a file exists and is long enough, without reading it. */
async function checkFileSize(fragment: Fragment, name: string): Promise<void> {
  const size = (await fragment.fieldFiles()).find((file) => file.name === name)?.size ?? 0
  if (size === 0) return
  const entry = (await fragment.entries()).find((one) => one.name === name && one.kind === 'file')
  if (!entry) throw new InspectError('MISSING_FILE', { expected: `a file of ${size} bytes`, found: 'none' })
  const actual = await entrySize(fragment.folder, entry)
  if (actual < size)
    throw new InspectError('TRUNCATED', { expected: `${size} bytes`, found: actual }, { offset: actual })
}

/** Offsets of the chunks' metadata in a file. @param base offset of the tile @throws InspectError TRUNCATED */
function chunkOffsets(stored: Uint8Array, base: number): number[] {
  return decode(stored, tileChunks).chunks.map(({ metadata }) => base + metadata.byteOffset - stored.byteOffset)
}

/** Whether a schema or metadata file has a valid name. */
function isTileName(name: string): boolean {
  return name === OLD_SCHEMA_FILE || isTimedName(name)
}

/** Whether a name has the form `__<uuid>_<version>`. */
function isEnumerationName(name: string): boolean {
  return /^__[0-9a-zA-Z]{32}_\d+$/.test(name)
}
