import type { FindingCode } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import { lastPathPart } from '../format/commit-files.ts'
import type { FragmentEntry, InspectArray } from '../store/array.ts'
import { fragmentPath, pathOfCommit, stem } from '../store/commits.ts'
import { type Draft, draftIn } from './drafts.ts'
import { listLines, partsWithout } from './lists.ts'
import type { Move, Shell } from './shell.ts'
import type { ConditionWords } from './tile-loss.ts'

/** Findings that a new name or place mends. */
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

/** A vacuum list: the fragment that it is named after, and names of those that it hides. */
export interface NamedVacuumList {
  path: string
  name: string
  hides: ReadonlySet<string>
}

/** What the drafts of one array change in it: what they move away, rename and commit, and the lines that lists lose. */
export class ArrayDrafts {
  protected readonly array: InspectArray
  protected readonly shell: Shell
  protected readonly drafts = new Map<string, Draft>()
  /** What a draft moves out of the array, by path. */
  protected readonly moved = new Map<string, Draft>()
  /** Fragments that a draft commits or puts in their place, by name. */
  protected readonly placed = new Map<string, Draft>()
  /** Offsets of lines that lists are to lose, by the path of the list. */
  protected readonly dropped = new Map<string, Set<number>>()
  /** What drafts give another name, by the new one. */
  protected readonly renamed = new Map<string, Draft>()
  protected renames: (readonly [from: string, to: string])[] = []
  protected entries: readonly FragmentEntry[] = []
  protected readonly fresh: (path: string) => Promise<string>
  protected readonly words: ConditionWords

  /** @param fresh a name like this one of which nothing is there */
  constructor(array: InspectArray, shell: Shell, fresh: (path: string) => Promise<string>, words: ConditionWords) {
    this.array = array
    this.shell = shell
    this.fresh = fresh
    this.words = words
  }

  protected draft(key: string, finding: Finding): Draft {
    return draftIn(this.drafts, key, finding)
  }

  /** Path in the array as it is when a step runs, after the renames of earlier plans. */
  protected path(file: string): string {
    const { length } = this.array.folder.path
    return this.renames.reduce(
      (path, [from, to]) => (path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path),
      file.slice(length + 1),
    )
  }

  /** Whether an earlier plan already takes the path away; the finding is then one more of that plan. */
  protected isCovered(path: string, finding: Finding): boolean {
    const other = ABOUT_NAMES.has(finding.code) ? this.renamed.get(path) : undefined
    other?.add(finding)
    if (other) return true
    for (const [taken, draft] of this.moved) {
      if (path !== taken && !path.startsWith(`${taken}/`)) continue
      draft.add(finding)
      return true
    }
    return false
  }

  protected entryOf(finding: Finding): FragmentEntry | undefined {
    const path = finding.file.slice(this.array.folder.path.length + 1)
    return this.entries.find((entry) => path === entry.path || path.startsWith(`${entry.path}/`))
  }

  // Moving out of the array.

  protected takeAway(path: string, finding: Finding): Draft {
    const draft = this.draft(`aside ${path}`, finding)
    this.move(draft, path)
    return draft
  }

  protected move(draft: Draft, path: string): void {
    this.take(draft, path, this.shell.moveAside(path))
  }

  /** A move that takes a file or folder away, whatever comes in its place. */
  protected take(draft: Draft, path: string, move: Move): void {
    draft.move(move)
    this.moved.set(path, draft)
  }

  protected emptied(path: string, finding: Finding): void {
    this.take(this.draft(`aside ${path}`, finding), path, this.shell.empty(path))
  }

  protected moveTo(draft: Draft, from: string, to: string): void {
    draft.move(this.shell.rename(from, to))
    this.renames.push([from, to])
    this.renamed.set(to, draft)
  }

  /** Folders that a draft makes. */
  private readonly made = new Set<string>()

  /** Makes the folder around a path, if neither the array nor a draft before has it. */
  protected async folderOf(draft: Draft, path: string): Promise<void> {
    const folder = path.includes('/') ? path.slice(0, path.indexOf('/')) : undefined
    if (folder === undefined || this.made.has(folder) || (await this.array.folder.kind(folder)) !== undefined) return
    this.made.add(folder)
    draft.move(this.shell.makeFolder(folder))
  }

  protected async commit(draft: Draft, { name, path }: FragmentEntry): Promise<void> {
    const mark = commitOf(name)
    await this.folderOf(draft, mark)
    draft.move(this.shell.createEmpty(mark))
    this.placed.set(lastPathPart(path), draft)
  }

  /** Whether a vacuum list says that one fragment has the cells of another. */
  protected replaces({ name }: FragmentEntry, path: string): boolean {
    return this.lists.some((list) => list.name === name && list.hides.has(lastPathPart(path)))
  }

  protected lists: NamedVacuumList[] = []
  /** Paths of commit marks, and of consolidated commits. */
  protected readonly marks = new Set<string>()
  protected readonly consolidated = new Set<string>()

  protected async readCommits(): Promise<void> {
    for (const { path, kind, entries } of (await this.array.commits()).files) {
      if (kind === 'write') this.marks.add(path)
      if (kind === 'consolidated-commits') this.consolidated.add(path)
      if (kind !== 'vacuum') continue
      this.lists.push({ path, name: stem(lastPathPart(path)), hides: new Set(entries.map(({ name }) => name)) })
    }
  }

  /** Takes away a fragment that readers do not see, and its lines in vacuum lists. */
  protected retire(draft: Draft, { path, name }: FragmentEntry): void {
    this.move(draft, path)
    for (const list of this.lists)
      if (list.hides.has(name) && !this.moved.has(list.path)) this.dropName(list.path, name, draft)
  }

  // Lists.

  protected drop(path: string, ...offsets: readonly number[]): void {
    const dropped = this.dropped.get(path) ?? new Set()
    this.dropped.set(path, dropped)
    for (const offset of offsets) dropped.add(offset)
  }

  /** Names of fragments whose lines lists are to lose, with the draft that takes the fragment away. */
  protected readonly droppedNames = new Map<string, Map<string, Draft>>()

  protected dropName(path: string, name: string, draft: Draft): void {
    this.drop(path)
    this.droppedNames.set(path, (this.droppedNames.get(path) ?? new Map()).set(name, draft))
  }

  protected listDraft(path: string, finding: Finding, ...offsets: readonly number[]): Draft {
    this.drop(path, ...offsets)
    return this.draft(`list ${path}`, finding)
  }

  protected async finishLists(): Promise<void> {
    for (const [path, offsets] of this.dropped) {
      if (this.moved.has(path)) continue
      const names = this.droppedNames.get(path)
      const lines = await listLines(this.array, path)
      let draft = this.drafts.get(`list ${path}`)
      for (const { text, offset } of lines) {
        const owner = names?.get(stem(lastPathPart(text)))
        if (owner) offsets.add(offset)
        // A list of which no finding speaks changes with the last of its fragments.
        if (owner && !this.drafts.has(`list ${path}`)) draft = owner
      }
      if (!draft) continue
      const parts = partsWithout(lines, offsets)
      this.take(draft, path, parts.length > 0 ? this.shell.cutTo(path, parts) : this.shell.moveAside(path))
    }
  }

  protected uncommit(draft: Draft, { name }: FragmentEntry): void {
    const mark = commitOf(name)
    if (this.marks.has(mark)) this.move(draft, mark)
    for (const path of this.consolidated) this.dropName(path, name, draft)
  }
}

/** Path of the file that commits a fragment of this name where it belongs. */
export function commitOf(name: string): string {
  return pathOfCommit(fragmentPath(name))
}
