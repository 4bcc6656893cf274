import { badData, copyBytes, repeat } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { compressLz4, lz4Bound } from './lz4-compress.ts'

/** The LZ4 block format: see lz4_Block_format.md in the LZ4 repository. */
const MIN_MATCH = 4
const NIBBLE_FULL = 15
const OFFSET_BYTES = 2

/**
 * Undoes a block into `out`, from offset `start` on.
 *
 * @param first offset of the first byte in `out` that the block may refer to
 * @returns the offset after the last byte written; undefined if `out` is too short
 * @throws InspectError BAD_FILTERED_DATA if the block is broken
 */
export function undoBlock(block: Uint8Array, out: Uint8Array, start = 0, first = start): number | undefined {
  let at = 0
  let to = start
  const extended = (nibble: number): number => {
    let length = nibble
    if (nibble === NIBBLE_FULL) {
      let byte: number | undefined
      do {
        byte = block[at++]
        if (byte === undefined) throw badData({ expected: 'the rest of an LZ4 length', found: 'the end of the block' })
        length += byte
      } while (byte === 255)
    }
    return length
  }
  while (true) {
    const token = block[at++]
    if (token === undefined) throw badData({ expected: 'an LZ4 sequence', found: 'the end of the block' })
    const literals = extended(token >> 4)
    if (literals > block.length - at)
      throw badData({ expected: `${literals} LZ4 literals`, found: `${block.length - at} bytes` })
    if (literals > out.length - to) return undefined
    to = copyBytes(block, at, at + literals, out, to)
    at += literals
    if (at === block.length) return to
    const low = block[at]
    const high = block[at + 1]
    if (low === undefined || high === undefined)
      throw badData({ expected: 'the offset of an LZ4 match', found: 'the end of the block' })
    const offset = low | (high << 8)
    at += OFFSET_BYTES
    if (offset === 0 || offset > to - first)
      throw badData({ expected: `an LZ4 offset of 1 to ${to - first}`, found: offset })
    const end = to + MIN_MATCH + extended(token & NIBBLE_FULL)
    if (end > out.length) return undefined
    // A match may overlap its own output.
    repeat(out, to - offset, offset, end - to + offset)
    to = end
  }
}

/** Raw LZ4 blocks: no frame, no size in front. */
export const lz4Codec: ByteCodec = {
  compress(data) {
    const out = new Uint8Array(lz4Bound(data.length))
    return out.slice(0, compressLz4(data, out))
  },
  decompress(data, size) {
    const out = new Uint8Array(size)
    const end = undoBlock(data, out)
    if (end === size) return out
    throw badData({ expected: `an LZ4 block of ${size} bytes`, found: end ?? 'more' })
  },
}
