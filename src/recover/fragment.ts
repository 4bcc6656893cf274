import {
  commandLineText,
  damageOf,
  exitCodeOf,
  type Fault,
  faultText,
  InspectError,
  isAboutBytes,
  orError,
  unlessDamaged,
  withPlaceAsync,
} from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import { writtenCells } from '../cells/known-nulls.ts'
import { boxesMeet, compareValues } from '../cells/rtree-builder.ts'
import { type FindingCode, isMendedByRecover, isMendedByRecovering } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import { checkFragment } from '../check/fragment.ts'
import { newRun } from '../check/run.ts'
import type { Dimension } from '../format/dimension.ts'
import { NEWEST_FORMAT_VERSION } from '../format/format-version.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import type { NDRange } from '../format/range.ts'
import type { InspectArray } from '../objects/array.ts'
import { cellsInDomain } from '../objects/cell-counts.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { ByteRange, ByteSource, Folder } from '../storage/source.ts'
import { fragmentName } from '../write/fragment-writer.ts'
import type { WriteContext } from '../write/generic-tile-writer.ts'
import { Random } from '../write/random.ts'
import { contradictedField, isContradiction, lastingContradictions } from './contradictions.ts'
import { boxCells, roundOut } from './dense-domain.ts'
import { type FactsFromOutside, factsOf, type MetadataFacts } from './facts.ts'
import { withMetadata, withoutForeignMetadata } from './foreign-metadata.ts'
import { allStatistics, keptStatistics } from './kept-statistics.ts'
import { processedByCells } from './processed-conditions.ts'
import {
  all,
  metadataWith,
  type OpenedTiles,
  openTiles,
  type RebuiltFragment,
  rebuild,
  type TileSelection,
  type UnreadTile,
} from './rebuild.ts'
import { selectionsWithout } from './whole-tiles.ts'

/** A new file: ranges of an old file, or bytes. */
export interface RecoveredFile {
  /** Path in the fragment, or in the array. */
  name: string
  bytes?: Uint8Array
  /** An old file and the ranges of it that are copied; all of it if undefined. */
  source?: { open(): ByteSource; ranges: readonly ByteRange[] | undefined }
}

/** The result of recovering a fragment. */
export interface RecoveredFragment {
  name: string
  outcome: 'kept' | 'rebuilt' | 'partly' | 'lost'
  /** Codes of the errors that check finds in it. */
  codes: readonly FindingCode[]
  /** Number of cells that are kept. */
  cellNum: number
  /** Number of lost cells; undefined if nobody knows how many there were. */
  cellsLost: number | undefined
  /** What was assumed, in words. */
  assumed: string[]
  /** Why cells are lost, in words. */
  why?: Prose
  /** The new fragments: one with the same name, or several with the parts of a dense fragment. */
  written: { name: string; files: RecoveredFile[] }[]
  /** Names of the fragments that it replaced, if these take its place again. */
  instead?: readonly string[]
  /** The tiles that are left out, and the fragment to which they belong. */
  lostTiles: { opened: OpenedTiles; tiles: readonly number[] } | undefined
  /** Cells that still contradict what the metadata says about their tile. */
  contradictions: readonly Contradiction[]
}

/** Cells that contradict what the metadata says about their tile. Nothing shows that the metadata is wrong. */
export interface Contradiction {
  tile: number
  field: string
  codes: FindingCode[]
  /** Number of cells of the tile. */
  cells: number
}

interface Errors {
  found: Finding[]
  /** Codes of the errors, without repeats. */
  codes: FindingCode[]
  /** A finding of each tile whose cells or sums the metadata contradicts, by tile. */
  contradicted: Map<number, Finding>
  /** Those that new metadata would only hide. */
  lasting: Finding[]
  /** Whether there are errors that new metadata mends. */
  isMendable: boolean
}

/** All errors that check finds in a fragment. */
export async function errorsOf(fragment: Fragment): Promise<Errors> {
  const codes = new Set<FindingCode>()
  const found: Finding[] = []
  for await (const item of checkFragment(newRun('cells', true), fragment, undefined, undefined)) {
    if ('part' in item) continue
    if ('notExamined' in item) codes.add(asDamage(item.notExamined, fragment))
    else if (item.severity === 'error') found.push(item)
  }
  const isMetadataDamaged = [...codes].some(isMendedByRecover)
  const contradicted = new Map(
    found.flatMap((one) => (isContradiction(one.code) && one.tile !== undefined ? [[one.tile, one] as const] : [])),
  )
  const lasting = contradicted.size === 0 ? [] : await lastingContradictions(fragment, found)
  for (const { code } of found) codes.add(code)
  const isMendable = isMetadataDamaged || found.some((one) => isMendedByRecovering(one) && !lasting.includes(one))
  return { found, codes: [...codes], contradicted, lasting, isMendable }
}

/**
 * The code for an error that kept check from examining the metadata. Damaged metadata may claim an unknown version or filter, or
 * to be encrypted. The array's key is right, as it opened the schema.
 * @throws InspectError the error, if it is not about the bytes of the metadata
 */
function asDamage(error: InspectError, fragment: Fragment): FindingCode {
  const isOfBytes = isAboutBytes(error) && error.code !== 'NO_SCHEMA'
  const ofMetadata = isOfBytes && error.at.file === fragment.metadataSource().name
  const isNewer = (fragment.parsedName?.least_version ?? 0) > NEWEST_FORMAT_VERSION
  if (exitCodeOf(error) === 1 || (ofMetadata && !isNewer)) return 'SECTION_UNREADABLE'
  throw error
}

/**
 * Recovers a fragment. Nothing is written yet.
 * @throws InspectError NOT_RECOVERED if tiles cannot be read and `dropDamaged` is not set; errors of files that cannot be examined
 */
export async function recoverFragment(
  array: InspectArray,
  path: string,
  outside: FactsFromOutside,
  dropDamaged: boolean,
  cx: WriteContext,
): Promise<RecoveredFragment> {
  return array.withFragment(path, (fragment) =>
    withPlaceAsync({ file: fragment.folder.path }, () =>
      recoverOpened(array, fragment.asStored(), outside, dropDamaged, cx),
    ),
  )
}

async function recoverOpened(
  array: InspectArray,
  fragment: Fragment,
  outside: FactsFromOutside,
  dropDamaged: boolean,
  cx: WriteContext,
): Promise<RecoveredFragment> {
  const errors = await errorsOf(fragment)
  const { codes, contradicted, isMendable } = errors
  if (!isMendable && !(dropDamaged && contradicted.size > 0)) return await kept(fragment, errors)
  const own = await withoutForeignMetadata(array, fragment)
  const facts = await orError(() => factsOf(array, own, outside))
  if (facts instanceof InspectError) {
    if (!dropDamaged || facts.code !== 'NOT_RECOVERED') throw facts
    return { ...lost(fragment.name), codes, why: commandLineText(facts) }
  }
  requireOwnNames(facts, fragment)
  if (facts.stranger) {
    const { name, expected, found } = facts.stranger
    const why = { expected: `${name} with ${expected}, as the metadata has it`, found }
    if (!dropDamaged) throw notRecovered(fragment, why)
    return { ...lost(fragment.name), codes, why: faultText(why) }
  }
  if (facts.tileNum === 0) {
    const why = { expected: 'tiles in its data files', found: 'none that is whole' }
    if (!dropDamaged) throw notRecovered(fragment, why)
    return { ...lost(fragment.name), codes, why: faultText(why) }
  }
  const told = facts.metadataAgrees ? errors : await errorsInPlace(own, facts, cx)
  return { ...(await rebuilt(array, own, facts, { ...told, dropDamaged }, cx)), codes }
}

/**
 * What the cells of a fragment contradict of its statistics and boxes, if its metadata is wrong about where they are. These stand in sections
 * of their own, with checksums.
 */
async function errorsInPlace(
  fragment: Fragment,
  facts: MetadataFacts,
  cx: WriteContext,
): Promise<Pick<Errors, 'contradicted' | 'lasting'>> {
  const info = await fragment.info().catch(unlessDamaged)
  const isAlike =
    info?.tile_num === facts.tileNum && info.slots.length === facts.slots.length && info.dense === facts.dense
  if (!isAlike) return { contradicted: new Map(), lasting: [] }
  const opened = await openTiles(fragment, facts, cx)
  const kept = await allStatistics(fragment, info)
  const metadata = await metadataWith(opened, { tiles: all(facts.tileNum), domain: facts.domain }, kept, cx)
  return errorsOf(withMetadata(fragment, metadata))
}

/** Requires that no two fields have the same name: cells of one would be measured as those of the other. */
function requireOwnNames({ slots }: MetadataFacts, { folder }: Fragment): void {
  const names = new Set<string>()
  for (const { name } of slots) {
    const fault = { expected: 'a schema with a name of its own for each field', found: `${JSON.stringify(name)} twice` }
    if (names.has(name)) throw new InspectError('NOT_RECOVERED', faultText(fault), { file: folder.path })
    names.add(name)
  }
}

/** The result for a fragment that is left out. */
export function lost(name: string): RecoveredFragment {
  const nothing = {
    cellNum: 0,
    cellsLost: undefined,
    assumed: [],
    written: [],
    lostTiles: undefined,
    contradictions: [],
  }
  return { name, outcome: 'lost', codes: [], ...nothing }
}

function notRecovered({ folder }: Fragment, fault: Fault): InspectError {
  return new InspectError('NOT_RECOVERED', `${faultText(fault)}; --drop-damaged leaves out what cannot be read`, {
    file: folder.path,
  })
}

/** The result for a fragment that is copied as it is. */
async function kept(fragment: Fragment, { codes, lasting }: Errors): Promise<RecoveredFragment> {
  const info = await fragment.info()
  const files = (await fragment.entries()).filter(({ kind }) => kind === 'file')
  const { name, folder } = fragment
  return {
    name,
    outcome: 'kept',
    codes,
    cellNum: Number(cellsInDomain(info)),
    cellsLost: 0,
    assumed: [],
    written: [{ name, files: files.map((file) => copiedFile(folder, file.name)) }],
    lostTiles: undefined,
    contradictions: contradictionsOf(lasting, (tile) => writtenCells(info, tile)),
  }
}

/** Contradictions by tile and field. */
function contradictionsOf(findings: readonly Finding[], cellsOfTile: (tile: number) => number): Contradiction[] {
  const found = new Map<string, Contradiction>()
  for (const one of findings) {
    const { tile = -1, code } = one
    const field = contradictedField(one)
    const key = JSON.stringify([tile, field])
    const known = found.get(key) ?? { tile, field, codes: [], cells: cellsOfTile(tile) }
    found.set(key, known)
    if (!known.codes.includes(code)) known.codes.push(code)
  }
  return [...found.values()].sort((a, b) => a.tile - b.tile)
}

async function rebuilt(
  array: InspectArray,
  fragment: Fragment,
  facts: MetadataFacts,
  errors: Pick<Errors, 'contradicted' | 'lasting'> & { dropDamaged: boolean },
  cx: WriteContext,
): Promise<Omit<RecoveredFragment, 'codes'>> {
  const { name } = fragment
  const { tileNum, domain } = facts
  const opened = await openTiles(fragment, facts, cx)
  const assumed = [...facts.assumed]
  if (!facts.processedConditions) {
    const processed = await processedByCells(array, opened)
    opened.facts = { ...facts, processedConditions: processed.conditions }
    if (processed.assumed !== undefined) assumed.push(processed.assumed)
  }
  const unread = new Map<number, UnreadTile['error']>()
  const everything: TileSelection = { tiles: all(tileNum), domain }
  const { contradicted, lasting, dropDamaged } = errors
  const staying = await keptStatistics(fragment, dropDamaged ? [] : lasting)
  const whole = await rebuild(opened, everything, staying, cx, ({ tile, error }) => {
    unread.set(tile, damageOf(error))
  })
  const outside = domain && whole ? await cellsOutside(fragment, whole.metadata) : []
  if (domain && outside.length > 0) {
    const wider = roundOut(facts.schema, domain, 'its tiles: there are cells outside of the one that its footer has')
    if (!(await wouldHide(array, fragment, domain, wider.domain))) {
      const now = { ...facts, domain: wider.domain, assumed: wider.assumed === undefined ? [] : [wider.assumed] }
      return rebuilt(array, fragment, now, errors, cx)
    }
  }
  const [first] = unread
  if (first && !dropDamaged) {
    const [tile, { message }] = first
    throw notRecovered(
      fragment,
      `${unread.size} of ${tileNum} tiles cannot be read, the first is tile ${tile}: ${message}`,
    )
  }
  // The metadata was written with the cells. If it can be read, zlib's checksum shows that it did not change since.
  if (dropDamaged)
    for (const { tile = -1, expected, found } of [...contradicted.values(), ...outside])
      unread.set(tile, new InspectError('INCONSISTENT', { expected, found }))
  const info = lasting.length > 0 ? await fragment.info() : undefined
  const cellsOfTile = (tile: number): number => (info ? writtenCells(info, tile) : facts.cellsPerTile)
  const contradictions = dropDamaged ? [] : contradictionsOf([...lasting, ...outside], cellsOfTile)
  if (whole && unread.size === 0) {
    const written = [writtenAs(fragment, name, whole)]
    const cellNum = cellsOf(opened, everything)
    return { name, outcome: 'rebuilt', cellNum, cellsLost: 0, assumed, written, lostTiles: undefined, contradictions }
  }
  const selections = selectionsWithout(facts, new Set(unread.keys()))
  const { written, cellNum } = await rebuiltParts(fragment, opened, selections, staying, cx)
  const outcome = selections.length === 0 ? 'lost' : 'partly'
  // No file holds so many cells: the count is wrong, and nobody knows the right one.
  const lost = cellsOf(opened, everything) - cellNum
  const cellsLost = Number.isSafeInteger(lost) ? lost : undefined
  const tiles = [...unread.keys()].sort((a, b) => a - b)
  const [[tile, { message }]] = unread
  const why = `tile ${tile} of ${tileNum}: ${message}`
  return { name, outcome, cellNum, cellsLost, assumed, why, written, lostTiles: { opened, tiles }, contradictions }
}

/** Makes a fragment of each selection of tiles, all of which can be read. A single one keeps the name. */
async function rebuiltParts(
  fragment: Fragment,
  opened: OpenedTiles,
  selections: readonly TileSelection[],
  staying: Awaited<ReturnType<typeof keptStatistics>>,
  cx: WriteContext,
): Promise<{ written: RecoveredFragment['written']; cellNum: number }> {
  const random = new Random(fragment.name)
  const written: RecoveredFragment['written'] = []
  let cellNum = 0
  for (const selection of selections) {
    const part = await rebuild(opened, selection, staying, cx, ({ error }) => {
      throw error
    })
    const times = fragment.timestamp_range ?? [0n, 0n]
    const name = selections.length === 1 ? fragment.name : fragmentName(opened.facts.version, times, random.uuid())
    if (part) written.push(writtenAs(fragment, name, part))
    cellNum += cellsOf(opened, selection)
  }
  return { written, cellNum }
}

/** What check says of cells outside of the box, with new metadata. */
async function cellsOutside(fragment: Fragment, metadata: Uint8Array): Promise<Finding[]> {
  const { found } = await errorsOf(withMetadata(fragment, metadata))
  return found.filter(({ code }) => code === 'NONEMPTY_DOMAIN')
}

/** Whether a fragment with a wider box would hide cells of older fragments that readers see now. */
async function wouldHide(array: InspectArray, fragment: Fragment, box: NDRange, wider: NDRange): Promise<boolean> {
  const all = await array.fragments()
  const { dimensions } = (await array.newestSchema()).schema.domain
  for (const { path, name, isRead } of all) {
    if (name === fragment.name) return false
    if (!isRead) continue
    const other = await orError(() => array.withFragment(path, async (one) => (await one.info()).nonempty_domain))
    if (other instanceof InspectError) return true
    if (other && boxesMeet(other, wider, dimensions) && !isInside(other, box, dimensions)) return true
  }
  return false
}

function isInside(one: NDRange, box: NDRange, dimensions: readonly Dimension[]): boolean {
  return dimensions.every(
    (dimension, d) =>
      compareValues(dimension, one[d].min, box[d].min) >= 0 && compareValues(dimension, one[d].max, box[d].max) <= 0,
  )
}

/** Number of cells in some tiles. In a dense fragment, only cells inside the box count. */
function cellsOf({ facts, lastTileCellNum }: OpenedTiles, { tiles, domain }: TileSelection): number {
  if (domain) return boxCells(facts.schema, domain)
  const last = tiles.at(-1) === facts.tileNum - 1
  return last ? (tiles.length - 1) * facts.cellsPerTile + lastTileCellNum : tiles.length * facts.cellsPerTile
}

function writtenAs(
  { folder }: Fragment,
  name: string,
  { files, metadata }: RebuiltFragment,
): RecoveredFragment['written'][number] {
  return {
    name,
    files: [
      ...files.map((file) => ('bytes' in file ? file : copiedFile(folder, file.name, file.ranges))),
      { name: FRAGMENT_METADATA_FILE, bytes: metadata },
    ],
  }
}

/** A file that is copied, or ranges of it. */
export function copiedFile(folder: Folder, name: string, ranges?: readonly ByteRange[]): RecoveredFile {
  return { name, source: { open: () => folder.file(name), ranges } }
}

/** Bytes that are copied at a time. */
const PIECE = 2 ** 20

/** Yields the bytes of a file, piece by piece. */
export async function* filePieces({ bytes, source }: RecoveredFile): AsyncGenerator<Uint8Array> {
  if (bytes) yield bytes
  if (!source) return
  const opened = source.open()
  const pieces = async function* (ranges: readonly ByteRange[]): AsyncGenerator<Uint8Array> {
    for (const { offset, length } of ranges)
      for (let done = 0; done < length; done += PIECE)
        yield await opened.read(offset + done, Math.min(PIECE, length - done))
  }
  try {
    yield* pieces(source.ranges ?? [{ offset: 0, length: await opened.size() }])
  } finally {
    await opened.close()
  }
}
