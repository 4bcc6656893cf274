import { InspectError, unlessDamaged } from '../base/errors.ts'
import { cellSizeIn, fieldTileFile, tileRole } from '../cells/tile-places.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { type FileRole, fieldFileName, fieldFileRoles } from '../format/field-files.ts'
import { FRAGMENT_METADATA_FILE, OLD_SCHEMA_FILE } from '../format/fragment-footer.ts'
import { fragmentSlots, type Slot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { CHUNK_COUNT_BYTES } from '../format/tile-chunks.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import type { InspectArray } from '../objects/array.ts'
import { type Fragment, type FragmentInfo, sizesOf, slotHasFiles, valuesHoldOffsets } from '../objects/fragment.ts'
import { withSource } from '../storage/source.ts'
import { denseDomain, gridOf } from './dense-domain.ts'
import { domainInPlace, type FooterRemains, footerRemains } from './footer-remains.ts'
import { refutesSchema } from './schema-guess.ts'
import { NO_WALK, type WalkedFile, walkTiles } from './tile-walk.ts'

/** A data file and its tiles. */
export interface DataFile {
  name: string
  slot: number
  role: FileRole
  /** End of the last whole tile, in bytes. */
  size: number
  /** Start of each tile, in bytes. Tiles that were not found start at the end. */
  starts: Float64Array
  /** Unfiltered bytes of each tile. */
  lengths: Float64Array
  /** Whether no reader looks at its bytes, because the values hold the offsets. All bytes are zeros then. */
  isUnused?: boolean
}

/** What the metadata file of a fragment holds: read from it if it agrees with the data files, otherwise found in these. */
export interface MetadataFacts {
  version: number
  schemaName: string
  schema: ArraySchema
  dense: boolean
  slots: readonly Slot[]
  files: readonly DataFile[]
  tileNum: number
  cellsPerTile: number
  /** Number of cells in the last tile; undefined if only text that is still filtered could tell. */
  lastTileCellNum: number | undefined
  /** The non-empty domain of a dense fragment. */
  domain: NDRange | undefined
  /** Names of the delete conditions that were applied; undefined if only the cells can tell. */
  processedConditions: readonly string[] | undefined
  /** Whether the metadata agrees with the data files. If so, only single sections of it can be damaged. */
  metadataAgrees: boolean
  /** What could not be known and was assumed, in words. */
  assumed: readonly string[]
  /** A data file that is not this fragment's: undefined if none is known. */
  stranger: Stranger | undefined
}

/** A data file of another field or fragment, or of none: whole, but with other tiles than the metadata says. */
export interface Stranger {
  name: string
  expected: string
  found: string
}

/** Facts about a fragment that only the user or other fragments know. */
export interface FactsFromOutside {
  /** {@link RecoverOptions.domain} */
  domain(schema: ArraySchema): NDRange | undefined
  /** Returns the box around the fragments that this one replaced. */
  union(): Promise<NDRange | undefined>
}

/** A guess at the schema and the kind of a fragment, which is compared with the data files. */
interface Shape extends Pick<MetadataFacts, 'version' | 'schemaName' | 'schema' | 'dense' | 'slots'> {
  /** Names of files that contradict the guess. */
  contradicting: readonly string[]
}

/** Finds out everything about a fragment that its metadata file holds, except what follows from cells. */
export async function factsOf(
  array: InspectArray,
  fragment: Fragment,
  outside: FactsFromOutside,
): Promise<MetadataFacts> {
  const walked = await walkFiles(fragment)
  const stranger = await strangerIn(fragment, walked)
  const info = await agreeingInfo(fragment, walked)
  const remains = info ? undefined : await footerRemains(array, fragment)
  const shape: Shape = info ? shapeOf(info) : await bestShape(array, fragment, walked, remains)
  const assumed: string[] = []
  const lostSchema = info || remains ? undefined : await lostSchemaOf(array, fragment)
  if (lostSchema !== undefined) {
    const contradicting = shape.contradicting.find((name) => name.endsWith('.tdb'))
    if (contradicting !== undefined) throw noSchemaFits(fragment, lostSchema, `its files, such as ${contradicting}`)
    const refuted = await refutesSchema(fragment, lostSchema, shape.schemaName)
    if (refuted !== undefined) throw noSchemaFits(fragment, lostSchema, `its cells (${refuted})`)
    assumed.push(`its schema is ${shape.schemaName}, which fits its files: its own, ${lostSchema}, is not there`)
  }
  const { version, schema, schemaName, dense, slots } = shape
  const tileNum = info?.tile_num ?? tileNumOf([...walked.values()])
  const cellsPerTile = dense ? gridOf(schema).cells_per_tile : Number(schema.capacity)
  const files = await dataFiles(fragment, shape, { walked, tileNum, info })
  let domain = info?.dense ? info.nonempty_domain : undefined
  if (dense && !domain) {
    const agrees = remains !== undefined && footerAgrees(remains, shape, walked)
    const damagedBox = await domainInPlace(fragment, shape)
    const known = { given: () => outside.domain(schema), remains, damagedBox, agrees, union: await outside.union() }
    const found = denseDomain(schema, tileNum, known)
    domain = found.domain
    if (found.assumed !== undefined) assumed.push(found.assumed)
  }
  const conditions = info && (await fragment.processedConditions().catch(unlessDamaged))
  const last = info?.last_tile_cell_num ?? (dense ? cellsPerTile : lastCells(shape, files, tileNum))
  return {
    ...{ version, schema, schemaName, dense, slots, files, tileNum, cellsPerTile, domain, assumed, stranger },
    metadataAgrees: info !== undefined,
    lastTileCellNum: last,
    processedConditions: conditions || (slots.some(({ kind }) => kind === 'delete_timestamps') ? undefined : []),
  }
}

/** The data files, with the places of their tiles. @param info the metadata, if it agrees with them */
async function dataFiles(
  fragment: Fragment,
  shape: Shape,
  {
    walked,
    tileNum,
    info,
  }: { walked: ReadonlyMap<string, WalkedFile>; tileNum: number; info: FragmentInfo | undefined },
): Promise<DataFile[]> {
  const files: DataFile[] = []
  for (const { slot, role, name } of filesOf(shape)) {
    if (role === 'offsets' && valuesHoldOffsets(shape, slot)) {
      files.push({ slot, role, name, ...unusedTiles(tileNum) })
      continue
    }
    const stored = info && (await storedTiles(fragment, info, slot, role))
    files.push({ slot, role, name, ...placesOf(walked.get(name) ?? NO_WALK, tileNum, stored) })
  }
  return files
}

/** Names each field, because metadata of many fragments decodes its fields on demand: spreading it would lose them. */
function shapeOf({ format_version: version, schemaName, schema, dense, slots }: FragmentInfo): Shape {
  return { version, schemaName, schema, dense, slots, contradicting: [] }
}

/** The name of the fragment's schema, if its footer has one, but the schema is not there or cannot be read. */
async function lostSchemaOf(array: InspectArray, fragment: Fragment): Promise<string | undefined> {
  const name = (await fragment.head().catch(unlessDamaged))?.array_schema_name
  return name === undefined || (await array.schema(name).catch(unlessDamaged)) ? undefined : name
}

/** @param what contradicts the other schemas */
function noSchemaFits({ folder }: Fragment, name: string, what: string): InspectError {
  return new InspectError(
    'NOT_RECOVERED',
    `its schema ${name} is not there, and no other schema fits ${what}; it may be of another array; --drop-damaged leaves it out of an array`,
    { file: folder.path, field: 'array_schema_name' },
  )
}

async function walkFiles(fragment: Fragment): Promise<Map<string, WalkedFile>> {
  const walked = new Map<string, WalkedFile>()
  for (const { name, kind } of await fragment.entries())
    if (kind === 'file' && name !== FRAGMENT_METADATA_FILE)
      walked.set(name, await withSource(fragment.folder.file(name), walkTiles))
  return walked
}

function isWhole({ size, end }: WalkedFile): boolean {
  return size > 0 && end === size
}

/** Whether a file ends in zeros, as after a crash of its file system: they look like more tiles, without chunks. */
function endsInZeros({ chunks }: WalkedFile, tileNum: number): boolean {
  return chunks.length > tileNum && chunks.at(-1) === 0
}

/** The metadata, if it agrees with every data file whose tiles can all be found without it. */
async function agreeingInfo(
  fragment: Fragment,
  walked: ReadonlyMap<string, WalkedFile>,
): Promise<FragmentInfo | undefined> {
  const info = await fragment.info().catch(unlessDamaged)
  if (!info || (info.dense && !info.nonempty_domain)) return undefined
  for (const { name, size, slot, role } of await fragment.fieldFiles()) {
    const file = walked.get(name) ?? NO_WALK
    if (file.size > size) return undefined
    if (file.size === size && isWhole(file) && !endsInZeros(file, info.tile_num)) {
      const cellBytes = cellSize(info.slots[slot], role)
      const last = file.lengths[info.tile_num - 1]
      if (file.starts.length !== info.tile_num) return undefined
      if (cellBytes !== undefined && last > 0 && last !== info.last_tile_cell_num * cellBytes) return undefined
    }
    // A file that lost its end, or all of it, cannot have more tiles than the metadata.
    if (file.size < size && file.starts.length > info.tile_num) return undefined
  }
  return info
}

/**
 * Finds a data file that is not this fragment's. The footer and the lists of tiles, which have checksums, tell independently of each other
 * what the file would be. If it is whole and contradicts both, the metadata is not what is wrong.
 */
async function strangerIn(fragment: Fragment, walked: ReadonlyMap<string, WalkedFile>): Promise<Stranger | undefined> {
  const info = await fragment.info().catch(unlessDamaged)
  if (!info) return undefined
  const { exchangedWith } = await import('../check/exchanged.ts')
  const { tile_num, last_tile_cell_num } = info
  for (const file of await fragment.fieldFiles()) {
    const { name, size, slot, role } = file
    const found = walked.get(name)
    if (!found || found.size === 0 || size === 0 || (role === 'offsets' && valuesHoldOffsets(info, slot))) continue
    const fault = { name, expected: `${tile_num} tiles in ${size} bytes`, found: '' }
    const other = found.size === size ? undefined : await exchangedWith(fragment, file, found.size)
    if (other !== undefined) return { ...fault, found: `what belongs into ${other}` }
    const { starts, lengths } = found
    if (!isWhole(found) || endsInZeros(found, tile_num)) continue
    if (found.size === size && starts.length === tile_num) continue
    const stored = await storedTiles(fragment, info, slot, role)
    if (!stored || stored.starts.length !== tile_num) continue
    const cellBytes = cellSize(info.slots[slot], role)
    const differs = starts.some((start, tile) => {
      if (tile >= tile_num) return false
      if (start !== stored.starts[tile] || (role === 'var' && lengths[tile] !== stored.lengths[tile])) return true
      const isLast = tile === tile_num - 1
      return isLast && cellBytes !== undefined && lengths[tile] !== last_tile_cell_num * cellBytes
    })
    if (differs)
      return { ...fault, found: `another fragment's: ${starts.length} others in ${found.size}, all of them whole` }
  }
  return undefined
}

function footerAgrees({ footer }: FooterRemains, shape: FilesShape, walked: ReadonlyMap<string, WalkedFile>): boolean {
  if (!footer) return false
  return filesOf(shape).every(({ slot, role, name }) => sizesOf(footer, role)?.[slot] === (walked.get(name)?.size ?? 0))
}

type FilesShape = Pick<Shape, 'version' | 'dense' | 'slots'>

/** The data files that a fragment of this shape has. */
function filesOf({ version, dense, slots }: FilesShape): Pick<DataFile, 'slot' | 'role' | 'name'>[] {
  return slots.flatMap((one, slot) =>
    slotHasFiles({ dense }, one)
      ? fieldFileRoles(one).map((role) => ({ slot, role, name: fieldFileName(version, one, role) ?? '' }))
      : [],
  )
}

/** The number of tiles: the most in any file, as a file that lost tiles has fewer. */
function tileNumOf(files: readonly WalkedFile[]): number {
  const whole = files.filter(isWhole)
  return (whole.length > 0 ? whole : files).reduce((most, { starts }) => Math.max(most, starts.length), 0)
}

/**
 * The guess with the schema of the array whose fields fit the files best. Among equals, it is the newest schema that existed when the
 * fragment was written.
 */
async function bestShape(
  array: InspectArray,
  fragment: Fragment,
  walked: ReadonlyMap<string, WalkedFile>,
  remains: FooterRemains | undefined,
): Promise<Shape> {
  const versionInName = fragment.parsedName?.least_version ?? nameFacts(fragment.name)?.format_version
  const writtenAt = fragment.timestamp_range?.[1] ?? 0n
  const files = (await array.schemaFiles()).filter(
    ({ name }) => versionInName === undefined || versionInName >= 10 || name === OLD_SCHEMA_FILE,
  )
  const before = files.filter(({ timestamp_range }) => (timestamp_range?.[0] ?? 0n) <= writtenAt).reverse()
  const names = [...before, ...files.filter((file) => !before.includes(file))].map(({ name }) => name)
  if (remains) names.unshift(remains.schemaName)
  let best: Shape | undefined
  let fault: unknown
  for (const schemaName of new Set(names)) {
    const schema = await array.schema(schemaName).catch((error: unknown) => {
      fault ??= error
      return unlessDamaged(error)
    })
    if (!schema || schema.domain.dimensions.length === 0) continue
    const shape = shapeWith(schemaName, schema, versionOf(versionInName, schema), walked)
    if (!best || shape.contradicting.length < best.contradicting.length) best = shape
  }
  if (best) return best
  throw (
    fault ??
    new InspectError(
      'NO_SCHEMA',
      { expected: 'a schema that names its fields', found: 'none' },
      { file: fragment.folder.path },
    )
  )
}

/** The format version of a fragment. Names of versions 1 and 2 look the same, and so do those of 3 and 4: the array's schema tells which. */
function versionOf(inName: number | undefined, { version }: ArraySchema): number {
  if (inName === undefined) return version
  if (inName >= 5) return inName
  const least = inName <= 2 ? 1 : 3
  return version <= least ? least : least + 1
}

function shapeWith(
  schemaName: string,
  schema: ArraySchema,
  version: number,
  walked: ReadonlyMap<string, WalkedFile>,
): Shape {
  const flags = {
    includes_timestamps: version >= 14 && walked.has('t.tdb'),
    includes_delete_metadata: version >= 15 && walked.has('dt.tdb'),
  }
  const slots = fragmentSlots(version, schema, flags)
  const coordinateFiles = filesOf({ version, dense: false, slots }).filter(({ slot }) =>
    ['coords', 'dimension'].includes(slots[slot].kind),
  )
  const dense = schema.array_type === 'dense' && !coordinateFiles.some(({ name }) => walked.has(name))
  const shape = { schemaName, schema, version, dense, slots }
  const expected = filesOf(shape)
  const names = new Set(expected.map(({ name }) => name))
  const contradicting = [...walked.keys()].filter((name) => !names.has(name))
  const cells = dense ? gridOf(schema).cells_per_tile : Number(schema.capacity)
  for (const { name, slot, role } of expected) {
    const found = walked.get(name)
    if (!found || (isWhole(found) && !fits(found, cellSize(slots[slot], role), cells, dense))) contradicting.push(name)
  }
  return { ...shape, contradicting }
}

/** Unfiltered bytes of a cell in a file; undefined for var-sized values. */
function cellSize(slot: Slot, role: FileRole): number | undefined {
  return role === 'var' ? undefined : cellSizeIn(slot, role)
}

/** Whether every tile but the last has as many cells as the schema says. A tile without chunks fits: its offsets may be among the values. */
function fits({ lengths, chunks }: WalkedFile, size: number | undefined, cells: number, dense: boolean): boolean {
  if (size === undefined) return true
  return lengths.every((length, tile) => {
    if (chunks[tile] === 0) return true
    if (dense || tile < lengths.length - 1) return length === cells * size
    return length % size === 0 && length <= cells * size
  })
}

/** Number of cells in the last tile of a sparse fragment; undefined if no fixed-sized field tells. */
function lastCells({ slots }: FilesShape, files: readonly DataFile[], tileNum: number): number | undefined {
  if (tileNum === 0) return 0
  for (const { slot, role, lengths } of files) {
    const size = cellSize(slots[slot], role)
    const length = lengths[tileNum - 1]
    // A file that no schema fits has tiles that hold no whole number of cells.
    if (size !== undefined && length > 0 && length % size === 0) return length / size
  }
  return undefined
}

/** The places of the tiles of a file. @param stored places in the metadata, for a file that lost some tiles, or has zeros instead */
function placesOf(
  { starts, lengths, end, size }: WalkedFile,
  tileNum: number,
  stored: Pick<DataFile, 'starts' | 'lengths'> | undefined,
): Pick<DataFile, 'size' | 'starts' | 'lengths'> {
  if (stored && starts.length !== tileNum) return { ...stored, size }
  return {
    size: end,
    starts: Float64Array.from({ length: tileNum }, (_, tile) => starts[tile] ?? end),
    lengths: Float64Array.from({ length: tileNum }, (_, tile) => lengths[tile] ?? 0),
  }
}

/** The tiles of a file of offsets that the values hold: each is the number of its chunks, which is 0. */
function unusedTiles(tileNum: number): Omit<DataFile, 'name' | 'slot' | 'role'> {
  const starts = Float64Array.from({ length: tileNum }, (_, tile) => CHUNK_COUNT_BYTES * tile)
  return { isUnused: true, size: CHUNK_COUNT_BYTES * tileNum, starts, lengths: new Float64Array(tileNum) }
}

/** The places of the tiles of a file in the metadata; undefined if they cannot be read. */
async function storedTiles(
  fragment: Fragment,
  info: FragmentInfo,
  slot: number,
  role: FileRole,
): Promise<Pick<DataFile, 'starts' | 'lengths'> | undefined> {
  const { offsetsList } = fieldTileFile(info, slot, tileRole({ role }))
  const starts = await fragment.offsets(offsetsList, slot).catch(unlessDamaged)
  const lengths = role === 'var' ? await fragment.offsets('tile_var_sizes', slot).catch(unlessDamaged) : starts
  if (!starts || !lengths || Math.min(starts.length, lengths.length) < info.tile_num) return undefined
  return { starts: starts.subarray(0, info.tile_num), lengths: lengths.subarray(0, info.tile_num) }
}
