import { availableParallelism } from 'node:os'
import type { Memory, MemoryFacts } from '../base/memory.ts'
import { LARGE_TILE } from '../cells/large-tiles.ts'
import type { TileUnit, TileUnitRunner, UnfilteredTiles } from '../cells/tile-units.ts'
import { PoolThread, sharedWork } from './shared-work.ts'

/** Data for each thread at its start. */
export interface TileWorkerSettings {
  key: Uint8Array | undefined
  memory: MemoryFacts
}

/** A runner that shares the tiles of local fragments among `jobs` threads, including this one. */
export function unfilterInWorkers(
  jobs: number,
  { key, memory }: { key: Uint8Array | undefined; memory: Memory },
): TileUnitRunner {
  const count = Math.min(jobs, availableParallelism())
  const ahead = 2 * count
  return {
    largestTile: Math.min(LARGE_TILE, Math.floor(memory.room / ahead)),
    // About 0.1 s of unfiltering.
    worthBytes: 48 * 2 ** 20,
    unitBytes: 2 ** 20,
    run(units, runHere) {
      const threads = Array.from({ length: count - 1 }, () => workerThread({ key, memory: memory.facts }))
      return sharedWork(units[Symbol.iterator](), runHere, threads, ahead)
    },
  }
}

function workerThread(settings: TileWorkerSettings): PoolThread<TileUnit, UnfilteredTiles> {
  return new PoolThread('tile-worker.cjs', settings, ({ room }) => (room ? [room] : []))
}
