import { type ElementSize, elementSize, u16, u32 } from './elements.ts'
import type { FilterFactory } from './filter.ts'
import { partFilter } from './part-filter.ts'

/**
 * BYTESHUFFLE: the lowest bytes of all elements, then their second bytes, and so on.
 *
 *     metadata  u32 parts, then per part u32 bytes; earlier metadata
 *     data      per part: byte 0 of each of the k whole elements, byte 1 of each, …; the bytes behind the last whole element
 *
 * @see format_spec/tile.md, "Byteshuffle Filter"
 */
export const byteshuffle: FilterFactory = async () => ({
  ...partFilter({
    forward: (part, _config, cx) => shuffle(part, elementSize(cx.datatype)),
    reverse(part, _config, cx) {
      const size = elementSize(cx.datatype)
      const kernels = size > 1 ? cx.kernels : undefined
      return kernels?.unbyteshuffle(part, size) ?? unshuffle(part, size)
    },
  }),
  usesKernels: true,
})

function shuffle(part: Uint8Array, size: ElementSize): Uint8Array {
  const count = Math.floor(part.length / size)
  if (size === 1 || count < 2) return part
  const output = new Uint8Array(part.length)
  if (size === 2) shuffle2(u16(part), output, count)
  else if (size === 4) shuffle4(u32(part), output, count)
  else shuffle8(u32(part), output, count)
  output.set(part.subarray(count * size), count * size)
  return output
}

function shuffle2(input: Uint16Array, output: Uint8Array, count: number): void {
  for (let i = 0; i < count; i++) {
    const value = input[i]
    output[i] = value
    output[count + i] = value >>> 8
  }
}

function shuffle4(input: Uint32Array, output: Uint8Array, count: number): void {
  const second = 2 * count
  const third = 3 * count
  for (let i = 0; i < count; i++) {
    const value = input[i]
    output[i] = value
    output[count + i] = value >>> 8
    output[second + i] = value >>> 16
    output[third + i] = value >>> 24
  }
}

function shuffle8(input: Uint32Array, output: Uint8Array, count: number): void {
  for (let lane = 0; lane < 2; lane++) {
    const at = 4 * lane * count
    const second = at + count
    const third = second + count
    const fourth = third + count
    for (let i = 0; i < count; i++) {
      const value = input[2 * i + lane]
      output[at + i] = value
      output[second + i] = value >>> 8
      output[third + i] = value >>> 16
      output[fourth + i] = value >>> 24
    }
  }
}

function unshuffle(part: Uint8Array, size: ElementSize): Uint8Array {
  const count = Math.floor(part.length / size)
  if (size === 1 || count < 2) return part
  const output = new Uint8Array(part.length)
  if (size === 2) unshuffle2(part, u16(output), count)
  else if (size === 4) unshuffle4(part, u32(output), count)
  else unshuffle8(part, u32(output), count)
  output.set(part.subarray(count * size), count * size)
  return output
}

function unshuffle2(input: Uint8Array, output: Uint16Array, count: number): void {
  for (let i = 0; i < count; i++) output[i] = input[i] | (input[count + i] << 8)
}

function unshuffle4(input: Uint8Array, output: Uint32Array, count: number): void {
  const second = 2 * count
  const third = 3 * count
  for (let i = 0; i < count; i++) {
    output[i] = input[i] | (input[count + i] << 8) | (input[second + i] << 16) | (input[third + i] << 24)
  }
}

function unshuffle8(input: Uint8Array, output: Uint32Array, count: number): void {
  for (let lane = 0; lane < 2; lane++) {
    const at = 4 * lane * count
    const second = at + count
    const third = second + count
    const fourth = third + count
    for (let i = 0; i < count; i++) {
      output[2 * i + lane] =
        input[at + i] | (input[second + i] << 8) | (input[third + i] << 16) | (input[fourth + i] << 24)
    }
  }
}
