import { exitCodeOf, InspectError, orError, withPlaceAsync } from '../base/errors.ts'
import { type FindingCode, isMendedBy, isMendedByRecover } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'
import { checkFragment } from '../check/fragment.ts'
import { newRun } from '../check/run.ts'
import { NEWEST_FORMAT_VERSION } from '../format/format-version.ts'
import { FRAGMENT_METADATA_FILE } from '../format/fragment-footer.ts'
import { withFile } from '../source/overlay.ts'
import { type ByteRange, type ByteSource, Folder } from '../source/source.ts'
import type { InspectArray } from '../store/array.ts'
import { Fragment, storedCellNum } from '../store/fragment.ts'
import { fragmentName } from '../write/fragment-writer.ts'
import type { WriteContext } from '../write/generic-tile-writer.ts'
import { Random } from '../write/random.ts'
import { damageOf, isReached } from './damage.ts'
import { boxCells, whole as roundedOut } from './dense-domain.ts'
import { type FactsFromOutside, type FragmentFacts, factsOf } from './facts.ts'
import { processedByCells } from './processed-conditions.ts'
import {
  all,
  type OpenedTiles,
  openTiles,
  type RebuiltFragment,
  rebuild,
  type TileSelection,
  type UnreadTile,
} from './rebuild.ts'
import { selectionsWithout } from './whole-tiles.ts'

/** One file of what is written: parts of a file of the source, or bytes. */
export interface RecoveredFile {
  /** Relative to the fragment. */
  name: string
  bytes?: Uint8Array
  /** A file of the source, and which parts of it; all of it if undefined. */
  source?: { open(): ByteSource; ranges: readonly ByteRange[] | undefined }
}

/** What becomes of a fragment. */
export interface RecoveredFragment {
  name: string
  outcome: 'kept' | 'rebuilt' | 'partly' | 'lost'
  /** What check finds wrong with it. */
  codes: readonly FindingCode[]
  /** Cells that are kept. */
  cellNum: number
  /** Undefined if nobody knows how many it had. */
  cellsLost: number | undefined
  assumed: string[]
  /** Why cells are lost, in words. */
  why?: string
  /** The fragments that hold its cells from now on: itself, or several of them. */
  written: { name: string; files: RecoveredFile[] }[]
  /** The fragments that it replaced, if these take its place again. */
  instead?: readonly string[]
  /** The tiles that are left out, and what they are tiles of. */
  lostTiles: { opened: OpenedTiles; tiles: readonly number[] } | undefined
}

/** Whether cells contradict what the metadata says about their tile. */
function isContradiction(code: FindingCode): boolean {
  return isMendedBy(code, 'statistics') || code === 'COORDINATE_MBR'
}

interface Errors {
  /** Once each. */
  codes: FindingCode[]
  /** By tile: a cell or a sum that the metadata contradicts. */
  contradicted: Map<number, Finding>
}

/** All errors that check finds in a fragment. */
async function errorsOf(fragment: Fragment): Promise<Errors> {
  const codes = new Set<FindingCode>()
  const contradicted: Errors['contradicted'] = new Map()
  for await (const item of checkFragment(newRun('cells', true), fragment, undefined, undefined)) {
    if ('part' in item) continue
    if ('notExamined' in item) codes.add(asDamage(item.notExamined, fragment))
    else if (item.severity === 'error') {
      codes.add(item.code)
      if (isContradiction(item.code) && item.tile !== undefined) contradicted.set(item.tile, item)
    }
  }
  return { codes: [...codes], contradicted }
}

/**
 * Damaged metadata may claim a version, a filter or a size that does not exist, or to be encrypted. The array's key is not in question, as it opened
 * the schema.
 * @throws InspectError the error, if it is not about the bytes of the metadata
 */
function asDamage(error: InspectError, fragment: Fragment): FindingCode {
  const isAbout = isReached(error) && error.code !== 'NO_SCHEMA'
  const ofMetadata = error.at.file === fragment.metadataSource().name && isAbout
  const isNewer = (fragment.parsedName?.least_version ?? 0) > NEWEST_FORMAT_VERSION
  if (exitCodeOf(error) === 1 || (ofMetadata && !isNewer)) return 'SECTION_UNREADABLE'
  throw error
}

/**
 * Recovers a fragment. Nothing is written yet.
 * @throws InspectError NOT_RECOVERED if tiles cannot be read and `dropDamaged` is not set; errors of what cannot be examined
 */
export async function recoverFragment(
  array: InspectArray,
  path: string,
  outside: FactsFromOutside,
  dropDamaged: boolean,
  cx: WriteContext,
): Promise<RecoveredFragment> {
  const fragment = array.fragment(path)
  try {
    return await withPlaceAsync({ file: fragment.folder.path }, () =>
      recoverOpened(array, fragment, outside, dropDamaged, cx),
    )
  } finally {
    await fragment.close()
  }
}

async function recoverOpened(
  array: InspectArray,
  fragment: Fragment,
  outside: FactsFromOutside,
  dropDamaged: boolean,
  cx: WriteContext,
): Promise<RecoveredFragment> {
  const { codes, contradicted } = await errorsOf(fragment)
  if (!codes.some(isMendedByRecover)) return await kept(fragment, codes)
  const facts = await orError(() => factsOf(array, fragment, outside))
  if (facts instanceof InspectError) {
    if (!dropDamaged || facts.code !== 'NOT_RECOVERED') throw facts
    return { ...lost(fragment.name), codes, why: facts.message }
  }
  if (facts.tileNum === 0) {
    const why = 'expected tiles in its data files, found none that is whole'
    if (!dropDamaged) throw notRecovered(fragment, why)
    return { ...lost(fragment.name), codes, why }
  }
  return {
    ...(await rebuilt(array, fragment, facts, facts.metadataAgrees ? contradicted : new Map(), dropDamaged, cx)),
    codes,
  }
}

export function lost(name: string): RecoveredFragment {
  const nothing = { cellNum: 0, cellsLost: undefined, assumed: [], written: [], lostTiles: undefined }
  return { name, outcome: 'lost', codes: [], ...nothing }
}

function notRecovered({ folder }: Fragment, message: string): InspectError {
  return new InspectError('NOT_RECOVERED', `${message}; --drop-damaged leaves out what cannot be read`, {
    file: folder.path,
  })
}

/** All files as they are. */
async function kept(fragment: Fragment, codes: readonly FindingCode[]): Promise<RecoveredFragment> {
  const info = await fragment.info()
  const files = (await fragment.entries()).filter(({ kind }) => kind === 'file')
  const { name, folder } = fragment
  return {
    name,
    outcome: 'kept',
    codes,
    cellNum: info.dense && info.nonempty_domain ? boxCells(info.schema, info.nonempty_domain) : storedCellNum(info),
    cellsLost: 0,
    assumed: [],
    written: [
      {
        name,
        files: files.map((one) => ({
          name: one.name,
          source: { open: () => folder.file(one.name), ranges: undefined },
        })),
      },
    ],
    lostTiles: undefined,
  }
}

async function rebuilt(
  array: InspectArray,
  fragment: Fragment,
  facts: FragmentFacts,
  contradicted: Errors['contradicted'],
  dropDamaged: boolean,
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
  const whole = await rebuild(opened, everything, cx, ({ tile, error }) => {
    unread.set(tile, damageOf(error))
  })
  if (domain && whole && (await hasCellsOutside(fragment, whole.metadata))) {
    const wider = roundedOut(facts.schema, domain, 'its tiles: there are cells outside of the one that its footer has')
    const now = { ...facts, domain: wider.domain, assumed: wider.assumed === undefined ? [] : [wider.assumed] }
    return rebuilt(array, fragment, now, contradicted, dropDamaged, cx)
  }
  const [first] = unread
  if (first && !dropDamaged) {
    const [tile, { message }] = first
    throw notRecovered(
      fragment,
      `${unread.size} of ${tileNum} tiles cannot be read, the first is tile ${tile}: ${message}`,
    )
  }
  // The metadata was written with the cells, and where it can be read, zlib's checksum says that it did not change.
  if (dropDamaged)
    for (const [tile, { expected, found }] of contradicted)
      unread.set(tile, new InspectError('INCONSISTENT', `expected ${expected}, found ${found}`))
  else if (contradicted.size > 0) {
    const [[tile, { code, field }]] = contradicted
    const which =
      `${contradicted.size} of ${tileNum} tiles, the first is tile ${tile}: ${code} ${field ?? ''}`.trimEnd()
    assumed.push(`its cells are right where its metadata contradicts them (${which}; --drop-damaged leaves them out)`)
  }
  if (whole && unread.size === 0) {
    const written = [writtenAs(fragment, name, whole)]
    const cellNum = cellsOf(opened, everything)
    return { name, outcome: 'rebuilt', cellNum, cellsLost: 0, assumed, written, lostTiles: undefined }
  }
  const selections = selectionsWithout(facts, new Set(unread.keys()))
  const random = new Random(name)
  const written: RecoveredFragment['written'] = []
  let cellNum = 0
  for (const selection of selections) {
    const part = await rebuild(opened, selection, cx, ({ error }) => {
      throw error
    })
    const times = fragment.timestamp_range ?? [0n, 0n]
    const ownName = selections.length === 1 ? name : fragmentName(facts.version, times, random.uuid())
    if (part) written.push(writtenAs(fragment, ownName, part))
    cellNum += cellsOf(opened, selection)
  }
  const outcome = selections.length === 0 ? 'lost' : 'partly'
  const cellsLost = cellsOf(opened, everything) - cellNum
  const tiles = [...unread.keys()].sort((a, b) => a - b)
  const [[tile, { message }]] = unread
  const why = `tile ${tile} of ${tileNum}: ${message}`
  return { name, outcome, cellNum, cellsLost, assumed, why, written, lostTiles: { opened, tiles } }
}

/** Whether a dense fragment with this metadata has cells, and not only what fills tiles, outside of its box. */
async function hasCellsOutside({ folder, cx, array }: Fragment, metadata: Uint8Array): Promise<boolean> {
  const storage = withFile(folder.storage, `${folder.path}/${FRAGMENT_METADATA_FILE}`, metadata)
  const { codes } = await errorsOf(new Fragment(new Folder(storage, folder.path), cx, array))
  return codes.includes('NONEMPTY_DOMAIN')
}

/** Cells of some tiles; of dense ones, those inside of the box. */
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
      ...files.map((file) => ({
        name: file.name,
        source: { open: () => folder.file(file.name), ranges: file.ranges },
      })),
      { name: FRAGMENT_METADATA_FILE, bytes: metadata },
    ],
  }
}

/** Bytes copied at once. */
const PIECE = 2 ** 20

/** The bytes of a file, piece by piece. */
export async function* bytesOf({ bytes, source }: RecoveredFile): AsyncGenerator<Uint8Array> {
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
