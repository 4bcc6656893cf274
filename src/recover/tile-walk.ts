import { CHUNK_COUNT_BYTES, CHUNK_HEAD_BYTES, chunkCount, storedChunkLength } from '../format/tile-chunks.ts'
import { u32 } from '../format/u32.ts'
import type { ByteSource } from '../storage/source.ts'

/** The tiles of a data file, found without metadata. */
export interface WalkedFile {
  /** Bytes of the file; 0 if there is none. */
  size: number
  /** Where each whole tile begins, in bytes. */
  starts: number[]
  /** Unfiltered bytes of each tile, from the heads of its chunks. */
  lengths: number[]
  /** Number of chunks of each tile. */
  chunks: number[]
  /** End of the last whole tile. It is the size of the file if nothing is lost and the lengths of all chunks are right. */
  end: number
}

/** Bytes read at a time for the heads of chunks. They hold most chunks of a small tile. */
const WINDOW = 2 ** 14

/**
 * Finds the tiles of a data file by the lengths of their chunks: tiles follow one another from the file's start, and each begins with
 * the number of its chunks.
 *
 * @see format_spec/tile.md
 */
export async function walkTiles(source: ByteSource): Promise<WalkedFile> {
  const size = await source.size()
  let window = new Uint8Array(0)
  let windowAt = 0
  const bytes = async (at: number, length: number): Promise<Uint8Array> => {
    if (at < windowAt || at + length > windowAt + window.length) {
      window = (await source.read(at, Math.min(Math.max(WINDOW, length), size - at))) as Uint8Array<ArrayBuffer>
      windowAt = at
    }
    return window.subarray(at - windowAt, at - windowAt + length)
  }
  const found: WalkedFile = { size, starts: [], lengths: [], chunks: [], end: 0 }
  while (found.end + CHUNK_COUNT_BYTES <= size) {
    const count = chunkCount(await bytes(found.end, CHUNK_COUNT_BYTES))
    let at = found.end + CHUNK_COUNT_BYTES
    let length = 0
    if (count * CHUNK_HEAD_BYTES > size - at) break
    for (let chunk = 0; chunk < count && at <= size; chunk++) {
      if (at + CHUNK_HEAD_BYTES > size) {
        at = size + 1
        break
      }
      const head = await bytes(at, CHUNK_HEAD_BYTES)
      length += u32(head, 0)
      at += storedChunkLength(head)
    }
    if (at > size) break
    found.starts.push(found.end)
    found.lengths.push(length)
    found.chunks.push(count)
    found.end = at
  }
  return found
}

/** The tiles of a file that is not there. */
export const NO_WALK: WalkedFile = { size: 0, starts: [], lengths: [], chunks: [], end: 0 }
