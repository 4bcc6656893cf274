import type { Io } from './io.ts'
import { u32 } from './u32.ts'

/** Lengths of one part that went through a compressor, in bytes. */
export interface CompressedPart {
  original_length: number
  compressed_length: number
}

/**
 * Metadata of a compression filter: GZIP, ZSTD, LZ4, RLE, BZIP2, DOUBLE_DELTA, DELTA. The string layouts of RLE and
 * DICTIONARY_ENCODING have other metadata. It lists the metadata parts of earlier filters, then the data parts. The
 * chunk's data has the compressed parts in the same order.
 *
 * @see format_spec/filters/ (compression filters)
 */
export interface CompressorMetadata {
  metadata_parts: CompressedPart[]
  data_parts: CompressedPart[]
}

const ONE_PART = 16

/**
 * Fast form of {@link compressorMetadata} for one data part and no metadata part, as when the compressor is the only
 * filter. Undefined for all other metadata, and for damaged metadata.
 */
export function onlyPart(metadata: Uint8Array): CompressedPart | undefined {
  if (metadata.length !== ONE_PART || u32(metadata, 0) !== 0 || u32(metadata, 4) !== 1) return undefined
  return { original_length: u32(metadata, 8), compressed_length: u32(metadata, 12) }
}

function compressedPart(io: Io<CompressedPart>): CompressedPart {
  return {
    original_length: io.u32('original_length', 'bytes: before'),
    compressed_length: io.u32('compressed_length', 'bytes: after; the metadata parts stand ahead of the data parts'),
  }
}

export function compressorMetadata(io: Io<CompressorMetadata>): CompressorMetadata {
  const metadataPartNum = io.derive(
    'metadata_part_num',
    'uint32',
    (m) => m.metadata_parts.length,
    'parts: of metadata of earlier filters, which are compressed, too',
  )
  const dataPartNum = io.derive('data_part_num', 'uint32', (m) => m.data_parts.length, 'parts: of data')
  return {
    metadata_parts: io.list('metadata_parts', metadataPartNum, compressedPart),
    data_parts: io.list('data_parts', dataPartNum, compressedPart),
  }
}
