import { noLoss } from '../check/codes/row.ts'
import type { Finding } from '../check/finding.ts'
import { sameBytes } from '../filters/bytes.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { Slot } from '../format/fragment-slots.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { sumValue } from '../format/value.ts'
import type { FragmentEntry } from '../objects/array.ts'
import { TIMESTAMPS_SINCE } from '../objects/visibility.ts'
import type { ArrayDrafts } from './array-drafts.ts'

/** The statistics of a field over a whole fragment. */
interface FieldStatistics {
  slot: Slot
  statistics: SlotStatistics
}

/**
 * Plans to move fragments out of the array whose cells a consolidated one has, so that they are read twice. Their statistics tell whether the
 * cells are the same.
 */
export async function twice(drafts: ArrayDrafts, path: string, finding: Finding): Promise<void> {
  const whole = drafts.entryOf(finding)
  const sources = (finding.sources ?? []).flatMap((one) => drafts.entryAround(one) ?? [])
  if (!whole || sources.length === 0) return drafts.leave(finding)
  const draft = drafts.draft(`twice ${path}`, finding)
  draft.takeBackLost()
  draft.never.add('consolidate before these steps: it merges the cells of both, and nothing tells them apart any more')
  if (!(await haveSameCells(drafts, whole, sources)) || !(await drafts.isWhole(whole))) {
    draft.addLost(noLoss('nothing: its cells are still there, twice if the others have the same'))
    draft.outcome = 'leave'
    draft.say({
      text: 'compare the cells, as decode shows them: if they are the same, move the others out of the array, with their commits',
    })
    return
  }
  draft.addLost(noLoss('nothing: readers get each cell twice, as the statistics of the fragments tell'))
  for (const one of sources) {
    drafts.retire(draft, one)
    drafts.uncommit(draft, one)
    drafts.moveFooters(one, draft)
  }
  if ((nameFacts(whole.name)?.format_version ?? 0) < TIMESTAMPS_SINCE)
    draft.loses.add('reads as of a time before the consolidation, which use these fragments')
  draft.end(drafts.shell.check())
}

/** Whether the statistics of a fragment are those of others together. Not if one of them has none, as before format version 12. */
async function haveSameCells(
  drafts: ArrayDrafts,
  whole: FragmentEntry,
  sources: readonly FragmentEntry[],
): Promise<boolean> {
  const all = await statisticsOf(drafts, whole)
  const parts: (ReadonlyMap<string, FieldStatistics> | undefined)[] = []
  for (const one of sources) parts.push(await statisticsOf(drafts, one))
  if (!all || parts.length === 0) return false
  for (const [name, { slot, statistics }] of all) {
    if (slot.kind === 'timestamps') continue
    const own = parts.map((part) => part?.get(name)?.statistics)
    const isSame = own.every((one) => one !== undefined) && isTogether(slot, statistics, own)
    if (!isSame) return false
  }
  return true
}

function isTogether(slot: Slot, all: SlotStatistics, parts: readonly SlotStatistics[]): boolean {
  const isOfOne = (which: 'min' | 'max'): boolean =>
    all[which].length === 0 || parts.some((part) => sameBytes(part[which], all[which]))
  const nulls = parts.reduce((sum, part) => sum + part.null_count, 0)
  return isOfOne('min') && isOfOne('max') && nulls === all.null_count && isSum(slot, all.sum, parts)
}

function isSum({ type }: Slot, sum: Uint8Array, parts: readonly SlotStatistics[]): boolean {
  if (sum.length !== 8) return true
  const values = parts.filter((part) => part.sum.length === 8).map((part) => sumValue(type, part.sum))
  const total = sumValue(type, sum)
  if (typeof total === 'bigint') return values.reduce<bigint>((found, value) => found + BigInt(value), 0n) === total
  const found = values.reduce<number>((sum, value) => sum + Number(value), 0)
  const size = values.reduce<number>((sum, value) => sum + Math.abs(Number(value)), 0)
  // The order of addition differs.
  return found === total || Math.abs(found - total) <= size * 1e-9 || (Number.isNaN(found) && Number.isNaN(total))
}

/** The statistics of a fragment, by field; undefined if it has none. */
async function statisticsOf(
  drafts: ArrayDrafts,
  entry: FragmentEntry,
): Promise<ReadonlyMap<string, FieldStatistics> | undefined> {
  const slots = (await drafts.infoOf(entry))?.slots
  const all = await drafts.tryRead(entry, (fragment) => fragment.statistics())
  if (!slots || !all) return undefined
  return new Map(slots.flatMap((slot, i) => (all[i] ? [[slot.name, { slot, statistics: all[i] }]] : [])))
}
