import { faultOf, InspectError } from '../base/errors.ts'
import { allInOrder, atOnce } from '../base/in-order.ts'
import { nameOf, normalPath } from '../base/paths.ts'
import { OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { type GroupMember, groupDetails } from '../format/group-details.ts'
import { countListedNames } from '../storage/lean-heap.ts'
import { type Entry, Folder, hasEntry } from '../storage/source.ts'
import { enterOnce } from '../storage/walk.ts'
import {
  isArrayFolder,
  METADATA_FOLDER,
  readMetadata,
  reportFault,
  SCHEMA_FOLDER,
  type WrittenMetadata,
} from './array.ts'
import type { ReadContext } from './read-context.ts'
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

/** Why a walk does not enter a folder: a pattern excludes it, it was entered before by another path, or it is too deep. */
export type LeftOutCause = 'excluded' | 'again' | 'deep'

/** What a walk leaves out. Paths count from the folder at which it begins. */
export interface WalkBounds {
  excludes(path: string): boolean
  /** Number of levels of folders that are entered. */
  depth: number
  leaveOut(path: string, cause: LeftOutCause): void
}

/** A TileDB group. */
export class InspectGroup {
  readonly folder: Folder
  readonly cx: ReadContext
  /** Whether members of a plain folder are also looked for in plain folders below it, at any depth. */
  isRecursive = false
  /** What is left out of the members of a plain folder, and of the members of a dataset. By default nothing. */
  bounds: WalkBounds | undefined
  /** What the folder of the metadata holds because of which TileDB may fail, once {@link metadata} was read. */
  readonly oddMetadata: Entry[] = []
  /** Real paths of folders that are not looked into. */
  private readonly passedOver = new Set<string>()
  private listed: Promise<readonly Entry[]> | undefined
  private read: Promise<Map<string, WrittenMetadata>> | undefined

  constructor(folder: Folder, cx: ReadContext) {
    this.folder = folder
    this.cx = cx
  }

  /**
   * Current members. A version 1 file has all members, so it replaces earlier files. A version 2 file has changes, which are
   * applied in the order of {@link timedFiles}. Files dated in the future do not count yet (measured with TileDB 2.30). The
   * members of a group without such files, from before TileDB 2.8, are the objects in its folder. They are read once.
   *
   * @see format_spec/group.md
   */
  async members(): Promise<Member[]> {
    const found: Member[] = []
    for await (const member of this.eachMember()) found.push(member)
    return found
  }

  /** The same group for reads whose faults another read tells: files of the list that cannot be read are passed over. */
  quietly(): InspectGroup {
    return new InspectGroup(this.folder, { ...this.cx, onFault: () => {} })
  }

  /** Files and folders of `__group`, the lists of members. They are listed once. */
  details(): Promise<readonly Entry[]> {
    this.listed ??= this.folder.folder(GROUP_DETAILS_FOLDER).listIfThere()
    return this.listed
  }

  /** {@link members}, one by one: those of a plain folder as they are found. */
  async *eachMember(): AsyncGenerator<Member> {
    const inside = this.folder.folder(GROUP_DETAILS_FOLDER)
    const entries = await this.details()
    if (entries.length === 0) {
      yield* this.implicitMembers()
      return
    }
    const now = new Map<string, Member>()
    for await (const { content: details } of timedFiles(inside, entries, this.cx, groupDetails)) {
      if (details.version === 1) now.clear()
      for (const member of details.members) {
        const key = member.name ?? member.uri
        now.delete(key)
        if (!member.deleted) now.set(key, { ...member, implicit: false })
      }
    }
    countListedNames(now.size)
    yield* now.values()
  }

  /**
   * Arrays and groups in the folder, as TileDB's walk (`tiledb_object_walk`) finds them. The walk enters arrays, but not
   * other folders. Objects in a group below belong to that group.
   */
  private async *implicitMembers(): AsyncGenerator<Member> {
    const { folder } = this
    yield* this.objectsBelow(folder, await folder.list(), '', new Set())
  }

  /**
   * Arrays and groups in the folder that the group does not list: what was removed from the group, or never added to it. One with the
   * name of a listed place is left out: after a copy or move it is what the group means. Groups without a list have all as members.
   */
  async unlisted(): Promise<UnlistedObject[]> {
    if ((await this.details()).length === 0) return []
    const listed = new Set<string>()
    for await (const member of this.quietly().eachMember()) listed.add(this.nameInside(member))
    const found: UnlistedObject[] = []
    for (const { name, kind } of await this.folder.list()) {
      if (kind !== 'folder' || OWN_FOLDERS.has(name) || listed.has(name)) continue
      const entries = await this.folder.folder(name).list().catch(faultOf)
      if (entries instanceof InspectError) reportFault(this.cx, entries)
      const type = entries instanceof InspectError ? undefined : objectType(entries)
      if (type !== undefined) found.push({ name, type })
    }
    return found
  }

  /**
   * Arrays and groups at any depth below the folder of a group with a list, which the list does not name. Other than {@link unlisted} it has
   * copies of listed members from elsewhere: no walk meets these.
   * @param bounds what is left out; paths count from this folder
   */
  async *unlistedBelow(bounds: WalkBounds | undefined): AsyncGenerator<Member> {
    if ((await this.details()).length === 0) return
    const { folder } = this
    const below = new InspectGroup(folder, this.cx)
    below.isRecursive = true
    below.bounds = bounds
    for await (const member of this.quietly().eachMember()) {
      const path = memberPath(folder.path, member)
      const place = path === undefined ? undefined : realPathOf(new Folder(folder.storage, path))
      if (place !== undefined) below.passedOver.add(place)
    }
    yield* below.implicitMembers()
  }

  /** The name in the folder by which a member is reached; for a member elsewhere, the name that a copy of it would have. */
  private nameInside(member: Member): string {
    const path = memberPath(this.folder.path, member)
    const [first] = path?.startsWith(`${this.folder.path}/`) ? path.slice(this.folder.path.length + 1).split('/') : []
    return first ?? nameOf(member.uri.replace(/\/+$/, ''))
  }

  /** @param above path of `folder`, from that of the group @param entered real paths of the folders so far */
  private async *objectsBelow(
    folder: Folder,
    entries: readonly Entry[],
    above: string,
    entered: Set<string>,
  ): AsyncGenerator<Member> {
    if (!enterOnce(folder, entered)) {
      this.bounds?.leaveOut(above, 'again')
      return
    }
    const folders = entries.filter(
      ({ name, kind }) => kind === 'folder' && !OWN_FOLDERS.has(name) && !isArrayFolder(name),
    )
    const level = above === '' ? 0 : above.split('/').length
    if (this.bounds && level >= this.bounds.depth) {
      if (folders.length > 0) this.bounds.leaveOut(above, 'deep')
      return
    }
    yield* allInOrder(folders, atOnce(folder), ({ name }) =>
      this.objectsAt(folder.folder(name), above === '' ? name : `${above}/${name}`, entered),
    )
  }

  /** The object at a folder, if it is one, and those below that belong to no group. */
  private async *objectsAt(folder: Folder, uri: string, entered: Set<string>): AsyncGenerator<Member> {
    const { bounds } = this
    if (this.passedOver.has(folder.realPath)) return
    if (bounds?.excludes(uri)) {
      bounds.leaveOut(uri, 'excluded')
      return
    }
    const entries = await folder.list().catch(faultOf)
    if (entries instanceof InspectError) {
      reportFault(this.cx, entries)
      return
    }
    const type = objectType(entries)
    if (type) yield { version: NO_VERSION, type, relative: true, uri, name: undefined, deleted: false, implicit: true }
    if (type === 'group' || (type === undefined && !this.isRecursive)) return
    yield* this.objectsBelow(folder, entries, uri, entered)
  }

  /**
   * A text that identifies the group, whatever path leads to it, because links may form a cycle. It has the names of the
   * group's details files, which have UUIDs. Without such files it is the path with links resolved.
   */
  async identity(): Promise<string> {
    const names = (await this.details()).map(({ name }) => name)
    return names.length > 0 ? names.join('/') : this.folder.realPath
  }

  /** Current key-value metadata. It is read once. */
  metadata(): Promise<Map<string, WrittenMetadata>> {
    this.read ??= readMetadata(this.folder, this.cx, (entry) => void this.oddMetadata.push(entry))
    return this.read
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
  if (!local.startsWith('/')) return undefined
  return leadsUp ? normalPath(local) : local
}

/** The real path of a folder; undefined if it is not there. */
function realPathOf(folder: Folder): string | undefined {
  try {
    return folder.realPath
  } catch (error) {
    faultOf(error)
    return undefined
  }
}
