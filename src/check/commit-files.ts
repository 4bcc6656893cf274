import type { FragmentEntry, InspectArray } from '../array.ts'
import { withSource } from '../array.ts'
import { COMMITS_FOLDER, type CommitEntry, type CommitFile, type Commits, commitKind, stem } from '../commits.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { type ConditionNode, deleteCondition, updateCondition } from '../format/delete-condition.ts'
import { parseTimestampedName } from '../format/timestamped-name.ts'
import { readAll } from '../source/source.ts'
import { FOLDERS_SINCE } from './array-folder.ts'
import { finding, fromError, type Item, type Items } from './finding.ts'
import { type CheckRun, checkEmpty, checkedTile } from './run.ts'

/**
 * Everything about commits: marks, vacuum, ignore and consolidated commits files, delete conditions.
 * @see format_spec/array_file_hierarchy.md; tiledb/sm/array/array_directory.cc
 */
export async function* checkCommits(
  run: CheckRun,
  array: InspectArray,
  commits: Commits,
  entries: readonly FragmentEntry[],
  schema: ArraySchema | undefined,
): Items {
  const facts = new CommitFacts(commits, entries)
  for (const file of commits.files) yield* checkCommitFile(run, array, file, facts, schema)
  for (const { name, kind } of await array.folder.folder(COMMITS_FOLDER).listIfThere()) {
    if (kind === 'file' && commitKind(name) === undefined) {
      const file = `${array.folder.path}/${COMMITS_FOLDER}/${name}`
      yield finding('COMMIT_NAME_INVALID', { file }, '.wrt, .vac, .con, .ign, .del or .upd', JSON.stringify(name))
    }
  }
}

class CommitFacts {
  readonly commits: Commits
  readonly fragments: ReadonlyMap<string, FragmentEntry>
  /** Names of commits that a `.con` file lists. */
  readonly consolidated = new Set<string>()

  constructor(commits: Commits, entries: readonly FragmentEntry[]) {
    this.commits = commits
    this.fragments = new Map(entries.map((entry) => [entry.name, entry]))
    for (const file of commits.files) {
      if (file.kind === 'consolidated-commits') for (const { name } of file.entries) this.consolidated.add(name)
    }
  }
}

async function* checkCommitFile(
  run: CheckRun,
  array: InspectArray,
  file: CommitFile,
  facts: CommitFacts,
  schema: ArraySchema | undefined,
): Items {
  const path = `${array.folder.path}/${file.path}`
  const name = stem(lastPathPart(file.path))
  if (!parseTimestampedName(name)) {
    yield finding('COMMIT_NAME_INVALID', { file: path }, '__<t1>_<t2>_<uuid>_<version>', JSON.stringify(name))
  }
  if (file.fault) yield fromError(file.fault, 'COMMIT_UNREADABLE', { file: path })
  switch (file.kind) {
    case 'write':
      yield* checkEmpty(run, array.folder, file.path, 'COMMIT_NOT_EMPTY')
      yield* checkWrite(path, file.path, name, facts)
      return
    case 'vacuum':
      run.counts.file_num++
      yield* checkVacuum(path, file, name, facts)
      return
    case 'ignore':
      run.counts.file_num++
      for (const entry of file.entries) {
        const { name: ignored, offset, text } = entry
        yield* checkEntryFolder(path, entry)
        if (!facts.consolidated.has(ignored)) {
          yield finding('IGNORE_DANGLING', { file: path, offset }, 'a commit of a .con file', JSON.stringify(text))
        }
      }
      return
    case 'consolidated-commits':
      run.counts.file_num++
      for (const entry of file.entries) yield* checkConsolidated(array, path, file, entry, facts, schema)
      return
    case 'delete':
    case 'update': {
      run.counts.file_num++
      const bytes = await withSource(array.folder.file(file.path), readAll)
      yield* checkCondition(array, bytes, { file: path, offset: 0 }, file.kind, schema)
    }
  }
}

function* checkWrite(file: string, path: string, name: string, { fragments }: CommitFacts): Generator<Item> {
  const fragment = fragments.get(name)
  if (!fragment) {
    yield finding('COMMIT_DANGLING', { file }, 'a fragment of this name', 'none')
    return
  }
  const version = parseTimestampedName(name)?.format_version ?? 0
  const expected = version >= FOLDERS_SINCE ? `${COMMITS_FOLDER}/${name}.wrt` : `${name}.ok`
  if (path !== expected) yield finding('COMMIT_WRONG_FOLDER', { file }, expected, path)
}

function* checkVacuum(path: string, file: CommitFile, name: string, { fragments }: CommitFacts): Generator<Item> {
  const replacement = fragments.get(name)
  if (replacement && !replacement.committed) {
    yield finding('VACUUM_UNCOMMITTED', { file: path }, `a commit of ${name}`, 'none')
  }
  for (const { name: listed, offset, text } of file.entries) {
    if (!fragments.has(listed)) {
      yield finding('VACUUM_DANGLING', { file: path, offset }, 'a fragment that is there', JSON.stringify(text))
    }
  }
}

/** Entries of `.con` and `.ign` files are paths from the array's folder on. */
function* checkEntryFolder(file: string, { name, offset, text }: CommitEntry): Generator<Item> {
  const expected = `${COMMITS_FOLDER}/${name}`
  if (text === name || text === expected || text === `/${expected}`) return
  yield finding('COMMIT_WRONG_FOLDER', { file, offset }, expected, JSON.stringify(text))
}

async function* checkConsolidated(
  array: InspectArray,
  path: string,
  file: CommitFile,
  entry: CommitEntry,
  { commits, fragments }: CommitFacts,
  schema: ArraySchema | undefined,
): Items {
  const { name, offset, text, tile } = entry
  yield* checkEntryFolder(path, entry)
  if (commitKind(name) === 'write') {
    const fragment = stem(name)
    if (!fragments.has(fragment) && !commits.ignored.has(fragment)) {
      yield finding('COMMIT_DANGLING', { file: path, offset }, 'a fragment that is there', JSON.stringify(text))
    }
    return
  }
  const kind = commitKind(name)
  if (!tile || (kind !== 'delete' && kind !== 'update')) {
    yield finding('COMMIT_UNREADABLE', { file: path, offset }, 'the name of a commit file', JSON.stringify(text))
    return
  }
  const bytes = await withSource(array.folder.file(file.path), (source) => source.read(tile.offset, tile.length))
  yield* checkCondition(array, bytes, { file: path, offset: tile.offset }, kind, schema)
  const alone = `${COMMITS_FOLDER}/${name}`
  if (!commits.files.some((one) => one.path === alone)) return
  const own = await withSource(array.folder.file(alone), readAll)
  if (!sameBytes(own, bytes)) {
    const place = { file: path, offset: tile.offset }
    yield finding('DELETE_CONDITION_DIFFERS', place, `the bytes of ${alone}`, `${bytes.length} other bytes`)
  }
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

async function* checkCondition(
  array: InspectArray,
  bytes: Uint8Array,
  place: { file: string; offset: number },
  kind: 'delete' | 'update',
  schema: ArraySchema | undefined,
): Items {
  const items: Item[] = []
  const code = 'DELETE_CONDITION_UNREADABLE'
  const node =
    kind === 'delete'
      ? (await checkedTile(bytes, deleteCondition, array.cx, place, code, items))?.value
      : (await checkedTile(bytes, updateCondition, array.cx, place, code, items))?.value.condition
  yield* items
  if (!node || !schema) return
  const known = new Set([...schema.domain.dimensions, ...schema.attributes].map(({ name }) => name))
  for (const field of new Set(conditionFields(node))) {
    if (known.has(field)) continue
    const space = `unfiltered content of the generic tile at ${place.offset}`
    yield finding(
      'DELETE_CONDITION_FIELD',
      { file: place.file, space, field: 'field' },
      'a field of the schema',
      JSON.stringify(field),
    )
  }
}

function* conditionFields(node: ConditionNode): Generator<string> {
  if (node.node === 'value') yield node.field
  else for (const child of node.children) yield* conditionFields(child)
}
