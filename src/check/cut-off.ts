import { orError } from '../base/errors.ts'
import { type TileFile, withTileFile } from '../cells/tile-files.ts'
import { tileRole } from '../cells/tile-places.ts'
import type { FieldFile, Fragment } from '../objects/fragment.ts'

/*
 * Tiles that a data file is too short to hold. One finding about the file tells all of them.
 */

/** Whether a file ends before the end of a tile. */
export async function isCutOff(file: TileFile, tile: number): Promise<boolean> {
  const missing = await orError(async () => {
    const { offset, size } = file.place(tile)
    return offset + size > (await file.source.size())
  })
  return missing === true
}

/** Number of tiles that a file of some bytes does not hold. Undefined if nothing tells where its tiles lie. */
export async function cutOffTileNum(fragment: Fragment, file: FieldFile, bytes: number): Promise<number | undefined> {
  const num = await orError(() =>
    withTileFile(fragment, file.slot, tileRole(file), async (tiles) => {
      let held = tiles.tileNum
      while (held > 0 && endOf(tiles, held - 1) > bytes) held--
      return tiles.tileNum - held
    }),
  )
  return typeof num === 'number' ? num : undefined
}

function endOf(tiles: TileFile, tile: number): number {
  const { offset, size } = tiles.place(tile)
  return offset + size
}
