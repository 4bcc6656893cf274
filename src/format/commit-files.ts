import { InspectError } from '../base/errors.ts'
import { decodeText } from './text.ts'

/** One commit named by a `.con` file. */
export interface ConsolidatedCommit {
  /** `__commits/<name>.wrt`, `<name>.ok` of fragments before version 12, `__commits/<name>.del`. */
  path: string
  /** Offset of the line in the file, bytes. */
  offset: number
  /** A delete or update condition is kept whole: where its generic tile is. */
  tile: { offset: number; length: number } | undefined
}

const NEWLINE = 0x0a
const TILE_LENGTH_BYTES = 8

/**
 * Consolidated commits (`__commits/<name>.con`): lines of text; behind the line of a `.del` or `.upd` file follow a uint64 length
 * and the whole generic tile of that file, then the next line.
 *
 * @param commits receives them one by one, so that those ahead of damage are known
 * @throws InspectError TRUNCATED where a tile does not fit the file
 * @see format_spec/consolidated_commits_file.md
 */
export function parseConsolidatedCommits(bytes: Uint8Array, commits: ConsolidatedCommit[] = []): ConsolidatedCommit[] {
  let at = 0
  while (at < bytes.length) {
    const offset = at
    let end = bytes.indexOf(NEWLINE, at)
    if (end === -1) end = bytes.length
    const path = decodeText(bytes.subarray(at, end))
    at = end + 1
    let tile: ConsolidatedCommit['tile']
    if (path.endsWith('.del') || path.endsWith('.upd')) {
      tile = { offset: at + TILE_LENGTH_BYTES, length: tileLength(bytes, at) }
      at = tile.offset + tile.length
    }
    if (path !== '') commits.push({ path, offset, tile })
  }
  return commits
}

function tileLength(bytes: Uint8Array, at: number): number {
  const left = bytes.length - at
  if (left < TILE_LENGTH_BYTES) {
    throw new InspectError('TRUNCATED', `expected ${TILE_LENGTH_BYTES} bytes, found ${Math.max(left, 0)}`, {
      offset: at,
      field: 'tile_length',
    })
  }
  const length = new DataView(bytes.buffer, bytes.byteOffset + at, TILE_LENGTH_BYTES).getBigUint64(0, true)
  if (length > BigInt(left - TILE_LENGTH_BYTES)) {
    throw new InspectError('TRUNCATED', `expected ${length} bytes, found ${left - TILE_LENGTH_BYTES}`, {
      offset: at,
      field: 'tile',
    })
  }
  return Number(length)
}

/** Lines of a `.vac` or `.ign` file, empty ones too: TileDB refuses lists that have any. */
export function parseLines(bytes: Uint8Array): { text: string; offset: number }[] {
  const lines: { text: string; offset: number }[] = []
  let at = 0
  while (at < bytes.length) {
    let end = bytes.indexOf(NEWLINE, at)
    if (end === -1) end = bytes.length
    lines.push({ text: decodeText(bytes.subarray(at, end)), offset: at })
    at = end + 1
  }
  return lines
}

/** Last part of a path or URI in a commit file: `.vac` files hold absolute URIs before version 19. */
export function lastPathPart(path: string): string {
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path
  return trimmed.slice(trimmed.lastIndexOf('/') + 1)
}
