import { type AnyIo, countedList } from './io.ts'
import { u32, u64 } from './u32.ts'

/** One chunk of a tile as stored. Its lengths come in the order original, filtered, metadata. */
export type StoredChunk = ReturnType<typeof storedChunk>
export function storedChunk(io: AnyIo) {
  const original_length = io.u32('original_length', 'bytes: before filtering')
  const filteredLength = io.derive('filtered_length', 'uint32', (c) => c.data.length, 'bytes: of `data`')
  const ofLength = 'bytes: of `metadata`, which comes first although its length comes last'
  const metadataLength = io.derive('metadata_length', 'uint32', (c) => c.metadata.length, ofLength)
  return {
    original_length,
    metadata: io.bytes('metadata', metadataLength, 'metadata of the filters, the last filter first'),
    data: io.bytes('data', filteredLength, 'filtered bytes'),
  }
}

export const CHUNK_COUNT_BYTES = 8
/** Bytes of the three lengths of a chunk. */
export const CHUNK_HEAD_BYTES = 12
/** Bytes before the first chunk's metadata. */
const FIRST_CHUNK_HEAD = CHUNK_COUNT_BYTES + CHUNK_HEAD_BYTES

/** Computes the bytes of a stored chunk from its three lengths. */
export function storedChunkLength(head: Uint8Array): number {
  return CHUNK_HEAD_BYTES + u32(head, 4) + u32(head, 8)
}

/** {@link storedChunk} of all bytes, as many as {@link storedChunkLength} says, without a driver. */
export function chunkIn(stored: Uint8Array): StoredChunk {
  const dataAt = CHUNK_HEAD_BYTES + u32(stored, 8)
  return {
    original_length: u32(stored, 0),
    metadata: stored.subarray(CHUNK_HEAD_BYTES, dataAt),
    data: stored.subarray(dataAt),
  }
}

/**
 * Reads a tile of one chunk, as most small tiles are, in a tenth of the time of {@link tileChunks}. Returns undefined for
 * all other tiles, and for damaged ones. The tile is `bytes[at, end)`.
 */
export function onlyChunk(bytes: Uint8Array, at = 0, end = bytes.length): StoredChunk | undefined {
  if (end - at < FIRST_CHUNK_HEAD || u32(bytes, at) !== 1 || u32(bytes, at + 4) !== 0) return undefined
  const dataAt = at + FIRST_CHUNK_HEAD + u32(bytes, at + 16)
  if (dataAt + u32(bytes, at + 12) !== end) return undefined
  return {
    original_length: u32(bytes, at + 8),
    metadata: bytes.subarray(at + FIRST_CHUNK_HEAD, dataAt),
    data: bytes.subarray(dataAt, end),
  }
}

/** Returns the stored number of chunks; 0 if the tile is too short to have one. */
export function chunkCount(stored: Uint8Array): number {
  return stored.length < CHUNK_COUNT_BYTES ? 0 : u64(stored, 0)
}

/** {@link tileChunks} for a tile whose end is not known: it ends with its last chunk. */
export function chunkedTile(io: AnyIo) {
  const about = 'chunks: 0 only in tiles of offsets that are kept with the values'
  return { chunks: countedList(io, ['chunk_num', 'uint64', about], 'chunks', storedChunk) }
}

/**
 * A tile as stored in a data file, and the body of a generic tile: a count, then the chunks. Each chunk was filtered
 * separately. TileDB never writes extra bytes.
 *
 * @see format_spec/tile.md
 */
export type TileChunks = ReturnType<typeof tileChunks>
export function tileChunks(io: AnyIo) {
  return { ...chunkedTile(io), extra: io.rest('extra', 'bytes after the last chunk; TileDB skips them') }
}
