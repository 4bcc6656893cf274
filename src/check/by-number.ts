import { unlessFault } from '../base/errors.ts'
import { holdsStringOffsets, type TileRole, withTileFile } from '../cells/tile-files.ts'
import type { InspectArray } from '../objects/array.ts'
import { type Fragment, type FragmentInfo, pipelineOf, slotHasFiles } from '../objects/fragment.ts'
import { pipelinesOf } from './pipelines.ts'

/** Most fragments whose first tiles are tried. */
const MOST_TRIED = 8

/**
 * Whether the cells of a pipeline with the number of another compressor are filtered by that compressor, so that TileDB, which goes by the
 * number, reads them. Tries the first tile in some fragments. False if there is none.
 * @param field of the pipeline, as findings name it
 */
export async function areCellsByNumber(array: InspectArray, schemaName: string, field: string): Promise<boolean> {
  let tried = 0
  for (const { committed, path } of await array.fragments()) {
    if (!committed || tried >= MOST_TRIED) continue
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
