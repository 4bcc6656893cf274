import { type AnyIo, type Describe, type Io, lengthAndBytes } from './io.ts'
import { u32, u64 } from './u32.ts'

/**
 * What filters store about a chunk. Each filter puts its metadata in front of the metadata of earlier filters. The files
 * of the filters draw the layouts.
 *
 * @see format_spec/tile.md; format_spec/filters/
 */

/** A count of metadata parts, a count of data parts, then both lists. The data has the parts in the same order. */
function partLists<E>(io: AnyIo, one: 'part' | 'checksum', earlier: string, describe: Describe<E>): [E[], E[]] {
  const [metadata, data] = [`metadata_${one}s`, `data_${one}s`]
  const metadataNum = io.derive(`metadata_${one}_num`, 'uint32', (m) => m[metadata].length, `parts: ${earlier}`)
  const dataNum = io.derive(`data_${one}_num`, 'uint32', (m) => m[data].length, 'parts: of data')
  return [io.list(metadata, metadataNum, describe), io.list(data, dataNum, describe)]
}

/** Lengths of one part that went through a compressor, in bytes. */
export type CompressedPart = ReturnType<typeof compressedPart>
function compressedPart(io: AnyIo) {
  return {
    original_length: io.u32('original_length', 'bytes: before compression'),
    compressed_length: io.u32('compressed_length', 'bytes: in the data; metadata parts come before data parts'),
  }
}

/**
 * Metadata of a compression filter: GZIP, ZSTD, LZ4, RLE, BZIP2, DOUBLE_DELTA, DELTA. The string layouts of RLE and
 * DICTIONARY_ENCODING have other metadata.
 */
export type CompressorMetadata = ReturnType<typeof compressorMetadata>
export function compressorMetadata(io: AnyIo) {
  const earlier = 'of metadata of earlier filters, which are compressed, too'
  const [metadata_parts, data_parts] = partLists(io, 'part', earlier, compressedPart)
  return { metadata_parts, data_parts }
}

const COUNTS_BYTES = 8
const PART_BYTES = 8
/** Upper limit on the metadata bytes for which {@link readFewParts} is tried. */
const FEW_BYTES = 64

/**
 * Reads {@link compressorMetadata} of a few parts without a driver, which is faster. Returns undefined for longer and for
 * damaged metadata.
 */
export function readFewParts(metadata: Uint8Array): CompressorMetadata | undefined {
  if (metadata.length < COUNTS_BYTES || metadata.length > FEW_BYTES) return undefined
  const metadataNum = u32(metadata, 0)
  if (COUNTS_BYTES + PART_BYTES * (metadataNum + u32(metadata, 4)) !== metadata.length) return undefined
  const parts: CompressorMetadata = { metadata_parts: [], data_parts: [] }
  for (let at = COUNTS_BYTES; at < metadata.length; at += PART_BYTES) {
    const list = at < COUNTS_BYTES + PART_BYTES * metadataNum ? parts.metadata_parts : parts.data_parts
    list.push({ original_length: u32(metadata, at), compressed_length: u32(metadata, at + 4) })
  }
  return parts
}

export const AES_IV_BYTES = 12
const AES_TAG_BYTES = 16

/** One encrypted part. */
export type EncryptedPart = ReturnType<typeof encryptedPart>
function encryptedPart(io: AnyIo) {
  return {
    plain_length: io.u32('plain_length', 'bytes: before encryption'),
    encrypted_length: io.u32('encrypted_length', 'bytes: after encryption, the same number'),
    iv: io.bytes('iv', AES_IV_BYTES, 'initialisation vector, 12 bytes'),
    tag: io.bytes('tag', AES_TAG_BYTES, 'authentication tag, 16 bytes; there is no additional authenticated data'),
  }
}

/** Metadata of AES_256_GCM. Upstream's page has lengths of IV and tag in each part; real bytes do not. */
export type AesMetadata = ReturnType<typeof aesMetadata>
export function aesMetadata(io: AnyIo) {
  const earlier = 'of metadata of earlier filters, which are encrypted, too'
  const [metadata_parts, data_parts] = partLists(io, 'part', earlier, encryptedPart)
  return { metadata_parts, data_parts }
}

/** Metadata of CHECKSUM_MD5 (digests of 16 bytes) and CHECKSUM_SHA256 (32). */
export type ChecksumMetadata = ReturnType<ReturnType<typeof checksumMetadata>>
/** Digest of one part. */
export type PartChecksum = ChecksumMetadata['data_checksums'][number]

const LENGTH_BYTES = 8
/** Upper limit on the metadata bytes for which {@link readFewChecksums} is tried. */
const FEW_CHECKSUM_BYTES = 256

/** Reads {@link checksumMetadata} at the start of `metadata` without a driver, as {@link readFewParts}. */
export function readFewChecksums(
  metadata: Uint8Array,
  digestLength: number,
): { value: ChecksumMetadata; length: number } | undefined {
  if (metadata.length < COUNTS_BYTES) return undefined
  const metadataNum = u32(metadata, 0)
  const partBytes = LENGTH_BYTES + digestLength
  const length = COUNTS_BYTES + partBytes * (metadataNum + u32(metadata, 4))
  if (length > Math.min(metadata.length, FEW_CHECKSUM_BYTES)) return undefined
  const value: ChecksumMetadata = { metadata_checksums: [], data_checksums: [] }
  for (let at = COUNTS_BYTES; at < length; at += partBytes) {
    const digest = metadata.subarray(at + LENGTH_BYTES, at + partBytes)
    const part = { length: u64(metadata, at), digest }
    // The driver refuses a length that a number cannot hold.
    if (part.length > Number.MAX_SAFE_INTEGER) return undefined
    const list = at < COUNTS_BYTES + partBytes * metadataNum ? value.metadata_checksums : value.data_checksums
    list.push(part)
  }
  return { value, length }
}

export function checksumMetadata(digestLength: number) {
  const partChecksum = (io: AnyIo) => ({
    length: io.size('length', 'bytes: of the part'),
    digest: io.bytes('digest', digestLength, '16 bytes (MD5) or 32 (SHA-256)'),
  })
  return (io: AnyIo) => {
    const lists = partLists(io, 'checksum', 'of metadata of earlier filters', partChecksum)
    return { metadata_checksums: lists[0], data_checksums: lists[1] }
  }
}

/** Bytes of each part in the data, after filtering. Only SCALE_FLOAT and WEBP change the length of a part. */
export type PartLengthsMetadata = ReturnType<typeof partLengthsMetadata>
/** Metadata of BYTESHUFFLE, BITSHUFFLE, XOR, SCALE_FLOAT and WEBP. */
export function partLengthsMetadata(io: AnyIo) {
  const count = io.derive('part_num', 'uint32', (m) => m.part_lengths.length, 'parts')
  return { part_lengths: io.list('part_lengths', count, partLength) }
}

/** An element of the list is a number, without fields. So it is read as a derived number. */
function partLength(io: Io<number>): number {
  return io.derive('part_length', 'uint32', (length) => length, 'bytes: of the part in the data')
}

/** The fields of {@link bitWidthMetadata} before the windows. */
export function bitWidthHead(io: AnyIo) {
  return {
    original_bytes: io.u32('original_bytes', 'bytes: of all windows before the filter'),
    window_num: io.derive('window_num', 'uint32', (m) => m.windows.length, 'windows'),
  }
}

/** Metadata of BIT_WIDTH_REDUCTION: the windows in the order of the data. */
export type BitWidthMetadata = ReturnType<ReturnType<typeof bitWidthMetadata>>
/** One window of BIT_WIDTH_REDUCTION. `window_bytes` counts the bytes before the reduction; the page says after. */
export type BitWidthWindow = BitWidthMetadata['windows'][number]

/** Bytes of a window's `bits` and `window_bytes`. */
export const BIT_WIDTH_WINDOW_BYTES = 5

/** @param elementSize bytes of one element of the type that the filter sees */
export function bitWidthMetadata(elementSize: number) {
  const subtracted =
    'one element, which was subtracted from every value; without meaning if values keep their full width'
  const window = (io: AnyIo) => ({
    value_offset: io.bytes('value_offset', elementSize, subtracted),
    bits: io.u8('bits', 'bits: of a stored value: 8, 16, 32 or 64'),
    window_bytes: io.u32('window_bytes', 'bytes: of the window before the filter'),
  })
  return (io: AnyIo) => {
    const { original_bytes, window_num } = bitWidthHead(io)
    return { original_bytes, windows: io.list('windows', window_num, window) }
  }
}

/** The fields of {@link positiveDeltaMetadata} before the windows. */
export function positiveDeltaHead(io: AnyIo) {
  return { window_num: io.derive('window_num', 'uint32', (m) => m.windows.length, 'windows') }
}

/** Metadata of POSITIVE_DELTA: windows as for BIT_WIDTH_REDUCTION. */
export type PositiveDeltaMetadata = ReturnType<ReturnType<typeof positiveDeltaMetadata>>
export type PositiveDeltaWindow = PositiveDeltaMetadata['windows'][number]

/** Bytes of a window's `window_bytes`. */
export const POSITIVE_DELTA_WINDOW_BYTES = 4

/** @param elementSize as for {@link bitWidthMetadata} */
export function positiveDeltaMetadata(elementSize: number) {
  const window = (io: AnyIo) => ({
    first_value: io.bytes('first_value', elementSize, 'first element of the window'),
    window_bytes: io.u32('window_bytes', 'bytes: of the window, the same before and after'),
  })
  return (io: AnyIo) => ({ windows: io.list('windows', positiveDeltaHead(io).window_num, window) })
}

/** The first fields of both string layouts: the counts (no metadata part, one data part), then lengths in bytes. */
export type StringPart = ReturnType<typeof stringPart>
function stringPart(io: AnyIo) {
  const metadataPartNum = io.derive('metadata_part_num', 'uint32', () => 0, 'parts: always 0')
  io.require(metadataPartNum === 0, 'metadata_part_num', () => ({
    expected: 'no metadata part',
    found: metadataPartNum,
  }))
  const dataPartNum = io.derive('data_part_num', 'uint32', () => 1, 'parts: always 1')
  io.require(dataPartNum === 1, 'data_part_num', () => ({ expected: 'one data part', found: dataPartNum }))
  return {
    original_length: io.u32('original_length', 'bytes: of all strings'),
    compressed_length: io.u32('compressed_length', 'bytes: of the data'),
    offsets_length: io.u32('offsets_length', 'bytes: of the offsets that are rebuilt, 8 a cell'),
  }
}

/**
 * Metadata of RLE for var-sized strings whose offsets are stored in the data.
 * @see tiledb/sm/filter/compression_filter.cc
 */
export type RleStringMetadata = ReturnType<typeof rleStringMetadata>
export function rleStringMetadata(io: AnyIo) {
  return {
    part: io.struct('part', stringPart),
    run_length_size: io.u8('run_length_size', 'bytes: of a run length in the data, big-endian'),
    string_length_size: io.u8('string_length_size', 'bytes: of a string length, big-endian'),
  }
}

/** Metadata of DICTIONARY_ENCODING. There is no count of entries, although the page has one. */
export type DictionaryMetadata = ReturnType<typeof dictionaryMetadata>
export function dictionaryMetadata(io: AnyIo) {
  return {
    part: io.struct('part', stringPart),
    id_size: io.u8('id_size', 'bytes: of an id in the data, big-endian; chosen from the number of cells'),
    string_length_size: io.u8('string_length_size', 'bytes: of a length in the dictionary, big-endian'),
    dictionary: lengthAndBytes(
      io,
      'dictionary',
      'uint32',
      'entries in the order of first use: length, bytes; no count',
    ),
  }
}
