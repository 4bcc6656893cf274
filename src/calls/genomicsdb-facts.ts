import { InspectError, orError } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { sum } from '../base/sum.ts'
import { fromError, type Item } from '../check/finding.ts'
import type { GenomicsdbCounts } from '../documents/genomicsdb-overview.ts'
import { BOOK_KEEPING_FILE } from '../format/genomicsdb/names.ts'
import type { CallMaps } from '../genomicsdb/calls.ts'
import { type FolderFacts, type IntervalFacts, intervalFacts } from '../genomicsdb/facts.ts'
import type { GenomicsdbTarget } from '../genomicsdb/target.ts'
import { Interval, Workspace, workspaceAround } from '../genomicsdb/workspace.ts'
import { optimizeLater } from '../storage/lean-heap.ts'
import type { CommandContext } from './command.ts'
import { notForGenomicsdb } from './genomicsdb.ts'

/** A workspace with its intervals, or one array with the workspace around it, if there is one. */
export interface OpenedWorkspace {
  workspace: Workspace | undefined
  /** As contigs and positions rise. */
  intervals: readonly Interval[]
  maps: CallMaps
}

/**
 * Opens a workspace or an array.
 * @param onFault called for a map that cannot be read, which is then undefined
 * @throws InspectError WRONG_TARGET for a fragment or a file
 */
export async function openWorkspace(
  cx: CommandContext,
  call: string,
  target: GenomicsdbTarget,
  onFault: (fault: InspectError) => void,
): Promise<OpenedWorkspace> {
  if (target.kind !== 'workspace' && target.kind !== 'array') throw notForGenomicsdb(call, target)
  const interval = target.kind === 'array' ? new Interval(target.array, cx.reading) : undefined
  const workspace =
    target.kind === 'workspace'
      ? new Workspace(target.folder, cx.reading)
      : await workspaceAround(target.array, cx.reading)
  const known = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    const found = await orError(read)
    if (!(found instanceof InspectError)) return found
    onFault(found)
    return undefined
  }
  const maps = {
    callset: workspace && (await known(() => workspace.callset())),
    vidmap: workspace && (await known(() => workspace.vidmap())),
  }
  const intervals = interval ? [interval] : await sortedIntervals(workspace, maps)
  return { workspace, intervals, maps }
}

/** Intervals as their contigs and positions rise; then partitions. */
async function sortedIntervals(
  workspace: Workspace | undefined,
  { vidmap }: Pick<CallMaps, 'vidmap'>,
): Promise<Interval[]> {
  const offsets = new Map((vidmap?.contigs ?? []).map(({ name, offset }) => [name, offset]))
  const begin = ({ place, name }: Interval): number =>
    place ? (offsets.get(place.contig) ?? 0) + place.start : Number.MAX_SAFE_INTEGER / 2 + (Number(name) || 0)
  return [...((await workspace?.intervals()) ?? [])].sort((a, b) => begin(a) - begin(b))
}

/** The facts of all intervals. */
export async function allFacts(intervals: readonly Interval[]): Promise<IntervalFacts[]> {
  optimizeLater()
  const all: IntervalFacts[] = []
  const limit = intervals[0] ? atOnce(intervals[0].folder) : 1
  for await (const facts of inOrder(intervals, limit, intervalFacts)) all.push(facts)
  return all
}

/** Sums over fragments. Those that readers pass over only add bytes. */
export function genomicsdbCounts(all: readonly IntervalFacts[]): Omit<GenomicsdbCounts, 'call_num'> {
  const folders = all.flatMap((one) => one.folders)
  const read = folders.filter(({ state }) => state === 'read')
  return {
    fragment_num: read.length,
    unread_num: folders.length - read.length,
    tile_num: sumIfKnown(read.map(({ tile_num }) => tile_num)),
    cell_num: sumIfKnown(read.map(({ cell_num }) => cell_num)),
    size: sum(folders, ({ size }) => size) + sum(all, ({ other_size }) => other_size),
  }
}

function sumIfKnown(numbers: readonly (number | undefined)[]): number | null {
  let all = 0
  for (const one of numbers) {
    if (one === undefined) return null
    all += one
  }
  return all
}

/** The largest number of fragments in an interval. */
export function mostFragments(all: readonly IntervalFacts[]): number {
  return all.reduce((most, { folders }) => Math.max(most, readFolders(folders).length), 0)
}

export function readFolders(folders: readonly FolderFacts[]): readonly FolderFacts[] {
  return folders.filter(({ state }) => state === 'read')
}

/** What the facts show to be wrong: book-keeping that cannot be read, and files that are missing. */
export function faultItems(all: readonly IntervalFacts[]): Item[] {
  return all.flatMap(({ folders }) =>
    readFolders(folders).flatMap(({ path, fault, missing }) => [
      ...(fault ? [fromError(fault, 'GENOMICSDB_BOOK_KEEPING', { file: `${path}/${BOOK_KEEPING_FILE}` })] : []),
      ...missing.map((one) => fromError(one, 'GENOMICSDB_DATA_FILE', { file: path })),
    ]),
  )
}
