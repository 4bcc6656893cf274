import type { TileRole } from '../cells/tile-places.ts'
import type { Bytes, Count, DocumentHead, ErrorBrief, Hex, Offset, TileIndex } from './common.ts'

/**
 * `tiledb-inspect tile <fragment> <field> [index] --json`. `--offset` uses no metadata: the document then has `next_offset`
 * in place of the keys that come from the metadata.
 */
export type TileDocument = ListedTile | TileAtOffset

/** A tile that the metadata lists. */
export interface ListedTile extends StoredTile {
  /** What the file holds of the field. */
  role: TileRole
  tile: TileIndex
  /** Number of tiles in the file. */
  tile_num: Count
  /** Number of cells in the tile. */
  cell_num: Count
  /** Unfiltered bytes of the tile, according to the metadata; left out if the metadata does not have this number. */
  expected_size?: Bytes | undefined
  /** True if the tile itself contains the offsets of its strings. */
  string_offsets?: true | undefined
  /** Bytes of the tile after its last chunk. */
  extra_size?: Bytes | undefined
}

/** A tile that was found without the metadata, with `--offset`. */
export interface TileAtOffset extends StoredTile {
  /** What the file holds of the field; left out if its name does not show this. */
  role?: TileRole | undefined
  /** Byte offset of the next tile in the file; null for the last tile. */
  next_offset: Offset | null
}

/** Facts about a tile that come from its bytes. */
export interface StoredTile extends DocumentHead<'tile'> {
  /** Name of the attribute, dimension or internal field; name of the file if the field is unknown. */
  field: string
  /** Name of the file. */
  file: string
  /** Byte offset of the tile in the file. */
  offset: Offset
  /** Stored bytes. */
  size: Bytes
  /** Bytes of the tile after its filters were undone. */
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
  /** Filters in reading order: the last filter of the pipeline comes first. */
  stages: readonly TileChunkStage[]
  /** Why the filters could not be undone. */
  error?: ErrorBrief | undefined
}

export interface TileChunkStage {
  /** Name of the filter in the C API. */
  filter: string
  metadata: TileFilterMetadata
  /** Bytes of metadata and data before the filter is undone. */
  input_length: Bytes
  /** Bytes of metadata and data after the filter is undone. */
  output_length: Bytes
}

/** A digest of a part. */
export interface TileDigest {
  /** Bytes of the part. */
  length: Bytes
  /** The digest in hex. */
  digest: Hex
}

/** Lengths of a part before and after a filter. */
export interface TilePart {
  /** Bytes before compression. */
  original_length?: Bytes | undefined
  /** Bytes after compression. */
  compressed_length?: Bytes | undefined
  /** Bytes before encryption. */
  plain_length?: Bytes | undefined
  /** Bytes after encryption. */
  encrypted_length?: Bytes | undefined
  /** AES_256_GCM: initialisation vector in hex. */
  iv?: Hex | undefined
  /** AES_256_GCM: tag in hex. */
  tag?: Hex | undefined
}

/** Metadata of a filter for a chunk. The keys depend on the filter. */
export interface TileFilterMetadata {
  /** Compressors, AES_256_GCM: parts of the metadata of earlier filters. */
  metadata_parts?: readonly TilePart[] | undefined
  /** Compressors, AES_256_GCM: parts of the data. */
  data_parts?: readonly TilePart[] | undefined
  /** Checksums: digests of the metadata of earlier filters. */
  metadata_checksums?: readonly TileDigest[] | undefined
  /** Checksums: digests of the data. */
  data_checksums?: readonly TileDigest[] | undefined
  /** BIT_WIDTH_REDUCTION: bytes before the filter is applied. */
  original_bytes?: Bytes | undefined
  /** BIT_WIDTH_REDUCTION, POSITIVE_DELTA: windows in order. */
  windows?: readonly TileFilterMetadataWindow[] | undefined
  /** Other filters: bytes of each part. */
  part_lengths?: readonly Count[] | undefined
  part?: TileFilterMetadataPart | undefined
  /** RLE of strings: bytes of a run length. */
  run_length_size?: Bytes | undefined
  /** RLE and DICTIONARY_ENCODING of strings: bytes of a string length. */
  string_length_size?: Bytes | undefined
  /** DICTIONARY_ENCODING: bytes of an id. */
  id_size?: Bytes | undefined
  /** DICTIONARY_ENCODING: the dictionary in hex. */
  dictionary?: Hex | undefined
}

/** RLE and DICTIONARY_ENCODING of strings: lengths of the strings. */
export interface TileFilterMetadataPart {
  /** Bytes of all strings. */
  original_length: Bytes
  /** Bytes of the strings after the filter is applied. */
  compressed_length: Bytes
  /** Bytes of the offsets, which are rebuilt when the filter is undone. */
  offsets_length: Bytes
}

export interface TileFilterMetadataWindow {
  /** Value that was subtracted from all values, in hex. */
  value_offset?: Hex | undefined
  /** Bits of a stored value. */
  bits?: Count | undefined
  /** Bytes of the window before the filter is applied. */
  window_bytes: Bytes
  /** First value in hex. */
  first_value?: Hex | undefined
}
