import { InspectError } from '../base/errors.ts'
import type { InspectGroup } from '../store/group.ts'
import { isFirst } from '../store/shard.ts'
import type { Target } from '../store/target.ts'
import { checkArray } from './array.ts'
import { type Item, type Items, withoutRepeats } from './finding.ts'
import { checkFragment, whyIgnored } from './fragment.ts'
import { checkGroup } from './group.ts'
import type { CheckRun } from './run.ts'
import { addCounts, type Plan, type Unit, type UnitRunner } from './units.ts'

/**
 * Compares what the metadata of a fragment, an array or a group claims with the stored bytes. Findings are given as they are
 * found. A fault in one part does not stop the others.
 *
 * @param runner shares data files among threads; the findings and their order are the same without it
 * @throws InspectError WRONG_TARGET for files
 */
export async function* checkTarget(run: CheckRun, target: Target, runner?: UnitRunner<Item>): Items {
  const plan = planTarget({ ...run, shared: runner !== undefined }, target, [])
  if (runner) yield* withoutRepeats(itemsOf(run, runner(unitsOf(plan))))
  else for await (const one of plan) if (!('part' in one)) yield one
}

async function* unitsOf(plan: Plan): AsyncGenerator<Unit<Item>> {
  for await (const one of plan) {
    if ('part' in one) yield one
    else yield { path: '', part: { kind: 'known', result: { counts: {}, items: [one] } }, bytes: 0 }
  }
}

async function* itemsOf({ counts }: CheckRun, results: ReturnType<UnitRunner<Item>>): Items {
  for await (const result of results) {
    addCounts(counts, result.counts)
    yield* result.items
  }
}

/** Checks a group and its members. The first shard reports on the group's own files. */
async function* checkWholeGroup(run: CheckRun, group: InspectGroup, above: readonly string[]): Plan {
  const ofMembers = new WeakSet<object>()
  const plan = checkGroup(run, group, above, async function* (member, around, concurrency) {
    for await (const one of planTarget({ ...run, concurrency: run.concurrency * concurrency }, member, around)) {
      ofMembers.add(one)
      yield one
    }
  })
  for await (const one of plan) if (isFirst(run.shard) || ofMembers.has(one)) yield one
}

async function* planTarget(run: CheckRun, target: Target, above: readonly string[]): Plan {
  if (target.type === 'array') yield* checkArray(run, target.array)
  else if (target.type === 'group') yield* checkWholeGroup(run, target.group, above)
  else if (target.type === 'fragment') {
    const { fragment, array } = target
    // A fragment is not split between shards.
    if (!isFirst(run.shard)) return
    if (array) array.cx.onFault = () => {}
    try {
      const entry = await array?.entryAt(fragment.folder.path.slice(array.folder.path.length + 1))
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
