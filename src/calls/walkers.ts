import { asInspectError, exitCodeOf, InspectError, longer, unlessFault, withPlaceAsync } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { isWithinFolder } from '../base/paths.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { FragmentEntry, InspectArray } from '../objects/array.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { Target } from '../objects/target.ts'
import { isInWork } from '../objects/visibility.ts'
import type { Folder } from '../storage/source.ts'
import type { CommandContext } from './command.ts'
import type { Outcome } from './outcome.ts'
import { tellGroupNotOpened, withRefusedOpening } from './refused.ts'
import { type Takes, wrongTarget } from './targets.ts'
import { refuseTimes } from './times.ts'

/**
 * Runs `work` on every fragment of a target: on the fragment itself, or on all fragments of an array or of each array in a
 * group. A fragment with a fault gives an outcome with the error, and the next fragment is tried.
 * @throws InspectError WRONG_TARGET for files other than fragment metadata
 */
export async function* throughFragments(
  cx: CommandContext,
  path: string,
  command: string,
  taken: Takes,
  work: (fragment: Fragment) => Promise<Outcome>,
): AsyncGenerator<Outcome> {
  yield* throughGroups(cx, path, await cx.open(path), async function* (_, target) {
    if (target.type === 'group') return
    const oneOfSeveral = target.type === 'array'
    for await (const fragment of eachFragment(cx, target, command, taken)) {
      const outcome = await outcomeOrError(fragment.folder, () => work(fragment))
      const isBroken =
        outcome.kind === 'error' && (exitCodeOf(outcome.error) === 1 || outcome.error.code === 'NOT_FOUND')
      if (!isBroken || !(await isFragmentInWork(target, fragment))) yield { ...outcome, oneOfSeveral }
      else if (oneOfSeveral) noteInWork(cx, fragment)
      else yield { kind: 'error', error: ofFragmentInWork(outcome.error) }
    }
  })
}

const IN_WORK = 'no commit names it, and it is half written or half removed'

/** Whether a fragment of a target that cannot be read is one that TileDB does not look at: see {@link isInWork}. */
export async function isFragmentInWork(target: Target, { folder }: Fragment): Promise<boolean> {
  const entry = 'array' in target ? await target.array?.entryOf(folder) : undefined
  return entry !== undefined && isInWork(entry.state)
}

/** Says that a fragment is left out, because what it lacks is no damage. */
export function noteInWork(cx: CommandContext, { folder }: Fragment): void {
  cx.note(`${cx.shownPath(folder.path)} is left out: ${IN_WORK}`, 'target')
}

/** The errors that say in which state their fragment is. */
const stated = new WeakSet<InspectError>()

/** The error of a fragment that lacks what was asked of it, which is no damage. */
function ofFragmentInWork(error: InspectError): InspectError {
  const { fault, at } = inPart(error)
  const one = new InspectError('NOT_FOUND', longer(fault, `; ${IN_WORK}`), at, { cause: error })
  stated.add(one)
  return one
}

/**
 * The error of a command. If it is about the metadata of a fragment, it also says what TileDB does: it does not look at the fragment, so
 * that what is not there yet, or no more, is no damage; or it does not open the whole array.
 * @param targets what the command has opened
 */
export async function withState(targets: Iterable<Target>, error: InspectError): Promise<InspectError> {
  const { file } = error.at
  if (stated.has(error) || (exitCodeOf(error) !== 1 && error.code !== 'NOT_FOUND')) return error
  for (const target of targets) {
    const fragment = fragmentOfMetadata(target, file)
    if (!fragment) continue
    if (await isFragmentInWork(target, fragment).catch(unlessFault)) return ofFragmentInWork(error)
    return (await withRefusedOpening(fragment, error).catch(unlessFault)) ?? error
  }
  return error
}

/** The fragment of a target whose metadata is in this file. */
function fragmentOfMetadata(target: Target, file = ''): Fragment | undefined {
  const path = file.slice(0, -FRAGMENT_METADATA_FILE.length - 1)
  if (file !== `${path}/${FRAGMENT_METADATA_FILE}`) return undefined
  if (target.type === 'array')
    return isWithinFolder(path, target.path) ? target.array.fragment(path.slice(target.path.length + 1)) : undefined
  const fragment = 'fragment' in target ? target.fragment : undefined
  return fragment?.folder.path === path ? fragment : undefined
}

/** The error of metadata that is half written or half removed: it is not there yet, or no more. */
export function inPart(error: InspectError): InspectError {
  if (exitCodeOf(error) !== 1) return error
  const fault = { expected: 'the metadata of the fragment', found: 'a part of it' }
  return new InspectError('NOT_FOUND', fault, { file: error.at.file }, { cause: error })
}

/**
 * Every fragment of a target: the fragment itself, or all fragments of an array. With times in the options: only the fragments
 * that TileDB reads at these times.
 * @throws InspectError WRONG_TARGET for groups, and for files other than fragment metadata
 */
export async function* eachFragment(
  cx: CommandContext,
  target: Target,
  command: string,
  taken: Takes,
): AsyncGenerator<Fragment> {
  if (target.type !== 'array') {
    if (!('fragment' in target && target.fragment)) throw await wrongTarget(cx, command, taken, target)
    refuseTimes(cx, 'a fragment')
    yield target.fragment
    return
  }
  const { array } = target
  const opened = async ({ path }: FragmentEntry): Promise<Fragment> => {
    const fragment = array.fragment(path)
    // The footers of a remote array are read ahead. A faulty footer raises its error again when it is used.
    if (array.folder.isRemote) await fragment.info().catch(() => {})
    return fragment
  }
  const all = await array.fragments()
  const entries = cx.times ? all.filter(({ isRead }) => isRead) : all
  if (entries.length === 0)
    cx.note(`${cx.shownPath(target.path)} has no fragments${all.length > 0 ? ' at that time' : ''}`, 'target')
  for await (const fragment of inOrder(entries, atOnce(array.folder), opened)) {
    try {
      yield fragment
    } finally {
      await fragment.close()
    }
  }
}

/**
 * Runs `work` on a target. For a group it runs `work` on the group, and then on each member at any depth, in the group's order. An
 * error in a member is its outcome, and the next member is tried.
 */
export async function* throughGroups(
  cx: CommandContext,
  path: string,
  target: Target,
  work: (path: string, target: Target) => AsyncGenerator<Outcome>,
): AsyncGenerator<Outcome> {
  yield* work(path, target)
  if (target.type !== 'group') return
  await tellGroupNotOpened(cx, target.group)
  const { walkDataset } = await import('../objects/dataset.ts')
  /** The last group whose members have not come yet. */
  let waiting: string | undefined = path
  for await (const member of walkDataset(target, cx.open)) {
    if (waiting !== undefined && waiting !== (member.names.length === 1 ? path : member.group.folder.path))
      noteNoMembers(cx, waiting)
    waiting = member.target?.type === 'group' && !member.error ? member.target.path : undefined
    if (member.error && member.state !== 'cycle') cx.fault(member.error)
    if (!member.target || member.path === undefined) continue
    for await (const outcome of orFailure(work(member.path, member.target))) yield { ...outcome, oneOfSeveral: true }
    if (member.target.type === 'group') await tellGroupNotOpened(cx, member.target.group)
  }
  if (waiting !== undefined) noteNoMembers(cx, waiting)
}

/** Notes that a group has no members. */
export function noteNoMembers(cx: CommandContext, group: string): void {
  cx.note(`${cx.shownPath(group)} has no members${cx.times ? ' at that time' : ''}`, 'target')
}

/**
 * The outcomes. An error becomes the last outcome, so that the next target can be tried.
 * @throws InspectError USAGE: wrong options are wrong for every target
 */
export async function* orFailure(outcomes: AsyncGenerator<Outcome>): AsyncGenerator<Outcome> {
  try {
    yield* outcomes
  } catch (error) {
    if (!(error instanceof InspectError) || error.code === 'USAGE') throw error
    yield { kind: 'error', error }
  }
}

/** Prints a note if the target is a group without members. Without the note, "nothing found" would look like a good result. */
export async function noteIfEmpty(cx: CommandContext, target: Target): Promise<void> {
  if (target.type !== 'group') return
  const members = await target.group.members().catch(() => undefined)
  if (members?.length === 0)
    cx.note(`${cx.shownPath(target.path)} has no members: only its own files are examined`, 'target')
}

/**
 * Runs `work` on fragments of an array, over a network on several at once, and yields the results in order. Each fragment is
 * closed after its work.
 * @param what the work in words, for the progress line
 */
export async function* overEntries<T>(
  cx: CommandContext,
  array: InspectArray,
  entries: readonly FragmentEntry[],
  what: string,
  work: (fragment: Fragment, entry: FragmentEntry) => T | Promise<T>,
): AsyncGenerator<T> {
  const one = (entry: FragmentEntry): T | Promise<T> => {
    const fragment = array.fragment(entry.path)
    const result = work(fragment, entry)
    // What is done at once leaves no file open.
    return result instanceof Promise ? result.finally(() => fragment.close()) : result
  }
  const progress = cx.progress({ what, unit: 'fragments', total: entries.length })
  let done = 0
  try {
    if (array.folder.isRemote) await array.listFragmentsAhead()
    for await (const result of inOrder(entries, atOnce(array.folder), one)) {
      yield result
      progress.update(++done)
      const pause = cx.reading.pause?.()
      if (pause) await pause
    }
  } finally {
    progress.stop()
  }
}

/** Runs `work` on a fragment. An error becomes the outcome, so that the next fragment is tried. */
export async function outcomeOrError(folder: Folder, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await withPlaceAsync({ file: folder.path }, work)
  } catch (error) {
    return { kind: 'error', error: asInspectError(error) }
  }
}
