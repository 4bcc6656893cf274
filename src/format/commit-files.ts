import { InspectError } from '../base/errors.ts'
import { decodeText } from './text.ts'

/** One commit listed in a `.con` file. */
export interface ConsolidatedCommit {
  /** `__commits/<name>.wrt`, `__commits/<name>.del`, or for fragments before version 12 `<name>.ok`. */
  path: string
  /** Offset of the line in the file, in bytes. */
  offset: number
  /** Place of the generic tile of a delete or update condition, which the file includes. */
  tile: { offset: number; length: number } | undefined
}

const NEWLINE = 0x0a
const TILE_LENGTH_BYTES = 8

/**
 * Parses consolidated commits (`__commits/<name>.con`): one line of text for each commit. After the line of a `.del` or
 * `.upd` file come a uint64 length and the generic tile of that file. So says upstream's page, but TileDB 2.30 never puts
 * a `.upd` file there, and would not skip its tile.
 *
 * @param commits receives the commits one by one, so that the caller has those before any damage
 * @throws InspectError TRUNCATED if a tile does not fit in the file
 * @see format_spec/consolidated_commits_file.md
 */
export function parseConsolidatedCommits(bytes: Uint8Array, commits: ConsolidatedCommit[] = []): ConsolidatedCommit[] {
  for (let at = 0; at < bytes.length; ) {
    const { text: path, offset, next } = lineAt(bytes, at)
    at = next
    let tile: ConsolidatedCommit['tile']
    if (path.endsWith('.del') || path.endsWith('.upd')) {
      tile = { offset: at + TILE_LENGTH_BYTES, length: tileLength(bytes, at) }
      at = tile.offset + tile.length
    }
    if (path !== '') commits.push({ path, offset, tile })
  }
  return commits
}

function lineAt(bytes: Uint8Array, offset: number): { text: string; offset: number; next: number } {
  const newline = bytes.indexOf(NEWLINE, offset)
  const end = newline === -1 ? bytes.length : newline
  return { text: decodeText(bytes.subarray(offset, end)), offset, next: end + 1 }
}

function tileLength(bytes: Uint8Array, offset: number): number {
  const left = bytes.length - offset
  const truncated = (expected: number | bigint, found: number, field: string): InspectError =>
    new InspectError('TRUNCATED', { expected: `${expected} bytes`, found }, { offset, field })
  if (left < TILE_LENGTH_BYTES) throw truncated(TILE_LENGTH_BYTES, Math.max(left, 0), 'tile_length')
  const length = new DataView(bytes.buffer, bytes.byteOffset + offset, TILE_LENGTH_BYTES).getBigUint64(0, true)
  if (length <= BigInt(left - TILE_LENGTH_BYTES)) return Number(length)
  throw truncated(length, left - TILE_LENGTH_BYTES, 'tile')
}

/** Returns the lines of a `.vac` or `.ign` file. Empty lines are included, because TileDB refuses files that have any. */
export function parseLines(bytes: Uint8Array): { text: string; offset: number }[] {
  const lines: { text: string; offset: number }[] = []
  for (let at = 0; at < bytes.length; ) {
    const { text, offset, next } = lineAt(bytes, at)
    lines.push({ text, offset })
    at = next
  }
  return lines
}

/** First format version in which a fragment counts only if a commit file names it. Before, its metadata file is enough. */
export const COMMITS_SINCE = 5

/**
 * First format version in which an array has a folder for its fragments, one for their commits, and one for copies of
 * their footers.
 */
export const FOLDERS_SINCE = 12

/** Folder of the fragments of a format version, relative to the array: empty or ending in `/`. */
export function fragmentsFolder(version: number): string {
  return version >= FOLDERS_SINCE ? '__fragments/' : ''
}

/** Folder of the commits of a format version, relative to the array: empty or ending in `/`. */
export function commitsFolder(version: number): string {
  return version >= FOLDERS_SINCE ? '__commits/' : ''
}

/** Path of the file that commits a fragment; undefined before {@link COMMITS_SINCE}. */
export function commitPath(version: number, fragment: string): string | undefined {
  if (version >= FOLDERS_SINCE) return `${commitsFolder(version)}${fragment}.wrt`
  return version >= COMMITS_SINCE ? `${fragment}.ok` : undefined
}
