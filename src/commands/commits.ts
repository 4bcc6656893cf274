import { InspectError, orError } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import type { CommitsDocument, CommitsLine } from '../documents/commits.ts'
import { NO_BYTES, sameBytes } from '../filters/bytes.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { deleteCondition } from '../format/delete-condition.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { readAll, withSource } from '../source/source.ts'
import type { FragmentEntry, InspectArray } from '../store/array.ts'
import { type CommitEntry, type CommitFile, commitKind, committedPath, linePath, stem } from '../store/commits.ts'
import { readGenericTile } from '../store/generic-tile.ts'
import { vacuumPath } from '../store/visibility.ts'
import type { CommandContext, CommandModule, Outcome } from './command.ts'
import { documentHead, errorResult, throughGroups, wrongTarget } from './command.ts'
import { shownCondition } from './condition-text.ts'

export const command: CommandModule<object> = {
  about:
    'Also delete conditions and which fragments have processed them, what waits for vacuum and which file says so, and the fragments that a consolidated metadata file holds (its footers: footer <array>/__fragment_meta/<file>).',
  examples: [
    ['commit files, and what each does', 'commits places'],
    ['of two arrays', 'commits places weather'],
    ['one line of JSON a commit', 'commits --format ndjson weather'],
  ],

  configure(command) {
    command.argument('<target...>', 'array, or group (of each array)')
  },

  async *run(cx, [path]) {
    yield* throughGroups(cx, path, await cx.open(path), async function* (path, target) {
      if (target.type === 'group') return
      if (target.type !== 'array') throw await wrongTarget(cx, 'commits', target, 'an array or a group')
      yield await arrayOutcome(cx, path, target.array)
    })
  },
}

/** A row without its times, which are those of its name. */
type Row = Omit<CommitsLine, 'timestamp_range'>
type Effect = CommitsLine['effect']
/** The columns about a delete condition. */
type Condition = Pick<CommitsLine, 'condition' | 'processed_by' | 'purged_by' | 'not_processed_by' | 'error'>

/** Every row has all keys, in this order, for the header of a CSV file. */
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

/** For entries that name no fragment. */
const NOTHING = { refers_to: null, exists: null } as const

/** The facts that every row is computed from. */
type Known = Awaited<ReturnType<typeof knownOf>>

async function knownOf(cx: CommandContext, array: InspectArray) {
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
    there: new Set(fragments.map(({ name }) => name)),
    /** The state of each fragment folder on disk, by path. */
    states: new Map(fragments.map(({ path, state }) => [path, state])),
    /** Paths of the commit files on disk. */
    files: new Set(commits.files.map(({ path }) => path)),
    /** Names of commits in a `.con` file. */
    consolidated: new Set(consolidated.flatMap(({ entries }) => entries.map(({ name }) => name))),
    /** Which fragments have processed which delete conditions. Read when first needed. */
    processed() {
      processed ??= processedConditions(cx, array, fragments)
      return processed
    },
  }
}

async function arrayOutcome(cx: CommandContext, path: string, array: InspectArray): Promise<Outcome> {
  await array.checkVersion()
  const known = await knownOf(cx, array)
  const rows: Row[] = []
  const read = inOrder(known.commits.files, atOnce(array.folder), async (file) => {
    // Delete conditions are content of their own file, or of a `.con` file.
    const any = file.kind === 'delete' || file.entries.some(({ tile }) => tile)
    return { file, bytes: any ? await withSource(array.folder.file(file.path), readAll) : NO_BYTES }
  })
  for await (const { file, bytes } of read) {
    const row = await fileRow(known, file, bytes)
    rows.push(row)
    const conditions: Conditions = new Map()
    for (const entry of file.entries) rows.push(await entryRow(known, file, entry, bytes, conditions))
    if (file.kind !== 'fragment-metadata') continue
    const footers = await footerRows(known, file)
    row.entry_num = footers.length
    rows.push(...footers)
  }
  const document: CommitsDocument = {
    ...documentHead('commits', cx.shownPath(path)),
    commits: rows.map((row) => ({ ...KEYS, ...row, timestamp_range: timesOf(row) })),
  }
  return {
    document,
    rows: document.commits,
    columns: () => Object.keys(KEYS),
    table: async (out) => (await import('../render/views/commits.ts')).commitsTable(document, out),
  }
}

function timesOf({ file, entry }: Row): CommitsLine['timestamp_range'] {
  return nameFacts(lastPathPart(entry ?? file))?.timestamp_range ?? null
}

/** @param bytes of a delete condition's file */
async function fileRow(known: Known, file: CommitFile, bytes: Uint8Array): Promise<Row> {
  const { there } = known
  const name = stem(lastPathPart(file.path))
  const row = { file: file.path, entry: null, kind: file.kind, ...NOTHING }
  if (file.kind === 'write') {
    return { ...row, refers_to: name, exists: there.has(name), effect: writeEffect(known, committedPath(file.path)) }
  }
  if (file.kind === 'delete') {
    return { ...row, effect: deleteEffect(known, name), ...(await deleteResult(known, name, file, bytes, 0)) }
  }
  if (file.kind === 'update') return { ...row, effect: 'updates' }
  // The listing of the fragments has reported what is wrong with the file.
  const lists = { entry_num: file.entries.length, error: file.fault && errorResult(known.cx, file.fault) }
  if (file.kind === 'vacuum') {
    // It has the name of the fragment that holds the cells of the listed ones.
    const exists = there.has(name)
    return { ...row, refers_to: name, exists, effect: exists ? 'lists' : 'orphan', ...lists }
  }
  return { ...row, effect: 'lists', ...lists }
}

/** Delete conditions of a `.con` file. One may be listed several times, but each result is computed once. */
type Conditions = Map<string, { bytes: Uint8Array; result: Condition }>

/** @param content of the file, if conditions are in it */
async function entryRow(
  known: Known,
  file: CommitFile,
  entry: CommitEntry,
  content: Uint8Array,
  conditions: Conditions,
): Promise<Row> {
  const { there, files } = known
  const row = { file: file.path, entry: entry.text, kind: commitKind(entry.name) ?? file.kind, offset: entry.offset }
  const name = stem(entry.name)
  if (file.kind === 'consolidated-commits' && entry.tile) {
    const { offset, length } = entry.tile
    const bytes = content.subarray(offset, offset + length)
    let one = conditions.get(entry.text)
    if (!one || !sameBytes(one.bytes, bytes)) {
      one = { bytes, result: await deleteResult(known, name, file, bytes, offset) }
      conditions.set(entry.text, one)
    }
    return { ...row, refers_to: null, exists: files.has(entry.text), effect: deleteEffect(known, name), ...one.result }
  }
  if (file.kind === 'consolidated-commits') {
    const effect = writeEffect(known, linePath(entry.text) ?? name)
    return { ...row, refers_to: name, exists: there.has(name), effect }
  }
  if (file.kind === 'vacuum') {
    const exists = there.has(entry.name)
    return { ...row, kind: 'vacuum', refers_to: entry.name, exists, effect: vacuumEffect(known, file, entry) }
  }
  const effect = known.consolidated.has(entry.name) ? 'hidden' : 'dangling'
  return { ...row, kind: 'ignore', refers_to: name, exists: there.has(name), effect }
}

/** The footers in a consolidated fragment metadata file, one row per fragment. */
async function footerRows({ cx, array, there }: Known, file: CommitFile): Promise<Row[]> {
  const row = { file: file.path, kind: 'footer' } as const
  const read = await orError(() => array.consolidatedFragmentMetadata(file.path))
  if (read instanceof InspectError) {
    // The listing of the fragments has reported it.
    return [{ ...row, entry: null, ...NOTHING, effect: 'lists', error: errorResult(cx, read) }]
  }
  return read.entries.map(({ fragment_name, offset }) => {
    const name = lastPathPart(fragment_name)
    const exists = there.has(name)
    const effect = exists ? 'lists' : 'dangling'
    return { ...row, entry: fragment_name, refers_to: name, exists, effect, footer_offset: offset }
  })
}

/** @param path of the fragment that a commit names */
function writeEffect({ states, commits }: Known, path: string): Effect {
  const state = states.get(path)
  // The fragment of a revoked commit need not exist any more.
  if (state === undefined) return commits.ignored.has(path) ? 'hidden' : 'dangling'
  if (state === 'to-vacuum' || state === 'hidden' || state === 'ignored' || state === 'future') return state
  return 'visible'
}

/** @param name of the delete condition's commit, without suffix */
function deleteEffect({ array }: Known, name: string): Effect {
  return (nameFacts(name)?.timestamp_range[1] ?? 0n) > array.cx.now ? 'future' : 'deletes'
}

/** What a vacuum list does to a fragment that it names. */
function vacuumEffect({ states, array }: Known, { path }: CommitFile, { text }: CommitEntry): Effect {
  const listed = vacuumPath(text) ?? ''
  const state = states.get(listed)
  if (state === undefined) return 'dangling'
  if (state === 'hidden') return 'hidden'
  const ends = nameFacts(lastPathPart(path))?.timestamp_range[1] ?? 0n
  return ends > array.cx.now && state !== 'to-vacuum' ? 'future' : 'to-vacuum'
}

/**
 * A delete condition as the user wrote it; the fragments that have processed it; and those with older cells that have not. In
 * the latter it is applied whenever they are read.
 *
 * @param name of the commit, without suffix
 * @param bytes of the condition, from `offset` on in the file
 */
async function deleteResult(
  { cx, array, fragments, processed }: Known,
  name: string,
  file: CommitFile,
  bytes: Uint8Array,
  offset: number,
): Promise<Condition> {
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
 * `byCommit`: for each delete commit, by name without suffix, the fragments whose cells it has been applied to, and whether they left
 * out what it deletes. `unread`: the fragments that do not tell it, because of damage. Reads each fragment once.
 */
async function processedConditions(cx: CommandContext, array: InspectArray, fragments: readonly FragmentEntry[]) {
  const byCommit = new Map<string, Map<string, boolean>>()
  const unread = new Set<string>()
  const committed = fragments.filter((entry) => entry.committed)
  const read = inOrder(committed, atOnce(array.folder), async ({ name, path }) => {
    const fragment = array.fragment(path)
    const conditions = await orError(() => fragment.processedConditions())
    // A fragment that marks cells as deleted stores when that was.
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
