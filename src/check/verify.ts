import { faultOf, InspectError, unlessFault } from '../base/errors.ts'
import { allInOrder, atOnce } from '../base/in-order.ts'
import { tileRole } from '../cells/tile-places.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { InspectArray } from '../objects/array.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { ReadContext } from '../objects/generic-tile.ts'
import type { InspectGroup } from '../objects/group.ts'
import { findMember } from '../objects/group-members.ts'
import { isFirst, type Shard, shardOf } from '../objects/shard.ts'
import { openTarget, type Target } from '../objects/target.ts'
import { knownUnit, tileRuns, type Unit, type UnitRunner } from './units.ts'
import type { Verified, VerifyFailure, VerifyItem } from './verification.ts'

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
  for await (const result of runner(planTarget(target, cx, options))) {
    found.add(result)
    yield* found.settled()
  }
  yield* found.rest()
}

/**
 * Lists all work of a target in a fixed order. The units do not depend on the number of threads.
 * @param above identities of the enclosing groups; a group that contains itself is not visited again
 * @throws InspectError WRONG_TARGET
 */
export async function* planTarget(
  target: Target,
  cx: ReadContext,
  options: VerifyOptions,
  above: readonly string[] = [],
): Units {
  if (target.type === 'fragment') {
    // A fragment is not split between shards.
    if (isFirst(options.shard)) yield* fragmentUnits(target.fragment)
  } else if (target.type === 'array') yield* arrayUnits(target.array, options)
  else if (target.type === 'group') yield* groupUnits(target.group, cx, options, above)
  else
    throw new InspectError(
      'WRONG_TARGET',
      { expected: 'a fragment, an array or a group', found: 'a file' },
      {
        file: target.path,
      },
    )
}

async function* groupUnits(
  group: InspectGroup,
  cx: ReadContext,
  options: VerifyOptions,
  above: readonly string[],
): Units {
  const { folder } = group
  const first = isFirst(options.shard)
  if (first) yield { path: folder.path, part: { kind: 'group-files' }, bytes: 0 }
  const around = [...above, await group.identity()]
  const faults: InspectError[] = []
  group.cx.onFault = (one) => void faults.push(one)
  const members = await group.members()
  if (first) for (const one of faults) yield faultUnit(one)
  yield* allInOrder(members, atOnce(folder), async function* (member): Units {
    const inside: ReadContext = { ...cx, keyProven: false, encrypted: false }
    const { state, target, error } = await findMember(group, member, around, (path) =>
      openTarget(folder.storage, path, inside),
    )
    // A group around this one contains the member, and verifies it.
    if (state === 'cycle') return
    try {
      if (!target) throw error
      yield* planTarget(target, inside, options, around)
    } catch (caught) {
      const one = faultUnit(caught)
      if (first) yield one
    }
  })
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
      for (const { from, to, bytes } of await tileRuns(fragment, info, [file]))
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
