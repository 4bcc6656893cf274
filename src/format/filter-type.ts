import { enumeration } from './coding.ts'

/**
 * Filter types, numbered and named as in the C API (`tiledb_filter_type_t`, `tiledb_filter_type_to_str`). 11 is
 * internal: TileDB stores it only in the pipelines of encrypted generic tiles. 17 is deprecated: TileDB refuses it.
 *
 * @see format_spec/filter_pipeline.md, which in one place gives 17 for WEBP; real bytes have 18
 */
export const FILTER_TYPES = {
  NONE: 0,
  GZIP: 1,
  ZSTD: 2,
  LZ4: 3,
  RLE: 4,
  BZIP2: 5,
  DOUBLE_DELTA: 6,
  BIT_WIDTH_REDUCTION: 7,
  BITSHUFFLE: 8,
  BYTESHUFFLE: 9,
  POSITIVE_DELTA: 10,
  AES_256_GCM: 11,
  CHECKSUM_MD5: 12,
  CHECKSUM_SHA256: 13,
  DICTIONARY_ENCODING: 14,
  SCALE_FLOAT: 15,
  XOR: 16,
  WEBP: 18,
  DELTA: 19,
} as const

export type FilterType = keyof typeof FILTER_TYPES

export const filterTypeCoding = enumeration('filter type', FILTER_TYPES)

/**
 * Numbers of the compressors inside the options of compression filters. They differ from the filter types:
 * DICTIONARY_ENCODING is 7 here and 14 there, DELTA is 8 here and 19 there. Upstream's pages do not list them.
 */
export const COMPRESSORS = {
  GZIP: 1,
  ZSTD: 2,
  LZ4: 3,
  RLE: 4,
  BZIP2: 5,
  DOUBLE_DELTA: 6,
  DICTIONARY_ENCODING: 7,
  DELTA: 8,
} as const satisfies Partial<Record<FilterType, number>>

export type CompressorType = keyof typeof COMPRESSORS

export function isCompressor(name: string): name is CompressorType {
  return Object.hasOwn(COMPRESSORS, name)
}
