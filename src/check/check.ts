import { InspectError, unlessFault } from '../base/errors.ts'
import { allInOrder, atOnce, firstOnes } from '../base/in-order.ts'
import { type DatasetMember, type OpenTarget, walkDataset } from '../objects/dataset.ts'
import { isFirst } from '../objects/shard.ts'
import { type GroupTarget, openedOf, openTarget, type Target } from '../objects/target.ts'
import type { AcrossCheck, LostAs } from './across.ts'
import { checkArray } from './array.ts'
import { checkUnit } from './data-files.ts'
import { fromError, type Item, type Items, withoutRepeats } from './finding.ts'
import { checkFragment, whyIgnored } from './fragment.ts'
import { checkGroupFiles, memberItems, memberPlace } from './group.ts'
import type { CheckRun } from './run.ts'
import {
  addCounts,
  type CheckWork,
  knownUnit,
  type Unit,
  type UnitResult,
  type UnitRunner,
  UnitWorker,
} from './units.ts'

/**
 * Compares what the metadata of a fragment, an array or a group claims with the stored bytes. Yields findings as they are
 * found. A fault in one part does not stop the others.
 *
 * @param runner shares data files among threads; without it the findings and their order are the same
 * @throws InspectError WRONG_TARGET for files
 */
export function checkTarget(run: CheckRun, target: Target, runner?: UnitRunner<Item>): Items {
  return doWork(run, workOfAll({ ...run, shared: runner !== undefined }, target), target, runner)
}

/** {@link checkTarget} of a member of a dataset, without its own members. @param lostAs see {@link memberItems} */
export async function* checkMember(
  run: CheckRun,
  member: DatasetMember,
  runner?: UnitRunner<Item>,
  lostAs?: LostAs,
): Items {
  const { target } = member
  if (target) yield* doWork(run, workOfMember({ ...run, shared: runner !== undefined }, member, lostAs), target, runner)
  else if (isFirst(run.shard)) yield* memberItems(member, lostAs)
}

async function* doWork(run: CheckRun, work: CheckWork, target: Target, runner: UnitRunner<Item> | undefined): Items {
  if (!runner) {
    for await (const one of work) if (!('part' in one)) yield one
    return
  }
  const asked: Unit<Item>[] = []
  yield* withoutRepeats(itemsOf(run, asked, runner(unitsOf(work, asked)), (unit) => runAlone(target, unit)))
}

/** Runs one unit on this thread. */
async function runAlone(target: Target, unit: Unit<Item>): Promise<UnitResult<Item>> {
  const opened = openedOf(target)
  if (!opened) throw new TypeError('a file has no units')
  const worker = new UnitWorker<Item>(opened.folder.storage, opened.cx, checkUnit)
  try {
    return await worker.run(unit)
  } finally {
    await worker.close()
  }
}

/** @param asked receives the units whose results are still to come */
async function* unitsOf(work: CheckWork, asked: Unit<Item>[]): AsyncGenerator<Unit<Item>> {
  for await (const one of work) {
    const unit = 'part' in one ? one : knownUnit([one])
    asked.push(unit)
    yield unit
  }
}

/** @param again runs one unit in place of those that share its tiles: see {@link FieldsPart.shared} */
async function* itemsOf(
  { counts }: CheckRun,
  asked: Unit<Item>[],
  results: ReturnType<UnitRunner<Item>>,
  again: (unit: Unit<Item>) => Promise<UnitResult<Item>>,
): Items {
  let held: UnitResult<Item>[] = []
  for await (const result of results) {
    const { path, part, bytes } = asked.shift() as Unit<Item>
    held.push(result)
    if (part.kind === 'fields' && part.shared === 'more') continue
    let found = held
    if (part.kind === 'fields' && part.shared && held.some(({ items, unsure }) => unsure || items.length > 0)) {
      const stretches = part.stretches.map((one) => ({ ...one, from: 0 }))
      found = [await again({ path, part: { ...part, stretches, shared: undefined }, bytes })]
    }
    held = []
    for (const one of found) {
      addCounts(counts, one.counts)
      yield* one.items
    }
  }
}

/** The target, and then what its parts say of each other. */
async function* workOfAll(run: CheckRun, target: Target): CheckWork {
  const across = isFirst(run.shard) ? await run.across?.(target, run.level) : undefined
  yield* workOfTarget(run, target, across)
  if (across) yield* across.items()
}

/**
 * Checks a group and all its members. An object that several members name is checked once. Only the first shard reports what is wrong
 * with groups themselves.
 */
async function* workOfDataset(run: CheckRun, target: GroupTarget, across: AcrossCheck | undefined): CheckWork {
  const { folder, cx } = target.group
  if (isFirst(run.shard)) yield* checkGroupFiles(run, target.group)
  const open = (path: string): Promise<Target> =>
    openTarget(folder.storage, path, { ...cx, keyProven: false, encrypted: false, onFault: undefined })
  const { items, first } = await firstOnes(membersIn(target, open, across), atOnce(folder))
  const concurrency = Math.max(1, first)
  const shared = { ...run, concurrency: run.concurrency * concurrency }
  yield* allInOrder(items, concurrency, async function* (member): CheckWork {
    yield* workOfMember(shared, member, await across?.lostAs(member))
  })
}

async function* workOfMember(run: CheckRun, member: DatasetMember, lostAs?: LostAs): CheckWork {
  if (isFirst(run.shard)) yield* memberItems(member, lostAs)
  const found = member.again || member.state === 'unreadable' ? undefined : member.target
  if (found?.type === 'group') {
    if (isFirst(run.shard)) yield* checkGroupFiles(run, found.group)
  } else if (found && member.state !== 'other-type') yield* workOfObject(run, member, found)
}

/** The members, except those that a fault of the group's own list hides: {@link checkGroupFiles} reports it. */
async function* membersIn(
  target: GroupTarget,
  open: OpenTarget,
  across: AcrossCheck | undefined,
): AsyncGenerator<DatasetMember> {
  try {
    for await (const member of walkDataset(target, open)) {
      await across?.met(member)
      yield member
    }
  } catch (error) {
    unlessFault(error)
  }
}

async function* workOfObject(run: CheckRun, member: DatasetMember, target: Target): CheckWork {
  try {
    yield* workOfTarget(run, target)
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    yield fromError(error, 'GROUP_MEMBER_MISSING', memberPlace(member))
  }
}

async function* workOfTarget(run: CheckRun, target: Target, across?: AcrossCheck): CheckWork {
  if (target.type === 'array') yield* checkArray(run, target.array)
  else if (target.type === 'group') yield* workOfDataset(run, target, across)
  else if (target.type === 'fragment') {
    const { fragment, array } = target
    // A fragment is not split between shards.
    if (!isFirst(run.shard)) return
    if (array) array.cx.onFault = () => {}
    try {
      const entry = await array?.entryOf(fragment.folder)
      const ignored = entry && whyIgnored(entry)
      yield* checkFragment(run, fragment, undefined, ignored)
    } finally {
      await fragment.close()
    }
  } else {
    throw new InspectError('WRONG_TARGET', 'check expects a fragment, an array or a group, found a file', {
      file: target.path,
    })
  }
}
