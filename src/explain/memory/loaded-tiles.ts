import { atOnce, inOrder } from '../../base/in-order.ts'
import { sum } from '../../base/sum.ts'
import { tileCellNum } from '../../cells/tile-places.ts'
import { fixedSize } from '../../format/range.ts'
import { hasSlot, isCutByTime } from '../../read/opening.ts'
import type { FoundCells, IndexedFragment, SparseIndex } from '../sparse-index.ts'
import { RELEASE } from './release.ts'

/** The tiles that a reader loads, fragment after fragment, with the memory that each takes. */
export interface LoadedTiles {
  count: number
  /** Positions of the fragments. */
  fragment: Uint32Array
  /** Numbers of the tiles in their fragments. */
  tile: Uint32Array
  /** Bytes of the coordinates, and of everything that is loaded together with them. */
  first: Float64Array
  /** By field that is loaded after the coordinates: bytes of each tile. */
  fields: readonly Float64Array[]
  /** Bytes of the largest of these fields. */
  returned: Float64Array
  /** 1 if the tile gives a cell, otherwise 0. */
  gives: Uint8Array
}

type TileBytes = (tile: number) => number

/**
 * Computes the memory of all touched tiles.
 * @param found undefined if it is not known which cells are found
 */
export async function loadedTiles(
  index: SparseIndex,
  found: FoundCells | undefined,
  reader: 'global' | 'unordered',
): Promise<LoadedTiles> {
  const { opened, query } = index.query
  const { schema } = opened
  const isGlobal = reader === 'global'
  const count = sum(index.fragments, ({ tiles }) => tiles.length)
  const { dimensions, forConditions, returned } = index.fields
  const isVar = returned.map((field) =>
    [...schema.domain.dimensions, ...schema.attributes].some((one) => one.name === field && one.cell_val_num === 'var'),
  )
  const tiles: LoadedTiles = {
    count,
    fragment: new Uint32Array(count),
    tile: new Uint32Array(count),
    first: new Float64Array(count),
    fields: returned.map(() => new Float64Array(count)),
    returned: new Float64Array(count),
    gives: new Uint8Array(count).fill(1),
  }
  const measureAll = async (fragment: IndexedFragment) => {
    const measure = (name: string): Promise<TileBytes> => bytesOf(index, fragment, name)
    const early = await Promise.all([...(index.loadsCoordinates ? dimensions : []), ...forConditions].map(measure))
    const late = await Promise.all(returned.map(measure))
    fragment.opened.fragment.forget()
    await fragment.opened.fragment.close()
    return { fragment, early, late }
  }
  let at = 0
  for await (const { fragment, early, late } of inOrder(index.touched, atOnce(opened.array.folder), measureAll)) {
    const { info } = fragment.opened
    const isDeleted = hasSlot(fragment.opened, 'delete_timestamps')
    const isCut = hasSlot(fragment.opened, 'timestamps') && isCutByTime(opened, fragment.opened)
    const hasConditions = isDeleted || query.where !== undefined || opened.deletes.length > 0
    const duplicates = !isGlobal || schema.allows_duplicates
    // One byte per cell for each bitmap.
    const bitmaps =
      (index.isRanged || isCut || (duplicates && hasConditions) ? 1 : 0) + (!duplicates && hasConditions ? 1 : 0)
    const perCell =
      (fragment.loadsTimes ? RELEASE.bytes.time : 0) +
      (isDeleted ? RELEASE.bytes.time : 0) +
      bitmaps +
      (isGlobal && schema.cell_order === 'hilbert' ? RELEASE.bytes.hilbert_value : 0)
    const counts = found?.counts[fragment.index]
    fragment.tiles.forEach((tile, i) => {
      const cells = tileCellNum(info, tile)
      // Without duplicates the reader counts the cells before it drops those that newer cells hide.
      const kept = counts && (duplicates || fragment.inside[i] === 0 || isCut) ? counts[i] : cells
      tiles.fragment[at] = fragment.index
      tiles.tile[at] = tile
      tiles.first[at] =
        (isGlobal ? RELEASE.bytes.global_tile : RELEASE.bytes.unordered_tile) +
        cells * perCell +
        sum(early, (bytes) => bytes(tile))
      if (duplicates && counts?.[i] === 0) tiles.gives[at] = 0
      late.forEach((bytes, f) => {
        const size = bytes(tile)
        tiles.fields[f][at] = size + (isVar[f] && size > 0 ? RELEASE.bytes.pointer * kept : 0)
        tiles.returned[at] = Math.max(tiles.returned[at], tiles.fields[f][at])
      })
      at++
    })
  }
  return tiles
}

/** The unfiltered bytes of each tile of a field. @see ReaderBase::get_attribute_tile_size */
async function bytesOf(index: SparseIndex, fragment: IndexedFragment, name: string): Promise<TileBytes> {
  const { info } = fragment.opened
  const { schema } = index.query.opened
  const dimension = schema.domain.dimensions.find((one) => one.name === name)
  if (dimension && info.format_version < 5) return (tile) => tileCellNum(info, tile) * (fixedSize(dimension) ?? 0)
  const slot = index.slotOf(fragment, name)
  if (slot < 0) return () => 0
  const { varSized, cellSize } = info.slots[slot]
  const isNullable = schema.attributes.some((one) => one.name === name && one.nullable)
  const perCell = (varSized ? RELEASE.bytes.offset : cellSize) + (isNullable ? 1 : 0)
  // One offset more than there are cells.
  const perTile = varSized ? RELEASE.bytes.offset : 0
  const sizes = varSized ? await fragment.opened.fragment.offsets('tile_var_sizes', slot) : undefined
  return (tile) => perTile + tileCellNum(info, tile) * perCell + (sizes?.[tile] ?? 0)
}

export function largest(sizes: Float64Array): number {
  return sizes.reduce((most, size) => Math.max(most, size), 0)
}
