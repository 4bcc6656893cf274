import type { FilterConfig } from '../format/filter-pipeline.ts'

/**
 * How fast filters are undone, in 1,000,000 bytes of unfiltered content a second, on one core. Estimated: measured with this program, not
 * with TileDB, on one machine (bench/RESULTS.md, "Filters" and "Kernels", the best pass on Node 20). Filters that were measured only
 * after a compressor have what remains without it.
 */
const RATES: Readonly<Record<string, number>> = {
  GZIP: 300,
  ZSTD: 650,
  LZ4: 2600,
  BZIP2: 30,
  RLE: 10_000,
  DELTA: 2300,
  DOUBLE_DELTA: 3800,
  DICTIONARY_ENCODING: 1000,
  BITSHUFFLE: 10_000,
  BYTESHUFFLE: 36_000,
  POSITIVE_DELTA: 20_000,
  BIT_WIDTH_REDUCTION: 35_000,
  CHECKSUM_MD5: 690,
  CHECKSUM_SHA256: 1400,
  AES_256_GCM: 1750,
}
/** Of filters that were not measured: a pass over memory. */
const OTHER_RATE = 5000

/** Estimated seconds on one core to undo a pipeline. @param bytes unfiltered */
export function unfilterSeconds(filters: readonly FilterConfig[], bytes: number): number {
  return filters.reduce((seconds, { name }) => seconds + bytes / ((RATES[name] ?? OTHER_RATE) * 1e6), 0)
}
