import { InspectError } from '../base/errors.ts'
import type { Unit } from './units.ts'

/** One place where a digest or tag is wrong, or a chunk that cannot be undone far enough to know. */
export interface VerifyFailure {
  /** Name of the fragment; null for files of the array. */
  fragment: string | null
  file: string
  /** Null if the fault does not concern one tile, chunk or filter. */
  tile: number | null
  chunk: number | null
  filter: string | null
  /** Offset in the file, in bytes, of the chunk's metadata, or of the tile if the chunk is unknown. */
  offset: number | null
  /** Digests in hex, if the fault is a wrong digest. */
  expected: string | null
  actual: string | null
  message: string
}

/** What was verified, and what was found. */
export interface Verification {
  fragmentNum: number
  /** Number of fragments that were left out because TileDB does not read them. */
  skippedFragmentNum: number
  /** Arrays all of whose fragments were left out. */
  skippedArrayNum: number
  fileNum: number
  tileNum: number
  chunkNum: number
  checksumNum: number
  /** Number of AES-256-GCM tags that are right. A single one proves the key. */
  tagNum: number
  /** Whether the key has opened anything. Every shard opens the schema, although only the first shard verifies it. */
  keyProven: boolean
  /** Data files whose filters have no checksum. */
  unprotectedFiles: string[]
  /** Metadata files without a checksum: all of them, unless the array is encrypted. */
  unprotectedMetadataFiles: string[]
  failures: VerifyFailure[]
  /** Files that were written without the end of a part; found only with `deep`. */
  lostTails: { file: string; tile: number }[]
  /** What could not be examined: no key, no permission, unknown version. */
  notExamined: InspectError[]
}

/** The sum of all parts. An array may have millions of files, so some are only counted. */
export interface Verified extends Omit<Verification, 'unprotectedFiles' | 'unprotectedMetadataFiles'> {
  unprotectedFiles: PathList
  unprotectedMetadataFileNum: number
}

/** Paths of files. Most lie in few folders, and file names repeat from folder to folder. */
export class PathList {
  length = 0
  private readonly folders: { path: string; names: string[] }[] = []
  private readonly known = new Map<string, string>()

  add(path: string): void {
    const slash = path.lastIndexOf('/')
    let folder = this.folders.at(-1)
    if (folder === undefined || folder.path.length !== slash || !path.startsWith(folder.path)) {
      this.share()
      folder = { path: path.slice(0, slash), names: [] }
      this.folders.push(folder)
    }
    const given = path.slice(slash + 1)
    const name = this.known.get(given) ?? given
    this.known.set(name, name)
    folder.names.push(name)
    this.length++
  }

  /** Called when the last folder is complete. If it has the same names as the folder before, they share one list. */
  private share(): void {
    const [before, last] = this.folders.slice(-2)
    if (!last || before.names.length !== last.names.length) return
    if (last.names.every((name, i) => name === before.names[i])) last.names = before.names
  }

  *[Symbol.iterator](): Generator<string> {
    for (const { path, names } of this.folders) for (const name of names) yield `${path}/${name}`
  }
}

/** The sum of no parts. */
export function noneVerified(): Verified {
  const { unprotectedFiles, unprotectedMetadataFiles, ...rest } = nothingYet()
  return { ...rest, unprotectedFiles: new PathList(), unprotectedMetadataFileNum: 0 }
}

/** A part before anything is verified. */
export function nothingYet(): Verification {
  return {
    fragmentNum: 0,
    skippedFragmentNum: 0,
    skippedArrayNum: 0,
    fileNum: 0,
    tileNum: 0,
    chunkNum: 0,
    checksumNum: 0,
    tagNum: 0,
    keyProven: false,
    unprotectedFiles: [],
    unprotectedMetadataFiles: [],
    failures: [],
    lostTails: [],
    notExamined: [],
  }
}

/** The result of a unit that needs no reading; undefined for other units. */
export function knownAlready(part: Unit['part']): Verification | undefined {
  if (part.kind === 'fault') return { ...nothingYet(), notExamined: [part.error] }
  if (part.kind !== 'skipped') return undefined
  return { ...nothingYet(), skippedFragmentNum: part.fragmentNum, skippedArrayNum: part.all ? 1 : 0 }
}

/** Adds the result of one part to the sum. */
export function merge(into: Verified, part: Verification): void {
  into.fragmentNum += part.fragmentNum
  into.skippedFragmentNum += part.skippedFragmentNum
  into.skippedArrayNum += part.skippedArrayNum
  into.fileNum += part.fileNum
  into.tileNum += part.tileNum
  into.chunkNum += part.chunkNum
  into.checksumNum += part.checksumNum
  into.tagNum += part.tagNum
  into.keyProven ||= part.keyProven
  for (const file of part.unprotectedFiles) into.unprotectedFiles.add(file)
  into.unprotectedMetadataFileNum += part.unprotectedMetadataFiles.length
  for (const failure of part.failures) into.failures.push(failure)
  for (const tail of part.lostTails) into.lostTails.push(tail)
  for (const error of part.notExamined) into.notExamined.push(error)
}

/**
 * If no tag is right at all, the key is wrong rather than the bytes. Failures without a tag then count as not examined. To be
 * called for the whole sum, not for single parts.
 */
export function blameKey(found: Verified): void {
  if (found.keyProven || found.tagNum > 0) return
  found.failures = found.failures.filter(({ filter, file }) => {
    if (filter !== 'AES_256_GCM') return true
    if (!found.notExamined.some(({ code, at }) => code === 'WRONG_KEY' && at.file === file)) {
      const message = 'expected bytes that the key decrypts, found no tag that fits: the key is wrong'
      found.notExamined.push(new InspectError('WRONG_KEY', message, { file }))
    }
    return false
  })
}
