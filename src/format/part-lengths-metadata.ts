import type { Io } from './io.ts'

/**
 * Metadata of the filters that keep every data part apart: BYTESHUFFLE, BITSHUFFLE, XOR, SCALE_FLOAT, WEBP.
 *
 *     u32 parts, then per part u32 length
 *
 * The lengths are bytes in the chunk's data, where the parts stand one behind the other; for SCALE_FLOAT and WEBP those are
 * the bytes after filtering, for the others filtering keeps the length.
 *
 * @see format_spec/tile.md, "Byteshuffle Filter", "Bitshuffle Filter"; format_spec/filters/xor.md, float_scale.md, webp.md
 */
export interface PartLengthsMetadata {
  part_lengths: number[]
}

/** An element is a bare number, so it is its own only field. */
function partLength(io: Io<number>): number {
  return io.derive('part_length', 'uint32', (length) => length, 'bytes: of the part in the data')
}

export function partLengthsMetadata(io: Io<PartLengthsMetadata>): PartLengthsMetadata {
  const partNum = io.derive('part_num', 'uint32', (m) => m.part_lengths.length, 'parts')
  return { part_lengths: io.list('part_lengths', partNum, partLength) }
}
