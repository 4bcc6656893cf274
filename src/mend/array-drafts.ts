import { breaksTiles, consolidatables, DO_NOT_CONSOLIDATE } from '../advice/consolidation.ts'
import { unlessFault } from '../base/errors.ts'
import { groupBy } from '../base/group-by.ts'
import { lastPathPart } from '../base/paths.ts'
import { noLoss } from '../check/codes/row.ts'
import type { FindingCode } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import type { FragmentEntry, InspectArray } from '../objects/array.ts'
import { type ChangedLine, changedLines } from '../objects/changed-commit-lines.ts'
import { type CommitFile, type Commits, fragmentPath, pathOfCommit, stem } from '../objects/commits.ts'
import { renamedFragment } from '../objects/cut-commit-lists.ts'
import { fileSizes } from '../objects/file-sizes.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import { TIMESTAMPS_SINCE } from '../objects/visibility.ts'
import { listLines, partsOfList } from './commit-lists.ts'
import { type Draft, draftIn } from './drafts.ts'
import { mayBeOlder, type TimedName } from './older.ts'
import type { Move, Shell } from './shell.ts'
import type { ConditionWords } from './tile-loss.ts'
import { wayOf, wayOfCode } from './ways.ts'

/** Findings that a new name or a new place mends. */
const ABOUT_NAMES: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'COMMIT_NAME_INVALID',
  'COMMIT_WRONG_FOLDER',
  'COMMIT_DANGLING',
  'FRAGMENT_NAME_INVALID',
  'FRAGMENT_TIMESTAMPS',
  'FRAGMENT_FUTURE',
  'FRAGMENT_UNCOMMITTED',
  'VACUUM_HIDES_CELLS',
])

/** A `.vac` file of fragments. */
export interface NamedVacuumList {
  path: string
  /** Name of the consolidated fragment, after which the list is named. */
  name: string
  /** Names of the fragments in the list. */
  hides: ReadonlySet<string>
}

/** How a list file is written again. */
interface ListEdits {
  /** By the offset of a line: what is written in its place; undefined if it is dropped. */
  offsets: Map<number, string | undefined>
  /** Names of fragments whose lines are dropped, with the draft that takes the fragment away. */
  names: Map<string, Draft>
}

/** The drafts of one array, and the changes that they make together: moves, renames, new commits, and lines dropped from lists. */
export class ArrayDrafts {
  readonly array: InspectArray
  readonly shell: Shell
  /** Returns a name like the given one at which nothing exists. */
  readonly fresh: (path: string) => Promise<string>
  readonly words: ConditionWords
  /** All findings of the array. */
  findings: readonly Finding[] = []
  entries: readonly FragmentEntry[] = []
  private byPath: ReadonlyMap<string, FragmentEntry> = new Map()
  private byName: ReadonlyMap<string, FragmentEntry> = new Map()
  commits: Commits = { files: [], committed: new Set(), ignored: new Map(), consolidated: new Set(), others: [] }
  lists: readonly NamedVacuumList[] = []
  /** Lines that name nearly a fragment. */
  changedLines: readonly ChangedLine[] = []
  /** The finding that the array reads empty, if no fragment can be committed. */
  unplanned: Finding | undefined
  /** What drafts move out of the array, by path. */
  readonly moved = new Map<string, Draft>()
  /** Fragments that drafts commit or move to their place, by name. */
  readonly placed = new Map<string, Draft>()
  /** The commit files by the name of the fragment that they are named after. */
  commitFiles: ReadonlyMap<string, readonly CommitFile[]> = new Map()
  /** Paths of the files that each commit one fragment. */
  private marks: ReadonlySet<string> = new Set()
  private readonly byKey = new Map<string, Draft>()
  /** By the path of the list. */
  private readonly edits = new Map<string, ListEdits>()
  /** What drafts rename, by the new path. */
  private readonly renamed = new Map<string, Draft>()
  /** New paths, by the old ones, with the number of the rename. */
  private readonly renames = new Map<string, { from: string; to: string; number: number }>()
  /** Folders that drafts make. */
  private readonly made = new Set<string>()

  constructor(array: InspectArray, shell: Shell, fresh: (path: string) => Promise<string>, words: ConditionWords) {
    this.array = array
    this.shell = shell
    this.fresh = fresh
    this.words = words
  }

  /** Reads what the plans for these findings need. */
  async load(findings: readonly Finding[]): Promise<void> {
    this.findings = findings
    this.entries = await this.array.fragments()
    this.byPath = new Map(this.entries.map((entry) => [entry.path, entry]))
    // Of two fragments with one name, the first counts.
    this.byName = new Map(this.entries.toReversed().map((entry) => [entry.name, entry]))
    this.commits = await this.array.commits()
    this.changedLines = await changedLines(this.array, this.entries)
    const { files } = this.commits
    this.commitFiles = groupBy(files, ({ path }) => stem(lastPathPart(path)))
    this.marks = new Set(files.filter(({ kind }) => kind === 'write').map(({ path }) => path))
    this.lists = files
      .filter(({ kind }) => kind === 'vacuum')
      .map(({ path, entries }) => ({
        path,
        name: stem(lastPathPart(path)),
        hides: new Set(entries.map(({ name }) => name)),
      }))
  }

  /** All drafts that have findings, in the order in which they were begun. */
  get all(): Draft[] {
    return [...this.byKey.values()].filter(({ isEmpty }) => !isEmpty)
  }

  /** {@link draftIn} for the drafts of the array. */
  draft(key: string, finding: Finding): Draft {
    return draftIn(this.byKey, key, finding)
  }

  /** Plans nothing for a finding: nothing can or need be done. */
  leave(finding: Finding): void {
    const isKnown = wayOf(finding) !== wayOfCode(finding.code)
    const draft = this.draft(`leave ${finding.code} ${isKnown}`, finding)
    draft.outcome = 'leave'
    if (!isKnown) return
    draft.takeBackLost()
    draft.addLost(noLoss(`nothing that a copy of the array would have: ${finding.meaning}`))
  }

  /** Adds {@link unplanned} to the first plan that mends something: that plan is for what hides the fragments. */
  finishUnplanned(): void {
    if (!this.unplanned) return
    const other = this.all.find(({ outcome }) => outcome === undefined)
    if (other) other.add(this.unplanned)
    else this.leave(this.unplanned)
  }

  /** Path in the array at the time when a step runs: after the renames of earlier plans. */
  path(file: string): string {
    let path = file.slice(this.array.folder.path.length + 1)
    let last = -1
    for (;;) {
      const rename = around(this.renames, path)
      if (!rename || rename.number <= last) return path
      path = rename.to + path.slice(rename.from.length)
      last = rename.number
    }
  }

  /** Whether an earlier plan already takes the path away. If so, the finding is added to that plan. */
  isCovered(path: string, finding: Finding): boolean {
    const renaming = ABOUT_NAMES.has(finding.code) ? this.renamed.get(path) : undefined
    const draft = renaming ?? around(this.moved, path)
    draft?.add(finding)
    return draft !== undefined
  }

  /** Whether a draft gives a fragment its place or its name. */
  isSettled({ name, path }: FragmentEntry): boolean {
    return this.placed.has(name) || this.renames.has(path)
  }

  // Facts.

  entryOf(finding: Finding): FragmentEntry | undefined {
    return this.entryAround(finding.file.slice(this.array.folder.path.length + 1))
  }

  /** The fragment of a file. @param path in the array */
  entryAround(path: string): FragmentEntry | undefined {
    return around(this.byPath, path)
  }

  entryNamed(name: string): FragmentEntry | undefined {
    return this.byName.get(name)
  }

  /** The fragment whose folder was renamed, if a commit has this name for it. */
  entryRenamedFrom(name: string): FragmentEntry | undefined {
    const line = this.changedLines.find(({ entry }) => stem(entry.name) === name)
    if (!line) return renamedFragment(name, this.entries)
    return line.changed === 'folder' ? line.fragment : undefined
  }

  /** The changed line that committed a fragment. */
  changedLineOf(fragment: FragmentEntry): ChangedLine | undefined {
    return this.changedLines.find((line) => line.fragment === fragment && line.changed !== 'folder')
  }

  /** What `read` returns for a fragment; undefined if its metadata is damaged. */
  tryRead<T>({ path }: FragmentEntry, read: (fragment: Fragment) => Promise<T>): Promise<T | undefined> {
    return this.array.withFragment(path, (fragment) => read(fragment).catch(unlessFault))
  }

  infoOf(entry: FragmentEntry): Promise<FragmentInfo | undefined> {
    return this.tryRead(entry, (fragment) => fragment.info())
  }

  /** The newest schema; undefined if it cannot be read. */
  async newestSchema(): Promise<ArraySchema | undefined> {
    return (await this.array.newestSchema().catch(unlessFault))?.schema
  }

  /** Whether every file of a fragment is there, and long enough. */
  async isWhole(entry: FragmentEntry): Promise<boolean> {
    const isWhole = await this.tryRead(entry, async (fragment) => {
      const files = await fragment.fieldFiles()
      const sizes = await fileSizes(fragment.folder)
      return files.every(({ name, size }) => (sizes.get(name) ?? 0) >= size)
    })
    return isWhole ?? false
  }

  /** Says what to do where a consolidated fragment makes way for those that it replaced. @param names those */
  async sayConsolidate(draft: Draft, names: Iterable<string>): Promise<void> {
    const schema = await this.newestSchema()
    const fragments: { info: FragmentInfo }[] = []
    if (schema?.array_type === 'dense' && schema.current_domain?.range)
      for (const name of names) {
        const entry = this.entryNamed(name)
        const info = entry && (await this.infoOf(entry))
        if (info) fragments.push({ info })
      }
    const breaks = schema && breaksTiles({ schema }, consolidatables({ schema, fragments }))
    const next = breaks ? DO_NOT_CONSOLIDATE : 'consolidate them once more when all is done'
    draft.say({ text: `readers again see the fragments that were consolidated: ${next}` })
  }

  /** Fragments that are read, and may hold cells that this fragment hides. */
  async olderThan(fragment: TimedName): Promise<FragmentEntry[]> {
    const schema = await this.newestSchema()
    if (!schema || schema.allows_duplicates) return []
    const isDense = schema.array_type === 'dense'
    return this.entries.filter((one) => one.name !== fragment.name && one.isRead && mayBeOlder(one, fragment, isDense))
  }

  /** Whether the file that commits a fragment of this name is there. */
  isMarked(name: string): boolean {
    return this.marks.has(commitOf(name))
  }

  // Moving out of the array.

  /** Begins or continues the plan that moves a path out of the array. */
  takeAway(path: string, finding: Finding): Draft {
    const draft = this.draft(`aside ${path}`, finding)
    this.move(draft, path)
    return draft
  }

  move(draft: Draft, path: string): void {
    this.take(draft, path, this.shell.moveAside(path))
  }

  /** Adds a move that takes a file or folder away, and may put something else in its place. */
  take(draft: Draft, path: string, move: Move): void {
    draft.move(move)
    this.moved.set(path, draft)
  }

  /** Begins or continues the plan that replaces a file or folder with an empty file. */
  replaceWithEmpty(path: string, finding: Finding): void {
    this.take(this.draft(`aside ${path}`, finding), path, this.shell.empty(path))
  }

  /** Takes away a fragment that readers do not see, and its lines in vacuum lists. */
  retire(draft: Draft, { path, name }: FragmentEntry): void {
    this.move(draft, path)
    for (const list of this.lists)
      if (list.hides.has(name) && !this.moved.has(list.path)) this.dropName(list.path, name, draft)
  }

  /** Plans to take away a fragment that waits for vacuum: another one has its cells. */
  async retireReplaced(entry: FragmentEntry, finding: Finding): Promise<void> {
    const draft = this.draft(`aside ${entry.path}`, finding)
    if (await this.isNeverRead(entry)) {
      draft.addLost(noLoss('nothing: another fragment has its cells, and readers skip this one at all times'))
    } else {
      draft.addLost(noLoss('nothing that is read now: another fragment has its cells'))
      draft.loses.add('reads as of a time before the consolidation, which use this fragment although it is damaged')
    }
    this.retire(draft, entry)
    this.uncommit(draft, entry)
  }

  /** Whether the vacuum list hides a fragment at every time. It does in sparse arrays whose consolidated cells have times. */
  private async isNeverRead({ hidden_by = '' }: FragmentEntry): Promise<boolean> {
    const { format_version = 0 } = nameFacts(lastPathPart(hidden_by)) ?? {}
    if (format_version < TIMESTAMPS_SINCE) return false
    return (await this.newestSchema())?.array_type === 'sparse'
  }

  /** Takes a consolidated fragment away, with its commit and its list. */
  takeConsolidated(draft: Draft, { path, name }: NamedVacuumList): void {
    this.move(draft, path)
    const entry = this.entryNamed(name)
    if (!entry) return
    this.move(draft, entry.path)
    this.uncommit(draft, entry)
  }

  /**
   * Takes away the files with a copy of a fragment's footer, because the fragment changes.
   * @param isInstead whether the steps in place of others change the fragment, not the steps themselves
   * @param after a word of a shell: what is there once the fragment was changed. TileDB may need the copy until then
   */
  moveFooters({ has_consolidated_metadata }: FragmentEntry, draft: Draft, isInstead = false, after?: string): void {
    if (!has_consolidated_metadata) return
    for (const { path, kind } of this.commits.files) {
      if (kind !== 'fragment-metadata' || this.moved.has(path)) continue
      if (isInstead) draft.instead.push(this.shell.moveAsideOnce(path))
      else this.take(draft, path, this.shell.moveAside(path, after))
    }
  }

  // Names, places and commits.

  rename(draft: Draft, from: string, to: string): void {
    draft.move(this.shell.rename(from, to))
    this.renames.set(from, { from, to, number: this.renames.size })
    this.renamed.set(to, draft)
  }

  /** Makes the folder around a path, if neither the array has it nor an earlier draft makes it. */
  async makeFolderOf(draft: Draft, path: string): Promise<void> {
    const [folder, ...inside] = path.split('/')
    if (inside.length === 0 || this.made.has(folder) || (await this.array.folder.kind(folder)) !== undefined) return
    this.made.add(folder)
    draft.move(this.shell.makeFolder(folder))
  }

  /** Adds an empty file that commits a fragment. */
  async commit(draft: Draft, name: string): Promise<void> {
    const mark = commitOf(name)
    this.placed.set(name, draft)
    await this.makeFolderOf(draft, mark)
    draft.move(this.shell.createEmpty(mark))
  }

  /** Takes away what commits a fragment: its mark, and its lines in consolidated commits. */
  uncommit(draft: Draft, { name }: FragmentEntry): void {
    if (this.isMarked(name)) this.move(draft, commitOf(name))
    for (const { path, kind } of this.commits.files)
      if (kind === 'consolidated-commits') this.dropName(path, name, draft)
  }

  // Lists.

  /** Begins or continues the plan for a list, which loses the lines at these offsets. */
  listDraft(path: string, finding: Finding, ...offsets: readonly number[]): Draft {
    const edits = this.editsOf(path)
    for (const offset of offsets) edits.offsets.set(offset, undefined)
    return this.draft(`list ${path}`, finding)
  }

  /** Drops the lines of a list that name a fragment which a draft takes away. */
  dropName(path: string, name: string, draft: Draft): void {
    this.editsOf(path).names.set(name, draft)
  }

  /** Begins or continues the plan for a list in which a line is written again. */
  lineDraft(path: string, finding: Finding, offset: number, text: string): Draft {
    this.editsOf(path).offsets.set(offset, text)
    return this.draft(`list ${path}`, finding)
  }

  private editsOf(path: string): ListEdits {
    const edits = this.edits.get(path) ?? { offsets: new Map(), names: new Map() }
    this.edits.set(path, edits)
    return edits
  }

  /** Adds the steps that write the lists anew. */
  async finishLists(): Promise<void> {
    for (const [path, { offsets, names }] of this.edits) {
      if (this.moved.has(path)) continue
      const lines = await listLines(this.array, path)
      let owner: Draft | undefined
      for (const { text, offset } of lines) {
        const taking = names.get(stem(lastPathPart(offsets.get(offset) ?? text)))
        if (!taking) continue
        offsets.set(offset, undefined)
        owner = taking
      }
      // A list without a finding of its own changes with the last of its fragments.
      const draft = this.byKey.get(`list ${path}`) ?? owner
      if (!draft) continue
      const parts = partsOfList(lines, offsets)
      this.take(draft, path, parts.length > 0 ? this.shell.cutTo(path, parts) : this.shell.moveAside(path))
    }
  }
}

/** What a map has for a path, or else for the nearest folder around it that the map has. */
function around<T>(map: ReadonlyMap<string, T>, path: string): T | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const found = map.get(path.slice(0, end))
    if (found !== undefined) return found
  }
  return undefined
}

/** Path of the file that commits a fragment with this name, if both lie where they belong. */
export function commitOf(name: string): string {
  return pathOfCommit(fragmentPath(name))
}
