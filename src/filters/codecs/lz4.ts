import { decompressBlock } from 'lz4js'
import { badData } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { compressLz4, lz4Bound } from './lz4-compress.ts'

/** The LZ4 block format: see lz4_Block_format.md in the LZ4 repository. */
const MIN_MATCH = 4
const NIBBLE_FULL = 15
const OFFSET_BYTES = 2

/**
 * Checks the lengths and offsets of a block's sequences without copying anything. lz4js's own decoder checks nothing:
 * past the end of the block, or before the start of the output, it reads zeros.
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

/** Undoes a block that {@link outputLength} found right. @param to where its output begins in `out` */
export function undoBlock(block: Uint8Array, out: Uint8Array, to = 0): void {
  decompressBlock(block, out, 0, block.length, to)
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
    undoBlock(data, out)
    return out
  },
}
