import { addPlace, InspectError } from './errors.ts'
import type { Codecs } from './filters/codecs/codecs.ts'
import { Pipeline, type ReadOptions, type TileType } from './filters/pipeline.ts'
import { type GenericTileHeader, genericTileHeader } from './format/generic-tile.ts'
import { type Describe, decode, decodePrefix } from './format/io.ts'
import type { ByteSource } from './source/source.ts'

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
  /** Told of damage that need not end what is being read (one commit file of many); without it the error is raised. */
  onFault?: ((fault: InspectError) => void) | undefined
}

/** A context for one array, and for the fragments and files in it. */
export function readContext(codecs: Codecs, key?: Uint8Array, maxTileSize?: number): ReadContext {
  return { codecs, key, keyProven: false, encrypted: false, maxTileSize }
}

/** An opened generic tile. */
export interface GenericTile {
  header: GenericTileHeader
  /** Unfiltered content: what it means depends on where the tile was found. */
  payload: Uint8Array
  /** Bytes of header and chunks together. */
  length: number
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
    const { data } = pipeline.reverseTile(stored, {
      ...options,
      expectedSize: header.tile_size,
      offset: place.offset + length,
    })
    openedWithKey(header, cx)
    return { header, payload: data, length: length + header.persisted_size }
  } catch (error) {
    throw addPlace(keyOrDamage(error, cx), place)
  }
}

/** What the pipeline of a generic tile must know. @throws InspectError KEY_NEEDED */
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
    maxTileSize: cx.maxTileSize,
  }
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
  const { payload } = await openGenericTile(bytes, cx, place)
  return decode(payload, describe, {
    file: place.file,
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
