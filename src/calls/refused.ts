import { element } from '../base/element.ts'
import { exitCodeOf, InspectError, longer, unlessFault } from '../base/errors.ts'
import { lastPathPart } from '../base/paths.ts'
import { type Comparable, comparable, compare, type RangeSets } from '../cells/bounds.ts'
import type { RefusedChunk } from '../cells/fragment-cells.ts'
import type { Finding } from '../check/finding.ts'
import type { Refused } from '../check/refusals.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { InspectArray } from '../objects/array.ts'
import { changedTiles, hasOtherDomain } from '../objects/changed-fields.ts'
import { pathOfCommit } from '../objects/commits.ts'
import type { RefusedAct } from '../objects/condition.ts'
import { fragmentFileSizes } from '../objects/file-sizes.ts'
import type { Fragment } from '../objects/fragment.ts'
import { GROUP_DETAILS_FOLDER, type InspectGroup } from '../objects/group.ts'
import { hasOddFilters, isOddFooter, mayBeRefused, mayNotOpen } from '../objects/may-be-refused.ts'
import { isPassedOver, isStray } from '../objects/timed-files.ts'
import { dimensionOutside, lostPaths, missingFault } from '../read/opening.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import type { CommandContext } from './command.ts'

/**
 * What TileDB refuses of an array although this program reads it: of the array itself, and of the attributes that are shown.
 * @param fields names of the shown fields; undefined for all
 * @param reads whether the cells were read: then what also fails here was said, and nobody has listed the key-value metadata
 */
export async function refusedOf(
  { array, schema }: Pick<OpenedArray, 'array' | 'schema'>,
  fields: readonly string[] | undefined,
  reads = true,
): Promise<readonly Refused[]> {
  const strays = reads ? [] : await array.metadataStrays()
  const isOdd = await mayBeRefused(array)
  if (!isOdd && strays.length === 0) return []
  const { metadataErrors, refusedFindings, refusedReads } = await import('../check/refusals.ts')
  const isShown = neededBy(schema, fields)
  const refused = isOdd ? await refusedReads(array, reads) : []
  refused.push(...refusedFindings(await metadataErrors(array, strays)))
  return refused.filter(({ refusal, finding }) => isShown(finding, refusal.act))
}

/** Fields of a schema that only some attributes need. */
const OF_ATTRIBUTES = /^(?:attributes|offsets_filters|validity_filters)\./

/** Tells what the shown attributes need. A finding about an enumeration names an attribute, the enumeration or its file. */
function neededBy({ attributes, enumerations }: OpenedArray['schema'], fields: readonly string[] | undefined) {
  const needed = new Set<string | undefined>()
  for (const { name, enumeration, cell_val_num, nullable } of attributes) {
    if (fields !== undefined && !fields.includes(name)) continue
    const own = [`attributes.${name}.filters`, `attributes.${name}.enumeration`, `enumerations.${enumeration}`]
    const file = enumerations.find((one) => one.name === enumeration)?.path_name
    for (const one of [...own, file]) needed.add(one)
    if (cell_val_num === 'var') needed.add('offsets_filters')
    if (nullable) needed.add('validity_filters')
  }
  return ({ field, file }: Finding, act: RefusedAct | undefined): boolean => {
    if (act === 'labels') return needed.has(field) || needed.has(lastPathPart(file))
    if (act !== 'fields' || field === undefined || !OF_ATTRIBUTES.test(field) || needed.has(field)) return true
    // What is found in one filter has its name after that of the pipeline.
    return [...needed].some((one) => one !== undefined && field.startsWith(`${one}.`))
  }
}

/** Largest number of fragments in which more than the footer is read for what is wrong in it, so that many do not take long. */
const MAX_READ = 100

/**
 * The files of var-sized values that TileDB wrote and cannot read, because a tile has no bytes. Only their filters and the sizes of their
 * tiles are looked at, and one such tile; of many fragments nothing is.
 */
export async function emptyTilesOf(
  fragments: readonly OpenedFragment[],
  fields: readonly string[] | undefined,
): Promise<readonly Finding[]> {
  const mayBe = fragments.filter(({ info }) => info.slots.some((_, i) => hasOddFilters(info, i)))
  if (mayBe.length === 0 || mayBe.length > MAX_READ) return []
  const { emptyTileErrors } = await import('../check/empty-tiles.ts')
  return emptyTileErrors(mayBe, fields)
}

/**
 * The errors and warnings that an opening of an array meets, whether TileDB refuses something because of them or reads on; and the errors
 * of the footers and, of few fragments, of the R-trees and of tiles without bytes.
 */
export async function findingsOfOpening(
  { array, schema, fragments }: OpenedArray,
  fields: readonly string[] | undefined,
): Promise<readonly Finding[]> {
  const found: Finding[] = []
  const { visibility, folders } = await array.listing()
  if ((await mayBeRefused(array)) || folders.some((folder) => visibility.state(folder) === 'hidden')) {
    const { openingFindings } = await import('../check/refusals.ts')
    const { refusalOf } = await import('../check/codes.ts')
    const isShown = neededBy(schema, fields)
    for (const one of await openingFindings(array)) if (isShown(one, refusalOf(one)?.act)) found.push(one)
  }
  const strays = await array.metadataStrays()
  if (strays.length > 0) {
    const { metadataErrors } = await import('../check/refusals.ts')
    found.push(...(await metadataErrors(array, strays)))
  }
  if (fragments.some((one) => isOddFooter(one.info) || dimensionOutside(one) !== undefined)) {
    const { footerErrors } = await import('../check/footer.ts')
    found.push(...footerErrors(fragments))
  }
  const areElsewhere = fragments.some(({ info }) => changedTiles(schema, info.schema))
  if (areElsewhere || fragments.some(({ info }) => hasOtherDomain(schema, info.schema))) {
    const { tilesFindings } = await import('../check/fragment.ts')
    for (const { fragment, info } of fragments)
      found.push(...tilesFindings(`${fragment.folder.path}/${FRAGMENT_METADATA_FILE}`, info, schema))
  }
  if (!areElsewhere) {
    found.push(...(await emptyTilesOf(fragments, fields)))
    if (schema.array_type === 'sparse' && fragments.length <= MAX_READ) {
      const { rtreeLevelErrors } = await import('../check/rtree.ts')
      found.push(...(await rtreeLevelErrors(fragments)))
    }
  }
  if (array.cx.refusedTiles.size === 0) return found
  // The sections that were read above are among them.
  const { refusedSections } = await import('../check/refusals.ts')
  return [...found, ...refusedSections(array)]
}

/** What is left without what was told already. @param told paths of files whose faults were told */
export function untold(
  refused: readonly Refused[],
  array: InspectArray,
  told: ReadonlySet<string>,
): readonly Refused[] {
  return refused.filter(({ finding: { file, missing } }) => {
    return !told.has(file) && !(missing !== undefined && told.has(`${array.folder.path}/${missing}`))
  })
}

/** The chunks that a read looked at and TileDB cannot read, one a file and kind: a file may have millions. */
export class RefusedChunks {
  private readonly chunks = new Map<string, RefusedChunk>()

  readonly add = (chunk: RefusedChunk): void => {
    const key = `${chunk.part} ${chunk.file}`
    if (!this.chunks.has(key)) this.chunks.set(key, chunk)
  }

  list(): readonly RefusedChunk[] {
    return [...this.chunks.values()]
  }
}

/**
 * Says what TileDB refuses of cells that this command shows.
 * @param told as in {@link untold}
 * @returns whether it refuses anything
 */
export async function tellRefused(
  cx: CommandContext,
  opened: OpenedArray,
  fields: readonly string[] | undefined,
  told: ReadonlySet<string>,
  chunks = new RefusedChunks(),
): Promise<boolean> {
  const refused = untold(await refusedOf(opened, fields), opened.array, told)
  const seen = chunks.list()
  const { refusedTiles } = opened.array.cx
  const odd = opened.fragments.filter(({ info }) => isOddFooter(info))
  if (refused.length + seen.length + refusedTiles.size + odd.length === 0) return false
  const { refusalError, refusedChunks, refusedFindings, refusedSections } = await import('../check/refusals.ts')
  const all = [...refused, ...refusedChunks(seen), ...refusedFindings(refusedSections(opened.array))]
  if (odd.length > 0) {
    const { footerErrors } = await import('../check/footer.ts')
    all.push(...untold(refusedFindings(footerErrors(odd)), opened.array, told))
  }
  if (all.length === 0) return false
  cx.fault(refusalError(all))
  return true
}

/**
 * Says that TileDB refuses ranges that leave the domain of the array, if fragments have cells there: their own domain was larger. In other
 * arrays there are no cells outside of the domain, and such a range only leaves some of it empty.
 */
export async function tellRangesRefused(
  cx: CommandContext,
  { schema, fragments }: Pick<OpenedArray, 'schema' | 'fragments'>,
  ranges: RangeSets,
): Promise<void> {
  const leaving = new Set<string>()
  for (const [d, sets] of ranges) {
    const { name, type, cell_val_num, domain } = element(schema.domain.dimensions, d)
    if (cell_val_num === 'var') continue
    const ends = [domain.subarray(0, domain.length / 2), domain.subarray(domain.length / 2)]
    const [low, high] = ends.map((end) => comparable(type, end))
    const leaves = (end: Comparable | undefined): boolean =>
      end !== undefined && (compare(end, low) < 0 || compare(end, high) > 0)
    if (sets.some((one) => leaves(one.low) || leaves(one.high))) leaving.add(`nonempty_domain.${name}`)
  }
  if (leaving.size === 0 || !fragments.some(({ info }) => hasOtherDomain(schema, info.schema))) return
  const { tilesFindings } = await import('../check/fragment.ts')
  const found = fragments.flatMap(({ fragment, info }) => [
    ...tilesFindings(`${fragment.folder.path}/${FRAGMENT_METADATA_FILE}`, info, schema),
  ])
  const refused = found.filter(({ field = '' }) => leaving.has(field))
  if (refused.length === 0) return
  const { refusalError } = await import('../check/refusals.ts')
  const { REFUSED_RANGE } = await import('../check/codes/fragment.ts')
  cx.fault(refusalError(refused.map((finding) => ({ finding, refusal: REFUSED_RANGE }))))
}

/** The fragments of a command that lists an array, whose footers contradict something. */
export type OddFragments = readonly Pick<OpenedFragment, 'fragment' | 'info'>[]

/** What a command has seen of an array. */
interface Seen {
  /** The fragments whose footers contradict something; undefined if the command lists neither commits nor fragments. */
  odd?: OddFragments | undefined
  /** Paths of the files whose faults were told. */
  told?: ReadonlySet<string> | undefined
  /** Whether it reads schemas anyway. Otherwise they are looked at only if there are several. */
  schema: boolean
}

/** Says what keeps TileDB from opening an array although this command goes on. */
export async function tellNotOpened(
  cx: CommandContext,
  array: InspectArray,
  { odd, told = new Set(), schema }: Seen,
): Promise<void> {
  const hasNames = odd !== undefined
  const missing = hasNames ? await lostPaths(array) : []
  const [first, ...more] = missing
  if (first !== undefined) cx.fault(missingFault(array, first, more.length))
  const mayNot = await mayNotOpen(array, hasNames, schema)
  if (!mayNot && (odd === undefined || odd.length === 0)) return
  const { refusalError, refusedFindings, refusedOpening } = await import('../check/refusals.ts')
  const refused = mayNot ? await refusedOpening(array, hasNames) : []
  if (odd !== undefined && odd.length > 0) {
    const { footerErrors } = await import('../check/footer.ts')
    refused.push(...refusedFindings(footerErrors(odd)).filter(({ refusal }) => refusal.act === 'open'))
  }
  // The commits of missing fragments were told with them.
  const commits = missing.map((path) => `${array.folder.path}/${pathOfCommit(path)}`)
  const left = untold(refused, array, new Set([...told, ...commits]))
  if (left.length > 0) cx.fault(refusalError(left))
}

/**
 * The error of a fragment's metadata. It also says that TileDB does not open the array, if a check of the fragment finds that: then not
 * only this fragment cannot be read.
 */
export async function withRefusedOpening(fragment: Fragment, error: InspectError): Promise<InspectError> {
  if (exitCodeOf(error) !== 1 || error.at.file !== `${fragment.folder.path}/${FRAGMENT_METADATA_FILE}`) return error
  const entry = await fragment.array?.entryOf(fragment.folder)
  if (!entry?.isRead) return error
  const { quickFragmentItems } = await import('../check/quick.ts')
  const { keptClosed } = await import('../check/refusals.ts')
  const closed = keptClosed(await quickFragmentItems(fragment, entry, await fragmentFileSizes(fragment)))
  if (!closed) return error
  return new InspectError(error.code, longer(error.fault, `; ${closed}`), error.at, { cause: error })
}

/**
 * Says what keeps TileDB from opening a group although this command goes on: entries of its lists of members, and of its key-value
 * metadata if that was read.
 */
export async function tellGroupNotOpened(cx: CommandContext, group: InspectGroup): Promise<void> {
  const { folder } = group
  // Others tell why a folder cannot be listed.
  const strays = ((await group.details().catch(unlessFault)) ?? []).filter(isStray)
  const unread = group.oddMetadata.filter(isPassedOver)
  if (strays.length === 0 && unread.length === 0) return
  const { refusalError, refusedMetadata, refusedStrays } = await import('../check/refusals.ts')
  const refused = [
    ...(await refusedStrays(folder.folder(GROUP_DETAILS_FOLDER), strays, group.cx)),
    ...(await refusedMetadata(folder, unread, group.cx, true)),
  ]
  if (refused.length > 0) cx.fault(refusalError(refused, 'group'))
}
