import { concat, NO_BYTES } from '../base/bytes.ts'
import { type CompressedPart, compressorMetadata, readFewParts } from '../format/chunk-metadata.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { encode } from '../format/io.ts'
import { checkLimit, Parts, wholeMetadata } from './bytes.ts'
import type { ByteCodec } from './codecs/codecs.ts'
import type { Filter, FilterContext, FilterDefinition, FilteredBytes, FilterParts } from './filter.ts'
import type { Kernels } from './kernels/kernels.ts'

/** Facts that the general-purpose compressors share. */
export const COMPRESSOR_FACTS = {
  since: 1,
  outputType: undefined,
  suits: undefined,
  metadata: () => compressorMetadata,
} as const satisfies Partial<FilterDefinition>

/** Place of a part in the output when reading. */
interface PartPlace {
  /** Whether the part is metadata of earlier filters. */
  ofMetadata: boolean
  /** {@link FilterContext.into} if the part is all of the data. */
  into: Uint8Array | undefined
}

const IN_METADATA: PartPlace = { ofMetadata: true, into: undefined }

/** What a compression filter does to one part. */
interface PartCodec {
  compress(part: Uint8Array, config: FilterConfig, cx: FilterContext): Uint8Array
  /** Returns exactly `originalLength` bytes, or throws InspectError. */
  decompress(
    part: Uint8Array,
    originalLength: number,
    config: FilterConfig,
    cx: FilterContext,
    place: PartPlace,
  ): Uint8Array
}

/**
 * Makes a compression filter. All of them share this frame. The metadata of earlier filters is compressed too, and goes
 * ahead of the data parts. So only the filter's own metadata stays uncompressed.
 *
 *     metadata  u32 metadata parts, u32 data parts, then per part u32 original length, u32 compressed length
 *     data      the compressed parts, metadata parts first
 *
 * @see format_spec/filters/ (compression filters)
 */
export function compressionFilter(codec: PartCodec): Filter {
  return {
    forward(parts: FilterParts, config, cx): FilterParts {
      const compressed: Uint8Array[] = []
      const take = (part: Uint8Array): CompressedPart => {
        const out = codec.compress(part, config, cx)
        compressed.push(out)
        return { original_length: part.length, compressed_length: out.length }
      }
      const described = { metadata_parts: parts.metadata.map(take), data_parts: parts.data.map(take) }
      return { metadata: [encode(described, compressorMetadata)], data: [concat(compressed)] }
    },

    reverse(bytes: FilteredBytes, config, cx): FilteredBytes {
      const { metadata_parts, data_parts } =
        readFewParts(bytes.metadata) ?? wholeMetadata(bytes.metadata, compressorMetadata, "a compressor's")
      let total = 0
      for (const part of metadata_parts) total += part.original_length
      for (const part of data_parts) total += part.original_length
      checkLimit(total, cx, 'original_length')
      // Only RLE stores such parts. TileDB reads them if they are all that there is.
      const hasEmpty = cx.onRefused && data_parts.some(({ compressed_length }) => compressed_length === 0)
      if (hasEmpty && (cx.losesEmptyParts || metadata_parts.length > 0)) cx.onRefused?.('part of nothing')
      // `into` has the size of all data.
      const [first, second] = data_parts
      const isOnePart = second === undefined
      const place = { ofMetadata: false, into: isOnePart ? cx.into : undefined }
      if (isOnePart && metadata_parts.length === 0 && first?.compressed_length === bytes.data.length) {
        // The usual case, without the lists below.
        return { metadata: NO_BYTES, data: codec.decompress(bytes.data, total, config, cx, place) }
      }
      const stored = new Parts(bytes.data, 'compressed bytes')
      const undo = (parts: readonly CompressedPart[], place: PartPlace): Uint8Array => {
        const out: Uint8Array[] = []
        for (const { original_length, compressed_length } of parts) {
          const part = stored.take(compressed_length, 'compressed_length')
          out.push(codec.decompress(part, original_length, config, cx, place))
        }
        return concat(out)
      }
      const metadata = undo(metadata_parts, IN_METADATA)
      const data = undo(data_parts, place)
      stored.end()
      return { metadata, data }
    },
  }
}

/** Level that TileDB's APIs store by default. */
const DEFAULT_LEVEL = -1

/**
 * Makes a compression filter that runs each part through a general-purpose codec.
 *
 * @param kernel decompresses faster than the codec. If it returns undefined, the codec decompresses the part.
 * @param isCutShort returns whether a part is the truncated stream that TileDB stores for a part of no bytes
 */
export function byteCodecFilter(
  codec: ByteCodec,
  kernel?: (kernels: Kernels, part: Uint8Array, originalLength: number) => Uint8Array | undefined,
  isCutShort?: (part: Uint8Array) => boolean,
): Filter {
  return compressionFilter({
    compress: (part, config) => codec.compress(part, config.level ?? DEFAULT_LEVEL),
    decompress(part, originalLength, _config, { kernels, onRefused, unread }, { into }) {
      const done = kernels && kernel?.(kernels, part, originalLength)
      if (done) return done
      if (originalLength === 0 && isCutShort?.(part)) {
        onRefused?.('stream cut short')
        return NO_BYTES
      }
      if (unread && codec.verify && into?.length === originalLength) {
        codec.verify(part, originalLength)
        return into
      }
      const out = codec.decompressInto && (into?.length === originalLength ? into : kernels?.block(originalLength))
      if (!out) return codec.decompress(part, originalLength)
      codec.decompressInto?.(part, out)
      return out
    },
  })
}
