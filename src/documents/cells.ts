import type { CellValue, DocumentHead, ErrorInfo, FormatVersion, Integer } from './common.ts'

/** `tiledb-inspect decode <fragment> --json`. NDJSON: one cell a line (`$defs/line`). */
export interface CellsDocument extends DocumentHead<'cells'>, CellsTail {
  /** Format version of the fragment; not with --all-fragments. */
  format_version?: FormatVersion | undefined
  /** Cells in stored order. */
  cells: AsyncIterable<CellsLine>
  /** What ended the cells early. */
  error?: ErrorInfo | undefined
}

/** The last keys of a document with cells. */
export interface CellsTail {
  /**
   * With --labels: attributes with cells whose index has no value in the enumeration. Such a cell shows its index; in
   * Arrow it is null.
   */
  missing_labels?: readonly CellsMissingLabel[] | undefined
  /** What could not be read, the first 1,000 errors. Fields are missing in the cells concerned. */
  errors?: readonly ErrorInfo[] | undefined
}

export interface CellsMissingLabel {
  /** Name of the attribute. */
  field: string
  /** Name of its enumeration. */
  enumeration: string
  /** Values that the enumeration has. */
  value_num: Integer
  /** Cells without a label, of those that are shown. */
  cell_num: Integer
  /** Index in the first of them. */
  first: CellValue
  /** Set where labels are numbers: then an index looks like a label. In Arrow it is null. */
  looks_like_label?: true | undefined
}

/**
 * A cell by field: dimensions, attributes, then `__timestamps`, `__delete_timestamps` and `__delete_condition_index`
 * where the fragment has them; `__fragment` first with --all-fragments.
 */
export type CellsLine = Record<string, CellValue>
