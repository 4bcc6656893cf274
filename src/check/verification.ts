import { InspectError } from '../base/errors.ts'
import type { Unit } from './units.ts'

/** One place where a digest or tag does not fit, or a chunk that cannot be undone far enough to tell. */
export interface VerifyFailure {
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
  /** Fragments that were left out, as TileDB does not read them. */
  skippedFragmentNum: number
  /** Arrays of which every fragment was left out. */
  skippedArrayNum: number
  fileNum: number
  tileNum: number
  chunkNum: number
  checksumNum: number
  /** AES-256-GCM tags among them that fit: the key is the right one. */
  tagNum: number
  /** Whether the key has opened anything: what belongs to no fragment is one shard's work, but every shard opens the schema. */
  keyProven: boolean
  /** Data files whose filters carry no checksum. */
  unprotectedFiles: string[]
  /** Metadata files without one: all of an array that is not encrypted. */
  unprotectedMetadataFiles: string[]
  failures: VerifyFailure[]
  /** Files that were written without the end of a part; with `deep`. */
  lostTails: { file: string; tile: number }[]
  /** What could not be looked at: no key, no permission, unknown version. */
  notExamined: InspectError[]
}

/** The sum of all parts. Arrays may have millions of files: those that need no more than counting are counted. */
export interface Verified extends Omit<Verification, 'unprotectedFiles' | 'unprotectedMetadataFiles'> {
  unprotectedFiles: PathList
  unprotectedMetadataFileNum: number
}

/** Paths of files, most of which lie beside one another and are named like others elsewhere. */
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

  /** The last folder's names are whole: where they are those of the one before, they are kept once. */
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

/** What a part has found before it begins. */
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

/** What a unit found that needs no reading; undefined where it does. */
export function knownAlready(part: Unit['part']): Verification | undefined {
  if (part.kind === 'fault') return { ...nothingYet(), notExamined: [part.error] }
  if (part.kind !== 'skipped') return undefined
  return { ...nothingYet(), skippedFragmentNum: part.fragmentNum, skippedArrayNum: part.all ? 1 : 0 }
}

/** Adds what one part found to the whole. */
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
 * Where not one tag fits, the key is to blame rather than the bytes: what failed for want of a tag was not examined.
 * To be called on the whole, not on its parts.
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
