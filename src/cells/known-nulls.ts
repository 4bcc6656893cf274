import { element } from '../base/element.ts'
import { unlessFault } from '../base/errors.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import { DenseCoordinates } from './dense-coordinates.ts'
import { allCells, cellNumOf } from './elements.ts'
import { tileCellNum } from './tile-places.ts'
import { countsNulls, hasMinMax } from './tile-statistics.ts'

/**
 * What the statistics of a fragment say about nulls, for tiles whose validity cannot be read. The values do not tell: TileDB stores those of
 * null cells as it was given them.
 */
export class KnownNulls {
  private readonly fragment: Fragment
  private readonly counts = new Map<number, Promise<Float64Array | undefined>>()

  constructor(fragment: Fragment) {
    this.fragment = fragment
  }

  /** Number of nulls in a tile; undefined if the statistics do not tell. */
  async count(slot: number, tile: number): Promise<number | undefined> {
    const counts = this.counts.get(slot) ?? this.read(slot)
    this.counts.set(slot, counts)
    return (await counts)?.[tile]
  }

  /** The validity of all cells of a tile, if the statistics prove it: 1 if none is null, 0 if all are. */
  async proven(slot: number, tile: number): Promise<0 | 1 | undefined> {
    const count = await this.count(slot, tile)
    if (count === 0) return 1
    return count === writtenCells(await this.fragment.info(), tile) ? 0 : undefined
  }

  private async read(slot: number): Promise<Float64Array | undefined> {
    const { dense, slots } = await this.fragment.info()
    const field = { ...element(slots, slot), dimension: false }
    // What TileDB counts wrongly: `statisticsFault` of check has the cases.
    const isRight = dense ? hasMinMax(field) && field.cell_val_num !== 'var' : countsNulls(field)
    return isRight ? this.fragment.offsets('tile_null_counts', slot).catch(unlessFault) : undefined
  }
}

/** Number of cells of a tile, without padding. */
export function writtenCells(info: FragmentInfo, tile: number): number {
  if (!info.dense || !info.nonempty_domain) return tileCellNum(info, tile)
  return cellNumOf(new DenseCoordinates(info).rowPieces(tile)?.() ?? allCells(info.cells_per_tile))
}
