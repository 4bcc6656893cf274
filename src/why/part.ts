import { firstOf, unlessDamaged, unlessFault } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import type { Prose } from '../base/prose.ts'
import { arrayMetadata } from '../format/array-metadata.ts'
import type { FileRole } from '../format/field-files.ts'
import { FRAGMENT_METADATA_FILE, OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { MEASURED_RELEASE } from '../format/releases.ts'
import { nameFacts, timeText } from '../format/timestamped-name.ts'
import {
  type FragmentEntry,
  type InspectArray,
  LABELS_FOLDER,
  METADATA_FOLDER,
  SCHEMA_FOLDER,
  schemaFileOpened,
} from '../objects/array.ts'
import { cellsInDomain } from '../objects/cell-counts.ts'
import {
  COMMITS_FOLDER,
  type CommitFile,
  commitKind,
  committedPath,
  FRAGMENT_META_FOLDER,
  FRAGMENTS_FOLDER,
  linePath,
  stem,
} from '../objects/commits.ts'
import { renamedFragment } from '../objects/cut-commit-lists.ts'
import { copiedFragment } from '../objects/fragment-copies.ts'
import { readTileFile } from '../objects/generic-tile.ts'
import { misnamedFiles } from '../objects/misnamed-files.ts'
import { isRead, mayReplace, vacuumPath } from '../objects/visibility.ts'
import { hasEntry } from '../storage/source.ts'
import type { Need } from './answer.ts'

/** What a file or folder of an array is, from its name and content. */
export interface ArrayPart {
  /** In words. */
  what: Prose
  /** Paths of the fragments that it belongs or refers to. */
  fragments: readonly string[]
  /** The field whose cells the file holds. */
  file?: Slot | undefined
  /** What needs it directly, below the array itself. */
  needs: readonly Omit<Need, 'needed_by'>[]
  /** Why it cannot be read, if so: then nobody can tell what is lost with it. */
  unreadable?: string | undefined
  /** What fails without it, if only writers need it. */
  writers?: string | undefined
  /** Whether it commits a fragment that is gone. TileDB then does not open the array. */
  isDangling?: boolean | undefined
  /** Whether it is a vacuum list, without which more fragments are read. */
  isList?: boolean | undefined
  /** Paths of fragments without a commit that it proves to have had one. */
  proves?: readonly string[]
  /** Whether all that it does is to save requests when the array is opened. */
  savesRequests?: boolean | undefined
  /** What to look out for before it is deleted. */
  caution?: string | undefined
  /** The call of TileDB that removes it together with what it holds. */
  how?: string | undefined
  /** Whether it is no part of the array: TileDB skips it, whether it opens the array or not. */
  isForeign?: boolean | undefined
}

const UNKNOWN = 'no part of the array: TileDB does not read it'
const UNREADABLE = 'it cannot be read, so nobody can tell what it holds'
const NO_WRITER = 'first make sure that no writer is still writing it'

/** Tells what a file or folder of an array is. @param path path in the array; not empty */
export async function partAt(array: InspectArray, path: string, kind: 'file' | 'folder' | 'other'): Promise<ArrayPart> {
  const entries = await array.fragments()
  const fragment = entries.find((entry) => path === entry.path || path.startsWith(`${entry.path}/`))
  if (fragment) return fragmentPart(array, entries, fragment, path)
  const [folder, ...rest] = path.split('/')
  const inside = folder === FRAGMENTS_FOLDER && rest[0] ? array.folder.folder(FRAGMENTS_FOLDER) : undefined
  const copied = inside && (await copiedFragment(inside, rest[0]))
  if (copied !== undefined)
    return part(`a copy of the fragment ${copied}, or a part of it: TileDB does not read it`, { isForeign: true })
  if (await isStrayFragment(array, path, kind))
    return part('a fragment, or a part of one, with a name or in a place in which TileDB does not read it', {
      unreadable: 'it may hold cells that nothing else holds: check --plan says whether it belongs elsewhere',
    })
  if (rest.length === 0 && kind === 'folder') return folderPart(array, folder)
  const commit = (await array.commits()).files.find((file) => file.path === path)
  if (commit) return { ...(await commitPart(array, commit)), ...(commit.fault && { unreadable: UNREADABLE }) }
  if (path === OLD_SCHEMA_FILE || folder === SCHEMA_FOLDER) return schemaPart(array, path)
  if (folder === METADATA_FOLDER && rest.length === 1 && kind === 'file') return metadataPart(array, path)
  if (path === '__lock.tdb')
    return part('the lock of old releases, which later ones do not use', {
      caution: 'TileDB 2.1 and later open the array without it',
    })
  // TileDB fails to open an array with such an empty file, and with unknown names among consolidated metadata.
  const isForeign = folder !== FRAGMENT_META_FOLDER && !FOLDERS.has(path)
  return part(UNKNOWN, { isForeign })
}

/** Whether a path that no fragment of the array has lies in a folder with the metadata of a fragment. */
async function isStrayFragment(array: InspectArray, path: string, kind: 'file' | 'folder' | 'other'): Promise<boolean> {
  const [folder, name] = path.split('/')
  const own = folder === FRAGMENTS_FOLDER ? `${folder}/${name}` : folder
  if (FOLDERS.has(own) || (kind !== 'folder' && path === own)) return false
  return hasEntry(await array.folder.folder(own).listIfThere(), FRAGMENT_METADATA_FILE, 'file')
}

function part(what: string, more: Partial<ArrayPart> = {}): ArrayPart {
  return { what, fragments: [], needs: [], ...more }
}

export const FOLDERS: ReadonlyMap<string, string> = new Map([
  [SCHEMA_FOLDER, 'the folder of the array schemas'],
  [FRAGMENTS_FOLDER, 'the folder of all fragments'],
  [COMMITS_FOLDER, 'the folder of all commits'],
  [FRAGMENT_META_FOLDER, 'the folder of consolidated fragment metadata'],
  [METADATA_FOLDER, 'the folder of the key-value metadata'],
  [LABELS_FOLDER, 'the folder of the arrays of dimension labels'],
])

async function folderPart(array: InspectArray, name: string): Promise<ArrayPart> {
  const what = FOLDERS.get(name)
  if (what === undefined) return part(UNKNOWN, { isForeign: true })
  const fragments =
    name === COMMITS_FOLDER || name === FRAGMENTS_FOLDER ? (await array.fragments()).map(({ path }) => path) : []
  const unreadable = (await holdsUnreadable(array, name))
    ? 'a file in it cannot be read, so nobody can tell what it holds'
    : undefined
  return part(what, { fragments, unreadable })
}

/** Whether something in a folder cannot be read: then nobody can tell what is lost with the folder. */
async function holdsUnreadable(array: InspectArray, name: string): Promise<boolean> {
  if (name === COMMITS_FOLDER) return (await array.commits()).files.some(({ fault }) => fault !== undefined)
  if (name !== METADATA_FOLDER) return false
  for (const { name: file, kind } of await array.folder.folder(name).listIfThere())
    if (kind === 'file' && (await metadataText(array, `${name}/${file}`)) === undefined) return true
  return false
}

async function fragmentPart(
  array: InspectArray,
  entries: readonly FragmentEntry[],
  { path: inside, name, state, committed }: FragmentEntry,
  path: string,
): Promise<ArrayPart> {
  const [info, files] = await array.withFragment(inside, async (fragment) => {
    const read = await fragment.info().catch(unlessFault)
    return [read, read ? await fragment.fieldFiles() : []] as const
  })
  const cells = info ? `${cellsInDomain(info)} cells` : 'unknown cells'
  const range = nameFacts(name)?.timestamp_range ?? [0n, 0n]
  const written =
    range[0] === range[1] ? timeText(range[0], false) : `${timeText(range[0], false)} to ${timeText(range[1], false)}`
  const about = `a fragment of ${cells}, written at ${written} (${state})`
  const nobodySees = 'and that nobody needs its cells, which decode shows'
  const uncommitted = info ? `${NO_WRITER}, ${nobodySees}` : NO_WRITER
  const caution = committed ? undefined : uncommitted
  const unreadable =
    info === undefined && committed
      ? 'the metadata of its fragment cannot be read, so nobody can tell what it holds'
      : undefined
  const shared = { fragments: [inside], caution, unreadable }
  const ofFragment: Omit<Need, 'needed_by'> = { path: inside, what: about }
  if (path === inside) {
    const isAlone = entries.every((one) => one.path === inside || !isBetween(one.timestamp_range, range))
    const how = committed && state !== 'hidden' && isAlone ? `delete_fragments ${range[0]} ${range[1]}` : undefined
    const commits = (await array.commits()).files.filter((file) => commitNames(file, inside))
    return part(about, { ...shared, how, needs: commits.map((file) => ({ path: file.path, what: 'its commit' })) })
  }
  const rest = path.slice(inside.length + 1)
  if (rest === FRAGMENT_METADATA_FILE)
    return part('the metadata of a fragment: where its tiles are and what they hold', {
      ...shared,
      needs: [ofFragment],
    })
  const file = files.find((one) => one.name === rest)
  if (!info) return part('a file of a fragment whose metadata cannot be read', shared)
  if (!file) {
    const own = await array.withFragment(inside, async (fragment) => (await misnamedFiles(fragment, files)).get(rest))
    if (!own) return part(UNKNOWN, { ...shared, isForeign: true })
    return part(`by its size the missing file ${own.name} of the fragment, under another name`, {
      ...shared,
      needs: [ofFragment],
      unreadable: 'reads need it under its own name: check --plan gives it back',
    })
  }
  const slot = info.slots[file.slot]
  const isOwn = slot.kind !== 'attribute' && slot.kind !== 'dimension' && slot.kind !== 'coords'
  const writers = isOwn && committed && state !== 'to-vacuum' ? 'consolidation reads it' : undefined
  return part(`${ROLES[file.role] ?? file.role} of ${fieldText(slot)}`, {
    ...shared,
    needs: [ofFragment],
    file: slot,
    writers,
  })
}

function isBetween(times: FragmentEntry['timestamp_range'], [first, last]: readonly [bigint, bigint]): boolean {
  return times !== undefined && times[0] >= first && times[1] <= last
}

const ROLES: Partial<Record<FileRole, string>> = {
  data: 'the values',
  offsets: 'where each value begins,',
  var: 'the values',
  validity: 'which values are null,',
  coords: 'the coordinates',
  timestamps: 'the times',
  delete_timestamps: 'the times',
  delete_condition_index: 'the numbers',
}

function fieldText({ kind, name }: Slot): string {
  switch (kind) {
    case 'coords':
      return 'all cells'
    case 'attribute':
      return `the attribute ${JSON.stringify(name)}`
    case 'dimension':
      return `the dimension ${JSON.stringify(name)}`
    case 'timestamps':
      return 'all cells: when each was written'
    case 'delete_timestamps':
      return 'all cells: when each was deleted'
    case 'delete_condition_index':
      return 'all cells: which condition deleted each'
  }
}

/** Whether a commit file names a fragment. */
export function commitNames(file: CommitFile, fragment: string): boolean {
  if (file.kind === 'write') return committedPath(file.path) === fragment
  return file.kind === 'consolidated-commits' && file.entries.some(({ text }) => linePath(text) === fragment)
}

async function commitPart(array: InspectArray, file: CommitFile): Promise<ArrayPart> {
  const { path, kind, entries } = file
  const name = lastPathPart(path)
  const { files } = await array.commits()
  const others = files.filter((one) => one.path !== path)
  switch (kind) {
    case 'write':
      return writtenPart(array, path, others)
    case 'vacuum': {
      const hides = entries.flatMap(({ text }) => vacuumPath(text) ?? [])
      const timestamp_range = nameFacts(name)?.timestamp_range
      const list = { file: path, name: stem(name), timestamp_range, hides }
      const replaced = hides.filter((one) => mayReplace(list, one))
      return part(`the list of ${replaced.length} fragments that ${list.name} replaced: it hides them`, {
        fragments: hides,
        isList: true,
      })
    }
    case 'consolidated-commits': {
      const named = entries.filter(({ name, tile }) => tile !== undefined || commitKind(name) === 'write')
      if (named.length === 0) return part('lines in one file that name no commit: TileDB skips them')
      const fragments = named.flatMap(({ text }) => linePath(text) ?? [])
      const caution = 'the commit files that it repeats say the same: keep these'
      return part(`${named.length} commits in one file`, { fragments, caution })
    }
    case 'ignore':
      return part(`the list of ${entries.length} commits in consolidated files that do not count any more`, {
        fragments: entries.flatMap(({ text }) => linePath(text) ?? []),
      })
    case 'fragment-metadata':
      return part('footers of fragments in one file, which saves requests', {
        savesRequests: true,
        proves: await provedBy(array, path),
      })
    case 'delete':
    case 'update':
      return conditionPart(array, kind, name, others)
  }
}

/** The complete fragments without a commit of which a consolidated fragment metadata file has the footer. */
async function provedBy(array: InspectArray, path: string): Promise<string[]> {
  const read = await array.consolidatedFragmentMetadata(path).catch(unlessFault)
  const names = new Set(read?.entries.map((entry) => lastPathPart(entry.fragment_name)))
  const entries = await array.fragments()
  return entries.flatMap((one) => (one.state === 'uncommitted' && names.has(one.name) ? [one.path] : []))
}

/** The commit of a write. @param others the other commit files */
async function writtenPart(array: InspectArray, path: string, others: readonly CommitFile[]): Promise<ArrayPart> {
  const fragment = committedPath(path)
  const fragments = await array.fragments()
  const there = fragments.some((one) => one.path === fragment)
  const astray = fragments.find((one) => !there && one.name === lastPathPart(fragment))
  if (astray)
    return part(`a commit of the fragment ${astray.name}, in a folder where TileDB does not look for it`, {
      fragments: [astray.path],
      caution: astray.committed ? 'the fragment has another commit' : undefined,
      unreadable: astray.committed
        ? undefined
        : 'nothing else says that the fragment was committed: check --plan moves it to its place',
    })
  const renamed = there ? undefined : renamedFragment(lastPathPart(fragment), fragments)
  if (renamed)
    return part(`the commit of the fragment ${lastPathPart(fragment)}, whose folder was renamed to ${renamed.name}`, {
      fragments: [renamed.path],
      isDangling: true,
      unreadable: 'it tells the name that the folder had: check --plan gives it back',
    })
  const what = there
    ? `the commit of the fragment ${lastPathPart(fragment)}`
    : 'the commit of a fragment that is not there'
  const again = others.find((one) => one.kind === 'consolidated-commits' && commitNames(one, fragment))
  const gone = there ? undefined : 'the cells of the fragment are lost already'
  const caution = again ? `${again.path} says the same: keep that one` : gone
  return part(what, {
    fragments: [fragment],
    isDangling: !there,
    needs: there ? [{ path: fragment, what: 'the fragment that it makes readable' }] : [],
    caution,
  })
}

/** A condition that deletes or updates cells. @param others the other commit files */
async function conditionPart(
  array: InspectArray,
  kind: 'delete' | 'update',
  name: string,
  others: readonly CommitFile[],
): Promise<ArrayPart> {
  const again = others.find((one) => one.entries.some(({ text }) => lastPathPart(text) === name))
  const time = timeText(nameFacts(name)?.timestamp_range[0] ?? 0n, false)
  const what = `a ${kind} condition of ${time}`
  if (again) {
    const writers = `${again.path} has it, too, but TileDB ${MEASURED_RELEASE} asks for this file when it consolidates commits`
    return part(what, { writers })
  }
  if (kind === 'update') return part(what)
  const writers = (await mayBeMarked(array))
    ? 'consolidation may crash without it: a fragment names the condition that deleted each of its deleted cells'
    : `without it, cells that are written later with a time before ${time} would not be deleted`
  return part(what, { writers })
}

/** Whether a fragment that is read stores which condition deleted each cell: TileDB 2.30 looks these conditions up when it consolidates. */
async function mayBeMarked(array: InspectArray): Promise<boolean> {
  for (const { path, state } of await array.fragments()) {
    if (!isRead(state)) continue
    const info = await array.withFragment(path, (fragment) => fragment.info().catch(unlessDamaged))
    if (info?.slots.some(({ kind }) => kind === 'delete_condition_index')) return true
  }
  return false
}

async function schemaPart(array: InspectArray, path: string): Promise<ArrayPart> {
  const files = await array.schemaFiles()
  const file = files.find((one) => one.path === path)
  if (file) {
    const isOpened = schemaFileOpened(files, array.cx.now) === file
    const time = file.timestamp_range ? ` of ${timeText(file.timestamp_range[0], false)}` : ''
    const what = `the array schema${time}${isOpened ? ', with which TileDB opens the array now' : ''}`
    const needs: Omit<Need, 'needed_by'>[] = []
    for (const entry of await array.fragments()) {
      if (!entry.committed) continue
      const info = await array.withFragment(entry.path, (fragment) => fragment.info().catch(unlessDamaged))
      if (info?.schemaName === file.name) needs.push({ path: entry.path, what: 'a fragment that was written with it' })
    }
    return part(what, { needs })
  }
  const enumerations = `${SCHEMA_FOLDER}/__enumerations`
  if (path === enumerations) return part('the folder of the values of enumerations')
  if (!path.startsWith(`${enumerations}/`))
    return part('a file of which TileDB reads the name or the content, though it is no schema')
  const needs: Omit<Need, 'needed_by'>[] = []
  const labels = new Set<string>()
  for (const { name, path: schemaPath } of files) {
    const schema = await array.schema(name).catch(unlessDamaged)
    for (const one of schema?.enumerations ?? []) {
      if (lastPathPart(one.path_name) !== lastPathPart(path)) continue
      labels.add(one.name)
      needs.push({ path: schemaPath, what: `a schema with the enumeration ${JSON.stringify(one.name)}` })
    }
  }
  const what =
    labels.size === 0
      ? 'an enumeration that no schema names'
      : `the values of the enumeration ${[...labels].map((one) => JSON.stringify(one)).join(', ')}`
  const writers = labels.size === 0 ? undefined : 'a schema names it: loading all schemas fails without it'
  return part(what, { needs, writers })
}

async function metadataPart(array: InspectArray, path: string): Promise<ArrayPart> {
  const text = await metadataText(array, path)
  return text === undefined
    ? part('a file of key-value metadata that cannot be read', { unreadable: UNREADABLE })
    : part(text)
}

/** Tells what a file of `__meta` is, in an array or a group. Undefined if it cannot be read. */
export async function metadataText(
  { folder, cx }: Pick<InspectArray, 'folder' | 'cx'>,
  path: string,
): Promise<string | undefined> {
  if (path.endsWith('.vac')) return 'the list of metadata files that a consolidated one replaced: it hides them'
  const read = await readTileFile(folder.file(path), arrayMetadata, cx).catch(unlessFault)
  const changes = read?.entries.map(({ key, deleted }) => `${deleted ? 'deletes' : 'sets'} ${JSON.stringify(key)}`)
  return changes && `key-value metadata: ${firstOf(changes) || 'no keys'}`
}
