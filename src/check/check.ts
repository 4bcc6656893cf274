import { InspectError } from '../errors.ts'
import type { Target } from '../target.ts'
import { checkArray } from './array.ts'
import type { Items } from './finding.ts'
import { checkFragment } from './fragment.ts'
import { checkGroup } from './group.ts'
import type { CheckRun } from './run.ts'
import { CheckedSchemas } from './schemas.ts'

/**
 * What the metadata of a fragment, an array or a group claims against what the bytes hold. Findings come as they are
 * found; each part goes on after the faults of another.
 *
 * @throws InspectError WRONG_TARGET for files
 */
export async function* checkTarget(run: CheckRun, target: Target, above: readonly string[] = []): Items {
  if (target.type === 'array') yield* checkArray(run, target.array)
  else if (target.type === 'group') {
    yield* checkGroup(run, target.group, above, (member, around) => checkTarget(run, member, around))
  } else if (target.type === 'fragment') {
    const { fragment, array } = target
    if (array) array.cx.onFault = () => {}
    try {
      yield* checkFragment(run, fragment, array && new CheckedSchemas(run, array))
    } finally {
      await fragment.close()
    }
  } else {
    throw new InspectError('WRONG_TARGET', 'check expects a fragment, an array or a group, found a file', {
      file: target.path,
    })
  }
}
