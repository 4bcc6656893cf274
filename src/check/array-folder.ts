import type { ArraySchema } from '../format/array-schema.ts'
import { FOLDERS_SINCE } from '../format/commit-files.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { hasTimes, nameFacts, parseFragmentName, parseTimestampedName } from '../format/timestamped-name.ts'
import {
  ARRAY_FOLDERS,
  ENUMERATIONS_FOLDER,
  type FragmentEntry,
  type InspectArray,
  SCHEMA_FOLDER,
} from '../objects/array.ts'
import { type CommitKind, commitKindIn, FRAGMENTS_FOLDER } from '../objects/commits.ts'
import { copiedFragment } from '../objects/fragment-copies.ts'
import { type Entry, type Folder, withSource } from '../storage/source.ts'
import type { VariantOf } from './codes.ts'
import { type Finding, finding, type Items, NO_FILE } from './finding.ts'
import { checkEmpty } from './generic-tiles.ts'
import type { CheckRun } from './run.ts'
import { checkStray, TIMED_NAME } from './strays.ts'

const LOCK_FILE = '__lock.tdb'

/**
 * Checks the names in an array's folder against the rules of the format version.
 * @see format_spec/array_file_hierarchy.md
 */
export async function* checkArrayFolder(run: CheckRun, array: InspectArray, entries: readonly FragmentEntry[]): Items {
  yield* checkFolderNames(run, array, entries)
  const schemas = array.folder.folder(SCHEMA_FOLDER)
  for (const entry of await schemas.listIfThere()) {
    const { name, kind } = entry
    if (name === ENUMERATIONS_FOLDER) continue
    const parsed = kind === 'folder' ? undefined : parseTimestampedName(name)
    if (!parsed || parsed.suffix !== undefined || !hasTimes(name))
      yield* checkStray(run, schemas, entry, TIMED_NAME, array.cx)
    else if (kind === 'other')
      yield finding('SCHEMA_UNREADABLE', { file: `${schemas.path}/${name}` }, 'a regular file', NO_FILE.other)
  }
}

/** Checks the names in an array's folder and in that of its fragments. @param entries the folders of fragments */
export async function* checkFolderNames(
  run: CheckRun,
  array: InspectArray,
  entries: readonly Pick<FragmentEntry, 'path' | 'committed'>[],
): Items {
  const { folder } = array
  const seen = new Set(entries.filter(({ committed }) => committed).map(({ path }) => path))
  for (const entry of await array.root()) {
    const { name, kind } = entry
    const file = `${folder.path}/${name}`
    // TileDB reads the timestamps of every name in this folder, even if it is no fragment's.
    yield* checkTimes(file, name, true)
    const commit = commitKindIn('', name)
    if (name === LOCK_FILE && kind === 'file') {
      if (!run.quick) yield* checkEmpty(run, folder, name, 'LOCK_NOT_EMPTY')
    } else if (kind === 'folder' && commit && commit !== 'fragment-metadata')
      yield finding('COMMIT_NAME_INVALID', { file }, 'a file', 'a folder', folderVariant(name, commit))
    else if (kind === 'folder' && !ARRAY_FOLDERS.has(name))
      yield* checkFragmentFolder(file, name, false, seen.has(name))
    else if (await isMasking(folder, entry)) yield maskingFinding(file, name)
    else if (await isFolderMark(folder, entry)) continue
    else if (kind === 'file' && name !== OLD_SCHEMA_FILE && commit === undefined) {
      yield finding('ARRAY_UNKNOWN_ENTRY', { file }, 'a file of an array', 'another one')
    } else if (kind === 'other') yield finding('ARRAY_UNKNOWN_ENTRY', { file }, 'a file or folder', 'neither')
  }
  const fragments = folder.folder(FRAGMENTS_FOLDER)
  for (const entry of await fragments.listIfThere()) {
    const { name, kind } = entry
    const file = `${folder.path}/${FRAGMENTS_FOLDER}/${name}`
    if (kind === 'folder') {
      const isSeen = seen.has(`${FRAGMENTS_FOLDER}/${name}`)
      yield* checkTimes(file, name, isSeen)
      const copied = run.quick || parseFragmentName(name) ? undefined : await copiedFragment(fragments, name)
      yield* checkFragmentFolder(file, name, true, isSeen, copied)
    } else if (!(await isFolderMark(fragments, entry)))
      yield finding('ARRAY_UNKNOWN_ENTRY', { file }, 'a folder of a fragment', 'a file')
  }
}

/** How TileDB treats a folder with the name of a commit file. @param commit kind of the commit file */
export function folderVariant(
  name: string,
  commit: CommitKind | undefined,
  schema?: ArraySchema,
): VariantOf<'COMMIT_NAME_INVALID'> | undefined {
  if (commit === undefined) return undefined
  if (commit === 'write') return 'folder'
  const isCondition = commit === 'delete' || commit === 'update'
  if (!isCondition || !hasTimes(name)) return 'fatalFolder'
  // Reads of dense arrays ignore delete conditions.
  return schema?.array_type === 'dense' ? undefined : 'conditionFolder'
}

/** Whether an entry is an empty file with the name of an array's folder. TileDB then fails to list the folder around it. */
export async function isMasking(inside: Folder, { name, kind }: Entry): Promise<boolean> {
  if (kind !== 'file' || !ARRAY_FOLDERS.has(name)) return false
  return (await withSource(inside.file(name), (source) => source.size())) === 0
}

/**
 * Whether an entry is an empty file with which Hadoop's file systems mark the folder beside it. TileDB ignores such files except
 * in `__schema`, `__meta` and `__group`, where it reads every file (measured with 2.30).
 */
export async function isFolderMark(inside: Folder, { name, kind, size }: Entry): Promise<boolean> {
  if (kind !== 'file' || !name.endsWith('_$folder$')) return false
  return (size ?? (await withSource(inside.file(name), (source) => source.size()))) === 0
}

/** The finding about an entry for which {@link isMasking} is true. */
export function maskingFinding(file: string, name: string): Finding {
  return finding('ARRAY_UNKNOWN_ENTRY', { file }, `no file or a folder ${name}`, 'an empty file', 'masking')
}

/** Reports a name whose first timestamp is the later one. @param seen whether readers read the name */
export function* checkTimes(file: string, name: string, seen: boolean): Generator<Finding> {
  const [first, last] = nameFacts(name)?.timestamp_range ?? [0n, 0n]
  if (first <= last) return
  const variant = seen ? undefined : 'unseen'
  yield finding('FRAGMENT_TIMESTAMPS', { file }, `at least ${first}`, last, variant)
}

/**
 * Checks the name and the place of a fragment's folder.
 * @param seen as for {@link checkTimes}
 * @param copied {@link copiedFragment}
 */
function* checkFragmentFolder(
  file: string,
  name: string,
  inFragments: boolean,
  seen: boolean,
  copied?: string,
): Generator<Finding> {
  const parsed = parseFragmentName(name)
  if (!parsed) {
    if (copied !== undefined) yield finding('FRAGMENT_NAME_INVALID', { file }, 'no copy', `one of ${copied}`, 'copy')
    else if (inFragments || seen)
      yield finding('FRAGMENT_NAME_INVALID', { file }, '__<t1>_<t2>_<uuid>_<version>', JSON.stringify(name))
    else yield finding('ARRAY_UNKNOWN_ENTRY', { file }, 'a folder of an array', 'another one')
    return
  }
  if (inFragments !== parsed.least_version >= FOLDERS_SINCE) {
    const where = parsed.least_version >= FOLDERS_SINCE ? `in ${FRAGMENTS_FOLDER}` : "in the array's own folder"
    yield finding('FRAGMENT_WRONG_FOLDER', { file }, `a fragment of its version ${where}`, 'it elsewhere')
  }
}
