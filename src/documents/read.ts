import type { ReadOrder } from '../read/query.ts'
import type { CellsLine, CellsTail } from './cells.ts'
import type { Count, DocumentHead, ErrorInfo, TimestampRange } from './common.ts'

/** The first keys of {@link ReadDocument}. */
export interface ReadHead extends DocumentHead<'read'> {
  /** First and last time of what is read, both included: the array as TileDB opens it at these times. */
  as_of: TimestampRange
  /** Order of the cells. */
  order: ReadOrder
}

/** `tiledb-inspect read <array> --json`. NDJSON: one cell a line, as `decode` (`$defs/line` of `cells.json`). */
export interface ReadDocument extends ReadHead, CellsTail {
  /** Cells as TileDB's reader returns them, all fragments merged. */
  cells: AsyncIterable<CellsLine>
  /** Number of cells. */
  cell_num?: Count | undefined
  /** What ended the cells early. */
  error?: ErrorInfo | undefined
}
