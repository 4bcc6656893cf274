import type { Codecs } from '../filters/codecs/codecs.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import { MemoryStorage } from '../source/memory.ts'
import { readContext } from '../store/generic-tile.ts'
import { openTarget } from '../store/target.ts'
import { arrayFiles } from '../write/array-writer.ts'
import type { FragmentCellsToWrite } from '../write/ndjson-cells.ts'
import { Random } from '../write/random.ts'

/** Folder of arrays in memory. */
const FOLDER = 'array'

/** An array in memory, as TileDB would write it: one fragment for each set of cells, at the times 1, 2, … */
export async function arrayInMemory(
  schema: ArraySchema,
  fragments: readonly FragmentCellsToWrite[],
  codecs: Codecs,
): Promise<OpenedArray> {
  const random = new Random(FOLDER)
  const array = {
    schema,
    enumerations: [],
    metadata: [],
    timestamp: 0n,
    uuid: () => random.uuid(),
    fragments,
  }
  const files = new Map<string, Uint8Array>()
  const cx = { codecs, key: undefined, randomBytes: (length: number) => new Uint8Array(length) }
  for await (const { path, bytes } of arrayFiles(array, cx, () => {})) files.set(`${FOLDER}/${path}`, bytes)
  const target = await openTarget(new MemoryStorage(files), FOLDER, readContext(codecs))
  if (target.type !== 'array') throw new TypeError('expected an array in memory')
  return openAt(target.array)
}
