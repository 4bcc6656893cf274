import { badValue, InspectError, unlessFault } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { lastPathPart } from '../base/paths.ts'
import { sizeText } from '../base/sizes.ts'
import { isInDomain } from '../cells/rtree-builder.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind } from '../format/datatype.ts'
import { NEWEST_FORMAT_VERSION } from '../format/format-version.ts'
import { FRAGMENT_METADATA_FILE, OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import type { SlotKind } from '../format/fragment-slots.ts'
import { type FragmentEntry, SCHEMA_FOLDER } from '../objects/array.ts'
import { pointsInDomain } from '../objects/cell-counts.ts'
import { changedFields, changedFooterLength, changedTiles } from '../objects/changed-fields.ts'
import { deletePlaces } from '../objects/deletes.ts'
import {
  type FieldFile,
  type Fragment,
  type FragmentInfo,
  mayRepeatCoordinates,
  storedCellNum,
  valuesHoldOffsets,
} from '../objects/fragment.ts'
import { misnamedFiles } from '../objects/misnamed-files.ts'
import { type ByteSource, withSource } from '../storage/source.ts'
import type { VariantOf } from './codes.ts'
import { cutOffTileNum } from './cut-off.ts'
import {
  asIgnored,
  type Finding,
  type FindingPlace,
  finding,
  fromError,
  guarded,
  type IgnoredReason,
  type Item,
  type Items,
  NO_FILE,
} from './finding.ts'
import { crowdedBox, footerFindings } from './footer.ts'
import { type CheckRun, reaches } from './run.ts'
import type { CheckedSchemas } from './schemas.ts'
import type { CheckWork } from './units.ts'

/** Why readers ignore a fragment; undefined if they read it. */
export function whyIgnored({ committed, isRead, state }: FragmentEntry): IgnoredReason | undefined {
  if (!committed) return 'uncommitted'
  if (isRead) return undefined
  return state === 'future' ? 'future' : 'toVacuum'
}

/**
 * Checks a fragment.
 * @param schemas the checked schemas of the array; undefined if they were not checked
 * @param ignored why readers ignore the fragment: its faults are then at most warnings
 * @param sizes sizes of the files in its folder in bytes, by name, if they are known
 */
export async function* checkFragment(
  run: CheckRun,
  fragment: Fragment,
  schemas: CheckedSchemas | undefined,
  ignored: IgnoredReason | undefined,
  sizes?: ReadonlyMap<string, number>,
): CheckWork {
  for await (const one of checkAsRead(run, fragment, schemas, ignored, sizes))
    yield 'part' in one ? one : asIgnored(one, ignored)
}

/** Whether readers read a fragment, now or after its time has come. */
function isReadSometime(ignored: IgnoredReason | undefined): boolean {
  return ignored === undefined || ignored === 'future'
}

async function* checkAsRead(
  run: CheckRun,
  fragment: Fragment,
  schemas: CheckedSchemas | undefined,
  ignored: IgnoredReason | undefined,
  sizes: ReadonlyMap<string, number> | undefined,
): CheckWork {
  const file = `${fragment.folder.path}/${FRAGMENT_METADATA_FILE}`
  run.counts.fragment_num++
  run.counts.file_num++
  if (!sizes?.has(FRAGMENT_METADATA_FILE)) {
    const kind = await fragment.folder.kind(FRAGMENT_METADATA_FILE)
    if (kind !== 'file') {
      const place = { file: fragment.folder.path }
      // An unfinished write may lack anything. So may a fragment that is being removed.
      const kept =
        isReadSometime(ignored) && (await fragment.array?.keptFooter(fragment.name)) ? 'footerKept' : undefined
      yield finding('FRAGMENT_NO_METADATA', place, FRAGMENT_METADATA_FILE, NO_FILE[kind ?? 'none'], kept ?? ignored)
      return
    }
  }
  const replaced = await schemas?.replaced()
  if (replaced?.size) {
    const name = (await fragment.head().catch(unlessFault))?.array_schema_name
    if (name !== undefined && replaced.has(name)) {
      const why = `its schema ${name} was replaced by that of another array`
      yield { notExamined: new InspectError('NO_SCHEMA', why, { file: fragment.folder.path }) }
      return
    }
  }
  let info: FragmentInfo
  try {
    info = fragment.infoSync() ?? (await fragment.info())
  } catch (error) {
    yield await footerErrorItem(error, file, fragment, schemas)
    return
  }
  if (fragment.ownFooterFault)
    yield fromError(
      fragment.ownFooterFault,
      'FOOTER_UNREADABLE',
      { file },
      isReadSometime(ignored) ? 'footerKept' : undefined,
    )
  yield* footerFindings(info, fragment, file)
  if (!run.quick) fragment.planMetadata(info)
  // A quick check of a single fragment reads no schema but its own.
  const isCompared = !run.quick || schemas !== undefined
  for (const { name, now, written } of isCompared ? await changedFields(fragment) : []) {
    const place = { file, offset: info.footer?.offset, field: `attributes.${name}` }
    yield finding('FIELD_CHANGED', place, `${now} as in the array's schema`, written)
  }
  const current = isCompared ? (await fragment.array?.newestSchema().catch(unlessFault))?.schema : undefined
  if (current) yield* tilesFindings(file, info, current)
  const now = isCompared ? await changedFooterLength(fragment) : undefined
  if (now !== undefined) {
    const place = { file, offset: info.footer?.offset, field: 'footer_length' }
    const expected = `a schema of ${now} attributes, as the array's is now`
    yield finding('FIELD_CHANGED', place, expected, info.schema.attributes.length, 'footer')
  }
  const files = await fragment.fieldFiles()
  yield* guarded('FOOTER_UNREADABLE', { file: fragment.folder.path }, () =>
    checkFiles(run, fragment, info, files, sizes),
  )
  if (run.quick) {
    yield* crowdedDomain(info, file)
    return
  }
  const { checkFragmentMetadata } = await import('./fragment-metadata.ts')
  yield* checkFragmentMetadata(fragment, info, file)
  if (!reaches(run, 'chunks')) return
  const { checkDataFiles, dataFileUnits } = await import('./data-files.ts')
  if (run.shared) yield* dataFileUnits(run, fragment, info, ignored)
  else yield* checkDataFiles(run, fragment, info)
}

/**
 * Finds a non-empty domain with fewer points than the fragment has cells. A quick check does not read the boxes of the tiles, which tell this
 * of each tile.
 * @param file the fragment's metadata
 */
function* crowdedDomain(info: FragmentInfo, file: string): Generator<Finding> {
  const { schema, dense, nonempty_domain } = info
  const isCountable = schema.domain.dimensions.every(({ type }) => !['float', 'text'].includes(datatypeKind(type)))
  if (dense || !nonempty_domain || !isCountable) return
  const [cells, room] = [storedCellNum(info), pointsInDomain(info)]
  // Another finding tells of a domain whose ends are swapped. The footer itself is not decoded, which takes long.
  if (room < 1n || cells <= room || mayRepeatCoordinates(info)) return
  const place = { file, offset: info.footer_span?.offset, field: 'nonempty_domain' }
  yield crowdedBox(place, cells, room)
}

/**
 * Finds cells that are elsewhere in the array than in the fragment, or outside of its domain.
 * @param file the fragment's metadata
 */
export function* tilesFindings(
  file: string,
  { schema, footer, nonempty_domain, dense }: FragmentInfo,
  current: ArraySchema,
): Generator<Finding> {
  const offset = footer?.offset
  const changed = changedTiles(current, schema)
  if (changed) {
    const place = { file, offset, field: changed.field }
    yield finding('FIELD_CHANGED', place, `${changed.now}, as in the array's schema`, changed.written, 'tiles')
    return
  }
  if (!nonempty_domain || current === schema) return
  for (const [d, dimension] of current.domain.dimensions.entries()) {
    const before = schema.domain.dimensions[d]
    // Another finding says that the box leaves the domain of its own schema.
    if (dimension.cell_val_num === 'var' || before?.type !== dimension.type || !isInDomain(before, nonempty_domain[d]))
      continue
    if (isInDomain(dimension, nonempty_domain[d])) continue
    const place = { file, offset, field: `nonempty_domain.${dimension.name}` }
    const expected = "a range inside the domain of the array's schema"
    yield finding('FIELD_CHANGED', place, expected, 'one that leaves it', dense ? 'domain' : 'domainSparse')
  }
}

/** Turns the error of a footer into an item: its schema is missing or unreadable, or the footer itself is damaged. */
async function footerErrorItem(
  error: unknown,
  file: string,
  fragment: Fragment,
  schemas: CheckedSchemas | undefined,
): Promise<Item> {
  if (!(error instanceof InspectError)) throw error
  const { at, code, message } = error
  if (at.file !== undefined && at.file !== file && at.file !== fragment.folder.path) {
    const schemaName = lastPathPart(at.file)
    const noSchema = (why: string): Item => ({
      notExamined: new InspectError('NO_SCHEMA', why, { file: fragment.folder.path }, { cause: error }),
    })
    // Another finding says that the array has no schemas.
    if (schemas?.files.length === 0)
      return noSchema(`its schema ${schemaName} is not there, and no other schema of the array is`)
    if (code === 'NOT_FOUND' || code === 'MISSING_FILE') {
      const place = { file, field: 'array_schema_name' }
      return finding('SCHEMA_MISSING', place, 'the name of a schema that is there', JSON.stringify(schemaName))
    }
    if (schemas?.isUnreadable(schemaName)) return noSchema(`its schema ${schemaName} cannot be read`)
    // Nobody else has looked at this schema: a quick check looks only at that of the opened array.
    const isOfSchema = schemaName === OLD_SCHEMA_FILE || at.file.endsWith(`/${SCHEMA_FOLDER}/${schemaName}`)
    if (isOfSchema) return fromError(error, 'SCHEMA_UNREADABLE', { file: at.file })
  }
  if (at.field === 'array_schema_name' && code === 'BAD_VALUE') return fromError(error, 'SCHEMA_MISSING', { file })
  if (at.field?.startsWith('nonempty_domain')) return fromError(error, 'NONEMPTY_DOMAIN', { file })
  if (at.field === 'version' && code === 'INCONSISTENT')
    return fromError(error, 'FOOTER_VERSION', { file }, 'elsewhere')
  const named = fragment.parsedName?.least_version ?? NEWEST_FORMAT_VERSION + 1
  if (code === 'UNSUPPORTED_VERSION' && named <= NEWEST_FORMAT_VERSION) {
    // The name has a known version, so the number in the footer is damaged.
    return fromError(badValue(message, at, { cause: error }), 'FOOTER_UNREADABLE', { file })
  }
  return fromError(error, 'FOOTER_UNREADABLE', { file })
}

/**
 * Most bytes of file ends that are fetched together with the sizes, over all fragments that are checked at once. They have to fit in
 * the cache of a remote storage.
 */
const ENDS_BYTES = 24 * 2 ** 20

/** What is known of a file that is twice as long as the footer says: what is in it is read only where data files are. */
async function doubledVariant(run: CheckRun, source: ByteSource): Promise<VariantOf<'FILE_LONG'> | undefined> {
  if (!reaches(run, 'chunks')) return 'doubled'
  const { isWrittenTwice } = await import('./written-twice.ts')
  return (await withSource(source, isWrittenTwice)) ? 'writtenTwice' : undefined
}

async function otherOf(fragment: Fragment, file: FieldFile, actual: number): Promise<string | undefined> {
  const { exchangedWith } = await import('./exchanged.ts')
  return exchangedWith(fragment, file, actual)
}

function exchanged(
  code: 'FILE_SHORT' | 'FILE_LONG',
  place: FindingPlace,
  [size, actual, other]: readonly [size: number, actual: number, other: string],
): Finding {
  const found = `${actual}: exchanged with ${other}`
  return { ...finding(code, place, `${sizeText(size)} bytes`, found, 'exchanged'), exchanged: other }
}

/** The slots that TileDB reads for any field of a sparse fragment. */
const COORDINATES: ReadonlySet<SlotKind> = new Set<SlotKind>(['coords', 'dimension'])

/** What a lost file, or a lost end of it, means by the kind of its field; undefined if only reads of this field fail. Measured with TileDB 2.30. */
async function lostVariant(
  { array, timestamp_range: [first, last] = [0n, 0n] }: Fragment,
  { schema }: FragmentInfo,
  kind: SlotKind,
): Promise<VariantOf<'FILE_MISSING'> | undefined> {
  if (COORDINATES.has(kind)) return 'coordinates'
  if (kind === 'delete_condition_index') return 'conditionIndex'
  if (kind === 'delete_timestamps') return 'times'
  if (kind !== 'timestamps') return undefined
  const deletes = schema.allows_duplicates && array ? await deletePlaces(array) : undefined
  return deletes?.every(({ time }) => time < first || time > last) ? 'timesUnread' : 'times'
}

/** Compares the files that the metadata lists with those that exist. @param sizes in bytes, by name, if they are known */
async function* checkFiles(
  run: CheckRun,
  fragment: Fragment,
  info: FragmentInfo,
  files: readonly FieldFile[],
  sizes: ReadonlyMap<string, number> | undefined,
): Items {
  const { folder } = fragment
  const listed = new Set([FRAGMENT_METADATA_FILE])
  const there = new Map((await fragment.entries()).map(({ name, kind }) => [name, kind]))
  for (const { name } of files) listed.add(name)
  // If the data is read later anyway, small files are fetched together with their size.
  const end = reaches(run, 'chunks') ? Math.floor(ENDS_BYTES / run.concurrency / files.length) : 0
  const actualSize = async ({ name, size }: FieldFile): Promise<number | undefined> => {
    if (sizes) return sizes.get(name)
    if (there.get(name) !== 'file') return undefined
    run.counts.file_num++
    return withSource(folder.file(name), (source) => source.size(Math.min(size, end)))
  }
  const compare = async (one: FieldFile): Promise<Item[]> => {
    const { size, role, slot } = one
    const file = `${folder.path}/${one.name}`
    try {
      const actual = await actualSize(one)
      const unused = role === 'offsets' && valuesHoldOffsets(info, slot) ? 'unusedOffsets' : undefined
      const variant =
        unused ??
        (actual === undefined || actual < size ? await lostVariant(fragment, info, info.slots[slot].kind) : undefined)
      if (actual === undefined) {
        return size > 0 ? [finding('FILE_MISSING', { file }, `a file of ${sizeText(size)} bytes`, 'none', variant)] : []
      }
      if (actual < size) {
        const num = run.quick ? undefined : await cutOffTileNum(fragment, one, actual)
        const other = unused || run.quick ? undefined : await otherOf(fragment, one, actual)
        if (other !== undefined) return [exchanged('FILE_SHORT', { file, offset: actual }, [size, actual, other])]
        const found = num === undefined ? `${actual}` : `${actual}: ${num} of ${info.tile_num} tiles are cut off`
        return [finding('FILE_SHORT', { file, offset: actual }, `${sizeText(size)} bytes`, found, variant)]
      }
      if (actual === size) return []
      const other = unused || run.quick ? undefined : await otherOf(fragment, one, actual)
      if (other !== undefined) return [exchanged('FILE_LONG', { file, offset: size }, [size, actual, other])]
      const long = actual === 2 * size ? await doubledVariant(run, folder.file(one.name)) : undefined
      return [finding('FILE_LONG', { file, offset: size }, `${size} bytes`, actual, long)]
    } catch (error) {
      return [fromError(error, 'FILE_MISSING', { file })]
    }
  }
  for await (const items of inOrder(files, atOnce(folder), compare)) yield* items
  const unlisted = [...there.keys()].filter((name) => !listed.has(name))
  const misnamed = unlisted.length > 0 ? await misnamedFiles(fragment, files) : undefined
  for (const name of unlisted) {
    const own = misnamed?.get(name)?.name
    const [expected, variant] = own === undefined ? ['a file of a field'] : [own, 'missing' as const]
    const found = finding('FILE_UNLISTED', { file: `${folder.path}/${name}` }, expected, JSON.stringify(name), variant)
    yield own === undefined ? found : { ...found, missing: `${folder.path}/${own}` }
  }
}
