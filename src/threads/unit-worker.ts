import { parentPort, workerData } from 'node:worker_threads'
import { asInspectError } from '../base/errors.ts'
import { Memory } from '../base/memory.ts'
import { checkUnit } from '../check/data-files.ts'
import type { Item } from '../check/finding.ts'
import { packed, type Unit, UnitWorker } from '../check/units.ts'
import type { VerifyItem } from '../check/verified.ts'
import { verifyUnit } from '../check/verify-unit.ts'
import { localFiles } from '../node/file.ts'
import { nodeCodecs } from '../node/node-codecs.ts'
import { readContext } from '../objects/read-context.ts'
import { lentStorage } from './lent-storage.ts'
import type { ThreadAnswer, WorkerData } from './unit-pool.ts'

/** A thread of the pool in unit-pool.ts. It answers each unit with its results, in order. */
const { key, deep, memory, port } = workerData as WorkerData
const storage = port ? lentStorage(localFiles, port) : localFiles
const cx = readContext(nodeCodecs, key, new Memory(memory.bytes, memory.isSet))
const worker =
  deep === undefined
    ? new UnitWorker<Item>(storage, cx, checkUnit)
    : new UnitWorker<VerifyItem>(storage, cx, (target, inside, unit) => verifyUnit(target, inside, unit, deep))

async function answer(unit: Unit<never>): Promise<ThreadAnswer<object>> {
  try {
    return { result: packed<object>(await worker.run(unit)) }
  } catch (error) {
    const { code, fault, at } = asInspectError(error)
    return { failure: { code, fault, at } }
  }
}

let last: Promise<unknown> = Promise.resolve()
parentPort?.on('message', (unit: Unit<never>) => {
  const before = last
  const found = port ? answer(unit) : before.then(() => answer(unit))
  // Answers are sent in the order of the units.
  last = before.then(async () => parentPort?.postMessage(await found))
})
