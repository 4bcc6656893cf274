import { firstOf, unlessFault } from '../base/errors.ts'
import { isWithinFolder, lastPathPart } from '../base/paths.ts'
import { rising } from '../base/rising.ts'
import { groupDetails } from '../format/group-details.ts'
import { METADATA_FOLDER, readMetadata } from '../objects/array.ts'
import { readTileFile } from '../objects/generic-tile.ts'
import { GROUP_DETAILS_FOLDER, GROUP_FILE, InspectGroup } from '../objects/group.ts'
import { Folder } from '../storage/source.ts'
import { storageWithout } from '../storage/without.ts'
import type { Answer } from './answer.ts'
import { type EffectOnce, grouped, keysThatDiffer, noticedBy } from './array.ts'
import { FOLDERS, metadataText } from './part.ts'
import { needsOfRoot } from './place.ts'
import { stampsIn } from './views.ts'

/**
 * Tells what a file or folder of a group is for. Compares members and metadata with and without it, at every time that makes a
 * difference. The folders of members are not part of the group itself.
 * @param path path in the group; not empty
 */
export async function whyInGroup(group: InspectGroup, path: string): Promise<Answer> {
  const { folder, cx } = group
  const storage = storageWithout(folder.storage, [`${folder.path}/${path}`])
  const found: { to: bigint; effects: EffectOnce[] }[] = []
  for (const to of await timesOf(group)) {
    const at = { ...cx, from: 0n, now: to, onFault: () => {} }
    const [before, after] = [new InspectGroup(folder, at), new InspectGroup(new Folder(storage, folder.path), at)]
    found.push({ to, effects: await effectsOf(before, after) })
  }
  const effects = grouped(found)
  const known = await whatIs(group, path)
  const what = known ?? 'a file of the group that cannot be read'
  const isMark = path === GROUP_FILE || path === GROUP_DETAILS_FOLDER
  const markReason = isMark ? 'it marks the folder as a group' : undefined
  const isSafe = effects.length === 0 && markReason === undefined && known !== undefined
  const needing = isMark ? 'the group, to be known as one' : 'the group'
  return {
    what,
    root: folder.path,
    needed_by: isSafe ? [] : [{ path: '', what: needing, needed_by: await needsOfRoot(group) }],
    without: effects,
    noticed: noticedBy(effects, markReason !== undefined),
    delete: isSafe ? 'yes' : 'no',
    reason: known === undefined ? 'it cannot be read, so nobody can tell what it holds' : (markReason ?? ''),
    how: isSafe ? 'rm' : undefined,
  }
}

async function timesOf({ folder, cx }: InspectGroup): Promise<bigint[]> {
  const stamps = new Set<bigint>([cx.now])
  for (const inside of [GROUP_DETAILS_FOLDER, METADATA_FOLDER])
    for (const { name } of await folder.folder(inside).listIfThere())
      for (const stamp of stampsIn(name)) stamps.add(stamp)
  const times = [...stamps].sort(rising)
  // Also the time before the first change, at which the group is empty.
  return times[0] > 0n ? [times[0] - 1n, ...times] : times
}

async function effectsOf(before: InspectGroup, after: InspectGroup): Promise<EffectOnce[]> {
  const effects: EffectOnce[] = []
  const members = await differentMembers(before, after)
  if (members.length > 0) effects.push({ outcome: 'members', names: members })
  const read = (one: InspectGroup) => readMetadata(one.folder, one.cx).catch(() => new Map<string, never>())
  const keys = keysThatDiffer(await read(before), await read(after))
  if (keys.length > 0) effects.push({ outcome: 'metadata', names: keys })
  return effects
}

async function differentMembers(before: InspectGroup, after: InspectGroup): Promise<string[]> {
  const [was, is] = [await memberTexts(before), await memberTexts(after)]
  return [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name))
}

async function memberTexts(group: InspectGroup): Promise<Map<string, string>> {
  const members = await group.members().catch(() => [])
  // Members that no list names, but that lie in the folder, count only in groups of old releases. No file but a member's own adds or
  // removes them.
  const listed = members.filter(({ implicit }) => !implicit)
  return new Map(listed.map(({ name, uri, type, relative }) => [name ?? uri, JSON.stringify([uri, type, relative])]))
}

/** What a path in a group is, in words; undefined if it cannot be read. */
async function whatIs({ folder, cx }: InspectGroup, path: string): Promise<string | undefined> {
  if (path === GROUP_FILE) return 'the file that marks a group'
  if (path === GROUP_DETAILS_FOLDER) return 'the folder of the lists of members'
  if (path === METADATA_FOLDER) return FOLDERS.get(path)
  if (isWithinFolder(path, GROUP_DETAILS_FOLDER)) {
    const details = await readTileFile(folder.file(path), groupDetails, cx).catch(unlessFault)
    const names = details?.members.map(
      ({ name, uri, deleted }) => `${deleted ? 'removes' : 'adds'} ${name ?? lastPathPart(uri)}`,
    )
    return names && `a change of the members: ${firstOf(names) || 'none'}`
  }
  if (isWithinFolder(path, METADATA_FOLDER)) return metadataText({ folder, cx }, path)
  return 'no part of the group: TileDB does not read it'
}
