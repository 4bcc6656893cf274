import { addPlace, faultOf, hasCode, type InspectError } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { CountedBytes, type Memory } from '../base/memory.ts'
import { lastPathPart, nameOf } from '../base/paths.ts'
import {
  type ConsolidatedCommit,
  FOLDERS_SINCE,
  fragmentsFolder,
  parseConsolidatedCommits,
  parseLines,
} from '../format/commit-files.ts'
import { nameFacts, parseFragmentName } from '../format/timestamped-name.ts'
import { type Entry, type Folder, hasEntry, readAll, withSource } from '../storage/source.ts'

/** Folder of commit files since version 12. */
export const COMMITS_FOLDER = '__commits'
/** Folder of fragments since version 12. */
export const FRAGMENTS_FOLDER = '__fragments'
export const FRAGMENT_META_FOLDER = '__fragment_meta'

/** Kind of a commit file or entry, by its suffix. */
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

/** Suffixes that TileDB recognises in each folder. The array's own folder (`''`) is for versions before 12. */
const SUFFIXES: Readonly<Partial<Record<string, RegExp>>> = {
  '': /\.(?:ok|vac|meta)$/,
  [COMMITS_FOLDER]: /\.(?:wrt|del|upd|vac|con|ign)$/,
  [FRAGMENT_META_FOLDER]: /\.meta$/,
}

/**
 * {@link commitKind} of a file in a folder. Undefined for files that TileDB ignores there.
 * @param folder `''`, `__commits` or `__fragment_meta`
 */
export function commitKindIn(folder: string, name: string): CommitKind | undefined {
  return SUFFIXES[folder]?.test(name) ? commitKind(name) : undefined
}

/** One commit file. Arrays have as many as fragments. */
export interface CommitFile {
  /** Path relative to the array: `__commits/<name>.wrt`, `<name>.ok`. */
  path: string
  kind: CommitKind
  /** Whether a `.wrt` or `.ok` name is a folder. TileDB accepts it: it only checks that the name exists. */
  isFolder: boolean
  /** Lines of a `.vac`, `.ign` or `.con` file. */
  entries: readonly CommitEntry[]
  /** Bytes of such a file; 0 of others, which are not read. */
  size: number
  /** Damage of the file; `entries` then has the lines before it. */
  fault: InspectError | undefined
}

/** One line of a commit file. */
export interface CommitEntry {
  /** The line as stored. */
  text: string
  /** Offset of the line in the file, in bytes. */
  offset: number
  /** Last part of the path: the name of a fragment or of a commit file. */
  name: string
  /** Place of the generic tile that follows the line in a `.con` file. */
  tile: ConsolidatedCommit['tile']
}

/** What readers need of a set of paths. */
type PathSet = Iterable<string> & Pick<ReadonlySet<string>, 'has' | 'size'>

/** The content of an array's commit files, whether the fragments exist or not. */
export interface Commits {
  files: readonly CommitFile[]
  /** Paths of the committed fragments: by a `.wrt` or `.ok` file, or {@link consolidated}. */
  committed: PathSet
  /** Paths of the fragments whose line in a `.con` file is cancelled by an `.ign` file, with the path of the `.ign` file. */
  ignored: ReadonlyMap<string, string>
  /** Paths of the fragments that a line of a `.con` file commits. The line must not be in an `.ign` file. */
  consolidated: ReadonlySet<string>
  /**
   * What is no commit file, but has the name of one or lies where only commit files are. Healthy arrays have none. TileDB may fail to open
   * the array because of it.
   */
  others: readonly { path: string; kind: Entry['kind'] }[]
}

/**
 * Reads all commit files of an array: those in `__commits` (since version 12) and those in its own folder (before).
 *
 * @see tiledb/sm/array/array_directory.cc: load_consolidated_commit_uris, compute_uris_to_vacuum
 */
export async function readCommits(array: Folder, rootEntries: readonly Entry[], memory: Memory): Promise<Commits> {
  const files: ListedFile[] = []
  const others: { path: string; kind: Entry['kind'] }[] = []
  for (const folder of ['', COMMITS_FOLDER, FRAGMENT_META_FOLDER]) {
    if (folder !== '' && !hasEntry(rootEntries, folder, 'folder')) continue
    for (const { name, kind: fileKind } of folder === '' ? rootEntries : await array.folder(folder).list()) {
      const kind = fileKind === 'other' ? undefined : commitKindIn(folder, name)
      if (!kind && folder === '') continue
      if (kind && (fileKind === 'file' || kind === 'write'))
        files.push(new ListedFile(folder, name, kind, fileKind !== 'file'))
      else others.push({ path: pathIn(folder, name), kind: fileKind })
    }
  }
  const room = new CountedBytes(memory, 'lists of commits', TIMES_OF_LINES)
  const read = async (file: ListedFile) => ({ file, contents: await readEntries(array, file, room) })
  for await (const { file, contents } of inOrder(files.filter(hasEntries), atOnce(array), read))
    Object.assign(file, contents)
  return { files, others, ...committedBy(files) }
}

/** A line of a list becomes objects, in several lists, that take this many times its bytes, as a share of {@link Memory.room}. */
export const TIMES_OF_LINES = 10

/** The list of all files without entries. Arrays may have 100,000 of them. */
const NO_ENTRIES: CommitFile['entries'] = []

/** A commit file of a listing. Its path is made when it is asked for: nearly no caller does. */
class ListedFile implements CommitFile {
  private readonly folder: string
  readonly name: string
  readonly kind: CommitKind
  readonly isFolder: boolean
  entries = NO_ENTRIES
  size = 0
  fault: InspectError | undefined

  constructor(folder: string, name: string, kind: CommitKind, isFolder: boolean) {
    this.folder = folder
    this.name = name
    this.kind = kind
    this.isFolder = isFolder
  }

  get path(): string {
    return pathIn(this.folder, this.name)
  }
}

function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** Paths of fragments. Of those in `__fragments` it keeps the names, which are a part of strings that are kept anyway. */
class FragmentPaths implements PathSet {
  private readonly inFolder = new Set<string>()
  private readonly others = new Set<string>()

  get size(): number {
    return this.inFolder.size + this.others.size
  }

  add(path: string): void {
    if (path.startsWith(IN_FRAGMENTS)) this.inFolder.add(path.slice(IN_FRAGMENTS.length))
    else this.others.add(path)
  }

  /** Adds the {@link committedPath} of a file. */
  addFile({ name }: ListedFile): void {
    const names = name.endsWith('.ok') ? this.others : this.inFolder
    names.add(stem(name))
  }

  has(path: string): boolean {
    return path.startsWith(IN_FRAGMENTS) ? this.inFolder.has(path.slice(IN_FRAGMENTS.length)) : this.others.has(path)
  }

  *[Symbol.iterator](): Generator<string> {
    for (const name of this.inFolder) yield IN_FRAGMENTS + name
    yield* this.others
  }
}

const IN_FRAGMENTS = `${FRAGMENTS_FOLDER}/`

function hasEntries({ kind }: Pick<CommitFile, 'kind'>): boolean {
  return kind === 'vacuum' || kind === 'ignore' || kind === 'consolidated-commits'
}

/** Reads the lines of a file. Damage is returned and not thrown, so that the other files still count. */
async function readEntries(
  array: Folder,
  { kind, path }: CommitFile,
  room: CountedBytes,
): Promise<Pick<CommitFile, 'entries' | 'size' | 'fault'>> {
  let size = 0
  const source = array.file(path)
  const commits: ConsolidatedCommit[] = []
  const fault = await withSource(source, async () => {
    size = await source.size()
    room.add(size, source.name)
    const bytes = await readAll(source)
    if (kind === 'consolidated-commits') parseConsolidatedCommits(bytes, commits)
    else
      for (const { text, offset } of parseLines(bytes))
        if (text !== '' || kind === 'vacuum') commits.push({ path: text, offset, tile: undefined })
  }).catch((error: unknown) => {
    if (hasCode(error, 'TOO_LARGE')) throw error
    return faultOf(addPlace(error, { file: source.name }))
  })
  const entries = commits.map(({ path: text, offset, tile }) => ({ text, offset, name: lastPathPart(text), tile }))
  return { entries, size, fault: fault ?? undefined }
}

function committedBy(files: readonly ListedFile[]): Omit<Commits, 'files' | 'others'> {
  const ignoredLines = new Map<string, string>()
  const committed = new FragmentPaths()
  const ignored = new Map<string, string>()
  const consolidated = new Set<string>()
  for (const file of files)
    if (file.kind === 'ignore')
      for (const { text } of file.entries) ignoredLines.set(text, ignoredLines.get(text) ?? file.path)
  for (const file of files) {
    const { kind, entries } = file
    if (kind === 'write') committed.addFile(file)
    if (kind !== 'consolidated-commits') continue
    for (const { text } of entries) {
      const fragment = linePath(text)
      if (fragment === undefined) continue
      const ignoredBy = ignoredLines.get(text)
      if (ignoredBy === undefined) consolidated.add(fragment)
      else ignored.set(fragment, ignoredBy)
    }
  }
  for (const path of consolidated) committed.add(path)
  for (const path of committed) ignored.delete(path)
  return { committed, ignored, consolidated }
}

/** Whether TileDB reads timestamps from the name of a commit file. If it cannot, it fails to open the array. */
export function readsTimes({ path, kind }: Pick<CommitFile, 'path' | 'kind'>): boolean {
  return path.endsWith('.wrt') || kind === 'delete' || kind === 'update' || kind === 'vacuum'
}

/** Path of the fragment that a commit file commits: in the array's own folder for `.ok` files, otherwise in `__fragments`. */
export function committedPath(path: string): string {
  const name = stem(lastPathPart(path))
  return path.endsWith('.ok') ? name : `${FRAGMENTS_FOLDER}/${name}`
}

/** Path of the commit file of the fragment at a path: the inverse of {@link committedPath}. */
export function pathOfCommit(fragment: string): string {
  const name = lastPathPart(fragment)
  return name === fragment ? `${name}.ok` : `${COMMITS_FOLDER}/${name}.wrt`
}

/** The list of commits, and its entry, that hold a delete condition, too. Undefined if none does, or an `.ign` file takes the line back. */
export function listedCondition(
  { files }: Commits,
  path: string,
): { list: CommitFile; entry: CommitEntry; tile: NonNullable<CommitEntry['tile']> } | undefined {
  if (files.some(({ kind, entries }) => kind === 'ignore' && entries.some(({ text }) => text === path)))
    return undefined
  for (const list of files) {
    const entry = list.kind === 'consolidated-commits' ? list.entries.find(({ text }) => text === path) : undefined
    if (entry?.tile) return { list, entry, tile: entry.tile }
  }
  return undefined
}

/** Path where a fragment with this name belongs. A name without a version counts as new. */
export function fragmentPath(name: string): string {
  const version = parseFragmentName(name)?.least_version ?? FOLDERS_SINCE
  return `${fragmentsFolder(version)}${name}`
}

/**
 * Path of the fragment that a line of a `.con` file commits. For `.wrt` only the last part of the path counts. For
 * `.ok` the line must be exactly the file's path relative to the array.
 * @see tiledb/sm/array/array_directory.cc: load_commits_dir_uris_v12_or_higher, is_fragment
 */
export function linePath(text: string): string | undefined {
  if (text.endsWith('.wrt')) return `${FRAGMENTS_FOLDER}/${nameOf(text).slice(0, -'.wrt'.length)}`
  return text.endsWith('.ok') && !text.includes('/') ? text.slice(0, -'.ok'.length) : undefined
}

/**
 * Whether TileDB may take a folder with this name, in the array's own folder, for a fragment.
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
