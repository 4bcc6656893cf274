import type { Io } from './io.ts'

/**
 * Metadata of the filters that transform each data part separately: BYTESHUFFLE, BITSHUFFLE, XOR, SCALE_FLOAT, WEBP.
 *
 *     u32 parts, then per part u32 length
 *
 * The lengths are those of the parts in the chunk's data, after filtering, in bytes. The parts lie there one after
 * another. Only SCALE_FLOAT and WEBP change the length of a part.
 *
 * @see format_spec/tile.md, "Byteshuffle Filter", "Bitshuffle Filter"; format_spec/filters/xor.md, float_scale.md, webp.md
 */
export interface PartLengthsMetadata {
  part_lengths: number[]
}

/** An element is a number, not an object with fields. So it is read as a derived number. */
function partLength(io: Io<number>): number {
  return io.derive('part_length', 'uint32', (length) => length, 'bytes: of the part in the data')
}

export function partLengthsMetadata(io: Io<PartLengthsMetadata>): PartLengthsMetadata {
  const partNum = io.derive('part_num', 'uint32', (m) => m.part_lengths.length, 'parts')
  return { part_lengths: io.list('part_lengths', partNum, partLength) }
}
