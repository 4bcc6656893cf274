import { addPlace, faultOf, hasCode, InspectError, longer } from '../base/errors.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { librarySort } from '../base/library-sort.ts'
import { lastPathPart } from '../base/paths.ts'
import { rising } from '../base/rising.ts'
import { isInDomain } from '../cells/rtree-builder.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Dimension } from '../format/dimension.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { SlotKind } from '../format/fragment-slots.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import type { FooterCopy, FragmentEntry, InspectArray } from '../objects/array.ts'
import { changedAttributes, otherTiles } from '../objects/changed-fields.ts'
import { FRAGMENTS_FOLDER } from '../objects/commits.ts'
import { allDeletePlaces, deletePlaces, readDelete } from '../objects/deletes.ts'
import { fragmentFileSizes } from '../objects/file-sizes.ts'
import type { Fragment, FragmentInfo } from '../objects/fragment.ts'
import type { OpenedArray, OpenedFragment, TimedCondition } from './query.ts'

/**
 * Opens an array between two times, both included: finds the schema, the fragments and the delete conditions that TileDB 2.30 loads.
 *
 * @param between milliseconds since 1970; by default the times of the array's context: from 0 to now
 * @param boxes whether the boxes of all sparse fragments will be read next: those that are read with a footer are kept
 * @param onFault called once per fragment that cannot be opened, which is then left out; by default throws the error
 * @throws InspectError MISSING_FILE if a commit names a fragment without a folder, since version 12; the errors of fragments, schemas and
 *   conditions that cannot be read, each with its file
 * @see tiledb/sm/array/array_directory.cc
 */
export async function openAt(
  array: InspectArray,
  { from = array.cx.from ?? 0n, to = array.cx.now, boxes = false }: OpenOptions = {},
  onFault = thrown,
): Promise<OpenedArray> {
  const opened = array.at({ from, now: to })
  const schema = await opened.schemaOfCells()
  for (const missing of await lostPaths(opened)) onFault(missingFault(array, missing))
  const fragments = withMisread(schema, await openedFragments(opened, boxes && schema.array_type === 'sparse', onFault))
  const deletes = await openedDeletes(opened)
  const condition_num = (await allDeletePlaces(array)).length
  return { array: opened, between: [from, to], schema, fragments, deletes, condition_num }
}

/** Fragments with the names of their attributes that have another form in the array. */
export function withMisread(schema: ArraySchema, fragments: readonly OpenedFragment[]): readonly OpenedFragment[] {
  return fragments.map((one) => {
    const changed = changedAttributes(schema, one.info.schema)
    return changed.length === 0 ? one : { ...one, misread: new Set(changed.map(({ name }) => name)) }
  })
}

interface OpenOptions {
  from?: bigint | undefined
  to?: bigint | undefined
  boxes?: boolean | undefined
}

/** Paths of the fragments that TileDB opens, but that are missing. Of versions before 12 it opens only what it finds. */
export async function missingPaths(array: InspectArray): Promise<string[]> {
  return (await array.missingFragments()).filter((path) => path.startsWith(`${FRAGMENTS_FOLDER}/`))
}

/** {@link missingPaths} of which no footer is left: TileDB does not open the array. */
export async function lostPaths(array: InspectArray): Promise<string[]> {
  const lost: string[] = []
  for (const path of await missingPaths(array)) if (!(await array.keptFooter(lastPathPart(path)))) lost.push(path)
  return lost
}

/** The fault that a fragment is missing. @param others number of others that are */
export function missingFault({ folder }: InspectArray, path: string, others = 0): InspectError {
  const found = others === 0 ? 'no such folder' : `no such folder (and ${others} more that are missing)`
  return new InspectError(
    'MISSING_FILE',
    { expected: 'the fragment that a commit names', found },
    { file: `${folder.path}/${path}` },
  )
}

/** The complete fragments of an array, if TileDB reads none. A fragment with metadata is complete: TileDB writes it last. */
export async function unreadFragments(
  array: InspectArray,
  entries: readonly FragmentEntry[],
): Promise<readonly FragmentEntry[]> {
  const whole: FragmentEntry[] = []
  if (entries.some(({ isRead }) => isRead)) return whole
  for (const entry of entries) {
    const isThere = (await array.folder.folder(entry.path).kind(FRAGMENT_METADATA_FILE)) === 'file'
    if (isThere) whole.push(entry)
  }
  return whole
}

type OnFault = (fault: InspectError) => void

function thrown(fault: InspectError): void {
  throw fault
}

/**
 * Whether the times of a fragment's cells decide which of them are read. If the times in its name are all inside the times of the
 * opening, TileDB reads all its cells. A consolidated fragment may hold cells that are later than its name says.
 */
export function isCutByTime({ between: [from, to] }: OpenedArray, { fragment }: OpenedFragment): boolean {
  const [first, last] = fragment.timestamp_range ?? [0n, 0n]
  return first < from || last > to
}

/**
 * Name of the first dimension by which a sparse fragment has cells outside of the domain; undefined if it has none. TileDB reads nothing
 * outside, and gives no error; this program reads what is there.
 */
export function dimensionOutside({ info }: Pick<OpenedFragment, 'info'>): string | undefined {
  const { dense, nonempty_domain, schema } = info
  if (dense || !nonempty_domain) return undefined
  const isOutside = (one: Dimension, d: number): boolean =>
    one.cell_val_num !== 'var' && !isInDomain(one, nonempty_domain[d])
  return schema.domain.dimensions.find(isOutside)?.name
}

/**
 * Whether the cells of a fragment are where the schema of the array has them.
 * @param onFault called if they are not; without it, the error is thrown
 */
export function hasTilesOf(schema: ArraySchema, fragment: OpenedFragment, onFault: OnFault = thrown): boolean {
  const fault = otherTiles(schema, fragment)
  if (fault) onFault(fault)
  return fault === undefined
}

/** Whether a fragment has a field of a kind. */
export function hasSlot({ info }: Pick<OpenedFragment, 'info'>, kind: SlotKind): boolean {
  return info.slots.some((slot) => slot.kind === kind)
}

async function openedFragments(array: InspectArray, boxes: boolean, onFault: OnFault): Promise<OpenedFragment[]> {
  const entries = await inTileDBsOrder(array)
  const { isRemote } = array.folder
  // A few listings give the sizes of all metadata files, and consolidated metadata gives the footers.
  if (isRemote) await array.listFragmentsAhead()
  const footers = isRemote ? await array.consolidatedFooters() : undefined
  const open = (entry: ListedEntry): Promise<OpenedFragment | InspectError> =>
    openListedFragment(array, entry, footers).catch(faultOf)
  const fragments: OpenedFragment[] = []
  const add = (one: OpenedFragment | InspectError): void => {
    if (one instanceof InspectError) onFault(one)
    else fragments.push(one)
  }
  if (isRemote) for await (const one of inOrder(entries, atOnce(array.folder), open)) add(one)
  else for (const entry of entries) add(openFragmentSync(array, entry, boxes) ?? (await open(entry)))
  return fragments
}

/** What an opening needs to know of a fragment. Its folder may be gone. */
type ListedEntry = Pick<FragmentEntry, 'name' | 'path' | 'timestamp_range'>

/** {@link openListedFragment} without waiting; undefined if that is not possible. */
function openFragmentSync(
  array: InspectArray,
  { path, timestamp_range }: ListedEntry,
  boxes: boolean,
): OpenedFragment | undefined {
  const fragment = array.fragment(path)
  const info = fragment.infoSync()
  if (boxes) fragment.keepRTree()
  return info && { fragment, info, time: timestamp_range?.[0] ?? 0n }
}

/** What TileDB does with a fragment of which only the footer is left, in consolidated fragment metadata. Measured with 2.30. */
const ONLY_FOOTER =
  '; TileDB opens the array, as consolidated fragment metadata has a copy of the footer, but fails every read that touches the fragment (Cannot get file size of … No such file or directory)'

/** The facts of a fragment whose metadata file cannot be read. @throws InspectError the error, if no copy of the footer is left */
async function infoByCopy(array: InspectArray, fragment: Fragment, error: InspectError): Promise<FragmentInfo> {
  const isGone = hasCode(error, 'MISSING_FILE') || hasCode(error, 'NOT_FOUND')
  const footer =
    isGone && (await fragment.folder.kind(FRAGMENT_METADATA_FILE)) !== 'file'
      ? await array.keptFooter(fragment.name)
      : undefined
  if (!footer) throw error
  const isFolder = (await array.folder.storage.kind(fragment.folder.path)) === 'folder'
  const { fault, at, code } = isFolder ? error : missingFault(array, `${FRAGMENTS_FOLDER}/${fragment.name}`)
  fragment.assumeLost(footer, new InspectError(code, longer(fault, ONLY_FOOTER), at, { cause: error }))
  return fragment.info()
}

/**
 * Whether only the footer of a fragment is left that a read touches. TileDB ends the read with an error.
 * @param onFault called with the error; without it, the error is thrown
 */
export function isLost({ fragment }: Pick<OpenedFragment, 'fragment'>, onFault: OnFault = thrown): boolean {
  if (fragment.lost) onFault(fragment.lost)
  return fragment.lost !== undefined
}

/** Opens a fragment. @param footers copies from consolidated metadata, by name of the fragment */
export async function openListedFragment(
  array: InspectArray,
  { name, path, timestamp_range }: ListedEntry,
  footers?: ReadonlyMap<string, FooterCopy>,
): Promise<OpenedFragment> {
  const fragment = array.fragment(path)
  try {
    const footer = footers?.get(name)
    const size = footer && (await fragmentFileSizes(fragment)).get(FRAGMENT_METADATA_FILE)
    if (footer && size !== undefined) fragment.assumeFooter(footer, size)
    const info = await fragment.info().catch((error) => infoByCopy(array, fragment, faultOf(error)))
    return { fragment, info, time: timestamp_range?.[0] ?? 0n }
  } catch (error) {
    throw addPlace(error, { file: fragment.folder.path })
  } finally {
    await fragment.close()
  }
}

/**
 * The fragments that TileDB reads, in its order: by their first timestamp. TileDB first lists the fragments of versions before 12, then
 * those whose commits are consolidated, then the others, each group by name. Then it sorts the list with {@link librarySort}, which for
 * more than 16 fragments changes the order of fragments with equal times.
 * @see ArrayDirectory::load, compute_filtered_uris
 */
async function inTileDBsOrder(array: InspectArray): Promise<ListedEntry[]> {
  const { consolidated } = await array.commits()
  const group = ({ path }: ListedEntry): number => {
    if (!path.startsWith(`${FRAGMENTS_FOLDER}/`)) return 0
    return consolidated.has(path) ? 1 : 2
  }
  const groups: ListedEntry[][] = [[], [], []]
  for (const entry of await array.fragments()) if (entry.isRead) groups[group(entry)].push(entry)
  // TileDB does not look whether their folders are there.
  for (const path of await missingPaths(array)) {
    const name = lastPathPart(path)
    const entry = { name, path, timestamp_range: nameFacts(name)?.timestamp_range }
    if (await array.keptFooter(name)) groups[group(entry)].push(entry)
  }
  const listed = groups.flatMap((entries) => entries.sort((a, b) => rising(a.name, b.name)))
  return librarySort(listed, ({ timestamp_range }) => timestamp_range?.[0] ?? 0n)
}

/** The delete conditions between the times of the array's context, oldest first. */
export async function openedDeletes(array: InspectArray): Promise<TimedCondition[]> {
  const deletes: TimedCondition[] = []
  const places = await deletePlaces(array)
  const read = inOrder(places, atOnce(array.folder), async (place): Promise<TimedCondition> => {
    const { name, path, time } = place
    return { name, path, time, stays: await readDelete(array, place) }
  })
  for await (const one of read) deletes.push(one)
  return deletes
}
