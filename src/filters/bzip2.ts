import { HIGHEST_LEVEL } from './codecs/levels.ts'
import { byteCodecFilter, COMPRESSOR_FACTS } from './compressor.ts'
import type { FilterDefinition } from './filter.ts'

/**
 * BZIP2, in the frame that all compression filters share (compressor.ts). Each part is a whole bzip2 stream.
 * The level is the block size in units of 100,000 bytes. Levels below 1 count as 1.
 *
 * @see format_spec/tile.md, "Compression Filters"
 */
export const bzip2: FilterDefinition = {
  ...COMPRESSOR_FACTS,
  usesKernels: true,
  highestLevel: HIGHEST_LEVEL,
  mostUndone: (stored) => (MAX_FROM_BLOCK / MIN_BLOCK) * stored,
  load: async (codecs) =>
    byteCodecFilter(await codecs.bzip2(), (kernels, part, length) => {
      const entries = Math.min(MAX_IN_BLOCK, length + Math.ceil(length / RUN)) + 1
      return kernels.run('unbzip2', length + 4 * entries, [part], part.length, length, entries)?.subarray(0, length)
    }),
}

/** After this many equal bytes, a block has one more byte: the number of further ones. */
const RUN = 4
/** Upper limit on the bytes of a block, with those bytes. */
const MAX_IN_BLOCK = 900_000
/** Upper limit on the bytes that a block gives: 5 of its bytes are a run of 4 to 259. */
const MAX_FROM_BLOCK = (MAX_IN_BLOCK / 5) * 259
/** Bytes of a block that has only what every block has: 105 bits of header, 50 of used bytes and selectors, 2 code tables of 8. */
const MIN_BLOCK = 21
