import { byteCodecFilter } from './byte-codec-filter.ts'
import type { FilterFactory } from './filter.ts'

/**
 * GZIP, in the frame that all compression filters share (compressor.ts). Each part is a zlib stream (RFC 1950), not a
 * gzip file. Levels below 0 are the default of zlib.
 *
 * @see format_spec/tile.md, "Compression Filters"
 */
export const gzip: FilterFactory = async (codecs) => byteCodecFilter(await codecs.gzip())
