import { InspectError, isNew } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import type { NotExaminedItem } from './finding.ts'
import { addCounts, type UnitResult } from './units.ts'

/** A wrong digest or tag, or a chunk whose digest or tag cannot be reached because a filter fails before it. */
export interface VerifyFailure {
  /** Name of the fragment; null for files of an array or group. */
  fragment: string | null
  file: string
  /** Null, as the next two, if the fault does not concern a single tile, chunk or filter. */
  tile: number | null
  chunk: number | null
  filter: string | null
  /** Offset of the chunk's metadata in the file, in bytes; that of the tile if the chunk is unknown. */
  offset: number | null
  /** Digests in hex; null if the fault is not a wrong digest. */
  expected: string | null
  actual: string | null
  message: Prose
}

/** A result of verifying. */
export type VerifyItem =
  | { failure: VerifyFailure }
  | NotExaminedItem
  /** A data file whose filters have no checksum. */
  | { unprotected: string }
  /** A file that was written without the end of a part, and the first such tile; found only with `deep`. */
  | { lostTail: string; tile: number }

/** Makes the counts of what was verified, all of them 0. */
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
    /** Metadata files without a checksum. Only those of encrypted arrays have one. */
    unprotected_metadata_file_num: 0,
    /**
     * Number of right AES-256-GCM tags and opened schemas. One of them proves the key. Every shard opens the schema, but only the
     * first shard verifies it.
     */
    key_proof_num: 0,
  }
}

/** A list of file paths that needs little memory if most files lie in few folders, and names repeat from folder to folder. */
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

  /** Called when the last folder is complete. Lets it share the list of names with the folder before, if they are the same. */
  private share(): void {
    const [before, last] = this.folders.slice(-2)
    if (!last || before.names.length !== last.names.length) return
    if (last.names.every((name, i) => name === before.names[i])) last.names = before.names
  }

  *[Symbol.iterator](): Generator<string> {
    for (const { path, names } of this.folders) for (const name of names) yield `${path}/${name}`
  }
}

/** The sum of the results of all units. Some files are only counted, because an array may have millions. */
export class Verified {
  readonly counts = noneVerified()
  /** Data files whose filters have no checksum. */
  readonly unprotectedFiles = new PathList()
  /** Files that were written without the end of a part, with the first such tile. */
  readonly lostTails = new Map<string, number>()
  /** Why files could not be examined: {@link NotExaminedItem}. */
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
   * Removes and returns the failures that no later result can change. A wrong tag waits until the key is proven. So do all
   * failures after it.
   */
  settled(): VerifyFailure[] {
    const waiting = this.failures.findIndex(({ filter }) => filter === 'AES_256_GCM')
    const isSettled = this.counts.key_proof_num > 0 || waiting < 0
    return this.failures.splice(0, isSettled ? this.failures.length : waiting)
  }

  /** Removes and returns the other failures, after the last result. If no tag is right, the key is wrong and not the bytes. */
  rest(): VerifyFailure[] {
    if (this.counts.key_proof_num === 0) this.blameKey()
    // The units of the array and of each fragment all report an unreadable schema.
    const reported = new Set<string>()
    this.notExamined = this.notExamined.filter((error) => isNew(reported, error))
    return this.failures.splice(0)
  }

  /** Turns failures of tags into files that were not examined. */
  private blameKey(): void {
    this.failures = this.failures.filter(({ filter, file, expected }) => {
      if (filter !== 'AES_256_GCM') return true
      // A tag that was compared with the wrong key does not count as verified.
      if (expected !== null) this.counts.checksum_num--
      if (!this.notExamined.some(({ code, at }) => code === 'WRONG_KEY' && at.file === file)) {
        const fault = { expected: 'bytes that the key decrypts', found: 'no tag that fits: the key is wrong' }
        this.notExamined.push(new InspectError('WRONG_KEY', fault, { file }))
      }
      return false
    })
  }
}
