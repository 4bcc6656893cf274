import { unlessFault } from '../base/errors.ts'
import { FINDING_CODES, type FindingCode, isMendedBy, isMendedByRecover, type MendedBy } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { nameFacts, parseTimestampedName, timeText } from '../format/timestamped-name.ts'
import { type FragmentEntry, SCHEMA_FOLDER } from '../store/array.ts'
import { COMMITS_FOLDER, committedPath, FRAGMENTS_FOLDER, fragmentPath, stem } from '../store/commits.ts'
import { cellsInDomain, fileSizes } from '../store/file-sizes.ts'
import { TIMESTAMPS_SINCE } from '../store/visibility.ts'
import { ArrayDrafts, commitOf, type NamedVacuumList } from './array-drafts.ts'
import type { Draft, MendPlan } from './drafts.ts'
import { DamagedFragment, loseSign, type RecoverWay, recoverArray, recoverFragment } from './fragment-plan.ts'
import { listLines } from './lists.ts'
import { type Way, wayOfCode } from './mending.ts'
import { type CellsBox, mayBeOlder, meet, olderText, type TimedName, wholeBox } from './older.ts'
import { type DividedTimes, rewriteFragment, type Times, whyNotRewritten } from './rewrite-plan.ts'
import { canWriteSchema, writeSchema } from './schema-plan.ts'

/**
 * In this order plans are made, and run: what is only in the wrong place goes first, as other findings follow from it. `recover`
 * reads what the others have put right.
 */
const ORDER: readonly Way[] = [
  'wrong-folder',
  'rename',
  'commit',
  'vacuum-file',
  'uncommitted',
  'dangling',
  'schema-file',
  'schema',
  'list',
  'condition',
  'aside',
  'empty-file',
  'cut-off',
  'recover',
  'statistics',
  'drop',
  'rewrite',
  'copy',
  'leave',
]
/** Times before 2000 are no likely times of writing, in milliseconds. */
const EARLIEST = 946_684_800_000n

/** How a finding is mended. Known faults of TileDB releases are left alone. */
function wayOf({ code, severity, meaning }: Finding): Way {
  const way = wayOfCode(code)
  if (!ANEW.has(way)) return way
  const [usual, ownMeaning] = FINDING_CODES[code]
  const isKnown =
    (severity === 'note' && usual !== 'note') || (code === 'CHUNK_UNREADABLE' && !meaning.startsWith(ownMeaning))
  if (isKnown) return code === 'CHUNK_UNREADABLE' && severity !== 'note' ? 'rewrite' : 'leave'
  return way
}

const ANEW: ReadonlySet<Way> = new Set<Way>(['recover', 'statistics', 'drop', 'rewrite'])

/** Vacuum lists that have to do with each other. */
interface Consolidation {
  lists: readonly NamedVacuumList[]
  /** What consolidated fragments replaced, with names in milliseconds; undefined if it cannot take their place again. */
  replaced: ReadonlyMap<FragmentEntry, string> | undefined
}

/** Plans for the findings of one array. */
export class ArrayPlanner extends ArrayDrafts {
  private readonly damaged = new Map<FragmentEntry, DamagedFragment>()
  /** Fragments whose cells are written again. */
  private readonly rewritten = new Map<
    FragmentEntry,
    { draft: Draft; codes: Set<FindingCode>; divided?: DividedTimes }
  >()
  /** Schemas that are written anew. */
  private readonly schemas = new Map<string, { draft: Draft; codes: Set<MendedBy<'schema'>> }>()
  /** Fragments that are written anew. */
  private readonly anew = new Set<FragmentEntry>()
  /** Boxes around all cells of fragments. */
  private readonly boxes = new Map<FragmentEntry, CellsBox>()
  /** By the names of the fragments in them. */
  private readonly consolidations = new Map<string, Consolidation>()
  private isSchemaWrong = false
  private found: readonly Finding[] = []
  private readsEmpty: Finding | undefined

  async plans(findings: readonly Finding[]): Promise<MendPlan[]> {
    this.found = findings
    this.entries = await this.array.fragments()
    await this.readCommits()
    this.readsEmpty = findings.find(({ code }) => code === 'ARRAY_READS_EMPTY')
    for (const finding of findings) {
      const entry = this.entryOf(finding)
      if (entry && ANEW.has(wayOf(finding))) this.anew.add(entry)
    }
    this.isSchemaWrong = findings.some(
      ({ code, severity }) =>
        severity === 'error' && /^(?:ARRAY_NO_)?SCHEMA(?:_|$)/.test(code) && isMendedBy(code, 'copy', 'schema'),
    )
    for (const way of ORDER) {
      for (const finding of findings) if (this.wayIn(finding) === way) await this.mend(way, finding)
    }
    if (this.readsEmpty) {
      const other = [...this.drafts.values()].find(({ outcome }) => outcome === undefined)
      if (other) other.add(this.readsEmpty)
      else this.leave(this.readsEmpty)
    }
    for (const [path, { draft, codes }] of this.schemas) await writeSchema(path, codes, draft, this.shell, this.fresh)
    await this.finishRewrites()
    await this.finishRecover()
    await this.finishLists()
    // `recover` copies what the other steps have put right.
    const isLast = (draft: Draft): boolean => [...this.damaged.values()].some((one) => one.draft === draft)
    const drafts = [...this.drafts.values()]
    const ordered = [
      ...drafts.filter((draft) => draft.outcome === undefined && !isLast(draft)),
      ...drafts.filter(isLast),
      ...drafts.filter((draft) => draft.outcome !== undefined && !isLast(draft)),
    ]
    return ordered.filter((draft) => !draft.isEmpty).map((draft) => draft.plan())
  }

  /**
   * A fragment that is written anew has none of the files that no field has, and nothing behind the end of a file. If its metadata is
   * damaged, such a file may be one of its own.
   */
  private wayIn(finding: Finding): Way {
    const way = wayOf(finding)
    if (finding.code !== 'FILE_UNLISTED' && finding.code !== 'FILE_LONG') return way
    const entry = this.entryOf(finding)
    return entry && this.anew.has(entry) ? 'recover' : way
  }

  /** What is wrong with a fragment may follow from a schema that says something wrong of its cells. */
  private isConsequence(way: Way, finding: Finding): boolean {
    return this.isSchemaWrong && ANEW.has(way) && this.entryOf(finding) !== undefined
  }

  private mend(asked: Way, finding: Finding): Promise<void> | void {
    const path = this.path(finding.file)
    const way = this.isConsequence(asked, finding) ? 'copy' : asked
    if (way !== 'commit' && this.isCovered(path, finding)) return
    switch (way) {
      case 'wrong-folder':
        if (finding.code === 'FRAGMENT_WRONG_FOLDER') return this.placeFragment(path, finding)
        return this.placeCommit(path, finding)
      case 'rename':
        return this.rename(path, finding)
      case 'commit':
        return this.commitAll(finding)
      case 'vacuum-file':
        return this.vacuumFile(path, finding)
      case 'uncommitted':
        return this.uncommitted(path, finding)
      case 'dangling':
        return this.dangling(path, finding)
      case 'schema-file':
        return this.schemaFile(path, finding)
      case 'schema':
        return this.schema(path, finding)
      case 'list':
        return this.listLine(path, finding)
      case 'condition':
        return this.condition(path, finding)
      case 'aside':
        return this.aside(path, finding)
      case 'empty-file':
        return this.emptied(path, finding)
      case 'cut-off':
        this.take(this.draft(`aside ${path}`, finding), path, this.shell.cutTo(path, [[0, finding.offset ?? 0]]))
        return
      case 'recover':
      case 'statistics':
      case 'drop':
        return this.recover(finding, way)
      case 'rewrite':
        return this.rewrite(finding)
      case 'copy':
        if (finding.code === 'ARRAY_NO_SCHEMA') return this.withoutSchema(path, finding)
        this.fromCopy(path, finding)
        return
      default:
        this.leave(finding)
    }
  }

  private leave(finding: Finding): void {
    const isKnown = wayOf(finding) !== wayOfCode(finding.code)
    const draft = this.draft(`leave ${finding.code} ${isKnown}`, finding)
    draft.outcome = 'leave'
    if (!isKnown) return
    draft.lost.clear()
    draft.lost.add(`nothing that a copy of the array would have: ${finding.meaning}`)
  }

  private aside(path: string, finding: Finding): void {
    const { code, found } = finding
    // A folder in the place of a mark commits as the mark does.
    if (code === 'COMMIT_NAME_INVALID' && found === 'a folder' && /\.(?:wrt|ok)$/.test(path))
      this.emptied(path, finding)
    else this.strayAside(path, finding)
  }

  private strayAside(path: string, finding: Finding): void {
    const { code } = finding
    const draft = this.takeAway(path, finding)
    if (code === 'METADATA_NAME_INVALID')
      draft.lost.add(
        finding.severity === 'error'
          ? 'nothing: TileDB cannot read it'
          : 'nothing, if it is a copy: keys that only it sets go with it',
      )
  }

  private condition(path: string, finding: Finding): Promise<void> | void {
    if (path.endsWith('.con')) return this.listLine(path, finding)
    this.comesBack(this.takeAway(path, finding))
  }

  private comesBack(draft: Draft): void {
    draft.loses.add('the deletion: the cells that it deleted are read again')
    draft.never.add('write the condition again without looking at the cells that it is to delete')
  }

  // Putting in the right place.

  private async placeFragment(path: string, finding: Finding): Promise<void> {
    const name = this.marks.has(commitOf(lastPathPart(path)))
      ? lastPathPart(path)
      : (this.missedName() ?? lastPathPart(path))
    const to = fragmentPath(name)
    if ((await this.array.folder.kind(to)) !== undefined) return void this.takeAway(path, finding)
    const draft = this.draft(`place ${name}`, finding)
    await this.folderOf(draft, to)
    this.moveTo(draft, path, to)
    this.placed.set(name, draft)
    const isCommitted = this.marks.has(commitOf(name)) || (await this.array.commits()).consolidated.has(to)
    if (isCommitted || !this.readsEmpty) return
    await this.folderOf(draft, commitOf(name))
    draft.move(this.shell.createEmpty(commitOf(name)))
  }

  /** The one fragment that a commit names and that is not there, if only one folder has no proper name or place. */
  private missedName(): string | undefined {
    const missing = this.found.filter(({ code, file }) => code === 'COMMIT_DANGLING' && /\.(?:wrt|ok)$/.test(file))
    const astray = this.found.filter(({ code }) => code === 'FRAGMENT_NAME_INVALID' || code === 'FRAGMENT_WRONG_FOLDER')
    return missing.length === 1 && astray.length === 1 ? stem(lastPathPart(missing[0].file)) : undefined
  }

  private async placeCommit(path: string, finding: Finding): Promise<void> {
    if (finding.offset !== undefined) return this.listLine(path, finding)
    const name = stem(lastPathPart(path))
    const to = commitOf(name)
    if (
      (await this.array.folder.kind(to)) !== undefined ||
      (await this.array.commits()).consolidated.has(committedPath(to))
    )
      return void this.takeAway(path, finding)
    const draft = this.draft(`place ${name}`, finding)
    await this.folderOf(draft, to)
    this.moveTo(draft, path, to)
    this.placed.set(name, draft)
  }

  // Names.

  private async rename(path: string, finding: Finding): Promise<void> {
    const name = lastPathPart(path)
    const entry = this.entryOf(finding)
    if (finding.code === 'METADATA_FUTURE' || finding.code === 'DELETE_FUTURE') {
      // A name inside of a .con file cannot be changed by itself.
      const to = name.endsWith('.con') ? undefined : inMilliseconds(name, this.array.cx.now)
      if (to === undefined) return this.later(finding, name)
      this.moveTo(this.draft(`rename ${path}`, finding), path, `${path.slice(0, -name.length)}${to}`)
      return
    }
    if (finding.code === 'FRAGMENT_NAME_INVALID') return this.nameFragment(path, finding, entry)
    if (!entry?.committed) return void this.takeAway(path, finding)
    if (finding.code === 'FRAGMENT_FUTURE') return this.renameFuture(path, finding, entry)
    if (entry.state === 'to-vacuum') return this.retired(entry, finding)
    await this.renameFragment(this.draft(`rename ${path}`, finding), entry, swapped(name))
  }

  private async renameFuture(path: string, finding: Finding, entry: FragmentEntry): Promise<void> {
    const { name } = entry
    const { lists, replaced } = await this.consolidationOf(name)
    if (replaced) return this.restoreReplaced(finding, lists, replaced)
    const hiding = lists.find(({ hides }) => hides.has(name))
    const to = inMilliseconds(name, this.array.cx.now)
    if (to === undefined || hiding) return this.later(finding, name, hiding)
    const times = await this.timesOfCells(entry)
    if (times === null || isWithin(times, nameFacts(to)?.timestamp_range))
      return this.renameFragment(this.draft(`rename ${path}`, finding), entry, to)
    const divided = times && isWithin(times, entry.timestamp_range) ? dividedTimes(name, to, times) : undefined
    // A list would name what is gone.
    if (lists.length > 0 || !divided || (await whyNotRewritten(this.array, entry, this.entries, divided)) !== undefined)
      return this.later(finding, name)
    const draft = this.draft(`rewrite ${path}`, finding)
    this.rewritten.set(entry, { draft, codes: new Set([finding.code]), divided })
  }

  private async consolidationOf(name: string): Promise<Consolidation> {
    const known = this.consolidations.get(name)
    if (known) return known
    const lists = this.listsAround(name)
    const found = { lists, replaced: await this.replacedToRename(lists) }
    for (const one of [name, ...lists.flatMap(fragmentsOf)]) this.consolidations.set(one, found)
    return found
  }

  /** The lists of a fragment, and of those that these name: one that was consolidated may itself be a consolidated one. */
  private listsAround(name: string, found: NamedVacuumList[] = []): readonly NamedVacuumList[] {
    for (const list of this.lists) {
      if (found.includes(list) || (list.name !== name && !list.hides.has(name))) continue
      found.push(list)
      for (const other of fragmentsOf(list)) this.listsAround(other, found)
    }
    return found
  }

  private async replacedToRename(lists: readonly NamedVacuumList[]): Promise<Consolidation['replaced']> {
    const renamed = new Map<FragmentEntry, string>()
    const consolidated = new Set(lists.map(({ name }) => name))
    const entries = new Map(this.entries.map((entry) => [entry.name, entry]))
    for (const name of new Set(lists.flatMap(fragmentsOf))) {
      const entry = entries.get(name)
      const to = inMilliseconds(name, this.array.cx.now)
      if (!entry?.committed || to === undefined) return undefined
      if (consolidated.has(name)) continue
      if ((await this.timesOfCells(entry)) !== null || !(await this.isWhole(entry))) return undefined
      renamed.set(entry, to)
    }
    return renamed.size > 0 ? renamed : undefined
  }

  /**
   * Takes consolidated fragments away and renames those that they replaced: these have their cells, and reads at earlier times need them.
   * A consolidated one cannot get another name itself where its cells have times of their own.
   */
  private async restoreReplaced(
    finding: Finding,
    lists: readonly NamedVacuumList[],
    replaced: NonNullable<Consolidation['replaced']>,
  ): Promise<void> {
    const draft = this.draft(`rename ${lists[0].path}`, finding)
    draft.say({ text: COUNT_AGAIN })
    for (const list of lists) this.takeConsolidated(draft, list)
    for (const [entry, to] of replaced) await this.renameFragment(draft, entry, to)
  }

  /** Takes a consolidated fragment away, with its commit and its list. */
  private takeConsolidated(draft: Draft, { path, name }: NamedVacuumList): void {
    this.move(draft, path)
    const entry = this.entries.find((one) => one.name === name)
    if (!entry) return
    this.move(draft, entry.path)
    this.uncommit(draft, entry)
  }

  /** The first and the last time of cells that have times of their own: null if they have none, undefined if nothing tells. */
  private async timesOfCells({ path }: FragmentEntry): Promise<Times | null | undefined> {
    const fragment = this.array.fragment(path)
    try {
      const slot = (await fragment.info()).slots.findIndex(({ kind }) => kind === 'timestamps')
      if (slot < 0) return null
      const found = (await fragment.statistics())?.[slot]
      return found?.min.length ? [integerOf('UINT64', found.min), integerOf('UINT64', found.max)] : undefined
    } catch (error) {
      return unlessFault(error)
    } finally {
      await fragment.close()
    }
  }

  private async infoOf({ path }: FragmentEntry) {
    const fragment = this.array.fragment(path)
    try {
      return await fragment.info().catch(unlessFault)
    } finally {
      await fragment.close()
    }
  }

  /** The time may be right: then it is read from that time on. */
  private later(finding: Finding, name: string, list?: { path: string }): void {
    const draft = this.draft(`later ${name}`, finding)
    draft.outcome = 'leave'
    if (list) draft.say({ text: `it keeps its name: ${list.path} lists it by this name` })
    const [, last] = nameFacts(name)?.timestamp_range ?? []
    if (last !== undefined) draft.say({ text: `open the array at that time, timestamp=${last}, or wait` })
  }

  /** A folder whose name is no fragment's: the fragment that a commit misses, or one to which a commit gave this name. */
  private async nameFragment(path: string, finding: Finding, entry: FragmentEntry | undefined): Promise<void> {
    const isCommitted = entry?.committed === true
    const missed = this.missedName()
    if (!isCommitted && missed !== undefined) {
      const draft = this.draft(`place ${missed}`, finding)
      this.moveTo(draft, path, fragmentPath(missed))
      this.placed.set(missed, draft)
      return
    }
    const head = entry && isCommitted ? await this.array.fragment(entry.path).head().catch(unlessFault) : undefined
    if (!entry || !head) return void this.takeAway(path, finding)
    const [first, last] = entry.timestamp_range ?? [1n, 1n]
    const uuid = [...new TextEncoder().encode(entry.name)].map((byte) => byte.toString(16)).join('')
    const name = `__${first}_${last}_${uuid.padEnd(32, '0').slice(0, 32)}_${head.version}`
    const draft = this.draft(`rename ${path}`, finding)
    draft.say({ text: `the name gives no other time than ${timeText(last, false)}: this time is taken` })
    await this.renameFragment(draft, entry, name)
  }

  /** Gives a fragment another name, and all that names it. */
  private async renameFragment(draft: Draft, entry: FragmentEntry, name: string): Promise<void> {
    const { files } = await this.array.commits()
    const withName = (path: string): string => path.slice(0, -lastPathPart(path).length) + name
    this.moveTo(draft, entry.path, withName(entry.path))
    let isMarked = false
    for (const { path, kind, entries } of files) {
      const isOwn = stem(lastPathPart(path)) === entry.name
      if (isOwn && (kind === 'write' || kind === 'vacuum')) {
        this.moveTo(draft, path, `${withName(path)}${path.slice(path.lastIndexOf('.'))}`)
        isMarked ||= kind === 'write'
      } else if (kind === 'consolidated-commits') {
        if (entries.some(({ name: listed }) => stem(listed) === entry.name)) this.dropName(path, entry.name, draft)
      }
    }
    if (!isMarked && entry.path.startsWith(FRAGMENTS_FOLDER)) draft.move(this.shell.createEmpty(commitOf(name)))
    await this.moveFooters(entry, draft, false)
  }

  // Commits.

  private async commitAll(finding: Finding): Promise<void> {
    const isSettled = ({ name, path }: FragmentEntry): boolean =>
      this.placed.has(name) || this.renames.some(([from]) => from === path)
    const whole: FragmentEntry[] = []
    for (const entry of this.entries)
      if (!entry.committed && !isSettled(entry) && (await this.isWhole(entry))) whole.push(entry)
    const missed = whole.filter(({ path }) => !whole.some((other) => this.replaces(other, path)))
    // Otherwise the plan for what hides the fragments mends this, too: see `plans`.
    if (missed.length === 0) return
    this.readsEmpty = undefined
    const draft = this.draft('commit', finding)
    draft.never.add('vacuum or delete the fragments: their cells are nowhere else')
    let cells = 0n
    for (const entry of missed) {
      cells += BigInt((await this.cellsOf(entry)) ?? 0)
      await this.commit(draft, entry)
    }
    draft.notLost.add(`${cells} cells of ${missed.length} of ${this.entries.length} fragments, which are whole`)
  }

  /** Whether every file of a fragment is there, and long enough. */
  private async isWhole({ path }: FragmentEntry): Promise<boolean> {
    const fragment = this.array.fragment(path)
    try {
      const files = await fragment.fieldFiles().catch(unlessFault)
      const sizes = files && (await fileSizes(fragment.folder))
      return files?.every(({ name, size }) => (sizes?.get(name) ?? 0) >= size) ?? false
    } finally {
      await fragment.close()
    }
  }

  private async cellsOf(entry: FragmentEntry): Promise<number | bigint | undefined> {
    const info = await this.infoOf(entry)
    return info && cellsInDomain(info)
  }

  private async vacuumFile(path: string, finding: Finding): Promise<void> {
    const name = stem(lastPathPart(path))
    const replacement = this.entries.find((entry) => entry.name === name)
    const known = this.placed.get(name)
    let draft: Draft
    if (known) {
      draft = known
      draft.add(finding)
    } else if (replacement && !replacement.committed && (await this.isWhole(replacement))) {
      draft = this.draft(`vacuum ${path}`, finding)
      await this.commit(draft, replacement)
    } else draft = this.takeAway(path, finding)
    draft.never.add(
      `tiledb.vacuum(${JSON.stringify(this.shell.root)}) before these steps: it deletes fragments whose cells readers find nowhere else`,
    )
  }

  private async uncommitted(path: string, finding: Finding): Promise<void> {
    const entry = this.entryOf(finding)
    const known = this.placed.get(lastPathPart(path))
    if (known) return known.add(finding)
    if (!entry) return void this.takeAway(path, finding)
    const { state } = entry
    const draft = this.draft(`aside ${path}`, finding)
    draft.say({ text: 'make sure that no writer is at work on it' })
    this.retire(draft, entry)
    const cells = await this.cellsOf(entry)
    const isWhole = state === 'uncommitted' && !entry.to_vacuum && (await this.isWhole(entry))
    draft.lost.add(entry.to_vacuum ? 'nothing: another fragment has its cells' : 'nothing that a reader sees')
    if (isWhole && cells !== undefined)
      draft.instead.push({
        text: `if readers should see its ${cells} cells`,
        command: `: > ${this.shell.at(commitOf(entry.name))}`,
      })
  }

  private async dangling(path: string, finding: Finding): Promise<void> {
    const name = stem(finding.offset === undefined ? lastPathPart(path) : await this.nameAt(path, finding.offset))
    const known = this.placed.get(name)
    if (known) return known.add(finding)
    const draft =
      finding.offset === undefined ? this.takeAway(path, finding) : this.listDraft(path, finding, finding.offset)
    const [, last] = nameFacts(name)?.timestamp_range ?? []
    draft.lost.add(
      `all cells of the fragment ${name}${last === undefined ? '' : `, written at ${timeText(last, false)}`}`,
    )
    const older = await this.olderThan({ name, timestamp_range: nameFacts(name)?.timestamp_range })
    if (older.length > 0 && finding.severity !== 'note') draft.bringsBack.add(olderText(older.length, false))
    draft.never.add('these steps, if a copy of the array has the fragment: put it back from there')
  }

  private async nameAt(path: string, offset: number): Promise<string> {
    const line = (await listLines(this.array, path)).find((one) => one.offset === offset)
    return lastPathPart(line?.text ?? '')
  }

  private async listLine(path: string, finding: Finding): Promise<void> {
    const { code, offset = 0, space, file } = finding
    // Conditions are found at their tile, or inside of it.
    const tile = space === undefined ? offset : Number(/ at (\d+)$/.exec(space)?.[1])
    const list = (await this.array.commits()).files.find((one) => one.path === this.path(file))
    const holder = list?.entries.find((one) => one.tile?.offset === tile)
    if (code === 'COMMIT_UNREADABLE' && list?.fault) {
      this.listDraft(path, finding)
      return
    }
    const draft = this.listDraft(path, finding, holder?.offset ?? offset)
    if (code !== 'DELETE_CONDITION_DIFFERS' && holder) this.comesBack(draft)
    if (code === 'DELETE_CONDITION_DIFFERS' && holder)
      draft.loses.add(`the copy in the list; ${COMMITS_FOLDER}/${holder.name} stays, as it was written first`)
  }

  // Schemas, copies.

  private async schemaFile(path: string, finding: Finding): Promise<void> {
    const name = lastPathPart(path)
    const others = (await this.array.schemaFiles()).filter((file) => file.path !== path)
    const readable: string[] = []
    for (const file of others) if (await this.array.schema(file.name).catch(unlessFault)) readable.push(file.name)
    // What TileDB cannot take for a schema is that of no fragment.
    const mayBeNamed = finding.code !== 'SCHEMA_NAME_INVALID' || finding.severity !== 'error'
    let users = 0
    for (const { path: fragment } of this.entries) {
      const head = await this.array.fragment(fragment).head().catch(unlessFault)
      if (head ? head.array_schema_name === name : mayBeNamed) users++
    }
    if (finding.code === 'SCHEMA_UNREADABLE' && (users > 0 || readable.length === 0)) {
      this.fromCopy(path, finding).lost.add(`the schema of ${users} of ${this.entries.length} fragments`)
      return
    }
    if (users > 0) {
      const draft = this.draft(`leave ${path}`, finding)
      draft.outcome = 'leave'
      draft.lost.add(`nothing: ${users} of ${this.entries.length} fragments need it as their schema, or may need it`)
      return
    }
    const draft = this.takeAway(path, finding)
    draft.lost.add(
      finding.code === 'SCHEMA_UNREADABLE'
        ? 'a schema that no fragment needs: a change of the schema, or an old one'
        : 'nothing: no fragment needs it',
    )
  }

  private async schema(path: string, finding: Finding): Promise<void> {
    const { code } = finding
    if (!isMendedBy(code, 'schema')) return this.leave(finding)
    // Of the metadata of a fragment, readers cope with it.
    if (this.entryOf(finding) || (code === 'GENERIC_TILE_HEADER' && !path.startsWith(SCHEMA_FOLDER)))
      return this.leave(finding)
    const schema = await this.array.schema(lastPathPart(path)).catch(unlessFault)
    if (!canWriteSchema(code, schema, path, this.entries.length > 0)) {
      if (finding.severity === 'error') this.fromCopy(path, finding)
      else this.leave(finding)
      return
    }
    const draft = this.draft(`schema ${path}`, finding)
    const found = this.schemas.get(path) ?? { draft, codes: new Set() }
    found.codes.add(code)
    this.schemas.set(path, found)
  }

  /** Without a copy: the code that made the array makes the schema again. TileDB looks only at the file's name. */
  private async withoutSchema(path: string, finding: Finding): Promise<void> {
    const draft = this.fromCopy(path, finding)
    const names = new Set<string>()
    for (const { path: fragment } of this.entries) {
      const head = await this.array.fragment(fragment).head().catch(unlessFault)
      if (head?.array_schema_name) names.add(head.array_schema_name)
    }
    for (const name of names)
      draft.instead.push({
        text: `if the code that made the array is still there: make an empty array with it elsewhere, and copy the file in its ${SCHEMA_FOLDER} to ${this.shell.at(`${SCHEMA_FOLDER}/${name}`)}; then check --level cells`,
      })
  }

  private fromCopy(path: string, finding: Finding): Draft {
    if (ANEW.has(wayOf(finding))) {
      const draft = this.draft('consequence', finding)
      draft.outcome = 'copy'
      draft.say({ text: 'mend the schema first, and ask for a plan again: this may follow from it' })
      return draft
    }
    const draft = this.draft(`copy ${path} ${finding.code}`, finding)
    draft.outcome = 'copy'
    const what = path === '' ? 'the missing folder or file' : this.shell.at(path)
    draft.say({ text: `put ${what} back from a copy of the array` })
    draft.never.add('delete anything of the array: all that is there will be needed')
    return draft
  }

  // Fragments.

  private async recover(finding: Finding, way: RecoverWay): Promise<void> {
    const entry = this.entryOf(finding)
    if (!entry) return this.leave(finding)
    if (entry.state === 'to-vacuum') return this.retired(entry, finding)
    if (!entry.committed) {
      const draft = this.draft(`aside ${entry.path}`, finding)
      if (!this.moved.has(entry.path)) this.retire(draft, entry)
      return
    }
    const found = this.damaged.get(entry) ?? new DamagedFragment(entry)
    this.damaged.set(entry, found)
    const draft = this.draft(`recover ${entry.path}`, finding)
    await found.add(finding, draft, way, this.array)
  }

  private async rewrite(finding: Finding): Promise<void> {
    const entry = this.entryOf(finding)
    if (!entry?.isRead) return this.leave(finding)
    const draft = this.draft(`rewrite ${entry.path}`, finding)
    const found = this.rewritten.get(entry) ?? { draft, codes: new Set() }
    found.codes.add(finding.code)
    this.rewritten.set(entry, found)
  }

  /** Cells that decode can read are written again. That also mends what `recover` would. */
  private async finishRewrites(): Promise<void> {
    for (const [entry, { draft, codes, divided }] of this.rewritten) {
      const damaged = this.damaged.get(entry)
      const why = damaged?.isUnreadable
        ? 'its tiles cannot all be found or read: ask for a plan again when that is mended'
        : await whyNotRewritten(this.array, entry, this.entries, divided)
      if (why !== undefined) {
        draft.outcome = 'leave'
        draft.say({ text: `the fragment cannot be written again as it is: ${why}` })
        // Neither can `recover`, if its coordinates are wrong.
        if (damaged && [...codes].some((code) => code.startsWith('COORDINATE_'))) {
          draft.absorb(damaged.draft)
          this.damaged.delete(entry)
        }
        continue
      }
      if (damaged) draft.absorb(damaged.draft)
      this.damaged.delete(entry)
      if (damaged?.isChanged) loseSign(draft, this.shell.at(entry.path))
      await rewriteFragment(this.array, entry, codes, draft, this.shell, divided)
    }
  }

  /** A fragment that waits for vacuum: another one has its cells. */
  private async retired(entry: FragmentEntry, finding: Finding): Promise<void> {
    const draft = this.draft(`aside ${entry.path}`, finding)
    if (await this.isNeverRead(entry)) {
      draft.lost.add('nothing: another fragment has its cells, and readers skip this one at all times')
    } else {
      draft.lost.add('nothing that is read now: another fragment has its cells')
      draft.loses.add('reads as of a time before the consolidation: they use this fragment, damaged as it is')
    }
    this.retire(draft, entry)
    this.uncommit(draft, entry)
  }

  /** Whether the vacuum list hides a fragment at each time, as in sparse arrays whose consolidated cells have times. */
  private async isNeverRead({ hidden_by = '' }: FragmentEntry): Promise<boolean> {
    const { format_version = 0 } = nameFacts(lastPathPart(hidden_by)) ?? {}
    if (format_version < TIMESTAMPS_SINCE) return false
    return (await this.array.newestSchema().catch(unlessFault))?.schema.array_type === 'sparse'
  }

  /** Where cells are dropped, older ones at the same coordinates are read again, if the array keeps one cell each. */
  private async sayOlder({ entry, draft, lostBoxes }: DamagedFragment): Promise<void> {
    if (!entry.isRead || lostBoxes.length === 0) return
    const older = await this.olderThan(entry)
    let num = 0
    for (const one of older) {
      const box = this.damaged.get(one)?.isLost ? undefined : await this.boxOf(one)
      if (box && lostBoxes.some((lost) => meet(lost, box))) num++
    }
    if (num > 0) draft.bringsBack.add(olderText(num, true))
  }

  /** Fragments that are read, and may hold cells that those of another one hide. */
  private async olderThan(entry: TimedName): Promise<FragmentEntry[]> {
    const schema = (await this.array.newestSchema().catch(unlessFault))?.schema
    if (!schema || schema.allows_duplicates) return []
    const isDense = schema.array_type === 'dense'
    return this.entries.filter((one) => one.name !== entry.name && one.isRead && mayBeOlder(one, entry, isDense))
  }

  private async boxOf(entry: FragmentEntry): Promise<CellsBox | undefined> {
    const known = this.boxes.get(entry)
    if (known) return known
    const info = await this.infoOf(entry)
    const box = info && wholeBox(info)
    if (box) this.boxes.set(entry, box)
    return box
  }

  /** Those that a consolidated fragment replaced take its place again where it lost cells, if they are whole. @returns whether they do */
  private async giveWay({ entry, draft }: DamagedFragment): Promise<boolean> {
    const list = this.lists.find(({ name }) => name === entry.name)
    if (!list || this.moved.has(list.path)) return false
    for (const name of list.hides) {
      const one = this.entries.find((other) => other.name === name)
      const isThere = one?.committed && !this.moved.has(one.path) && !this.damaged.has(one)
      if (!isThere || !(await this.isWhole(one))) return false
    }
    draft.lost.add('nothing: the fragments that it replaced are still there')
    draft.say({ text: COUNT_AGAIN })
    this.takeConsolidated(draft, list)
    await this.moveFooters(entry, draft, false)
    draft.say(this.shell.check())
    return true
  }

  /** Copies of the footer of a fragment that is another one then. @param isInstead whether that is only one of two ways */
  private async moveFooters(entry: FragmentEntry, draft: Draft, isInstead: boolean): Promise<void> {
    if (!entry.has_consolidated_metadata) return
    for (const { path, kind } of (await this.array.commits()).files) {
      if (kind !== 'fragment-metadata' || this.moved.has(path)) continue
      if (isInstead) draft.instead.push(this.shell.moveAsideOnce(path))
      else this.move(draft, path)
    }
  }

  /** Fragments one by one; the whole array, if what is left of a dense fragment becomes several. */
  private async finishRecover(): Promise<void> {
    const all: DamagedFragment[] = []
    for (const one of this.damaged.values()) if (!one.isCut || !(await this.giveWay(one))) all.push(one)
    for (const finding of this.found) {
      const entry = finding.severity === 'error' && !isMendedByRecover(finding.code) ? this.entryOf(finding) : undefined
      const one = entry && this.damaged.get(entry)
      if (one) one.keepsErrors = true
    }
    for (const one of all) await one.measure(this.array, this.entries.length, this.words)
    for (const one of all) await this.sayOlder(one)
    for (const one of all) await one.keepOthers(this.shell, this.fresh)
    if (all.some(({ isParted }) => isParted)) {
      const [first, ...others] = all
      for (const other of others) first.draft.absorb(other.draft)
      for (const { isChanged, isWithoutBox, entry } of all) {
        if (isChanged) loseSign(first.draft, this.shell.at(entry.path))
        if (isWithoutBox) first.draft.loses.add(`all cells of ${entry.path}: mend it first, if you know its box`)
      }
      await recoverArray(all, this.shell, this.fresh)
      return
    }
    for (const one of all) {
      const { entry, draft } = one
      if (one.isLost) {
        const list = this.lists.find(({ name }) => name === entry.name)
        // What is left of those that it replaced is not to stay hidden.
        if (list && !this.moved.has(list.path)) this.takeConsolidated(draft, list)
        else {
          this.move(draft, entry.path)
          this.uncommit(draft, entry)
        }
      } else await recoverFragment(one, this.array, this.shell, this.fresh)
      await this.moveFooters(entry, draft, one.isOnlyChanged || one.isWithoutBox)
    }
  }
}

const COUNT_AGAIN = 'the fragments that were consolidated count again: consolidate them once more when all is done'

/** The names in a vacuum list, and of the fragment that it is named after. */
function fragmentsOf({ name, hides }: NamedVacuumList): string[] {
  return [name, ...hides]
}

function isWithin(times: Times | undefined, range: Times | undefined): boolean {
  return times !== undefined && range !== undefined && times[0] >= range[0] && times[1] <= range[1]
}

/** The times of cells in the units of a name. @param to the name in milliseconds */
function dividedTimes(name: string, to: string, [first, last]: Times): DividedTimes {
  const [own, then] = [name, to].map((one) => nameFacts(one)?.timestamp_range[1] ?? 1n)
  const by = own / then
  return { by, times: [first / by, last / by] }
}

/** The name with its times in milliseconds, if they are in microseconds or nanoseconds. */
export function inMilliseconds(name: string, now: bigint): string | undefined {
  const [first, last] = parseTimestampedName(name)?.timestamp_range ?? [0n, 0n]
  for (const unit of [1000n, 1_000_000n])
    if (first / unit >= EARLIEST && last / unit <= now) return withTimes(name, first / unit, last / unit)
  return undefined
}

function swapped(name: string): string {
  const [first, last] = nameFacts(name)?.timestamp_range ?? [0n, 0n]
  return withTimes(name, last, first)
}

function withTimes(name: string, first: bigint, last: bigint): string {
  return name.replace(/^__\d+_\d+/, `__${first}_${last}`)
}
