import { unlessFault } from '../base/errors.ts'
import { withTileFile } from '../cells/tile-files.ts'
import { hasOddFilters } from '../objects/may-be-refused.ts'
import type { OpenedFragment } from '../read/query.ts'
import type { Finding } from './finding.ts'
import { refusedPart } from './refused-part.ts'

/**
 * Data files with a tile without bytes, such as one of empty strings, that TileDB wrote and cannot read. Reads the sizes of the tiles of
 * fields whose filters may write one, and the first such tile of a file: the others have the same form.
 * @param fields names of the fields that are read; undefined for all
 */
export async function emptyTileErrors(
  fragments: readonly OpenedFragment[],
  fields: readonly string[] | undefined,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const { fragment, info } of fragments)
    for (const [i, slot] of info.slots.entries()) {
      if (!hasOddFilters(info, i) || fields?.includes(slot.name) === false) continue
      // Faults of the file are found by those who read it.
      await withTileFile(fragment, i, 'var', async (file) => {
        for (let tile = 0; tile < info.tile_num; tile++) {
          if (file.expectedSize(tile) !== 0) continue
          const at = { file: file.source.name, tile }
          file.onRefused = (_, part) => void found.push(refusedPart(at, part))
          await file.read(tile)
          return
        }
      }).catch(unlessFault)
    }
  return found
}
