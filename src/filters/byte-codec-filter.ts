import type { ByteCodec } from './codecs/codecs.ts'
import { compressionFilter } from './compressor.ts'
import type { Filter } from './filter.ts'

/** Level that the APIs store unless told otherwise. */
const DEFAULT_LEVEL = -1

/** A compression filter whose parts are what one general-purpose codec makes of them. */
export function byteCodecFilter(codec: ByteCodec): Filter {
  return compressionFilter({
    compress: (part, config) => codec.compress(part, config.level ?? DEFAULT_LEVEL),
    decompress: (part, originalLength) => codec.decompress(part, originalLength),
  })
}
