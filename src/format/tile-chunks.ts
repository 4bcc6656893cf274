import type { Io } from './io.ts'
import { u32 } from './u32.ts'

/** One chunk of a tile as stored. */
export interface StoredChunk {
  /** Unfiltered bytes. */
  original_length: number
  /** Metadata of all filters, concatenated, the last filter's in front. */
  metadata: Uint8Array
  /** Filtered data. */
  data: Uint8Array
}

/**
 * A tile as it stands in a data file, and the body of a generic tile: a count, then the chunks. Each chunk went through
 * the filter pipeline alone. The lengths come as original, filtered, metadata; the bytes as metadata, then data.
 *
 * @see format_spec/tile.md
 */
export interface TileChunks {
  chunks: StoredChunk[]
  /** Bytes behind the last chunk. TileDB ignores them and never writes them. */
  extra: Uint8Array
}

export function storedChunk(io: Io<StoredChunk>): StoredChunk {
  const original_length = io.u32('original_length', 'bytes: before filtering')
  const filteredLength = io.derive('filtered_length', 'uint32', (c) => c.data.length, 'bytes: of `data`')
  const metadataLength = io.derive(
    'metadata_length',
    'uint32',
    (c) => c.metadata.length,
    'bytes: of `metadata`, which comes first although its length comes last',
  )
  return {
    original_length,
    metadata: io.bytes('metadata', metadataLength, 'what the filters noted, the last filter first'),
    data: io.bytes('data', filteredLength, 'filtered bytes'),
  }
}

export const CHUNK_COUNT_BYTES = 8
/** The three lengths of a chunk. */
export const CHUNK_HEAD_BYTES = 12
/** Bytes ahead of the first chunk's metadata. */
const FIRST_CHUNK_HEAD = CHUNK_COUNT_BYTES + CHUNK_HEAD_BYTES

/** Bytes of a stored chunk, by its three lengths. */
export function storedChunkLength(head: Uint8Array): number {
  return CHUNK_HEAD_BYTES + u32(head, 4) + u32(head, 8)
}

/**
 * The chunk of a tile that is one chunk and nothing else, as small tiles are: what {@link tileChunks} reads, at a tenth of
 * the time. Undefined for all others, and for damaged ones.
 */
export function onlyChunk(stored: Uint8Array): StoredChunk | undefined {
  if (stored.length < FIRST_CHUNK_HEAD || u32(stored, 0) !== 1 || u32(stored, 4) !== 0) return undefined
  const dataAt = FIRST_CHUNK_HEAD + u32(stored, 16)
  if (dataAt + u32(stored, 12) !== stored.length) return undefined
  return {
    original_length: u32(stored, 8),
    metadata: stored.subarray(FIRST_CHUNK_HEAD, dataAt),
    data: stored.subarray(dataAt),
  }
}

/** How many chunks a tile says that it has; 0 where that is damaged. */
export function chunkCount(stored: Uint8Array): number {
  return stored.length < 8 ? 0 : u32(stored, 0) + u32(stored, 4) * 2 ** 32
}

/** The chunks alone, where the tile's end is not known: it follows from them. */
export function chunkedTile(io: Io<Pick<TileChunks, 'chunks'>>): Pick<TileChunks, 'chunks'> {
  const count = io.derive(
    'chunk_num',
    'uint64',
    (t) => t.chunks.length,
    'chunks: 0 only in tiles of offsets that are kept with the values',
  )
  return { chunks: io.list('chunks', count, storedChunk) }
}

export function tileChunks(io: Io<TileChunks>): TileChunks {
  const count = io.derive(
    'chunk_num',
    'uint64',
    (t) => t.chunks.length,
    'chunks: 0 only in tiles of offsets that are kept with the values',
  )
  return {
    chunks: io.list('chunks', count, storedChunk),
    extra: io.rest('extra', 'bytes behind the last chunk; TileDB passes over them'),
  }
}
