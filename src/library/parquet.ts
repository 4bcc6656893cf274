import type { Codecs } from '../filters/codecs/codecs.ts'
import type { Cells } from './cells.ts'

/**
 * Writes cells as a Parquet file, as `read --format parquet` does, with the columns that `writeArrowStream` has: memory holds one row
 * group. Seconds become milliseconds.
 * @param cells read to their end, but not closed
 * @param write called with each piece of the file, which it may keep. If it returns a promise, the next call waits for it.
 * @throws InspectError BAD_VALUE for invalid text; USAGE for seconds beyond 64 bits in milliseconds; TOO_LARGE for 2 GiB in a column of a
 * tile; any fault of the files
 */
export type WriteParquet = (cells: Cells, write: (piece: Uint8Array) => Promise<void> | void) => Promise<void>

/** The function of an entry that writes Parquet. */
export function parquetWith(codecs: Pick<Codecs, 'zstd'>): WriteParquet {
  return async (cells, write) => {
    const { parquetFormat } = await import('../rows/parquet.ts')
    const { writeRecords } = await import('../rows/records.ts')
    // Copied, because large pieces are views of the batch.
    const copied = (piece: string | Uint8Array) => write((piece as Uint8Array).slice())
    const out = { write: copied, columns: undefined, color: false }
    const format = parquetFormat(await codecs.zstd())
    await writeRecords({ columns: cells.columns, batches: cells.batches() }, out, { format, raw: false })
  }
}
