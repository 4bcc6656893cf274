import type { Datatype } from '../format/datatype.ts'
import { badData } from './bytes.ts'
import { checkWhole, type ElementSize, elementSize, u16, u32 } from './elements.ts'
import type { FilterFactory } from './filter.ts'
import { partFilter } from './part-filter.ts'

/**
 * XOR: every element but the first is combined with the one before it. The next filter sees integers of the same size.
 *
 *     metadata  u32 parts, then per part u32 bytes; earlier metadata
 *     data      per part in[0], in[0]^in[1], in[1]^in[2]…
 *
 * @see format_spec/filters/xor.md
 */
export const xor: FilterFactory = async () => ({
  outputType: (input) => INTEGERS[elementSize(input)],
  usesKernels: true,
  ...partFilter({
    forward(part, _config, cx) {
      const size = elementSize(cx.datatype)
      checkWhole(part, size)
      return combine(part, size)
    },
    reverse(part, _config, cx) {
      const size = elementSize(cx.datatype)
      if (part.length % size !== 0)
        throw badData(`expected whole ${size}-byte elements, found ${part.length} bytes`, 'part_lengths')
      return cx.kernels?.separate(part, size) ?? separate(part, size)
    },
  }),
})

const INTEGERS: Record<ElementSize, Datatype> = { 1: 'INT8', 2: 'INT16', 4: 'INT32', 8: 'INT64' }

function combine(part: Uint8Array, size: ElementSize): Uint8Array {
  const output = new Uint8Array(part.length)
  if (size === 1) combine8(part, output)
  else if (size === 2) combine16(u16(part), u16(output))
  else combine32(u32(part), u32(output), size / 4)
  return output
}

function combine8(input: Uint8Array, output: Uint8Array): void {
  let before = 0
  for (let i = 0; i < input.length; i++) {
    const value = input[i]
    output[i] = value ^ before
    before = value
  }
}

function combine16(input: Uint16Array, output: Uint16Array): void {
  let before = 0
  for (let i = 0; i < input.length; i++) {
    const value = input[i]
    output[i] = value ^ before
    before = value
  }
}

/** `stride` lanes an element. */
function combine32(input: Uint32Array, output: Uint32Array, stride: number): void {
  const first = Math.min(stride, input.length)
  for (let i = 0; i < first; i++) output[i] = input[i]
  for (let i = stride; i < input.length; i++) output[i] = input[i] ^ input[i - stride]
}

function separate(part: Uint8Array, size: ElementSize): Uint8Array {
  const output = new Uint8Array(part.length)
  if (size === 1) separate8(part, output)
  else if (size === 2) separate16(u16(part), u16(output))
  else if (size === 4) separate32(u32(part), u32(output))
  else separate64(u32(part), u32(output))
  return output
}

function separate8(input: Uint8Array, output: Uint8Array): void {
  let value = 0
  for (let i = 0; i < input.length; i++) {
    value ^= input[i]
    output[i] = value
  }
}

function separate16(input: Uint16Array, output: Uint16Array): void {
  let value = 0
  for (let i = 0; i < input.length; i++) {
    value ^= input[i]
    output[i] = value
  }
}

function separate32(input: Uint32Array, output: Uint32Array): void {
  let value = 0
  for (let i = 0; i < input.length; i++) {
    value ^= input[i]
    output[i] = value
  }
}

function separate64(input: Uint32Array, output: Uint32Array): void {
  let lo = 0
  let hi = 0
  for (let i = 0; i + 1 < input.length; i += 2) {
    lo ^= input[i]
    hi ^= input[i + 1]
    output[i] = lo
    output[i + 1] = hi
  }
}
