import { grammatical, unlessFault } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { rising } from '../base/rising.ts'
import { pythonString } from '../base/unsafe-text.ts'
import { loss, noLoss, STORED } from '../check/codes/row.ts'
import type { Finding } from '../check/finding.ts'
import { MEASURED_RELEASE } from '../format/releases.ts'
import { nameFacts, timeText } from '../format/timestamped-name.ts'
import type { FragmentEntry } from '../objects/array.ts'
import { cellsInDomain } from '../objects/cell-counts.ts'
import type { ChangedLine } from '../objects/changed-commit-lines.ts'
import { COMMITS_FOLDER, FRAGMENTS_FOLDER, listedCondition, stem } from '../objects/commits.ts'
import { cutLists, nearFragment } from '../objects/cut-commit-lists.ts'
import { allDeletePlaces, DELETES_SINCE } from '../objects/deletes.ts'
import { mayReplace, vacuumPath } from '../objects/visibility.ts'
import { type ArrayDrafts, commitOf } from './array-drafts.ts'
import { listLines } from './commit-lists.ts'
import type { Draft } from './drafts.ts'
import { olderText } from './older.ts'

/** Plans commits of all whole fragments that no other one replaces, in an array that reads empty. */
export async function commitAll(drafts: ArrayDrafts, _: string, finding: Finding): Promise<void> {
  let isPutBack = false
  for (const path of await drafts.array.missingFragments()) {
    const name = lastPathPart(path)
    const renamed = drafts.entryRenamedFrom(name)
    if (renamed && (await putBack(drafts, name, renamed, finding))) isPutBack = true
  }
  const whole: FragmentEntry[] = []
  for (const entry of drafts.entries)
    if (!entry.committed && !drafts.isSettled(entry) && !drafts.changedLineOf(entry) && (await drafts.isWhole(entry)))
      whole.push(entry)
  const replaced = new Set(
    whole.flatMap(({ name }) => drafts.lists.flatMap((list) => (list.name === name ? [...list.hides] : []))),
  )
  const missed = whole.filter(({ path }) => !replaced.has(lastPathPart(path)))
  if (missed.length === 0) {
    if (!isPutBack) drafts.unplanned = finding
    return
  }
  const draft = drafts.draft('commit', finding)
  await commitEach(drafts, draft, missed)
  draft.end(drafts.shell.check())
  const schema = await drafts.newestSchema()
  // Delete conditions lie beside the commits.
  if (schema?.array_type === 'sparse' && schema.version >= DELETES_SINCE && drafts.commits.files.length === 0)
    draft.addLost(loss('perhaps delete conditions, if there were any: the cells that they deleted come back'))
}

/** Plans commits of the fragments that a list of commits probably named before it was cut off or changed. */
export async function commitListed(drafts: ArrayDrafts, path: string, finding: Finding): Promise<void> {
  const lists = await cutLists(drafts.array, drafts.entries, drafts.changedLines)
  const fragments = lists.find(({ list }) => list.path === path)?.fragments ?? []
  const whole: FragmentEntry[] = []
  for (const entry of fragments) if (!drafts.isSettled(entry) && (await drafts.isWhole(entry))) whole.push(entry)
  const draft = drafts.draft(`commit ${path}`, finding)
  if (whole.length === 0) draft.outcome = 'copy'
  else await commitEach(drafts, draft, whole)
}

/** Adds the steps that commit whole fragments. */
async function commitEach(drafts: ArrayDrafts, draft: Draft, whole: readonly FragmentEntry[]): Promise<void> {
  draft.never.add('vacuum or delete the fragments: their cells are nowhere else')
  let cells = 0n
  for (const entry of whole) {
    cells += BigInt((await cellNum(drafts, entry)) ?? 0)
    await drafts.commit(draft, entry.name)
  }
  draft.notLost.add(`${cells} cells of ${whole.length} of ${drafts.entries.length} fragments, which are whole`)
}

async function cellNum(drafts: ArrayDrafts, entry: FragmentEntry): Promise<number | bigint | undefined> {
  const info = await drafts.infoOf(entry)
  return info && cellsInDomain(info)
}

/** Plans the mending of a `.vac` file named after a fragment that is not committed, or not there. */
export async function vacuumFile(drafts: ArrayDrafts, path: string, finding: Finding): Promise<void> {
  const name = stem(lastPathPart(path))
  const replacement = drafts.entryNamed(name)
  let draft = drafts.placed.get(name)
  if (draft) draft.add(finding)
  else if (replacement && !replacement.committed && (await drafts.isWhole(replacement))) {
    draft = drafts.draft(`vacuum ${path}`, finding)
    await drafts.commit(draft, name)
  } else draft = drafts.takeAway(path, finding)
  draft.never.add(
    `run tiledb.vacuum(${pythonString(drafts.shell.root)}) before these steps: it deletes fragments whose cells readers find nowhere else`,
  )
}

/** Plans the mending of a fragment that no commit names. */
export async function uncommitted(drafts: ArrayDrafts, path: string, finding: Finding): Promise<void> {
  const entry = drafts.entryOf(finding)
  const known = drafts.placed.get(lastPathPart(path))
  if (known) return known.add(finding)
  if (!entry) return void drafts.takeAway(path, finding)
  for (const missing of await drafts.array.missingFragments())
    if (await putBack(drafts, lastPathPart(missing), entry, finding)) return
  const line = drafts.changedLineOf(entry)
  if (line) return commitAgain(drafts, line, finding)
  const draft = drafts.draft(`aside ${path}`, finding)
  draft.say({ text: 'make sure that no writer is still writing it' })
  drafts.retire(draft, entry)
  draft.addLost(noLoss(entry.to_vacuum ? 'nothing: another fragment has its cells' : 'nothing that a reader sees'))
  if (entry.state !== 'uncommitted' || entry.to_vacuum || !(await drafts.isWhole(entry))) return
  if (isOfRead(entry, drafts.entries)) {
    draft.notLost.add('its cells: a consolidation broke off, and readers get them from the fragments that it merged')
    return
  }
  const cells = await cellNum(drafts, entry)
  if (cells === undefined || (await isBelowMerged(drafts, entry))) return
  const command = `: > ${drafts.shell.at(commitOf(entry.name))}`
  draft.instead.push({ text: grammatical(`if readers should see its ${cells} cells`), command })
}

/**
 * Whether a fragment was made of others that are read: the first of these begins at its first time, and the last ends at its last. Once
 * committed, its cells would be read twice where duplicates are allowed.
 */
function isOfRead({ timestamp_range: [first, last] = [0n, 0n] }: FragmentEntry, entries: readonly FragmentEntry[]) {
  const read = entries.flatMap(({ isRead, timestamp_range }) => (isRead && timestamp_range ? [timestamp_range] : []))
  const within = read.filter(([from, to]) => from >= first && to <= last)
  return first < last && within.some(([from]) => from === first) && within.some(([, to]) => to === last)
}

/**
 * Whether a fragment of a dense array lies within the times of a merged one. TileDB orders them by their first times: cells of this fragment
 * would hide newer ones of the merged one (measured with 2.30).
 */
async function isBelowMerged(drafts: ArrayDrafts, entry: FragmentEntry): Promise<boolean> {
  const [first, last] = entry.timestamp_range ?? [0n, 0n]
  const schema = await drafts.newestSchema()
  return (
    schema?.array_type === 'dense' &&
    drafts.entries.some(({ isRead, timestamp_range: [from, to] = [0n, 0n] }) => isRead && from < first && to >= last)
  )
}

/** Plans the mending of a commit of a fragment that is not there. */
export async function dangling(drafts: ArrayDrafts, path: string, finding: Finding): Promise<void> {
  const { offset } = finding
  const name = stem(offset === undefined ? lastPathPart(path) : await nameAt(drafts, path, offset))
  const known = drafts.placed.get(name)
  if (known) return known.add(finding)
  const renamed = drafts.entryRenamedFrom(name)
  if (renamed && (await putBack(drafts, name, renamed, finding))) return
  const draft = offset === undefined ? drafts.takeAway(path, finding) : drafts.listDraft(path, finding, offset)
  const list = drafts.lists.find(({ hides }) => hides.has(name))
  const replacement = list && drafts.entryNamed(list.name)
  if (replacement?.isRead || replacement?.state === 'to-vacuum') {
    draft.addLost(noLoss('nothing that is read now: the fragment that replaced it has its cells'))
    return
  }
  if (await hasReplaced(drafts, name)) {
    draft.addLost(noLoss('nothing: the fragments that it replaced have its cells, and readers see them again'))
    return
  }
  const { timestamp_range } = nameFacts(name) ?? {}
  if (!timestamp_range) return draft.addLost(noLoss('nothing: TileDB gives no fragment such a name'))
  const when = timeText(timestamp_range[1], false)
  draft.addLost(loss(`all cells of the fragment ${name}, written at ${when}`))
  const older = await drafts.olderThan({ name, timestamp_range })
  if (older.length > 0 && finding.severity !== 'note') draft.bringsBack.add(olderText(older.length, false))
  draft.never.add('run these steps if a copy of the array has the fragment: put it back from there instead')
}

/** Whether readers see all fragments again that a consolidated one replaced: its vacuum list is taken away, and they are whole. */
async function hasReplaced(drafts: ArrayDrafts, name: string): Promise<boolean> {
  const list = drafts.lists.find((one) => one.name === name)
  if (!list || list.hides.size === 0 || !drafts.moved.has(list.path)) return false
  for (const one of list.hides) {
    const entry = drafts.entryNamed(one)
    if (!entry?.committed || !(await drafts.isWhole(entry))) return false
  }
  return true
}

/**
 * Plans to give a fragment the name back that a commit has for it.
 * @param name of the fragment that a commit names, and that is not there
 * @returns false if its folder is another, or not whole
 */
async function putBack(drafts: ArrayDrafts, name: string, entry: FragmentEntry, finding: Finding): Promise<boolean> {
  if (drafts.entryRenamedFrom(name) !== entry || !(await drafts.isWhole(entry))) return false
  const isPlanned = drafts.isSettled(entry)
  const draft = drafts.draft(`renamed ${entry.path}`, finding)
  if (!isPlanned) drafts.rename(draft, entry.path, `${FRAGMENTS_FOLDER}/${name}`)
  draft.takeBackLost()
  draft.addLost(noLoss('nothing: the folder of the fragment was renamed, and its commit has the old name'))
  return true
}

async function nameAt(drafts: ArrayDrafts, path: string, offset: number): Promise<string> {
  const line = (await listLines(drafts.array, path)).find((one) => one.offset === offset)
  return lastPathPart(line?.text ?? '')
}

function isCutList({ code, variant }: Finding): boolean {
  return code === 'COMMIT_UNREADABLE' && variant === 'cut'
}

/** Plans the mending of a line of a list, or damage of the list. */
export function listLine(drafts: ArrayDrafts, path: string, finding: Finding): void {
  const { code, offset = 0, space } = finding
  const list = drafts.commits.files.find((one) => one.path === path)
  if (code === 'COMMIT_UNREADABLE' && list?.fault) return void drafts.listDraft(path, finding)
  // A finding about a condition gives the offset of its tile, or a place inside the tile.
  const tile = space === undefined ? offset : Number(/ at (\d+)$/.exec(space)?.[1])
  const holder = list?.entries.find((one) => one.tile?.offset === tile)
  const draft = drafts.listDraft(path, finding, holder?.offset ?? offset)
  if (code === 'COMMIT_UNREADABLE' && drafts.findings.some((one) => isCutList(one) && one.file === finding.file)) {
    draft.takeBackLost()
    draft.addLost(noLoss('nothing: the fragments that no line names are committed again'))
  }
  if (!holder) return
  if (code === 'DELETE_CONDITION_DIFFERS')
    draft.loses.add(`the copy in the list; ${COMMITS_FOLDER}/${holder.name} stays, as it was written first`)
  else comesBack(draft)
}

/** Plans to write a line of a list of commits with the name of the fragment that it nearly names. */
function commitAgain(drafts: ArrayDrafts, line: ChangedLine, finding: Finding): void {
  const { list, entry, fragment, text, changed } = line
  const { offset } = entry
  const isTwice = list.entries.some((one) => one.text === text)
  const draft = isTwice
    ? drafts.listDraft(list.path, finding, offset)
    : drafts.lineDraft(list.path, finding, offset, text)
  if (changed === 'line') return
  draft.takeBackLost(STORED)
  draft.addLost(noLoss('nothing: either the line or the name of the folder was changed, and nothing tells which'))
  const renamed = drafts.shell.rename(fragment.path, `${FRAGMENTS_FOLDER}/${stem(entry.name)}`)
  if (draft.instead.length === 0) draft.instead.push({ ...renamed.step, text: 'if the line is right' })
}

/** Plans to write a line of a vacuum file or a list of commits as it was before it was cut or changed. */
export async function lineAgain(drafts: ArrayDrafts, path: string, finding: Finding): Promise<void> {
  const { offset = 0 } = finding
  const changed = drafts.changedLines.find(({ list, entry }) => list.path === path && entry.offset === offset)
  if (changed) return commitAgain(drafts, changed, finding)
  const line = (await listLines(drafts.array, path)).find((one) => one.offset === offset)
  const byName = new Map(drafts.entries.map((entry) => [entry.name, entry]))
  const isMeant = ({ isRead, name }: FragmentEntry): boolean =>
    isRead && !drafts.lists.some(({ hides }) => hides.has(name))
  const near = line && nearFragment(lastPathPart(line.text), byName, isMeant)
  // What comes before the name differs: until format version 18 it is the address of the array.
  const text = near && `${line.text.slice(0, -lastPathPart(line.text).length)}${near.name}`
  const replacement = drafts.entryNamed(stem(lastPathPart(path)))
  const isReplaced = near && replacement?.isRead && mayReplace(replacement, near.path)
  if (!isReplaced || text === undefined || vacuumPath(text) !== near.path || !(await drafts.isWhole(replacement)))
    return drafts.leave(finding)
  const draft = drafts.lineDraft(path, finding, offset, text)
  draft.takeBackLost()
  draft.addLost(noLoss('nothing: another fragment has its cells'))
  draft.never.add(`run tiledb.vacuum(${pythonString(drafts.shell.root)}) before these steps`)
}

/** Plans the mending of a delete condition that cannot be applied. */
export async function condition(drafts: ArrayDrafts, path: string, finding: Finding): Promise<void> {
  if (path.endsWith('.con')) return listLine(drafts, path, finding)
  const draft = drafts.takeAway(path, finding)
  if (!(await isMarked(drafts, lastPathPart(path)))) return comesBack(draft)
  draft.takeBackLost()
  draft.addLost(noLoss('nothing that a reader sees: the fragments hold a mark in each cell that it deleted'))
  const all = await allDeletePlaces(drafts.array)
  if (all.some((one) => one.path !== path && !drafts.moved.has(one.path))) return
  draft.loses.add(
    `consolidation as it was: without any delete condition, TileDB ${MEASURED_RELEASE} crashes when it merges a fragment with marks`,
  )
  draft.never.add(
    'call tiledb.consolidate without sm.consolidation.purge_deleted_cells=true, unless there was another delete, even one that no cell meets',
  )
}

/**
 * Whether all fragments that a delete condition reaches are consolidated ones that hold its marks. Replaced ones are not read at any time.
 * A cell has one mark. So only the last condition that a fragment holds is sure to be in every cell that it deleted (measured with 2.30).
 */
async function isMarked(drafts: ArrayDrafts, name: string): Promise<boolean> {
  const [, time] = nameFacts(name)?.timestamp_range ?? []
  const reached = drafts.entries.filter(
    ({ isRead, timestamp_range }) => isRead && time !== undefined && (timestamp_range?.[0] ?? 0n) <= time,
  )
  for (const { path } of reached) {
    const marked = await drafts.array.withFragment(path, (one) => one.processedConditions().catch(unlessFault))
    const last = marked
      ?.map((one) => nameFacts(lastPathPart(one))?.timestamp_range[1] ?? 0n)
      .sort(rising)
      .at(-1)
    if (last !== time || !marked?.some((one) => lastPathPart(one) === name)) return false
  }
  return reached.length > 0
}

function comesBack(draft: Draft): void {
  draft.loses.add('the deletion: the cells that it deleted are read again')
  draft.never.add('write the condition again without looking at the cells that it is to delete')
}

/** Plans to write the file of a condition again, from the copy in consolidated commits. */
export function conditionFile(drafts: ArrayDrafts, path: string, finding: Finding): void {
  const draft = drafts.draft(`condition ${path}`, finding)
  const listed = listedCondition(drafts.commits, path)
  if (!listed) return
  const { list, entry, tile } = listed
  drafts.take(draft, path, drafts.shell.partOf(path, list.path, [entry.offset, entry.text], [tile.offset, tile.length]))
  draft.never.add('consolidate commits before these steps')
}
