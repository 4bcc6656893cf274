import { sum } from '../base/sum.ts'
import type { CellSelection } from '../cells/fragment-cells.ts'
import type { TileUnitRunner } from '../cells/tile-units.ts'
import type { Unit, UnitRunner } from '../check/units.ts'
import { FRAGMENT_METADATA_FILE, OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import type { Fragment } from '../objects/fragment.ts'
import { filesSum } from '../objects/object-files.ts'
import type { Target } from '../objects/target.ts'
import { conditionFields } from '../read/condition.ts'
import type { OpenedArray, ReadQuery } from '../read/query.ts'
import { Folder, type Storage } from '../storage/source.ts'

/** How much there is to do, for progress. It is an estimate: a read may need less than whole files. */

/** Files with the extension of data files that have no tiles of cells. */
const METADATA_FILES: readonly string[] = [FRAGMENT_METADATA_FILE, OLD_SCHEMA_FILE]

/**
 * Bytes of the files of a target. Undefined over a network, where finding out would take requests.
 * @param all whether uncommitted fragments count, too
 * @param tiles whether data files count, too
 */
export async function bytesOfTarget(
  storage: Storage,
  target: Target,
  all: boolean,
  tiles = true,
): Promise<number | undefined> {
  const leftOut = new Set<string>()
  if (target.type === 'array' && !all)
    for (const { name, committed } of await target.array.fragments()) if (!committed) leftOut.add(name)
  const counts = (file: string): boolean => tiles || !file.endsWith('.tdb') || METADATA_FILES.includes(file)
  return bytesBelow(storage, target.path, (name) => !leftOut.has(name), counts)
}

/** Bytes of the files below a folder. Undefined over a network. @param enters whether a folder counts, by its name */
export async function bytesBelow(
  storage: Storage,
  path: string,
  enters: (folder: string) => boolean = () => true,
  counts: (file: string) => boolean = () => true,
): Promise<number | undefined> {
  if (storage.isRemote?.(path)) return undefined
  return (await filesSum(new Folder(storage, path), { enter: (_, name) => enters(name), counts })).size
}

/** Bytes of the data files that a read of an array needs, of all tiles. */
export async function bytesOfRead(
  { schema, fragments }: OpenedArray,
  { fields, where }: Pick<ReadQuery, 'fields' | 'where'>,
): Promise<number> {
  const names = fields && new Set([...schema.domain.dimensions.map(({ name }) => name), ...fields])
  if (names && where) conditionFields(where, names)
  let bytes = 0
  for (const { fragment } of fragments) bytes += await bytesOfFields(fragment, names && [...names])
  return bytes
}

/** Bytes of a fragment's files of these fields, by default of all; those of dimensions always count. */
export async function bytesOfFields(fragment: Fragment, fields?: readonly string[]): Promise<number> {
  const { slots } = await fragment.info()
  const isNeeded = (slot: number): boolean =>
    slots[slot].kind !== 'attribute' || !fields || fields.includes(slots[slot].name)
  return sum(
    (await fragment.fieldFiles()).filter(({ slot }) => isNeeded(slot)),
    ({ size }) => size,
  )
}

/** Tiles that are decoded, if threads do that; otherwise bytes of the files. */
export async function sizeOfDecoding(fragment: Fragment, { fields, threads, tiles }: CellSelection): Promise<number> {
  if (!threads) return bytesOfFields(fragment, fields)
  return tiles ? tiles.to - tiles.from + 1 : (await fragment.info()).tile_num
}

/** The runner, which also tells how many stored bytes of the units are done. */
export function countedRunner<I>(runner: UnitRunner<I>, onDone: (bytes: number) => void): UnitRunner<I> {
  return async function* (units) {
    const begun: number[] = []
    async function* noted(): AsyncGenerator<Unit<I>> {
      for await (const unit of units) {
        begun.push(unit.bytes)
        yield unit
      }
    }
    let done = 0
    // The results come in the order of the units.
    for await (const result of runner(noted())) {
      done += begun.shift() ?? 0
      onDone(done)
      yield result
    }
  }
}

/** The runner, which also tells how many tiles are done. */
export function countedTiles(runner: TileUnitRunner, onDone: (tiles: number) => void): TileUnitRunner {
  return {
    ...runner,
    async *run(units, runHere) {
      let tiles = 0
      for await (const done of runner.run(units, runHere)) {
        tiles += done.tiles.length
        onDone(tiles)
        yield done
      }
    },
  }
}
