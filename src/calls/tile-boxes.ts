import { sum } from '../base/sum.ts'
import { type InColumns, ValueColumn } from '../cells/column-rows.ts'
import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import type { ValueRange } from '../documents/common.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { NDRange } from '../format/range.ts'
import { leafLevel, mbrAt, type RTreeLevel } from '../format/rtree.ts'
import type { ValueStyle } from '../format/value.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import type { TileLists } from '../objects/tile-lists.ts'
import { mbrColumns, mbrsResult } from './values.ts'

/** Reads something about tiles `[from, to)`. */
export type Blocks<T> = (from: number, to: number) => Promise<T>

/** The boxes of the tiles in a block. */
export interface BoxBlock {
  /** The box of a tile as it is stored. */
  range: (tile: number) => NDRange | undefined
  /** The boxes as they are shown. */
  values: InColumns<readonly ValueRange[] | null>
}

const NO_BOXES: BoxBlock = { range: () => undefined, values: null }

/** Gives the boxes of tiles: their MBRs, or in a dense fragment their parts of the non-empty domain. */
export async function boxBlocks(lists: TileLists, info: FragmentInfo, style: ValueStyle): Promise<Blocks<BoxBlock>> {
  const { dimensions } = info.schema.domain
  if (info.dense) {
    const boxes = denseBoxes(info)
    if (!boxes) return async () => NO_BOXES
    return async (from, to) => {
      const entries = boxes(from, to)
      const range = (tile: number): NDRange => mbrAt(entries, tile - from, dimensions)
      return { range, values: mbrColumns(entries, 0, to - from, dimensions, style) ?? null }
    }
  }
  const leaves = await lists.boxes()
  if (!leaves) return async () => NO_BOXES
  return async (from, to) => {
    const { first, entries } = await leaves.block(from, to)
    const mbrs = mbrsResult(entries, dimensions, style)
    return {
      range: (tile) => (tile < leaves.count ? mbrAt(entries, tile - first, dimensions) : undefined),
      values:
        (to <= leaves.count && mbrColumns(entries, from - first, to - first, dimensions, style)) ||
        new ValueColumn(to - from, (i) => (from + i < leaves.count ? mbrs.at(from + i - first) : null)),
    }
  }
}

/** A function that gives the box of a tile. All boxes are in memory. */
export async function tileBoxReader(
  fragment: Fragment,
  info: FragmentInfo,
): Promise<(tile: number) => NDRange | undefined> {
  const { dimensions } = info.schema.domain
  if (info.dense) {
    const boxes = denseBoxes(info)
    return (tile) => boxes && mbrAt(boxes(tile, tile + 1), 0, dimensions)
  }
  const leaves = leafLevel(await fragment.rtree())
  return (tile) => (leaves && tile < leaves.mbr_num ? mbrAt(leaves, tile, dimensions) : undefined)
}

/** A function that gives the boxes of tiles `[from, to)` of a dense fragment, as MBRs; undefined if nothing was written. */
function denseBoxes(info: FragmentInfo): ((from: number, to: number) => RTreeLevel) | undefined {
  if (!info.nonempty_domain) return undefined
  const sizes = info.schema.domain.dimensions.map(({ type }) => datatypeSize(type))
  const stride = 2 * sum(sizes, (size) => size)
  const coordinates = new DenseCoordinates(info)
  const integer = new BigInt64Array(1)
  const bytesOfIt = new Uint8Array(integer.buffer)
  return (from, to) => {
    const bytes = new Uint8Array((to - from) * stride)
    let at = 0
    const put = (value: bigint, size: number): void => {
      integer[0] = value
      for (let i = 0; i < size; i++) bytes[at++] = bytesOfIt[i]
    }
    for (let tile = from; tile < to; tile++)
      for (const [d, { low, high }] of coordinates.tileBox(tile).entries()) {
        put(low, sizes[d])
        put(high, sizes[d])
      }
    return { mbr_num: to - from, bytes, starts: undefined }
  }
}
