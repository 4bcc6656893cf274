import type { Io } from './io.ts'

/**
 * The first fields of both string layouts: no metadata part, one data part, then its lengths and that of its offsets,
 * in bytes.
 *
 *     u32 0, u32 1, u32 original length, u32 compressed length, u32 offsets length
 */
export interface StringPart {
  /** Bytes of all strings. */
  original_length: number
  /** Bytes of the chunk's data. */
  compressed_length: number
  /** Bytes of the offsets that reading rebuilds: 8 for each cell. */
  offsets_length: number
}

export function stringPart(io: Io<StringPart>): StringPart {
  const metadataPartNum = io.derive('metadata_part_num', 'uint32', () => 0, 'parts: always 0')
  io.require(metadataPartNum === 0, 'metadata_part_num', () => `expected no metadata part, found ${metadataPartNum}`)
  const dataPartNum = io.derive('data_part_num', 'uint32', () => 1, 'parts: always 1')
  io.require(dataPartNum === 1, 'data_part_num', () => `expected one data part, found ${dataPartNum}`)
  return {
    original_length: io.u32('original_length', 'bytes: of all strings'),
    compressed_length: io.u32('compressed_length', 'bytes: of the data'),
    offsets_length: io.u32('offsets_length', 'bytes: of the offsets that are rebuilt, 8 a cell'),
  }
}

/**
 * Metadata of RLE for var-sized strings whose offsets are stored in the data (STRING_ASCII since version 12,
 * STRING_UTF8 since 17).
 *
 *     string part, u8 run length size, u8 string length size
 *
 * @see format_spec/tile.md, "Compression Filters"; tiledb/sm/filter/compression_filter.cc
 */
export interface RleStringMetadata {
  part: StringPart
  /** Bytes of each run length in the data: 1, 2, 4 or 8. */
  run_length_size: number
  /** Bytes of each string length in the data: 1, 2, 4 or 8. */
  string_length_size: number
}

export function rleStringMetadata(io: Io<RleStringMetadata>): RleStringMetadata {
  return {
    part: io.struct('part', stringPart),
    run_length_size: io.u8('run_length_size', 'bytes: of a run length in the data, big-endian'),
    string_length_size: io.u8('string_length_size', 'bytes: of a string length, big-endian'),
  }
}
