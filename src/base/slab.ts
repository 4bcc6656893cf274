/** Bytes of a block. */
const BLOCK_BYTES = 65_536
/** Longer arrays get memory of their own. */
const MOST_BYTES = 1024

/**
 * Memory for many small arrays that are viewed as other types. V8 keeps an array of up to 64 bytes in its own heap; another view
 * of it takes a microsecond, and a collection of millions of them seconds.
 */
export class Slab {
  private block = new ArrayBuffer(0)
  private at = 0

  /** Zeros, at an address that every typed array accepts. */
  take(length: number): Uint8Array {
    if (length > MOST_BYTES) return new Uint8Array(length)
    if (this.at + length > this.block.byteLength) {
      this.block = new ArrayBuffer(BLOCK_BYTES)
      this.at = 0
    }
    const { block, at } = this
    this.at += Math.ceil(length / 8) * 8
    return new Uint8Array(block, at, length)
  }
}
