import { InspectError } from '../base/errors.ts'
import { allInOrder, atOnce } from '../base/in-order.ts'
import { isWithinFolder, nameOf, normalPath } from '../base/paths.ts'
import { Folder } from '../storage/source.ts'
import { type InspectGroup, type Member, memberPath, type WalkBounds } from './group.ts'
import type { GroupTarget, Target } from './target.ts'

/*
 * A dataset is a group with all that belongs to it. Every walk through one is this walk: lists, totals and checks are folds over it.
 */

/**
 * What is at the path of a member. `missing`: nothing that TileDB takes for an object. `outside`: the path is not followed,
 * because it leads out of the group by `..` or to another kind of storage. `cycle`: a group that contains this one.
 * `other-type`: an object of another type than the group says. `unreadable`: an object that cannot be opened.
 */
export type MemberState = 'present' | 'missing' | 'outside' | 'cycle' | 'other-type' | 'unreadable'

/**
 * Where TileDB reads a member from. `inside`: from below the dataset. `elsewhere`: from another place, which a copy of the dataset
 * does not have. `linked`: by its path from below the dataset, but a link leads elsewhere. `nowhere`: nothing is read.
 */
export type MemberPlace = 'inside' | 'elsewhere' | 'linked' | 'nowhere'

/** A member of a group, and what is there. */
export interface FoundMember {
  member: Member
  /** Where TileDB reads it from. Undefined if the path is not followed. */
  path: string | undefined
  state: MemberState
  /** The object, if the member is present or of another type. */
  target: Target | undefined
  /** Why there is no target. */
  error: InspectError | undefined
}

/** A member at any depth of a dataset. */
export interface DatasetMember extends FoundMember {
  /** Names from the dataset down to the member. */
  names: readonly string[]
  /** The group that lists it. */
  group: InspectGroup
  place: MemberPlace
  /** The names of the same object where the walk met it first; undefined if this is the first time. */
  again: readonly string[] | undefined
  /** Whether its group was met before, and so all that is in it. */
  isInRepeated: boolean
  /** Whether it lies in the folder of a group whose list does not name it. */
  isUnlisted: boolean
}

/** Opens the object at a path. */
export type OpenTarget = (path: string) => Promise<Target>

/** What the name of a member follows from. */
type NamedMember = Pick<Member, 'uri' | 'implicit'> & { name?: string | null | undefined }

/** The name of a member in its group; the path of one that no list names. It is the same in a copy of the group. */
export function memberName({ name, uri, implicit }: NamedMember): string {
  return name ?? (implicit ? uri : nameOf(uri.replace(/\/+$/, '')))
}

/** A key of a member in a dataset, by its names from the dataset down. */
export function namesKey(names: readonly string[]): string {
  return JSON.stringify(names)
}

/** The folder of a dataset. */
export interface Root {
  /** Its path, without `.` and `..`. */
  path: string
  /** The path with all links resolved: found once, as every member is compared with it. */
  realPath: string
}

export function rootOf({ path, realPath }: Folder): Root {
  return { path: normalPath(path), realPath }
}

/** Where a walk through a dataset is. */
interface Around {
  root: Root
  group: InspectGroup
  names: readonly string[]
  /** {@link InspectGroup.identity} of the groups around, this one included. */
  identities: readonly string[]
  /** Objects that were met, by their real path. */
  met: Map<string, readonly string[]>
  isRepeated: boolean
  depth: number
  bounds: WalkBounds | undefined
  /** Whether what lies in the folder of a group and is no member is met, too. */
  meetsUnlisted: boolean
}

/**
 * Every member of a group, down to a depth: each group before its own members, in the order in which they are listed. Over a network
 * several are opened at once. In a plain folder that is entered at any depth, the walk also meets what lies in the folder of a group
 * without being a member of it.
 * @param depth number of levels
 * @throws InspectError if the list of members of the group itself cannot be read. That of a group below is its `error`
 */
export async function* walkDataset(
  { group }: GroupTarget,
  open: OpenTarget,
  depth = Number.POSITIVE_INFINITY,
): AsyncGenerator<DatasetMember> {
  const root = rootOf(group.folder)
  const { bounds, isRecursive: meetsUnlisted } = group
  const met = new Map([[root.realPath, []]])
  const identities = [await group.identity()]
  yield* membersBelow(
    { root, group, names: [], identities, met, isRepeated: false, depth, bounds, meetsUnlisted },
    open,
  )
}

/** Most levels of groups in groups. Links can make any number of them, and each takes a part of the stack. */
const DEEPEST = 200

async function* membersBelow(around: Around, open: OpenTarget): AsyncGenerator<DatasetMember> {
  const { group, depth, bounds } = around
  const unlisted = new Set<Member>()
  yield* allInOrder(membersOf(around, unlisted), atOnce(group.folder), async function* (member) {
    const isUnlisted = unlisted.has(member)
    const path = [...around.names, memberName(member)].join('/')
    // Members of a plain folder are left out by their paths, before anything below them is read.
    if (!member.implicit && bounds?.excludes(path)) {
      bounds.leaveOut(path, 'excluded')
      return
    }
    const found = { ...placed(around, await findMember(group, member, around.identities, open)), isUnlisted }
    // Another group names it: it was met there.
    if (isUnlisted && found.again) return
    const { target, names } = found
    if (target?.type !== 'group' || depth <= 1) {
      yield found
      if (target?.type === 'group') bounds?.leaveOut(path, 'deep')
      return
    }
    if (names.length >= DEEPEST) {
      const fault = { expected: `at most ${DEEPEST} levels of groups`, found: 'more' }
      yield { ...found, state: 'unreadable', error: new InspectError('TOO_LARGE', fault, { file: target.path }) }
      return
    }
    const isRepeated = found.again !== undefined
    const below = { ...around, group: target.group, names, isRepeated, depth: depth - 1 }
    try {
      const identities = [...around.identities, await target.group.identity()]
      const first = membersBelow({ ...below, identities }, open)
      // A list that cannot be read is the fault of the group, which is told before its members.
      const { done, value } = await first.next()
      yield found
      if (done) return
      yield value
      yield* first
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      yield { ...found, state: 'unreadable', error }
    }
  })
}

/** The members of a group, and then what else lies in its folder. @param unlisted gets what no list names */
async function* membersOf(
  { group, names, bounds, meetsUnlisted }: Around,
  unlisted: Set<Member>,
): AsyncGenerator<Member> {
  yield* group.eachMember()
  if (!meetsUnlisted) return
  const pathOf = (below: string): string => [...names, ...(below === '' ? [] : [below])].join('/')
  const here: WalkBounds | undefined = bounds && {
    excludes: (below) => bounds.excludes(pathOf(below)),
    depth: bounds.depth,
    leaveOut: (below, cause) => bounds.leaveOut(pathOf(below), cause),
  }
  for await (const member of group.unlistedBelow(here)) {
    unlisted.add(member)
    yield member
  }
}

/** Adds to a member where it lies. */
function placed(
  { root, group, names, met, isRepeated }: Around,
  found: FoundMember,
): Omit<DatasetMember, 'isUnlisted'> {
  const { path, member, state } = found
  const own = [...names, memberName(member)]
  const isThere = path !== undefined && state !== 'missing' && state !== 'outside'
  const real = isThere ? new Folder(group.folder.storage, path).realPath : undefined
  const again = real === undefined ? undefined : met.get(real)
  if (real !== undefined && !again) met.set(real, own)
  return { ...found, names: own, group, place: memberPlaceOf(root, path, real), again, isInRepeated: isRepeated }
}

/** Where a path lies. @param real the path of the object with all links resolved; undefined if nothing is there */
export function memberPlaceOf(root: Root, path: string | undefined, real: string | undefined): MemberPlace {
  if (real === undefined || path === undefined) return 'nowhere'
  if (isWithinFolder(real, root.realPath)) return 'inside'
  return isWithinFolder(normalPath(path), root.path) ? 'linked' : 'elsewhere'
}

/** By the type of a member. For TileDB, one that did not exist when it was added is neither an array nor a group. */
const MEMBER_WORDS: Readonly<Record<Member['type'], string>> = {
  array: 'an array',
  group: 'a group',
  invalid: 'an array or a group',
}

/** What a group says that a member is. */
export function memberInWords({ type }: Member): string {
  return MEMBER_WORDS[type]
}

/**
 * Looks for a member of a group.
 * @param above {@link InspectGroup.identity} of the groups around the member, including its own group
 */
export async function findMember(
  group: InspectGroup,
  member: Member,
  above: readonly string[],
  open: OpenTarget,
): Promise<FoundMember> {
  const { folder } = group
  const path = memberPath(folder.path, member)
  const lost = (state: MemberState, code: InspectError['code'], message: string): FoundMember => {
    const at = { file: path ?? folder.path }
    const error = new InspectError(code, `member ${JSON.stringify(member.uri)} ${message}`, at)
    return { member, path, state, target: undefined, error }
  }
  if (path === undefined) return lost('outside', 'IO', 'is not below the group')
  try {
    const target = await open(path)
    if (target.type === 'group' && above.includes(await target.group.identity()))
      return lost('cycle', 'IO', 'is a group that this one lies in')
    const isNone = target.type === 'group' && target.isPlain
    if (isNone)
      return lost('missing', 'NOT_FOUND', `is missing: expected ${memberInWords(member)}, found a plain folder`)
    const state = target.type === member.type || member.type === 'invalid' ? 'present' : 'other-type'
    return { member, path, state, target, error: undefined }
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    if (error.code !== 'NOT_FOUND' && error.code !== 'NOT_TILEDB')
      return { member, path, state: 'unreadable', target: undefined, error }
    return lost('missing', 'NOT_FOUND', `is missing: expected ${memberInWords(member)}, found nothing there`)
  }
}

/** The path below the group at which a member lies if the group was copied or moved with its members: the longest end of its path. */
export async function placeInside(
  { uri, relative }: Member,
  isObject: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  const names = normalPath(uri.replace(/^[a-z0-9]+:\/\//, ''))
    .split('/')
    .filter((name) => name !== '' && name !== '..')
  for (let from = relative ? 1 : 0; from < names.length; from++) {
    const path = names.slice(from).join('/')
    if (await isObject(path)) return path
  }
  return undefined
}
