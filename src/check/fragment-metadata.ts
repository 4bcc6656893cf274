import { parseTimestampedName } from '../format/timestamped-name.ts'
import { COMMITS_FOLDER } from '../objects/commits.ts'
import { allDeletePlaces } from '../objects/deletes.ts'
import { type Fragment, type FragmentInfo, holdsMarks } from '../objects/fragment.ts'
import { TileLists } from '../objects/tile-lists.ts'
import { countReadBytes } from '../storage/lean-heap.ts'
import { finding, guarded, guardedValue, type Items } from './finding.ts'
import { checkRTree } from './rtree.ts'
import { checkSections } from './sections.ts'
import { checkStatisticsLists, checkTileOffsets } from './tile-offsets.ts'

/** Checks the sections of a fragment's metadata: the R-tree, the lists of tiles and the statistics. */
export async function* checkFragmentMetadata(fragment: Fragment, info: FragmentInfo, file: string): Items {
  yield* guarded('SECTION_UNREADABLE', { file }, () => checkSections(fragment, info, file))
  const lists = new TileLists(fragment, countReadBytes)
  yield* guarded('SECTION_UNREADABLE', { file }, () => checkRTree(lists, info, file))
  fragment.forget()
  for (const slot of info.slots.keys()) {
    yield* checkTileOffsets(lists, info, slot, file)
    yield* checkStatisticsLists(lists, info, slot, file)
    fragment.forget()
  }
  yield* checkFragmentLists(fragment, info, file)
  fragment.forget()
}

/** Checks the lists that a fragment has only once. Other checks compare the statistics with the cells. */
async function* checkFragmentLists(fragment: Fragment, info: FragmentInfo, file: string): Items {
  const statistics = yield* guardedValue('SECTION_UNREADABLE', { file }, () => fragment.statistics())
  for (const [i, slot] of info.slots.entries()) {
    const count = statistics?.[i]?.null_count
    if (count === undefined || Number(count) === 0 || slot.nullable) continue
    const place = { file, field: `fragment_null_count.${slot.name}` }
    yield finding('FRAGMENT_NULL_COUNT', place, 0, count, 'notNullable')
  }
  const conditions = yield* guardedValue('SECTION_UNREADABLE', { file }, () => fragment.processedConditions())
  for (const [i, condition] of (conditions ?? []).entries()) {
    const name = /^__commits\/(.+)\.(?:del|upd)$/.exec(condition)?.[1]
    if (name !== undefined && parseTimestampedName(name)) continue
    const place = { file, field: `processed_conditions.${i}` }
    yield finding('PROCESSED_CONDITION_NAME', place, `${COMMITS_FOLDER}/<name>.del`, JSON.stringify(condition))
  }
  const { array } = fragment
  if (!conditions?.length || !array || !holdsMarks(info) || (await allDeletePlaces(array)).length > 0) return
  const place = { file, field: 'processed_conditions' }
  yield finding('PROCESSED_CONDITION_NAME', place, 'a delete condition in the array', 'none', 'lost')
}
