import { hasMinMax } from '../cells/tile-statistics.ts'
import { type Fragment, type FragmentInfo, slotHasFiles } from '../store/fragment.ts'
import { MEANINGS } from './codes.ts'
import { attempt, type Finding, finding, type Items, type Place } from './finding.ts'
import { surplusFault } from './known-faults.ts'

/** Checks the lists of tile offsets of a slot: one entry per tile, rising from 0, inside the file. */
export async function* checkTileOffsets(fragment: Fragment, info: FragmentInfo, slot: number, file: string): Items {
  const { name, varSized, nullable } = info.slots[slot]
  const has = slotHasFiles(info, info.slots[slot])
  const lists = [
    ['tile_offsets', has, info.file_sizes[slot]],
    ['tile_var_offsets', has && varSized, info.file_var_sizes[slot]],
    ['tile_validity_offsets', has && nullable, info.file_validity_sizes?.[slot]],
  ] as const
  for (const [list, used, size] of lists) {
    const place = { file, field: `${list}.${name}` }
    const offsets = yield* attempt('SECTION_UNREADABLE', place, () => fragment.storedOffsets(list, slot))
    if (offsets && used) yield* offsetsList(info, offsets, size, place)
  }
  const place = { file, field: `tile_var_sizes.${name}` }
  const sizes = yield* attempt('SECTION_UNREADABLE', place, () => fragment.storedOffsets('tile_var_sizes', slot))
  if (sizes && has && varSized) yield* entryCount(info, sizes, place)
}

function* entryCount(info: FragmentInfo, entries: Float64Array, place: Place): Generator<Finding> {
  const { length } = entries
  if (length === info.tile_num) return
  const known = surplusFault(info, entries)
  yield finding('TILE_OFFSETS_COUNT', place, info.tile_num, length, known)
}

/** @param size bytes of the file */
function* offsetsList(
  info: FragmentInfo,
  offsets: Float64Array,
  size: number | undefined,
  place: Place,
): Generator<Finding> {
  yield* entryCount(info, offsets, place)
  const checkedNum = surplusFault(info, offsets) ? info.tile_num : offsets.length
  let before = -1
  for (let tile = 0; tile < checkedNum; tile++) {
    const offset = offsets[tile]
    const at = { ...place, field: `${place.field}.${tile}`, tile }
    if (tile === 0 ? offset !== 0 : offset <= before) {
      yield finding('TILE_OFFSETS_ORDER', at, tile === 0 ? 0 : `more than ${before}`, offset)
      return
    }
    if (size !== undefined && offset >= size) {
      yield finding('TILE_OFFSETS_OUTSIDE', at, `less than the file's ${size} bytes`, offset)
      return
    }
    before = offset
  }
}

/** Checks the lists of minima, maxima, sums and null counts: one value per tile, or none. */
export async function* checkStatisticsLists(fragment: Fragment, info: FragmentInfo, slot: number, file: string): Items {
  const { name, kind, phantom, type, cell_val_num, varSized, nullable, cellSize } = info.slots[slot]
  const tiles = info.tile_num
  const dimension = kind === 'dimension' || kind === 'coords'
  const expected = !phantom && hasMinMax({ type, cell_val_num, nullable, dimension })
  const size = varSized ? 8 : cellSize
  for (const which of ['min', 'max'] as const) {
    const place = { file, field: `tile_${which}_values.${name}` }
    const lists = yield* attempt('SECTION_UNREADABLE', place, () => fragment.tileMinMax(which, slot))
    if (!lists || !expected || lists.fixed.length === 0) continue
    if (lists.fixed.length !== tiles * size) {
      yield finding('STATISTICS_COUNT', place, `${tiles * size} bytes`, lists.fixed.length)
      continue
    }
    const { length } = lists.variable
    const bad = varSized ? fallingStart(lists.fixed, length) : -1
    if (bad >= 0) {
      const at = { ...place, tile: bad }
      yield finding('STATISTICS_COUNT', at, `starts that rise up to ${length}`, `another at tile ${bad}`)
    }
  }
  const sums = { file, field: `tile_sums.${name}` }
  const stored = yield* attempt('SECTION_UNREADABLE', sums, () => fragment.tileSums(slot))
  if (stored && !phantom && stored.length !== 0 && stored.length !== tiles * 8)
    yield finding('STATISTICS_COUNT', sums, tiles, stored.length / 8)
  const nulls = { file, field: `tile_null_counts.${name}` }
  const counts = yield* attempt('SECTION_UNREADABLE', nulls, () => fragment.storedOffsets('tile_null_counts', slot))
  if (!counts) return
  const stray = nullable ? -1 : counts.findIndex((count) => count !== 0)
  if (stray >= 0) {
    const { notNullable } = MEANINGS.TILE_NULL_COUNT
    yield finding('TILE_NULL_COUNT', { ...nulls, tile: stray }, 'no nulls', counts[stray], notNullable)
  }
  if (nullable && counts.length !== 0 && counts.length !== tiles)
    yield finding('STATISTICS_COUNT', nulls, tiles, counts.length)
}

/** First tile whose value starts before the previous one or outside the values; -1 for none. */
function fallingStart(starts: Uint8Array, length: number): number {
  const view = new DataView(starts.buffer, starts.byteOffset, starts.byteLength)
  let before = 0
  for (let tile = 0; tile < starts.length / 8; tile++) {
    const start = view.getUint32(tile * 8 + 4, true) * 2 ** 32 + view.getUint32(tile * 8, true)
    if (start < before || start > length) return tile
    before = start
  }
  return -1
}
