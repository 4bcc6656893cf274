import { compressorMetadata } from '../format/compressor-metadata.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { badData } from './bytes.ts'
import { compressionFilter } from './compressor.ts'
import { checkWhole, deltaDatatype, deltaType, type IntegerType, lowLane } from './elements.ts'
import type { Filter, FilterContext, FilterDefinition } from './filter.ts'
import type { Kernels } from './kernels/kernels.ts'

/** What DELTA and DOUBLE_DELTA do to one part of at least one element. */
export interface DeltaCodec {
  compress(part: Uint8Array, type: IntegerType, formatVersion: number): Uint8Array
  /** `originalLength` bytes, within the limit: at least one element, zeros where bytes behind the last whole one were dropped. */
  decompress(part: Uint8Array, originalLength: number, type: IntegerType, kernels: Kernels | undefined): Uint8Array
  /** Bytes of a part that are there as they were, though they are no whole elements; undefined where they were dropped. */
  uneven?(part: Uint8Array, originalLength: number, type: IntegerType): Uint8Array | undefined
}

/** What both are known for. */
export const DELTA_FACTS = {
  elementSize: 'shown',
  usesKernels: true,
  outputType: (input, { reinterpret_datatype }) => deltaDatatype(input, reinterpret_datatype),
  metadata: () => compressorMetadata,
  typeRefusal,
  writingRefusal: typeRefusal,
} as const satisfies Partial<FilterDefinition>

function typeRefusal(type: Datatype, { name, reinterpret_datatype }: FilterConfig): string | undefined {
  const seen = deltaDatatype(type, reinterpret_datatype)
  const refused = `${name} does not accept ${type}`
  if (datatypeKind(seen) === 'float') return refused
  return datatypeSize(type) % datatypeSize(seen) === 0 ? undefined : `${refused} as ${seen}`
}

/**
 * The compression frame with the element type of the delta filters. An empty part is not stored at all: TileDB 2.30 writes
 * a count of 0 and one or two elements of garbage for it, and then cannot read that back; without any part it can.
 *
 * TileDB's releases do not look whether a part is a number of whole elements, and drop what is behind the last: the end of
 * another filter's metadata, say 15 bytes of BIT_WIDTH_REDUCTION under INT16, or of what a compressor made of the cells.
 *
 * @see LostTail
 *
 * @param countAt offset of the uint64 number of elements in a stored part
 */
export function deltaFilter(codec: DeltaCodec, countAt: number): Filter {
  const frame = compressionFilter({
    compress(part: Uint8Array, config: FilterConfig, cx: FilterContext): Uint8Array {
      const type = deltaType(cx.datatype, config.reinterpret_datatype)
      checkWhole(part, type.size)
      return codec.compress(part, type, cx.formatVersion)
    },
    decompress(part: Uint8Array, originalLength: number, config: FilterConfig, cx: FilterContext): Uint8Array {
      const type = deltaType(cx.datatype, config.reinterpret_datatype)
      const count = elementCount(part, countAt)
      if (cx.otherType && originalLength % type.size !== 0 && count === Math.floor(originalLength / type.size)) {
        const kept = codec.uneven?.(part, originalLength, type)
        if (kept) return kept
        throw badData(
          `expected ${originalLength} bytes, found ${count} elements: the release that wrote it lost the rest`,
        )
      }
      if (count !== Math.floor(originalLength / type.size) || (count === 0 && originalLength > 0)) {
        throw badData(
          `expected ${originalLength} bytes of ${type.size}-byte elements, found ${count} elements`,
          'element_num',
        )
      }
      if (count === 0) cx.onRefused?.('delta of nothing')
      const tail = originalLength % type.size
      if (tail > 0 && !codec.uneven?.(part, originalLength, type))
        cx.onLostTail?.({ length: tail, element_size: type.size, of_metadata: cx.ofMetadata === true })
      return count === 0 ? new Uint8Array(0) : codec.decompress(part, originalLength, type, cx.kernels)
    },
  })
  return {
    ...frame,
    forward(parts, config, cx) {
      const stored = (part: Uint8Array): boolean => part.length > 0
      return frame.forward({ metadata: parts.metadata.filter(stored), data: parts.data.filter(stored) }, config, cx)
    },
  }
}

function elementCount(part: Uint8Array, at: number): number {
  if (part.length < at + 8) throw badData(`expected the number of elements, found ${part.length} bytes`, 'element_num')
  return (lowLane(part.subarray(at, at + 4)) >>> 0) + (lowLane(part.subarray(at + 4, at + 8)) >>> 0) * 2 ** 32
}
