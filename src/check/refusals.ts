import { InspectError, unlessFault } from '../base/errors.ts'
import type { RefusedChunk } from '../cells/fragment-cells.ts'
import { type InspectArray, SCHEMA_FOLDER } from '../objects/array.ts'
import type { ReadContext } from '../objects/generic-tile.ts'
import { isTimeReversed } from '../objects/may-be-refused.ts'
import type { Folder } from '../storage/source.ts'
import { checkTimes } from './array-folder.ts'
import { MEASURED_RELEASE, type Refusal } from './codes/row.ts'
import { refusalOf } from './codes.ts'
import { checkCommits } from './commit-files.ts'
import { type Finding, type Item, withoutRepeats } from './finding.ts'
import { refusedPart } from './refused-part.ts'
import { newRun } from './run.ts'
import { CheckedSchemas } from './schemas.ts'
import { strayItems } from './strays.ts'

/** A finding because of which TileDB refuses what this program can do. */
export interface Refused {
  finding: Finding
  refusal: Refusal
}

/**
 * What TileDB refuses of an array. Looks only at schemas, enumerations, commits and the names of fragments.
 * @param reads leaves out what makes a read of this program fail, too: missing fragments, and delete conditions other than tests for null
 */
export async function refusedReads(array: InspectArray, reads = true): Promise<Refused[]> {
  const run = newRun('structure', false)
  const schemas = new CheckedSchemas(run, array, await array.schemaFiles())
  const entries = await array.fragments()
  const items: Item[] = []
  for await (const item of withoutRepeats(schemas.checkAll())) items.push(item)
  for (const { path, name } of entries.filter(isTimeReversed))
    items.push(...checkTimes(`${array.folder.path}/${path}`, name, true))
  const schemaFolder = array.folder.folder(SCHEMA_FOLDER)
  items.push(...(await strayItems(schemaFolder, await array.otherSchemaFiles(), array.cx)))
  const ofCommits = checkCommits(run, array, await array.commits(), entries, schemas.get(schemas.opened?.name))
  try {
    for await (const item of ofCommits)
      if (!reads || ('variant' in item && item.variant === 'nullTest')) items.push(item)
  } catch (error) {
    unlessFault(error)
  }
  return refusedOf(items)
}

/** What TileDB refuses because of files whose names do not belong in their folder. @param inside `__schema` or `__meta` */
export async function refusedStrays(inside: Folder, names: readonly string[], cx: ReadContext): Promise<Refused[]> {
  return refusedOf(await strayItems(inside, names, cx))
}

function refusedOf(items: readonly Item[]): Refused[] {
  return items.flatMap((item) => {
    if ('notExamined' in item) return []
    const refusal = refusalOf(item)
    return refusal ? [{ finding: item, refusal }] : []
  })
}

/** What TileDB refuses of the tiles that a read looked at. */
export function refusedChunks(chunks: readonly RefusedChunk[]): Refused[] {
  return refusedOf(chunks.map(({ part, ...place }) => refusedPart(place, part)))
}

/**
 * What TileDB refuses, as one error. It does not end a command: it says that TileDB does not do what the command does.
 * @param refused at least one
 */
export function refusalError([{ finding, refusal }, ...more]: readonly Refused[]): InspectError {
  const { file, offset, space, field, expected, found } = finding
  const others = more.length === 0 ? '' : `; check names ${more.length} more such faults`
  const message = `TileDB ${MEASURED_RELEASE} ${ACTS[refusal.act]} (${refusal.error}): expected ${expected}, found ${found}${others}`
  return new InspectError('TILEDB_REFUSES', message, { file, offset, space, field })
}

const ACTS: Readonly<Record<Refusal['act'], string>> = {
  open: 'does not open the array',
  read: 'cannot read these cells',
  fields: 'cannot read attributes that need this',
  metadata: 'cannot read the key-value metadata',
}
