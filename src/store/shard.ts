import { usage } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import type { FragmentEntry, InspectArray } from './array.ts'
import { fileSizes } from './file-sizes.ts'

/** One of several parts of the work on an array. Each fragment belongs to one shard; all other work belongs to the first. */
export interface Shard {
  /** Number of the shard, counted from 0. */
  index: number
  count: number
}

const MOST_SHARDS = 100_000

/** @throws InspectError USAGE */
export function parseShard(text: string): Shard {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text)
  const [index, count] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || index < 1 || index > count || count > MOST_SHARDS) {
    throw usage(`--shard expects i/n with i from 1 to n and n up to ${MOST_SHARDS}, found ${JSON.stringify(text)}`)
  }
  return { index: index - 1, count }
}

/** Text such as `2/4`, which {@link parseShard} reads; undefined if the work is not shared. */
export function shardText(shard: Shard | undefined): string | undefined {
  return shard && `${shard.index + 1}/${shard.count}`
}

/** Whether this shard does the work that belongs to no fragment. */
export function isFirst(shard: Shard | undefined): boolean {
  return shard === undefined || shard.index === 0
}

/**
 * The fragments of one shard, in their original order. Fragments are assigned largest first, each to the shard with the
 * fewest bytes so far. All shards compute the same assignment, as long as the array does not change.
 */
export async function shardOf(
  array: InspectArray,
  entries: readonly FragmentEntry[],
  shard: Shard | undefined,
): Promise<readonly FragmentEntry[]> {
  const { isRemote } = array.folder
  if (isRemote && entries.length > 1) await array.listFragmentsAhead()
  if (!shard) return entries
  const sized: { entry: FragmentEntry; at: number; bytes: number }[] = []
  const sizes = inOrder(entries, atOnce(array.folder), (entry) => folderBytes(array, entry))
  for await (const bytes of sizes) sized.push({ entry: entries[sized.length], at: sized.length, bytes })
  sized.sort((a, b) => b.bytes - a.bytes || a.at - b.at)
  const load = new Float64Array(shard.count)
  const mine: typeof sized = []
  for (const one of sized) {
    let least = 0
    for (let i = 1; i < load.length; i++) if (load[i] < load[least]) least = i
    // Even an empty fragment costs something.
    load[least] += one.bytes + 1
    if (least === shard.index) mine.push(one)
  }
  return mine.sort((a, b) => a.at - b.at).map(({ entry }) => entry)
}

async function folderBytes(array: InspectArray, { path }: FragmentEntry): Promise<number> {
  let bytes = 0
  for (const size of (await fileSizes(array.folder.folder(path))).values()) bytes += size
  return bytes
}
