import { InspectError } from '../base/errors.ts'
import type { Datatype } from '../format/datatype.ts'
import { type FilterConfig, type FilterType, filterByNumber } from '../format/filter-pipeline.ts'
import { aes256Gcm } from './aes-256-gcm.ts'
import { bitWidthReduction } from './bit-width-reduction.ts'
import { bitshuffle } from './bitshuffle.ts'
import { byteshuffle } from './byteshuffle.ts'
import { bzip2 } from './bzip2.ts'
import { checksumMd5, checksumSha256 } from './checksum.ts'
import { delta } from './delta.ts'
import { dictionaryEncoding } from './dictionary-encoding.ts'
import { doubleDelta } from './double-delta.ts'
import { type FilterDefinition, TYPES_CHECKED_SINCE } from './filter.ts'
import { gzip } from './gzip.ts'
import { lz4 } from './lz4.ts'
import { none } from './none.ts'
import { positiveDelta } from './positive-delta.ts'
import { rle } from './rle.ts'
import { scaleFloat } from './scale-float.ts'
import { webp } from './webp.ts'
import { xor } from './xor.ts'
import { zstd } from './zstd.ts'

/** All supported filters. */
const FILTERS: Readonly<Record<FilterType, FilterDefinition>> = {
  NONE: none,
  GZIP: gzip,
  ZSTD: zstd,
  LZ4: lz4,
  RLE: rle,
  BZIP2: bzip2,
  DOUBLE_DELTA: doubleDelta,
  BIT_WIDTH_REDUCTION: bitWidthReduction,
  BITSHUFFLE: bitshuffle,
  BYTESHUFFLE: byteshuffle,
  POSITIVE_DELTA: positiveDelta,
  AES_256_GCM: aes256Gcm,
  CHECKSUM_MD5: checksumMd5,
  CHECKSUM_SHA256: checksumSha256,
  DICTIONARY_ENCODING: dictionaryEncoding,
  SCALE_FLOAT: scaleFloat,
  XOR: xor,
  WEBP: webp,
  DELTA: delta,
}

/** Nanoseconds that TileDB takes to undo a filter. Absent parts take no time. */
interface Nanoseconds {
  /** For each stored byte. */
  stored?: number
  /** For each unfiltered byte. */
  unfiltered?: number
  /** For each element that the filter changed. */
  element?: number
  /** For each element that is stored unchanged. */
  kept?: number
  /** For each cell, if the data has the offsets. */
  cell?: number
  /** For each stored byte, if the data has the offsets. */
  text?: number
  /** By the content of ZSTD's blocks. @see zstd-work.ts */
  zstd?: { literals: number; sequences: number; bytes: number }
}

/** Kind of values for which `whatif` tries a filter. `integers` includes offsets; `offsets` means these alone. */
export type TriedValues = 'integers' | 'offsets' | 'floats' | 'texts' | 'bytes'

/** Facts about a filter for advice and estimates. Pages do not need them, so {@link FilterDefinition} does not have them. */
export type FilterUse = {
  /** Class of TileDB-Py; undefined if there is none. */
  python: string | undefined
  /**
   * Speed at which TileDB undoes the filter, in 1,000,000 unfiltered bytes a second, for `explain`. Measured, never guessed: give
   * bench/tiledb_filters.py a case of the filter, which needs only TileDB-Py.
   */
  rate: number
  /** For `whatif`. Measured with bench/whatif-speed.mjs, whose `whatif_speed.py` needs TileDB-Py; `{}` counts as no time. */
  ns: Nanoseconds
} & (
  | {
      /** The filter makes any bytes smaller, so it belongs at the end. */
      does: 'compress'
      /** Levels that `whatif` tries. */
      levels: readonly number[]
    }
  | {
      /**
       * `shrink`: the filter makes some values smaller. `arrange`: it only rearranges values for a compressor, so it belongs
       * in front of that. `shrink and arrange`: both. `guard`: neither.
       */
      does: 'shrink' | 'arrange' | 'shrink and arrange' | 'guard'
      /** Values for which `whatif` tries it in front of a compressor. */
      tried: readonly TriedValues[]
    }
)

/**
 * Uses of the filters, in the order in which `whatif` tries them. It computes the options of SCALE_FLOAT from the values.
 *
 * Speeds are estimates for TileDB 2.30 on one core. Rates were measured on one busy machine, and depend on the cells
 * (bench/RESULTS.md, "Filters of TileDB"). Nanoseconds are least squares of 652 reads (bench/whatif_speed.py, November 2026).
 */
// biome-ignore format: a row for each filter
export const FILTER_USES: Readonly<Record<FilterType, FilterUse>> = {
  NONE: { python: 'NoOpFilter', rate: 10_000, ns: {}, does: 'guard', tried: [] },
  LZ4: { python: 'LZ4Filter', rate: 770, ns: { stored: 0.2, unfiltered: 0.25 }, does: 'compress', levels: [-1] },
  ZSTD: { python: 'ZstdFilter', rate: 670, ns: { zstd: { literals: 0.71, sequences: 7.95, bytes: 0.35 } }, does: 'compress', levels: [9, 19] },
  GZIP: { python: 'GzipFilter', rate: 320, ns: { stored: 3.5, unfiltered: 1.07 }, does: 'compress', levels: [6] },
  BZIP2: { python: 'Bzip2Filter', rate: 18, ns: { stored: 42.8, unfiltered: 3.1 }, does: 'compress', levels: [9] },
  DICTIONARY_ENCODING: { python: 'DictionaryFilter', rate: 1500, ns: { cell: 3.5, text: 1.3 }, does: 'shrink', tried: ['texts'] },
  RLE: { python: 'RleFilter', rate: 1600, ns: { element: 3.5, cell: 3.4 }, does: 'shrink', tried: ['texts', 'bytes'] },
  BYTESHUFFLE: { python: 'ByteShuffleFilter', rate: 6800, ns: { unfiltered: 0.01 }, does: 'arrange', tried: ['integers', 'floats'] },
  BITSHUFFLE: { python: 'BitShuffleFilter', rate: 2400, ns: { unfiltered: 0.025 }, does: 'arrange', tried: ['integers', 'floats', 'bytes'] },
  DELTA: { python: 'DeltaFilter', rate: 680, ns: { element: 7.9 }, does: 'shrink and arrange', tried: ['integers', 'bytes'] },
  DOUBLE_DELTA: { python: 'DoubleDeltaFilter', rate: 800, ns: { element: 8.1 }, does: 'shrink and arrange', tried: ['integers'] },
  BIT_WIDTH_REDUCTION: { python: 'BitWidthReductionFilter', rate: 320, ns: { element: 23.5, kept: 3.3 }, does: 'shrink and arrange', tried: ['integers'] },
  // Only for offsets, which never decrease: TileDB refuses to write values that do.
  POSITIVE_DELTA: { python: 'PositiveDeltaFilter', rate: 310, ns: { element: 25 }, does: 'shrink and arrange', tried: ['offsets'] },
  XOR: { python: 'XORFilter', rate: 4800, ns: { unfiltered: 0.1 }, does: 'arrange', tried: ['floats'] },
  SCALE_FLOAT: { python: 'FloatScaleFilter', rate: 560, ns: { element: 13.6 }, does: 'shrink and arrange', tried: [] },
  WEBP: { python: 'WebpFilter', rate: 190, ns: { unfiltered: 5 }, does: 'shrink', tried: [] },
  CHECKSUM_MD5: { python: 'ChecksumMD5Filter', rate: 670, ns: { unfiltered: 1.5 }, does: 'guard', tried: [] },
  CHECKSUM_SHA256: { python: 'ChecksumSHA256Filter', rate: 1200, ns: { unfiltered: 0.8 }, does: 'guard', tried: [] },
  AES_256_GCM: { python: undefined, rate: 4200, ns: {}, does: 'guard', tried: [] },
}

/** Returns the uses of a filter; those of NONE for numbers that no release defines. */
export function useOf(name: FilterConfig['name']): FilterUse {
  return Object.hasOwn(FILTER_USES, name) ? FILTER_USES[name as FilterType] : FILTER_USES.NONE
}

/** Returns the definition of a filter; undefined for numbers that no release defines. */
export function filterOf(name: FilterConfig['name']): FilterDefinition | undefined {
  return Object.hasOwn(FILTERS, name) ? FILTERS[name as FilterType] : undefined
}

/** Returns the definition of a filter. @throws InspectError UNSUPPORTED_FILTER for numbers that no release defines */
export function definitionOf(name: FilterConfig['name']): FilterDefinition {
  const definition = filterOf(name)
  if (definition) return definition
  throw new InspectError(
    'UNSUPPORTED_FILTER',
    { expected: 'a filter that TileDB defines', found: name },
    {
      field: 'filters',
    },
  )
}

/** Whether a pipeline has a checksum or authentication tag. */
export function hasChecksum(filters: readonly FilterConfig[]): boolean {
  return filters.some(({ name }) => filterOf(name)?.tellsDamage)
}

/** Returns the element type that the next filter (in writing order) sees. */
export function typeAfter(filter: FilterConfig, type: Datatype, formatVersion: number): Datatype {
  if (formatVersion < TYPES_CHECKED_SINCE) return type
  return filterOf(filter.name)?.outputType?.(type, filter) ?? type
}

/**
 * Whether a filter stores the offsets of var-sized cells of this type in the data, at this schema version. Of a compressor its number
 * decides, as it does for TileDB.
 */
export function keepsOffsets(filter: FilterConfig, type: Datatype, schemaVersion: number): boolean {
  const since = filterOf(filterByNumber(filter).name)?.offsetsInsideSince?.[type]
  return since !== undefined && schemaVersion >= since
}

/**
 * Whether var-sized strings with these filters may have their offsets in the data. Their offsets tile shows whether
 * they do.
 */
export function mayHoldOffsets(filters: readonly FilterConfig[]): boolean {
  const [first] = filters
  if (first === undefined) return false
  // Where the number contradicts the type, either may have made the bytes.
  return [first, filterByNumber(first)].some(({ name }) => filterOf(name)?.offsetsInsideSince !== undefined)
}
