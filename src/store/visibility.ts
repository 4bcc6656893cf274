import { lastPathPart } from '../format/commit-files.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { type CommitFile, type Commits, FRAGMENTS_FOLDER, stem } from './commits.ts'

/**
 * State of a fragment folder at a given time. `live`: TileDB lists it. `uncommitted`: no commit names it, after a
 * failed or unfinished write. `to-vacuum`: a `.vac` file hides it, and the fragment that replaced it is there.
 * `hidden`: a `.vac` file hides it, but no other fragment that TileDB reads can have its cells. `ignored`: an `.ign`
 * file cancels its commit. `future`: its timestamps end later. `unlisted`: a sparse fragment whose timestamps began but
 * end later; TileDB does not list it, but reads it. `no-metadata`: a folder of an old version without a metadata file.
 */
export type FragmentState =
  | 'live'
  | 'unlisted'
  | 'uncommitted'
  | 'to-vacuum'
  | 'hidden'
  | 'ignored'
  | 'future'
  | 'no-metadata'

/** Whether queries give the cells of a fragment in this state. */
export function isRead(state: FragmentState): boolean {
  return state === 'live' || state === 'unlisted'
}

type Times = readonly [bigint, bigint]

/** The facts about a fragment folder that its state depends on. */
interface FragmentFolder {
  /** Relative to the array. */
  path: string
  timestamp_range: Times | undefined
  /** Whether it has a commit; before version 5, whether it has a metadata file. */
  committed: boolean
}

/** A `.vac` file that counts now. */
export interface VacuumList {
  /** Relative to the array. */
  file: string
  /** Name of the consolidated fragment that replaces those in the list. The list is named after it. */
  name: string
  timestamp_range: Times | undefined
  /** Paths of the fragments that it hides. */
  hides: readonly string[]
}

/**
 * Since this version consolidated sparse fragments have a timestamp for each cell. So TileDB also reads them for times
 * before their last timestamp.
 */
const TIMESTAMPS_SINCE = 15

/**
 * Which fragments TileDB reads, by the rules of its array directory, and why it does not read the others.
 * @see tiledb/sm/array/array_directory.cc: compute_uris_to_vacuum, compute_filtered_uris
 */
export interface Visibility {
  /** @param path of a fragment, relative to the array */
  state(path: string): FragmentState
  /** The `.vac` files that name a fragment. */
  lists(path: string): readonly VacuumList[]
}

/** @param sparse whether the array is sparse, by its newest schema */
export function visibilityOf(
  commits: Commits,
  folders: readonly FragmentFolder[],
  now: bigint,
  sparse: boolean,
): Visibility {
  const byPath = new Map(folders.map((folder) => [folder.path, folder]))
  const listedBy = new Map<string, VacuumList[]>()
  const byName = new Map<string, VacuumList[]>()
  const lists = Array.from(vacuumLists(commits.files, now, sparse))
  for (const list of lists) {
    addTo(byName, list.name, list)
    for (const path of list.hides) addTo(listedBy, path, list)
  }
  /** Paths of fragments that a fragment which TileDB reads replaces, directly or through others. */
  const replaced = new Set<string>()
  const state = (path: string): FragmentState => {
    const folder = byPath.get(path)
    if (!folder?.committed) return commits.ignored.has(path) ? 'ignored' : 'uncommitted'
    const over = (folder.timestamp_range?.[1] ?? 0n) <= now
    if (!over && !(sparse && hasBegun(path, now))) return 'future'
    if (!listedBy.has(path)) return over ? 'live' : 'unlisted'
    return replaced.has(path) ? 'to-vacuum' : 'hidden'
  }
  const todo = lists.filter(({ name }) => isRead(state(`${FRAGMENTS_FOLDER}/${name}`)) || isRead(state(name)))
  for (let list = todo.pop(); list; list = todo.pop()) {
    for (const path of list.hides) {
      if (replaced.has(path) || !mayReplace(list, path)) continue
      replaced.add(path)
      todo.push(...(byName.get(lastPathPart(path)) ?? []))
    }
  }
  return { state, lists: (path) => listedBy.get(path) ?? [] }
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}

/**
 * Whether the fragment of a list may contain the one at `path`: that one must begin within the timestamps of the list.
 */
export function mayReplace({ timestamp_range }: VacuumList, path: string): boolean {
  const first = nameFacts(lastPathPart(path))?.timestamp_range[0]
  return !timestamp_range || first === undefined || (first >= timestamp_range[0] && first <= timestamp_range[1])
}

/** The `.vac` files that count: their timestamps are past or, in sparse arrays since version 15, have begun. */
function* vacuumLists(files: readonly CommitFile[], now: bigint, sparse: boolean): Generator<VacuumList> {
  for (const file of files) {
    if (file.kind !== 'vacuum') continue
    const name = stem(lastPathPart(file.path))
    const times = nameFacts(lastPathPart(file.path))?.timestamp_range
    if (times && times[1] > now && !(sparse && hasBegun(file.path, now))) continue
    const hides = file.entries.flatMap(({ text }) => vacuumPath(text) ?? [])
    yield { file: file.path, name, timestamp_range: times, hides }
  }
}

/**
 * Whether the timestamps of a fragment or list began but end later, in a version in which sparse arrays then count it.
 */
export function hasBegun(path: string, now: bigint): boolean {
  const named = nameFacts(lastPathPart(path))
  const [first, last] = named?.timestamp_range ?? [0n, 0n]
  return first <= now && last > now && (named?.format_version ?? 0) >= TIMESTAMPS_SINCE
}

/**
 * The path, relative to the array, that TileDB reads from a line of a `.vac` file; undefined for a line that it
 * refuses.
 * @see tiledb/sm/array/array_directory.cc: get_full_vac_uri
 */
export function vacuumPath(text: string): string | undefined {
  for (const folder of [FRAGMENTS_FOLDER, '__meta']) {
    const at = text.indexOf(folder)
    if (at >= 0) return text.slice(at)
  }
  const slash = text.lastIndexOf('/')
  return slash < 0 ? undefined : text.slice(slash + 1)
}
