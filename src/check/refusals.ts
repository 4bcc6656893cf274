import { InspectError, unlessFault } from '../base/errors.ts'
import { isWithinFolder, lastPathPart } from '../base/paths.ts'
import type { RefusedChunk } from '../cells/fragment-cells.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { MEASURED_RELEASE } from '../format/releases.ts'
import { type InspectArray, SCHEMA_FOLDER } from '../objects/array.ts'
import { changedLines } from '../objects/changed-commit-lines.ts'
import { REFUSED_ACTS } from '../objects/condition.ts'
import { type RefusedTile, readGenericTileHeader } from '../objects/generic-tile.ts'
import type { ReadContext } from '../objects/read-context.ts'
import { type Entry, type Folder, withSource } from '../storage/source.ts'
import { checkFolderNames } from './array-folder.ts'
import type { Refusal } from './codes/row.ts'
import { refusalOf } from './codes.ts'
import { checkCommitNames, checkCommits } from './commit-files.ts'
import { collectItems, type Finding, type Item, withoutRepeats } from './finding.ts'
import { checkEncrypted, oddCompressorFinding } from './generic-tiles.ts'
import { metadataItems } from './key-values.ts'
import { refusedPart } from './refused-part.ts'
import { type CheckRun, newRun } from './run.ts'
import { CheckedSchemas } from './schemas.ts'
import { strayItems } from './strays.ts'

/** A finding because of which TileDB refuses what this program can do. */
export interface Refused {
  finding: Finding
  refusal: Refusal
}

/**
 * The errors and warnings of an array that an opening meets: in schemas, enumerations and commits, and the errors in the names of
 * fragments. Others are in what this does not look at.
 * @param reads leaves out what makes a read of this program fail, too: missing fragments, and delete conditions other than tests for null
 */
export async function openingFindings(array: InspectArray, reads = false): Promise<Finding[]> {
  // The faults of files that are read once more were told.
  const { onFault } = array.cx
  array.cx.onFault = () => {}
  try {
    return await findingsOf(array, reads)
  } finally {
    array.cx.onFault = onFault
  }
}

/** Variants of faults in delete conditions that this program passes over. */
const PASSED: ReadonlySet<string | undefined> = new Set(['nullTest', 'compressor'])

async function findingsOf(array: InspectArray, reads: boolean): Promise<Finding[]> {
  const run = newRun('structure', false)
  const schemas = new CheckedSchemas(run, array, await array.schemaFiles())
  const entries = await array.fragments()
  const items = await schemaItems(array, schemas, true)
  const schema = schemas.get(schemas.opened?.name)
  const names = await nameItems(array, schema)
  items.push(...names)
  const told = new Set(names.map(placeKey))
  const commits = await array.commits()
  // This program applies no updates, so it does not read them.
  const updates = new Set(
    commits.files.flatMap(({ kind, path }) => (kind === 'update' ? `${array.folder.path}/${path}` : [])),
  )
  const isMet = (item: Finding): boolean => !PASSED.has(item.variant) && !updates.has(item.file)
  const changed = await changedLines(array, entries)
  const ofCommits = checkCommits(run, array, commits, { entries, changed }, schema)
  try {
    for await (const item of ofCommits)
      if ('severity' in item && !told.has(placeKey(item)) && !(reads && isMet(item))) items.push(item)
  } catch (error) {
    unlessFault(error)
  }
  return items.filter((item): item is Finding => 'severity' in item && item.severity !== 'note')
}

/** What TileDB refuses of an array, as far as an opening meets it. @param reads as in {@link openingFindings} */
export async function refusedReads(array: InspectArray, reads = false): Promise<Refused[]> {
  return refusedFindings(await openingFindings(array, reads))
}

/** What keeps TileDB from opening an array, by its schemas and, with `names`, by the names of its fragments. */
export async function refusedOpening(array: InspectArray, names: boolean): Promise<Refused[]> {
  const schemas = new CheckedSchemas(newRun('structure', false), array, await array.schemaFiles())
  const items = await schemaItems(array, schemas, false)
  if (names) items.push(...(await nameItems(array, schemas.get(schemas.opened?.name))))
  return refusedFindings(items).filter(({ refusal }) => refusal.act === 'open')
}

async function schemaItems(array: InspectArray, schemas: CheckedSchemas, enumerations: boolean): Promise<Item[]> {
  const { items } = await collectItems(withoutRepeats(schemas.checkAll(enumerations)))
  const strays = await strayItems(array.folder.folder(SCHEMA_FOLDER), await array.schemaStrays(), array.cx)
  // The variants are about openings at other times.
  const isMet = (item: Item): boolean => !('code' in item && item.code === 'ENUMERATION_MISSING' && item.variant)
  return [...items.filter(isMet), ...strays]
}

/** The errors in the names of fragments and commit files, and of what lies among them. A read of this program passes over all of them. */
async function nameItems(array: InspectArray, schema: ArraySchema | undefined): Promise<Finding[]> {
  const run: CheckRun = { ...newRun('structure', false), quick: true }
  const { folders } = await array.listing()
  const found = [checkFolderNames(run, array, folders), checkCommitNames(array, schema)]
  if ((await array.commits()).others.length > 0) {
    const { checkOtherMetadata } = await import('./consolidated-metadata.ts')
    found.push(checkOtherMetadata(run, array))
  }
  const items: Item[] = []
  for (const one of found) items.push(...(await collectItems(one)).items)
  return items.filter((item): item is Finding => 'severity' in item && item.severity === 'error')
}

function placeKey({ code, file, offset }: Finding): string {
  return `${code} ${offset} ${file}`
}

/** The errors of entries of `__meta`: an opening or a reading of the metadata meets them. */
export async function metadataErrors({ folder, cx }: InspectArray, entries: readonly Entry[]): Promise<Finding[]> {
  const items = await metadataItems(folder, entries, cx, false)
  return items.filter((item): item is Finding => 'severity' in item && item.severity === 'error')
}

/** What TileDB refuses because of entries of `__meta`. @param folder that of an array or a group */
export async function refusedMetadata(
  folder: Folder,
  entries: readonly Entry[],
  cx: ReadContext,
  ofGroup: boolean,
): Promise<Refused[]> {
  return refusedFindings(await metadataItems(folder, entries, cx, ofGroup))
}

/** What TileDB refuses because of entries whose names do not belong in their folder. @param inside `__schema` or `__group` */
export async function refusedStrays(inside: Folder, strays: readonly Entry[], cx: ReadContext): Promise<Refused[]> {
  return refusedFindings(await strayItems(inside, strays, cx))
}

/** What TileDB refuses because files of metadata are not encrypted although their array is. @param files their names */
export async function refusedPlainMetadata(
  inside: Folder,
  files: Iterable<string>,
  cx: ReadContext,
): Promise<Refused[]> {
  const found: Finding[] = []
  for (const name of files) {
    const header = await withSource(inside.file(name), readGenericTileHeader)
    const place = { file: `${inside.path}/${name}`, offset: 0 }
    found.push(...checkEncrypted(header, { ...cx, encrypted: true }, 'METADATA_UNREADABLE', place))
  }
  return refusedFindings(found)
}

/** The errors of sections of fragments that were read, because TileDB fails to read them. */
export function refusedSections({ folder, cx }: InspectArray): Finding[] {
  const isSection = ({ file }: RefusedTile): boolean =>
    isWithinFolder(file, folder.path) && lastPathPart(file) === FRAGMENT_METADATA_FILE
  return [...cx.refusedTiles.values()]
    .filter(isSection)
    .map(({ compressor, file, offset }) =>
      oddCompressorFinding(compressor, { file, offset }, { code: 'SECTION_UNREADABLE' }),
    )
}

/** Those of the items because of which TileDB refuses something. */
export function refusedFindings(items: readonly Item[]): Refused[] {
  return items.flatMap((item) => {
    if ('notExamined' in item) return []
    const refusal = refusalOf(item)
    return refusal ? [{ finding: item, refusal }] : []
  })
}

/** What TileDB refuses of the tiles that a read looked at. */
export function refusedChunks(chunks: readonly RefusedChunk[]): Refused[] {
  return refusedFindings(chunks.map(({ part, ...place }) => refusedPart(place, part)))
}

/**
 * What TileDB refuses, as one error, which tells the worst. It does not end a command: it says that TileDB does not do what the command
 * does.
 * @param refused at least one
 * @param what has these faults: an array or a group
 */
export function refusalError(refused: readonly Refused[], what = 'array'): InspectError {
  const [{ finding, refusal }, ...more] = refused.toSorted((a, b) => rankOf(a) - rankOf(b))
  const { file, offset, space, field, expected, found } = finding
  const others = more.length === 0 ? '' : `; check names ${more.length} more such faults`
  const act = refusal.act === 'open' ? `does not open the ${what}` : ACTS[refusal.act]
  const message = `TileDB ${MEASURED_RELEASE} ${act} (${refusal.error}): expected ${expected}, found ${found}${others}`
  return new InspectError('TILEDB_REFUSES', message, { file, offset, space, field })
}

/** `TileDB 2.30 does not open the array (its error)`, if one of the items keeps it from that. */
export function keptClosed(items: readonly Item[]): string | undefined {
  const closing = refusedFindings(items).find(({ refusal }) => refusal.act === 'open')
  return closing && `TileDB ${MEASURED_RELEASE} does not open the array (${closing.refusal.error})`
}

function rankOf({ refusal }: Refused): number {
  return REFUSED_ACTS.indexOf(refusal.act)
}

const ACTS: Readonly<Record<Exclude<Refusal['act'], 'open'>, string>> = {
  read: 'cannot read these cells',
  fields: 'cannot read the fields whose cells are here',
  labels: 'reads only the indexes of this enumeration, not its values',
  metadata: 'cannot read the key-value metadata',
}
