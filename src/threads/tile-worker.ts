import { parentPort, workerData } from 'node:worker_threads'
import { Memory } from '../base/memory.ts'
import { type TileUnit, tileUnitWorker } from '../cells/tile-units.ts'
import { localFiles } from '../node/file.ts'
import { nodeCodecs } from '../node/node-codecs.ts'
import { readContext } from '../objects/read-context.ts'
import type { TileWorkerSettings } from './tile-pool.ts'

/** A thread of the pool in tile-pool.ts. It answers each unit with its unfiltered tiles, in order. */
const { key, memory } = workerData as TileWorkerSettings
const undo = tileUnitWorker(localFiles, readContext(nodeCodecs, key, new Memory(memory.bytes, memory.isSet)))
let last: Promise<void> = Promise.resolve()

parentPort?.on('message', (unit: TileUnit) => {
  last = last.then(async () => {
    const done = await undo(unit)
    parentPort?.postMessage(done, [done.room])
  })
})
