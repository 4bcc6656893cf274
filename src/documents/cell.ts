import type { FileRole } from '../format/field-files.ts'
import type { Bytes, CellValue, Count, DocumentHead, Offset } from './common.ts'

/** `tiledb-inspect at <fragment> --cell NAME=V,… --json`. NDJSON: one cell a line (`$defs/line`). */
export interface CellDocument extends DocumentHead<'cell'> {
  /** Cells at these coordinates; several where duplicates are allowed. */
  cells: readonly CellLine[]
}

export interface CellPosition {
  /** Index of the tile. */
  tile: Count
  /** Index of the cell in the tile. */
  cell: Count
}

/** A cell. */
export interface CellLine extends CellPosition {
  /** Coordinates by dimension. */
  coordinates: Record<string, CellValue>
  /** Where its bytes are. */
  places: readonly CellLinePlace[]
}

export interface CellLinePlace extends CellPosition {
  /** Name of the file. */
  file: string
  /** Field. */
  field: string
  /** What the file is. */
  role: FileRole
  /** Byte offset in the file of the cell, or of the chunk that holds it. */
  offset: Offset
  /** Number of bytes at that offset. */
  length: Bytes
  /** Whether these bytes are exactly the cell's. */
  exact: boolean
  /** Content below the filters that holds the cell. */
  space?: string | undefined
  /** Byte offset of the cell in that content. */
  content_offset?: Count | undefined
  /** Bytes of the cell in it. */
  content_length?: Bytes | undefined
  /** The value of the cell. */
  value: CellValue
}
