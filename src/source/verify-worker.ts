import { parentPort, workerData } from 'node:worker_threads'
import { readContext } from '../generic-tile.ts'
import type { Unit } from '../verify/units.ts'
import { packed, UnitWorker } from '../verify/verify.ts'
import { localStorage } from './file.ts'
import { nodeCodecs } from './node-codecs.ts'

/** A thread of the pool in verify-pool.ts: answers each unit with what was found, in order. */
const { key, deep } = workerData as { key: Uint8Array | undefined; deep: boolean }
const worker = new UnitWorker(localStorage, readContext(nodeCodecs, key), deep)
let last: Promise<void> = Promise.resolve()

parentPort?.on('message', (unit: Unit) => {
  last = last.then(async () => {
    parentPort?.postMessage(packed(await worker.run(unit)))
  })
})
