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
  // A block gives at most 128 KiB, and takes at least 4 bytes: its header, and the byte of an RLE block (RFC 8878, 3.1.1.2).
  mostUndone: (stored) => 2 ** 15 * stored,
  usesKernels: 'at once',
  load: async (codecs) =>
    byteCodecFilter(await codecs.zstd(), (kernels, part, length) =>
      kernels.run('unzstd', length, [part], part.length, length),
    ),
}
