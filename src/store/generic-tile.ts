import { addPlace, InspectError } from '../base/errors.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { boundOf, mostUnfolded, Pipeline, type ReadOptions, type TileType } from '../filters/pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from '../format/generic-tile.ts'
import { type Describe, decode, decodePrefix } from '../format/io.ts'
import { chunkCount } from '../format/tile-chunks.ts'
import type { ByteSource } from '../source/source.ts'

/** What reading needs beside bytes. One object serves an array, its fragments and all they hold. */
export interface ReadContext {
  codecs: Codecs
  /** AES-256-GCM key, 32 bytes. */
  key: Uint8Array | undefined
  /** Set once any generic tile opened with the key: from then on a tag that does not fit means damage, not a wrong key. */
  keyProven: boolean
  /** Set once an encrypted generic tile was opened: the array's data files then end in the AES filter. */
  encrypted: boolean
  /** Most bytes that a tile may have unfiltered; larger ones are TOO_LARGE. */
  maxTileSize?: number | undefined
  /** The time, in milliseconds, for which the program tells what TileDB reads: later fragments, lists and schemas do not count. */
  now: bigint
  /** Told of damage that need not end what is being read (one commit file of many); without it the error is raised. */
  onFault?: ((fault: InspectError) => void) | undefined
}

/** A context for one array, and for the fragments and files in it. */
export function readContext(codecs: Codecs, key?: Uint8Array, maxTileSize?: number): ReadContext {
  return { codecs, key, keyProven: false, encrypted: false, maxTileSize, now: timeOfOpening() }
}

/** The clock's time, or the one that `TILEDB_INSPECT_NOW` sets in its stead. */
function timeOfOpening(): bigint {
  const set = globalThis.process?.env.TILEDB_INSPECT_NOW
  return set !== undefined && /^\d{1,18}$/.test(set) ? BigInt(set) : BigInt(Date.now())
}

/** An opened generic tile. */
export interface GenericTile {
  header: GenericTileHeader
  /** Unfiltered content: what it means depends on where the tile was found. */
  payload: Uint8Array
  /** Bytes of header and chunks together. */
  length: number
  /** Most elements of lists that are believed of its content: see {@link mostElements}. */
  mostElements: number
}

/** Where a generic tile is, for errors. */
export interface TilePlace {
  file: string
  /** Of the tile in its file, bytes. */
  offset: number
}

/**
 * Opens the generic tile at the start of `bytes`, which may hold more.
 * @throws InspectError KEY_NEEDED, WRONG_KEY, TRUNCATED, and what filters raise
 */
export async function openGenericTile(
  bytes: Uint8Array,
  cx: ReadContext,
  place: TilePlace,
  options: Pick<ReadOptions, 'onVerdict'> = {},
): Promise<GenericTile> {
  const { value: header, length } = decodePrefix(bytes, genericTileHeader, place)
  if (header.persisted_size > bytes.length - length) {
    throw new InspectError(
      'TRUNCATED',
      `expected ${header.persisted_size} bytes of tile, found ${bytes.length - length}`,
      {
        ...place,
        field: 'persisted_size',
      },
    )
  }
  const tile = genericTileType(header, cx, place)
  const stored = bytes.subarray(length, length + header.persisted_size)
  try {
    const pipeline = await Pipeline.load(header.filters.filters, tile, cx.codecs)
    checkChunkNum(chunkCount(stored), header, cx)
    let fits = true
    const { data } = pipeline.reverseTile(stored, {
      onVerdict:
        options.onVerdict &&
        ((verdict, chunk) => {
          if (!verdict.ok) fits = false
          options.onVerdict?.(verdict, chunk)
        }),
      expectedSize: header.tile_size,
      offset: place.offset + length,
    })
    if (fits) openedWithKey(header, cx)
    return {
      header,
      payload: data,
      length: length + header.persisted_size,
      mostElements: mostElements(stored.length, cx),
    }
  } catch (error) {
    throw addPlace(keyOrDamage(error, cx), place)
  }
}

/** Content up to this is unfolded whatever is stored of it. */
const LEAST_CONTENT = 2 ** 24
/** The same of its elements, each of which becomes some objects. */
const LEAST_ELEMENTS = 2 ** 18
/** Elements have names, places or values of their own: sequential names take TileDB 3 bytes or more. */
const ELEMENTS_OF_A_BYTE = 2
/** Chunks up to this are undone however small they are. TileDB writes them of 65,536 bytes, but for the last. */
const LEAST_CHUNKS = 1024
const SMALLEST_CHUNK = 64

/** Most elements of lists that are believed of a generic tile of so many stored bytes. */
export function mostElements(stored: number, cx: ReadContext): number {
  return cx.maxTileSize === undefined ? Math.max(LEAST_ELEMENTS, stored * ELEMENTS_OF_A_BYTE) : Number.POSITIVE_INFINITY
}

/**
 * What the pipeline of a generic tile must know. What the tile unfolds to is bounded by what is stored of it: a file of a few bytes
 * otherwise asks for all memory.
 * @param header its persisted size known to be in the file
 * @throws InspectError KEY_NEEDED, TOO_LARGE
 */
export function genericTileType(header: GenericTileHeader, cx: ReadContext, place: Partial<TilePlace>): TileType {
  if (header.encryption_type === 'AES_256_GCM' && !cx.key) {
    throw new InspectError(
      'KEY_NEEDED',
      'the array is encrypted (AES_256_GCM): give its key with --key or --key-file',
      place,
    )
  }
  return {
    datatype: header.datatype,
    cellSize: header.cell_size,
    formatVersion: header.format_version,
    key: cx.key,
    ...contentBound(header.persisted_size, cx),
  }
}

/** The bound of a generic tile's content. @param stored bytes of its chunks */
export function contentBound(stored: number, cx: ReadContext): Pick<TileType, 'maxTileSize' | 'maxTileSizeIs'> {
  if (cx.maxTileSize !== undefined) return { maxTileSize: cx.maxTileSize }
  return { maxTileSize: mostUnfolded(stored, LEAST_CONTENT), maxTileSizeIs: boundOf(stored) }
}

/**
 * The time that a tile takes goes by its chunks: more than its size can have are not undone, unless the user sets a bound.
 * @throws InspectError TOO_LARGE
 */
export function checkChunkNum(chunkNum: number, { tile_size }: GenericTileHeader, cx: ReadContext): void {
  const most = Math.max(LEAST_CHUNKS, Math.ceil(tile_size / SMALLEST_CHUNK))
  if (chunkNum <= most || cx.maxTileSize !== undefined) return
  const message = `expected at most ${most} chunks for ${tile_size} unfiltered bytes (--max-tile-size lifts this bound), found ${chunkNum}`
  throw new InspectError('TOO_LARGE', message, { field: 'chunk_num' })
}

/** Notes what follows from a generic tile that could be opened. */
export function openedWithKey(header: GenericTileHeader, cx: ReadContext): void {
  if (header.encryption_type !== 'AES_256_GCM') return
  cx.keyProven = true
  cx.encrypted = true
}

/** A tag that does not fit under a key that has opened something else is damage. */
export function keyOrDamage(error: unknown, cx: ReadContext): unknown {
  if (!(error instanceof InspectError) || error.code !== 'WRONG_KEY' || !cx.keyProven) return error
  return new InspectError(
    'CHECKSUM',
    'expected the AES-256-GCM tag to fit the bytes, found that it does not',
    error.at,
    {
      cause: error,
    },
  )
}

/**
 * Opens a generic tile and reads its payload by `describe`. Errors inside the payload name its own address space.
 * A payload whose format version is unknown raises UNSUPPORTED_VERSION.
 */
export async function readGenericTile<T>(
  bytes: Uint8Array,
  describe: Describe<T>,
  cx: ReadContext,
  place: TilePlace,
): Promise<T> {
  const { payload, mostElements } = await openGenericTile(bytes, cx, place)
  return decode(payload, describe, {
    file: place.file,
    mostElements,
    space: `unfiltered content of the generic tile at ${place.offset}`,
  })
}

/** No header with TileDB's filters is longer; a longer one is read in full only with its tile. */
export const GENERIC_TILE_HEADER_BYTES = 4096

/** The header alone of the generic tile that a file begins with. Needs no key. */
export async function readGenericTileHeader(source: ByteSource): Promise<GenericTileHeader> {
  const bytes = await source.read(0, Math.min(await source.size(), GENERIC_TILE_HEADER_BYTES))
  return decodePrefix(bytes, genericTileHeader, { file: source.name, offset: 0 }).value
}
