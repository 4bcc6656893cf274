import { lastPathPart } from '../base/paths.ts'
import { MISNAMED } from '../check/codes/fragment.ts'
import type { FindingCode } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import { hex } from '../filters/bytes.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { nameFacts, timeText } from '../format/timestamped-name.ts'
import type { FragmentEntry } from '../objects/array.ts'
import { committedPath, FRAGMENTS_FOLDER, fragmentPath, stem } from '../objects/commits.ts'
import { type ArrayDrafts, commitOf, type NamedVacuumList } from './array-drafts.ts'
import type { Draft } from './drafts.ts'
import type { FragmentPlanner } from './fragment-plan.ts'
import { inMilliseconds, leaveUntilThen, nameWithTimes, pathInMilliseconds } from './milliseconds.ts'
import { type DividedTimes, type RewrittenTimes, whyNotRewritten } from './rewrite-plan.ts'

/** A fragment's vacuum lists, and those of the fragments in them. */
interface Consolidation {
  lists: readonly NamedVacuumList[]
  /**
   * The fragments that the consolidated ones replaced, with their names in milliseconds. Undefined if these fragments cannot take
   * their place again.
   */
  replaced: ReadonlyMap<FragmentEntry, string> | undefined
}

/** Plans for what has a wrong name or lies in a wrong folder. */
export class NamePlanner {
  private readonly drafts: ArrayDrafts
  private readonly fragments: FragmentPlanner
  /** Known consolidations, by the names of the fragments in them. */
  private readonly consolidations = new Map<string, Consolidation>()
  /** The result of {@link missedName}. */
  private missed: { name: string | undefined } | undefined

  constructor(drafts: ArrayDrafts, fragments: FragmentPlanner) {
    this.drafts = drafts
    this.fragments = fragments
  }

  // Places.

  /** Plans the mending of a fragment in a wrong folder. */
  async placeFragment(path: string, finding: Finding): Promise<void> {
    const { drafts } = this
    const ownName = lastPathPart(path)
    const name = drafts.isMarked(ownName) ? ownName : (this.missedName() ?? ownName)
    const to = fragmentPath(name)
    if ((await drafts.array.folder.kind(to)) !== undefined) return void drafts.takeAway(path, finding)
    const draft = drafts.draft(`place ${name}`, finding)
    await this.moveToPlace(draft, name, path, to)
    const isCommitted = drafts.isMarked(name) || drafts.commits.consolidated.has(to)
    if (!isCommitted && this.isFound('ARRAY_READS_EMPTY')) await drafts.commit(draft, name)
  }

  /** Plans the mending of a commit file in a wrong folder. */
  async placeCommit(path: string, finding: Finding): Promise<void> {
    const { drafts } = this
    const name = stem(lastPathPart(path))
    const to = commitOf(name)
    const isTaken =
      (await drafts.array.folder.kind(to)) !== undefined || drafts.commits.consolidated.has(committedPath(to))
    if (isTaken) drafts.takeAway(path, finding)
    else await this.moveToPlace(drafts.draft(`place ${name}`, finding), name, path, to)
  }

  private async moveToPlace(draft: Draft, name: string, from: string, to: string): Promise<void> {
    await this.drafts.makeFolderOf(draft, to)
    this.drafts.rename(draft, from, to)
    this.drafts.placed.set(name, draft)
  }

  private isFound(code: FindingCode): boolean {
    return this.drafts.findings.some((finding) => finding.code === code)
  }

  /** Name of the missing fragment of a commit, if only one is missing, and only one folder has a wrong name or place. */
  private missedName(): string | undefined {
    if (this.missed) return this.missed.name
    const { findings } = this.drafts
    const missing = findings.filter(
      ({ code, file }) =>
        code === 'COMMIT_DANGLING' && /\.(?:wrt|ok)$/.test(file) && nameFacts(stem(lastPathPart(file))),
    )
    const astray = findings.filter(
      ({ code, variant }) =>
        (code === 'FRAGMENT_NAME_INVALID' && variant !== 'copy') || code === 'FRAGMENT_WRONG_FOLDER',
    )
    this.missed = {
      name: missing.length === 1 && astray.length === 1 ? stem(lastPathPart(missing[0].file)) : undefined,
    }
    return this.missed.name
  }

  // Names.

  async rename(path: string, finding: Finding): Promise<void> {
    if (finding.code === 'FILE_UNLISTED' || finding.code === 'FILE_MISSING') return this.renameFile(path, finding)
    await this.nameFragment(path, finding, this.drafts.entryOf(finding))
  }

  /** Gives a data file its name again. Both the finding of the missing file and that of the other name are of this plan. */
  private renameFile(path: string, finding: Finding): void {
    const { drafts } = this
    const { missing } = finding
    const draft = drafts.draft(`name ${missing ?? finding.file}`, finding)
    if (missing === undefined) {
      draft.takeBackLost()
      draft.addLost(MISNAMED)
    } else drafts.rename(draft, path, drafts.path(missing))
  }

  /** Gives a file of its own the time in milliseconds. */
  async fileInMilliseconds(path: string, finding: Finding): Promise<void> {
    const { drafts } = this
    // A name inside a .con file cannot be changed by itself.
    const to = path.endsWith('.con') ? undefined : pathInMilliseconds(path, drafts.array.cx.now)
    if (to === undefined) return this.leaveUntilThen(finding, lastPathPart(path))
    drafts.rename(drafts.draft(`rename ${path}`, finding), path, to)
  }

  /** Plans the mending of a fragment with a future time in its name. The time may be in another unit. */
  async inMilliseconds(path: string, finding: Finding): Promise<void> {
    const entry = this.committedOf(path, finding)
    if (entry) await this.renameFuture(path, finding, entry)
  }

  async swapTimes(path: string, finding: Finding): Promise<void> {
    const { drafts } = this
    const entry = this.committedOf(path, finding)
    if (!entry) return
    if (entry.state === 'to-vacuum') return drafts.retireReplaced(entry, finding)
    const [first, last] = nameFacts(entry.name)?.timestamp_range ?? [0n, 0n]
    this.renameFragment(drafts.draft(`rename ${path}`, finding), entry, nameWithTimes(entry.name, last, first))
  }

  /** The committed fragment of a finding. Another folder is taken away: no reader sees it. */
  private committedOf(path: string, finding: Finding): FragmentEntry | undefined {
    const entry = this.drafts.entryOf(finding)
    if (entry?.committed) return entry
    this.drafts.takeAway(path, finding)
    return undefined
  }

  private async renameFuture(path: string, finding: Finding, entry: FragmentEntry): Promise<void> {
    const { drafts } = this
    const { array, entries } = drafts
    const { name } = entry
    const { lists, replaced } = await this.consolidationOf(name)
    if (replaced) return this.restoreReplaced(finding, lists, replaced)
    const hiding = lists.find(({ hides }) => hides.has(name))
    const to = inMilliseconds(name, array.cx.now)
    if (to === undefined || hiding) return this.leaveUntilThen(finding, name, hiding)
    const times = await this.timesOfCells(entry)
    if (times === null || isWithin(times, nameFacts(to)?.timestamp_range))
      return this.renameFragment(drafts.draft(`rename ${path}`, finding), entry, to)
    const divided = times && isWithin(times, entry.timestamp_range) ? dividedTimes(name, to, times) : undefined
    // A vacuum list would name a fragment that is gone.
    if (lists.length > 0 || !divided || (await whyNotRewritten(array, entry, entries, divided)) !== undefined)
      return this.leaveUntilThen(finding, name)
    this.fragments.rewrite(entry, finding, divided)
  }

  private async consolidationOf(name: string): Promise<Consolidation> {
    const known = this.consolidations.get(name)
    if (known) return known
    const lists = this.listsAround(name)
    const found = { lists, replaced: await this.replacedToRename(lists) }
    for (const one of [name, ...lists.flatMap(fragmentsOf)]) this.consolidations.set(one, found)
    return found
  }

  /** The vacuum lists of a fragment, and in turn those of the fragments in them, as consolidated fragments may be consolidated again. */
  private listsAround(name: string, found: NamedVacuumList[] = []): readonly NamedVacuumList[] {
    for (const list of this.drafts.lists) {
      if (found.includes(list) || (list.name !== name && !list.hides.has(name))) continue
      found.push(list)
      for (const other of fragmentsOf(list)) this.listsAround(other, found)
    }
    return found
  }

  /** The replaced fragments of these lists with names in milliseconds; undefined if they cannot take their place again. */
  private async replacedToRename(lists: readonly NamedVacuumList[]): Promise<Consolidation['replaced']> {
    const renamed = new Map<FragmentEntry, string>()
    const consolidated = new Set(lists.map(({ name }) => name))
    for (const name of new Set(lists.flatMap(fragmentsOf))) {
      const entry = this.drafts.entryNamed(name)
      const to = inMilliseconds(name, this.drafts.array.cx.now)
      if (!entry?.committed || to === undefined) return undefined
      if (consolidated.has(name)) continue
      if ((await this.timesOfCells(entry)) !== null || !(await this.drafts.isWhole(entry))) return undefined
      renamed.set(entry, to)
    }
    return renamed.size > 0 ? renamed : undefined
  }

  /**
   * Takes consolidated fragments away and renames those that they replaced. These have all the cells, and reads at earlier times
   * need them. A consolidated fragment whose cells have times of their own cannot be renamed itself.
   */
  private async restoreReplaced(
    finding: Finding,
    lists: readonly NamedVacuumList[],
    replaced: ReadonlyMap<FragmentEntry, string>,
  ): Promise<void> {
    const draft = this.drafts.draft(`rename ${lists[0].path}`, finding)
    await this.drafts.sayConsolidate(
      draft,
      Array.from(replaced.keys(), ({ name }) => name),
    )
    for (const list of lists) this.drafts.takeConsolidated(draft, list)
    for (const [entry, to] of replaced) this.renameFragment(draft, entry, to)
  }

  /** The first and the last time of a fragment's cells: null if they have no times of their own, undefined if nothing tells. */
  private timesOfCells(entry: FragmentEntry): Promise<RewrittenTimes | null | undefined> {
    return this.drafts.tryRead(entry, async (fragment) => {
      const slot = (await fragment.info()).slots.findIndex(({ kind }) => kind === 'timestamps')
      if (slot < 0) return null
      const found = (await fragment.statistics())?.[slot]
      return found?.min.length ? [integerOf('UINT64', found.min), integerOf('UINT64', found.max)] : undefined
    })
  }

  /** {@link leaveUntilThen} for a fragment of the array. @param list a vacuum list that has the fragment under this name */
  private leaveUntilThen(finding: Finding, name: string, list?: NamedVacuumList): void {
    const draft = this.drafts.draft(`later ${name}`, finding)
    if (list) draft.say({ text: `it keeps its name: ${list.path} lists it by this name` })
    leaveUntilThen(draft, name, (last) => `the array at that time, timestamp=${last}`)
  }

  /** Plans the mending of a folder whose name no fragment can have. It may be the missing fragment of a commit, or be committed under this name. */
  private async nameFragment(path: string, finding: Finding, entry: FragmentEntry | undefined): Promise<void> {
    const { drafts } = this
    const missed = this.missedName()
    if (!entry?.committed && missed !== undefined)
      return this.moveToPlace(drafts.draft(`place ${missed}`, finding), missed, path, fragmentPath(missed))
    const head = entry?.committed ? await drafts.tryRead(entry, (fragment) => fragment.head()) : undefined
    if (!entry || !head) return void drafts.takeAway(path, finding)
    const [first, last] = entry.timestamp_range ?? [1n, 1n]
    const uuid = hex(new TextEncoder().encode(entry.name)).padEnd(32, '0').slice(0, 32)
    const name = `__${first}_${last}_${uuid}_${head.version}`
    const draft = drafts.draft(`rename ${path}`, finding)
    draft.say({ text: `the name tells no time but ${timeText(last, false)}, so this time is used` })
    this.renameFragment(draft, entry, name)
  }

  /** Renames a fragment and its own commit files. Consolidated commits lose its line, and a mark takes its place. */
  private renameFragment(draft: Draft, entry: FragmentEntry, name: string): void {
    const { drafts } = this
    const withName = (path: string): string => path.slice(0, -lastPathPart(path).length) + name
    drafts.rename(draft, entry.path, withName(entry.path))
    let isMarked = false
    for (const { path, kind } of drafts.commitFiles.get(entry.name) ?? []) {
      if (kind !== 'write' && kind !== 'vacuum') continue
      drafts.rename(draft, path, `${withName(path)}${path.slice(path.lastIndexOf('.'))}`)
      isMarked ||= kind === 'write'
    }
    // A list that does not name the fragment loses nothing.
    for (const { path, kind } of drafts.commits.files)
      if (kind === 'consolidated-commits') drafts.dropName(path, entry.name, draft)
    if (!isMarked && entry.path.startsWith(FRAGMENTS_FOLDER)) draft.move(drafts.shell.createEmpty(commitOf(name)))
    drafts.moveFooters(entry, draft)
  }
}

/** The names in a vacuum list, and that of the fragment that it is named after. */
function fragmentsOf({ name, hides }: NamedVacuumList): string[] {
  return [name, ...hides]
}

function isWithin(times: RewrittenTimes | undefined, range: RewrittenTimes | undefined): boolean {
  return times !== undefined && range !== undefined && times[0] >= range[0] && times[1] <= range[1]
}

/** The times of cells in milliseconds. @param to the fragment's name in milliseconds */
function dividedTimes(name: string, to: string, [first, last]: RewrittenTimes): DividedTimes {
  const [stored, wanted] = [name, to].map((one) => nameFacts(one)?.timestamp_range[1] ?? 1n)
  const by = stored / wanted
  return { by, times: [first / by, last / by] }
}
