import type { CellValNum } from '../format/cell-val-num.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'

/** The kind of field that a column shows. */
export type ColumnKind = 'dimension' | 'attribute' | 'timestamps' | 'delete_timestamps' | 'delete_condition_index'

/** The name and type of a column of cells. */
export interface ColumnType {
  name: string
  kind: ColumnKind
  type: Datatype
  cell_val_num: CellValNum
  nullable: boolean
  /** Whether cells are times of writing. These are shown as the times in documents are, which say that they are in UTC. */
  isWritten?: true
}

/** Whether each cell is one number, date or time. */
export function isNumeric({ type, cell_val_num }: Pick<ColumnType, 'type' | 'cell_val_num'>): boolean {
  return cell_val_num === 1 && !['text', 'bytes'].includes(datatypeKind(type))
}

/** The cells of one tile of a column, as bytes. */
export interface ColumnData {
  /** The values back to back, fixed-sized or var-sized. */
  data: Uint8Array
  /** Var-sized cells only: the start of each cell in `data`, and the end of the last. */
  starts: Float64Array | undefined
  /** One byte per cell, 0 for null; undefined if the column is not nullable. */
  validity: Uint8Array | undefined
}

/** The bytes of one cell. @param size bytes of a fixed-sized cell */
export function cellBytes({ data, starts }: ColumnData, cell: number, size: number): Uint8Array {
  return starts ? data.subarray(starts[cell], starts[cell + 1]) : data.subarray(cell * size, (cell + 1) * size)
}

/** The memory of columns, in bytes. */
export function columnsBytes(columns: readonly (ColumnData | undefined)[]): number {
  let bytes = 0
  for (const column of columns)
    if (column) bytes += column.data.length + (column.starts?.byteLength ?? 0) + (column.validity?.length ?? 0)
  return bytes
}

/** Whether two cells are the same, byte by byte. TileDB treats -0.0 and 0.0 as different coordinates. */
export function sameCell({ data, starts }: ColumnData, a: number, b: number, size: number): boolean {
  const from = starts?.[a] ?? a * size
  const other = starts?.[b] ?? b * size
  const length = (starts?.[a + 1] ?? from + size) - from
  if (starts && starts[b + 1] !== other + length) return false
  for (let i = 0; i < length; i++) if (data[from + i] !== data[other + i]) return false
  return true
}

/** The positions of all `count` cells of a batch. */
export function allRows(count: number): Uint32Array {
  const rows = new Uint32Array(count)
  for (let i = 0; i < count; i++) rows[i] = i
  return rows
}

/** Rows of one tile, or of a part of a large tile, column by column. A column that could not be read is undefined. */
export interface CellBatch {
  tile: number
  /** Position of the first cell in the tile, for a part of a large tile; undefined means 0. */
  first?: number | undefined
  /** Number of cells in the tile, or in this part of it. */
  cell_num: number
  /** Positions of the rows to show, rising; undefined for all cells. */
  rows: Uint32Array | undefined
  columns: (ColumnData | undefined)[]
}
