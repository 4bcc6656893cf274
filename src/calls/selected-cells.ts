import type { InspectError } from '../base/errors.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { Fragment } from '../objects/fragment.ts'
import type { FieldReport } from './field-report.ts'
import type { NotUniqueReport } from './not-unique.ts'

/** The cells that the options of a command select. */
export interface SelectedCells {
  /** The columns to show. */
  columns: readonly ColumnType[]
  /** Names of columns that the user asked about, as in a condition. A terminal shows them beside the dimensions. */
  asked?: readonly string[] | undefined
  /** Largest number of cells to show. */
  limit: number
  /** The enumerations whose values are shown, by attribute; empty without `--labels`. */
  enumerations: ReadonlyMap<string, Enumeration>
  /** Names of columns that show indexes of enumerations. Undefined if nobody looked for them. */
  indexed?: readonly string[] | undefined
  report: FieldReport
  /** Why the answer of a read is not unique. Undefined if this is no read. */
  notUnique?: NotUniqueReport | undefined
  /** The faults so far, for the document. */
  faults: readonly InspectError[]
  /** The cells tile by tile, without the limit. @param reuse see {@link CellSelection.reuse} */
  batches(reuse?: boolean): AsyncGenerator<CellBatch>
  close(): Promise<void>
}

/** Name of the column with the name of a cell's fragment. */
export const FRAGMENT_COLUMN = '__fragment'

/** The cells of one of an array's fragments. */
export interface FragmentReader {
  fragment: Fragment
  /** The fragment's number among those that are decoded. */
  index: number
  reader: SelectedCells
}
