/**
 * Writes cells as an Arrow IPC stream or file, with one record batch per tile.
 *
 * Messages are encoded by @uwdata/flechette. Measured on Node 20 (2026-11): loading all of it adds 8 ms to the start,
 * apache-arrow 80 to 125 ms. On disk they take 1.6 and 12 MB, including dependencies. The public function of flechette needs
 * all batches at once, so its inner parts are called batch by batch. Bundled, these are some 20 KB.
 */

import { InspectError, inconsistent, orError } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import { sum } from '../base/sum.ts'
import type { CellBatch } from '../cells/column.ts'
import { MergedRows, type Rows, selectRows } from './arrow-batch.ts'
import { type ArrowColumn, type ColumnWriter, columnWriter } from './arrow-column.ts'
import { type ArrowBody, ArrowWriter } from './arrow-stream.ts'

export type { ArrowColumn, ArrowLabels } from './arrow-column.ts'

/** Cells to write. */
interface ArrowCells {
  columns: readonly ArrowColumn[]
  /** Batches whose columns are in the order of `columns`. */
  batches: AsyncIterable<CellBatch>
}

export interface ArrowStyle {
  /** Whether to write a file, which has a footer, not a stream. */
  file: boolean
  /** Whether text is written as bytes, and dates as integers. */
  raw: boolean
}

/** Most rows of a record batch of several tiles. Only tiles with at most half as many rows are merged. */
const MERGED_ROWS = 65_536
/** Most bytes of a tile that is merged with others. */
const SMALL_BYTES = 1024 * 1024
/** Most bytes of a record batch of several tiles. */
const MERGED_BYTES = 4 * SMALL_BYTES

/**
 * Writes cells as they are read. After an error the output is still completed, so that it can be read.
 *
 * @throws InspectError BAD_VALUE for invalid text; INCONSISTENT if a column that was declared without nulls cannot be read in
 * a later tile; TOO_LARGE for a tile that is too large for Arrow
 */
export async function writeArrow({ columns, batches }: ArrowCells, out: Output, style: ArrowStyle): Promise<void> {
  const merged = new MergedRows(columns)
  let started: Started | undefined
  /** Writes the schema before the first batch. @param missing indexes of the columns that this batch lacks. They are declared nullable */
  const startOnce = async (missing: ReadonlySet<number>): Promise<Started> => {
    if (started) return started
    const writers = columns.map((column, c) =>
      columnWriter(missing.has(c) ? { ...column, nullable: true } : column, c, style.raw),
    )
    const fields = writers.map(({ field }) => field)
    started = { writer: new ArrowWriter(out, fields, style.file), columns: writers }
    await started.writer.start(writers.flatMap(({ dictionary }) => dictionary ?? []))
    return started
  }
  const add = async (rows: Rows): Promise<void> => {
    if (rows.count > 0) await addRows(rows, await startOnce(rows.missing))
  }
  const flush = async (): Promise<void> => {
    if (merged.count > 0) await add(merged.take())
  }
  const end = async (): Promise<void> => (await startOnce(new Set())).writer.end()
  try {
    for await (const batch of batches) {
      const rows = selectRows(batch, columns)
      const size = sum(rows.columns, ({ data }) => data.length)
      const small = rows.count <= MERGED_ROWS / 2 && size <= SMALL_BYTES
      if (!small || merged.count + rows.count > MERGED_ROWS || merged.size + size > MERGED_BYTES) await flush()
      if (small) merged.add(rows)
      else await add(rows)
    }
    await flush()
  } catch (error) {
    if (!(error instanceof InspectError)) throw error
    // The rows before the error are written if they are valid.
    await orError(flush)
    if (started) await end()
    throw error
  }
  await end()
}

/** The writers, once the schema is written. */
interface Started {
  writer: ArrowWriter
  columns: readonly ColumnWriter[]
}

async function addRows({ count, columns, missing, name }: Rows, to: Started): Promise<void> {
  const body: ArrowBody = { nodes: [], buffers: [] }
  for (const [c, { field, encode }] of to.columns.entries()) {
    if (missing.has(c) && !field.nullable)
      throw inconsistent(
        'expected a column that can be read in every tile, as the Arrow schema, already written, says it has no nulls; --field leaves it out',
        { field: field.name },
      )
    encode(columns[c], count, body, name)
  }
  await to.writer.write(body)
}
