import { byteCodecFilter } from './byte-codec-filter.ts'
import type { FilterFactory } from './filter.ts'

/**
 * LZ4, in the frame that all compression filters share (compressor.ts). Each part is one raw LZ4 block, without frame
 * and without a size in front. The level is stored and has no effect.
 *
 * @see format_spec/tile.md, "Compression Filters"
 */
export const lz4: FilterFactory = async (codecs) => ({
  ...byteCodecFilter(await codecs.lz4(), (kernels, part, originalLength) => kernels.unlz4(part, originalLength)),
  usesKernels: true,
})
