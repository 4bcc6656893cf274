import type { Codecs } from '../filters/codecs/codecs.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { commitPath, commitsFolder } from '../format/commit-files.ts'
import { deleteCondition } from '../format/delete-condition.ts'
import { encode } from '../format/io.ts'
import { LAST_TIME } from '../format/timestamped-name.ts'
import { type ReadContext, readContext } from '../objects/read-context.ts'
import { openTarget } from '../objects/target.ts'
import { openAt, openedDeletes } from '../read/opening.ts'
import type { OpenedArray } from '../read/query.ts'
import { consolidatedFragment } from '../steps/consolidate.ts'
import { MemoryStorage } from '../storage/memory.ts'
import {
  type ArrayFile,
  fragmentFiles,
  lockFiles,
  schemaFileName,
  schemaFiles,
  writtenArrayFiles,
} from '../write/array-writer.ts'
import { genericTileWriter, type WriteContext } from '../write/generic-tile-writer.ts'
import type { FragmentCellsToWrite } from '../write/ndjson-cells.ts'
import { Random } from '../write/random.ts'
import {
  breaksTiles,
  consolidatables,
  lacksConditions,
  leastAmplification,
  takenLater,
  withLater,
} from './consolidation.ts'

/** Folder of an array in memory. */
const FOLDER = 'array'

/** Writes an array in memory as TileDB would write it: one fragment for each set of cells, at the times 1, 2, … */
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
  const files: ArrayFile[] = []
  for await (const file of writtenArrayFiles(array, writeContext(codecs), () => {})) files.push(file)
  return openFiles(files, readContext(codecs))
}

/**
 * Makes, in memory, the array after `tiledb.consolidate` of all its fragments and a vacuum. Its delete conditions stay. Consolidation also
 * marks the cells that conditions with a future time will delete (measured with TileDB 2.30).
 * @returns undefined if TileDB would not merge all fragments into one or breaks them by it, or if the array is opened for a part of its times only
 */
export async function consolidatedInMemory(opened: OpenedArray, codecs: Codecs): Promise<OpenedArray | undefined> {
  if (!(await consolidatesToOne(opened))) return undefined
  const { version } = opened.schema
  const schema = { ...opened.schema, dimension_labels: [] }
  const random = new Random(FOLDER)
  const uuid = (): string => random.uuid()
  const cx = writeContext(codecs)
  const schemaName = schemaFileName(version, 0n, uuid)
  const deletes = await openedDeletes(opened.array.at({ from: 0n, now: LAST_TIME }))
  const fragment = await consolidatedFragment({ ...opened, schema, deletes })
  const { name, files } = await fragmentFiles({ ...fragment, schemaName, uuid: uuid() }, cx)
  const commit = commitPath(version, name)
  const writeTile = await genericTileWriter(version, cx)
  const conditions = deletes.map(({ name: deletion, stays }) => ({
    path: `${commitsFolder(version)}${deletion}.del`,
    bytes: writeTile(encode(stays, deleteCondition)),
  }))
  return openFiles(
    [
      ...files,
      ...lockFiles(version),
      ...(await schemaFiles({ schema, enumerations: [] }, schemaName, cx)),
      ...(commit === undefined ? [] : [{ path: commit, bytes: new Uint8Array(0) }]),
      ...conditions,
    ],
    { ...readContext(codecs), now: opened.between[1] },
  )
}

/** Whether consolidation merges all fragments soundly into one, and no others. */
async function consolidatesToOne(opened: OpenedArray): Promise<boolean> {
  const { fragments, between } = opened
  const isWhole =
    between[0] === 0n &&
    fragments.every(({ fragment }) => (fragment.timestamp_range?.[1] ?? 0n) <= between[1]) &&
    takenLater(await withLater(opened)) === 0
  if (fragments.length < 2 || !isWhole) return false
  const all = consolidatables(opened)
  return leastAmplification(all) <= 1 && !breaksTiles(opened, all) && !lacksConditions(opened)
}

function writeContext(codecs: Codecs): WriteContext {
  return { codecs, key: undefined, randomBytes: (length) => new Uint8Array(length) }
}

async function openFiles(files: readonly ArrayFile[], cx: ReadContext): Promise<OpenedArray> {
  const storage = new MemoryStorage(new Map(files.map(({ path, bytes }) => [`${FOLDER}/${path}`, bytes])))
  const target = await openTarget(storage, FOLDER, cx)
  if (target.type !== 'array') throw new TypeError('expected an array in memory')
  return openAt(target.array)
}
