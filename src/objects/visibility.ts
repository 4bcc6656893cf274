import { groupBy } from '../base/group-by.ts'
import { lastPathPart, nameOf } from '../base/paths.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { type CommitFile, type Commits, FRAGMENTS_FOLDER, stem } from './commits.ts'
import type { OpeningTimes } from './read-context.ts'

/**
 * State of a fragment folder between given times.
 * `live`: TileDB lists it.
 * `unlisted`: only a part of a sparse fragment is between these times. TileDB does not list it, but reads it.
 * `uncommitted`: no commit names it, after a failed or unfinished write.
 * `to-vacuum`: a `.vac` file hides it, and the fragment that replaced it is there.
 * `hidden`: a `.vac` file hides it, but no other fragment that TileDB reads can have its cells.
 * `ignored`: an `.ign` file cancels its commit.
 * `future`: its timestamps end after these times.
 * `past`: they begin before these times.
 * `no-metadata`: a folder of an old version without a metadata file.
 */
export type FragmentState =
  | 'live'
  | 'unlisted'
  | 'uncommitted'
  | 'to-vacuum'
  | 'hidden'
  | 'ignored'
  | 'future'
  | 'past'
  | 'no-metadata'

/** Whether queries return the cells of a fragment in this state. */
export function isRead(state: FragmentState): boolean {
  return state === 'live' || state === 'unlisted'
}

/**
 * Whether a fragment in this state may be half written, or half removed: a write makes the commit last, and a vacuum removes it first.
 * If files are missing or cut then, that is no damage.
 */
export function isInWork(state: FragmentState): boolean {
  return state === 'uncommitted' || state === 'ignored' || state === 'no-metadata'
}

type TimestampRange = readonly [bigint, bigint]

/** The facts about a fragment folder that its state depends on. */
export interface FragmentFolder {
  /** Path relative to the array. */
  path: string
  timestamp_range: TimestampRange | undefined
  /** Whether it has a commit; before version 5, whether it has a metadata file. */
  committed: boolean
}

/** A `.vac` file that TileDB obeys at the given times. */
interface VacuumList {
  /** Path relative to the array. */
  file: string
  /** Name of the consolidated fragment that replaces the listed ones. The list has the same name. */
  name: string
  timestamp_range: TimestampRange | undefined
  /** Paths of the fragments that it hides. */
  hides: readonly string[]
}

/** Since this version consolidated sparse fragments have a timestamp per cell. So TileDB can read a part of their times. */
export const TIMESTAMPS_SINCE = 15

/** Whether a range of timestamps lies between the given times. @see ArrayDirectory::timestamps_overlap */
export function isWithin([first, last]: TimestampRange, { from = 0n, now }: OpeningTimes): boolean {
  return first >= from && last <= now
}

/**
 * Which fragments TileDB reads, by the rules of its array directory, and why it does not read the others.
 * @see tiledb/sm/array/array_directory.cc: compute_uris_to_vacuum, compute_filtered_uris
 */
export interface Visibility {
  state(folder: FragmentFolder): FragmentState
  /** The `.vac` files that name a fragment. */
  lists(path: string): readonly VacuumList[]
}

/** Works out the {@link Visibility} of fragments. @param sparse whether the array is sparse, by its newest schema */
export function visibilityOf(
  commits: Commits,
  folders: readonly FragmentFolder[],
  times: OpeningTimes,
  sparse: boolean,
): Visibility {
  const lists = Array.from(vacuumLists(commits.files, times, sparse))
  const byName = groupBy(lists, ({ name }) => name)
  const entries = lists.flatMap((list) => list.hides.map((path) => ({ path, list })))
  const byHidden = groupBy(entries, ({ path }) => path)
  /** Paths of fragments that were replaced, directly or through others, by a fragment that TileDB reads. */
  const replaced = new Set<string>()
  const state = (folder: FragmentFolder): FragmentState => {
    const { path } = folder
    if (!folder.committed) return commits.ignored.has(path) ? 'ignored' : 'uncommitted'
    const range = folder.timestamp_range ?? [0n, 0n]
    const within = isWithin(range, times)
    if (!within && !(sparse && isPartlyWithin(path, times))) return range[1] > times.now ? 'future' : 'past'
    if (!byHidden.has(path)) return within ? 'live' : 'unlisted'
    return replaced.has(path) ? 'to-vacuum' : 'hidden'
  }
  // Nearly all arrays have no lists, and may have 100,000 fragments.
  const byPath = new Map(lists.length > 0 ? folders.map((folder) => [folder.path, folder]) : [])
  const isReadAt = (path: string): boolean => {
    const folder = byPath.get(path)
    return folder !== undefined && isRead(state(folder))
  }
  const todo = lists.filter(({ name }) => isReadAt(`${FRAGMENTS_FOLDER}/${name}`) || isReadAt(name))
  for (let list = todo.pop(); list; list = todo.pop()) {
    for (const path of list.hides) {
      if (replaced.has(path) || !mayReplace(list, path)) continue
      replaced.add(path)
      todo.push(...(byName.get(lastPathPart(path)) ?? []))
    }
  }
  return { state, lists: (path) => byHidden.get(path)?.map(({ list }) => list) ?? [] }
}

/** Whether the fragment of a list may have the cells of the one at `path`: whether that begins within the list's timestamps. */
export function mayReplace({ timestamp_range }: Pick<VacuumList, 'timestamp_range'>, path: string): boolean {
  const first = nameFacts(lastPathPart(path))?.timestamp_range[0]
  return !timestamp_range || first === undefined || (first >= timestamp_range[0] && first <= timestamp_range[1])
}

/** The `.vac` files that TileDB obeys: those between the times. In sparse arrays since version 15 a part of their time suffices. */
export function* vacuumLists(
  files: readonly CommitFile[],
  times: OpeningTimes,
  sparse: boolean,
): Generator<VacuumList> {
  for (const file of files) {
    if (file.kind !== 'vacuum') continue
    const name = stem(lastPathPart(file.path))
    const timestamp_range = nameFacts(lastPathPart(file.path))?.timestamp_range
    const isObeyed =
      !timestamp_range || isWithin(timestamp_range, times) || (sparse && isPartlyWithin(file.path, times))
    if (!isObeyed) continue
    const hides = file.entries.flatMap(({ text }) => vacuumPath(text) ?? [])
    yield { file: file.path, name, timestamp_range, hides }
  }
}

/** Whether a part, but not all, of the timestamps of a fragment or list is between the times. False before version 15. */
export function isPartlyWithin(path: string, times: OpeningTimes): boolean {
  return isPartly(nameFacts(lastPathPart(path)), times)
}

/** {@link isPartlyWithin} for the facts in a name; undefined for a name that makes TileDB fail. */
export function isPartly(facts: ReturnType<typeof nameFacts>, times: OpeningTimes): boolean {
  const { timestamp_range = [0n, 0n], format_version = 0 } = facts ?? {}
  const [first, last] = timestamp_range
  const touches = first <= times.now && last >= (times.from ?? 0n)
  return touches && !isWithin(timestamp_range, times) && format_version >= TIMESTAMPS_SINCE
}

/**
 * The path, relative to the array, that a line of a `.vac` file means to TileDB; undefined for a line that it refuses.
 * @see tiledb/sm/array/array_directory.cc: get_full_vac_uri
 */
export function vacuumPath(text: string): string | undefined {
  for (const folder of [FRAGMENTS_FOLDER, '__meta']) {
    const at = text.indexOf(folder)
    if (at >= 0) return text.slice(at)
  }
  return text.includes('/') ? nameOf(text) : undefined
}
