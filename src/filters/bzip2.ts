import { compressorMetadata } from '../format/chunk-metadata.ts'
import { HIGHEST_LEVEL } from './codecs/levels.ts'
import { byteCodecFilter } from './compressor.ts'
import type { FilterDefinition } from './filter.ts'

/**
 * BZIP2, in the frame that all compression filters share (compressor.ts). Each part is a whole bzip2 stream.
 * The level is the block size in units of 100,000 bytes. Levels below 1 count as 1.
 *
 * @see format_spec/tile.md, "Compression Filters"
 */
export const bzip2: FilterDefinition = {
  highestLevel: HIGHEST_LEVEL,
  metadata: () => compressorMetadata,
  load: async (codecs) => byteCodecFilter(await codecs.bzip2()),
}
