import { element } from '../base/element.ts'
import { inconsistent } from '../base/errors.ts'
import { sizeText } from '../base/sizes.ts'
import { type FileRole, fieldFileName } from '../format/field-files.ts'
import type { Slot } from '../format/fragment-slots.ts'
import type { OffsetsList } from '../format/metadata-sections.ts'
import { type FieldFile, type Fragment, type FragmentInfo, sizesOf } from '../objects/fragment.ts'

/** The kind of a slot's file: fixed-sized data (also coordinates and timestamps), offsets, var-sized values or validity. */
export type TileRole = 'data' | 'offsets' | 'var' | 'validity'

/** The role of a file's tiles, for which coordinates and timestamps count as data. */
export function tileRole({ role }: Pick<FieldFile, 'role'>): TileRole {
  return role === 'offsets' || role === 'var' || role === 'validity' ? role : 'data'
}

/** A range of a data file. */
export interface TilePlace {
  offset: number
  /** Bytes as stored. */
  size: number
}

/** What the metadata says about one data file. */
interface FieldTileFile {
  name: string
  /** Name of the list with the offsets of its tiles. */
  offsetsList: OffsetsList
  /** In bytes. */
  size: number
}

/** The lists with the offsets of tiles, by the role of the file. All other roles have `tile_offsets`. */
const OFFSETS_LISTS: { readonly [role in TileRole]?: OffsetsList } = {
  var: 'tile_var_offsets',
  validity: 'tile_validity_offsets',
}

export function fieldTileFile(info: FragmentInfo, slot: number, role: TileRole): FieldTileFile {
  return {
    name: fieldFileName(info.format_version, element(info.slots, slot), role) ?? '.tdb',
    offsetsList: OFFSETS_LISTS[role] ?? 'tile_offsets',
    size: sizesOf(info, role)?.[slot] ?? 0,
  }
}

/** Checks that a list has an offset for each tile. @throws InspectError INCONSISTENT */
export function checkOffsetCount(fragment: Fragment, info: FragmentInfo, list: string, count: number): void {
  if (count >= info.tile_num) return
  throw inconsistent(
    { expected: `${sizeText(info.tile_num)} tile offsets`, found: count },
    {
      file: fragment.metadataSource().name,
      field: list,
    },
  )
}

/** Bytes from a tile's start to its end. @throws InspectError INCONSISTENT if it ends before it starts */
export function sizeBetween(offset: number, end: number, tile: number, file: string): number {
  if (end >= offset) return end - offset
  throw inconsistent(
    { expected: `tile ${tile} to end after its start ${offset}`, found: `its end at ${end}` },
    { file },
  )
}

/** Number of cells in a tile, padding of dense tiles included. */
export function tileCellNum(info: FragmentInfo, tile: number): number {
  return tile === info.tile_num - 1 ? info.last_tile_cell_num : info.cells_per_tile
}

/** Number of cells in several tiles. @param tiles tiles in rising order */
export function tilesCellNum(info: FragmentInfo, tiles: Uint32Array): number {
  const last = tiles.at(-1)
  return last === undefined ? 0 : (tiles.length - 1) * info.cells_per_tile + tileCellNum(info, last)
}

/** Unfiltered bytes of one cell, in a file whose cells are all the same size. */
export function fileCellSize(info: FragmentInfo, slot: number, role: Exclude<TileRole, 'var'>): number {
  return cellSizeIn(element(info.slots, slot), role)
}

/** {@link fileCellSize} of a slot. For the values of var-sized cells it is the size of an element. */
export function cellSizeIn({ cellSize }: Slot, role: FileRole): number {
  if (role === 'offsets') return 8
  return role === 'validity' ? 1 : cellSize
}
