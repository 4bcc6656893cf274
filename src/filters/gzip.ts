import { HIGHEST_LEVEL } from './codecs/levels.ts'
import { byteCodecFilter, COMPRESSOR_FACTS } from './compressor.ts'
import type { FilterDefinition } from './filter.ts'

/**
 * GZIP, in the frame that all compression filters share (compressor.ts). Each part is a zlib stream (RFC 1950), not a
 * gzip file. Levels below 0 are the default of zlib.
 *
 * TileDB before 2.27 allocates too little room for the stream of a part of no bytes. It stores a truncated stream,
 * which no release reads. Here such a stream gives no bytes.
 *
 * @see format_spec/tile.md, "Compression Filters"; tiledb/sm/compressors/gzip_compressor.cc, overhead
 */
export const gzip: FilterDefinition = {
  ...COMPRESSOR_FACTS,
  highestLevel: HIGHEST_LEVEL,
  // DEFLATE (RFC 1951): a match of 258 bytes takes a bit for its length and a bit for its distance.
  mostUndone: (stored) => 1032 * stored,
  usesKernels: true,
  load: async (codecs) =>
    byteCodecFilter(
      await codecs.gzip(),
      (kernels, part, length) => kernels.run('unzlib', length, [part], part.length, length),
      isCutShort,
    ),
}

/** zlib streams of no bytes: compressed, and stored (level 0). */
const EMPTY_STREAMS = [
  [0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01],
  [0x78, 0x01, 0x01, 0x00, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01],
]
/** Offset of the byte that holds the level. */
const LEVEL_AT = 1
/** Bytes that TileDB allocated: header and checksum of a stream, without its blocks. */
const ALLOCATED = 6

/** Whether a part is the beginning of one of {@link EMPTY_STREAMS}. */
function isCutShort(part: Uint8Array): boolean {
  if (part.length < ALLOCATED) return false
  return EMPTY_STREAMS.some(
    (stream) => part.length < stream.length && part.every((byte, at) => at === LEVEL_AT || byte === stream[at]),
  )
}
