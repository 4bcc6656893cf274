/** Bytes of a block, from which small arrays are taken. */
const BLOCK_BYTES = 65_536
/** Longer arrays are allocated separately. */
const MAX_BYTES = 1024

/**
 * Allocates small arrays: many that are kept, as an ArrayBuffer of its own takes more than 100 bytes, or those that will be viewed as
 * other types. V8 keeps an array of up to 64 bytes in its own heap. Making another view of such an array takes a microsecond, and
 * collecting millions of them takes seconds.
 */
export class Slab {
  private block = new ArrayBuffer(0)
  private at = 0

  /** An array of zeros at an address that every typed array accepts. */
  take(length: number): Uint8Array {
    if (length > MAX_BYTES) return new Uint8Array(length)
    if (this.at + length > this.block.byteLength) {
      this.block = new ArrayBuffer(BLOCK_BYTES)
      this.at = 0
    }
    const { block, at } = this
    this.at += Math.ceil(length / 8) * 8
    return new Uint8Array(block, at, length)
  }

  /** A copy of bytes. */
  copy(bytes: Uint8Array): Uint8Array {
    const copy = this.take(bytes.length)
    copy.set(bytes)
    return copy
  }
}
