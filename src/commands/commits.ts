import { type FragmentEntry, type InspectArray, withSource } from '../array.ts'
import { type CommitEntry, type CommitFile, type Commits, commitKind, stem } from '../commits.ts'
import { InspectError } from '../errors.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { deleteCondition } from '../format/delete-condition.ts'
import { decode } from '../format/io.ts'
import { parseTimestampedName } from '../format/timestamped-name.ts'
import { openGenericTile } from '../generic-tile.ts'
import type { Output, Result } from '../render/result.ts'
import { readAll } from '../source/source.ts'
import {
  type CommandContext,
  type CommandModule,
  documentHead,
  errorResult,
  type Outcome,
  wrongTarget,
} from './command.ts'
import { conditionText } from './condition-text.ts'

export const command: CommandModule<object> = {
  configure(command) {
    command.argument('<array...>', 'array')
  },

  async *run(cx, paths) {
    for (const path of paths) {
      const target = await cx.open(path)
      if (target.type !== 'array') throw await wrongTarget('commits', target, 'an array')
      yield await arrayOutcome(cx, path, target.array)
    }
  },
}

/** What a commit file or entry does to what it names. */
type Effect = 'visible' | 'hidden' | 'to-vacuum' | 'ignored' | 'orphan' | 'dangling' | 'deletes' | 'updates' | 'lists'

interface Commit {
  [key: string]: Result | undefined
  file: string
  entry: string | null
  kind: string
  refers_to: string | null
  exists: boolean | null
  effect: Effect
}

/** Keys that some rows have: named in every row, in one order, for the header of a CSV file. */
const NO_MORE = {
  file: '',
  entry: null,
  kind: '',
  refers_to: null,
  exists: null,
  effect: 'lists',
  offset: undefined,
  entry_num: undefined,
  condition: undefined,
  processed_by: undefined,
  not_processed_by: undefined,
  footer_offset: undefined,
  error: undefined,
} as const

/** What every row is worked out from. */
interface Known {
  cx: CommandContext
  array: InspectArray
  commits: Commits
  fragments: readonly FragmentEntry[]
  /** Names of the fragment folders on disk. */
  there: ReadonlySet<string>
  /** Paths of the commit files on disk. */
  files: ReadonlySet<string>
  /** Names of commits that a `.con` file holds. */
  consolidated: ReadonlySet<string>
  /** For each delete commit's name the fragments that have processed it; read when first wanted. */
  processed: () => Promise<ReadonlyMap<string, ReadonlySet<string>>>
}

async function arrayOutcome(cx: CommandContext, path: string, array: InspectArray): Promise<Outcome> {
  const commits = await array.commits()
  const fragments = await array.fragments()
  let processed: Promise<Map<string, Set<string>>> | undefined
  const consolidated = commits.files.flatMap(({ kind, entries }) =>
    kind === 'consolidated-commits' ? entries.map(({ name }) => name) : [],
  )
  const known: Known = {
    cx,
    array,
    commits,
    fragments,
    there: new Set(fragments.map(({ name }) => name)),
    files: new Set(commits.files.map((file) => file.path)),
    consolidated: new Set(consolidated),
    processed: () => {
      processed ??= processedConditions(cx, array, fragments)
      return processed
    },
  }
  const rows: Commit[] = []
  for (const file of commits.files) {
    const row = await fileRow(known, file)
    rows.push(row)
    for (const entry of file.entries) rows.push(await entryRow(known, file, entry))
    if (file.kind !== 'fragment-metadata') continue
    const footers = await footerRows(known, file)
    row.entry_num = footers.length
    rows.push(...footers)
  }
  const document = {
    ...documentHead('commits', cx.shownPath(path)),
    commits: rows.map((row): Commit => ({ ...NO_MORE, ...row })),
  }
  return {
    document,
    rows: 'commits',
    async table(out: Output) {
      const { commitsTable } = await import('../render/views/commits.ts')
      await commitsTable(document, cx.full, out)
    },
  }
}

async function fileRow(known: Known, file: CommitFile): Promise<Commit> {
  const { array, there } = known
  const name = stem(lastPathPart(file.path))
  const row = { file: file.path, entry: null, kind: file.kind }
  if (file.kind === 'write') {
    return { ...row, refers_to: name, exists: there.has(name), effect: writeEffect(known, name) }
  }
  if (file.kind === 'delete') {
    const bytes = await withSource(array.folder.file(file.path), readAll)
    const place = { file: `${array.folder.path}/${file.path}`, offset: 0 }
    return {
      ...row,
      refers_to: null,
      exists: null,
      effect: 'deletes',
      ...(await deleteResult(known, name, bytes, place)),
    }
  }
  if (file.kind === 'update') return { ...row, refers_to: null, exists: null, effect: 'updates' }
  const fault = file.fault && recorded(known.cx, file.fault)
  const lists = { entry_num: file.entries.length, error: fault }
  if (file.kind === 'vacuum') {
    // It is named like the fragment that holds the cells of those it lists.
    const exists = there.has(name)
    return { ...row, refers_to: name, exists, effect: exists ? 'lists' : 'orphan', ...lists }
  }
  return { ...row, refers_to: null, exists: null, effect: 'lists', ...lists }
}

async function entryRow(known: Known, file: CommitFile, entry: CommitEntry): Promise<Commit> {
  const { array, commits, there, files } = known
  const row = { file: file.path, entry: entry.text, kind: commitKind(entry.name) ?? file.kind, offset: entry.offset }
  const name = stem(entry.name)
  if (file.kind === 'consolidated-commits' && entry.tile) {
    const source = array.folder.file(file.path)
    const { offset, length } = entry.tile
    const bytes = await withSource(source, (open) => open.read(offset, length))
    return {
      ...row,
      refers_to: null,
      exists: files.has(entry.text),
      effect: 'deletes',
      ...(await deleteResult(known, name, bytes, { file: source.name, offset })),
    }
  }
  if (file.kind === 'consolidated-commits') {
    const effect = commits.ignored.has(name) ? 'ignored' : writeEffect(known, name)
    return { ...row, refers_to: name, exists: there.has(name), effect }
  }
  if (file.kind === 'vacuum') {
    const exists = there.has(entry.name)
    return { ...row, kind: 'vacuum', refers_to: entry.name, exists, effect: exists ? 'to-vacuum' : 'dangling' }
  }
  const effect = known.consolidated.has(entry.name) ? 'hidden' : 'dangling'
  return { ...row, kind: 'ignore', refers_to: name, exists: there.has(name), effect }
}

/** What a consolidated fragment metadata file holds: the footers of these fragments. */
async function footerRows({ cx, array, there }: Known, file: CommitFile): Promise<Commit[]> {
  try {
    const { entries } = await array.consolidatedFragmentMetadata(file.path)
    return entries.map(({ fragment_name, offset }) => {
      const name = lastPathPart(fragment_name)
      const exists = there.has(name)
      return {
        file: file.path,
        entry: fragment_name,
        kind: 'footer',
        refers_to: name,
        exists,
        effect: exists ? 'lists' : 'dangling',
        footer_offset: offset,
      }
    })
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    const row = {
      file: file.path,
      entry: null,
      kind: 'footer',
      refers_to: null,
      exists: null,
      effect: 'lists',
    } as const
    return [{ ...row, error: recorded(cx, error) }]
  }
}

function writeEffect({ commits, there }: Known, name: string): Effect {
  if (!there.has(name)) return 'dangling'
  return commits.toVacuum.has(name) ? 'to-vacuum' : 'visible'
}

function recorded(cx: CommandContext, error: InspectError): { [key: string]: Result | undefined } {
  cx.fault(error)
  return errorResult(cx, error)
}

/**
 * A delete condition as the user wrote it, the fragments that have processed it, and those that have cells from before it
 * and have not: there it is applied whenever they are read.
 *
 * @param name of the commit, without suffix
 */
async function deleteResult(
  known: Known,
  name: string,
  bytes: Uint8Array,
  place: { file: string; offset: number },
): Promise<{ [key: string]: Result | undefined }> {
  const done = (await known.processed()).get(name) ?? new Set<string>()
  const at = parseTimestampedName(name)?.timestamp_range[0]
  const before = ({ visible, timestamp_range }: FragmentEntry): boolean =>
    visible && at !== undefined && timestamp_range !== undefined && timestamp_range[0] <= at
  return {
    ...(await conditionResult(known, bytes, place)),
    processed_by: [...done],
    not_processed_by: known.fragments
      .filter((entry) => before(entry) && !done.has(entry.name))
      .map((entry) => entry.name),
  }
}

async function conditionResult(
  { cx, array }: Known,
  bytes: Uint8Array,
  place: { file: string; offset: number },
): Promise<{ [key: string]: Result | undefined }> {
  try {
    const { payload } = await openGenericTile(bytes, cx.reading, place)
    const node = decode(payload, deleteCondition, {
      file: place.file,
      space: `unfiltered content of the generic tile at ${place.offset}`,
    })
    const { schema } = await array.newestSchema()
    return { condition: conditionText(node, schema, cx.style) }
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    return { error: recorded(cx, error) }
  }
}

/** By the name of each delete commit, without suffix: the fragments whose cells it has been applied to. Reads each fragment once. */
async function processedConditions(
  cx: CommandContext,
  array: InspectArray,
  fragments: readonly FragmentEntry[],
): Promise<Map<string, Set<string>>> {
  const processed = new Map<string, Set<string>>()
  for (const entry of fragments) {
    if (!entry.committed) continue
    const fragment = array.fragment(entry.path)
    try {
      for (const condition of (await fragment.processedConditions()) ?? []) {
        const name = stem(lastPathPart(condition))
        const names = processed.get(name) ?? new Set<string>()
        processed.set(name, names.add(entry.name))
      }
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      cx.fault(error)
    } finally {
      await fragment.close()
    }
  }
  return processed
}
