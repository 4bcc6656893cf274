import { faultOf, InspectError, unlessFault } from '../base/errors.ts'
import { allInOrder, atOnce } from '../base/in-order.ts'
import { tileRole } from '../cells/tile-places.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { InspectArray } from '../objects/array.ts'
import { walkDataset } from '../objects/dataset.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { isFirst, type Shard, shardOf } from '../objects/shard.ts'
import { type GroupTarget, openTarget, type Target } from '../objects/target.ts'
import { knownUnit, tileStretches, type Unit, type UnitRunner } from './units.ts'
import type { Verified, VerifyFailure, VerifyItem } from './verified.ts'

export interface VerifyOptions {
  /** Includes uncommitted fragments. */
  all: boolean
  /** Only one part of an array's fragments; all parts have about the same number of bytes. */
  shard: Shard | undefined
}

type VerifyUnit = Unit<VerifyItem>
type Units = AsyncGenerator<VerifyUnit>

/**
 * Verifies every MD5, SHA-256 and AES-GCM tag of a fragment, an array or all members of a group. Continues after a failure,
 * and yields failures as they are found. A wrong tag has to wait until another tag is right; if none is, the key is wrong.
 * The result does not depend on the runner.
 *
 * @param found collects everything except the failures that are yielded
 * @throws InspectError WRONG_TARGET
 */
export async function* verifyFailures(
  target: Target,
  cx: ReadContext,
  options: VerifyOptions,
  runner: UnitRunner<VerifyItem>,
  found: Verified,
): AsyncGenerator<VerifyFailure> {
  for await (const result of runner(unitsToVerify(target, cx, options))) {
    found.add(result)
    yield* found.settled()
  }
  yield* found.rest()
}

/**
 * Lists all work of a target in a fixed order. The units do not depend on the number of threads.
 * @throws InspectError WRONG_TARGET
 */
export async function* unitsToVerify(target: Target, cx: ReadContext, options: VerifyOptions): Units {
  if (target.type === 'fragment') {
    // As in a check, the first shard has all of it.
    if (isFirst(options.shard)) yield* fragmentUnits(target.fragment)
  } else if (target.type === 'array') yield* arrayUnits(target.array, options)
  else if (target.type === 'group') yield* datasetUnits(target, cx, options)
  else
    throw new InspectError(
      'WRONG_TARGET',
      { expected: 'a fragment, an array or a group', found: 'a file' },
      {
        file: target.path,
      },
    )
}

/** An object that several members name is verified once. */
async function* datasetUnits(target: GroupTarget, cx: ReadContext, options: VerifyOptions): Units {
  const { group } = target
  const first = isFirst(options.shard)
  const faults: InspectError[] = []
  group.cx.onFault = (one) => void faults.push(one)
  if (first) yield groupFiles(target)
  const inside = (): ReadContext => ({
    ...cx,
    keyProven: false,
    encrypted: false,
    onFault: (one) => void faults.push(one),
  })
  const members = walkDataset(target, (path) => openTarget(group.folder.storage, path, inside()))
  yield* allInOrder(members, atOnce(group.folder), async function* ({ state, target: found, error, again }): Units {
    if (first) for (const one of faults.splice(0)) yield faultUnit(one)
    // A group around this one contains the member, and verifies it.
    if (state === 'cycle' || again) return
    if (found?.type === 'group') {
      if (first) yield groupFiles(found)
    } else if (found) {
      try {
        yield* unitsToVerify(found, inside(), options)
      } catch (caught) {
        const one = faultUnit(caught)
        if (first) yield one
      }
    }
    if (error && first) yield faultUnit(error)
  })
}

function groupFiles({ group }: GroupTarget): VerifyUnit {
  return { path: group.folder.path, part: { kind: 'group-files' }, bytes: 0 }
}

async function* arrayUnits(array: InspectArray, options: VerifyOptions): Units {
  const { shard } = options
  if (isFirst(shard)) yield { path: array.folder.path, part: { kind: 'array-files' }, bytes: 0 }
  // The unit of the array's own files reports faults of its commit files.
  array.cx.onFault = () => {}
  const there = await array.fragments()
  const entries = there.filter((entry) => options.all || entry.committed)
  // A folder without a metadata file is not verified, even with --all.
  const skipped = options.all ? 0 : there.filter(({ committed, state }) => !committed && state !== 'no-metadata').length
  const skippedCounts = { skipped_fragment_num: skipped, skipped_array_num: entries.length === 0 ? 1 : 0 }
  if (skipped > 0 && isFirst(shard)) yield knownUnit([], skippedCounts)
  const mine = await shardOf(array, entries, shard)
  yield* allInOrder(mine, atOnce(array.folder), async function* (entry): Units {
    if (entry.state === 'no-metadata') return
    const fragment = array.fragment(entry.path)
    try {
      // A fragment that readers ignore may lack its metadata: an interrupted write or vacuum leaves it so.
      if (!entry.isRead && (await fragment.folder.kind(FRAGMENT_METADATA_FILE)) !== 'file') return
      yield* fragmentUnits(fragment)
    } finally {
      await fragment.close()
    }
  })
}

async function* fragmentUnits(fragment: Fragment): Units {
  const { path } = fragment.folder
  yield { path, part: { kind: 'fragment-metadata' }, bytes: 0 }
  try {
    const info = await fragment.info()
    for (const file of await fragment.fieldFiles()) {
      const part = { kind: 'data-file', name: file.name, slot: file.slot, role: tileRole(file) } as const
      for (const { from, to, bytes } of await tileStretches(fragment, info, [file]))
        yield { path, part: { ...part, from, to }, bytes }
      fragment.forget()
    }
  } catch (error) {
    // The unit of the metadata file reports its faults.
    unlessFault(error)
  }
}

/** @throws the error, if it is not one that reading throws */
function faultUnit(error: unknown): VerifyUnit {
  return knownUnit([{ notExamined: faultOf(error) }])
}
