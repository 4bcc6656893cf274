import { InspectError, isNew } from '../base/errors.ts'
import type { NotExamined } from './finding.ts'
import { addCounts, type UnitResult } from './units.ts'

/** A wrong digest or tag, or a chunk whose filters cannot be undone up to its digest or tag. */
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

/** One thing that verifying found. */
export type VerifyItem =
  | { failure: VerifyFailure }
  | NotExamined
  /** A data file whose filters have no checksum. */
  | { unprotected: string }
  /** The first tile of a file that was written without the end of a part; found only with `deep`. */
  | { lostTail: string; tile: number }

/** Counts of what was verified, all of them 0. */
export function noneVerified() {
  return {
    fragment_num: 0,
    /** Fragments that were left out because TileDB does not read them. */
    skipped_fragment_num: 0,
    /** Arrays in which every fragment was left out. */
    skipped_array_num: 0,
    file_num: 0,
    tile_num: 0,
    chunk_num: 0,
    checksum_num: 0,
    /** Metadata files without a checksum: all of them, unless the array is encrypted. */
    unprotected_metadata_files: 0,
    /**
     * How often the key has opened anything: right AES-256-GCM tags, and schemas. A single one proves it. Every shard opens the
     * schema, although only the first shard verifies it.
     */
    key_proof_num: 0,
  }
}

/** Paths of files. Most lie in few folders, and file names repeat from folder to folder. */
class PathList {
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

/** The sum of what units found. An array may have millions of files, so some are only counted. */
export class Verified {
  readonly counts = noneVerified()
  /** Data files whose filters have no checksum. */
  readonly unprotectedFiles = new PathList()
  /** Files that were written without the end of a part, and the first such tile. */
  readonly lostTails = new Map<string, number>()
  /** What could not be examined: no key, no permission, unknown version. */
  notExamined: InspectError[] = []
  private failures: VerifyFailure[] = []

  add({ counts, items }: UnitResult<VerifyItem>): void {
    addCounts(this.counts, counts)
    for (const item of items) {
      if ('failure' in item) this.failures.push(item.failure)
      else if ('notExamined' in item) this.notExamined.push(item.notExamined)
      else if ('unprotected' in item) this.unprotectedFiles.add(item.unprotected)
      else if (!this.lostTails.has(item.lostTail)) this.lostTails.set(item.lostTail, item.tile)
    }
  }

  /**
   * Removes and returns the failures that no later result can change. A wrong tag has to wait until the key is proven, and all
   * failures after it wait, too.
   */
  settled(): VerifyFailure[] {
    const waiting = this.failures.findIndex(({ filter }) => filter === 'AES_256_GCM')
    const isSettled = this.counts.key_proof_num > 0 || waiting < 0
    return this.failures.splice(0, isSettled ? this.failures.length : waiting)
  }

  /**
   * The rest of the failures, once all results are there. If no tag is right at all, the key is wrong rather than the bytes.
   * Failures without a tag then count as not examined.
   */
  rest(): VerifyFailure[] {
    if (this.counts.key_proof_num === 0) this.blameKey()
    // An unreadable schema turns up with the array and again with each fragment.
    const reported = new Set<string>()
    this.notExamined = this.notExamined.filter((error) => isNew(reported, error))
    return this.failures.splice(0)
  }

  private blameKey(): void {
    this.failures = this.failures.filter(({ filter, file, expected }) => {
      if (filter !== 'AES_256_GCM') return true
      // Of a tag that was compared with the wrong key nothing is known.
      if (expected !== null) this.counts.checksum_num--
      if (!this.notExamined.some(({ code, at }) => code === 'WRONG_KEY' && at.file === file)) {
        const message = 'expected bytes that the key decrypts, found no tag that fits: the key is wrong'
        this.notExamined.push(new InspectError('WRONG_KEY', message, { file }))
      }
      return false
    })
  }
}
