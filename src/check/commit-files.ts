import { NO_BYTES } from '../base/bytes.ts'
import { allInOrder, atOnce } from '../base/in-order.ts'
import { lastPathPart } from '../base/paths.ts'
import { sameBytes } from '../filters/bytes.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { deleteCondition, refusedParts, updateCondition } from '../format/delete-condition.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { hasTimes, nameFacts, parseFragmentName, parseTimestampedName, timeText } from '../format/timestamped-name.ts'
import type { FragmentEntry, InspectArray } from '../objects/array.ts'
import type { ChangedLine } from '../objects/changed-commit-lines.ts'
import {
  COMMITS_FOLDER,
  type CommitEntry,
  type CommitFile,
  type CommitKind,
  type Commits,
  commitKind,
  commitKindIn,
  committedPath,
  FRAGMENTS_FOLDER,
  fragmentPath,
  linePath,
  mayBeFragment,
  pathOfCommit,
  readsTimes,
  stem,
} from '../objects/commits.ts'
import { nearFragment } from '../objects/cut-commit-lists.ts'
import { isRead, mayReplace, type Visibility, vacuumPath } from '../objects/visibility.ts'
import { conditionFields } from '../read/condition.ts'
import { readAll, withSource } from '../storage/source.ts'
import { folderVariant, isFolderMark, isMasking, maskingFinding } from './array-folder.ts'
import type { VariantOf } from './codes.ts'
import { asIgnored, collectItems, type Finding, type FindingPlace, finding, fromError, type Items } from './finding.ts'
import { checkEmpty, checkedTile } from './generic-tiles.ts'
import type { CheckRun } from './run.ts'

/** What is listed of an array. */
interface Listed {
  entries: readonly FragmentEntry[]
  /** Lines of commits that name nearly a fragment. */
  changed: readonly ChangedLine[]
}

/**
 * Checks all commit files: commits, vacuum files, ignore files, consolidated commits and delete conditions.
 * @see format_spec/array_file_hierarchy.md; tiledb/sm/array/array_directory.cc
 */
export async function* checkCommits(
  run: CheckRun,
  array: InspectArray,
  commits: Commits,
  { entries, changed }: Listed,
  schema: ArraySchema | undefined,
): Items {
  const facts = await commitFacts(run, array, commits, { entries, changed }, schema)
  yield* allInOrder(commits.files, atOnce(array.folder), (file) => checkCommitFile(facts, file))
  yield* checkCommitsFolder(array, schema)
}

/** Checks the names of commit files, and of what lies among them. */
export async function* checkCommitNames(array: InspectArray, schema: ArraySchema | undefined): Items {
  for (const file of (await array.commits()).files) {
    yield* checkName(array, file)
    for (const entry of file.entries) {
      const place = { file: `${array.folder.path}/${file.path}`, offset: entry.offset }
      if (file.kind === 'vacuum') yield* lineFinding(place, entry)
      else if (entry.tile) yield* nameFinding(place, entry.name, entry.name, true)
    }
  }
  yield* checkCommitsFolder(array, schema)
}

/** Checks what is no commit file in the folder of commits. */
async function* checkCommitsFolder(array: InspectArray, schema: ArraySchema | undefined): Items {
  const inside = array.folder.folder(COMMITS_FOLDER)
  for (const entry of await inside.listIfThere()) {
    const { name, kind } = entry
    const commit = commitKindIn(COMMITS_FOLDER, name)
    const file = `${inside.path}/${name}`
    if (await isMasking(inside, entry)) yield maskingFinding(file, name)
    else if (await isFolderMark(inside, entry)) continue
    else if (kind !== 'file')
      yield finding('COMMIT_NAME_INVALID', { file }, 'a file', 'a folder', folderVariant(name, commit, schema))
    else if (!commit)
      yield finding('COMMIT_NAME_INVALID', { file }, '.wrt, .vac, .con, .ign, .del or .upd', JSON.stringify(name))
  }
}

/** Facts that the checks of all commit files share. */
interface CommitFacts {
  run: CheckRun
  array: InspectArray
  schema: ArraySchema | undefined
  visibility: Visibility
  /** Paths of all commit files. */
  paths: ReadonlySet<string>
  /** By name. */
  fragments: ReadonlyMap<string, FragmentEntry>
  /** Lines of `.con` files. */
  consolidated: ReadonlySet<string>
  /** Lines of `.ign` files. TileDB compares them with the lines of `.con` files as they are. */
  ignoredLines: ReadonlySet<string>
  /** The first `.con` file with each delete condition, by the line: what is wrong with the file of a condition is told once. */
  firstLists: ReadonlyMap<string, string>
  changed: Listed['changed']
  /** Spellings of the commits of each fragment, by its path. For TileDB each spelling is a commit of its own. */
  spellings: ReadonlyMap<string, ReadonlySet<string>>
}

async function commitFacts(
  run: CheckRun,
  array: InspectArray,
  { files }: Commits,
  { entries, changed }: Listed,
  schema: ArraySchema | undefined,
): Promise<CommitFacts> {
  const { visibility } = await array.listing()
  const linesOf = (kind: CommitKind): string[] =>
    files.flatMap((file) => (file.kind === kind ? file.entries.map(({ text }) => text) : []))
  const ignoredLines = new Set(linesOf('ignore'))
  const consolidated = new Set(linesOf('consolidated-commits'))
  const spellings = new Map<string, Set<string>>()
  const spelled = (fragment: string, by: string): void => {
    spellings.set(fragment, (spellings.get(fragment) ?? new Set()).add(by))
  }
  for (const { kind, path } of files) if (kind === 'write' && path.endsWith('.wrt')) spelled(committedPath(path), path)
  for (const text of consolidated)
    if (text.endsWith('.wrt') && !ignoredLines.has(text)) spelled(linePath(text) ?? '', text)
  const paths = new Set(files.map(({ path }) => path))
  const firstLists = new Map<string, string>()
  for (const { path, entries: lines } of files)
    for (const { text, tile } of lines) if (tile && !firstLists.has(text)) firstLists.set(text, path)
  const fragments = new Map(entries.map((entry) => [entry.name, entry]))
  return {
    run,
    array,
    schema,
    visibility,
    paths,
    fragments,
    consolidated,
    ignoredLines,
    firstLists,
    changed,
    spellings,
  }
}

function* checkName(array: InspectArray, file: CommitFile): Generator<Finding> {
  const name = lastPathPart(file.path)
  yield* nameFinding({ file: `${array.folder.path}/${file.path}` }, name, stem(name), readsTimes(file))
}

/** Reports a name that TileDB does not give. @param shown what is told of it @param isRead whether TileDB reads times from it */
function* nameFinding(place: FindingPlace, name: string, shown: string, isRead: boolean): Generator<Finding> {
  const variant = isRead && !hasTimes(name) ? 'fatal' : undefined
  if (variant === undefined && parseTimestampedName(stem(name))) return
  yield finding('COMMIT_NAME_INVALID', place, '__<t1>_<t2>_<uuid>_<version>', JSON.stringify(shown), variant)
}

/** Reports a line of a vacuum file that TileDB refuses. */
function* lineFinding(place: FindingPlace, { text }: CommitEntry): Generator<Finding> {
  if (vacuumPath(text) !== undefined) return
  yield finding('COMMIT_UNREADABLE', place, 'a path', JSON.stringify(text), 'refusedLine')
}

async function* checkCommitFile(facts: CommitFacts, file: CommitFile): Items {
  const { run, array } = facts
  const path = `${array.folder.path}/${file.path}`
  const name = stem(lastPathPart(file.path))
  yield* checkName(array, file)
  if (file.fault) yield fromError(file.fault, 'COMMIT_UNREADABLE', { file: path })
  // Other checks count these kinds.
  if (file.kind !== 'write' && file.kind !== 'fragment-metadata') run.counts.file_num++
  switch (file.kind) {
    case 'write':
      if (!file.isFolder && !run.quick) yield* checkEmpty(run, array.folder, file.path, 'COMMIT_NOT_EMPTY')
      yield* checkWrite(facts, path, file.path, name)
      return
    case 'vacuum':
      yield* checkVacuum(facts, path, file, name)
      return
    case 'ignore':
      for (const entry of file.entries) {
        const { offset, text } = entry
        yield* checkEntryFolder(path, entry)
        if (!facts.consolidated.has(text)) {
          yield finding('IGNORE_DANGLING', { file: path, offset }, 'a commit of a .con file', JSON.stringify(text))
        }
      }
      return
    case 'consolidated-commits':
      yield* checkDuplicates(path, file)
      yield* checkListed(facts, path, file)
      return
    case 'delete':
    case 'update': {
      if (run.quick) return
      const bytes = await withSource(array.folder.file(file.path), readAll)
      const place = { file: path, offset: 0 }
      const isListed = facts.consolidated.has(file.path) && !facts.ignoredLines.has(file.path)
      if (isListed) yield* checkListedFile(facts, bytes, place, file.kind)
      else yield* checkCondition(facts, bytes, place, file.kind)
    }
  }
}

async function* checkWrite(facts: CommitFacts, file: string, path: string, name: string): Items {
  yield* checkCommitted(facts, { file }, path === `${COMMITS_FOLDER}/${name}.wrt`, name)
  if (!facts.fragments.has(name) || !parseFragmentName(name)) return
  const expected = pathOfCommit(fragmentPath(name))
  if (path !== expected) yield finding('COMMIT_WRONG_FOLDER', { file }, expected, path)
}

/**
 * Checks that the fragment of a commit exists.
 * @param needed whether TileDB opens the fragment in `__fragments` without looking whether it exists
 */
async function* checkCommitted(facts: CommitFacts, place: FindingPlace, needed: boolean, name: string): Items {
  const { array, fragments, visibility } = facts
  const fragment = fragments.get(name)
  if (needed ? fragment?.path === `${FRAGMENTS_FOLDER}/${name}` : fragment) return
  // A fragment of the same name may be in the array's own folder.
  if (needed && (await array.folder.kind(`${FRAGMENTS_FOLDER}/${name}/${FRAGMENT_METADATA_FILE}`)) === 'file') return
  // TileDB opens the entry that an old commit names as a fragment, even if it is a file.
  if (!needed && mayBeFragment(name) && (await array.root()).some((entry) => entry.name === name)) {
    yield finding('COMMIT_DANGLING', place, `a fragment ${name}`, 'a file')
    return
  }
  // Of a sparse fragment, TileDB reads the part that is not in the future.
  const isFuture =
    (nameFacts(name)?.timestamp_range[1] ?? 0n) > array.cx.now &&
    !(await array.missingFragments()).includes(`${FRAGMENTS_FOLDER}/${name}`)
  const isListed = visibility.lists(`${FRAGMENTS_FOLDER}/${name}`).length > 0
  const isKept = needed && (await array.keptFooter(name)) !== undefined
  const variant = (): VariantOf<'COMMIT_DANGLING'> | undefined => {
    if (!needed) return 'skipped'
    if (isKept && (isFuture || !isListed)) return 'footerKept'
    if (isFuture) return 'future'
    return isListed ? 'toVacuum' : undefined
  }
  const expected = needed ? `${FRAGMENTS_FOLDER}/${name}` : `a fragment ${name}`
  const found = finding('COMMIT_DANGLING', place, expected, fragment?.path ?? 'none', variant())
  yield isKept && isFuture ? asIgnored(found, 'future') : found
}

function* checkVacuum(facts: CommitFacts, path: string, file: CommitFile, name: string): Generator<Finding> {
  const { fragments } = facts
  const replacement = fragments.get(name)
  // A vacuum removes the commits first. If nothing in the list is committed, it was interrupted.
  const hides = replacement !== undefined || file.entries.some((entry) => fragments.get(entry.name)?.committed)
  const hidden = hiddenFragments(file, facts)
  if (hidden.length > 0) {
    for (const { entry, text, offset } of hidden) {
      const found = `${JSON.stringify(text)}, ${whyHidden(file, entry, facts)}`
      yield finding('VACUUM_HIDES_CELLS', { file: path, offset }, 'a fragment whose cells another one holds', found)
    }
  } else if (hides && !replacement?.committed) {
    yield finding('VACUUM_UNCOMMITTED', { file: path }, `a commit of ${name}`, 'none')
  }
  if (file.entries.length === 0 && !file.fault)
    yield finding('VACUUM_DANGLING', { file: path, offset: 0 }, 'a list of fragments', 'nothing', 'empty')
  for (const entry of file.entries) {
    const { name: listed, offset, text } = entry
    const listedPath = vacuumPath(text)
    if (listedPath === undefined) yield* lineFinding({ file: path, offset }, entry)
    else if (fragments.get(listed)?.path !== listedPath) {
      const near = nearFragment(listed, fragments, (one) => isMeant(facts, one))
      const other = parseFragmentName(listed) ? undefined : 'noFragment'
      const variant = near ? 'near' : other
      const expected = near ? JSON.stringify(near.path) : 'a fragment that is there'
      yield finding('VACUUM_DANGLING', { file: path, offset }, expected, JSON.stringify(text), variant)
    }
  }
}

/** Whether a line of a vacuum file can have named a fragment before it was cut or changed: readers read it, and no other line names it. */
function isMeant({ visibility }: CommitFacts, { path, state }: FragmentEntry): boolean {
  return isRead(state) && visibility.lists(path).length === 0
}

/** The fragments that TileDB does not read because of a vacuum file, and whose cells no readable fragment can hold. */
function hiddenFragments(
  file: CommitFile,
  { fragments, visibility }: CommitFacts,
): { entry: FragmentEntry; text: string; offset: number }[] {
  const seen = new Set<string>()
  return file.entries.flatMap(({ name, text, offset }) => {
    const entry = fragments.get(name)
    if (entry?.state !== 'hidden' || entry.path !== vacuumPath(text) || seen.has(entry.path)) return []
    seen.add(entry.path)
    return visibility.lists(entry.path).some((list) => list.file === file.path) ? [{ entry, text, offset }] : []
  })
}

/** Says why consolidation cannot have left the vacuum file like this. The text follows the name of the hidden fragment. */
function whyHidden({ path }: CommitFile, hidden: FragmentEntry, { fragments, visibility }: CommitFacts): string {
  const list = visibility.lists(hidden.path).find(({ file }) => file === path)
  if (list && !mayReplace(list, hidden.path)) {
    const stamps = [...(hidden.timestamp_range ?? []).slice(0, 1), ...(list.timestamp_range ?? [])]
    const [written, first, last] = stamps.map((stamp) => timeText(stamp))
    return `written at ${written}, but the vacuum file is for fragments written from ${first} to ${last}`
  }
  const name = stem(lastPathPart(path))
  if (name === hidden.name) return 'which the vacuum file is named after'
  const replacement = fragments.get(name)
  if (!replacement) return `and no fragment ${name}`
  if (!replacement.committed) return `and no commit of ${name}`
  if (replacement.state === 'future') return `and ${name}, which is not read before that time`
  return `and ${name}, which a vacuum file hides, too`
}

/** Checks that an entry of a `.con` or `.ign` file is a path in the folder of commits. */
function* checkEntryFolder(file: string, { name, offset, text }: CommitEntry): Generator<Finding> {
  const expected = `${COMMITS_FOLDER}/${name}`
  if (text === name || text === expected || text === `/${expected}`) return
  yield finding('COMMIT_WRONG_FOLDER', { file, offset }, expected, JSON.stringify(text))
}

/** Reports each commit that a file lists several times. */
function* checkDuplicates(file: string, { entries }: CommitFile): Generator<Finding> {
  const seen = new Map<string, number>()
  for (const { text, offset } of entries) {
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    if (times === 2) yield finding('COMMIT_DUPLICATE', { file, offset }, 'another commit', JSON.stringify(text))
  }
}

/** Checks each commit of a `.con` file once, even if it is listed several times. Conditions that differ are all checked. */
async function* checkListed(facts: CommitFacts, path: string, file: CommitFile): Items {
  const content =
    !facts.run.quick && file.entries.some(({ tile }) => tile)
      ? await withSource(facts.array.folder.file(file.path), readAll)
      : NO_BYTES
  const seen = new Map<string, Uint8Array>()
  for (const entry of file.entries) {
    const { text, tile } = entry
    const condition = tile ? content.subarray(tile.offset, tile.offset + tile.length) : NO_BYTES
    const before = seen.get(text)
    if (before && sameBytes(before, condition)) continue
    seen.set(text, condition)
    yield* checkConsolidated(facts, path, entry, condition)
  }
}

/** Checks an entry of a `.con` file. @param condition bytes of the delete condition that follows it */
async function* checkConsolidated(facts: CommitFacts, path: string, entry: CommitEntry, condition: Uint8Array): Items {
  const { array, schema } = facts
  const { name, offset, text, tile } = entry
  const place = { file: path, offset }
  const kind = commitKind(name)
  yield* checkEntryFolder(path, entry)
  if (kind === 'write') {
    if (facts.ignoredLines.has(text)) return
    const others = facts.spellings.get(linePath(text) ?? '')
    const own = `${COMMITS_FOLDER}/${name}`
    if (others && others.size > 1 && text !== own) {
      const variant = schema?.allows_duplicates && schema.array_type === 'sparse' ? 'twice' : 'listedTwice'
      yield finding('COMMIT_WRONG_FOLDER', place, own, JSON.stringify(text), variant)
    }
    const changed = facts.changed.find((one) => one.entry === entry)
    if (changed && changed.changed !== 'folder') {
      const isOpened = (await array.missingFragments()).includes(linePath(text) ?? '')
      const variant = isOpened ? 'near' : 'nearLater'
      yield finding('COMMIT_DANGLING', place, JSON.stringify(changed.text), JSON.stringify(text), variant)
    } else yield* checkCommitted(facts, place, name.endsWith('.wrt'), stem(name))
    return
  }
  if (!tile || (kind !== 'delete' && kind !== 'update')) {
    yield finding('COMMIT_UNREADABLE', place, 'the name of a commit file', JSON.stringify(text), 'skipped')
    return
  }
  yield* nameFinding(place, name, name, true)
  const ofTile = { file: path, offset: tile.offset }
  const isRead = facts.run.quick || (yield* checkCondition(facts, condition, ofTile, kind))
  const alone = `${COMMITS_FOLDER}/${name}`
  if (!facts.paths.has(alone)) {
    const isFirst = `${array.folder.path}/${facts.firstLists.get(text)}` === path
    if (isFirst && !facts.ignoredLines.has(text))
      yield finding('DELETE_CONDITION_FILE', place, `the file ${alone}, too`, 'none')
    return
  }
  if (facts.run.quick || !isRead) return
  const own = await withSource(array.folder.file(alone), readAll)
  if (sameBytes(own, condition)) return
  // A file that is damaged is found by itself.
  const { items } = await collectItems(checkListedFile(facts, own, { file: alone, offset: 0 }, kind))
  if (items.length === 0)
    yield finding('DELETE_CONDITION_DIFFERS', ofTile, `the bytes of ${alone}`, `${condition.length} other bytes`)
}

/** Checks the file of a condition that consolidated commits hold, too. TileDB reads only the copy there. */
async function* checkListedFile(
  facts: CommitFacts,
  bytes: Uint8Array,
  place: { file: string; offset: number },
  kind: 'delete' | 'update',
): Items {
  const { items } = await collectItems(checkCondition(facts, bytes, place, kind))
  const error = items.find((item): item is Finding => 'severity' in item && item.severity === 'error')
  if (error) yield finding('DELETE_CONDITION_UNREADABLE', place, error.expected, error.found, 'listed')
  else yield* items
}

/** Whether a condition can be read. */
async function* checkCondition(
  { array, schema }: CommitFacts,
  bytes: Uint8Array,
  place: { file: string; offset: number },
  kind: 'delete' | 'update',
): Items<boolean> {
  const code = 'DELETE_CONDITION_UNREADABLE'
  const node =
    kind === 'delete'
      ? (yield* checkedTile(bytes, deleteCondition, array.cx, place, code))?.value
      : (yield* checkedTile(bytes, updateCondition, array.cx, place, code))?.value.condition
  if (!node || !schema) return node !== undefined
  const inside = { file: place.file, space: `unfiltered content of the generic tile at ${place.offset}` }
  for (const { field, expected, found, isNullTest } of refusedParts(node, schema)) {
    const at = { ...inside, field }
    if (field === 'value')
      yield finding('DELETE_CONDITION_VALUE', at, expected, found, isNullTest ? 'nullTest' : undefined)
    else yield finding('DELETE_CONDITION_OPERANDS', at, expected, found)
  }
  const known = new Set([...schema.domain.dimensions, ...schema.attributes].map(({ name }) => name))
  for (const field of conditionFields(node)) {
    if (known.has(field)) continue
    const at = { ...inside, field: 'field' }
    yield finding('DELETE_CONDITION_FIELD', at, 'a field of the schema', JSON.stringify(field))
  }
  return true
}
