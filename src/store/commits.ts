import { addPlace, InspectError } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { type ConsolidatedCommit, lastPathPart, parseConsolidatedCommits, parseLines } from '../format/commit-files.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { type Entry, type Folder, readAll } from '../source/source.ts'

/** Commit folder since version 12. */
export const COMMITS_FOLDER = '__commits'
/** Where fragments lie since version 12. */
export const FRAGMENTS_FOLDER = '__fragments'
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
  /** Of a `.wrt` or `.ok` mark: TileDB asks only whether the name is there. */
  isFolder?: true
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
  /** Paths of the fragments that a `.wrt` or `.ok` file, or a line of a `.con` file that no `.ign` file has, commits. */
  committed: ReadonlySet<string>
  /** Paths of the fragments whose commit in a `.con` file an `.ign` file takes back. With the path of that file. */
  ignored: ReadonlyMap<string, string>
  /** Names, without suffix, of the delete conditions that count: a file's, or a `.con` file's that no `.ign` file takes back. */
  deletes: ReadonlySet<string>
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
    const found: Pick<CommitFile, 'path' | 'kind' | 'isFolder'>[] = []
    for (const { name, kind: fileKind } of folder === '' ? rootEntries : await array.folder(folder).list()) {
      const kind = fileKind === 'other' ? undefined : commitKindIn(folder, name)
      const path = folder === '' ? name : `${folder}/${name}`
      if (fileKind === 'file' && kind) found.push({ path, kind })
      else if (kind === 'write') found.push({ path, kind, isFolder: true })
    }
    const read = async (file: (typeof found)[number]): Promise<CommitFile> => ({
      ...file,
      ...(await readEntries(array, file.path, file.kind)),
    })
    for await (const file of inOrder(found, atOnce(array), read)) files.push(file)
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
    else
      for (const { text, offset } of parseLines(bytes))
        if (text !== '' || kind === 'vacuum') commits.push({ path: text, offset, tile: undefined })
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
  const ignoredLines = new Map<string, string>()
  const committed = new Set<string>()
  const ignored = new Map<string, string>()
  const deletes = new Set<string>()
  for (const { kind, entries, path } of files) {
    if (kind === 'ignore') for (const { text } of entries) ignoredLines.set(text, ignoredLines.get(text) ?? path)
  }
  for (const { kind, entries, path } of files) {
    if (kind === 'write') committed.add(committedPath(path))
    if (kind === 'delete') deletes.add(stem(lastPathPart(path)))
    if (kind !== 'consolidated-commits') continue
    for (const { text, name } of entries) {
      if (commitKind(text) === 'delete' && !ignoredLines.has(text)) deletes.add(stem(name))
      const fragment = linePath(text)
      if (fragment === undefined) continue
      const ignoredBy = ignoredLines.get(text)
      if (ignoredBy === undefined) committed.add(fragment)
      else ignored.set(fragment, ignoredBy)
    }
  }
  for (const path of committed) ignored.delete(path)
  return { committed, ignored, deletes }
}

/** Path of the fragment that a commit file commits: those of version 12 and later in `__fragments`, wherever they may be. */
export function committedPath(path: string): string {
  const name = stem(lastPathPart(path))
  return path.endsWith('.ok') ? name : `${FRAGMENTS_FOLDER}/${name}`
}

/**
 * Path of the fragment that a line of a `.con` file commits. Of `.wrt` only the last part of the path counts; `.ok` has to be the
 * path of that file from the array's folder on, to the letter.
 * @see tiledb/sm/array/array_directory.cc: load_commits_dir_uris_v12_or_higher, is_fragment
 */
export function linePath(text: string): string | undefined {
  if (text.endsWith('.wrt')) return `${FRAGMENTS_FOLDER}/${text.slice(text.lastIndexOf('/') + 1, -'.wrt'.length)}`
  return text.endsWith('.ok') && !text.includes('/') ? text.slice(0, -'.ok'.length) : undefined
}

/**
 * Whether TileDB may take what stands in the array's own folder under this name for a fragment.
 * @see tiledb/sm/array/array_directory.cc: is_fragment
 */
export function mayBeFragment(name: string): boolean {
  return nameFacts(name) !== undefined && !stem(name).includes('.')
}

/** A file name without its suffix. */
export function stem(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? name : name.slice(0, dot)
}
