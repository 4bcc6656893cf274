import { compressBlock, compressBound, decompressBlock } from 'lz4js'
import { badData } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'

/** The LZ4 block format: see lz4_Block_format.md in the LZ4 repository. */
const MIN_MATCH = 4
const NIBBLE_FULL = 15
const OFFSET_BYTES = 2
/** The last match of a block starts at least this many bytes before the end of the output. */
const LAST_MATCH_DISTANCE = 12
const HASH_ENTRIES = 1 << 16

/** Work space of lz4js, cleared for every part. */
const hashTable = new Uint32Array(HASH_ENTRIES)

/** What a walk through a block finds: the length of its output, and the sequence with the last match. */
interface BlockShape {
  /** Bytes of output. The walk stops once this exceeds the expected size. */
  length: number
  /** Output position of the last match; -1 if there is none. */
  lastMatch: number
  /** The sequence of that match: its position in the block, and the output position of its first literal. */
  token: number
  literals: number
}

/**
 * Checks the lengths and offsets of a block's sequences without copying anything. lz4js's own decoder checks nothing:
 * past the end of the block, or before the start of the output, it reads zeros.
 */
function shapeOf(block: Uint8Array, size: number): BlockShape {
  const shape: BlockShape = { length: 0, lastMatch: -1, token: 0, literals: 0 }
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
    const start = at
    const token = block[at++]
    const literals = extended(token >> 4)
    if (literals > block.length - at)
      throw badData(`expected ${literals} LZ4 literals, found ${block.length - at} bytes`)
    const literalStart = shape.length
    shape.length += literals
    at += literals
    if (at === block.length) break
    if (block.length - at < OFFSET_BYTES)
      throw badData('expected the offset of an LZ4 match, found the end of the block')
    const offset = block[at] | (block[at + 1] << 8)
    at += OFFSET_BYTES
    if (offset === 0 || offset > shape.length)
      throw badData(`expected an LZ4 offset of 1 to ${shape.length}, found ${offset}`)
    shape.lastMatch = shape.length
    shape.token = start
    shape.literals = literalStart
    shape.length += MIN_MATCH + extended(token & NIBBLE_FULL)
    if (shape.length > size) break
  }
  return shape
}

/** Writes the last sequence of a block, which has literals only. @returns the position after it */
function putLiterals(literals: Uint8Array, out: Uint8Array, start: number): number {
  let at = start
  out[at++] = Math.min(literals.length, NIBBLE_FULL) << 4
  if (literals.length >= NIBBLE_FULL) {
    let rest = literals.length - NIBBLE_FULL
    for (; rest >= 255; rest -= 255) out[at++] = 255
    out[at++] = rest
  }
  out.set(literals, at)
  return at + literals.length
}

/** Raw LZ4 blocks: no frame, no size in front. */
export const lz4Codec: ByteCodec = {
  compress(data) {
    const out = new Uint8Array(compressBound(data.length) + NIBBLE_FULL)
    let end = compressBlock(data, out, 0, data.length, hashTable.fill(0))
    if (end === 0) return out.subarray(0, putLiterals(data, out, 0))
    // lz4js 0.2.0 may start a match only 10 bytes before the end. The LZ4 library refuses such a block as corrupt.
    const shape = shapeOf(out.subarray(0, end), data.length)
    if (shape.lastMatch > data.length - LAST_MATCH_DISTANCE)
      end = putLiterals(data.subarray(shape.literals), out, shape.token)
    return out.slice(0, end)
  },
  decompress(data, size) {
    const { length } = shapeOf(data, size)
    if (length !== size)
      throw badData(`expected an LZ4 block of ${size} bytes, found ${length > size ? 'more' : length}`)
    const out = new Uint8Array(size)
    decompressBlock(data, out, 0, data.length, 0)
    return out
  },
}
