/** Numbers that look random and are the same for the same seed. */
export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** 32 random bits. */
  bits(): number {
    // Mulberry32: a Weyl sequence, mixed.
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor((this.bits() / 2 ** 32) * end)
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]
  }

  bytes(length: number): Uint8Array {
    const out = new Uint8Array(length)
    for (let i = 0; i < length; i++) out[i] = this.bits()
    return out
  }

  /** Little-endian integers of `size` bytes: small ones of either sign, any, and the extremes. */
  integers(size: number, count: number): Uint8Array {
    const out = this.bytes(size * count)
    for (let i = 0; i < count; i++) {
      const element = out.subarray(i * size, (i + 1) * size)
      const kind = this.below(8)
      if (kind < 4) element.fill(kind === 0 ? 0xff : 0, 1)
      else if (kind === 4) element.fill(this.below(2) * 0xff)
      else if (kind === 5) {
        element.fill(this.below(2) * 0xff)
        element[size - 1] ^= 0x80
      }
    }
    return out
  }
}

/**
 * Runs a test with random numbers; a failure names the seed. `TEST_SEED` repeats it.
 */
export function withRandom(work: (random: Random) => void): void {
  const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 32))
  try {
    work(new Random(seed))
  } catch (error) {
    if (error instanceof Error) error.message = `${error.message}\n(repeat with TEST_SEED=${seed})`
    throw error
  }
}
