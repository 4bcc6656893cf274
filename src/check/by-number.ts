import { unlessFault } from '../base/errors.ts'
import { holdsStringOffsets, type TileRole, withTileFile } from '../cells/tile-files.ts'
import type { InspectArray } from '../objects/array.ts'
import { type Fragment, type FragmentInfo, pipelineOf, slotHasFiles } from '../objects/fragment.ts'
import { pipelinesOf } from './pipelines.ts'

/** Most fragments whose first tiles are tried. */
const MAX_TRIED = 8

/**
 * Whether TileDB reads the cells of a pipeline in which the type of a filter names one compressor, and the number in its options another.
 * TileDB goes by the number: it reads cells that the compressor of the number made. Tries the first tile in some fragments.
 * @param field of the pipeline, as findings name it
 * @returns false if there is no tile to try
 */
export async function areCellsByNumber(array: InspectArray, schemaName: string, field: string): Promise<boolean> {
  let tried = 0
  for (const { committed, path } of await array.fragments()) {
    if (!committed || tried >= MAX_TRIED) continue
    const fragment = array.fragment(path)
    try {
      const info = await fragment.info().catch(unlessFault)
      if (info?.schemaName !== schemaName) continue
      for (const [slot, role] of filesOf(info, field)) {
        if (!(await isByNumber(fragment, slot, role))) return false
        tried++
      }
    } finally {
      await fragment.close()
    }
  }
  return tried > 0
}

/** The data files that a pipeline filters. */
function* filesOf(info: FragmentInfo, field: string): Generator<[slot: number, role: TileRole]> {
  const pipeline = pipelinesOf(info.schema).find(([name]) => name === field)?.[1]
  for (const [at, slot] of info.slots.entries()) {
    if (info.tile_num === 0 || !slotHasFiles(info, slot)) continue
    const roles: TileRole[] = [slot.varSized ? 'offsets' : 'data']
    if (slot.varSized) roles.push('var')
    if (slot.nullable) roles.push('validity')
    for (const role of roles) if (pipelineOf(info.schema, slot, role) === pipeline) yield [at, role]
  }
}

/** Whether the first tile of a file is undone by the numbers, not by the types of its filters. False if neither undoes it. */
async function isByNumber(fragment: Fragment, slot: number, role: TileRole): Promise<boolean> {
  let isNamed = false
  const onNamed = (): void => {
    isNamed = true
  }
  const read = await withTileFile(fragment, slot, role, async (tiles) =>
    tiles.read(0, { stringOffsets: await holdsStringOffsets(tiles, 0), onNamed }),
  ).catch(unlessFault)
  return read !== undefined && !isNamed
}
