import { faultOf, InspectError } from '../base/errors.ts'
import { nameOf, normalPath } from '../base/paths.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { type GroupMember, groupDetails } from '../format/group-details.ts'
import { type Entry, type Folder, hasEntry } from '../storage/source.ts'
import { enterOnce } from '../storage/walk.ts'
import {
  isArrayFolder,
  METADATA_FOLDER,
  readMetadata,
  reportFault,
  SCHEMA_FOLDER,
  type WrittenMetadata,
} from './array.ts'
import type { ReadContext } from './generic-tile.ts'
import { timedFiles } from './timed-files.ts'

export const GROUP_DETAILS_FOLDER = '__group'
/** Empty file that marks a group since the first release. */
export const GROUP_FILE = '__tiledb_group.tdb'

/** The version in a member that no file lists. */
const NO_VERSION = 0

/** A current member of a group. */
export interface Member extends GroupMember {
  /** Whether no file lists the member. Members of groups before TileDB 2.8 are the objects in their folder. */
  implicit: boolean
}

/** An array or group in the folder of a group that does not list it. */
export interface UnlistedObject {
  name: string
  type: 'array' | 'group'
}

/** A TileDB group. */
export class InspectGroup {
  readonly folder: Folder
  readonly cx: ReadContext
  /** Whether members of a plain folder are also looked for in plain folders below it, at any depth. */
  isRecursive = false

  constructor(folder: Folder, cx: ReadContext) {
    this.folder = folder
    this.cx = cx
  }

  /**
   * Current members. A version 1 file has all members, so it replaces earlier files. A version 2 file has changes, which are
   * applied in the order of {@link timedFiles}. Files dated in the future do not count yet (measured with TileDB 2.30). The
   * members of a group without such files, from before TileDB 2.8, are the objects in its folder.
   *
   * @see format_spec/group.md
   */
  async members(): Promise<Member[]> {
    const inside = this.folder.folder(GROUP_DETAILS_FOLDER)
    const entries = await inside.listIfThere()
    if (entries.length === 0) return this.implicitMembers()
    const now = new Map<string, Member>()
    for await (const { content: details } of timedFiles(inside, entries, this.cx, groupDetails)) {
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
   * Arrays and groups in the folder, as TileDB's walk (`tiledb_object_walk`) finds them. The walk enters arrays, but not
   * other folders. Objects in a group below belong to that group.
   */
  private async implicitMembers(): Promise<Member[]> {
    const found: Member[] = []
    const entered = new Set<string>()
    const walk = async (folder: Folder, above: string): Promise<void> => {
      if (!enterOnce(folder, entered)) return
      for (const { name, kind } of await folder.list()) {
        if (kind !== 'folder' || OWN_FOLDERS.has(name) || isArrayFolder(name)) continue
        const type = await this.objectType(folder.folder(name))
        const uri = above + name
        if (type === undefined) {
          if (this.isRecursive) await walk(folder.folder(name), `${uri}/`)
          continue
        }
        found.push({ version: NO_VERSION, type, relative: true, uri, name: undefined, deleted: false, implicit: true })
        if (type === 'array') await walk(folder.folder(name), `${uri}/`)
      }
    }
    await walk(this.folder, '')
    return found
  }

  /**
   * Arrays and groups in the folder that the group does not list: what was removed from the group, or never added to it. One with the
   * name of a listed place is left out: after a copy or move it is what the group means. Groups without a list have all as members.
   */
  async unlisted(): Promise<UnlistedObject[]> {
    const members = await this.members()
    const details = await this.folder.folder(GROUP_DETAILS_FOLDER).listIfThere()
    if (details.length === 0) return []
    const listed = new Set(members.map((member) => this.nameInside(member)))
    const found: UnlistedObject[] = []
    for (const { name, kind } of await this.folder.list()) {
      if (kind !== 'folder' || OWN_FOLDERS.has(name) || listed.has(name)) continue
      const type = await this.objectType(this.folder.folder(name))
      if (type !== undefined) found.push({ name, type })
    }
    return found
  }

  /** The name in the folder by which a member is reached; for a member elsewhere, the name that a copy of it would have. */
  private nameInside(member: Member): string {
    const path = memberPath(this.folder.path, member)
    const [first] = path?.startsWith(`${this.folder.path}/`) ? path.slice(this.folder.path.length + 1).split('/') : []
    return first ?? nameOf(member.uri.replace(/\/+$/, ''))
  }

  private async objectType(folder: Folder): Promise<UnlistedObject['type'] | undefined> {
    const entries = await folder.list().catch(faultOf)
    if (!(entries instanceof InspectError)) return objectType(entries)
    reportFault(this.cx, entries)
    return undefined
  }

  /**
   * A text that identifies the group, whatever path leads to it, because links may form a cycle. It has the names of the
   * group's details files, which have UUIDs. Without such files it is the path with links resolved.
   */
  async identity(): Promise<string> {
    const names = (await this.folder.folder(GROUP_DETAILS_FOLDER).listIfThere()).map(({ name }) => name)
    return names.length > 0 ? names.join('/') : this.folder.realPath
  }

  /** Current key-value metadata. */
  metadata(): Promise<Map<string, WrittenMetadata>> {
    return readMetadata(this.folder, this.cx)
  }
}

/** Folders of a group that contain no members. */
const OWN_FOLDERS = new Set([GROUP_DETAILS_FOLDER, METADATA_FOLDER])

/** Whether TileDB takes a folder with these entries for an array or a group; undefined for neither. */
export function objectType(entries: readonly Entry[]): 'array' | 'group' | undefined {
  if (hasEntry(entries, SCHEMA_FOLDER, 'folder') || hasEntry(entries, OLD_SCHEMA_FILE, 'file')) return 'array'
  return hasEntry(entries, GROUP_DETAILS_FOLDER, 'folder') || hasEntry(entries, GROUP_FILE, 'file')
    ? 'group'
    : undefined
}

/**
 * Path of a member: where TileDB reads it from. Undefined if it is not followed: it leads by `..` out of a group that is not on a disk,
 * or to another kind of storage.
 */
export function memberPath(folder: string, { relative, uri }: { relative: boolean; uri: string }): string | undefined {
  const clean = uri.replace(/\/+$/, '')
  const scheme = /^[a-z0-9]+:\/\//.exec(folder)?.[0]
  const leadsUp = clean.split('/').includes('..')
  if (clean === '' || (leadsUp && scheme !== undefined)) return undefined
  if (relative) {
    const path = `${folder}/${clean.replace(/^(?:\.?\/)+/, '')}`
    return leadsUp ? normalPath(path) : path
  }
  if (scheme !== undefined) return clean.startsWith(scheme) ? clean : undefined
  const local = clean.replace(/^file:\/\//, '')
  return local.startsWith('/') ? (leadsUp ? normalPath(local) : local) : undefined
}
