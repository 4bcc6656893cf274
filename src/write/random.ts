/**
 * Pseudorandom numbers that depend only on the seed, on every platform: a counter run through the finaliser of MurmurHash3.
 * For sample data only, not for secrets.
 */
export class Random {
  private state: number

  constructor(seed: string) {
    // FNV-1a
    let hash = 0x811c9dc5
    for (const byte of new TextEncoder().encode(seed)) hash = Math.imul(hash ^ byte, 0x01000193)
    this.state = hash >>> 0
  }

  /** 32 bits. */
  bits(): number {
    this.state = (this.state + 0x9e3779b9) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return (mixed ^ (mixed >>> 16)) >>> 0
  }

  /** A whole number from 0 up to, but not including, `end`, which is at most 2^53. */
  below(end: number): number {
    if (end <= 2 ** 32) return Math.floor((this.bits() / 2 ** 32) * end)
    return (this.bits() * 2 ** 21 + (this.bits() >>> 11)) % end
  }

  /** True once in `n` times on average. */
  oneIn(n: number): boolean {
    return this.below(n) === 0
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]
  }

  /** 32 hex digits. */
  uuid(): string {
    return Array.from({ length: 4 }, () => this.bits().toString(16).padStart(8, '0')).join('')
  }
}
