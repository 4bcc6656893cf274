import { orError } from '../base/errors.ts'
import type { Result } from '../base/result.ts'
import { differences, keyInPath } from '../calls/compare-results.ts'
import type { DiffMember, DiffPart, DiffVerdict } from '../documents/diff.ts'
import { type DatasetMember, walkDataset } from '../objects/dataset.ts'
import type { GroupTarget, Target } from '../objects/target.ts'
import { below, Compared, type DiffComparison, type DiffOptions } from './diff-comparison.ts'
import { compareObjects, keyValues } from './diff-objects.ts'

/**
 * A member, as it is compared. Its target is opened again when its turn comes: those of all members together would need too much
 * memory.
 */
interface Listed extends Pick<DatasetMember, 'names' | 'member' | 'state' | 'path' | 'error'> {
  found: Target['type'] | undefined
  isAgain: boolean
}

/**
 * Compares two datasets member by member. Members are matched by their names.
 * @returns a line for each member that both or one of them have, and the result of all
 */
export async function compareDatasets(
  run: DiffComparison,
  left: GroupTarget,
  right: GroupTarget,
): Promise<{ members: DiffMember[]; verdict: DiffVerdict }> {
  const members: DiffMember[] = []
  const own = await compareGroups(run, '', left, right)
  const a = await listed(run, left)
  const b = left === right ? a : await listed(run, right)
  for (const [key, one] of a) {
    const other = b.get(key)
    if (other) members.push(await compareMembers(run, one, other))
    else addLonely(run, members, one, 'only-a', b)
  }
  for (const [key, one] of b) if (!a.has(key)) addLonely(run, members, one, 'only-b', a)
  return { members, verdict: worst([own.verdict, ...members.map(({ state }) => state)]) }
}

const PARTS: readonly DiffPart[] = ['listing', 'schema', 'metadata', 'storage', 'cells']

/** From the best to the worst. */
const VERDICTS: readonly DiffVerdict[] = ['equal', 'same-cells', 'not-compared', 'different']

function worst(states: readonly DiffMember['state'][]): DiffVerdict {
  let most = 0
  for (const state of states)
    most = Math.max(most, state === 'only-a' || state === 'only-b' ? VERDICTS.length - 1 : VERDICTS.indexOf(state))
  return VERDICTS[most]
}

/** The key-value metadata of groups: their only content besides their members. */
async function compareGroups(
  run: DiffComparison,
  prefix: string,
  left: GroupTarget,
  right: GroupTarget,
): Promise<Compared> {
  const { cx, options } = run
  const result = new Compared(run)
  if (options.schemaOnly) return result
  const [a, b] = [await keyValues(cx, left.group), await keyValues(cx, right.group)]
  result.add('metadata', differences(below(prefix, 'metadata'), a, b))
  return result
}

/** The members of a dataset at any depth, by a key that is the same in a copy. */
async function listed({ cx }: DiffComparison, target: GroupTarget): Promise<Map<string, Listed>> {
  // A list that cannot be read as a whole is not compared.
  target.group.cx.onFault = undefined
  const open = async (path: string): Promise<Target> => {
    const found = await cx.open(path)
    if (found.type === 'group') found.group.cx.onFault = undefined
    return found
  }
  const all = new Map<string, Listed>()
  for await (const { names, member, state, path, error, target: found, again } of walkDataset(target, open)) {
    // Several members may have one name: absolute URIs may end in the same name.
    let nth = 0
    while (all.has(keyOf(names, nth))) nth++
    const isAgain = again !== undefined
    all.set(keyOf(names, nth), { names, member, state, path, error, found: found?.type, isAgain })
  }
  return all
}

function keyOf(names: readonly string[], nth = 0): string {
  return JSON.stringify([...names, nth])
}

/** Adds a member that only one dataset has. What such a group has in it is not listed. */
function addLonely(
  run: DiffComparison,
  members: DiffMember[],
  { names, member: { type } }: Listed,
  state: 'only-a' | 'only-b',
  others: ReadonlyMap<string, Listed>,
): void {
  const above = names.slice(0, -1)
  if (above.length > 0 && others.get(keyOf(above))?.found !== 'group') return
  const result = new Compared(run)
  const [a, b] = state === 'only-a' ? [type, null] : [null, type]
  result.add('listing', [{ path: pathOf(names), a, b }])
  members.push(line(names, type, state, result))
}

async function compareMembers(run: DiffComparison, one: Listed, other: Listed): Promise<DiffMember> {
  const { cx, options } = run
  const { names, member } = one
  const path = pathOf(names)
  const result = new Compared(run)
  result.add('listing', differences(path, listing(one, options), listing(other, options)))
  for (const { error, state } of [one, other])
    if (error && state !== 'cycle' && state !== 'missing') run.lost(path, error)
  const isThere = one.found !== undefined && other.found !== undefined
  // The different types are among the differences already.
  const isListed = one.found !== other.found && member.type !== other.member.type
  // What is met again was compared where it was met first.
  if (!isThere || isListed || one.path === undefined || other.path === undefined || (one.isAgain && other.isAgain))
    return line(names, member.type, result.verdict, result)
  const [a, b] = [one.path, other.path]
  const compared = await orError(async () => {
    const left = await cx.open(a)
    const right = a === b ? left : await cx.open(b)
    if (left.type === 'group' && right.type === 'group') return compareGroups(run, path, left, right)
    if (left.type === right.type) return compareObjects(run, path, [a, left], [b, right])
    const types = new Compared(run)
    types.add('listing', [{ path, a: left.type, b: right.type }])
    return types
  })
  if (compared instanceof Compared) result.join(compared)
  else run.lost(path, compared)
  return line(names, member.type, result.verdict, result)
}

/** How a group lists a member, and what is there. */
function listing({ member: { type, implicit, relative, uri }, state }: Listed, { names }: DiffOptions): Result {
  return names ? { type, implicit, state, relative, uri } : { type, implicit, state }
}

function line(
  names: readonly string[],
  type: DiffMember['type'],
  state: DiffMember['state'],
  { differs, difference_num }: Compared,
): DiffMember {
  return { name: names.join('/'), type, state, differs: PARTS.filter((part) => differs.has(part)), difference_num }
}

function pathOf(names: readonly string[]): string {
  return names.map((name) => `members.${keyInPath(name)}`).join('.')
}
