import { zstdContentSize } from '../filters/codecs/zstd-frame.ts'

/** The work of a zstd decoder. @see RFC 8878, section 3.1.1 */
interface ZstdWork {
  /** Bytes of Huffman-coded literals. */
  literals: number
  /** Number of sequences: copies of earlier bytes. */
  sequences: number
  /** Bytes of output. */
  bytes: number
}

export function noZstdWork(): ZstdWork {
  return { literals: 0, sequences: 0, bytes: 0 }
}

const BLOCK_HEAD_BYTES = 3
const REPEATED_BLOCK = 1
const COMPRESSED_BLOCK = 2
const CHECKSUM_FLAG = 0x04
const CHECKSUM_BYTES = 4
const MAGIC_BYTES = 4
const DICTIONARY_ID_BYTES = [0, 1, 2, 4]
const CONTENT_SIZE_BYTES = [0, 2, 4, 8]

/** Adds the work for successive frames. They are whole: this program wrote or decoded them. */
export function addZstdWork(data: Uint8Array, work: ZstdWork): void {
  let at = 0
  while (at < data.length) {
    work.bytes += zstdContentSize(data.subarray(at)) ?? 0
    const descriptor = data[at + MAGIC_BYTES]
    const isSingle = (descriptor & 0x20) !== 0
    const sizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6] || Number(isSingle)
    at += MAGIC_BYTES + 1 + Number(!isSingle) + DICTIONARY_ID_BYTES[descriptor & 3] + sizeBytes
    for (let isLast = false; !isLast; ) {
      const head = data[at] | (data[at + 1] << 8) | (data[at + 2] << 16)
      const [type, size] = [(head >> 1) & 3, head >> 3]
      isLast = (head & 1) !== 0
      at += BLOCK_HEAD_BYTES
      if (type === COMPRESSED_BLOCK) addBlock(data.subarray(at, at + size), work)
      at += type === REPEATED_BLOCK ? 1 : size
    }
    if ((descriptor & CHECKSUM_FLAG) !== 0) at += CHECKSUM_BYTES
  }
}

function addBlock(block: Uint8Array, work: ZstdWork): void {
  const { literals, bytes } = literalsOf(block)
  work.literals += literals
  work.sequences += sequenceCount(block.subarray(bytes))
}

/** The number of sequences, which takes one, two or three bytes. */
function sequenceCount([first, second, third]: Uint8Array): number {
  if (first < 128) return first
  return first < 255 ? ((first - 128) << 8) + second : second + (third << 8) + 0x7f00
}

/** Bytes of Huffman-coded literals, and bytes of the section that holds them. */
function literalsOf(block: Uint8Array): { literals: number; bytes: number } {
  const [b0, b1, b2, b3, b4] = block
  const [type, format] = [b0 & 3, (b0 >> 2) & 3]
  // Type 0 is raw bytes, type 1 is one repeated byte.
  if (type < 2) {
    let [head, size] = [1, b0 >> 3]
    if (format === 1) [head, size] = [2, (b0 >> 4) + (b1 << 4)]
    if (format === 3) [head, size] = [3, (b0 >> 4) + (b1 << 4) + (b2 << 12)]
    return { literals: 0, bytes: head + (type === 0 ? size : 1) }
  }
  const bits = [10, 10, 14, 18][format]
  const value = b0 / 16 + b1 * 2 ** 4 + b2 * 2 ** 12 + (format > 1 ? b3 * 2 ** 20 : 0) + (format > 2 ? b4 * 2 ** 28 : 0)
  const both = Math.floor(value)
  return { literals: both % 2 ** bits, bytes: [3, 3, 4, 5][format] + Math.floor(both / 2 ** bits) }
}
