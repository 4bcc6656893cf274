/**
 * Writes cells as an Arrow IPC stream or file, with one record batch per tile.
 *
 * Messages are encoded by @uwdata/flechette. Measured on Node 20 (2026-11): loading all of it adds 8 ms to the start,
 * apache-arrow 80 to 125 ms. On disk they take 1.6 and 12 MB, including dependencies. The public function of flechette needs
 * all batches at once, so its inner parts are called batch by batch. Bundled, these are some 20 KB.
 */

import type { Output } from '../base/result.ts'
import { ArrowWriter } from './arrow-stream.ts'
import { type RecordFormat, type Records, writeRecords } from './records.ts'

/** @param file whether a file is written, which has a footer, not a stream */
export function arrowFormat(file: boolean): RecordFormat {
  return {
    mostRows: 65_536,
    mostBytes: 4 * 2 ** 20,
    open: (out, fields) => new ArrowWriter(out, fields, file),
  }
}

/** {@link writeRecords} as Arrow IPC. @param style.file whether a file is written, not a stream */
export function writeArrow(records: Records, out: Output, style: { file: boolean; raw: boolean }): Promise<void> {
  return writeRecords(records, out, { format: arrowFormat(style.file), raw: style.raw })
}
