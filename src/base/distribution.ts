/** Buckets of {@link Distribution}: one for 0, then one for each power of two up to what a double counts exactly. */
const BUCKETS = 55

/** Counts numbers by powers of two. It does not keep the numbers. */
export class Distribution {
  count = 0
  min = Number.POSITIVE_INFINITY
  max = 0
  private sum = 0
  /** A plain list, because each data file has one, and a typed array of this length takes more memory. */
  private readonly buckets = new Array<number>(BUCKETS).fill(0)

  /** Counts a number. @param times how often it occurs */
  add(value: number, times = 1): void {
    if (times === 0) return
    this.count += times
    this.sum += value * times
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
    this.raise(bucketOf(value), times)
  }

  addAll(other: Distribution): void {
    if (other.count === 0) return
    this.count += other.count
    this.sum += other.sum
    this.min = Math.min(this.min, other.min)
    this.max = Math.max(this.max, other.max)
    const last = bucketOf(other.max)
    for (let b = bucketOf(other.min); b <= last; b++) this.raise(b, other.buckets[b] ?? 0)
  }

  private raise(bucket: number, times: number): void {
    this.buckets[bucket] = (this.buckets[bucket] ?? 0) + times
  }

  get mean(): number {
    return this.count === 0 ? 0 : this.sum / this.count
  }

  /** The counts by bucket, without empty buckets at both ends. `from` and `to` are inclusive. */
  histogram(): { from: number; to: number; count: number }[] {
    const first = this.buckets.findIndex((count) => count > 0)
    const last = this.buckets.findLastIndex((count) => count > 0)
    const out: { from: number; to: number; count: number }[] = []
    for (let b = Math.max(first, 0); b <= last; b++) {
      out.push({ from: b === 0 ? 0 : 2 ** (b - 1), to: b === 0 ? 0 : 2 ** b - 1, count: this.buckets[b] ?? 0 })
    }
    return out
  }
}

/** The bucket of a number: 0 for 0, otherwise 1 plus the exponent of the largest power of two in it. */
function bucketOf(value: number): number {
  if (value < 1) return 0
  // Not `Math.log2`, which rounds up just below large powers of two.
  const high = Math.floor(value / 2 ** 31)
  return high === 0 ? 32 - Math.clz32(value) : Math.min(BUCKETS - 1, 63 - Math.clz32(high))
}
