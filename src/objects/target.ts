import { InspectError, unlessFault } from '../base/errors.ts'
import { FRAGMENT_METADATA_FILE, OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { parseFragmentName } from '../format/timestamped-name.ts'
import { type Entry, Folder, notFound, type Storage } from '../storage/source.ts'
import { InspectArray, METADATA_FOLDER, SCHEMA_FOLDER } from './array.ts'
import { COMMITS_FOLDER, FRAGMENTS_FOLDER } from './commits.ts'
import { foreignError, foreignFile, foreignFolder } from './foreign.ts'
import { Fragment } from './fragment.ts'
import { GROUP_DETAILS_FOLDER, GROUP_FILE, InspectGroup, objectType } from './group.ts'
import type { ReadContext } from './read-context.ts'

/** What is at a path. */
export type Target = ArrayTarget | FragmentTarget | GroupTarget | FileTarget

/** The object that a target opens: an array, a group or a fragment; undefined for a file that belongs to no fragment. */
export function openedOf(target: Target): InspectArray | InspectGroup | Fragment | undefined {
  if (target.type === 'array') return target.array
  return target.type === 'group' ? target.group : target.fragment
}

export interface ArrayTarget {
  type: 'array'
  path: string
  array: InspectArray
}

export interface FragmentTarget {
  type: 'fragment'
  path: string
  fragment: Fragment
  array: InspectArray | undefined
}

export interface GroupTarget {
  type: 'group'
  path: string
  group: InspectGroup
  /** Whether it is a plain folder: no group, but with arrays or groups in it, which are its members. */
  isPlain?: true
}

/** A file, with the array and the fragment that it belongs to, if any. */
export interface FileTarget {
  type: 'file'
  path: string
  name: string
  folder: Folder
  array: InspectArray | undefined
  fragment: Fragment | undefined
}

export type FragmentFile = FileTarget & { fragment: Fragment }

/** The kinds of targets that commands tell apart. Files are of different kinds by their names and places. */
export interface TargetsByKind {
  array: ArrayTarget
  group: GroupTarget
  /** A plain folder with arrays or groups in it. */
  folder: GroupTarget
  fragment: FragmentTarget & { array: InspectArray }
  /** A fragment that lies in no array. */
  'lone fragment': FragmentTarget
  'fragment metadata': FragmentFile
  /** Any other file of a fragment. */
  'data file': FragmentFile
  'schema file': FileTarget
  /** A file of the footers of several fragments. */
  'consolidated fragment metadata': FileTarget
  /** A file that lies in no array: it may be a copy of any file. */
  'lone file': FileTarget
  'other file': FileTarget
}

export type TargetKind = keyof TargetsByKind

export function kindOf(target: Target): TargetKind {
  switch (target.type) {
    case 'array':
      return target.type
    case 'group':
      return target.isPlain ? 'folder' : 'group'
    case 'fragment':
      return target.array ? 'fragment' : 'lone fragment'
    case 'file':
      return fileKind(target)
  }
}

function fileKind({ name, folder, array, fragment }: FileTarget): TargetKind {
  if (fragment) return name === FRAGMENT_METADATA_FILE ? 'fragment metadata' : 'data file'
  if (name === OLD_SCHEMA_FILE || folder.name === SCHEMA_FOLDER) return 'schema file'
  if (name.endsWith('.meta')) return 'consolidated fragment metadata'
  return array ? 'other file' : 'lone file'
}

/**
 * Finds out what is at a path.
 * @throws InspectError NOT_FOUND; NOT_TILEDB if a folder is not an array, group or fragment, and has none of them
 */
export async function openTarget(storage: Storage, path: string, cx: ReadContext): Promise<Target> {
  const clean = path.length > 1 ? path.replace(/\/+$/, '') : path
  if (storage.mayNotList?.(clean)) {
    const named = targetByName(new Folder(storage, clean), cx)
    if (named) return named
  }
  const kind = await storage.kind(clean)
  if (kind === undefined) throw notFound(clean)
  const folder = new Folder(storage, clean)
  if (kind !== 'folder') return fileTarget(folder, cx)
  const entries = await folder.list()
  const names = new Set(entries.map((entry) => entry.name))
  if (!names.has(SCHEMA_FOLDER) && !names.has(GROUP_DETAILS_FOLDER)) {
    const foreign = await foreignFolder(folder, entries)
    if (foreign !== undefined) throw foreignError(foreign, clean)
  }
  if (names.has(FRAGMENT_METADATA_FILE) && !parseFragmentName(folder.name)) {
    // This is a link to a fragment. Only the folder that it leads to has the fragment's name and lies in the array.
    const real = new Folder(storage, folder.realPath)
    if (parseFragmentName(real.name)) return fragmentTarget(real, cx)
  }
  // A folder with both is a fragment, even if it also has files of an array or group.
  if (names.has(FRAGMENT_METADATA_FILE) && parseFragmentName(folder.name)) return fragmentTarget(folder, cx)
  if (names.has(SCHEMA_FOLDER) || names.has(OLD_SCHEMA_FILE))
    return { type: 'array', path: clean, array: new InspectArray(folder, cx) }
  if (names.has(GROUP_FILE) || names.has(GROUP_DETAILS_FOLDER)) {
    return { type: 'group', path: clean, group: new InspectGroup(folder, cx) }
  }
  if (names.has(FRAGMENT_METADATA_FILE) || parseFragmentName(folder.name)) return fragmentTarget(folder, cx)
  if (ONLY_OF_ARRAYS.some((name) => names.has(name)))
    return { type: 'array', path: clean, array: new InspectArray(folder, cx) }
  const around = await arrayAround(folder, cx, { itself: true })
  const level = around ? undefined : await levelOfObjects(folder, entries)
  if (level !== undefined) {
    const group = new InspectGroup(folder, cx)
    group.isRecursive = level > 1
    return { type: 'group', path: clean, group, isPlain: true }
  }
  const whereItLies = around ? `; it lies in the array ${around.folder.name}` : ''
  const fault = {
    expected: 'a TileDB array, group or fragment',
    found: `a folder without the files of any of them${whereItLies}`,
  }
  throw new InspectError('NOT_TILEDB', fault, { file: clean })
}

/**
 * How many levels below a folder the nearest arrays or groups are: 1 if they are in it. Undefined if none was found.
 * @param level the level of the entries
 */
async function levelOfObjects(folder: Folder, entries: readonly Entry[], level = 1): Promise<number | undefined> {
  const folders = entries.filter(({ name, kind }) => kind === 'folder' && !name.startsWith('.'))
  const next: (readonly [Folder, readonly Entry[]])[] = []
  for (const { name } of folders.slice(0, folder.isRemote ? MAX_LOOKED_AT_FAR : MAX_LOOKED_AT)) {
    const below = folder.folder(name)
    const found = await below.list().catch(unlessFault)
    if (found && objectType(found)) return level
    if (found) next.push([below, found])
  }
  if (level === LEVELS_LOOKED_AT) return undefined
  for (const [below, found] of next) {
    const further = await levelOfObjects(below, found, level + 1)
    if (further !== undefined) return further
  }
  return undefined
}

/** Most folders in a folder that are looked at for arrays. */
const MAX_LOOKED_AT = 200
/** The same over a network, where each costs a request. */
const MAX_LOOKED_AT_FAR = 8
const LEVELS_LOOKED_AT = 2

async function fragmentTarget(folder: Folder, cx: ReadContext): Promise<Target> {
  const array = await arrayAround(folder, cx)
  // Only releases before 1.6 used such names, so a release before 1.4 may have written the array.
  if (array && (parseFragmentName(folder.name)?.least_version ?? 0) <= 2) {
    const foreign = await foreignFolder(array.folder, await array.root())
    if (foreign !== undefined) throw foreignError(`a fragment of ${foreign}`, folder.path)
  }
  return fragmentIn(array, folder, cx)
}

function fragmentIn(array: InspectArray | undefined, folder: Folder, cx: ReadContext): Target {
  return { type: 'fragment', path: folder.path, fragment: new Fragment(folder, cx, array), array }
}

/** Opens a folder that is known to be a fragment, without checking. */
export async function openKnownFragment(storage: Storage, path: string, cx: ReadContext): Promise<Fragment> {
  const folder = new Folder(storage, path)
  const array = storage.mayNotList?.(path) ? arrayByName(folder, cx) : await arrayAround(folder, cx)
  return new Fragment(folder, cx, array)
}

/** Names that only arrays have. A folder with one of them and without a schema is an array that lost its schema. */
const ONLY_OF_ARRAYS = [FRAGMENTS_FOLDER, COMMITS_FOLDER, '__lock.tdb']

/** Closes the files that a target has opened. */
export async function closeTarget(target: Target): Promise<void> {
  if ('fragment' in target) await target.fragment?.close()
}

/** @param file the path of a file, as if it were a folder */
async function fileTarget(file: Folder, cx: ReadContext): Promise<Target> {
  const folder = file.parent() ?? new Folder(file.storage, '.')
  const array = await arrayAround(folder, cx, { itself: true })
  const inFragment = (await folder.kind(FRAGMENT_METADATA_FILE)) === 'file'
  if (!inFragment && !folder.isRemote) {
    const around = await foreignFolder(folder, await folder.list())
    const foreign = foreignFile(file.name) ?? (around && `a file of ${around}`)
    if (foreign !== undefined) throw foreignError(foreign, file.path)
  }
  const fragment = inFragment ? new Fragment(folder, cx, array) : undefined
  return { type: 'file', path: file.path, name: file.name, folder, array, fragment }
}

/** Folders whose files are named like fragments. */
const NAMED_AS_FRAGMENTS: ReadonlySet<string> = new Set([SCHEMA_FOLDER, METADATA_FOLDER, GROUP_DETAILS_FOLDER])

/** A fragment, or a file in a fragment, by the names in its path alone. Undefined if the names do not tell. */
function targetByName(folder: Folder, cx: ReadContext): Target | undefined {
  const { path, name } = folder
  const around = folder.parent()
  if (around && NAMED_AS_FRAGMENTS.has(around.name)) return undefined
  if (parseFragmentName(name)) return fragmentIn(arrayByName(folder, cx), folder, cx)
  if (!around || !name.includes('.') || !parseFragmentName(around.name)) return undefined
  const array = arrayByName(around, cx)
  return { type: 'file', path, name, folder: around, array, fragment: new Fragment(around, cx, array) }
}

/** The array around a fragment, by names alone. */
function arrayByName(fragment: Folder, cx: ReadContext): InspectArray | undefined {
  const around = fragment.parent()
  const folder = around?.name === FRAGMENTS_FOLDER ? around.parent() : around
  return folder && new InspectArray(folder, cx)
}

/** The array that a folder lies in, up to three levels up. @param itself whether the folder may be the array */
export async function arrayAround(
  folder: Folder,
  cx: ReadContext,
  { itself = false }: { itself?: boolean } = {},
): Promise<InspectArray | undefined> {
  let at = itself ? folder : folder.parent()
  // A folder of this name is no array, and over a network it costs requests to ask.
  if (at?.isRemote && at.name === FRAGMENTS_FOLDER) at = at.parent()
  for (let up = 0; at && up < 3; up++) {
    if ((await at.kind(SCHEMA_FOLDER)) === 'folder' || (await at.kind(OLD_SCHEMA_FILE)) === 'file')
      return new InspectArray(at, cx)
    // An array that lost its schema.
    if ((await at.kind(COMMITS_FOLDER)) === 'folder') return new InspectArray(at, cx)
    at = at.parent()
  }
  return undefined
}

/** Whether a part of a path may be the beginning of a fragment's name. After `__`, only digits, `a` to `f` and `_` follow. */
export function beginsFragmentName(part: string): boolean {
  return /^__[0-9a-f][0-9a-f_]*$/.test(part) && !parseFragmentName(part)
}

/** Whether a part of a path may be a fragment's name, or its beginning. */
export function mayBeFragmentName(part: string): boolean {
  return beginsFragmentName(part) || parseFragmentName(part) !== undefined
}

/** What a target is, with its article: `an array`, `a group`, `a folder of arrays`. */
export function targetInWords(target: Target): string {
  return target.type === 'group' && target.isPlain ? 'a folder of arrays' : withArticle(target.type)
}

/** The type with its article: `an array`, `a group`. */
export function withArticle(type: Target['type']): string {
  return type === 'array' ? 'an array' : `a ${type}`
}
