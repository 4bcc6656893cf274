import { byteCodecFilter, COMPRESSOR_FACTS } from './compressor.ts'
import type { FilterDefinition } from './filter.ts'

/**
 * ZSTD, in the frame that all compression filters share (compressor.ts). Each part is one zstd frame (RFC 8878) that
 * declares its content size. Levels below -7 count as level 3. Level -1, which the APIs store by default, is a fast
 * level.
 *
 * @see format_spec/tile.md, "Compression Filters"
 */
export const zstd: FilterDefinition = {
  ...COMPRESSOR_FACTS,
  load: async (codecs) => byteCodecFilter(await codecs.zstd()),
}
