import type { CellBatch, ColumnData, ColumnType } from '../cells/column.ts'
import { isWide, type Numbers, numbersOf, wideNumbersOf } from '../cells/elements.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import { MergedRows, selectRows } from './arrow-batch.ts'

/** All cells of a column. */
export interface ColumnValues {
  /**
   * The values of all cells, one after another, in the typed array of their type. Dates and times are BigInt64Arrays of their unit,
   * text and bytes are the stored units, BOOL is 0 or 1.
   */
  values: Numbers | BigInt64Array | BigUint64Array
  /** Start of each cell in `values`, and the end of the last cell. Var-sized cells only. */
  starts: Float64Array | undefined
  /** One byte a cell, 0 for null; undefined if no cell can be null. The values of null cells have no meaning. */
  validity: Uint8Array | undefined
}

/** Reads all batches into columns, by name. @throws errors of reading */
export async function collectColumns(
  columns: readonly ColumnType[],
  batches: AsyncIterable<CellBatch>,
): Promise<Map<string, ColumnValues>> {
  const all = new MergedRows(columns)
  for await (const batch of batches) all.add(selectRows(batch, columns))
  const collected = all.take().columns
  return new Map(columns.map(({ name, type }, c) => [name, valuesOf(type, collected[c])]))
}

function valuesOf(type: Datatype, { data, starts, validity }: ColumnData): ColumnValues {
  const size = datatypeSize(type)
  return {
    values: isWide(type) ? wideNumbersOf(type, data) : numbersOf(type, data),
    starts: starts?.map((start) => start / size),
    validity,
  }
}
