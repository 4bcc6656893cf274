import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'

/** What kind of field a column shows. */
export type ColumnKind = 'dimension' | 'attribute' | 'timestamps' | 'delete_timestamps' | 'delete_condition_index'

/** A column of cells: a field's name and type. */
export interface ColumnType {
  name: string
  kind: ColumnKind
  type: Datatype
  cell_val_num: CellValNum
  nullable: boolean
}

/** The cells of one tile of a column, as bytes. */
export interface ColumnData {
  /** Fixed-sized: the cells back to back. Var-sized: the values back to back. */
  data: Uint8Array
  /** Var-sized: where each cell starts in `data`, and one entry more for the end of the last. */
  starts: Float64Array | undefined
  /** One byte a cell, 0 for null; undefined where the column is not nullable. */
  validity: Uint8Array | undefined
}

/** Rows of one tile of a fragment, or of a part of a large one, column by column. A column that could not be read is undefined. */
export interface CellBatch {
  tile: number
  /** Position in the tile of the batch's first cell, of parts of large tiles; 0 without it. */
  first?: number | undefined
  /** Cells stored in the tile, or in the part of it. */
  cell_num: number
  /** Positions in the batch of the rows to show, rising; undefined for all of its cells. */
  rows: Uint32Array | undefined
  columns: (ColumnData | undefined)[]
}
