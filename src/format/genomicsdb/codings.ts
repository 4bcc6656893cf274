import { enumeration, enumerationOf } from '../coding.ts'
import { DATATYPES } from '../datatype.ts'
import type { Coding } from '../io.ts'

/**
 * Small enumerations of GenomicsDB's arrays. The names are those that TileDB uses today for the same.
 *
 * @see OmicsDataAutomation/TileDB, core/include/c_api/tiledb_constants.h
 */

/** The types that TileDB had before 1.0. Their numbers are the same today. */
export const oldDatatypeCoding = enumerationOf('datatype', DATATYPES.slice(0, DATATYPES.indexOf('UINT64') + 1))

export type OldLayout = 'row-major' | 'col-major' | 'hilbert'
export const oldLayoutCoding = enumeration<OldLayout>('layout', { 'row-major': 0, 'col-major': 1, hilbert: 2 })

/** Compressors in the order of their numbers. The number 10 follows the kinds of Blosc. */
const COMPRESSORS = [
  ...(['NONE', 'GZIP', 'ZSTD', 'LZ4'] as const),
  ...(['BLOSC', 'BLOSC_LZ4', 'BLOSC_LZ4HC', 'BLOSC_SNAPPY', 'BLOSC_ZLIB', 'BLOSC_ZSTD'] as const),
  'RLE',
] as const
export type Compressor = (typeof COMPRESSORS)[number]

/** What is done to the elements of a tile before they are compressed, by the number in the upper four bits. */
const SHUFFLES = ['', '+DELTA', '+BITSHUFFLE'] as const

/** A compressor, and what comes before it: `GZIP`, `GZIP+DELTA`, `ZSTD+BITSHUFFLE`. Without a compressor nothing comes before. */
export type Compression = `${Compressor}${(typeof SHUFFLES)[number]}`

const SHUFFLE_SHIFT = 4
const COMPRESSOR_MASK = 0xf

/** uint8: the compressor in the lowest four bits, then what comes before it. */
export const compressionCoding: Coding<Compression> = {
  label: 'compression',
  decode(stored) {
    const compressor = COMPRESSORS[stored & COMPRESSOR_MASK]
    const shuffle = SHUFFLES[stored >> SHUFFLE_SHIFT]
    return compressor === undefined || shuffle === undefined ? undefined : `${compressor}${shuffle}`
  },
  encode(value) {
    const { compressor, shuffle } = compressionParts(value)
    return COMPRESSORS.indexOf(compressor) + (SHUFFLES.indexOf(shuffle) << SHUFFLE_SHIFT)
  },
  accepted: () => `${COMPRESSORS.map((name, i) => `${i} ${name}`).join(', ')}; 16 more for DELTA, 32 for BITSHUFFLE`,
}

/** The two parts of a {@link Compression}. */
export function compressionParts(compression: Compression): {
  compressor: Compressor
  shuffle: (typeof SHUFFLES)[number]
} {
  const shuffle = SHUFFLES.find((one) => one !== '' && compression.endsWith(one)) ?? ''
  const name = compression.slice(0, compression.length - shuffle.length)
  const compressor = COMPRESSORS.find((one) => one === name)
  if (compressor === undefined) throw new TypeError(`${compression} is not a compression`)
  return { compressor, shuffle }
}

/** int8 on disk: a level, negative for the default of the compressor. */
export const levelCoding: Coding<number> = {
  label: 'level',
  decode: (stored) => (stored << 24) >> 24,
  encode: (value) => value & 0xff,
  accepted: () => '-128 to 127',
}

const VAR_NUM = 0x7fffffff

/** int32 on disk: values in a cell, or `var`. */
export const oldCellValNumCoding: Coding<number | 'var'> = {
  label: 'cell_val_num',
  decode(stored) {
    if (stored === VAR_NUM) return 'var'
    return stored > 0 && stored < VAR_NUM ? stored : undefined
  },
  encode: (value) => (value === 'var' ? VAR_NUM : value),
  accepted: () => `1 or more, ${VAR_NUM} for var`,
}

/** Schemas begin with this word minus their version. Those without a version begin with the length of the array's name. */
const VERSION_WORD_BASE = 0xffffffff
/** Largest version that a first word can mean. A word further below the base is a length. */
const MAX_VERSION = 15

/** Newest version of the schema. */
export const NEWEST_SCHEMA_VERSION = 2

export const schemaVersionCoding: Coding<number> = {
  label: 'schema version',
  decode(stored) {
    const version = VERSION_WORD_BASE - stored
    return version <= NEWEST_SCHEMA_VERSION ? version : undefined
  },
  encode: (value) => VERSION_WORD_BASE - value,
  accepted: () => `${VERSION_WORD_BASE} less a version of 0 to ${NEWEST_SCHEMA_VERSION}`,
}

/** Whether a schema that begins with this word has a version. */
export function isVersionWord(word: number): boolean {
  return VERSION_WORD_BASE - word <= MAX_VERSION
}

/** Releases of GenomicsDB by the version of the schema that they write, as far as they were tried. */
const WRITTEN_BY: readonly string[] = ['before 1.0', '1.1.2', '1.3.2 to 1.5.5']

/** The releases of GenomicsDB that write a version of the schema, in words. */
export function releasesOfSchema(version: number): string {
  return WRITTEN_BY[version] ?? 'a release that is not known'
}
