import { InspectError, orError, usage } from '../base/errors.ts'
import type { Output, Result } from '../base/result.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead, errorResult } from '../calls/document-parts.ts'
import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import {
  allFacts,
  genomicsdbCounts,
  type OpenedWorkspace,
  openWorkspace,
  readFolders,
} from '../calls/genomicsdb-facts.ts'
import { fragmentLine, genomicsdbFragment } from '../calls/genomicsdb-fragment.ts'
import {
  checkListOrder,
  type ListCut,
  type ListOptions,
  type ListOrder,
  parseListOptions,
  sortedBy,
} from '../calls/list-order.ts'
import type { Outcome } from '../calls/outcome.ts'
import type { GenomicsdbArrayDocument } from '../documents/genomicsdb-array.ts'
import type { GenomicsdbFragmentDocument } from '../documents/genomicsdb-fragment.ts'
import type {
  GenomicsdbInterval,
  GenomicsdbIntervals,
  GenomicsdbSample,
  GenomicsdbSamples,
} from '../documents/genomicsdb-workspace.ts'
import { callsByRow, type IntervalFacts, intervalFacts } from '../genomicsdb/facts.ts'
import type { Contig } from '../genomicsdb/maps.ts'
import type { Interval } from '../genomicsdb/workspace.ts'

interface Options extends ListOptions {
  samples?: boolean
}

export const handler: GenomicsdbHandler<Options> = {
  async *run(cx, target, _args, options) {
    const cut = parseListOptions(options)
    if (target.kind === 'fragment') {
      if (options.samples) throw notForGenomicsdb('ls --samples', target)
      yield await filesOutcome(cx, target, cut)
      return
    }
    const opened = await openWorkspace(cx, 'ls', target, (fault) => cx.fault(fault))
    if (options.samples) yield await samplesOutcome(cx, target.path, opened, cut)
    else if (target.kind === 'workspace') yield await intervalsOutcome(cx, target.path, opened, cut)
    else for (const interval of opened.intervals) yield await fragmentsOutcome(cx, target.path, interval, cut)
  },
}

/** The list in the order, and with the length, that was asked for. @param keys what each order sorts by */
function cutList<T>(
  list: readonly T[],
  { order, isReverse, limit }: ListCut,
  keys: Parameters<typeof sortedBy<T>>[3],
): T[] {
  if (order !== undefined) checkListOrder(order, Object.keys(keys) as ListOrder[])
  const asFound = isReverse ? list.toReversed() : [...list]
  return (order === undefined ? asFound : sortedBy(list, order, isReverse, keys)).slice(0, limit)
}

async function intervalsOutcome(
  cx: CommandContext,
  path: string,
  opened: OpenedWorkspace,
  cut: ListCut,
): Promise<Outcome> {
  const all = await allFacts(opened.intervals)
  const contigs = opened.maps.vidmap?.contigs ?? []
  const lines = cutList(
    all.map((one) => intervalLine(cx, one, contigs)),
    cut,
    {
      name: ({ name }) => name,
      size: ({ size }) => size,
      cells: ({ cell_num }) => cell_num,
      fragments: ({ fragment_num }) => fragment_num,
    },
  )
  const document: GenomicsdbIntervals = {
    ...documentHead('genomicsdb-workspace', cx.shownPath(path)),
    intervals: lines,
    interval_num: all.length,
    sample_num: opened.maps.callset?.samples.length ?? null,
  }
  return rowsOutcome(document, lines, async (out) =>
    (await import('../render/views/genomicsdb-workspace.ts')).intervalsTable(document, out),
  )
}

function rowsOutcome(
  document: GenomicsdbIntervals | GenomicsdbSamples | GenomicsdbArrayDocument | GenomicsdbFragmentDocument,
  rows: readonly Result[],
  table: (out: Output) => Promise<void>,
): Outcome {
  return { kind: 'rows', document, rows, table }
}

function intervalLine(cx: CommandContext, facts: IntervalFacts, contigs: readonly Contig[]): GenomicsdbInterval {
  const { interval, batch_num, fault, folders, bounds } = facts
  const { place } = interval
  const broken = fault ?? readFolders(folders).find((one) => one.fault)?.fault
  if (broken) cx.fault(broken)
  return {
    name: interval.name,
    contig: place?.contig ?? null,
    contigs: place ? [place.contig] : contigsWithin(contigs, bounds),
    start: place?.start ?? null,
    end: place?.end ?? null,
    ...genomicsdbCounts([facts]),
    batch_num: batch_num ?? null,
    error: broken && errorResult(cx, broken),
  }
}

/** Names of the contigs that have some of the columns. */
function contigsWithin(contigs: readonly Contig[], bounds: IntervalFacts['bounds']): string[] {
  if (!bounds) return []
  const [first, last] = bounds
  return contigs.filter(({ offset, length }) => offset <= last && offset + length > first).map(({ name }) => name)
}

/** Samples with their calls, and rows that have calls and no sample. */
async function samplesOutcome(
  cx: CommandContext,
  path: string,
  opened: OpenedWorkspace,
  cut: ListCut,
): Promise<Outcome> {
  const { intervals, maps, workspace } = opened
  if (!workspace) throw usage({ expected: 'a workspace for --samples', found: 'an array without one around it' })
  const counts = new Map<number, { interval_num: number; call_num: number }>()
  for (const interval of intervals) {
    const found = await orError(() => callsByRow(interval))
    if (found instanceof InspectError) {
      cx.fault(found)
      continue
    }
    for (const [row, calls] of found) {
      const before = counts.get(row) ?? { interval_num: 0, call_num: 0 }
      counts.set(row, { interval_num: before.interval_num + 1, call_num: before.call_num + calls })
    }
  }
  const none = { interval_num: 0, call_num: 0 }
  const named = (maps.callset?.samples ?? []).map(({ name, row }) => ({ name, row, ...(counts.get(row) ?? none) }))
  const known = new Set(named.map(({ row }) => row))
  const unnamed = [...counts].flatMap(([row, count]) => (known.has(row) ? [] : [{ name: null, row, ...count }]))
  const byRow = (a: GenomicsdbSample, b: GenomicsdbSample): number => a.row - b.row
  const samples = cutList<GenomicsdbSample>([...named.sort(byRow), ...unnamed.sort(byRow)], cut, {
    name: ({ name }) => name,
    cells: ({ call_num }) => call_num,
  })
  const document: GenomicsdbSamples = {
    ...documentHead('genomicsdb-workspace', cx.shownPath(path)),
    samples,
    interval_num: intervals.length,
  }
  return rowsOutcome(document, samples, async (out) =>
    (await import('../render/views/genomicsdb-workspace.ts')).samplesTable(document, out),
  )
}

async function fragmentsOutcome(cx: CommandContext, path: string, interval: Interval, cut: ListCut): Promise<Outcome> {
  const { folders, fault } = await intervalFacts(interval)
  if (fault) cx.fault(fault)
  const fragments = cutList(
    folders.map((one) => {
      if (one.fault && one.state === 'read') cx.fault(one.fault)
      return fragmentLine(cx, one)
    }),
    cut,
    {
      name: ({ name }) => name,
      size: ({ size }) => size,
      cells: ({ cell_num }) => cell_num,
      written: ({ timestamp }) => timestamp,
    },
  )
  const document: GenomicsdbArrayDocument = {
    ...documentHead('genomicsdb-array', cx.shownPath(path)),
    fragments,
    fragment_num: folders.length,
  }
  return rowsOutcome(document, fragments, async (out) =>
    (await import('../render/views/genomicsdb-workspace.ts')).fragmentsTable(document, out),
  )
}

async function filesOutcome(
  cx: CommandContext,
  target: Parameters<typeof genomicsdbFragment>[1],
  cut: ListCut,
): Promise<Outcome> {
  const found = await genomicsdbFragment(cx, target)
  const files = cutList(found.files, cut, { name: ({ name }) => name, size: ({ size }) => size })
  const document: GenomicsdbFragmentDocument = { ...found, files }
  return rowsOutcome(document, files, async (out) =>
    (await import('../render/views/genomicsdb-workspace.ts')).filesTable(document, out),
  )
}
