import type { FragmentEntry, InspectArray } from '../array.ts'
import { withSource } from '../array.ts'
import {
  COMMITS_FOLDER,
  type CommitEntry,
  type CommitFile,
  type CommitKind,
  type Commits,
  commitKind,
  commitKindIn,
  stem,
} from '../commits.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { lastPathPart } from '../format/commit-files.ts'
import { type ConditionNode, deleteCondition, updateCondition } from '../format/delete-condition.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { parseTimestampedName } from '../format/timestamped-name.ts'
import { readAll } from '../source/source.ts'
import { FOLDERS_SINCE, FRAGMENTS_FOLDER, isMasking, masking } from './array-folder.ts'
import { MEANINGS } from './codes.ts'
import { finding, fromError, type Item, type Items, type Place } from './finding.ts'
import { hasTimes, isVacuumPath } from './names.ts'
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
  const inside = array.folder.folder(COMMITS_FOLDER)
  for (const entry of await inside.listIfThere()) {
    const { name, kind } = entry
    const isCommit = commitKindIn(COMMITS_FOLDER, name) !== undefined
    const file = `${inside.path}/${name}`
    if (await isMasking(inside, entry)) yield masking(file, name)
    else if (kind !== 'file')
      yield finding('COMMIT_NAME_INVALID', { file }, 'a file', 'a folder', isCommit ? FATAL_NAME : undefined)
    else if (!isCommit)
      yield finding('COMMIT_NAME_INVALID', { file }, '.wrt, .vac, .con, .ign, .del or .upd', JSON.stringify(name))
  }
}

const FATAL_NAME = MEANINGS.COMMIT_NAME_INVALID.fatal

class CommitFacts {
  readonly commits: Commits
  readonly fragments: ReadonlyMap<string, FragmentEntry>
  /** Names of commits that a `.con` file lists. */
  readonly consolidated = new Set<string>()
  /** Lines of `.ign` files: TileDB compares them with those of `.con` files as they are. */
  readonly ignoredLines = new Set<string>()

  constructor(commits: Commits, entries: readonly FragmentEntry[]) {
    this.commits = commits
    this.fragments = new Map(entries.map((entry) => [entry.name, entry]))
    for (const file of commits.files) {
      if (file.kind === 'consolidated-commits') for (const { name } of file.entries) this.consolidated.add(name)
      if (file.kind === 'ignore') for (const { text } of file.entries) this.ignoredLines.add(text)
    }
  }
}

/** Whether TileDB takes times from the name of such a file; the names of others mean nothing to it. */
function namesTimes({ path, kind }: CommitFile): boolean {
  return kind === 'write' ? path.endsWith('.wrt') : NAMES_TIMES.has(kind)
}

const NAMES_TIMES: ReadonlySet<CommitKind> = new Set(['delete', 'update', 'vacuum'])

async function* checkCommitFile(
  run: CheckRun,
  array: InspectArray,
  file: CommitFile,
  facts: CommitFacts,
  schema: ArraySchema | undefined,
): Items {
  const path = `${array.folder.path}/${file.path}`
  const name = stem(lastPathPart(file.path))
  const fatal = namesTimes(file) && !hasTimes(lastPathPart(file.path))
  if (fatal || !parseTimestampedName(name)) {
    const known = fatal ? FATAL_NAME : undefined
    yield finding('COMMIT_NAME_INVALID', { file: path }, '__<t1>_<t2>_<uuid>_<version>', JSON.stringify(name), known)
  }
  if (file.fault) yield fromError(file.fault, 'COMMIT_UNREADABLE', { file: path })
  switch (file.kind) {
    case 'write':
      yield* checkEmpty(run, array.folder, file.path, 'COMMIT_NOT_EMPTY')
      yield* checkWrite(array, path, file.path, name, facts)
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

async function* checkWrite(array: InspectArray, file: string, path: string, name: string, facts: CommitFacts): Items {
  yield* checkCommitted(array, { file }, path === `${COMMITS_FOLDER}/${name}.wrt`, name, facts)
  if (!facts.fragments.has(name)) return
  const version = parseTimestampedName(name)?.format_version ?? 0
  const expected = version >= FOLDERS_SINCE ? `${COMMITS_FOLDER}/${name}.wrt` : `${name}.ok`
  if (path !== expected) yield finding('COMMIT_WRONG_FOLDER', { file }, expected, path)
}

/**
 * The fragment that a commit names.
 * @param needed whether TileDB opens what it names in `__fragments` without asking whether it is there
 */
async function* checkCommitted(
  array: InspectArray,
  place: Place,
  needed: boolean,
  name: string,
  { commits, fragments }: CommitFacts,
): Items {
  const fragment = fragments.get(name)
  if (needed ? fragment?.path === `${FRAGMENTS_FOLDER}/${name}` : fragment) return
  // Names that say nothing of time and version are none of a fragment, but TileDB opens those, too.
  if (needed && (await array.folder.kind(`${FRAGMENTS_FOLDER}/${name}/${FRAGMENT_METADATA_FILE}`)) === 'file') return
  const { passedOver, toVacuum } = MEANINGS.COMMIT_DANGLING
  // What an old mark names is opened as a fragment even if it is a file.
  if (!needed && (await array.root()).some((entry) => entry.name === name)) {
    yield finding('COMMIT_DANGLING', place, `a fragment ${name}`, 'a file')
    return
  }
  const known = !needed ? passedOver : commits.toVacuum.has(name) ? toVacuum : undefined
  const expected = needed ? `${FRAGMENTS_FOLDER}/${name}` : `a fragment ${name}`
  yield finding('COMMIT_DANGLING', place, expected, fragment?.path ?? 'none', known)
}

function* checkVacuum(path: string, file: CommitFile, name: string, { fragments }: CommitFacts): Generator<Item> {
  const replacement = fragments.get(name)
  // Vacuum takes commits away first: then nothing of the list is committed.
  const hides = replacement !== undefined || file.entries.some((entry) => fragments.get(entry.name)?.committed)
  if (hides && !replacement?.committed) {
    yield finding('VACUUM_UNCOMMITTED', { file: path }, `a commit of ${name}`, 'none')
  }
  for (const { name: listed, offset, text } of file.entries) {
    if (!isVacuumPath(text)) yield finding('COMMIT_UNREADABLE', { file: path, offset }, 'a path', JSON.stringify(text))
    else if (!fragments.has(listed)) {
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
  facts: CommitFacts,
  schema: ArraySchema | undefined,
): Items {
  const { commits } = facts
  const { name, offset, text, tile } = entry
  yield* checkEntryFolder(path, entry)
  if (commitKind(name) === 'write') {
    if (facts.ignoredLines.has(text)) return
    yield* checkCommitted(array, { file: path, offset }, name.endsWith('.wrt'), stem(name), facts)
    return
  }
  const kind = commitKind(name)
  if (!tile || (kind !== 'delete' && kind !== 'update')) {
    yield finding('COMMIT_UNREADABLE', { file: path, offset }, 'the name of a commit file', JSON.stringify(text))
    return
  }
  const known = hasTimes(name) ? undefined : FATAL_NAME
  if (known || !parseTimestampedName(stem(name))) {
    const place = { file: path, offset }
    yield finding('COMMIT_NAME_INVALID', place, '__<t1>_<t2>_<uuid>_<version>', JSON.stringify(name), known)
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
