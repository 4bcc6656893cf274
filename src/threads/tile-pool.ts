import { availableParallelism } from 'node:os'
import type { TileUnit, TileUnitRunner, UnfilteredTiles } from '../cells/tile-units.ts'
import { PoolThread, sharedWork } from './shared-work.ts'

/** Data for each thread at its start. */
export interface TileWorkerSettings {
  key: Uint8Array | undefined
  maxTileSize: number | undefined
}

/** A runner that shares the tiles of local fragments among `jobs` threads, including this one. */
export function unfilterInWorkers(jobs: number, settings: TileWorkerSettings): TileUnitRunner {
  return {
    // About 0.1 s of unfiltering.
    worthBytes: 48 * 2 ** 20,
    unitBytes: 2 ** 20,
    run(units, runHere) {
      // More threads than processors would only take more memory.
      const count = Math.min(jobs, availableParallelism())
      const threads = Array.from({ length: count - 1 }, () => workerThread(settings))
      return sharedWork(units[Symbol.iterator](), runHere, threads, 2 * count)
    },
  }
}

function workerThread(settings: TileWorkerSettings): PoolThread<TileUnit, UnfilteredTiles> {
  return new PoolThread('tile-worker.cjs', settings, ({ room }) => (room ? [room] : []))
}
