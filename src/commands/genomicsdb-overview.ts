import { unlessFault } from '../base/errors.ts'
import { shellWord } from '../base/shell-word.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import type { GenomicsdbHandler } from '../calls/genomicsdb.ts'
import {
  allFacts,
  countsOf,
  faultItems,
  genomicsdbSource,
  mostFragments,
  readFolders,
} from '../calls/genomicsdb-facts.ts'
import { judgement } from '../calls/overview-parts.ts'
import type { Item } from '../check/finding.ts'
import { checkInterval, checkWorkspace } from '../check/genomicsdb/workspace.ts'
import { newRun } from '../check/run.ts'
import type { TimestampRange } from '../documents/common.ts'
import type { GenomicsdbImport, GenomicsdbOverviewDocument } from '../documents/genomicsdb-overview.ts'
import { writtenBy } from '../format/genomicsdb/codings.ts'
import { callsByRow, type ImportFacts, type IntervalFacts, importFacts, sizeOf } from '../genomicsdb/facts.ts'
import type { Workspace } from '../genomicsdb/workspace.ts'

/** Most names of each kind in an overview. */
const MOST_NAMES = 10
/** Most cells whose calls an overview counts: it reads two fields of each. */
const MOST_COUNTED = 200_000
/** Milliseconds without a change after which an import that did not end counts as dead. */
const DEAD_AFTER = 60 * 60 * 1000

export const handler: GenomicsdbHandler<object> = {
  async *run(cx, target) {
    // A map that cannot be read is a finding.
    const { workspace, intervals, maps } = await genomicsdbSource(cx, 'overview', target, () => {})
    const all = await allFacts(intervals)
    const run = { ...newRun('structure', true), quick: true }
    const items: Item[] = faultItems(all)
    const isWhole = target.kind === 'workspace' && workspace !== undefined
    const found = isWhole ? checkWorkspace(run, workspace) : checkInterval(run, intervals[0] ?? never())
    for await (const item of found) items.push(item)
    const sums = countsOf(all)
    const times = all.flatMap(({ folders }) => readFolders(folders).flatMap(({ time }) => time ?? []))
    const versions = new Set(all.flatMap(({ schema_version }) => schema_version ?? []))
    const sorted = [...versions].sort((a, b) => a - b)
    const samples = [...(maps.callset?.samples ?? [])].sort((a, b) => a.row - b.row)
    const newest = sorted.at(-1)
    const imported = importOf(cx, workspace && (await importFacts(workspace, all)))
    const document: GenomicsdbOverviewDocument = {
      ...documentHead('genomicsdb-overview', cx.shownPath(target.path)),
      target: isWhole ? 'workspace' : 'array',
      workspace: workspace && !isWhole ? cx.shownPath(workspace.folder.path) : null,
      import: imported,
      sample_num: maps.callset ? samples.length : null,
      samples: samples.slice(0, MOST_NAMES).map(({ name }) => name),
      contig_num: maps.vidmap?.contigs.length ?? null,
      interval_num: intervals.length,
      intervals: intervals.slice(0, MOST_NAMES).map(({ name }) => name),
      field_num: all.find(({ field_num }) => field_num !== undefined)?.field_num ?? null,
      schema_versions: sorted,
      written_by: newest === undefined ? null : writtenBy(newest),
      timestamp_range: spanOf(times),
      ...sums,
      call_num: await callNum(all, sums.cell_num),
      size: sums.size + (isWhole ? await sizeAround(workspace) : 0),
      most_fragments: mostFragments(all),
      ...judgement(cx, items),
      not_checked: ['data; sizes of files; samples against cells'],
      next: nextCommands(cx, target.path, isWhole, imported.state),
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

function never(): never {
  throw new TypeError('an array has an interval')
}

function spanOf(times: readonly bigint[]): TimestampRange | null {
  const sorted = times.toSorted((a, b) => Number(a - b))
  const [first, last] = [sorted[0], sorted.at(-1)]
  return first === undefined || last === undefined ? null : [first, last]
}

/** Number of calls; null if there are too many cells, or some cannot be read. */
async function callNum(all: readonly IntervalFacts[], cells: number): Promise<number | null> {
  if (cells > MOST_COUNTED) return null
  let calls = 0
  for (const { interval } of all) {
    const counts = await callsByRow(interval).catch(unlessFault)
    if (!counts) return null
    for (const count of counts.values()) calls += count
  }
  return calls
}

async function sizeAround(workspace: Workspace): Promise<number> {
  return sizeOf(workspace.folder, await workspace.entries())
}

function importOf({ reading: { now } }: CommandContext, facts: ImportFacts | undefined): GenomicsdbImport {
  const { signs = [], fresh = [], changed = 0 } = facts ?? {}
  const isOld = Number(now) - changed > DEAD_AFTER
  const unfinished = isOld ? 'died' : 'running'
  return {
    state: signs.length === 0 ? 'complete' : unfinished,
    signs,
    new_fragments: fresh.slice(0, MOST_NAMES).map(({ name }) => name),
    new_fragment_num: fresh.length,
  }
}

function nextCommands(
  { shownPath }: CommandContext,
  path: string,
  isWorkspace: boolean,
  state: GenomicsdbImport['state'],
) {
  const shown = shellWord(shownPath(path))
  const target = shown.startsWith('-') ? `./${shown}` : shown
  const call = (shows: string, command: string) => ({ shows, command: `tiledb-inspect ${command}` })
  return [
    call(isWorkspace ? 'its intervals' : 'its fragments', `ls ${target}`),
    ...(isWorkspace ? [call('calls of each sample', `ls ${target} --samples`)] : []),
    call('first calls', `read ${target} --limit 10`),
    state === 'complete' ? call('every tile', `check ${target}`) : call('the way back', `check --plan ${target}`),
  ]
}
