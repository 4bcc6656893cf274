import { lastPathPart } from '../format/commit-files.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { type CommitFile, type Commits, FRAGMENTS_FOLDER, stem } from './commits.ts'

/**
 * What a fragment folder counts for at a moment:
 * `live` TileDB lists it; `uncommitted` no commit names it (a failed or unfinished write); `to-vacuum` a list hides it, and the
 * fragment that replaced it is there; `hidden` a list hides it, and no other fragment that TileDB reads can hold its cells;
 * `ignored` its commit was taken back; `future` its times end after the moment; `unlisted` so do those of a sparse fragment that
 * began before it: TileDB does not list it, but reads it; `no-metadata` a folder of an old version without a metadata file.
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

/** Whether queries give the cells of such a fragment. */
export function isRead(state: FragmentState): boolean {
  return state === 'live' || state === 'unlisted'
}

type Times = readonly [bigint, bigint]

/** A fragment folder, as far as its state depends on it. */
export interface FragmentFolder {
  /** Relative to the array. */
  path: string
  timestamp_range: Times
  /** What stands for a commit before version 5: the metadata file. */
  committed: boolean
}

/** A `.vac` file that TileDB goes by at the moment. */
export interface VacuumList {
  /** Relative to the array. */
  file: string
  /** Of the fragment that holds the cells of those in the list: lists are named after it. */
  name: string
  timestamp_range: Times | undefined
  /** Paths of the fragments that it hides. */
  hides: readonly string[]
}

/** Since this version consolidated sparse fragments have the time stamp of each cell, and are read before their last one, too. */
const TIMESTAMPS_SINCE = 15

/**
 * Which fragments TileDB reads, by the rules of its array directory, and why it passes over the others.
 * @see tiledb/sm/array/array_directory.cc: compute_uris_to_vacuum, compute_filtered_uris
 */
export class Visibility {
  private readonly commits: Commits
  private readonly now: bigint
  private readonly sparse: boolean
  private readonly folders: ReadonlyMap<string, FragmentFolder>
  private readonly listedBy = new Map<string, VacuumList[]>()
  /** Paths of fragments that a list leads from, one to the next, to one that TileDB reads. */
  private readonly replaced = new Set<string>()

  /** @param sparse whether the array's newest schema says so */
  constructor(commits: Commits, folders: readonly FragmentFolder[], now: bigint, sparse: boolean) {
    this.commits = commits
    this.now = now
    this.sparse = sparse
    this.folders = new Map(folders.map((folder) => [folder.path, folder]))
    const lists = Array.from(vacuumLists(commits.files, now, sparse))
    for (const list of lists) for (const path of list.hides) addTo(this.listedBy, path, list)
    const byName = new Map<string, VacuumList[]>()
    for (const list of lists) addTo(byName, list.name, list)
    const todo = lists.filter(({ name }) => pathsOf(name).some((path) => isRead(this.state(path))))
    for (let list = todo.pop(); list; list = todo.pop()) {
      for (const path of list.hides) {
        if (this.replaced.has(path) || !mayReplace(list, path)) continue
        this.replaced.add(path)
        todo.push(...(byName.get(lastPathPart(path)) ?? []))
      }
    }
  }

  state(path: string): FragmentState {
    const folder = this.folders.get(path)
    if (!folder?.committed) return this.commits.ignored.has(path) ? 'ignored' : 'uncommitted'
    const over = folder.timestamp_range[1] <= this.now
    if (!over && !(this.sparse && hasBegun(path, this.now))) return 'future'
    if (!this.listedBy.has(path)) return over ? 'live' : 'unlisted'
    return this.replaced.has(path) ? 'to-vacuum' : 'hidden'
  }

  /** The lists that a fragment is in. */
  lists(path: string): readonly VacuumList[] {
    return this.listedBy.get(path) ?? []
  }

  /** Whether a fragment that TileDB reads was made of this one, or of one that was. */
  isReplaced(path: string): boolean {
    return this.replaced.has(path)
  }
}

/** Where a fragment of a name may lie. */
export function pathsOf(name: string): readonly string[] {
  return [`${FRAGMENTS_FOLDER}/${name}`, name]
}

function addTo<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}

/** Consolidation lists fragments that were written between the times of the one that it makes. */
export function mayReplace({ timestamp_range }: VacuumList, path: string): boolean {
  const first = nameFacts(lastPathPart(path))?.timestamp_range[0]
  return !timestamp_range || first === undefined || (first >= timestamp_range[0] && first <= timestamp_range[1])
}

/** The `.vac` files that count: those whose times are over, of sparse arrays since version 15 those whose times have begun. */
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

/** Whether the times of a fragment or list lie around the moment, in a version in which it then depends on the array whether it counts. */
export function hasBegun(path: string, now: bigint): boolean {
  const named = nameFacts(lastPathPart(path))
  const [first, last] = named?.timestamp_range ?? [0n, 0n]
  return first <= now && last > now && (named?.format_version ?? 0) >= TIMESTAMPS_SINCE
}

/**
 * The path, from the array's folder on, that TileDB takes a line of a `.vac` file for; undefined for a line that it refuses.
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
