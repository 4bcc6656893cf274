/** One typing error is allowed for every three letters: a letter added, missing or wrong, or two letters swapped. */
const LETTERS_PER_ERROR = 3
/** Distance of a name that is the start of a candidate: less than one error, more than none. */
const BEGUN = 0.5

/**
 * The candidate that a mistyped name most likely means. Undefined if none is near enough, or if no letter would stay the
 * same, as between two names of one letter. Case does not count.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase()
  let best: string | undefined
  let least = Math.min(wanted.length, Math.max(1, Math.floor(wanted.length / LETTERS_PER_ERROR)) + 1)
  for (const candidate of candidates) {
    const other = candidate.toLowerCase()
    const steps = wanted !== '' && other.startsWith(wanted) ? BEGUN : distance(wanted, other, least)
    if (steps < least) {
      least = steps
      best = candidate
    }
  }
  return best
}

/** The candidates, the most similar to a name first. */
export function byLikeness(name: string, candidates: readonly string[]): string[] {
  const wanted = name.toLowerCase()
  const steps = new Map(candidates.map((one) => [one, distance(wanted, one.toLowerCase(), Number.POSITIVE_INFINITY)]))
  return [...candidates].sort((a, b) => (steps.get(a) ?? 0) - (steps.get(b) ?? 0))
}

/** `; did you mean "lat"?`, or nothing if no candidate is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = nearest(name, candidates)
  return near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`
}

/** Edit distance of two words (optimal string alignment). Exact only below `bound`. */
export function distance(a: string, b: string, bound: number): number {
  if (Math.abs(a.length - b.length) >= bound) return bound
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const other = a[i - 1] === b[j - 1] ? 0 : 1
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + other)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1)
    }
    before = last
    last = row
  }
  return last[b.length]
}
