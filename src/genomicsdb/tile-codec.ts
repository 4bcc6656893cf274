import { InspectError, inconsistent, movedTo, withPlace } from '../base/errors.ts'
import { shuffleBlocks } from '../filters/bitshuffle.ts'
import { badData } from '../filters/bytes.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { gunzip } from '../filters/codecs/gunzip.ts'
import { decompressCells } from '../filters/rle.ts'
import { type Datatype, datatypeKind, datatypeSize } from '../format/datatype.ts'
import { type Compression, type Compressor, compressionParts } from '../format/genomicsdb/codings.ts'
import { u64 } from '../format/u32.ts'
import { undoStrideDelta } from './stride-delta.ts'

/** What decides how the tiles of a file are undone. */
export interface TileLayout {
  compression: Compression
  /** Type of the elements, which BITSHUFFLE takes; for offsets that of the values, not of the offsets. */
  type: Datatype
  /** Type of the elements that DELTA takes. */
  deltaType: Datatype
  /** How many elements lie between those that DELTA compares. */
  stride: number
  /** Bytes of a cell, of which RLE stores runs. */
  runBytes: number
  /** For coordinates: the number of dimensions, and whether the cells are in column-major order. RLE stores them by dimension. */
  coords: { dimNum: number; isColMajor: boolean } | undefined
}

/**
 * Undoes the compression of a tile.
 * @param size unfiltered bytes of the tile
 * @param hold called before these are allocated
 */
export type TileCodec = (stored: Uint8Array, size: number, hold: () => void) => Uint8Array

type Decompress = (stored: Uint8Array, size: number) => Uint8Array

/** Most bytes that a byte gives: see the filters of the same names. */
const MAX_UNDONE: { readonly [compressor in Compressor]?: number } = {
  GZIP: 1032,
  ZSTD: 2 ** 15,
  LZ4: 255,
  RLE: 65535,
}

/**
 * Makes the function that undoes the tiles of a file. A tile is a zlib stream (GZIP), one zstd frame, one bare LZ4 block, runs, or the
 * values themselves.
 * @throws InspectError UNSUPPORTED_FILTER for the kinds of Blosc, and for DELTA or BITSHUFFLE of types that GenomicsDB refuses
 * @see OmicsDataAutomation/TileDB, core/src/codec/codec.cc
 */
export async function tileCodec(layout: TileLayout, codecs: Codecs): Promise<TileCodec> {
  const { compressor, shuffle } = compressionParts(layout.compression)
  const decompress = await decompressor(compressor, layout, codecs)
  const unshuffle = compressor === 'NONE' ? asItIs : unshuffler(shuffle, layout)
  const most = MAX_UNDONE[compressor] ?? 1
  return (stored, size, hold) => {
    if (size > most * stored.length) {
      const fault = `at most ${most * stored.length} bytes from ${stored.length} bytes of ${compressor}`
      throw badData({ expected: fault, found: size })
    }
    hold()
    return unshuffle(decompress(stored, size))
  }
}

const asItIs = (bytes: Uint8Array): Uint8Array => bytes

async function decompressor(compressor: Compressor, layout: TileLayout, codecs: Codecs): Promise<Decompress> {
  switch (compressor) {
    case 'NONE':
      return checkedSize
    case 'GZIP':
      return (await codecs.gzip()).decompress
    case 'ZSTD':
      return (await codecs.zstd()).decompress
    case 'LZ4':
      return (await codecs.lz4()).decompress
    case 'RLE':
      return (stored, size) => undoRuns(stored, size, layout)
    default:
      throw new InspectError('UNSUPPORTED_FILTER', {
        expected: 'GZIP, ZSTD, LZ4, RLE or no compression',
        found: `${compressor}, which is not read here`,
      })
  }
}

function checkedSize(stored: Uint8Array, size: number): Uint8Array {
  if (stored.length === size) return stored
  throw inconsistent({ expected: `a tile of ${size} bytes`, found: stored.length })
}

/** The function that undoes DELTA or BITSHUFFLE. GenomicsDB has both for integers of 4 and 8 bytes only. */
function unshuffler(shuffle: string, { type, deltaType, stride }: TileLayout): (bytes: Uint8Array) => Uint8Array {
  if (shuffle === '') return asItIs
  const isDelta = shuffle === '+DELTA'
  const datatype = isDelta ? deltaType : type
  const size = datatypeSize(datatype)
  const kind = datatypeKind(datatype)
  if ((size !== 4 && size !== 8) || (kind !== 'int' && kind !== 'uint')) {
    throw new InspectError('UNSUPPORTED_FILTER', {
      expected: `integers of 4 or 8 bytes for ${shuffle.slice(1)}`,
      found: datatype,
    })
  }
  return (bytes) => {
    if (bytes.length % size !== 0)
      throw badData({ expected: `whole elements of ${size} bytes`, found: `${bytes.length} bytes` })
    return isDelta ? undoStrideDelta(bytes, size, stride) : shuffleBlocks(bytes, size, true)
  }
}

function undoRuns(stored: Uint8Array, size: number, { runBytes, coords, type }: TileLayout): Uint8Array {
  if (coords) return undoCoordinateRuns(stored, size, datatypeSize(type), coords)
  return undoCells(stored, size, runBytes)
}

/** Runs of cells. An error names no field: TileDB's own RLE has fields that are not here. */
function undoCells(stored: Uint8Array, size: number, cellBytes: number): Uint8Array {
  try {
    return decompressCells(stored, size, cellBytes)
  } catch (error) {
    throw error instanceof InspectError ? movedTo({}, error) : error
  }
}

/**
 * Coordinates by dimension, after their number (int64). The dimension whose values change fastest is stored as it is: the last one in
 * row-major order, where it comes last, and the first one otherwise. The others are runs.
 */
function undoCoordinateRuns(
  stored: Uint8Array,
  size: number,
  valueBytes: number,
  { dimNum, isColMajor }: NonNullable<TileLayout['coords']>,
): Uint8Array {
  const cellBytes = valueBytes * dimNum
  const plainBytes = size / dimNum
  const count = stored.length < 8 ? Number.NaN : u64(stored, 0)
  if (count * cellBytes !== size || stored.length < 8 + plainBytes)
    throw badData({ expected: `coordinates of ${size / cellBytes} cells`, found: `${count} in ${stored.length} bytes` })
  const body = stored.subarray(8)
  const plainAt = isColMajor ? 0 : body.length - plainBytes
  const plain = body.subarray(plainAt, plainAt + plainBytes)
  const runs = isColMajor ? body.subarray(plainBytes) : body.subarray(0, plainAt)
  const others = withPlace({ field: 'runs' }, () => undoCells(runs, size - plainBytes, valueBytes))
  const columns = isColMajor ? [plain, others] : [others, plain]
  const out = new Uint8Array(size)
  let dimension = 0
  for (const column of columns) {
    for (let at = 0; at < column.length; at += plainBytes, dimension++) {
      for (let cell = 0; cell < count; cell++) {
        const from = at + cell * valueBytes
        out.set(column.subarray(from, from + valueBytes), cell * cellBytes + dimension * valueBytes)
      }
    }
  }
  return out
}

/**
 * Bytes after the zlib stream of a GZIP tile, which readers skip. The other compressors take all bytes of a tile.
 * @param size unfiltered bytes of the tile
 */
export function extraBytes({ compression }: TileLayout, stored: Uint8Array, size: number): number {
  if (compressionParts(compression).compressor !== 'GZIP') return 0
  const { length, fault } = gunzip(stored, size, 'zlib')
  return fault ? 0 : stored.length - length
}
