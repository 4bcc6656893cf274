import { isFirst, type Shard } from '../objects/shard.ts'
import type { BeginAcross } from './across.ts'
import type { Items, Level } from './finding.ts'

/** The options of a check, and the counts of what it has examined. */
export interface CheckRun {
  readonly level: Level
  /** Also checks uncommitted fragments, and schemas that no fragment uses. */
  readonly all: boolean
  /** The part of the fragments to check. The first part also has everything outside fragments. */
  readonly shard: Shard | undefined
  /** Whether only what a listing reads is checked: names, commit files, the schema in use, footers and sizes of files. */
  readonly quick?: boolean
  /** Whether data files become units of work for several threads. */
  readonly shared?: boolean
  /** Whether this is a unit of work with only some tiles of the fields whose cells are checked. */
  readonly isPart?: boolean
  /** Set by such a unit if only a check of all tiles can show that nothing is wrong. */
  unsure?: boolean
  /** Begins the checks across the arrays of a dataset. Without it, each array is checked alone. */
  readonly across?: BeginAcross
  /** Number of arrays, groups and fragments that are checked at once, including this one. They share the memory. */
  readonly concurrency: number
  readonly counts: { fragment_num: number; file_num: number; tile_num: number; chunk_num: number; cell_num: number }
}

export function newRun(level: Level, all: boolean, shard?: Shard): CheckRun {
  return {
    level,
    all,
    shard,
    concurrency: 1,
    counts: { fragment_num: 0, file_num: 0, tile_num: 0, chunk_num: 0, cell_num: 0 },
  }
}

/** Runs a check of something outside fragments. Other shards than the first need what it reads, but drop its items. */
export async function* ofFirstShard(run: CheckRun, items: Items): Items {
  for await (const item of items) if (isFirst(run.shard)) yield item
}

/** The run for what is outside fragments. Only the first shard counts it. */
export function firstShardRun(run: CheckRun): CheckRun {
  return isFirst(run.shard) ? run : newRun(run.level, run.all, run.shard)
}

/** Whether a run includes a level. */
export function reaches(run: CheckRun, level: Exclude<Level, 'structure'>): boolean {
  return run.level === 'cells' || run.level === level
}
