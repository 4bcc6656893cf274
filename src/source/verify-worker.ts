import { parentPort, workerData } from 'node:worker_threads'
import { readContext } from '../generic-tile.ts'
import type { Unit } from '../verify/units.ts'
import { packed, UnitWorker } from '../verify/verify.ts'
import { localStorage } from './file.ts'
import { nodeCodecs } from './node-codecs.ts'
import type { Storage } from './source.ts'
import type { WorkerSettings } from './verify-pool.ts'

/** A thread of the pool in verify-pool.ts: answers each unit with what was found, in order. */
const { key, deep, remote, maxTileSize } = workerData as WorkerSettings
let worker: UnitWorker | undefined
let last: Promise<void> = Promise.resolve()

/** What is said of servers, the first thread has said already: it plans the work. */
async function storage(): Promise<Storage> {
  if (!remote) return localStorage
  const { routedStorage } = await import('./remote/remote.ts')
  return routedStorage(localStorage, remote, { warn() {} })
}

parentPort?.on('message', (unit: Unit) => {
  last = last.then(async () => {
    worker ??= new UnitWorker(await storage(), readContext(nodeCodecs, key, maxTileSize), deep)
    parentPort?.postMessage(packed(await worker.run(unit)))
  })
})
