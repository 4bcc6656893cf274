import { inOrder } from '../base/in-order.ts'
import { lastPathPart } from '../base/paths.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import type { FragmentEntry, InspectArray } from './array.ts'
import type { ChangedLine } from './changed-commit-lines.ts'
import { type CommitFile, commitKind, stem } from './commits.ts'

/** A list of commits that was cut off or changed, and the fragments that it probably committed. */
export interface CutList {
  list: CommitFile
  fragments: readonly FragmentEntry[]
}

/** Number of metadata files that are looked for at once. */
const AT_ONCE = 8

/**
 * The `.con` files that no longer have all their lines, if fragments of their times have no commit now. TileDB gives such a file the
 * first time of its first line, and the last time of its last line. Plans and other tools also take lines out, and keep the name. So
 * the name alone proves no loss.
 * @see Consolidator::write_consolidated_commits_file; measured with TileDB 2.30
 * @param changed lines that name nearly a fragment: these were not cut off
 */
export async function cutLists(
  array: InspectArray,
  entries: readonly FragmentEntry[],
  changed: readonly ChangedLine[],
): Promise<CutList[]> {
  const { files } = await array.commits()
  const cut = files.filter((file) => isList(file) && isCut(file))
  if (cut.length === 0) return []
  const missed: FragmentEntry[] = []
  // A line that names a fragment in a form that TileDB does not read is there: nothing was cut off.
  const named = new Set(files.filter(isList).flatMap((file) => file.entries.map(({ name }) => stem(name))))
  for (const { fragment } of changed) named.add(fragment.name)
  const uncommitted = entries.filter(
    ({ name, state, to_vacuum }) => state === 'uncommitted' && !to_vacuum && !named.has(name),
  )
  // A write makes the metadata last of all files of the fragment: a fragment without it was never committed.
  const isWritten = async (entry: FragmentEntry) =>
    (await array.folder.kind(`${entry.path}/${FRAGMENT_METADATA_FILE}`)) === 'file' ? entry : undefined
  for await (const entry of inOrder(uncommitted, AT_ONCE, isWritten)) if (entry) missed.push(entry)
  const found: CutList[] = []
  const taken = new Set<FragmentEntry>()
  for (const list of cut) {
    const fragments = missed.filter((entry) => !taken.has(entry) && isOfTimes(list, entry))
    for (const entry of fragments) taken.add(entry)
    if (fragments.length > 0) found.push({ list, fragments })
  }
  return found
}

function isList({ kind }: CommitFile): boolean {
  return kind === 'consolidated-commits'
}

/** Whether a list has damage, a line that is no commit, or other first and last times than its name. */
function isCut({ path, entries, fault }: CommitFile): boolean {
  if (fault || entries.some(({ name }) => commitKind(name) === undefined)) return true
  const times = timesOf(path)
  if (!times) return false
  return timesOf(entries[0]?.name ?? '')?.[0] !== times[0] || timesOf(entries.at(-1)?.name ?? '')?.[1] !== times[1]
}

function timesOf(path: string): readonly [bigint, bigint] | undefined {
  return nameFacts(lastPathPart(path))?.timestamp_range
}

/** Whether the times of a fragment and of a list have a time in common. Lines between the first and the last may be of later times. */
function isOfTimes({ path }: CommitFile, { timestamp_range: fragment }: FragmentEntry): boolean {
  const list = timesOf(path)
  return list !== undefined && fragment !== undefined && fragment[0] <= list[1] && fragment[1] >= list[0]
}

/**
 * The fragment without a commit whose folder was renamed, if a commit names it by another time: both names have the same UUID, which no two
 * writes share. Its name also keeps the format version.
 * @param name of the fragment that the commit names, and that is not there
 */
export function renamedFragment(name: string, entries: readonly FragmentEntry[]): FragmentEntry | undefined {
  const [, uuid, version] = UUID_AND_VERSION.exec(name) ?? []
  if (uuid === undefined) return undefined
  const same = entries.filter((entry) => {
    const [, other, otherVersion] = UUID_AND_VERSION.exec(entry.name) ?? []
    return entry.state === 'uncommitted' && other === uuid && otherVersion === version
  })
  return same.length === 1 ? same[0] : undefined
}

const UUID_AND_VERSION = /^__-?\d+_-?\d+_([0-9a-fA-F]{32})_(\d+)$/

/** At most this many characters of a name differ if some of its bytes were changed. The UUIDs of two fragments differ in more. */
const CHANGED_CHARACTERS = 2

/**
 * The fragment that a line of a vacuum file named before it was cut or changed, if it is nearly the name of one.
 * @param name as the line has it
 * @param fragments by name
 */
export function nearFragment<T>(
  name: string,
  fragments: ReadonlyMap<string, T>,
  isMeant: (fragment: T) => boolean,
): T | undefined {
  const same = fragments.get(name)
  if (same) return isMeant(same) ? same : undefined
  for (const [other, fragment] of fragments)
    if ((isBeginning(other, name) || isNearly(other, name)) && isMeant(fragment)) return fragment
  return undefined
}

/** Whether a name is the beginning of another, with more than the underscores that all begin with. */
function isBeginning(name: string, beginning: string): boolean {
  return beginning.length > 2 && name.startsWith(beginning)
}

/** Whether two names differ in a few characters. */
export function isNearly(name: string, other: string): boolean {
  if (name.length !== other.length) return false
  let changed = 0
  for (let i = 0; i < name.length && changed <= CHANGED_CHARACTERS; i++) if (name[i] !== other[i]) changed++
  return changed <= CHANGED_CHARACTERS
}
