import type { FilterConfig, FilterType } from '../format/filter-pipeline.ts'

/**
 * How fast TileDB 2.30 undoes filters: 1,000,000 bytes of unfiltered content a second, on one core. Estimated: it was measured on one
 * machine, with other work on it, and depends on the cells (bench/RESULTS.md, "Filters of TileDB").
 */
const RATES: Readonly<Record<FilterType, number>> = {
  NONE: 10_000,
  GZIP: 320,
  ZSTD: 670,
  LZ4: 770,
  BZIP2: 18,
  RLE: 1600,
  DELTA: 680,
  DOUBLE_DELTA: 800,
  DICTIONARY_ENCODING: 1500,
  BITSHUFFLE: 2400,
  BYTESHUFFLE: 6800,
  POSITIVE_DELTA: 310,
  BIT_WIDTH_REDUCTION: 320,
  XOR: 4800,
  SCALE_FLOAT: 560,
  WEBP: 190,
  CHECKSUM_MD5: 670,
  CHECKSUM_SHA256: 1200,
  AES_256_GCM: 4200,
}

/** Estimated seconds on one core to undo a pipeline. @param bytes unfiltered */
export function unfilterSeconds(filters: readonly FilterConfig[], bytes: number): number {
  const rate = (name: string): number => RATES[name as FilterType] ?? RATES.NONE
  return filters.reduce((seconds, { name }) => seconds + bytes / (rate(name) * 1e6), 0)
}
