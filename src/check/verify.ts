import { InspectError } from '../base/errors.ts'
import { allInOrder, atOnce } from '../base/in-order.ts'
import { tileRole } from '../cells/tile-places.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { InspectArray } from '../store/array.ts'
import type { Fragment } from '../store/fragment.ts'
import type { ReadContext } from '../store/generic-tile.ts'
import type { InspectGroup } from '../store/group.ts'
import { findMember } from '../store/group-members.ts'
import { isFirst, type Shard, shardOf } from '../store/shard.ts'
import { openTarget, type Target } from '../store/target.ts'
import { tileRuns, type Unit, type UnitRunner } from './units.ts'
import type { Verified, VerifyFailure, VerifyItem } from './verification.ts'

export interface VerifyOptions {
  /** Includes uncommitted fragments. */
  all: boolean
  /** Only one part of an array's fragments, balanced by bytes. */
  shard: Shard | undefined
}

type VerifyUnit = Unit<VerifyItem>
type Units = AsyncGenerator<VerifyUnit>

/**
 * Verifies every MD5, SHA-256 and AES-GCM tag of a fragment, an array or all members of a group. It continues after a failure
 * and gives failures as they are found. A wrong tag is held back until another tag is right; if none is, the key is wrong.
 * The result does not depend on who runs the units.
 *
 * @param progress called with the number of finished units
 * @param found collects everything except the failures that are given
 * @throws InspectError WRONG_TARGET
 */
export async function* verifyFailures(
  target: Target,
  cx: ReadContext,
  options: VerifyOptions,
  runner: UnitRunner<VerifyItem>,
  progress: (done: number) => void,
  found: Verified,
): AsyncGenerator<VerifyFailure> {
  let done = 0
  for await (const result of runner(planTarget(target, cx, options))) {
    found.add(result)
    yield* found.settled()
    progress(++done)
  }
  yield* found.rest()
}

/**
 * All work of a target in a fixed order. The units do not depend on the number of workers.
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
    throw new InspectError('WRONG_TARGET', 'expected a fragment, an array or a group, found a file', {
      file: target.path,
    })
}

/** @param above identifies the enclosing groups. A group that contains itself is not visited again. */
async function* groupUnits(
  group: InspectGroup,
  cx: ReadContext,
  options: VerifyOptions,
  above: readonly string[],
): Units {
  const { folder } = group
  if (isFirst(options.shard)) yield { path: folder.path, part: { kind: 'group-files' }, bytes: 0 }
  const identity = await group.identity()
  const faults: InspectError[] = []
  group.cx.onFault = (one) => void faults.push(one)
  const members = await group.members()
  if (isFirst(options.shard)) for (const one of faults) yield fault(one.at.file ?? folder.path, one)
  yield* allInOrder(members, atOnce(folder), async function* (member): Units {
    const inside: ReadContext = { ...cx, keyProven: false, encrypted: false }
    const { state, path, target, error } = await findMember(group, member, [...above, identity], (path) =>
      openTarget(folder.storage, path, inside),
    )
    // The group is being verified already. This is not damage, and nothing is left out.
    if (state === 'cycle') return
    try {
      if (target) yield* planTarget(target, inside, options, [...above, identity])
      else if (isFirst(options.shard)) yield fault(path ?? folder.path, error)
    } catch (error) {
      const one = fault(path ?? folder.path, error)
      if (isFirst(options.shard)) yield one
    }
  })
}

async function* arrayUnits(array: InspectArray, options: VerifyOptions): Units {
  const { shard } = options
  if (isFirst(shard)) yield { path: array.folder.path, part: { kind: 'array-files' }, bytes: 0 }
  // The unit of the array's own files reports this.
  array.cx.onFault = () => {}
  const there = await array.fragments()
  const entries = there.filter((entry) => options.all || entry.committed)
  // Without a metadata file, not even --all verifies a folder.
  const skipped = options.all ? 0 : there.filter(({ committed, state }) => !committed && state !== 'no-metadata').length
  const skippedCounts = { skipped_fragment_num: skipped, skipped_array_num: entries.length === 0 ? 1 : 0 }
  if (skipped > 0 && isFirst(shard))
    yield {
      path: array.folder.path,
      part: { kind: 'known', result: { counts: skippedCounts, items: [] } },
      bytes: 0,
    }
  const mine = await shardOf(array, entries, shard)
  yield* allInOrder(mine, atOnce(array.folder), async function* (entry): Units {
    if (entry.state === 'no-metadata') return
    const fragment = array.fragment(entry.path)
    try {
      // A fragment that readers ignore may lack its metadata, as a write or a vacuum ended early.
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
    // The metadata file's own unit reports its faults.
    if (!(error instanceof InspectError)) throw error
  }
}

function fault(path: string, error: unknown): VerifyUnit {
  if (!(error instanceof InspectError)) throw error
  return { path, part: { kind: 'known', result: { counts: {}, items: [{ notExamined: error }] } }, bytes: 0 }
}
