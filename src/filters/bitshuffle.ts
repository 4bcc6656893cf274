import { concat } from './bytes.ts'
import { elementSize } from './elements.ts'
import type { Filter, FilterFactory } from './filter.ts'
import { partFilter } from './part-filter.ts'

/**
 * BITSHUFFLE: bit 0 of all elements, then bit 1 of all, and so on, in blocks.
 *
 *     metadata  u32 parts, then per part u32 bytes; earlier metadata
 *     data      per part, in blocks of 8,192 bytes: for each byte j of an element, lowest first, for each bit k of it, lowest
 *               first, that bit of every element, element e in byte e/8 at bit e%8; then the elements behind the last eight
 *
 * A part that is no multiple of 8 bytes is split in two when written: the multiple (even if that is nothing) and the rest.
 * A part that is no multiple of 8 bytes, or of the element, is stored as it is.
 *
 * @see format_spec/tile.md, "Bitshuffle Filter"; blocks and rest as in the bitshuffle and blosc libraries
 */
export const bitshuffle: FilterFactory = async () => {
  const frame = partFilter({
    forward: (part, _config, cx) => blocks(part, elementSize(cx.datatype), shuffleBlock),
    reverse(part, _config, cx) {
      const size = elementSize(cx.datatype)
      const kernels = isShuffled(part, size) ? cx.kernels : undefined
      return kernels?.unbitshuffle(part, size) ?? blocks(part, size, unshuffleBlock)
    },
  })
  const filter: Filter = {
    forward(parts, config, cx) {
      const split: Uint8Array[] = []
      for (const part of parts.data) {
        const whole = part.length - (part.length % 8)
        split.push(part.subarray(0, whole))
        if (whole < part.length) split.push(part.subarray(whole))
      }
      const shuffled = frame.forward({ metadata: parts.metadata, data: split }, config, cx)
      return { metadata: shuffled.metadata, data: [concat(shuffled.data)] }
    },
    reverse: frame.reverse,
    usesKernels: true,
  }
  return filter
}

const BLOCK_BYTES = 8192

type Block = (input: Uint8Array, output: Uint8Array, at: number, groups: number, size: number) => void

function isShuffled(part: Uint8Array, size: number): boolean {
  return part.length % size === 0 && part.length % 8 === 0
}

function blocks(part: Uint8Array, size: number, work: Block): Uint8Array {
  if (!isShuffled(part, size)) return part
  const output = new Uint8Array(part.length)
  for (let at = 0; at < part.length; at += BLOCK_BYTES) {
    const end = Math.min(at + BLOCK_BYTES, part.length)
    const groups = Math.floor((end - at) / size / 8)
    work(part, output, at, groups, size)
    const shuffled = at + groups * 8 * size
    if (shuffled < end) output.set(part.subarray(shuffled, end), shuffled)
  }
  return output
}

/*
 * Both directions transpose squares of 8 x 8 bits: byte j of eight elements on one side, one byte from each of eight rows on
 * the other. A square is two uint32, row r in byte r; the three steps swap squares of 1, 2 and 4 bits across the diagonal.
 */

const ONES = 0x00aa00aa
const TWOS = 0x0000cccc
const FOURS = 0x0f0f0f0f

/** `groups` of eight elements each, from `at` on. */
function shuffleBlock(input: Uint8Array, output: Uint8Array, at: number, groups: number, size: number): void {
  for (let j = 0; j < size; j++) {
    let from = at + j
    let to = at + j * 8 * groups
    for (let g = 0; g < groups; g++) {
      let x = input[from] | (input[from + size] << 8) | (input[from + 2 * size] << 16) | (input[from + 3 * size] << 24)
      from += 4 * size
      let y = input[from] | (input[from + size] << 8) | (input[from + 2 * size] << 16) | (input[from + 3 * size] << 24)
      from += 4 * size
      let swap = (x ^ (x >>> 7)) & ONES
      x ^= swap ^ (swap << 7)
      swap = (y ^ (y >>> 7)) & ONES
      y ^= swap ^ (swap << 7)
      swap = (x ^ (x >>> 14)) & TWOS
      x ^= swap ^ (swap << 14)
      swap = (y ^ (y >>> 14)) & TWOS
      y ^= swap ^ (swap << 14)
      swap = ((x >>> 4) ^ y) & FOURS
      y ^= swap
      x ^= swap << 4
      output[to] = x
      output[to + groups] = x >>> 8
      output[to + 2 * groups] = x >>> 16
      output[to + 3 * groups] = x >>> 24
      output[to + 4 * groups] = y
      output[to + 5 * groups] = y >>> 8
      output[to + 6 * groups] = y >>> 16
      output[to + 7 * groups] = y >>> 24
      to++
    }
  }
}

function unshuffleBlock(input: Uint8Array, output: Uint8Array, at: number, groups: number, size: number): void {
  for (let j = 0; j < size; j++) {
    let from = at + j * 8 * groups
    let to = at + j
    for (let g = 0; g < groups; g++) {
      let x =
        input[from] | (input[from + groups] << 8) | (input[from + 2 * groups] << 16) | (input[from + 3 * groups] << 24)
      let y =
        input[from + 4 * groups] |
        (input[from + 5 * groups] << 8) |
        (input[from + 6 * groups] << 16) |
        (input[from + 7 * groups] << 24)
      from++
      let swap = (x ^ (x >>> 7)) & ONES
      x ^= swap ^ (swap << 7)
      swap = (y ^ (y >>> 7)) & ONES
      y ^= swap ^ (swap << 7)
      swap = (x ^ (x >>> 14)) & TWOS
      x ^= swap ^ (swap << 14)
      swap = (y ^ (y >>> 14)) & TWOS
      y ^= swap ^ (swap << 14)
      swap = ((x >>> 4) ^ y) & FOURS
      y ^= swap
      x ^= swap << 4
      output[to] = x
      output[to + size] = x >>> 8
      output[to + 2 * size] = x >>> 16
      output[to + 3 * size] = x >>> 24
      to += 4 * size
      output[to] = y
      output[to + size] = y >>> 8
      output[to + 2 * size] = y >>> 16
      output[to + 3 * size] = y >>> 24
      to += 4 * size
    }
  }
}
