import { NO_BYTES } from './bytes.ts'
import type { ByteCodec } from './codecs/codecs.ts'
import { compressionFilter } from './compressor.ts'
import type { Filter } from './filter.ts'
import type { Kernels } from './kernels/kernels.ts'

/** Level that the APIs store unless told otherwise. */
const DEFAULT_LEVEL = -1

type KernelDecompress = (kernels: Kernels, part: Uint8Array, originalLength: number) => Uint8Array | undefined

/**
 * A compression filter that runs each part through a general-purpose codec.
 *
 * @param kernel decompresses faster; undefined from it means that the codec has to do it
 * @param isCutShort whether a part is the truncated stream that TileDB stores for a part of no bytes
 */
export function byteCodecFilter(
  codec: ByteCodec,
  kernel?: KernelDecompress,
  isCutShort?: (part: Uint8Array) => boolean,
): Filter {
  return compressionFilter({
    compress: (part, config) => codec.compress(part, config.level ?? DEFAULT_LEVEL),
    decompress(part, originalLength, _config, { kernels, into, onRefused }) {
      const done = kernels && kernel?.(kernels, part, originalLength)
      if (done) return done
      if (originalLength === 0 && isCutShort?.(part)) {
        onRefused?.('stream cut short')
        return NO_BYTES
      }
      const out = codec.decompressInto && (into?.length === originalLength ? into : kernels?.block(originalLength))
      if (!out) return codec.decompress(part, originalLength)
      codec.decompressInto?.(part, out)
      return out
    },
  })
}
