import type { InspectArray } from '../array.ts'
import { withSource } from '../array.ts'
import { isStringOffsetsTile, TileFile, type TileRole } from '../cells/tile-files.ts'
import { ERROR_CODES, InspectError } from '../errors.ts'
import type { ChecksumVerdict } from '../filters/filter.ts'
import { hasChecksum, type ReadOptions } from '../filters/pipeline.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { genericTileHeader } from '../format/generic-tile.ts'
import { decode, decodePrefix } from '../format/io.ts'
import { tileChunks } from '../format/tile-chunks.ts'
import type { Fragment } from '../fragment.ts'
import { openGenericTile, type ReadContext } from '../generic-tile.ts'
import type { InspectGroup } from '../group.ts'
import type { Result } from '../render/result.ts'
import { type Folder, readAll } from '../source/source.ts'
import { openTarget, type Target } from '../target.ts'

export interface VerifyOptions {
  /** Uncommitted fragments as well. */
  all: boolean
  /** Undo every filter, and read files without checksums too. */
  deep: boolean
  jobs: number
  shard: { index: number; count: number } | undefined
}

/** One place where a digest or tag does not fit, or a chunk that cannot be undone far enough to tell. */
export interface VerifyFailure {
  [key: string]: Result | undefined
  /** Name of the fragment; null for files of the array. */
  fragment: string | null
  file: string
  /** Null where the fault is not in one tile, one chunk, one filter. */
  tile: number | null
  chunk: number | null
  filter: string | null
  /** Of the chunk's metadata (of the tile where no chunk is known) in the file, bytes. */
  offset: number | null
  /** Digests in hex, where the fault is one that does not fit. */
  expected: string | null
  actual: string | null
  message: string
}

/** What was verified, and what was found. */
export interface Verification {
  fragmentNum: number
  fileNum: number
  tileNum: number
  chunkNum: number
  checksumNum: number
  /** Data files whose filters carry no checksum. */
  unprotectedFiles: string[]
  /** Metadata files without one: all of an array that is not encrypted. */
  unprotectedMetadataFiles: string[]
  failures: VerifyFailure[]
  /** What could not be looked at: no key, no permission, unknown version. */
  notExamined: InspectError[]
}

export type Progress = (done: number, total: number) => void

function nothingYet(): Verification {
  return {
    fragmentNum: 0,
    fileNum: 0,
    tileNum: 0,
    chunkNum: 0,
    checksumNum: 0,
    unprotectedFiles: [],
    unprotectedMetadataFiles: [],
    failures: [],
    notExamined: [],
  }
}

/** Adds what one part found to the whole. */
export function merge(into: Verification, part: Verification): void {
  into.fragmentNum += part.fragmentNum
  into.fileNum += part.fileNum
  into.tileNum += part.tileNum
  into.chunkNum += part.chunkNum
  into.checksumNum += part.checksumNum
  for (const file of part.unprotectedFiles) into.unprotectedFiles.push(file)
  for (const file of part.unprotectedMetadataFiles) into.unprotectedMetadataFiles.push(file)
  for (const failure of part.failures) into.failures.push(failure)
  for (const error of part.notExamined) into.notExamined.push(error)
}

/**
 * Verifies every MD5, SHA-256 and AES-GCM tag of a fragment, an array or all members of a group, and goes on after a failure.
 * @throws InspectError WRONG_TARGET
 */
export async function verifyTarget(
  target: Target,
  cx: ReadContext,
  options: VerifyOptions,
  progress: Progress,
): Promise<Verification> {
  const found = nothingYet()
  if (target.type === 'fragment') {
    await new Verifier(cx, options, found).fragment(target.fragment)
  } else if (target.type === 'array') {
    await verifyArray(target.array, options, found, progress)
  } else if (target.type === 'group') {
    await verifyGroup(target.group, cx, options, found, progress)
  } else {
    throw new InspectError('WRONG_TARGET', 'verify-checksums expects a fragment, an array or a group, found a file', {
      file: target.path,
    })
  }
  return found
}

async function verifyGroup(
  group: InspectGroup,
  cx: ReadContext,
  options: VerifyOptions,
  found: Verification,
  progress: Progress,
): Promise<void> {
  const verifier = new Verifier(cx, options, found)
  await verifier.genericTileFiles(group.folder, ['__group', '__meta'])
  for (const member of await group.members()) {
    const path = member.relative ? `${group.folder.path}/${member.uri}` : member.uri.replace(/^file:\/\//, '')
    const inside: ReadContext = { ...cx, keyProven: false, encrypted: false }
    try {
      const target = await openTarget(group.folder.storage, path, inside)
      merge(found, await verifyTarget(target, inside, options, progress))
    } catch (error) {
      verifier.setAside(error, path)
    }
  }
}

async function verifyArray(
  array: InspectArray,
  options: VerifyOptions,
  found: Verification,
  progress: Progress,
): Promise<void> {
  const verifier = new Verifier(array.cx, options, found)
  const { shard } = options
  if (!shard || shard.index === 0) await verifier.arrayFiles(array)
  const entries = (await array.fragments()).filter((entry) => options.all || entry.committed)
  const wanted = shard ? await shardOf(array, entries, shard) : entries
  // The schema is read first: it tells whether data files end in the AES filter.
  await array.newestSchema().catch((error: unknown) => verifier.setAside(error, array.folder.path))
  let done = 0
  for (const entry of wanted) {
    progress(done++, wanted.length)
    if (entry.state === 'no-metadata') continue
    const fragment = array.fragment(entry.path)
    try {
      await verifier.fragment(fragment)
    } finally {
      await fragment.close()
    }
  }
}

/** The fragments of one part of the work: largest first, each to the part that has the fewest bytes so far. */
async function shardOf<E extends { path: string }>(
  array: InspectArray,
  entries: readonly E[],
  shard: { index: number; count: number },
): Promise<E[]> {
  const sized = await Promise.all(
    entries.map(async (entry, at) => ({ entry, at, bytes: await folderBytes(array.folder.folder(entry.path)) })),
  )
  sized.sort((a, b) => b.bytes - a.bytes || a.at - b.at)
  const load = new Array<number>(shard.count).fill(0)
  const mine: typeof sized = []
  for (const one of sized) {
    const least = load.indexOf(Math.min(...load))
    load[least] += one.bytes
    if (least === shard.index) mine.push(one)
  }
  return mine.sort((a, b) => a.at - b.at).map(({ entry }) => entry)
}

async function folderBytes(folder: Folder): Promise<number> {
  let bytes = 0
  for (const { name, kind } of await folder.list()) {
    if (kind === 'file') bytes += await withSource(folder.file(name), (source) => source.size())
  }
  return bytes
}

/** Verifies files one after the other and collects what it finds. */
class Verifier {
  private readonly cx: ReadContext
  private readonly deep: boolean
  private readonly found: Verification

  constructor(cx: ReadContext, options: VerifyOptions, found: Verification) {
    this.cx = cx
    this.deep = options.deep
    this.found = found
  }

  /** Schema files, enumerations, array metadata and everything about commits: all generic tiles of the array itself. */
  async arrayFiles(array: InspectArray): Promise<void> {
    const { folder } = array
    for (const file of await array.schemaFiles()) await this.genericTileFile(folder, file.path, null)
    await this.genericTileFiles(folder, ['__schema/__enumerations', '__meta', '__fragment_meta'])
    for (const file of (await array.commits()).files) {
      if (file.kind === 'delete' || file.kind === 'update') await this.genericTileFile(folder, file.path, null)
      if (file.kind === 'fragment-metadata' && !file.path.includes('/'))
        await this.genericTileFile(folder, file.path, null)
      for (const { tile } of file.entries) {
        if (!tile) continue
        const source = folder.file(file.path)
        await withSource(source, async () =>
          this.genericTile(await source.read(tile.offset, tile.length), source.name, tile.offset, null),
        )
      }
    }
  }

  /** Every file of these folders, each one generic tile. */
  async genericTileFiles(folder: Folder, inside: readonly string[]): Promise<void> {
    for (const name of inside) {
      for (const entry of await folder.folder(name).listIfThere()) {
        if (entry.kind === 'file' && !entry.name.endsWith('.vac'))
          await this.genericTileFile(folder, `${name}/${entry.name}`, null)
      }
    }
  }

  private async genericTileFile(folder: Folder, path: string, fragment: string | null): Promise<void> {
    const source = folder.file(path)
    this.found.fileNum++
    try {
      await withSource(source, async () => {
        const bytes = await readAll(source)
        const isProtected = await this.genericTile(bytes, source.name, 0, fragment)
        if (isProtected === false) this.found.unprotectedMetadataFiles.push(source.name)
      })
    } catch (error) {
      this.fail(error, { fragment, file: source.name })
    }
  }

  /**
   * One generic tile. Without a tag it is opened only with `deep`.
   * @returns whether it carries a tag; undefined where that could not be told
   */
  private async genericTile(
    bytes: Uint8Array,
    file: string,
    offset: number,
    fragment: string | null,
  ): Promise<boolean | undefined> {
    const place = { fragment, file, offset }
    let failed = false
    try {
      const { value: header } = decodePrefix(bytes, genericTileHeader, { file, offset })
      const isProtected = hasChecksum(header.filters.filters)
      if (!isProtected && !this.deep) return false
      this.found.tileNum++
      const onVerdict: ReadOptions['onVerdict'] = (verdict, chunk) => {
        if (!verdict.ok) failed = true
        this.verdict(verdict, { ...place, chunk })
      }
      const { length } = await openGenericTile(bytes, this.cx, { file, offset }, { onVerdict })
      this.found.chunkNum += countChunks(bytes.subarray(0, length), header.persisted_size)
      return isProtected
    } catch (error) {
      if (!failed) this.fail(error, place)
      return undefined
    }
  }

  /** All files of a fragment. */
  async fragment(fragment: Fragment): Promise<void> {
    this.found.fragmentNum++
    try {
      await this.metadataFile(fragment)
      for (const file of await fragment.fieldFiles()) {
        const role: TileRole =
          file.role === 'offsets' || file.role === 'var' || file.role === 'validity' ? file.role : 'data'
        await this.dataFile(fragment, file.slot, role, file.name)
      }
    } catch (error) {
      this.fail(error, { fragment: fragment.name, file: fragment.metadataSource().name })
    }
  }

  /** The generic tiles of `__fragment_metadata.tdb`, each once. */
  private async metadataFile(fragment: Fragment): Promise<void> {
    const info = await fragment.info()
    const source = fragment.metadataSource()
    this.found.fileNum++
    let unprotected = false
    for (const [offset, end] of metadataTiles(
      await fragment.metadataOffsets(),
      info.footer?.offset ?? (await source.size()),
    )) {
      try {
        const bytes = await source.read(offset, end - offset)
        const isProtected = await this.genericTile(bytes, source.name, offset, fragment.name)
        if (isProtected === false) unprotected = true
      } catch (error) {
        this.fail(error, { fragment: fragment.name, file: source.name, offset })
      }
    }
    if (unprotected) this.found.unprotectedMetadataFiles.push(source.name)
  }

  private async dataFile(fragment: Fragment, slot: number, role: TileRole, name: string): Promise<void> {
    const path = `${fragment.folder.path}/${name}`
    const place = { fragment: fragment.name, file: path }
    this.found.fileNum++
    try {
      const file = await TileFile.open(fragment, slot, role)
      try {
        const filters = file.filters
        const isProtected = hasChecksum(filters)
        if (!isProtected) this.found.unprotectedFiles.push(path)
        if (isProtected || this.deep) await this.tiles(fragment, file, filters)
      } finally {
        await file.close()
      }
    } catch (error) {
      this.fail(error, place)
    }
  }

  private async tiles(fragment: Fragment, file: TileFile, filters: readonly FilterConfig[]): Promise<void> {
    const insideStrings =
      file.role === 'var' && (filters[0]?.name === 'RLE' || filters[0]?.name === 'DICTIONARY_ENCODING')
    const offsets = insideStrings ? await TileFile.open(fragment, file.slot, 'offsets') : undefined
    try {
      for (let tile = 0; tile < file.tileNum; tile++) {
        try {
          const stringOffsets =
            offsets !== undefined && file.cells(tile) > 0 && isStringOffsetsTile(await offsets.stored(tile))
          await this.tile(fragment, file, tile, stringOffsets)
        } catch (error) {
          this.fail(error, { fragment: fragment.name, file: file.source.name, tile, offset: file.offsets[tile] })
        }
      }
    } finally {
      await offsets?.close()
    }
  }

  private async tile(fragment: Fragment, file: TileFile, tile: number, stringOffsets: boolean): Promise<void> {
    const stored = await file.stored(tile)
    this.found.tileNum++
    // Offsets that live in the var tile leave 8 zero bytes here, neither filtered nor encrypted.
    if (file.role === 'offsets' && isStringOffsetsTile(stored)) return
    const base = file.offsets[tile]
    const pipeline = await file.pipeline(stringOffsets)
    const { chunks } = decode(stored, tileChunks, { file: file.source.name, offset: base })
    let unfiltered = 0
    for (const [chunk, one] of chunks.entries()) {
      this.found.chunkNum++
      unfiltered += one.original_length
      const offset = base + (one.metadata.byteOffset - stored.byteOffset)
      const place = { fragment: fragment.name, file: file.source.name, tile, chunk, offset }
      let failed = false
      const onVerdict = (verdict: ChecksumVerdict): void => {
        if (!verdict.ok) failed = true
        this.verdict(verdict, place)
      }
      try {
        pipeline.reverseChunk(one, chunk, { onVerdict, checksumsOnly: !this.deep })
      } catch (error) {
        // A chunk whose digest already failed is reported once.
        if (!failed) this.fail(error, place)
      }
    }
    const expected = file.expectedSize(tile)
    if (expected !== undefined && unfiltered !== expected) {
      throw new InspectError(
        'INCONSISTENT',
        `expected ${expected} unfiltered bytes in the tile, found chunks of ${unfiltered}`,
      )
    }
  }

  private verdict(verdict: ChecksumVerdict, place: Partial<VerifyFailure>): void {
    this.found.checksumNum++
    if (verdict.ok) return
    const { expected, actual, filter } = verdict
    const message =
      actual === undefined
        ? 'the AES-256-GCM tag does not fit: the key is wrong, or the bytes are damaged'
        : `expected ${expected}, found ${actual}`
    this.push({ ...place, filter, expected, actual: actual ?? null, message })
  }

  /** Damage is a failure; what could not be looked at is set aside. */
  private fail(error: unknown, place: Partial<VerifyFailure> & { file: string }): void {
    if (!(error instanceof InspectError)) throw error
    // A listed file that is not there is damage.
    const missing = error.code === 'NOT_FOUND'
    if (!missing && ERROR_CODES[error.code] !== 1) {
      this.setAside(error, place.file)
      return
    }
    const filter = /(?:^|\.)([A-Z][A-Z0-9_]+)(?:\.|$)/.exec(error.at.field ?? '')?.[1] ?? null
    this.push({
      ...place,
      filter,
      offset: place.offset ?? error.at.offset ?? null,
      message: missing ? 'expected the file, found that it is missing' : error.message,
    })
  }

  setAside(error: unknown, file: string): void {
    if (!(error instanceof InspectError)) throw error
    this.found.notExamined.push(
      new InspectError(error.code, error.message, { ...error.at, file: error.at.file ?? file }, { cause: error }),
    )
  }

  private push(failure: Partial<VerifyFailure> & { message: string }): void {
    this.found.failures.push({
      fragment: failure.fragment ?? null,
      file: failure.file ?? '',
      tile: failure.tile ?? null,
      chunk: failure.chunk ?? null,
      filter: failure.filter ?? null,
      offset: failure.offset ?? null,
      expected: failure.expected ?? null,
      actual: failure.actual ?? null,
      message: failure.message,
    })
  }
}

/** Chunks of the generic tile that `bytes` are, whose last `persistedSize` bytes are its chunks. */
function countChunks(bytes: Uint8Array, persistedSize: number): number {
  return decode(bytes.subarray(bytes.length - persistedSize), tileChunks).chunks.length
}

/** Start and end of each generic tile. */
function metadataTiles(offsets: readonly number[], end: number): [number, number][] {
  return offsets.map((offset, i) => [offset, offsets[i + 1] ?? end])
}
