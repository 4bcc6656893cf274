import { unlessDamaged } from '../base/errors.ts'
import { entryAt, extremeAt, hasMinMax, hasSum, type TileStatistics } from '../cells/tile-statistics.ts'
import type { Finding } from '../check/finding.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import type { NDRange } from '../format/range.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import { type Fragment, type FragmentInfo, slotHasFiles } from '../objects/fragment.ts'
import { contradictedField } from './contradictions.ts'

/** What the metadata says about tiles whose cells contradict it. A fragment with new metadata keeps it, so that check still finds this. */
export interface KeptStatistics {
  /** By slot and tile. */
  statistics: ReadonlyMap<number, ReadonlyMap<number, SlotStatistics>>
  /** By tile. */
  boxes: ReadonlyMap<number, NDRange>
}

/** Reads what is kept. @param contradictions findings about the fragment's tiles */
export async function keptStatistics(fragment: Fragment, contradictions: readonly Finding[]): Promise<KeptStatistics> {
  const statistics = new Map<number, Map<number, SlotStatistics>>()
  const boxes = new Map<number, NDRange>()
  // The metadata may be lost.
  if (contradictions.length === 0) return { statistics, boxes }
  const info = await fragment.info()
  const { dimensions } = info.schema.domain
  for (const one of contradictions) {
    const { code, tile = -1 } = one
    if (code === 'COORDINATE_MBR') {
      const rtree = await fragment.rtree()
      const leaves = rtree && leafLevel(rtree)
      if (leaves) boxes.set(tile, mbrAt(leaves, tile, dimensions))
      continue
    }
    const field = contradictedField(one)
    const slot = info.slots.findIndex(({ name, phantom }) => name === field && !phantom)
    if (slot < 0) continue
    const tiles = statistics.get(slot) ?? new Map<number, SlotStatistics>()
    statistics.set(slot, tiles.set(tile, tiles.get(tile) ?? (await storedStatistics(fragment, slot, tile))))
  }
  return { statistics, boxes }
}

/** All that can be read of the statistics and boxes of a fragment. */
export async function allStatistics(fragment: Fragment, info: FragmentInfo): Promise<KeptStatistics> {
  const statistics = new Map<number, Map<number, SlotStatistics>>()
  const boxes = new Map<number, NDRange>()
  const rtree = await fragment.rtree().catch(unlessDamaged)
  const leaves = rtree && leafLevel(rtree)
  for (let tile = 0; tile < info.tile_num; tile++) {
    if (leaves?.mbr_num === info.tile_num) boxes.set(tile, mbrAt(leaves, tile, info.schema.domain.dimensions))
    if (!info.footer?.tile_sums_offsets) continue
    for (const slot of info.slots.keys()) {
      if (!slotHasFiles(info, info.slots[slot])) continue
      const stored = await storedStatistics(fragment, slot, tile).catch(unlessDamaged)
      if (stored) statistics.set(slot, (statistics.get(slot) ?? new Map<number, SlotStatistics>()).set(tile, stored))
    }
  }
  return { statistics, boxes }
}

/** The statistics of a tile as they are stored. */
async function storedStatistics(fragment: Fragment, slot: number, tile: number): Promise<SlotStatistics> {
  const { type, cell_val_num, nullable, kind } = (await fragment.info()).slots[slot]
  const field = { type, cell_val_num, nullable, dimension: kind === 'dimension' }
  const none = new Uint8Array(0)
  const extreme = async (which: 'min' | 'max'): Promise<Uint8Array> => {
    const list = hasMinMax(field) ? await fragment.tileMinMax(which, slot) : undefined
    return (list && extremeAt(list, tile, field)?.slice()) ?? none
  }
  const sums = hasSum(field) ? await fragment.tileSums(slot) : undefined
  const nullCounts = nullable ? await fragment.offsets('tile_null_counts', slot) : undefined
  return {
    min: await extreme('min'),
    max: await extreme('max'),
    sum: (sums && entryAt(sums, tile, 8)?.slice()) ?? none,
    null_count: nullCounts?.[tile] ?? 0,
  }
}

/** Puts what is kept in place of what was computed from the cells. @param places of the tiles in the new fragment */
export function keep(
  { statistics }: KeptStatistics,
  computed: readonly (TileStatistics | undefined)[],
  places: ReadonlyMap<number, number>,
): void {
  for (const [slot, tiles] of statistics) {
    for (const [tile, stored] of tiles) {
      const place = places.get(tile)
      if (place !== undefined) computed[slot]?.replace(place, stored)
    }
  }
}
