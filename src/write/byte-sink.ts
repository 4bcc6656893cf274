const FIRST_CAPACITY = 1024
/** Limit on the bytes that are copied by a loop. */
const FEW = 16

/** A growing buffer for the bytes of a file. */
export class ByteSink {
  private buffer = new Uint8Array(FIRST_CAPACITY)
  private used = 0

  /** Number of bytes so far. */
  get length(): number {
    return this.used
  }

  append(bytes: Uint8Array): void {
    const need = this.used + bytes.length
    if (need > this.buffer.length) {
      const larger = new Uint8Array(Math.max(need, this.buffer.length * 2))
      larger.set(this.buffer.subarray(0, this.used))
      this.buffer = larger
    }
    // Most calls append a cell of a few bytes, for which a loop is faster.
    if (bytes.length > FEW) this.buffer.set(bytes, this.used)
    else for (let i = 0; i < bytes.length; i++) this.buffer[this.used + i] = bytes[i]
    this.used = need
  }

  /** The bytes so far, without a copy. */
  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.used)
  }
}
