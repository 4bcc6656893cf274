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

const MAX_SHARDS = 100_000

/** @throws InspectError USAGE */
export function parseShard(text: string): Shard {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(text)
  const [index, count] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || index < 1 || index > count || count > MAX_SHARDS) {
    throw usage(`--shard expects i/n with i from 1 to n and n up to ${MAX_SHARDS}, found ${JSON.stringify(text)}`)
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
  const withSize = async (entry: FragmentEntry) => ({ entry, bytes: await folderBytes(array, entry) })
  for await (const one of inOrder(entries, atOnce(array.folder), withSize)) sized.push({ ...one, at: sized.length })
  sized.sort((a, b) => b.bytes - a.bytes || a.at - b.at)
  const loads = Array.from({ length: shard.count }, (_, index) => ({ index, bytes: 0 }))
  const mine: typeof sized = []
  for (const one of sized) {
    const least = loads.reduce((a, b) => (b.bytes < a.bytes ? b : a))
    // Even an empty fragment costs something.
    least.bytes += one.bytes + 1
    if (least.index === shard.index) mine.push(one)
  }
  return mine.sort((a, b) => a.at - b.at).map(({ entry }) => entry)
}

async function folderBytes(array: InspectArray, { path }: FragmentEntry): Promise<number> {
  let bytes = 0
  for (const size of (await fileSizes(array.folder.folder(path))).values()) bytes += size
  return bytes
}
