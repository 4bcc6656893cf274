import type { CellValue, DocumentHead, ErrorInfo, FormatVersion, Integer } from './common.ts'

/** `tiledb-inspect decode <fragment> --json`. NDJSON: one cell a line (`$defs/line`). */
export interface CellsDocument extends DocumentHead<'cells'>, CellsTail, DecodedTail {
  /** Format version of the fragment; not with `--all-fragments`. */
  format_version?: FormatVersion | undefined
  /** Cells in stored order. */
  cells: AsyncIterable<CellsLine>
  /** The error that ended the cells early. */
  error?: ErrorInfo | undefined
}

/** What only documents of stored cells have after the cells. */
export interface DecodedTail {
  /**
   * Fields with cells whose values can be read, but not their validity: see `errors`. These cells show the stored value, even if they
   * are null. If the statistics tell that all or none of the cells of a tile are null, they are shown so, and not counted.
   */
  unknown_nulls?: readonly CellsUnknownNulls[] | undefined
}

/** The last keys of a document with cells. */
export interface CellsTail {
  /**
   * With `--labels`: attributes that have cells whose index has no value in the enumeration. Such a cell shows its index; in
   * Arrow and Parquet it is null.
   */
  missing_labels?: readonly CellsMissingLabel[] | undefined
  /** The first 1,000 errors about what could not be read. The cells concerned lack these fields. */
  errors?: readonly ErrorInfo[] | undefined
}

export interface CellsMissingLabel {
  /** Name of the attribute. */
  field: string
  /** Name of its enumeration. */
  enumeration: string
  /** Number of values in the enumeration. */
  value_num: Integer
  /** Number of shown cells without a label. */
  cell_num: Integer
  /** Stored index of the first of these cells. */
  first: CellValue
  /** True if the labels are numbers, so that a shown index looks like a label. */
  looks_like_label?: true | undefined
}

export interface CellsUnknownNulls {
  /** Name of the field. */
  field: string
  /** Number of cells in the tiles whose validity cannot be read. */
  cell_num: Integer
  /** How many of these are null, by the statistics of the tiles; null if these do not tell. */
  null_count: Integer | null
}

/**
 * Values of a cell, by field: dimensions, attributes, then `__timestamps`, `__delete_timestamps` and `__delete_condition_index`
 * if the fragment has them. With `--all-fragments`, `__fragment` comes first.
 */
export type CellsLine = Record<string, CellValue>
