import { type CompressedPart, compressorMetadata, fewParts, onlyPart } from '../format/chunk-metadata.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { encode } from '../format/io.ts'
import { checkLimit, concat, NO_BYTES, Parts, wholeMetadata } from './bytes.ts'
import type { ByteCodec } from './codecs/codecs.ts'
import type { Filter, FilterContext, FilteredBytes, FilterParts } from './filter.ts'
import type { Kernels } from './kernels/kernels.ts'

/** What a compression filter does to one part. */
interface PartCodec {
  compress(part: Uint8Array, config: FilterConfig, cx: FilterContext): Uint8Array
  /** Exactly `originalLength` bytes, or an InspectError. */
  decompress(part: Uint8Array, originalLength: number, config: FilterConfig, cx: FilterContext): Uint8Array
}

/**
 * The frame that all compression filters share. The metadata of earlier filters is compressed too, and goes ahead of
 * the data parts. So only this filter's own metadata stays uncompressed.
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
      const only = onlyPart(bytes.metadata)
      if (only && only.compressed_length === bytes.data.length) {
        checkLimit(only.original_length, cx.limit, 'original_length')
        return { metadata: NO_BYTES, data: codec.decompress(bytes.data, only.original_length, config, cx) }
      }
      const described = fewParts(bytes.metadata) ?? wholeMetadata(bytes.metadata, compressorMetadata, "a compressor's")
      let total = 0
      for (const part of described.metadata_parts) total += part.original_length
      for (const part of described.data_parts) total += part.original_length
      checkLimit(total, cx.limit, 'original_length')
      const stored = new Parts(bytes.data, 'compressed bytes')
      const undo = ({ original_length, compressed_length }: CompressedPart): Uint8Array =>
        codec.decompress(stored.take(compressed_length, 'compressed_length'), original_length, config, cx)
      const { into } = cx
      try {
        cx.into = undefined
        cx.ofMetadata = true
        const metadata = concat(described.metadata_parts.map(undo))
        cx.ofMetadata = false
        // It has the size of all data.
        if (described.data_parts.length === 1) cx.into = into
        const data = concat(described.data_parts.map(undo))
        stored.end()
        return { metadata, data }
      } finally {
        cx.ofMetadata = false
        cx.into = into
      }
    },
  }
}

/** Level that the APIs store unless told otherwise. */
const DEFAULT_LEVEL = -1

/**
 * A compression filter that runs each part through a general-purpose codec.
 *
 * @param kernel decompresses faster; undefined from it means that the codec has to do it
 * @param isCutShort whether a part is the truncated stream that TileDB stores for a part of no bytes
 */
export function byteCodecFilter(
  codec: ByteCodec,
  kernel?: (kernels: Kernels, part: Uint8Array, originalLength: number) => Uint8Array | undefined,
  isCutShort?: (part: Uint8Array) => boolean,
): Filter {
  return compressionFilter({
    compress: (part, config) => codec.compress(part, config.level ?? DEFAULT_LEVEL),
    decompress(part, originalLength, _config, { kernels, into, onRefused, unread }) {
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
