import { rounded, secondsOf } from './costs.ts'
import { type ArrayFacts, requestsOf, sum } from './facts.ts'
import { advise, type Finding } from './finding.ts'

/** Fewer fragments are never many. */
const MANY_FRAGMENTS = 10
/** Fragments of this size on average, bytes, are large enough. */
const LARGE_FRAGMENT = 16 * 1024 * 1024
/** Seconds that one fragment in the place of many must save. */
const WORTH_SECONDS = 0.1

/** Many small fragments: opening them costs more than reading them. */
export function* manyFragments({ opened, fragments, stored_bytes }: ArrayFacts): Generator<Finding> {
  const count = fragments.length
  if (count < MANY_FRAGMENTS || stored_bytes / count >= LARGE_FRAGMENT) return
  const now = sum(fragments, requestsOf)
  const after = Math.max(...fragments.map(requestsOf))
  const seconds = secondsOf(now - after, 0)
  if (seconds < WORTH_SECONDS) return
  const mean = Math.round(stored_bytes / count)
  yield advise('FRAGMENTS_MANY', {
    message: `${count} fragments of ${mean} bytes on average: a read of the whole array needs about ${now} requests, of one fragment ${after}`,
    effect: { seconds: rounded(seconds), requests: now - after, fragments: count, share: (now - after) / now },
    advice: consolidation(opened.array.folder.path),
  })
}

export function consolidation(path: string): string[] {
  return [
    `tiledb.consolidate(${JSON.stringify(path)})`,
    `tiledb.vacuum(${JSON.stringify(path)})  # removes the old fragments, and reads at times before`,
  ]
}
