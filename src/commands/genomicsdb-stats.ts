import { InspectError, orError, unlessFault } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import { documentHead, notExaminedResult } from '../calls/document-parts.ts'
import type { GenomicsdbHandler } from '../calls/genomicsdb.ts'
import { allFacts, genomicsdbCounts, mostFragments, openWorkspace, readFolders } from '../calls/genomicsdb-facts.ts'
import type { NotExamined } from '../documents/common.ts'
import type { GenomicsdbStatsDocument, GenomicsdbStatsField } from '../documents/genomicsdb-stats.ts'
import { columnFiles, columnTiles } from '../genomicsdb/column-file.ts'
import { callsByRow, filesSize } from '../genomicsdb/facts.ts'
import { openGenomicsdbFragment } from '../genomicsdb/fragment.ts'
import type { Interval } from '../genomicsdb/workspace.ts'
import { ratioOf } from '../objects/file-sizes.ts'

/** Most intervals in the document. */
const MAX_INTERVALS = 10

export const handler: GenomicsdbHandler<object> = {
  async *run(cx, target) {
    const { workspace, intervals } = await openWorkspace(cx, 'stats', target, (fault) => cx.fault(fault))
    const all = await allFacts(intervals)
    const faults: InspectError[] = all.flatMap(({ fault }) => fault ?? [])
    const fields = new Map<string, GenomicsdbStatsField>()
    let call_num: number | null = 0
    for (const interval of intervals) {
      await addFields(interval, fields, (fault) => faults.push(fault))
      const counts = await callsByRow(interval).catch(unlessFault)
      call_num = counts && call_num !== null ? call_num + sum([...counts.values()], (count) => count) : null
    }
    const not_examined: NotExamined[] = []
    for (const fault of faults) {
      cx.fault(fault, true)
      not_examined.push(notExaminedResult(cx, fault))
    }
    const listed = [...fields.values()].sort((a, b) => b.size - a.size)
    const data_size = sum(listed, ({ size }) => size)
    const unfiltered_size = sum(listed, (field) => field.unfiltered_size)
    const counts = genomicsdbCounts(all)
    const around =
      target.kind === 'workspace' && workspace ? await filesSize(workspace.folder, await workspace.entries()) : 0
    const unread = all.flatMap(({ folders }) => folders.filter(({ state }) => state !== 'read'))
    const document: GenomicsdbStatsDocument = {
      ...documentHead('genomicsdb-stats', cx.shownPath(target.path)),
      interval_num: all.length,
      ...counts,
      size: counts.size + around,
      call_num,
      data_size,
      unfiltered_size,
      ratio: ratioOf(unfiltered_size, data_size),
      unread_size: sum(unread, ({ size }) => size),
      other_size: sum(all, ({ other_size }) => other_size) + around,
      most_fragments: mostFragments(all),
      fields: listed.map((field) => ({ ...field, share: data_size === 0 ? 0 : field.size / data_size })),
      intervals: all
        .map((one) => ({ name: one.interval.name, ...intervalSums(one) }))
        .sort((a, b) => b.size - a.size)
        .slice(0, MAX_INTERVALS),
      not_examined,
    }
    yield {
      kind: 'document',
      document,
      table: async (out) =>
        (await import('../render/views/genomicsdb-workspace.ts')).genomicsdbStatsTable(document, out),
    }
  },
}

function intervalSums(facts: Parameters<typeof genomicsdbCounts>[0][number]) {
  const { cell_num, size } = genomicsdbCounts([facts])
  return { fragment_num: readFolders(facts.folders).length, cell_num, size }
}

/** Adds the sizes of the fields of an interval. */
async function addFields(
  interval: Interval,
  fields: Map<string, GenomicsdbStatsField>,
  onFault: (fault: InspectError) => void,
): Promise<void> {
  const array = await orError(() => interval.array())
  if (array instanceof InspectError) return
  for (const folder of await interval.fragments()) {
    const fragment = await orError(() => openGenomicsdbFragment(array, folder))
    if (fragment instanceof InspectError) {
      onFault(fragment)
      continue
    }
    for (const file of columnFiles(fragment)) {
      const tiles = await orError(() => columnTiles(fragment, file))
      if (tiles instanceof InspectError) {
        onFault(tiles)
        continue
      }
      const { name, compression } = file.field
      const before = fields.get(name)
      const size = (before?.size ?? 0) + tiles.file_size
      const unfiltered_size = (before?.unfiltered_size ?? 0) + sum([...tiles.unfiltered_sizes], (one) => one)
      fields.set(name, { name, size, unfiltered_size, ratio: ratioOf(unfiltered_size, size), share: 0, compression })
    }
  }
}
