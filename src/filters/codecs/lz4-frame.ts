import { badData } from '../bytes.ts'
import { outputLength, undoBlock } from './lz4.ts'

const MAGIC = 0x184d2204
const VERSION = 1
/** The first bit of a block's length: it is stored as it is. */
const NOT_COMPRESSED = 0x8000_0000

/**
 * Undoes one LZ4 frame, as Arrow has them: blocks may refer to those before them. Its checksums are not looked at.
 * @throws InspectError BAD_FILTERED_DATA if it is broken or does not give exactly `size` bytes
 * @see lz4_Frame_format.md in the LZ4 repository
 */
export function lz4Frame(data: Uint8Array, size: number): Uint8Array {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  let at = 0
  const take = (bytes: number): number => {
    if (data.length - at < bytes) throw badData('expected the rest of an LZ4 frame, found its end')
    at += bytes
    return at - bytes
  }
  const uint32 = (): number => view.getUint32(take(4), true)
  const magic = uint32()
  if (magic !== MAGIC) throw badData(`expected an LZ4 frame, found one that begins with 0x${magic.toString(16)}`)
  const flags = data[take(2)]
  if (flags >> 6 !== VERSION) throw badData(`expected version ${VERSION} of LZ4 frames, found ${flags >> 6}`)
  const has = (bit: number): boolean => ((flags >> bit) & 1) === 1
  // The size of the content, the number of a dictionary, and a checksum of all that.
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
    const added = stored ? block.length : outputLength(block, size - filled, has(5) ? 0 : filled)
    if (added > size - filled) throw badData(`expected an LZ4 frame of ${size} bytes, found more`)
    if (stored) out.set(block, filled)
    else undoBlock(block, out, filled)
    filled += added
  }
  if (filled !== size) throw badData(`expected an LZ4 frame of ${size} bytes, found ${filled}`)
  return out
}
