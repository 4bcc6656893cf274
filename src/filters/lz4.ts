import { byteCodecFilter, COMPRESSOR_FACTS } from './compressor.ts'
import type { FilterDefinition } from './filter.ts'

/**
 * LZ4, in the frame that all compression filters share (compressor.ts). Each part is one raw LZ4 block: no LZ4 frame,
 * no size in front. The level is stored, but has no effect.
 *
 * @see format_spec/tile.md, "Compression Filters"
 */
export const lz4: FilterDefinition = {
  ...COMPRESSOR_FACTS,
  // Each further byte of a match length adds at most 255 (lz4_Block_format.md). The 3 bytes before them give less.
  mostUndone: (stored) => 255 * stored,
  usesKernels: true,
  load: async (codecs) =>
    byteCodecFilter(await codecs.lz4(), (kernels, part, length) =>
      kernels.run('unlz4', length, [part], part.length, length),
    ),
}
