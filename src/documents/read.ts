import type { ReadOrder } from '../read/query.ts'
import type { CellsLine, CellsTail } from './cells.ts'
import type { Count, DocumentHead, ErrorInfo, NotUniqueInfo, ReadTimes } from './common.ts'

/** The first keys of {@link ReadDocument}. */
export interface ReadHead extends DocumentHead<'read'> {
  as_of: ReadTimes
  /** Order of the cells. With `sort_by`: of those with equal values. */
  order: ReadOrder
  /** The field by whose values the cells are sorted, with `--sort-by`. */
  sort_by?: SortInfo | undefined
}

/** The field of `--sort-by`. */
export interface SortInfo {
  /** Its name. */
  field: string
  /** Whether the largest value comes first. */
  descending: boolean
}

/** `tiledb-inspect read <array> --json`. NDJSON: one cell a line, as for `decode` (`$defs/line` of `cells.json`). */
export interface ReadDocument extends ReadHead, CellsTail {
  /** Cells of all fragments, merged as TileDB's reader does. */
  cells: AsyncIterable<CellsLine>
  /** Number of cells. */
  cell_num?: Count | undefined
  /** Why readers of TileDB may return other cells than these; left out if all return the same. */
  not_unique?: readonly NotUniqueInfo[] | undefined
  /** The error that ended the cells early. */
  error?: ErrorInfo | undefined
}
