const FIRST_CAPACITY = 1024

/** Bytes of a file as they grow. */
export class ByteSink {
  private buffer = new Uint8Array(FIRST_CAPACITY)
  private used = 0

  /** Bytes so far. */
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
    this.buffer.set(bytes, this.used)
    this.used = need
  }

  /** What was appended; no copy. */
  bytes(): Uint8Array {
    return this.buffer.subarray(0, this.used)
  }
}
