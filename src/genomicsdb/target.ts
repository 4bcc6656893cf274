import { unlessFault } from '../base/errors.ts'
import { nameOf } from '../base/paths.ts'
import { GENOMICSDB_SCHEMA_FILE } from '../format/genomicsdb/array-schema.ts'
import { isVersionWord } from '../format/genomicsdb/codings.ts'
import {
  BOOK_KEEPING_FILE,
  CALLSET_FILE,
  FRAGMENT_LIST_FILE,
  FRAGMENT_MARK,
  GENOMICSDB_META_FOLDER,
  HEADER_FILE,
  VIDMAP_FILE,
  WORKSPACE_MARK,
} from '../format/genomicsdb/names.ts'
import { u32 } from '../format/u32.ts'
import { type Entry, Folder, hasEntry, type Storage, withSource } from '../storage/source.ts'
import { isGenomicsdbFragmentName } from './array.ts'

/** Files that only GenomicsDB has in a workspace. Workspaces of TileDB before 1.0 have none of them. */
const WORKSPACE_FILES = [CALLSET_FILE, VIDMAP_FILE, HEADER_FILE, FRAGMENT_LIST_FILE]
/** A folder with one of these and an array is a workspace, even if its mark is lost. */
const MAP_FILES = [CALLSET_FILE, VIDMAP_FILE]

/** What of GenomicsDB is at a path. */
export type GenomicsdbTarget =
  | { kind: 'workspace'; path: string; folder: Folder }
  | { kind: 'array'; path: string; array: Folder }
  | { kind: 'fragment'; path: string; array: Folder; fragment: Folder }
  | {
      kind: 'file'
      path: string
      name: string
      folder: Folder
      array: Folder | undefined
      fragment: Folder | undefined
    }

export type GenomicsdbKind = GenomicsdbTarget['kind']

/** Finds out what of GenomicsDB is at a path. Undefined for anything else. */
export async function openGenomicsdbTarget(storage: Storage, path: string): Promise<GenomicsdbTarget | undefined> {
  const kind = await storage.kind(path)
  if (kind === 'folder') return folderTarget(new Folder(storage, path))
  if (kind !== 'file') return undefined
  const folder = new Folder(storage, path).parent()
  const around = folder && (await folderTarget(folder))
  if (!around) return undefined
  const array = around.kind === 'workspace' ? undefined : around.array
  const fragment = around.kind === 'fragment' ? around.fragment : undefined
  return { kind: 'file', path, name: nameOf(path), folder, array, fragment }
}

async function folderTarget(folder: Folder): Promise<Exclude<GenomicsdbTarget, { kind: 'file' }> | undefined> {
  const { path } = folder
  const entries = await folder.list()
  if (hasEntry(entries, WORKSPACE_MARK, 'file')) {
    const isOurs = entries.some(({ name }) => WORKSPACE_FILES.includes(name)) || (await hasArray(folder, entries))
    return isOurs ? { kind: 'workspace', path, folder } : undefined
  }
  if (entries.some(({ name }) => MAP_FILES.includes(name)) && (await hasArray(folder, entries)))
    return { kind: 'workspace', path, folder }
  if (await isGenomicsdbArray(folder, entries)) return { kind: 'array', path, array: folder }
  const isFragment =
    isGenomicsdbFragmentName(folder.name) ||
    hasEntry(entries, FRAGMENT_MARK, 'file') ||
    hasEntry(entries, BOOK_KEEPING_FILE, 'file')
  const array = isFragment ? folder.parent() : undefined
  if (!array || !(await isGenomicsdbArray(array, await array.list()))) return undefined
  return { kind: 'fragment', path, array, fragment: folder }
}

/** Up to this many folders of a workspace are looked at. */
const MAX_LOOKED_AT = 8

async function hasArray(workspace: Folder, entries: readonly Entry[]): Promise<boolean> {
  for (const { name } of entries.filter(({ kind }) => kind === 'folder').slice(0, MAX_LOOKED_AT)) {
    const folder = workspace.folder(name)
    if (await isGenomicsdbArray(folder, await folder.list())) return true
  }
  return false
}

/** Whether a folder is an array of GenomicsDB: by its folder of metadata, or by the version word of its schema. */
export async function isGenomicsdbArray(folder: Folder, entries: readonly Entry[]): Promise<boolean> {
  if (hasEntry(entries, GENOMICSDB_META_FOLDER, 'folder')) return true
  if (!hasEntry(entries, GENOMICSDB_SCHEMA_FILE, 'file')) return false
  const head = await withSource(folder.file(GENOMICSDB_SCHEMA_FILE), (source) => source.read(0, 4)).catch(unlessFault)
  return head !== undefined && isVersionWord(u32(head, 0))
}
