import { hasMinMax } from '../cells/tile-statistics.ts'
import { u64s } from '../format/u32.ts'
import { type FragmentInfo, slotHasFiles } from '../objects/fragment.ts'
import { blocksOf, type TileList, type TileLists } from '../objects/tile-lists.ts'
import { type FindingPlace, finding, guardedValue, type Items } from './finding.ts'
import { surplusFault } from './known-faults.ts'
import { lostSection } from './sections.ts'

/** Checks the lists of tile offsets of a slot: one entry for each tile, rising from 0, inside the file. */
export async function* checkTileOffsets(lists: TileLists, info: FragmentInfo, slot: number, file: string): Items {
  const { name, varSized, nullable } = info.slots[slot]
  const hasFiles = slotHasFiles(info, info.slots[slot])
  const offsetLists = [
    ['tile_offsets', hasFiles, info.file_sizes[slot]],
    ['tile_var_offsets', hasFiles && varSized, info.file_var_sizes[slot]],
    ['tile_validity_offsets', hasFiles && nullable, info.file_validity_sizes?.[slot]],
  ] as const
  for (const [list, used, size] of offsetLists) {
    const place = { file, field: `${list}.${name}` }
    const lost = lostSection(info, { name: list, slot })
    const offsets = yield* guardedValue('SECTION_UNREADABLE', place, () => lists.storedOffsets(list, slot), lost)
    if (offsets && used) yield* checkOffsets(info, offsets, size, place)
    offsets?.release()
  }
  const place = { file, field: `tile_var_sizes.${name}` }
  const lost = lostSection(info, { name: 'tile_var_sizes', slot })
  const sizes = yield* guardedValue(
    'SECTION_UNREADABLE',
    place,
    () => lists.storedOffsets('tile_var_sizes', slot),
    lost,
  )
  if (sizes && hasFiles && varSized) yield* checkEntryCount(info, sizes, place)
}

/** Checks that a list has one entry for each tile. */
async function* checkEntryCount(info: FragmentInfo, list: TileList<Float64Array>, place: FindingPlace): Items {
  const { count } = list
  if (count === info.tile_num) return
  yield finding('TILE_OFFSETS_COUNT', place, info.tile_num, count, await surplusFault(info, list))
}

/** Checks the entries of a list of offsets. @param size size of the file in bytes */
async function* checkOffsets(
  info: FragmentInfo,
  list: TileList<Float64Array>,
  size: number | undefined,
  place: FindingPlace,
): Items {
  yield* checkEntryCount(info, list, place)
  const checkedNum = (await surplusFault(info, list)) ? info.tile_num : list.count
  let before = -1
  for await (const { first, entries } of blocksOf(list)) {
    const end = Math.min(entries.length, checkedNum - first)
    for (let i = 0; i < end; i++) {
      const tile = first + i
      const offset = entries[i]
      const rises = tile === 0 ? offset === 0 : offset > before
      if (!rises || (size !== undefined && offset >= size)) {
        const at = { ...place, field: `${place.field}.${tile}`, tile }
        if (!rises) yield finding('TILE_OFFSETS_ORDER', at, tile === 0 ? 0 : `more than ${before}`, offset)
        else yield finding('TILE_OFFSETS_OUTSIDE', at, `less than the file's ${size} bytes`, offset)
        return
      }
      before = offset
    }
  }
}

/** Checks the lists of minima, maxima, sums and null counts: one value for each tile, or none at all. */
export async function* checkStatisticsLists(lists: TileLists, info: FragmentInfo, slot: number, file: string): Items {
  const { name, kind, phantom, type, cell_val_num, varSized, nullable, cellSize } = info.slots[slot]
  const tiles = info.tile_num
  const dimension = kind === 'dimension' || kind === 'coords'
  const expected = !phantom && hasMinMax({ type, cell_val_num, nullable, dimension })
  const size = varSized ? 8 : cellSize
  const lost = lostSection(info, { name: 'tile_sums', slot })
  for (const which of ['min', 'max'] as const) {
    const place = { file, field: `tile_${which}_values.${name}` }
    const read = () => lists.minMax(which, slot, varSized ? undefined : size)
    const list = yield* guardedValue('SECTION_UNREADABLE', place, read, lost)
    const bytes = list?.whole?.fixed.length ?? (list?.count ?? 0) * size
    if (!list || !expected || bytes === 0) continue
    if (bytes !== tiles * size) {
      yield finding('STATISTICS_COUNT', place, `${tiles * size} bytes`, bytes)
      continue
    }
    // Only a list that is read as a whole can have starts that fall.
    if (!varSized || !list.whole) continue
    const { length } = list.whole.variable
    const bad = u64s(list.whole.fixed).findIndex((start, i, starts) => start < (starts[i - 1] ?? 0) || start > length)
    if (bad >= 0) {
      const at = { ...place, tile: bad }
      yield finding('STATISTICS_COUNT', at, `starts that rise up to ${length}`, `another at tile ${bad}`)
    }
  }
  const sumsPlace = { file, field: `tile_sums.${name}` }
  const stored = yield* guardedValue('SECTION_UNREADABLE', sumsPlace, () => lists.sums(slot), lost)
  const sumNum = stored?.whole ? stored.whole.length / 8 : stored?.count
  if (sumNum && !phantom && sumNum !== tiles) yield finding('STATISTICS_COUNT', sumsPlace, tiles, sumNum)
  const nullsPlace = { file, field: `tile_null_counts.${name}` }
  const countsOf = () => lists.storedOffsets('tile_null_counts', slot)
  const counts = yield* guardedValue('SECTION_UNREADABLE', nullsPlace, countsOf, lost)
  if (!counts) return
  if (!nullable) yield* checkNoNulls(counts, nullsPlace)
  else if (counts.count !== 0 && counts.count !== tiles)
    yield finding('STATISTICS_COUNT', nullsPlace, tiles, counts.count)
  counts.release()
}

/** Checks that a field that is not nullable has no nulls. */
async function* checkNoNulls(counts: TileList<Float64Array>, place: FindingPlace): Items {
  for await (const { first, entries } of blocksOf(counts)) {
    const stray = entries.findIndex((count) => count !== 0)
    if (stray < 0) continue
    yield finding('TILE_NULL_COUNT', { ...place, tile: first + stray }, 'no nulls', entries[stray], 'notNullable')
    return
  }
}
