import { badData } from '../bytes.ts'
import { undoBlock } from './lz4.ts'

const MAGIC = 0x184d2204
const VERSION = 1
/** Highest bit of a block's length. It is set if the block is not compressed. */
const NOT_COMPRESSED = 0x8000_0000

/**
 * Undoes one LZ4 frame, as in Arrow files. A block may refer to earlier blocks. Checksums are skipped, not compared.
 * @throws InspectError BAD_FILTERED_DATA if the frame is broken or does not give exactly `size` bytes
 * @see lz4_Frame_format.md in the LZ4 repository
 */
export function undoLz4Frame(data: Uint8Array, size: number): Uint8Array {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  let at = 0
  const take = (bytes: number): number => {
    if (data.length - at < bytes) throw badData({ expected: 'the rest of an LZ4 frame', found: 'its end' })
    at += bytes
    return at - bytes
  }
  const uint32 = (): number => view.getUint32(take(4), true)
  const magic = uint32()
  if (magic !== MAGIC)
    throw badData({ expected: 'an LZ4 frame', found: `one that begins with 0x${magic.toString(16)}` })
  const flags = view.getUint8(take(2))
  if (flags >> 6 !== VERSION) throw badData({ expected: `version ${VERSION} of LZ4 frames`, found: flags >> 6 })
  const has = (bit: number): boolean => ((flags >> bit) & 1) === 1
  // Skips the size of the content, the id of a dictionary, and the checksum of the header.
  take((has(3) ? 8 : 0) + (has(0) ? 4 : 0) + 1)
  const out = new Uint8Array(size)
  let filled = 0
  for (;;) {
    const length = uint32()
    if (length === 0) break
    const stored = length >= NOT_COMPRESSED
    const start = take(stored ? length - NOT_COMPRESSED : length)
    const block = data.subarray(start, at)
    if (has(4)) take(4)
    const end = stored ? filled + block.length : undoBlock(block, out, filled, has(5) ? filled : 0)
    if (end === undefined || end > size) throw badData({ expected: `an LZ4 frame of ${size} bytes`, found: 'more' })
    if (stored) out.set(block, filled)
    filled = end
  }
  if (filled !== size) throw badData({ expected: `an LZ4 frame of ${size} bytes`, found: filled })
  return out
}
