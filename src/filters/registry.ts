import { InspectError } from '../base/errors.ts'
import type { FilterType } from '../format/filter-type.ts'
import type { FilterFactory } from './filter.ts'

/** Every filter, loaded when a pipeline first needs it. The table is also the list of what is supported. */
const FILTERS: Record<FilterType, () => Promise<FilterFactory>> = {
  NONE: async () => (await import('./none.ts')).none,
  GZIP: async () => (await import('./gzip.ts')).gzip,
  ZSTD: async () => (await import('./zstd.ts')).zstd,
  LZ4: async () => (await import('./lz4.ts')).lz4,
  RLE: async () => (await import('./rle.ts')).rle,
  BZIP2: async () => (await import('./bzip2.ts')).bzip2,
  DOUBLE_DELTA: async () => (await import('./double-delta.ts')).doubleDelta,
  BIT_WIDTH_REDUCTION: async () => (await import('./bit-width-reduction.ts')).bitWidthReduction,
  BITSHUFFLE: async () => (await import('./bitshuffle.ts')).bitshuffle,
  BYTESHUFFLE: async () => (await import('./byteshuffle.ts')).byteshuffle,
  POSITIVE_DELTA: async () => (await import('./positive-delta.ts')).positiveDelta,
  AES_256_GCM: async () => (await import('./aes-256-gcm.ts')).aes256Gcm,
  CHECKSUM_MD5: async () => (await import('./checksum-md5.ts')).checksumMd5,
  CHECKSUM_SHA256: async () => (await import('./checksum-sha256.ts')).checksumSha256,
  DICTIONARY_ENCODING: async () => (await import('./dictionary-encoding.ts')).dictionaryEncoding,
  SCALE_FLOAT: async () => (await import('./scale-float.ts')).scaleFloat,
  XOR: async () => (await import('./xor.ts')).xor,
  WEBP: async () => (await import('./webp.ts')).webp,
  DELTA: async () => (await import('./delta.ts')).delta,
}

/** @throws InspectError UNSUPPORTED_FILTER for numbers that no release defines */
export function filterFactory(name: string): Promise<FilterFactory> {
  if (Object.hasOwn(FILTERS, name)) return FILTERS[name as FilterType]()
  throw new InspectError('UNSUPPORTED_FILTER', `expected a filter that TileDB defines, found ${name}`, {
    field: 'filters',
  })
}
