import { InspectError, orError, unlessFault } from '../base/errors.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { type GenomicsdbCall, type GenomicsdbHandler, genomicsdbNext } from '../calls/genomicsdb.ts'
import {
  allFacts,
  faultItems,
  genomicsdbCounts,
  mostFragments,
  openWorkspace,
  readFolders,
} from '../calls/genomicsdb-facts.ts'
import { genomicsdbFragment } from '../calls/genomicsdb-fragment.ts'
import type { Outcome } from '../calls/outcome.ts'
import { judgement } from '../calls/overview-parts.ts'
import type { Item } from '../check/finding.ts'
import { checkInterval, checkWorkspace, unknownRows } from '../check/genomicsdb/workspace.ts'
import { newRun } from '../check/run.ts'
import type { TimestampRange } from '../documents/common.ts'
import type { GenomicsdbImport, GenomicsdbOverviewDocument } from '../documents/genomicsdb-overview.ts'
import { releasesOfSchema } from '../format/genomicsdb/codings.ts'
import { callsByRow, filesSize, type ImportFacts, type IntervalFacts, importFacts } from '../genomicsdb/facts.ts'
import type { Callset } from '../genomicsdb/maps.ts'
import type { Workspace } from '../genomicsdb/workspace.ts'

/** Most names of each kind in an overview. */
const MAX_NAMES = 10
/** Most cells whose calls an overview counts: it reads two fields of each. */
const MAX_COUNTED = 200_000
/** Milliseconds without a change after which an import that did not end counts as dead. */
const DEAD_AFTER = 60 * 60 * 1000

export const handler: GenomicsdbHandler<object> = {
  async *run(cx, target) {
    if (target.kind === 'fragment') {
      yield await fragmentOutcome(cx, target)
      return
    }
    // A map that cannot be read is a finding.
    const { workspace, intervals, maps } = await openWorkspace(cx, 'overview', target, () => {})
    const facts = await allFacts(intervals)
    const run = { ...newRun('structure', true), quick: true }
    const items: Item[] = faultItems(facts)
    const isWhole = target.kind === 'workspace' && workspace !== undefined
    const found = isWhole ? checkWorkspace(run, workspace) : checkInterval(run, intervals[0] ?? never())
    for await (const item of found) items.push(item)
    if (workspace && maps.callset) items.push(...(await rowItems(workspace, maps.callset, facts)))
    const sums = genomicsdbCounts(facts)
    const times = facts.flatMap(({ folders }) => readFolders(folders).flatMap(({ time }) => time ?? []))
    const versions = new Set(facts.flatMap(({ schema_version }) => schema_version ?? []))
    const sorted = [...versions].sort((a, b) => a - b)
    const samples = [...(maps.callset?.samples ?? [])].sort((a, b) => a.row - b.row)
    const newest = sorted.at(-1)
    const imported = importOf(cx, workspace && (await importFacts(workspace, facts)))
    const document: GenomicsdbOverviewDocument = {
      ...documentHead('genomicsdb-overview', cx.shownPath(target.path)),
      target: isWhole ? 'workspace' : 'array',
      workspace: workspace && !isWhole ? cx.shownPath(workspace.folder.path) : null,
      import: imported,
      sample_num: maps.callset ? samples.length : null,
      samples: samples.slice(0, MAX_NAMES).map(({ name }) => name),
      contig_num: maps.vidmap?.contigs.length ?? null,
      interval_num: intervals.length,
      intervals: intervals.slice(0, MAX_NAMES).map(({ name }) => name),
      field_num: facts.find(({ field_num }) => field_num !== undefined)?.field_num ?? null,
      schema_versions: sorted,
      written_by: newest === undefined ? null : releasesOfSchema(newest),
      timestamp_range: spanOf(times),
      ...sums,
      call_num: await callNum(facts, sums.cell_num),
      size: sums.size + (isWhole ? await sizeAround(workspace) : 0),
      most_fragments: mostFragments(facts),
      ...judgement(cx, items),
      not_checked: ['data; sizes of files; samples against cells'],
      next: genomicsdbNext(cx, target.path, nextOf(isWhole, imported.state)),
    }
    if (!document.ok) cx.foundWrong()
    yield {
      kind: 'document',
      document,
      table: async (out) =>
        (await import('../render/views/genomicsdb-workspace.ts')).genomicsdbOverviewTable(document, out),
    }
  },
}

/**
 * Findings about rows that no sample has, among the first and last rows of fragments: these have cells, as the boxes end at them. Fragments
 * of an import that did not end are left out, because their samples may not be listed yet.
 */
async function rowItems(workspace: Workspace, callset: Callset, facts: readonly IntervalFacts[]): Promise<Item[]> {
  const listed = await orError(() => workspace.fragmentList())
  const listedNames = listed instanceof InspectError || !listed ? undefined : new Set(listed)
  const ends = facts.map(({ interval, folders }) => {
    const counted = readFolders(folders).filter(({ name }) => listedNames?.has(name) ?? true)
    return { interval, rows: new Set(counted.flatMap(({ rows }) => rows ?? [])) }
  })
  return [...unknownRows(workspace.folder.path, callset, ends)]
}

async function fragmentOutcome(cx: CommandContext, target: Parameters<typeof genomicsdbFragment>[1]): Promise<Outcome> {
  const document = await genomicsdbFragment(cx, target)
  if (!document.ok) cx.foundWrong()
  return {
    kind: 'document',
    document,
    table: async (out) =>
      (await import('../render/views/genomicsdb-workspace.ts')).genomicsdbFragmentTable(document, out),
  }
}

function never(): never {
  throw new TypeError('an array has an interval')
}

function spanOf(times: readonly bigint[]): TimestampRange | null {
  const sorted = times.toSorted((a, b) => Number(a - b))
  const [first, last] = [sorted[0], sorted.at(-1)]
  return first === undefined || last === undefined ? null : [first, last]
}

/** Number of calls; null if there are too many cells, or some cannot be read. */
async function callNum(facts: readonly IntervalFacts[], cells: number | null): Promise<number | null> {
  if (cells === null || cells > MAX_COUNTED) return null
  let calls = 0
  for (const { interval } of facts) {
    const counts = await callsByRow(interval).catch(unlessFault)
    if (!counts) return null
    for (const count of counts.values()) calls += count
  }
  return calls
}

async function sizeAround(workspace: Workspace): Promise<number> {
  return filesSize(workspace.folder, await workspace.entries())
}

function importOf({ reading: { now } }: CommandContext, found: ImportFacts | undefined): GenomicsdbImport {
  const { signs = [], fresh = [], changed = 0 } = found ?? {}
  const isOld = Number(now) - changed > DEAD_AFTER
  const unfinished = isOld ? 'died' : 'running'
  return {
    state: signs.length === 0 ? 'complete' : unfinished,
    signs,
    new_fragments: fresh.slice(0, MAX_NAMES).map(({ name }) => name),
    new_fragment_num: fresh.length,
  }
}

function nextOf(isWorkspace: boolean, state: GenomicsdbImport['state']): GenomicsdbCall[] {
  return [
    [isWorkspace ? 'its intervals' : 'its fragments', 'ls'],
    ...(isWorkspace ? [['calls of each sample', 'ls', '--samples'] as const] : []),
    ['first calls', 'read', '--limit 10'],
    state === 'complete' ? ['every tile', 'check'] : ['the way back', 'check', '--plan'],
  ]
}
