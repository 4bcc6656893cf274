import { parentPort, workerData } from 'node:worker_threads'
import { packed, type Unit, UnitWorker } from '../check/units.ts'
import type { VerifyItem } from '../check/verification.ts'
import { verifyUnit } from '../check/verifier.ts'
import { localStorage } from '../node/file.ts'
import { nodeCodecs } from '../node/node-codecs.ts'
import { readContext } from '../store/generic-tile.ts'
import { lentStorage } from './lent-storage.ts'
import type { WorkerData } from './verify-pool.ts'

/** A thread of the pool in verify-pool.ts. It answers each unit with its results, in order. */
const { key, deep, maxTileSize, port } = workerData as WorkerData
const storage = port ? lentStorage(localStorage, port) : localStorage
const worker = new UnitWorker<VerifyItem>(storage, readContext(nodeCodecs, key, maxTileSize), (...of) =>
  verifyUnit(...of, deep),
)
let last: Promise<unknown> = Promise.resolve()

parentPort?.on('message', (unit: Unit<VerifyItem>) => {
  const before = last
  const found = port ? worker.run(unit) : before.then(() => worker.run(unit))
  // Answered in its turn. A bug of the program ends the thread.
  last = before.then(async () => parentPort?.postMessage(packed(await found)))
})
