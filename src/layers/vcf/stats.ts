import { nameOf, normalPath } from '../../base/paths.ts'
import { parseFragmentName } from '../../format/timestamped-name.ts'
import type { DatasetPart } from '../part.ts'

/*
 * The arrays of statistics have a key for each fragment that an ingestion wrote: its whole address, with the samples in it.
 */

/** A key of statistics. */
export interface FragmentKey {
  key: string
  /** Name of the fragment. */
  name: string
  /** The names of the samples, with commas between them. */
  samples: Uint8Array | undefined
  /** `gone`: there is no such fragment. `replaced`: one that covers its time is there. */
  state: 'there' | 'replaced' | 'gone'
  /** Whether the address is that of another place than the array's. */
  isElsewhere: boolean
}

/** The keys about fragments. */
export async function fragmentKeysOf(part: DatasetPart): Promise<FragmentKey[]> {
  const { array } = part
  if (!array) return []
  const fragments = await part.fragments()
  const there = new Set(fragments.map(({ name }) => name))
  const own = withoutScheme(array.folder.path)
  return [...(await part.metadata())].flatMap(([key, { value }]): FragmentKey[] => {
    const name = nameOf(key)
    const [time] = parseFragmentName(name)?.timestamp_range ?? []
    if (!key.includes('/') || time === undefined) return []
    const isCovered = fragments.some(
      ({ timestamp_range: range, visible }) =>
        visible && range && range[0] < range[1] && range[0] <= time && time <= range[1],
    )
    const lost = isCovered ? 'replaced' : 'gone'
    const state = there.has(name) ? 'there' : lost
    const isElsewhere = !`/${withoutScheme(key.slice(0, -name.length))}`.endsWith(`/${own}/__fragments`)
    return [{ key, name, samples: value, state, isElsewhere }]
  })
}

/** A path without `file://` or the like, and without `/` at its ends. */
function withoutScheme(path: string): string {
  return normalPath(path)
    .replace(/^[a-z0-9]+:\/\//, '')
    .replace(/^\/+|\/+$/g, '')
}

const SKIPPED = 'skipped_delete_sample:'

/** Samples that were deleted from the dataset, and are still counted. */
export async function skippedSamples(part: DatasetPart): Promise<string[]> {
  const keys = [...(await part.metadata()).keys()]
  return keys.flatMap((key) => (key.startsWith(SKIPPED) ? [key.slice(SKIPPED.length)] : []))
}
