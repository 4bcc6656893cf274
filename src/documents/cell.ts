import type { FileRole } from '../format/field-files.ts'
import type { Bytes, CellValue, Count, DocumentHead, Offset } from './common.ts'

/** `tiledb-inspect at <fragment> --cell NAME=V,… --json`. NDJSON: one cell a line (`$defs/line`). */
export interface CellDocument extends DocumentHead<'cell'> {
  /** Cells at these coordinates; several where duplicates are allowed. */
  cells: readonly CellLine[]
}

/** A cell. */
export interface CellLine {
  /** Index of the tile. */
  tile: Count
  /** Index of the cell in the tile. */
  cell: Count
  /** Coordinates by dimension. */
  coordinates: Record<string, CellValue>
  /** Where its bytes are. */
  places: readonly CellLinePlace[]
}

export interface CellLinePlace {
  /** Name of the file. */
  file: string
  /** Field. */
  field: string
  /** What the file is. */
  role: FileRole
  /** Index of the tile. */
  tile: Count
  /** Index of the cell in the tile. */
  cell: Count
  /** Byte offset in the file of the cell, or of the chunk that it comes out of. */
  offset: Offset
  /** Bytes there. */
  length: Bytes
  /** Whether those are the cell's own bytes. */
  exact: boolean
  /** Content below the filters that holds the cell. */
  space?: string | undefined
  /** Byte offset of the cell in that content. */
  content_offset?: Count | undefined
  /** Bytes of the cell in it. */
  content_length?: Bytes | undefined
  /** What stands there. */
  value: CellValue
}
