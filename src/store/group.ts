import { InspectError } from '../base/errors.ts'
import type { MetadataEntry } from '../format/array-metadata.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { type GroupMember, groupDetails } from '../format/group-details.ts'
import type { ObjectType } from '../format/layout.ts'
import type { Entry, Folder } from '../source/source.ts'
import { isArrayFolder, readMetadata, SCHEMA_FOLDER } from './array.ts'
import type { ReadContext } from './generic-tile.ts'
import { timedFiles } from './timed-files.ts'

export const GROUP_DETAILS_FOLDER = '__group'
/** What marks a group since the first release. Empty. */
export const GROUP_FILE = '__tiledb_group.tdb'

/** Of a member that no file lists. */
const NO_VERSION = 0

/** A member of a group as it stands now. */
export interface Member extends GroupMember {
  /** Not listed by the group, which is older than TileDB 2.8 and lists none: it lies in the folder. */
  implicit: boolean
}

/** A TileDB group. */
export class InspectGroup {
  readonly folder: Folder
  readonly cx: ReadContext

  constructor(folder: Folder, cx: ReadContext) {
    this.folder = folder
    this.cx = cx
  }

  /**
   * Members as they stand now. Version 2 files are changes, applied in the order of their time stamps; a version 1 file
   * holds all members, so that the newest counts alone. Files dated in the future do not count yet (measured with TileDB 2.30).
   * See {@link timedFiles}. A group without any such file is one of a release before 2.8: its members are the objects in its folder.
   *
   * @see format_spec/group.md
   */
  async members(): Promise<Member[]> {
    const inside = this.folder.folder(GROUP_DETAILS_FOLDER)
    const entries = await inside.listIfThere()
    if (entries.length === 0) return this.implicitMembers()
    const now = new Map<string, Member>()
    for await (const details of timedFiles(inside, entries, this.cx, groupDetails)) {
      if (details.version === 1) now.clear()
      for (const member of details.members) {
        const key = member.name ?? member.uri
        now.delete(key)
        if (!member.deleted) now.set(key, { ...member, implicit: false })
      }
    }
    return [...now.values()]
  }

  /**
   * Arrays and groups in the folder as TileDB's walk (`tiledb_object_walk`) finds them: it looks into arrays and groups, and
   * into no other folder. What lies in a group below is that group's.
   */
  private async implicitMembers(): Promise<Member[]> {
    const found: Member[] = []
    const { storage } = this.folder
    const walked = new Set<string>()
    const walk = async (folder: Folder, above: string): Promise<void> => {
      const real = storage.realPath?.(folder.path) ?? folder.path
      if (walked.has(real)) return
      walked.add(real)
      for (const { name, kind } of await folder.list()) {
        if (kind !== 'folder' || OWN_FOLDERS.has(name) || isArrayFolder(name)) continue
        const type = await this.objectType(folder.folder(name))
        if (type === undefined) continue
        const uri = above + name
        found.push({ version: NO_VERSION, type, relative: true, uri, name: undefined, deleted: false, implicit: true })
        if (type === 'array') await walk(folder.folder(name), `${uri}/`)
      }
    }
    await walk(this.folder, '')
    return found
  }

  private async objectType(folder: Folder): Promise<ObjectType | undefined> {
    try {
      return objectType(await folder.list())
    } catch (error) {
      if (!(error instanceof InspectError) || !this.cx.onFault) throw error
      this.cx.onFault(error)
      return undefined
    }
  }

  /**
   * What tells the group apart whatever the path that leads to it (links may go round in circles): the names of its details
   * files, which hold uuids; the path of a group that has none, without links.
   */
  async identity(): Promise<string> {
    const { storage, path } = this.folder
    const names = (await this.folder.folder(GROUP_DETAILS_FOLDER).listIfThere()).map(({ name }) => name)
    return names.length > 0 ? names.join('/') : (storage.realPath?.(path) ?? path)
  }

  /** Key-value metadata as it stands now. */
  metadata(): Promise<Map<string, MetadataEntry>> {
    return readMetadata(this.folder, this.cx)
  }
}

/** Folders of a group that hold no member. */
const OWN_FOLDERS = new Set([GROUP_DETAILS_FOLDER, '__meta'])

/** What TileDB takes a folder for by what is in it; undefined for neither. */
export function objectType(entries: readonly Entry[]): 'array' | 'group' | undefined {
  const has = (name: string, kind: Entry['kind']): boolean => entries.some((e) => e.name === name && e.kind === kind)
  if (has(SCHEMA_FOLDER, 'folder') || has(OLD_SCHEMA_FILE, 'file')) return 'array'
  return has(GROUP_DETAILS_FOLDER, 'folder') || has(GROUP_FILE, 'file') ? 'group' : undefined
}

/**
 * Path of a member; undefined for one that is not followed: it leads outside by `..`, or from files to a network, or from
 * one service to another.
 */
export function memberPath(folder: string, { relative, uri }: { relative: boolean; uri: string }): string | undefined {
  const clean = uri.replace(/\/+$/, '')
  if (clean === '' || clean.split('/').includes('..')) return undefined
  if (relative) return `${folder}/${clean.replace(/^(?:\.?\/)+/, '')}`
  const scheme = /^[a-z0-9]+:\/\//.exec(folder)?.[0]
  if (scheme !== undefined) return clean.startsWith(scheme) ? clean : undefined
  const local = clean.replace(/^file:\/\//, '')
  return local.startsWith('/') ? local : undefined
}
