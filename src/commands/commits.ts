import type { InspectArray } from '../array.ts'
import { withSource } from '../array.ts'
import { type CommitEntry, type CommitFile, type Commits, commitKind, stem } from '../commits.ts'
import { InspectError } from '../errors.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { deleteCondition } from '../format/delete-condition.ts'
import { decode } from '../format/io.ts'
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
      if (target.type !== 'array') throw wrongTarget('commits', target, 'an array')
      yield await arrayOutcome(cx, path, target.array)
    }
  },
}

/** What a commit file or entry does to what it names. */
type Effect = 'visible' | 'hidden' | 'to-vacuum' | 'ignored' | 'orphan' | 'dangling' | 'deletes' | 'lists'

interface Commit {
  [key: string]: Result | undefined
  file: string
  entry: string | null
  kind: string
  refers_to: string | null
  exists: boolean | null
  effect: Effect
}

async function arrayOutcome(cx: CommandContext, path: string, array: InspectArray): Promise<Outcome> {
  const commits = await array.commits()
  const there = new Set((await array.fragments()).map(({ name }) => name))
  const files = new Set(commits.files.map((file) => file.path))
  const rows: Commit[] = []
  for (const file of commits.files) {
    rows.push(await fileRow(cx, array, commits, file, there))
    for (const entry of file.entries) rows.push(await entryRow(cx, array, commits, file, entry, there, files))
  }
  const document = { ...documentHead('commits', cx.shownPath(path)), commits: rows }
  return {
    document,
    rows: 'commits',
    async table(out: Output) {
      const { commitsTable } = await import('../render/views/commits.ts')
      await commitsTable(document, cx.full, out)
    },
  }
}

async function fileRow(
  cx: CommandContext,
  array: InspectArray,
  commits: Commits,
  file: CommitFile,
  there: ReadonlySet<string>,
): Promise<Commit> {
  const name = stem(lastPathPart(file.path))
  const row = { file: file.path, entry: null, kind: file.kind }
  if (file.kind === 'write') {
    return { ...row, refers_to: name, exists: there.has(name), effect: writeEffect(commits, name, there) }
  }
  if (file.kind === 'delete') {
    const bytes = await withSource(array.folder.file(file.path), readAll)
    const condition = await conditionResult(cx, array, bytes, { file: `${array.folder.path}/${file.path}`, offset: 0 })
    return {
      ...row,
      refers_to: null,
      exists: null,
      effect: 'deletes',
      ...condition,
      processed_by: await processedBy(array, file.path),
    }
  }
  return { ...row, refers_to: null, exists: null, effect: 'lists', entry_num: file.entries.length }
}

async function entryRow(
  cx: CommandContext,
  array: InspectArray,
  commits: Commits,
  file: CommitFile,
  entry: CommitEntry,
  there: ReadonlySet<string>,
  files: ReadonlySet<string>,
): Promise<Commit> {
  const row = { file: file.path, entry: entry.text, kind: commitKind(entry.name) ?? file.kind, offset: entry.offset }
  if (file.kind === 'consolidated-commits' && entry.tile) {
    const source = array.folder.file(file.path)
    const { offset, length } = entry.tile
    const bytes = await withSource(source, (open) => open.read(offset, length))
    const condition = await conditionResult(cx, array, bytes, { file: source.name, offset })
    return {
      ...row,
      refers_to: null,
      exists: files.has(entry.text),
      effect: 'deletes',
      ...condition,
      processed_by: await processedBy(array, entry.text),
    }
  }
  if (file.kind === 'consolidated-commits') {
    const name = stem(entry.name)
    const effect = commits.ignored.has(name) ? 'ignored' : writeEffect(commits, name, there)
    return { ...row, refers_to: name, exists: there.has(name), effect }
  }
  if (file.kind === 'vacuum') {
    const exists = there.has(entry.name)
    return { ...row, kind: 'vacuum', refers_to: entry.name, exists, effect: exists ? 'to-vacuum' : 'dangling' }
  }
  const name = stem(entry.name)
  return { ...row, kind: 'ignore', refers_to: name, exists: there.has(name), effect: 'hidden' }
}

function writeEffect(commits: Commits, name: string, there: ReadonlySet<string>): Effect {
  if (!there.has(name)) return 'dangling'
  return commits.toVacuum.has(name) ? 'to-vacuum' : 'visible'
}

/** The condition as the user wrote it, or the error that reading it gave. */
async function conditionResult(
  cx: CommandContext,
  array: InspectArray,
  bytes: Uint8Array,
  place: { file: string; offset: number },
): Promise<{ condition?: string; error?: { [key: string]: Result | undefined } }> {
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
    cx.fault(error)
    return { error: errorResult(error) }
  }
}

/** Names of the fragments whose cells a delete condition has been applied to. */
async function processedBy(array: InspectArray, commit: string): Promise<string[]> {
  const name = lastPathPart(commit)
  const fragments: string[] = []
  for (const entry of await array.fragments()) {
    if (!entry.committed) continue
    const fragment = array.fragment(entry.path)
    try {
      const conditions = await fragment.processedConditions()
      if (conditions?.some((condition) => lastPathPart(condition) === name)) fragments.push(entry.name)
    } finally {
      await fragment.close()
    }
  }
  return fragments
}
