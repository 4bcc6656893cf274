import { unlessFault } from '../base/errors.ts'
import { hasLossyDimension, lossOf } from '../cells/loss.ts'
import { cellSizeOf, holdsExtremes, holdsTexts } from '../cells/tile-statistics.ts'
import { datatypeKind } from '../format/datatype.ts'
import type { ConditionNode } from '../format/delete-condition.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import type { TileMinMax } from '../format/tile-min-max.ts'
import { u64s } from '../format/u32.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import { conditionFields, type FieldBounds, mayMeet } from './condition.ts'

/** Tells whether a tile may hold a cell that meets a condition, by its bounding box and its minima and maxima. */
export type TileTest = (tile: number, mbr: NDRange) => boolean

type BoundsOf = (tile: number, mbr: NDRange) => FieldBounds | undefined

/**
 * Makes a test for the tiles of a sparse fragment. Tiles that fail it need not be read.
 *
 * @param byAttributes whether to test attributes, too. This is wrong if a cell that does not meet the condition may hide an older cell
 *   that does: then its tile must be read. Dimensions can always be tested, because both cells have the same coordinates.
 */
export async function tileTest(
  fragment: Fragment,
  info: FragmentInfo,
  condition: ConditionNode,
  byAttributes: boolean,
): Promise<TileTest> {
  const known = new Map<string, BoundsOf>()
  for (const field of conditionFields(condition)) {
    const slot = info.slots.findIndex(({ name }) => name === field)
    const bounds =
      slot >= 0 && info.slots[slot].kind === 'attribute'
        ? byAttributes && (await attributeBounds(fragment, info, slot))
        : dimensionBounds(info, field)
    if (bounds) known.set(field, bounds)
  }
  return (tile, mbr) => known.size === 0 || mayMeet(condition, (field) => known.get(field)?.(tile, mbr))
}

function dimensionBounds(info: FragmentInfo, field: string): BoundsOf | undefined {
  const { dimensions } = info.schema.domain
  const d = dimensions.findIndex(({ name }) => name === field)
  // The bounds describe the cells as they were written, before a lossy filter changed them.
  if (d < 0 || hasLossyDimension(info)) return undefined
  const { type, cell_val_num } = dimensions[d]
  // TileDB before 2.4 computes wrong upper ends of boxes that begin with the empty string.
  if (cell_val_num === 'var' && info.format_version < 10) return undefined
  return (_, mbr) => ({ type, cell_val_num, min: mbr[d].min, max: mbr[d].max })
}

/** The bounds of an attribute in each tile. Undefined if there are none, or if they cannot be read: they only save work. */
async function attributeBounds(fragment: Fragment, info: FragmentInfo, slot: number): Promise<BoundsOf | undefined> {
  if (lossOf(info, slot) !== 'none') return undefined
  const lists = [
    await fragment.tileMinMax('min', slot).catch(unlessFault),
    await fragment.tileMinMax('max', slot).catch(unlessFault),
  ]
  const [mins, maxs] = lists.map((list) => list && valuesOf(list, info.slots[slot]))
  if (!mins || !maxs) return undefined
  const { type, cell_val_num } = info.slots[slot]
  const sums = datatypeKind(type) === 'float' ? await fragment.tileSums(slot).catch(unlessFault) : undefined
  return (tile) => {
    const [min, max] = [mins(tile), maxs(tile)]
    if (!holdsExtremes(type, sums?.subarray(8 * tile, 8 * tile + 8)) || !holdsTexts(type, min, max)) return undefined
    return { type, cell_val_num, min, max }
  }
}

/** Returns a function that gives the value of each tile; undefined if the list is empty. */
function valuesOf({ fixed, variable }: TileMinMax, slot: Slot): ((tile: number) => Uint8Array | undefined) | undefined {
  if (fixed.length === 0) return undefined
  const size = cellSizeOf(slot)
  if (size > 0) {
    const tileNum = Math.floor(fixed.length / size)
    return (tile) => (tile < tileNum ? fixed.subarray(tile * size, (tile + 1) * size) : undefined)
  }
  const starts = u64s(fixed)
  return (tile) =>
    tile < starts.length ? variable.subarray(starts[tile], starts[tile + 1] ?? variable.length) : undefined
}
