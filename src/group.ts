import { readMetadata, withSource } from './array.ts'
import type { MetadataEntry } from './format/array-metadata.ts'
import { type GroupMember, groupDetails } from './format/group-details.ts'
import { compareByTimestamps } from './format/timestamped-name.ts'
import { type ReadContext, readGenericTile } from './generic-tile.ts'
import { type Folder, readAll } from './source/source.ts'

export const GROUP_DETAILS_FOLDER = '__group'

/** Names of group details files: `__<t>_<t>_<uuid>`, with `_2` behind it in group version 2. */
const DETAILS_NAME = /^__(\d+)_(\d+)_[0-9a-zA-Z]{32}(?:_\d+)?$/

export function isGroupDetailsName(name: string): boolean {
  return DETAILS_NAME.test(name)
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
   * holds all members, so that the newest counts alone.
   *
   * @see format_spec/group.md
   */
  async members(): Promise<GroupMember[]> {
    const inside = this.folder.folder(GROUP_DETAILS_FOLDER)
    const files = (await inside.listIfThere())
      .map(({ name }) => ({ name, match: DETAILS_NAME.exec(name) }))
      .filter(({ match }) => match !== null)
      .map(({ name, match }) => {
        const stamps: [bigint, bigint] = [BigInt(match?.[1] ?? 0), BigInt(match?.[2] ?? 0)]
        return { name, timestamp_range: stamps }
      })
      .sort(compareByTimestamps)
    const now = new Map<string, GroupMember>()
    for (const { name } of files) {
      const details = await withSource(inside.file(name), async (source) =>
        readGenericTile(await readAll(source), groupDetails, this.cx, { file: source.name, offset: 0 }),
      )
      if (details.version === 1) now.clear()
      for (const member of details.members) {
        const key = member.name ?? member.uri
        now.delete(key)
        if (!member.deleted) now.set(key, member)
      }
    }
    return [...now.values()]
  }

  /**
   * What tells the group apart whatever the path that leads to it (links may go round in circles): the names of its details
   * files, which hold uuids; the path of a group that has none.
   */
  async identity(): Promise<string> {
    const names = (await this.folder.folder(GROUP_DETAILS_FOLDER).listIfThere()).map(({ name }) => name)
    return names.length > 0 ? names.join('/') : this.folder.path
  }

  /** Key-value metadata as it stands now. */
  metadata(): Promise<Map<string, MetadataEntry>> {
    return readMetadata(this.folder, this.cx)
  }
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
