import { badData } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { compressLz4, lz4Bound } from './lz4-compress.ts'

/** The LZ4 block format: see lz4_Block_format.md in the LZ4 repository. */
const MIN_MATCH = 4
const NIBBLE_FULL = 15
const OFFSET_BYTES = 2

/**
 * Checks the lengths and offsets of a block's sequences without copying anything, so that memory is allocated for right blocks alone,
 * and {@link copySequences} checks nothing.
 *
 * @param before bytes in front of the output that the block may refer to
 * @returns bytes of output. The walk stops once they exceed the expected size.
 */
export function outputLength(block: Uint8Array, size: number, before = 0): number {
  let output = 0
  let at = 0
  const extended = (nibble: number): number => {
    let length = nibble
    if (nibble === NIBBLE_FULL) {
      let byte: number
      do {
        if (at >= block.length) throw badData('expected the rest of an LZ4 length, found the end of the block')
        byte = block[at++]
        length += byte
      } while (byte === 255)
    }
    return length
  }
  while (true) {
    if (at >= block.length) throw badData('expected an LZ4 sequence, found the end of the block')
    const token = block[at++]
    const literals = extended(token >> 4)
    if (literals > block.length - at)
      throw badData(`expected ${literals} LZ4 literals, found ${block.length - at} bytes`)
    output += literals
    at += literals
    if (at === block.length) break
    if (block.length - at < OFFSET_BYTES)
      throw badData('expected the offset of an LZ4 match, found the end of the block')
    const offset = block[at] | (block[at + 1] << 8)
    at += OFFSET_BYTES
    if (offset === 0 || offset > before + output)
      throw badData(`expected an LZ4 offset of 1 to ${before + output}, found ${offset}`)
    output += MIN_MATCH + extended(token & NIBBLE_FULL)
    if (output > size) break
  }
  return output
}

/** Below this length a loop is faster than a call. */
const SHORT = 32

/** Undoes a block that {@link outputLength} found right. @param to where its output begins */
export function copySequences(block: Uint8Array, out: Uint8Array, to = 0): void {
  let at = 0
  while (at < block.length) {
    const token = block[at++]
    let literals = token >> 4
    if (literals === NIBBLE_FULL) {
      let byte: number
      do {
        byte = block[at++]
        literals += byte
      } while (byte === 255)
    }
    if (literals < SHORT) for (const end = at + literals; at < end; ) out[to++] = block[at++]
    else {
      out.set(block.subarray(at, at + literals), to)
      at += literals
      to += literals
    }
    if (at === block.length) return
    const offset = block[at] | (block[at + 1] << 8)
    at += OFFSET_BYTES
    let length = token & NIBBLE_FULL
    if (length === NIBBLE_FULL) {
      let byte: number
      do {
        byte = block[at++]
        length += byte
      } while (byte === 255)
    }
    length += MIN_MATCH
    // A match may reach into what it makes: then it repeats.
    if (length < SHORT || offset < length) for (const end = to + length; to < end; to++) out[to] = out[to - offset]
    else {
      out.copyWithin(to, to - offset, to - offset + length)
      to += length
    }
  }
}

/** Raw LZ4 blocks: no frame, no size in front. */
export const lz4Codec: ByteCodec = {
  compress(data) {
    const out = new Uint8Array(lz4Bound(data.length))
    return out.slice(0, compressLz4(data, out))
  },
  decompress(data, size) {
    const length = outputLength(data, size)
    if (length !== size)
      throw badData(`expected an LZ4 block of ${size} bytes, found ${length > size ? 'more' : length}`)
    const out = new Uint8Array(size)
    copySequences(data, out)
    return out
  },
}
