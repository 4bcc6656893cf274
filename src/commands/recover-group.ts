import { randomBytes } from 'node:crypto'
import { isWithinFolder, normalPath } from '../base/paths.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { RelocateDocument, RelocatedMember } from '../documents/relocate.ts'
import type { GroupMember } from '../format/group-details.ts'
import type { ObjectType } from '../format/layout.ts'
import { NEWEST_STABLE } from '../format/releases.ts'
import { type FolderOutput, openFolderOutput } from '../node/folder-output.ts'
import { writingCodecs } from '../node/node-codecs.ts'
import { METADATA_FOLDER } from '../objects/array.ts'
import {
  type FoundMember,
  findMember,
  memberName,
  memberPlaceOf,
  placeInside,
  type Root,
  rootOf,
} from '../objects/dataset.ts'
import { GROUP_FILE, type InspectGroup, type Member, objectType } from '../objects/group.ts'
import type { GroupTarget } from '../objects/target.ts'
import { filePieces } from '../recover/fragment.ts'
import { Folder } from '../storage/source.ts'
import { filesBelow } from '../storage/walk.ts'
import { memberList } from '../write/member-list.ts'

/** What becomes of a member. */
interface Placed {
  /** {@link RelocatedMember.member}, name by name. */
  names: readonly string[]
  member: Member
  type: ObjectType
  /** Its folder, if it exists. */
  source: Folder | undefined
  /** Its path in the new folder, and that of its group. */
  to: string
  above: string
}

/**
 * Writes a group anew, with groups below it, so that every member is relative and inside.
 * @param withMembers whether arrays are copied, too
 */
export async function relocate(
  cx: CommandContext,
  path: string,
  target: GroupTarget,
  { to, withMembers = false }: { to: string; withMembers?: boolean | undefined },
): Promise<Outcome> {
  const output = await openFolderOutput(to, (place) => cx.refuseReadPlace(place, '--to'))
  const progress = cx.progress({ what: 'copying' })
  try {
    const relocation = new Relocation(cx, target, output)
    const placed: Placed[] = []
    for await (const one of relocation.plan()) placed.push(one)
    const copied = new Set<string>()
    let size = 0
    for (const { source, type, to: place } of placed) {
      if (!withMembers || !source || type === 'group' || copied.has(place)) continue
      copied.add(place)
      size += await relocation.copyArray(source, place)
      progress.update(size)
    }
    const members = placed.map((one) => resultOf(cx, one, copied.has(one.to)))
    const group_num = await relocation.writeGroups(placed)
    await cx.settle?.(false)
    output.commit()
    const document: RelocateDocument = {
      ...documentHead('relocate', cx.shownPath(path)),
      written_to: to,
      members,
      group_num,
      array_num: copied.size,
      size,
    }
    if (members.some(({ state }) => state === 'gone')) cx.foundWrong()
    return {
      kind: 'document',
      document,
      table: async (out) => (await import('../render/views/relocate.ts')).relocateTable(document, out),
    }
  } finally {
    progress.stop()
    output.discard()
  }
}

function resultOf(cx: CommandContext, one: Placed, isCopied: boolean): RelocatedMember {
  const { names, member, type, source, to } = one
  return {
    member: names.join('/'),
    type,
    to,
    uri: member.uri,
    source: source ? cx.shownPath(source.path) : null,
    state: stateOf(one, isCopied),
  }
}

function stateOf({ source, type }: Placed, isCopied: boolean): RelocatedMember['state'] {
  if (!source) return 'gone'
  if (type === 'group') return 'written'
  return isCopied ? 'copied' : 'to copy'
}

class Relocation {
  private readonly cx: CommandContext
  private readonly group: InspectGroup
  private readonly root: Root
  private readonly output: FolderOutput
  private readonly time = BigInt(Date.now())
  /** New paths by the real path of what is there. */
  private readonly places = new Map<string, string>()
  private readonly taken = new Set<string>()

  constructor(cx: CommandContext, { group }: GroupTarget, output: FolderOutput) {
    this.cx = cx
    this.group = group
    this.root = rootOf(group.folder)
    this.output = output
  }

  /** Finds a place in the new folder for every member. */
  plan(): AsyncGenerator<Placed> {
    return this.planOf(this.group, undefined, '', [], [])
  }

  /**
   * @param original the group that readers see now, if `group` lies inside and takes its place: members that lead out of it by `..` are
   *   found from there
   * @param above the new path of the group
   */
  private async *planOf(
    group: InspectGroup,
    original: InspectGroup | undefined,
    above: string,
    names: readonly string[],
    around: readonly string[],
  ): AsyncGenerator<Placed> {
    const identities = [...around, await group.identity()]
    for (const member of await group.members()) {
      const here = await findMember(group, member, identities, this.cx.open)
      // What readers see now. The group that takes the place of another one may lack what that one finds by `..`.
      const seen = original ? await findMember(original, member, identities, this.cx.open) : here
      const found = here.target ? here : seen
      if (found.error && found.state !== 'missing') throw found.error
      const source = await this.sourceOf(group, found)
      const real = source?.realPath
      const known = real === undefined ? undefined : this.places.get(real)
      const to = known ?? this.newPlace(above, member, source)
      const own = [...names, memberName(member)]
      const inside = source && (await this.cx.open(source.path))
      const type = inside?.type === 'group' || inside?.type === 'array' ? inside.type : member.type
      yield { names: own, member, type, source, to, above }
      if (real === undefined || known !== undefined) continue
      this.places.set(real, to)
      if (inside?.type !== 'group') continue
      const other = seen.target?.type === 'group' && seen.path !== source?.path ? seen.target.group : undefined
      yield* this.planOf(inside.group, other, to, own, identities)
    }
  }

  /** What readers of the new group are to read. A group that was moved or copied may point to its old members: then those inside are taken. */
  private async sourceOf(group: InspectGroup, { member, path, target }: FoundMember): Promise<Folder | undefined> {
    const there = target && path !== undefined ? new Folder(this.cx.storage, path) : undefined
    if (there && memberPlaceOf(this.root, path, there.realPath) === 'inside') return there
    const inside = await placeInside(member, async (one) => {
      const folder = group.folder.folder(one)
      return objectType(await folder.listIfThere()) === (member.type === 'group' ? 'group' : 'array')
    })
    return inside === undefined ? there : group.folder.folder(inside)
  }

  /** A path in the new folder that nothing else has. Members inside of the group keep their path. */
  private newPlace(above: string, member: Member, source: Folder | undefined): string {
    const own = source && normalPath(source.path)
    const { path: root } = this.root
    const begin = above === '' ? '' : `${above}/`
    const kept = own !== undefined && own !== root && isWithinFolder(own, root) ? own.slice(root.length + 1) : undefined
    const wanted = kept?.startsWith(begin) ? kept : begin + memberName(member)
    let place = wanted
    for (let n = 2; this.taken.has(place); n++) place = `${wanted}-${n}`
    this.taken.add(place)
    return place
  }

  /** Copies all files of an array. @returns their bytes */
  async copyArray(source: Folder, to: string): Promise<number> {
    let size = 0
    for await (const { folder, entry } of filesBelow(source, () => true)) {
      const path = `${folder.path}/${entry.name}`
      size += await this.copyFile(path, `${to}${path.slice(source.path.length)}`)
    }
    return size
  }

  private async copyFile(path: string, to: string): Promise<number> {
    const source = { open: () => this.cx.storage.open(path), ranges: undefined }
    let size = 0
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for await (const piece of filePieces({ name: to, source })) {
        size += piece.length
        yield piece
      }
    }
    await this.output.writeParts(to, pieces())
    return size
  }

  /** Writes the own files of all groups. Members that are gone are left out. @returns number of groups */
  async writeGroups(placed: readonly Placed[]): Promise<number> {
    const lists = new Map<string, { folder: Folder; members: GroupMember[] }>([
      ['', { folder: this.group.folder, members: [] }],
    ])
    for (const { member, type, source, to, above } of placed) {
      if (!source) continue
      if (type === 'group' && !lists.has(to)) lists.set(to, { folder: source, members: [] })
      const isBelow = above === '' || to.startsWith(`${above}/`)
      const uri = isBelow ? to.slice(above === '' ? 0 : above.length + 1) : upTo(above, to)
      lists.get(above)?.members.push({ version: 2, type, relative: true, uri, name: member.name, deleted: false })
    }
    for (const [place, { folder, members }] of lists) await this.writeGroup(place, folder, members)
    return lists.size
  }

  private async writeGroup(place: string, folder: Folder, members: GroupMember[]): Promise<void> {
    const begin = place === '' ? '' : `${place}/`
    await this.output.write(`${begin}${GROUP_FILE}`, new Uint8Array(0))
    const metadata = folder.folder(METADATA_FOLDER)
    for (const { name, kind } of await metadata.listIfThere())
      if (kind === 'file') await this.copyFile(`${metadata.path}/${name}`, `${begin}${METADATA_FOLDER}/${name}`)
    const random = (length: number): Uint8Array => randomBytes(length)
    const uuid = Buffer.from(random(16)).toString('hex')
    const facts = { version: 2, format_version: NEWEST_STABLE, time: this.time, uuid } as const
    const list = await memberList(members, facts, { codecs: writingCodecs, key: undefined, randomBytes: random })
    await this.output.write(begin + list.path, list.bytes)
  }
}

/** A relative path from one folder to another. */
function upTo(from: string, to: string): string {
  return `${'../'.repeat(from.split('/').length)}${to}`
}
