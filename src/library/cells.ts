import type { Result } from '../base/result.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import { type CellSelection, FragmentCells as CellsOfFragment } from '../cells/fragment-cells.ts'
import { batchRows, columnValue } from '../cells/rows.ts'
import { InspectArray as OpenedArray } from '../objects/array.ts'
import { Fragment as OpenedFragment } from '../objects/fragment.ts'
import type { ArrayCells, ReadOptions, ReadTimes } from '../read/array-cells.ts'
import type { CellVersion, CellWanted, HistoryOptions } from '../read/array-history.ts'
import type { ColumnValues } from '../rows/collect-columns.ts'
import { checkOptions, wrong } from './arguments.ts'
import type { Fragment, InspectArray } from './opened.ts'

/** Cells as columns of bytes, batch by batch. */
export interface Cells {
  /** In the order of {@link CellBatch.columns}. */
  readonly columns: readonly ColumnType[]
  /** Every call starts again at the first cell. */
  batches(): AsyncGenerator<CellBatch>
}

/** The cells of a fragment in stored order. A batch is a tile or a part of a large tile; memory holds one batch. */
export interface FragmentCells extends Cells {
  close(): Promise<void>
}

/** Which cells to read. */
export type CellsWanted = Pick<CellSelection, 'fields' | 'tiles' | 'skipTile'>

const CELLS_WANTED: Readonly<Record<keyof CellsWanted, true>> = { fields: true, tiles: true, skipTile: true }
const READ_TIMES: Readonly<Record<keyof ReadTimes, true>> = { asOf: true, between: true }
const READ_OPTIONS: Readonly<Record<keyof ReadOptions, true>> = {
  fields: true,
  ranges: true,
  where: true,
  order: true,
  provenance: true,
  onFault: true,
  onRemark: true,
  ...READ_TIMES,
}
const HISTORY_OPTIONS: Readonly<Record<keyof HistoryOptions, true>> = {
  fields: true,
  raw: true,
  onUnread: true,
  ...READ_TIMES,
}

/**
 * The cells of a fragment as columns of bytes, tile by tile in stored order. Fixed-sized cells lie back to back. Var-sized
 * cells come with the start of each. Validity is one byte per cell.
 * @throws InspectError USAGE if the fragment does not have a selected field
 */
export async function openCells(fragment: Fragment, selection: CellsWanted = {}): Promise<FragmentCells> {
  checkOptions(selection, CELLS_WANTED)
  if (fragment instanceof OpenedFragment) return CellsOfFragment.open(fragment, selection)
  throw wrong('a fragment that this library opened', fragment)
}

/**
 * The cells of an array as TileDB returns them, all fragments merged: newer cells hide older ones, deleted cells are left out,
 * and attributes that were added later have fill values. Memory does not grow with the array.
 * @throws InspectError USAGE for a field, dimension, order, value or condition that does not fit the array; MISSING_FILE
 */
export async function readArray(array: InspectArray, options: ReadOptions = {}): Promise<ArrayCells> {
  checkOptions(options, READ_OPTIONS)
  return (await import('../read/array-cells.ts')).openArrayCells(openedArray(array), options)
}

/**
 * Every version of a cell, oldest first: what each fragment on disk holds of it, and what a read makes of it. The list is empty
 * for a cell that was never written.
 * @param cell a value for each dimension: `{ station: 1, day: 7 }`
 * @throws InspectError USAGE for a field, dimension or value that does not fit the array
 */
export async function cellHistory(
  array: InspectArray,
  cell: CellWanted,
  options: HistoryOptions = {},
): Promise<CellVersion[]> {
  checkOptions(options, HISTORY_OPTIONS)
  return (await import('../read/array-history.ts')).versionsOfCell(openedArray(array), cell, options)
}

/**
 * Cells as objects with one key per field: of a fragment in stored order, or of {@link readArray}. First dimensions, then
 * attributes, then `__timestamps` and the like. 64-bit integers are bigint, text is a string, dates are ISO text (with `raw`:
 * as stored), several values an array, and bytes a Uint8Array. Memory holds one batch.
 * @param selection what to read of a fragment; `raw` alone counts for {@link Cells}
 * @throws InspectError USAGE if the fragment does not have a selected field; any fault of the files
 */
export async function* readCells(
  from: Fragment | Cells,
  { raw = false, ...selection }: CellsWanted & { raw?: boolean } = {},
): AsyncGenerator<{ [field: string]: Result }> {
  checkOptions(selection, CELLS_WANTED)
  if (from === null || typeof from !== 'object') throw wrong('cells, or a fragment that this library opened', from)
  // Only what was opened here is closed here.
  const opened = 'batches' in from ? undefined : await openCells(from, selection)
  const cells = opened ?? (from as Cells)
  const values = cells.columns.map((column) => columnValue(column, { raw }))
  try {
    for await (const batch of cells.batches()) yield* batchRows(batch, cells.columns, values)
  } finally {
    await opened?.close()
  }
}

/**
 * All cells as one typed array per column, by the column's name: a Float32Array for FLOAT32, a BigInt64Array for INT64 and
 * dates, and so on. Memory holds all of them.
 * @param cells read to their end, but not closed
 * @throws InspectError any fault of the files
 */
export async function collectColumns(cells: Cells): Promise<Map<string, ColumnValues>> {
  return (await import('../rows/collect-columns.ts')).collectColumns(cells.columns, cells.batches())
}

/**
 * Writes cells as an Arrow IPC stream, as `decode --format arrow` does: memory holds one batch. Dates are timestamps, text is
 * UTF-8, null cells are nulls.
 * @param cells as for {@link collectColumns}
 * @param write called with each piece of the stream, which it may keep. If it returns a promise, the next call waits for it.
 * @throws InspectError BAD_VALUE for invalid text; TOO_LARGE for 2 GiB in a column of a tile; any fault of the files
 */
export async function writeArrowStream(
  cells: Cells,
  write: (piece: Uint8Array) => Promise<void> | void,
): Promise<void> {
  const { writeArrow } = await import('../rows/arrow.ts')
  // Large pieces are views of the batch.
  const copied = (piece: string | Uint8Array) => write((piece as Uint8Array).slice())
  const out = { write: copied, columns: undefined, color: false }
  await writeArrow({ columns: cells.columns, batches: cells.batches() }, out, { file: false, raw: false })
}

function openedArray(array: InspectArray): OpenedArray {
  if (array instanceof OpenedArray) return array
  throw wrong('an array that this library opened', array)
}
