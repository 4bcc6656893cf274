import { parentPort, workerData } from 'node:worker_threads'
import type { Unit } from '../check/units.ts'
import type { Verification } from '../check/verification.ts'
import { packed, UnitWorker } from '../check/verify.ts'
import { localStorage } from '../node/file.ts'
import { nodeCodecs } from '../node/node-codecs.ts'
import { readContext } from '../store/generic-tile.ts'
import { lentStorage } from './lent-storage.ts'
import type { WorkerData } from './verify-pool.ts'

/** A thread of the pool in verify-pool.ts. It answers each unit with its results, in order. */
const { key, deep, maxTileSize, port } = workerData as WorkerData
const storage = port ? lentStorage(localStorage, port) : localStorage
const worker = new UnitWorker(storage, readContext(nodeCodecs, key, maxTileSize), deep)
let last: Promise<unknown> = Promise.resolve()

parentPort?.on('message', (unit: Unit) => {
  const before = last
  const found: Promise<Verification> = port ? worker.run(unit) : before.then(() => worker.run(unit))
  // Answered in its turn. A bug of the program ends the thread.
  last = before.then(async () => parentPort?.postMessage(packed(await found)))
})
