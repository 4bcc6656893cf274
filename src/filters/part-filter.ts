import { concat } from '../base/bytes.ts'
import { sum } from '../base/sum.ts'
import { partLengthsMetadata } from '../format/chunk-metadata.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { decodePrefix, encode } from '../format/io.ts'
import { badData, checkLimit, Parts } from './bytes.ts'
import {
  type Filter,
  type FilterContext,
  type FilterDefinition,
  type FilteredBytes,
  type FilterParts,
  noMore,
} from './filter.ts'

/** Facts that BYTESHUFFLE and BITSHUFFLE share. */
export const SHUFFLE_FACTS = {
  since: 1,
  outputType: undefined,
  suits: undefined,
  elementSize: 'hidden',
  usesKernels: true,
  metadata: () => partLengthsMetadata,
  mostUndone: noMore,
} as const satisfies Partial<FilterDefinition>

/** What a filter does to one part. */
export interface PartTransform {
  forward(part: Uint8Array, config: FilterConfig, cx: FilterContext): Uint8Array
  reverse(part: Uint8Array, config: FilterConfig, cx: FilterContext): Uint8Array
  /** Bytes that {@link reverse} will return, if not as many as the part has. They are compared with the limit first. */
  outputLength?(part: Uint8Array, config: FilterConfig, cx: FilterContext): number
  /** Whether TileDB drops the bytes after the last whole element of a part. */
  dropsTails?: boolean
}

/**
 * Makes a filter that transforms each data part separately. Earlier metadata stays unchanged, after the filter's own.
 *
 *     metadata  u32 parts, then per part u32 length in the data; earlier metadata
 *     data      the parts, one after another
 */
export function partFilter(transform: PartTransform): Filter {
  return {
    forward(parts: FilterParts, config, cx): FilterParts {
      const data = parts.data.map((part) => transform.forward(part, config, cx))
      const own = encode({ part_lengths: data.map((part) => part.length) }, partLengthsMetadata)
      return { metadata: [own, ...parts.metadata], data }
    },

    reverse(bytes: FilteredBytes, config, cx): FilteredBytes {
      const { value, length } = decodePrefix(bytes.metadata, partLengthsMetadata)
      let total = 0
      for (const part of value.part_lengths) total += part
      if (total === 0 && cx.losesEmptyParts && value.part_lengths.length > 0) cx.onRefused?.('part of nothing')
      if (total !== bytes.data.length) {
        const size = datatypeSize(cx.datatype)
        const whole = sum(value.part_lengths, (length) => length - (length % size))
        const why =
          transform.dropsTails && whole === bytes.data.length
            ? ': TileDB dropped what is after the last whole element when it wrote'
            : ''
        throw badData({ expected: `${total} bytes of data`, found: `${bytes.data.length}${why}` }, 'part_lengths')
      }
      const stored = new Parts(bytes.data, 'bytes of data')
      const parts = value.part_lengths.map((part) => stored.take(part, 'part_lengths'))
      const { outputLength } = transform
      if (outputLength) {
        const declared = sum(parts, (part) => outputLength(part, config, cx))
        checkLimit(declared, cx, 'part_lengths')
      }
      const out = parts.map((part) => transform.reverse(part, config, cx))
      return { metadata: bytes.metadata.subarray(length), data: concat(out) }
    },
  }
}
