import { addPlace, InspectError } from './errors.ts'
import { type ConsolidatedCommit, lastPathPart, parseConsolidatedCommits, parseLines } from './format/commit-files.ts'
import { type Entry, type Folder, readAll } from './source/source.ts'

/** Commit folder since version 12. */
export const COMMITS_FOLDER = '__commits'
export const FRAGMENT_META_FOLDER = '__fragment_meta'

/** What a commit file or entry is, by its suffix. */
export type CommitKind =
  | 'write'
  | 'delete'
  | 'update'
  | 'vacuum'
  | 'consolidated-commits'
  | 'ignore'
  | 'fragment-metadata'

const KINDS: Readonly<Record<string, CommitKind>> = {
  '.wrt': 'write',
  '.ok': 'write',
  '.del': 'delete',
  '.upd': 'update',
  '.vac': 'vacuum',
  '.con': 'consolidated-commits',
  '.ign': 'ignore',
  '.meta': 'fragment-metadata',
}

export function commitKind(name: string): CommitKind | undefined {
  return KINDS[name.slice(name.lastIndexOf('.'))]
}

/** Suffixes that mean something to TileDB, by the folder: since version 12 all that is no mark or list of before stands in its own. */
const SUFFIXES: Readonly<Record<string, RegExp>> = {
  '': /\.(?:ok|vac|meta)$/,
  [COMMITS_FOLDER]: /\.(?:wrt|del|upd|vac|con|ign)$/,
  [FRAGMENT_META_FOLDER]: /\.meta$/,
}

/**
 * {@link commitKind} where it stands: TileDB passes over other files there.
 * @param folder `''`, `__commits` or `__fragment_meta`
 */
export function commitKindIn(folder: string, name: string): CommitKind | undefined {
  return SUFFIXES[folder].test(name) ? commitKind(name) : undefined
}

/** One file that has to do with commits. */
export interface CommitFile {
  /** Path relative to the array: `__commits/<name>.wrt`, `<name>.ok`. */
  path: string
  kind: CommitKind
  /** Lines of `.vac`, `.ign` and `.con` files. */
  entries: readonly CommitEntry[]
  /** Why there are no (or no more) entries, where the file is damaged. */
  fault: InspectError | undefined
}

/** One line of a commit file. */
export interface CommitEntry {
  /** As written. */
  text: string
  /** Bytes from the start of the file. */
  offset: number
  /** Last part of the path: a fragment's name, or a commit file's. */
  name: string
  tile: ConsolidatedCommit['tile']
}

/** What the commit files of an array say, before it is asked which fragments there are. */
export interface Commits {
  files: readonly CommitFile[]
  /** Names of fragments that a `.wrt` or `.ok` file, or a `.con` entry that no `.ign` names, commits. */
  committed: ReadonlySet<string>
  /** Names of fragments that a `.vac` file lists: hidden, and waiting to be removed. With the path of that file. */
  toVacuum: ReadonlyMap<string, string>
  /** Names of fragments whose commit in a `.con` file an `.ign` file takes back. With the path of that file. */
  ignored: ReadonlyMap<string, string>
}

/**
 * Reads all commit files of an array: those in `__commits` (since version 12) and those in its own folder (before).
 *
 * @see tiledb/sm/array/array_directory.cc: load_consolidated_commit_uris, compute_uris_to_vacuum
 */
export async function readCommits(array: Folder, rootEntries: readonly Entry[]): Promise<Commits> {
  const files: CommitFile[] = []
  for (const folder of ['', COMMITS_FOLDER, FRAGMENT_META_FOLDER]) {
    if (folder !== '' && !rootEntries.some((e) => e.name === folder && e.kind === 'folder')) continue
    for (const { name, kind: fileKind } of folder === '' ? rootEntries : await array.folder(folder).list()) {
      const kind = fileKind === 'file' ? commitKindIn(folder, name) : undefined
      if (!kind) continue
      const path = folder === '' ? name : `${folder}/${name}`
      const { entries, fault } = await readEntries(array, path, kind)
      files.push({ path, kind, entries, fault })
    }
  }
  return { files, ...whatCounts(files) }
}

/** Arrays may have a commit file for each of 100,000 fragments: those without entries share what they have in common. */
const NOTHING: Pick<CommitFile, 'entries' | 'fault'> = { entries: [], fault: undefined }

/** Damage ends the list of entries; it is kept beside them, so that one file does not hide what the others say. */
async function readEntries(
  array: Folder,
  path: string,
  kind: CommitKind,
): Promise<Pick<CommitFile, 'entries' | 'fault'>> {
  if (kind !== 'vacuum' && kind !== 'ignore' && kind !== 'consolidated-commits') return NOTHING
  const source = array.file(path)
  const commits: ConsolidatedCommit[] = []
  let fault: InspectError | undefined
  try {
    const bytes = await readAll(source)
    if (kind === 'consolidated-commits') parseConsolidatedCommits(bytes, commits)
    else for (const { text, offset } of parseLines(bytes)) commits.push({ path: text, offset, tile: undefined })
  } catch (error) {
    const placed = addPlace(error, { file: source.name })
    if (!(placed instanceof InspectError)) throw error
    fault = placed
  } finally {
    await source.close()
  }
  const entries = commits.map(({ path: text, offset, tile }) => ({ text, offset, name: lastPathPart(text), tile }))
  return { entries, fault }
}

function whatCounts(files: readonly CommitFile[]): Omit<Commits, 'files'> {
  const ignoredCommits = new Map<string, string>()
  const committed = new Set<string>()
  const toVacuum = new Map<string, string>()
  const ignored = new Map<string, string>()
  for (const { kind, entries, path } of files) {
    const into = kind === 'ignore' ? ignoredCommits : kind === 'vacuum' ? toVacuum : undefined
    if (into) for (const { name } of entries) if (!into.has(name)) into.set(name, path)
  }
  for (const file of files) {
    if (file.kind === 'write') committed.add(stem(lastPathPart(file.path)))
    if (file.kind !== 'consolidated-commits') continue
    for (const entry of file.entries) {
      if (commitKind(entry.name) !== 'write') continue
      const name = stem(entry.name)
      const ignoredBy = ignoredCommits.get(entry.name)
      if (ignoredBy === undefined) committed.add(name)
      else ignored.set(name, ignoredBy)
    }
  }
  for (const name of committed) ignored.delete(name)
  return { committed, toVacuum, ignored }
}

/** A file name without its suffix. */
export function stem(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? name : name.slice(0, dot)
}
