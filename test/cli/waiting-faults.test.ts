import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { Report } from '../../src/cli/report.ts'
import { Run } from '../../src/cli/run.ts'
import { MemoryStorage } from '../../src/storage/memory.ts'

/** Fails while it holds a tile. */
class Reader {
  readonly tile = new Uint8Array(2 ** 20)

  failed(): InspectError {
    return new InspectError('TRUNCATED', { expected: 'more', found: this.tile.length })
  }
}

/** @param freed called once for each reader that is gone */
function failed(freed: () => void, registry: FinalizationRegistry<() => void>): InspectError {
  const reader = new Reader()
  registry.register(reader, freed)
  return new InspectError('INCONSISTENT', 'a tile is wrong', {}, { cause: reader.failed() })
}

test('faults that wait for the end of a run hold none of the tiles that were read when they were found', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const registry = new FinalizationRegistry<() => void>((freed) => freed())
  const run = new Run(new MemoryStorage(new Map()), Object.create(Report.prototype), false)
  let gone = 0
  for (let i = 0; i < 20; i++)
    run.fault(
      failed(() => gone++, registry),
      false,
    )
  // The last one may still be in a register.
  for (let i = 0; i < 50 && gone < 19; i++) {
    collect()
    await setTimeout(10)
  }
  expect(gone).toBeGreaterThanOrEqual(19)
})
