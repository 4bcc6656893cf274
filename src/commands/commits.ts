import { NO_BYTES } from '../base/bytes.ts'
import { InspectError, orError, unlessFault } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { lastPathPart } from '../base/paths.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { shownCondition } from '../calls/condition-text.ts'
import { documentHead, errorResult } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import { tellNotOpened, untold } from '../calls/refused.ts'
import { type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import { throughGroups } from '../calls/walkers.ts'
import type { CommitsDocument, CommitsLine } from '../documents/commits.ts'
import { sameBytes } from '../filters/bytes.ts'
import { deleteCondition } from '../format/delete-condition.ts'
import { nameFacts, parseTimestampedName } from '../format/timestamped-name.ts'
import type { FragmentEntry, InspectArray } from '../objects/array.ts'
import { type CommitEntry, type CommitFile, commitKind, committedPath, linePath, stem } from '../objects/commits.ts'
import { allDeletePlaces } from '../objects/deletes.ts'
import { readGenericTile } from '../objects/generic-tile.ts'
import { vacuumPath } from '../objects/visibility.ts'
import { readAll, withSource } from '../storage/source.ts'

const TAKES = { array: '', group: 'of each array' } as const satisfies Takes

export const command: CommandModule<object> = {
  about:
    'It also shows delete conditions and which fragments have processed them, what waits for vacuum and which file says so, and the fragments in a consolidated metadata file (footer <array>/__fragment_meta/<file> shows their footers).',
  examples: [
    ['commit files, and what each does', 'commits places'],
    ['of two arrays', 'commits places weather'],
    ['one line of JSON a commit', 'commits --format ndjson weather'],
  ],

  takes: TAKES,

  configure(command) {
    command.argument('<target...>', targetsHelp(TAKES))
  },

  async *run(cx, [path]) {
    yield* throughGroups(cx, path, await cx.open(path), async function* (path, found) {
      const target = await targetFor(cx, 'commits', TAKES, found)
      // Its arrays follow as targets of their own.
      if (target.type !== 'group') yield await arrayOutcome(cx, path, target.array)
    })
  },
}

/** A row without `timestamp_range`, which follows from its name. */
type Row = Omit<CommitsLine, 'timestamp_range'>
type Effect = CommitsLine['effect']
/** The keys about a delete condition. */
type ConditionKeys = Pick<CommitsLine, 'condition' | 'processed_by' | 'purged_by' | 'not_processed_by' | 'error'>

/** All keys of a row in their order, without values. */
const KEYS: Record<Exclude<keyof CommitsLine, 'path'>, undefined> = {
  file: undefined,
  entry: undefined,
  kind: undefined,
  timestamp_range: undefined,
  refers_to: undefined,
  exists: undefined,
  effect: undefined,
  offset: undefined,
  entry_num: undefined,
  condition: undefined,
  processed_by: undefined,
  purged_by: undefined,
  not_processed_by: undefined,
  footer_offset: undefined,
  error: undefined,
}

/** The keys of a row that refers to no fragment. */
const NO_FRAGMENT = { refers_to: null, exists: null } as const

/** The facts about an array that its rows are made from. */
type ArrayFacts = Awaited<ReturnType<typeof factsOf>>

async function factsOf(cx: CommandContext, array: InspectArray) {
  const commits = await array.commits()
  const fragments = await array.fragments()
  const consolidated = commits.files.filter(({ kind }) => kind === 'consolidated-commits')
  let processed: ReturnType<typeof processedConditions> | undefined
  return {
    cx,
    array,
    commits,
    fragments,
    /** Names of the fragment folders on disk. */
    names: new Set(fragments.map(({ name }) => name)),
    /** The state of each fragment folder on disk, by path. */
    states: new Map(fragments.map(({ path, state }) => [path, state])),
    /** Paths of the commit files on disk. */
    files: new Set(commits.files.map(({ path }) => path)),
    /** Names of the commits in `.con` files. */
    consolidated: new Set(consolidated.flatMap(({ entries }) => entries.map(({ name }) => name))),
    /** Which fragments have processed which delete conditions. This is read when it is first needed. */
    processed() {
      processed ??= processedConditions(cx, array, fragments)
      return processed
    },
  }
}

async function arrayOutcome(cx: CommandContext, path: string, array: InspectArray): Promise<Outcome> {
  await array.checkVersion()
  const facts = await factsOf(cx, array)
  // The schema tells whether a condition may be encrypted.
  if ((await allDeletePlaces(array)).length > 0) await array.newestSchema().catch(unlessFault)
  const rows: Row[] = []
  const read = inOrder(facts.commits.files, atOnce(array.folder), async (file) => {
    // Only the files with delete conditions are read: these stand in files of their own, or in `.con` files.
    const hasCondition = file.kind === 'delete' || file.entries.some(({ tile }) => tile)
    return { file, bytes: hasCondition ? await withSource(array.folder.file(file.path), readAll) : NO_BYTES }
  })
  for await (const { file, bytes } of read) {
    const row = await fileRow(facts, file, bytes)
    rows.push(row)
    const conditions: Conditions = new Map()
    for (const entry of file.entries) rows.push(await entryRow(facts, file, entry, bytes, conditions))
    if (file.kind !== 'fragment-metadata') continue
    const footers = await footerRows(facts, file)
    row.entry_num = footers.length
    rows.push(...footers)
  }
  await sayRefused(
    cx,
    array,
    rows.some(({ kind }) => kind === 'delete'),
    new Set(rows.flatMap(({ file, error }) => (error ? `${array.folder.path}/${file}` : []))),
  )
  const document: CommitsDocument = {
    ...documentHead('commits', cx.shownPath(path)),
    commits: rows.map((row) => ({ ...KEYS, ...row, timestamp_range: timesOf(row) })),
  }
  return {
    kind: 'rows',
    document,
    rows: document.commits,
    columns: () => Object.keys(KEYS),
    table: async (out) => (await import('../render/views/commits.ts')).commitsTable(document, out),
  }
}

/**
 * Says what keeps TileDB from opening the array or, because of delete conditions, from reading it.
 * @param told paths of the files whose faults were told
 */
async function sayRefused(
  cx: CommandContext,
  array: InspectArray,
  hasDeletes: boolean,
  told: ReadonlySet<string>,
): Promise<void> {
  if (!hasDeletes) {
    await tellNotOpened(cx, array, { odd: [], schema: false, told })
    return
  }
  const { refusalError, refusedReads } = await import('../check/refusals.ts')
  const refused = (await refusedReads(array).catch(unlessFault)) ?? []
  const worst = refused.filter(({ refusal }) => refusal.act === 'open' || refusal.act === 'read')
  const left = untold(worst, array, told)
  if (left.length > 0) cx.fault(refusalError(left))
}

/** The times as the name has them, as `ls` shows them; of other names, what TileDB reads from them. */
function timesOf({ file, entry }: Row): CommitsLine['timestamp_range'] {
  const name = lastPathPart(entry ?? file)
  return (parseTimestampedName(name) ?? nameFacts(name))?.timestamp_range ?? null
}

/** The row of a commit file. @param bytes the content of the file, if it is a delete condition */
async function fileRow(facts: ArrayFacts, file: CommitFile, bytes: Uint8Array): Promise<Row> {
  const { names } = facts
  const name = stem(lastPathPart(file.path))
  const row = { file: file.path, entry: null, kind: file.kind, ...NO_FRAGMENT }
  if (file.kind === 'write') {
    return { ...row, refers_to: name, exists: names.has(name), effect: writeEffect(facts, committedPath(file.path)) }
  }
  if (file.kind === 'delete') {
    return { ...row, effect: deleteEffect(facts, name), ...(await deleteResult(facts, name, file, bytes, 0)) }
  }
  if (file.kind === 'update') return { ...row, effect: 'updates' }
  // A fault of the file was reported when the fragments were listed.
  const lists = { entry_num: file.entries.length, error: file.fault && errorResult(facts.cx, file.fault) }
  if (file.kind === 'vacuum') {
    // The file has the name of the consolidated fragment, which holds the cells of the listed fragments.
    const exists = names.has(name)
    return { ...row, refers_to: name, exists, effect: exists ? 'lists' : 'orphan', ...lists }
  }
  return { ...row, effect: 'lists', ...lists }
}

/** Results for the delete conditions of a `.con` file, by entry. The file may list a condition several times. */
type Conditions = Map<string, { bytes: Uint8Array; result: ConditionKeys }>

/** The row of an entry in a commit file. @param content the content of the file, if conditions are in it */
async function entryRow(
  facts: ArrayFacts,
  file: CommitFile,
  entry: CommitEntry,
  content: Uint8Array,
  conditions: Conditions,
): Promise<Row> {
  const { names, files } = facts
  const row = { file: file.path, entry: entry.text, kind: commitKind(entry.name) ?? file.kind, offset: entry.offset }
  const name = stem(entry.name)
  if (file.kind === 'consolidated-commits' && entry.tile) {
    const { offset, length } = entry.tile
    const bytes = content.subarray(offset, offset + length)
    let one = conditions.get(entry.text)
    if (!one || !sameBytes(one.bytes, bytes)) {
      one = { bytes, result: await deleteResult(facts, name, file, bytes, offset) }
      conditions.set(entry.text, one)
    }
    return { ...row, refers_to: null, exists: files.has(entry.text), effect: deleteEffect(facts, name), ...one.result }
  }
  if (file.kind === 'consolidated-commits') {
    const effect = writeEffect(facts, linePath(entry.text) ?? name)
    return { ...row, refers_to: name, exists: names.has(name), effect }
  }
  if (file.kind === 'vacuum') {
    const exists = names.has(entry.name)
    return { ...row, kind: 'vacuum', refers_to: entry.name, exists, effect: vacuumEffect(facts, file, entry) }
  }
  const effect = facts.consolidated.has(entry.name) ? 'hidden' : 'dangling'
  return { ...row, kind: 'ignore', refers_to: name, exists: names.has(name), effect }
}

/** The rows of a consolidated fragment metadata file: one for each footer in it. */
async function footerRows({ cx, array, names }: ArrayFacts, file: CommitFile): Promise<Row[]> {
  const row = { file: file.path, kind: 'footer' } as const
  const read = await orError(() => array.consolidatedFragmentMetadata(file.path))
  if (read instanceof InspectError) {
    // The fault was reported when the fragments were listed.
    return [{ ...row, entry: null, ...NO_FRAGMENT, effect: 'lists', error: errorResult(cx, read) }]
  }
  return read.entries.map(({ fragment_name, offset }) => {
    const name = lastPathPart(fragment_name)
    const exists = names.has(name)
    const effect = exists ? 'lists' : 'dangling'
    return { ...row, entry: fragment_name, refers_to: name, exists, effect, footer_offset: offset }
  })
}

/** The effect of a commit. @param path the path of the fragment that it commits */
function writeEffect({ states, commits }: ArrayFacts, path: string): Effect {
  const state = states.get(path)
  // The fragment of an ignored commit may be gone.
  if (state === undefined) return commits.ignored.has(path) ? 'hidden' : 'dangling'
  switch (state) {
    case 'to-vacuum':
    case 'hidden':
    case 'ignored':
    case 'future':
    case 'unlisted':
      return state
    default:
      return 'visible'
  }
}

/** The effect of a delete condition. @param name the name of its commit, without suffix */
function deleteEffect({ array }: ArrayFacts, name: string): Effect {
  return (nameFacts(name)?.timestamp_range[1] ?? 0n) > array.cx.now ? 'future' : 'deletes'
}

/** The effect of a vacuum file on a fragment that it lists. */
function vacuumEffect({ states, array }: ArrayFacts, { path }: CommitFile, { text }: CommitEntry): Effect {
  const listed = vacuumPath(text) ?? ''
  const state = states.get(listed)
  if (state === undefined) return 'dangling'
  if (state === 'hidden') return 'hidden'
  const ends = nameFacts(lastPathPart(path))?.timestamp_range[1] ?? 0n
  return ends > array.cx.now && state !== 'to-vacuum' ? 'future' : 'to-vacuum'
}

/**
 * A delete condition as the user wrote it, and the fragments that have processed it. `not_processed_by` lists fragments with older
 * cells: TileDB applies the condition whenever it reads them.
 *
 * @param name the name of the commit, without suffix
 * @param bytes the bytes of the condition, which begin at `offset` in the file
 */
async function deleteResult(
  { cx, array, fragments, processed }: ArrayFacts,
  name: string,
  file: CommitFile,
  bytes: Uint8Array,
  offset: number,
): Promise<ConditionKeys> {
  const { byCommit, unread } = await processed()
  const done = byCommit.get(name) ?? new Map<string, boolean>()
  const at = nameFacts(name)?.timestamp_range[0]
  const before = ({ isRead, timestamp_range }: FragmentEntry): boolean =>
    isRead && at !== undefined && timestamp_range !== undefined && timestamp_range[0] <= at
  const condition = await orError(async () => {
    const place = { file: `${array.folder.path}/${file.path}`, offset }
    const node = await readGenericTile(bytes, deleteCondition, cx.reading, place)
    return shownCondition(cx, array, node)
  })
  if (condition instanceof InspectError) cx.fault(condition)
  return {
    ...(condition instanceof InspectError ? { error: errorResult(cx, condition) } : { condition }),
    processed_by: [...done.keys()],
    purged_by: [...done].flatMap(([name, purged]) => (purged ? [name] : [])),
    not_processed_by: fragments
      .filter((entry) => before(entry) && !done.has(entry.name) && !unread.has(entry.name))
      .map(({ name }) => name),
  }
}

/**
 * Reads from each fragment which delete conditions it has processed.
 * @returns `byCommit`: by the commit's name without suffix, the fragments that have processed its condition, and whether they have
 *   purged the deleted cells. `unread`: the fragments that cannot be read
 */
async function processedConditions(cx: CommandContext, array: InspectArray, fragments: readonly FragmentEntry[]) {
  const byCommit = new Map<string, Map<string, boolean>>()
  const unread = new Set<string>()
  const committed = fragments.filter((entry) => entry.committed)
  const read = inOrder(committed, atOnce(array.folder), async ({ name, path }) => {
    const fragment = array.fragment(path)
    const conditions = await orError(() => fragment.processedConditions())
    // A fragment that keeps deleted cells has a field with the times of their deletion. Other fragments have purged them.
    const info = conditions instanceof InspectError ? conditions : await orError(() => fragment.info())
    const purged = !(info instanceof InspectError) && !info.slots.some(({ kind }) => kind === 'delete_timestamps')
    await fragment.close()
    return { name, conditions, purged }
  })
  for await (const { name, conditions, purged } of read) {
    if (conditions instanceof InspectError) {
      cx.fault(conditions)
      unread.add(name)
      continue
    }
    for (const condition of conditions ?? []) {
      const commit = stem(lastPathPart(condition))
      const names = byCommit.get(commit) ?? new Map<string, boolean>()
      byCommit.set(commit, names.set(name, purged))
    }
  }
  return { byCommit, unread }
}
