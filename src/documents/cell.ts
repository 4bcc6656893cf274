import type { FileRole } from '../format/field-files.ts'
import type { VersionState } from '../read/history.ts'
import type { Bytes, CellCoordinates, CellValue, Count, DocumentHead, Offset, TileIndex } from './common.ts'

/** `tiledb-inspect at <fragment or array> --cell NAME=V,… --json`. NDJSON: one cell a line (`$defs/line`). */
export interface CellDocument extends DocumentHead<'cell'> {
  /** Cells with these coordinates; there may be several if the schema allows duplicates. */
  cells: readonly CellLine[]
  /** What a read does with the version that is shown; left out if the target is a fragment. */
  state?: VersionState | undefined
  /** Names of other fragments that hold versions of the cell, which `history` shows; left out with `state`. */
  other_fragments?: readonly string[] | undefined
}

export interface CellPosition {
  tile: TileIndex
  /** Index of the cell in the tile. */
  position: Count
}

/** A cell. */
export interface CellLine extends CellPosition {
  coordinates: CellCoordinates
  /** Where its bytes are, one entry for each file. */
  places: readonly CellLinePlace[]
}

export interface CellLinePlace extends CellPosition {
  /** Name of the file. */
  file: string
  /** Name of the field. */
  field: string
  /** What the file holds of the field. */
  role: FileRole
  /** Byte offset in the file: of the cell, or of the chunk that contains it. */
  offset: Offset
  /** Number of bytes at that offset. */
  length: Bytes
  /** Whether these are the bytes of the cell alone; if false, they are those of the whole chunk. */
  cell_only: boolean
  /** Name of the unfiltered content that contains the cell. */
  space?: string | undefined
  /** Byte offset of the cell in that content. */
  content_offset?: Count | undefined
  /** Bytes of the cell in that content. */
  content_length?: Bytes | undefined
  /** Value of the cell. */
  value: CellValue
}
