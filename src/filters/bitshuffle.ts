import { concat } from '../base/bytes.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { Filter, FilterDefinition } from './filter.ts'
import { partFilter, SHUFFLE_FACTS } from './part-filter.ts'

/**
 * BITSHUFFLE: in each block, stores bit 0 of all elements, then bit 1 of all, and so on.
 *
 *     metadata  u32 parts, then per part u32 bytes; earlier metadata
 *     data      per part, in blocks of 8,192 bytes: for each byte j of an element, lowest first, for each bit k of it, lowest
 *               first, that bit of every element, element e in byte e/8 at bit e%8; then, unchanged, the elements after
 *               the last group of eight
 *
 * If the length of a part is not a multiple of 8 bytes, writing splits the part in two: the longest multiple, which may
 * be empty, and the rest. A part whose length is not a multiple of 8 bytes, or not of the element, is stored unchanged.
 *
 * @see format_spec/tile.md, "Bitshuffle Filter"; blocks and rest as in the bitshuffle and blosc libraries
 */
export const bitshuffle: FilterDefinition = {
  ...SHUFFLE_FACTS,
  load: async () => bitshuffleFilter(),
}

function bitshuffleFilter(): Filter {
  const frame = partFilter({
    forward: (part, _config, cx) => blocks(part, datatypeSize(cx.datatype), false),
    reverse(part, _config, cx) {
      const size = datatypeSize(cx.datatype)
      const kernels = isShuffled(part, size) ? cx.kernels : undefined
      return kernels?.run('unbitshuffle', part.length, [part], part.length, size) ?? blocks(part, size, true)
    },
  })
  return {
    forward(parts, config, cx) {
      const { metadata, data } = frame.forward({ ...parts, data: parts.data.flatMap(splitPart) }, config, cx)
      return { metadata, data: [concat(data)] }
    },
    reverse: frame.reverse,
  }
}

/** Cuts off the bytes after the last multiple of 8 bytes, if there are any. */
function splitPart(part: Uint8Array): Uint8Array[] {
  const rest = part.length % 8
  return rest === 0 ? [part] : [part.subarray(0, -rest), part.subarray(-rest)]
}

const BLOCK_BYTES = 8192

/** Whether a part is shuffled. All others are stored unchanged. */
function isShuffled(part: Uint8Array, size: number): boolean {
  return part.length % size === 0 && part.length % 8 === 0
}

/** Shuffles a part block by block, or back when reading. */
function blocks(part: Uint8Array, size: number, reading: boolean): Uint8Array {
  return isShuffled(part, size) ? shuffleBlocks(part, size, reading) : part
}

/** {@link blocks} for a part of whole elements, of any length. */
export function shuffleBlocks(part: Uint8Array, size: number, reading: boolean): Uint8Array {
  const output = new Uint8Array(part.length)
  for (let at = 0; at < part.length; at += BLOCK_BYTES) {
    const end = Math.min(at + BLOCK_BYTES, part.length)
    const groups = Math.floor((end - at) / size / 8)
    const elements = { row: size, square: 8 * size }
    const bits = { row: groups, square: 1 }
    for (let j = 0; j < size; j++) {
      const plane = at + j * 8 * groups
      if (reading) transpose(part, plane, bits, output, at + j, elements, groups)
      else transpose(part, at + j, elements, output, plane, bits, groups)
    }
    const shuffled = at + groups * 8 * size
    output.set(part.subarray(shuffled, end), shuffled)
  }
  return output
}

/** Distances in bytes: from a row of a square to the next row, and from a square to the next square. */
interface Grid {
  row: number
  square: number
}

const ONES = 0x00aa00aa
const TWOS = 0x0000cccc
const FOURS = 0x0f0f0f0f

/**
 * Transposes squares of 8 x 8 bits. A square has eight rows of one byte. It is held in two uint32, row r in byte r. Three
 * steps swap squares of 1, 2 and 4 bits across the diagonal.
 */
// biome-ignore lint/complexity/useMaxParams: a hot loop over two buffers
function transpose(
  input: Uint8Array,
  from: number,
  source: Grid,
  output: Uint8Array,
  to: number,
  target: Grid,
  squares: number,
): void {
  const { row: down } = source
  const { row: across } = target
  for (let square = 0, at = from, end = to; square < squares; square++, at += source.square, end += target.square) {
    const middle = at + 4 * down
    let x = input[at] | (input[at + down] << 8) | (input[at + 2 * down] << 16) | (input[at + 3 * down] << 24)
    let y =
      input[middle] | (input[middle + down] << 8) | (input[middle + 2 * down] << 16) | (input[middle + 3 * down] << 24)
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
    output[end] = x
    output[end + across] = x >>> 8
    output[end + 2 * across] = x >>> 16
    output[end + 3 * across] = x >>> 24
    output[end + 4 * across] = y
    output[end + 5 * across] = y >>> 8
    output[end + 6 * across] = y >>> 16
    output[end + 7 * across] = y >>> 24
  }
}
