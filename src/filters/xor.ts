import { partLengthsMetadata } from '../format/chunk-metadata.ts'
import { datatypeSize, type ElementSize } from '../format/datatype.ts'
import { badData } from './bytes.ts'
import { checkWhole, lanesEach, lanesOf, signedInteger } from './elements.ts'
import { type FilterDefinition, noMore } from './filter.ts'
import { partFilter } from './part-filter.ts'

/**
 * XOR: combines every element but the first with the one before it. The next filter sees signed integers of the same
 * size.
 *
 *     metadata  u32 parts, then per part u32 bytes; earlier metadata
 *     data      per part in[0], in[0]^in[1], in[1]^in[2]…
 *
 * @see format_spec/filters/xor.md
 */
export const xor: FilterDefinition = {
  since: 16,
  suits: undefined,
  elementSize: 'hidden',
  usesKernels: true,
  outputType: (input) => signedInteger(datatypeSize(input)),
  metadata: () => partLengthsMetadata,
  mostUndone: noMore,
  load: async () =>
    partFilter({
      dropsTails: true,
      forward(part, _config, cx) {
        const size = datatypeSize(cx.datatype)
        checkWhole(part, size)
        return combine(part, size, false)
      },
      reverse(part, _config, cx) {
        const size = datatypeSize(cx.datatype)
        if (part.length % size !== 0)
          throw badData({ expected: `whole ${size}-byte elements`, found: `${part.length} bytes` }, 'part_lengths')
        return cx.kernels?.run('unxor', part.length, [part], part.length, size) ?? combine(part, size, true)
      },
    }),
}

/** XORs every element with the one before it: in the input when writing, in the output when reading. */
function combine(part: Uint8Array, size: ElementSize, reading: boolean): Uint8Array {
  const bytes = new Uint8Array(part.length)
  const input = lanesOf(part, size)
  const output = lanesOf(bytes, size)
  const before = reading ? output : input
  const each = lanesEach(size)
  output.set(input.subarray(0, each))
  for (let i = each; i < input.length; i++) output[i] = input[i] ^ before[i - each]
  return bytes
}
