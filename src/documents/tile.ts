import type { TileRole } from '../cells/tile-places.ts'
import type { Bytes, Count, DocumentHead, ErrorBrief, Hex, Offset } from './common.ts'

/**
 * `tiledb-inspect tile <fragment> <field> [index] --json`. With `--offset`, which uses no metadata, `next_offset`
 * stands in place of what only the metadata knows.
 */
export type TileDocument = ListedTile | TileAtOffset

/** A tile that the metadata lists. */
export interface ListedTile extends StoredTile {
  /** What the file is. */
  role: TileRole
  /** Index of the tile. */
  tile: Count
  /** Number of tiles of the file. */
  tile_num: Count
  /** Cells of the tile. */
  cell_num: Count
  /** Bytes that undoing the filters should give, by the metadata; left out if that does not say. */
  expected_size?: Bytes | undefined
  /** Set where the tile holds the offsets of its strings itself. */
  string_offsets?: true | undefined
  /** Bytes of the tile after its last chunk. */
  extra_size?: Bytes | undefined
}

/** With --offset: a tile found without the metadata. */
export interface TileAtOffset extends StoredTile {
  /** What the file is; left out where its name does not tell. */
  role?: TileRole | undefined
  /** Where the next tile begins, byte offset in the file; null after the last. */
  next_offset: Offset | null
}

/** Facts about a tile that come from its bytes. */
export interface StoredTile extends DocumentHead<'tile'> {
  /** Attribute, dimension or internal field; the file where it is not known. */
  field: string
  /** Name of the file. */
  file: string
  /** Byte offset of the tile in the file. */
  offset: Offset
  /** Stored bytes. */
  size: Bytes
  /** Bytes that undoing the filters gave. */
  unfiltered_size: Bytes
  /** Chunks in order. */
  chunks: readonly TileChunk[]
}

export interface TileChunk {
  /** Byte offset of the chunk in the file. */
  offset: Offset
  /** Bytes before filtering. */
  original_length: Bytes
  /** Bytes of filtered data. */
  filtered_length: Bytes
  /** Bytes of filter metadata. */
  metadata_length: Bytes
  /** Filters in reading order, the last one first. */
  stages: readonly TileChunkStage[]
  /** Why the filters could not be undone. */
  error?: ErrorBrief | undefined
}

export interface TileChunkStage {
  /** C API name. */
  filter: string
  metadata: TileFilterMetadata
  /** Bytes of metadata and data before the filter is undone. */
  input_length: Bytes
  /** Bytes of both after. */
  output_length: Bytes
}

/** A part and its digest. */
export interface TileDigest {
  /** Bytes of the part. */
  length: Bytes
  /** Digest in hex. */
  digest: Hex
}

/** A part: lengths in bytes. */
export interface TilePart {
  /** Bytes before compression. */
  original_length?: Bytes | undefined
  /** Bytes after compression. */
  compressed_length?: Bytes | undefined
  /** Bytes before encryption. */
  plain_length?: Bytes | undefined
  /** Bytes after encryption. */
  encrypted_length?: Bytes | undefined
  /** AES_256_GCM: initialisation vector, hex. */
  iv?: Hex | undefined
  /** AES_256_GCM: tag, hex. */
  tag?: Hex | undefined
}

/** The filter's metadata of the chunk; which keys it has depends on the filter. */
export interface TileFilterMetadata {
  /** Compressors, AES_256_GCM: parts of the metadata of earlier filters. */
  metadata_parts?: readonly TilePart[] | undefined
  /** Compressors, AES_256_GCM: parts of the data. */
  data_parts?: readonly TilePart[] | undefined
  /** Checksums: digests of the metadata of earlier filters. */
  metadata_checksums?: readonly TileDigest[] | undefined
  /** Checksums: digests of the data. */
  data_checksums?: readonly TileDigest[] | undefined
  /** BIT_WIDTH_REDUCTION: bytes before the filter. */
  original_bytes?: Bytes | undefined
  /** BIT_WIDTH_REDUCTION, POSITIVE_DELTA: windows in order. */
  windows?: readonly TileFilterMetadataWindow[] | undefined
  /** Other filters: bytes of each part. */
  part_lengths?: readonly Count[] | undefined
  /** RLE and DICTIONARY_ENCODING of strings. */
  part?: TileFilterMetadataPart | undefined
  /** RLE of strings: bytes of a run length. */
  run_length_size?: Bytes | undefined
  /** RLE and DICTIONARY_ENCODING of strings: bytes of a string length. */
  string_length_size?: Bytes | undefined
  /** DICTIONARY_ENCODING: bytes of an id. */
  id_size?: Bytes | undefined
  /** DICTIONARY_ENCODING: the dictionary, hex. */
  dictionary?: Hex | undefined
}

/** RLE and DICTIONARY_ENCODING of strings. */
export interface TileFilterMetadataPart {
  /** Bytes of all strings. */
  original_length: Bytes
  /** Bytes after the filter. */
  compressed_length: Bytes
  /** Bytes of the offsets that are rebuilt. */
  offsets_length: Bytes
}

export interface TileFilterMetadataWindow {
  /** What was subtracted, hex. */
  value_offset?: Hex | undefined
  /** Bits of a stored value. */
  bits?: Count | undefined
  /** Bytes of the window before the filter. */
  window_bytes: Bytes
  /** First value, hex. */
  first_value?: Hex | undefined
}
