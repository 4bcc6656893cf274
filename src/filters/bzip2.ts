import { byteCodecFilter } from './byte-codec-filter.ts'
import type { FilterFactory } from './filter.ts'

/**
 * BZIP2, in the frame that all compression filters share (compressor.ts). Each part is a whole bzip2 stream.
 * The level is the block size in units of 100,000 bytes; below 1 it is 1.
 *
 * @see format_spec/tile.md, "Compression Filters"
 */
export const bzip2: FilterFactory = async (codecs) => byteCodecFilter(await codecs.bzip2())
