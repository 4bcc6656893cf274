import { addPlace, badValue, hasCode, InspectError, unlessFault, withHint } from '../base/errors.ts'
import { MEMORY_RAISES_BOUND, OPTION_OF_MEMORY } from '../base/memory.ts'
import { folderOf } from '../base/paths.ts'
import { sizeText } from '../base/sizes.ts'
import { Pipeline, type TileReadOptions, type TileType, unfilteredLimit } from '../filters/pipeline.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from '../format/generic-tile.ts'
import { type Describe, decode, decodePrefix, type Origin } from '../format/io.ts'
import { CHUNK_HEAD_BYTES, chunkCount } from '../format/tile-chunks.ts'
import { type ByteSource, type Folder, readAll, withSource } from '../storage/source.ts'
import { type ReadContext, roomOf } from './read-context.ts'

/** An opened generic tile. */
export interface GenericTile {
  header: GenericTileHeader
  /** The filter because of which TileDB fails to open the tile: only its type undoes the bytes, not the number in its options. */
  refused: OddCompressor | undefined
  /** Unfiltered content. Its meaning depends on the file. */
  payload: Uint8Array
  /** Stored bytes: of the header and the chunks. */
  length: number
  /** Upper limit on the elements of lists in the content: see {@link mostElements}. */
  mostElements: number
}

/** The place of a generic tile, for errors. */
export interface GenericTilePlace {
  file: string
  /** Offset of the tile in its file, in bytes. */
  offset: number
}

/** A generic tile that TileDB fails to open, though this program does. */
export interface RefusedTile extends GenericTilePlace {
  compressor: OddCompressor
}

/** A compression filter whose options name another compressor. */
export interface OddCompressor {
  name: FilterConfig['name']
  compressor: number
}

/**
 * The filter of a generic tile that contradicts the number in its options, by which TileDB goes. Undefined if there is none, or if nothing
 * is stored.
 */
export function oddCompressor({ filters, persisted_size }: GenericTileHeader): OddCompressor | undefined {
  if (persisted_size === 0) return undefined
  for (const { name, compressor } of filters.filters) if (compressor !== undefined) return { name, compressor }
  return undefined
}

/** The refused tiles among those that were opened, in the files of a folder. */
export function refusedTilesIn({ path }: Pick<Folder, 'path'>, { refusedTiles }: ReadContext): RefusedTile[] {
  return [...refusedTiles.values()].filter(({ file }) => folderOf(file) === path)
}

/** Whether TileDB reads a tile whose filter contradicts the number in its options: the bytes are of the compressor with that number. */
export async function isReadByNumber(bytes: Uint8Array, cx: ReadContext, place: GenericTilePlace): Promise<boolean> {
  const tile = await openGenericTile(bytes, cx, place).catch(unlessFault)
  return tile !== undefined && tile.refused === undefined
}

/** Keeps in the context that TileDB fails to open a tile. */
function noteRefused(compressor: OddCompressor | undefined, cx: ReadContext, place: GenericTilePlace): void {
  if (compressor && !cx.refusedTiles.has(place.file)) cx.refusedTiles.set(place.file, { ...place, compressor })
}

/**
 * Opens the generic tile at the start of `bytes`. Other bytes may follow it.
 * @throws InspectError KEY_NEEDED, WRONG_KEY, TRUNCATED, and those of filters
 */
export async function openGenericTile(
  bytes: Uint8Array,
  cx: ReadContext,
  place: GenericTilePlace,
  options: Pick<TileReadOptions, 'onVerdict'> = {},
): Promise<GenericTile> {
  const { value: header, length } = decodePrefix(bytes, genericTileHeader, place)
  if (header.persisted_size > bytes.length - length) {
    const fault = { expected: `${header.persisted_size} bytes of tile`, found: bytes.length - length }
    throw new InspectError('TRUNCATED', fault, { ...place, field: 'persisted_size' })
  }
  const tile = genericTileType(header, cx, place)
  const stored = bytes.subarray(length, length + header.persisted_size)
  try {
    const pipeline = await Pipeline.load(header.filters.filters, tile, cx.codecs)
    checkChunkNum(chunkCount(stored), header, cx)
    let fits = true
    let isNamed = false
    const steps = pipeline.reverseSteps(stored, {
      onVerdict:
        options.onVerdict &&
        ((verdict, chunk) => {
          if (!verdict.ok) fits = false
          options.onVerdict?.(verdict, chunk)
        }),
      expectedSize: header.tile_size,
      offset: place.offset + length,
      onNamed: () => {
        isNamed = true
      },
    })
    let step = steps.next()
    while (!step.done) {
      await cx.pause?.()
      step = steps.next()
    }
    const { data } = step.value
    if (fits) openedWithKey(header, cx)
    const refused = isNamed ? oddCompressor(header) : undefined
    noteRefused(refused, cx, place)
    return {
      header,
      refused,
      payload: data,
      length: length + header.persisted_size,
      mostElements: mostElements(stored.length, cx),
    }
  } catch (error) {
    throw addPlace(keyOrDamage(error, cx), place)
  }
}

/** Content of up to this many bytes is always accepted. */
const MIN_CONTENT = 2 ** 24
/** Up to this many elements of lists are always accepted. Each element becomes some objects. */
const MIN_ELEMENTS = 2 ** 18
/** Plausible elements per stored byte. TileDB needs 3 bytes or more for each, even if the names are sequential. */
const ELEMENTS_PER_BYTE = 2
/** Up to this many chunks are always accepted. TileDB's chunks have 65,536 bytes, except the last. */
const MIN_CHUNKS = 1024
/** Smallest plausible bytes of a chunk, if there are more chunks. */
const SMALLEST_CHUNK = 64

/** Upper limit on the elements of lists in a generic tile of `stored` bytes: what is plausible, and what memory can hold. */
export function mostElements(stored: number, { memory }: ReadContext): number {
  const plausible = Math.max(MIN_ELEMENTS, stored * ELEMENTS_PER_BYTE)
  return memory.isSet ? memory.mostElements : Math.min(plausible, memory.mostElements)
}

/** The elements of every generic tile. TileDB does not look at what the header says about them. */
export const TILE_OF_BYTES = { datatype: 'CHAR', cellSize: 1, withoutKernels: true } as const

/**
 * The {@link TileType} of a generic tile. The stored size limits the unfiltered size, so that a file of a few bytes cannot
 * take all memory.
 * @param header its persisted size fits in the file: the caller has checked it
 * @throws InspectError KEY_NEEDED, TOO_LARGE; BAD_VALUE if it is encrypted in an array that is not
 */
export function genericTileType(
  header: GenericTileHeader,
  cx: ReadContext,
  place: Partial<GenericTilePlace>,
): TileType {
  if (header.encryption_type === 'AES_256_GCM' && !cx.key) {
    if (cx.isPlain)
      throw badValue(
        { expected: 'NO_ENCRYPTION, as in the schema of the array', found: 'AES_256_GCM' },
        { ...place, field: 'encryption_type' },
      )
    const says = 'the array is encrypted (AES_256_GCM)'
    const commandLine = `${says}: give its key with --key or --key-file`
    throw new InspectError('KEY_NEEDED', { says, commandLine }, place)
  }
  return {
    ...TILE_OF_BYTES,
    formatVersion: header.format_version,
    key: cx.key,
    ...contentBound(header.persisted_size, cx),
  }
}

/** The upper limit on a generic tile's unfiltered size. @param stored bytes of its chunks */
export function contentBound(stored: number, cx: ReadContext): Pick<TileType, 'room' | 'isRoomSet' | 'plausible'> {
  const bound = roomOf(cx)
  return bound.isRoomSet ? bound : { ...bound, plausible: { bytes: unfilteredLimit(stored, MIN_CONTENT), stored } }
}

/**
 * Refuses implausibly many chunks, because unfiltering takes time for each chunk. If the user sets a bound of memory, any
 * number is accepted.
 * @throws InspectError TOO_LARGE
 */
export function checkChunkNum(
  chunkNum: number,
  { tile_size, persisted_size }: GenericTileHeader,
  cx: ReadContext,
): void {
  // There is no room for their heads, so the number is damaged, and unfiltering ends at once.
  if (chunkNum * CHUNK_HEAD_BYTES > persisted_size) return
  const most = Math.max(MIN_CHUNKS, Math.ceil(tile_size / SMALLEST_CHUNK))
  if (chunkNum <= most || cx.memory.isSet) return
  const fault = { expected: `at most ${most} chunks for ${sizeText(tile_size)} unfiltered bytes`, found: chunkNum }
  const hinted = withHint(fault, MEMORY_RAISES_BOUND)
  throw new InspectError('TOO_LARGE', hinted, { field: 'chunk_num' })
}

/** Updates the context after a generic tile was opened. */
export function openedWithKey(header: GenericTileHeader, cx: ReadContext): void {
  if (header.encryption_type !== 'AES_256_GCM') return
  cx.keyProven = true
  cx.encrypted = true
}

/** Turns WRONG_KEY into CHECKSUM if the key has opened another tile: then the tile is damaged. */
export function keyOrDamage(error: unknown, cx: ReadContext): unknown {
  if (!hasCode(error, 'WRONG_KEY') || !cx.keyProven) return error
  const fault = { expected: 'the AES-256-GCM tag to fit the bytes', found: 'that it does not' }
  return new InspectError('CHECKSUM', fault, error.at, { cause: error })
}

/**
 * Opens a generic tile and reads its content with `describe`. In errors about the content, offsets are relative to the content.
 * @throws InspectError UNSUPPORTED_VERSION if the content has an unknown format version; those of {@link openGenericTile}
 */
export async function readGenericTile<T>(
  bytes: Uint8Array,
  describe: Describe<T>,
  cx: ReadContext,
  place: GenericTilePlace,
): Promise<T> {
  return decodeTile(await openGenericTile(bytes, cx, place), describe, place)
}

/** What offsets in the content of a generic tile count in. @param offset of the tile in its file */
export function contentSpace(offset: number): string {
  return `unfiltered content of the generic tile at ${offset}`
}

/** Reads the content of an opened generic tile with `describe`. */
export function decodeTile<T>(
  { payload, mostElements }: GenericTile,
  describe: Describe<T>,
  { file, offset }: GenericTilePlace,
  onOddFlag?: Origin['onOddFlag'],
): T {
  return decode(payload, describe, { file, mostElements, onOddFlag, space: contentSpace(offset) })
}

/** All bytes of a file, such as one that is one generic tile. @throws InspectError TOO_LARGE if memory has no room for them */
export async function readStored(source: ByteSource, { memory }: Pick<ReadContext, 'memory'>): Promise<Uint8Array> {
  const size = await source.size()
  if (size <= memory.room || size <= MIN_CONTENT) return readAll(source)
  const fault = withHint({ expected: `a file of at most ${memory.room} bytes`, found: size }, OPTION_OF_MEMORY)
  throw new InspectError('TOO_LARGE', fault, { file: source.name })
}

/** {@link readGenericTile} for a file that is one generic tile. Closes the source. */
export function readTileFile<T>(source: ByteSource, describe: Describe<T>, cx: ReadContext): Promise<T> {
  return withSource(source, async () =>
    readGenericTile(await readStored(source, cx), describe, cx, { file: source.name, offset: 0 }),
  )
}

/** Bytes to read for a header. A header with TileDB's filters is never longer. */
export const GENERIC_TILE_HEADER_BYTES = 4096

/** Reads only the header of the generic tile at the start of a file. Needs no key. */
export async function readGenericTileHeader(source: ByteSource): Promise<GenericTileHeader> {
  const bytes = await source.read(0, Math.min(await source.size(), GENERIC_TILE_HEADER_BYTES))
  return decodePrefix(bytes, genericTileHeader, { file: source.name, offset: 0 }).value
}
