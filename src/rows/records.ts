import type { Field } from '@uwdata/flechette'
import { InspectError, inconsistent, orError } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import { sum } from '../base/sum.ts'
import type { CellBatch } from '../cells/column.ts'
import { type ArrowRows, MergedRows, selectRows } from './arrow-batch.ts'
import { type ArrowColumn, type ColumnWriter, columnWriter } from './arrow-column.ts'
import type { ArrowBody, ArrowDictionaryBody } from './arrow-stream.ts'

/** Cells to write. */
export interface Records {
  columns: readonly ArrowColumn[]
  /** Batches whose columns are in the order of `columns`. */
  batches: AsyncIterable<CellBatch>
}

/** Writes record batches, which have the columns of Arrow, one by one. Memory holds one of them. */
export interface RecordWriter {
  /** Called once, before the first batch. */
  start(dictionaries: readonly ArrowDictionaryBody[]): Promise<void>
  /** The buffers may be overwritten once the promise is resolved. */
  write(body: ArrowBody): Promise<void>
  end(): Promise<void>
}

/** A format that has record batches: Arrow IPC, and Parquet, whose row groups are made of them. */
export interface RecordFormat {
  /** Most rows of a record batch of several tiles. Only tiles with at most half as many rows are merged. */
  mostRows: number
  /** Most bytes of a record batch of several tiles. Only tiles with at most a quarter of them are merged. */
  mostBytes: number
  open(out: Output, fields: Field[]): RecordWriter
}

export interface RecordStyle {
  format: RecordFormat
  /** Whether text is written as bytes, and dates as integers. */
  raw: boolean
}

/**
 * Writes cells as they are read. After an error the output is still completed, so that it can be read.
 *
 * @throws InspectError BAD_VALUE for invalid text; INCONSISTENT if a column that was declared without nulls cannot be read in
 * a later tile; TOO_LARGE for a tile that is too large for Arrow
 */
export async function writeRecords(
  { columns, batches }: Records,
  out: Output,
  { format, raw }: RecordStyle,
): Promise<void> {
  const { mostRows, mostBytes } = format
  const merged = new MergedRows(columns)
  let started: Started | undefined
  /** Writes the schema before the first batch. @param missing indexes of the columns that this batch lacks. They are declared nullable */
  const startOnce = async (missing: ReadonlySet<number>): Promise<Started> => {
    if (started) return started
    const writers = columns.map((column, c) =>
      columnWriter(missing.has(c) ? { ...column, nullable: true } : column, c, raw),
    )
    const fields = writers.map(({ field }) => field)
    started = { writer: format.open(out, fields), columns: writers }
    await started.writer.start(writers.flatMap(({ dictionary }) => dictionary ?? []))
    return started
  }
  const add = async (rows: ArrowRows): Promise<void> => {
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
      const small = rows.count <= mostRows / 2 && size <= mostBytes / 4
      if (!small || merged.count + rows.count > mostRows || merged.size + size > mostBytes) await flush()
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
  writer: RecordWriter
  columns: readonly ColumnWriter[]
}

async function addRows({ count, columns, missing, name }: ArrowRows, to: Started): Promise<void> {
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
