/**
 * Writes cells as Parquet, with one row group per tile, or for several small tiles.
 *
 * The metadata, the page headers and the runs of levels and indexes are written by hyparquet-writer 0.17. Its main entry is not used: it
 * takes values as JavaScript's, which costs time and may change the bits of NaN. Here values stay the bytes that Arrow has. What is used
 * instead are single files, which the package exports, too (`./src/*.js`).
 *
 * Pages are compressed with ZSTD at level 1. Measured on Node 20 (2026-11), in MB/s of processor time and in the ratio, for rising times,
 * small integers, a walk of floats, and text:
 *
 *     zstd 1      75 4.6    137 3.2    129 3.2    180 5.2
 *     zstd 3      44 4.3     87 3.4     80 3.5    129 5.6
 *     snappy      29 1.6     59 2.0     38 2.1     54 3.5   (hyparquet-writer's, in JavaScript)
 *     gzip 1      72 3.2     77 3.0     82 3.1    152 4.5
 */

import type { ByteCodec } from '../filters/codecs/codecs.ts'
import { ParquetWriter } from './parquet-file.ts'
import type { RecordFormat } from './records.ts'

const LEVEL = 1

/** @param zstd a codec that writes the same bytes everywhere, so that the same cells are the same file */
export function parquetFormat({ compress }: Pick<ByteCodec, 'compress'>): RecordFormat {
  return {
    mostRows: 131_072,
    mostBytes: 2 ** 24,
    open: (out, fields) => new ParquetWriter(out, fields, (bytes) => compress(bytes, LEVEL)),
  }
}
