import { NO_BYTES } from '../base/bytes.ts'
import { compressorMetadata } from '../format/chunk-metadata.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { u64 } from '../format/u32.ts'
import { badData } from './bytes.ts'
import { compressionFilter } from './compressor.ts'
import { checkWhole, deltaDatatype, deltaType, type IntegerType } from './elements.ts'
import type { Filter, FilterDefinition, LostTail } from './filter.ts'
import type { Kernels } from './kernels/kernels.ts'

/** What DELTA and DOUBLE_DELTA do to one part that has at least one element. */
interface DeltaCodec {
  compress(part: Uint8Array, type: IntegerType, formatVersion: number): Uint8Array
  /** Returns `originalLength` bytes. If TileDB dropped the bytes after the last whole element, they are zeros. */
  decompress(part: Uint8Array, originalLength: number, type: IntegerType, kernels: Kernels | undefined): Uint8Array
  /** Returns the original bytes of a part that is not whole elements. Undefined if TileDB dropped some of them. */
  uneven?(part: Uint8Array, originalLength: number, type: IntegerType): Uint8Array | undefined
}

/** Facts that DELTA and DOUBLE_DELTA share. */
export const DELTA_FACTS = {
  elementSize: 'shown',
  unit: (type, { reinterpret_datatype }) => String(datatypeSize(deltaDatatype(type, reinterpret_datatype))),
  usesKernels: true,
  suits: undefined,
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
 * Makes a delta filter: the frame of compression filters with the element type of the delta filters.
 *
 * Empty parts are not written. For an empty part TileDB 2.30 writes a count of 0 and one or two elements of garbage, which
 * it then cannot read. Without a part it can.
 *
 * TileDB does not check that a part is whole elements. It drops the bytes after the last one ({@link LostTail}): the end of
 * another filter's metadata, such as 15 bytes of BIT_WIDTH_REDUCTION seen as INT16, or the end of a compressor's output.
 *
 * @param countAt offset of the uint64 number of elements in a stored part
 */
export function deltaFilter(codec: DeltaCodec, countAt: number): Filter {
  const frame = compressionFilter({
    compress(part, config, cx): Uint8Array {
      const type = deltaType(cx.datatype, config.reinterpret_datatype)
      checkWhole(part, type.size)
      return codec.compress(part, type, cx.formatVersion)
    },
    decompress(part, originalLength, config, cx, { ofMetadata }): Uint8Array {
      const type = deltaType(cx.datatype, config.reinterpret_datatype)
      const count = elementCount(part, countAt)
      const whole = Math.floor(originalLength / type.size)
      const tail = originalLength % type.size
      const kept = tail > 0 ? codec.uneven?.(part, originalLength, type) : undefined
      if (cx.otherType && tail > 0 && count === whole) {
        if (kept) return kept
        const found = `${count} elements: the release that wrote it lost the rest`
        throw badData({ expected: `${originalLength} bytes`, found })
      }
      if (count !== whole || (count === 0 && originalLength > 0)) {
        const fault = {
          expected: `${originalLength} bytes of ${type.size}-byte elements`,
          found: `${count} elements`,
        }
        throw badData(fault, 'element_num')
      }
      if (count === 0) cx.onRefused?.('delta of nothing')
      if (tail > 0 && !kept) cx.onLostTail?.({ length: tail, element_size: type.size, of_metadata: ofMetadata })
      return count === 0 ? NO_BYTES : codec.decompress(part, originalLength, type, cx.kernels)
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
  if (part.length < at + 8)
    throw badData({ expected: 'the number of elements', found: `${part.length} bytes` }, 'element_num')
  return u64(part, at)
}
