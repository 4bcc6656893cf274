import { InspectError } from '../base/errors.ts'
import type { Datatype } from '../format/datatype.ts'
import type { FilterConfig, FilterType } from '../format/filter-pipeline.ts'
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

/** The definition of a filter; undefined for numbers that no release defines. */
export function filterOf(name: FilterConfig['name']): FilterDefinition | undefined {
  return Object.hasOwn(FILTERS, name) ? FILTERS[name as FilterType] : undefined
}

/** @throws InspectError UNSUPPORTED_FILTER for numbers that no release defines */
export function definitionOf(name: FilterConfig['name']): FilterDefinition {
  const definition = filterOf(name)
  if (definition) return definition
  throw new InspectError('UNSUPPORTED_FILTER', `expected a filter that TileDB defines, found ${name}`, {
    field: 'filters',
  })
}

/** Whether a pipeline has a checksum or authentication tag. */
export function hasChecksum(filters: readonly FilterConfig[]): boolean {
  return filters.some(({ name }) => filterOf(name)?.tellsDamage)
}

/** Element type that the next filter (in writing order) sees. */
export function typeAfter(filter: FilterConfig, type: Datatype, formatVersion: number): Datatype {
  if (formatVersion < TYPES_CHECKED_SINCE) return type
  return filterOf(filter.name)?.outputType?.(type, filter) ?? type
}

/** Whether a filter stores the offsets of var-sized cells of this type in the data, at this schema version. */
export function keepsOffsets({ name }: FilterConfig, type: Datatype, schemaVersion: number): boolean {
  const since = filterOf(name)?.offsetsInsideSince?.[type]
  return since !== undefined && schemaVersion >= since
}

/**
 * Whether var-sized strings with these filters may have their offsets in the data. Their offsets tile shows whether
 * they do.
 */
export function mayHoldOffsets(filters: readonly FilterConfig[]): boolean {
  return filters.length > 0 && filterOf(filters[0].name)?.offsetsInsideSince !== undefined
}
