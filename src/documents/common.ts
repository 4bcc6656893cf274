/**
 * What the documents of the commands share.
 *
 * The JSON Schemas in `schemas/` are made from these types by `npm run docs:schemas`: a type is its schema, a comment its description.
 * A key whose value is undefined is left out.
 */

import type { ErrorCode } from '../base/errors.ts'
import type { Binary, Bytes, Count, Float, Int64, Integer, StoredName } from '../base/quantities.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { DataOrder } from '../format/layout.ts'
import type { CellValue } from '../format/value.ts'
import type { FragmentState } from '../store/visibility.ts'

export type { Binary, Bytes, CellValue, Count, Float, Int64, Integer, StoredName }

/** The first keys of every document. */
export interface DocumentHead<Kind extends string = string> {
  /** What the document is about. */
  kind: Kind
  path: Path
  /** Version of the shape of these documents; keys may be added, none is removed. */
  schema_version: 1
}

/** A list that may be made while it is printed; it can be walked more than once. */
export type List<T> = Iterable<T> | AsyncIterable<T>

/**
 * Byte offset from the start of the file.
 * @asType integer
 * @minimum 0
 */
export type Offset = number

/** Sum of the values: an integer, or a number for floating-point types; 0 where there are none. */
export type Sum = bigint | number

/**
 * Bytes as hexadecimal digits.
 * @pattern ^([0-9a-f]{2})*$
 */
export type Hex = string

/** `[lo, hi]`, both inclusive. */
export type ValueRange = readonly [lo: CellValue, hi: CellValue]

/** The target, or what was found in it, as a user would write it. Bytes where it is not UTF-8. */
export type Path = string

/**
 * Format version, from 1 on.
 * @asType integer
 * @minimum 0
 * @maximum 4294967295
 */
export type FormatVersion = number

/**
 * Unfiltered bytes over stored bytes; more than 1 where filters save room.
 * @minimum 0
 */
export type Ratio = number

/** First and last timestamp, milliseconds since 1970. */
export type TimestampRange = readonly [first: Int64, last: Int64]

/** What depends on the time of opening. */
export interface AsOf {
  /** Times between which the target was opened, both included. Only with `--as-of` or `--between`. */
  as_of?: TimestampRange | undefined
}

/** error: readers fail or get wrong cells; warning: something is not as it should be; note: worth knowing. */
export type Severity = 'error' | 'warning' | 'note'

/** Key-value metadata by key: the newest values, without deleted keys. */
export type KeyValues = Record<string, KeyValue>

/** A filter with its options. */
export interface FilterDescription extends FilterConfig {}

/** A filter pipeline as stored; filters in writing order. */
export interface PipelineDescription {
  /** Bytes of a chunk before filtering, at most; 0: not cut into chunks. */
  max_chunk_size: Count
  /** Filters in writing order. */
  filters: readonly FilterDescription[]
}

/** A dimension. */
export interface DimensionDescription {
  /** Name; `__dim_<n>` if the user gave none. */
  name: string
  type: Datatype
  cell_val_num: CellValNum
  /** Inclusive lower and upper bound; null where the dimension has none (strings). */
  domain: ValueRange | null
  /** Extent of a tile, in the dimension's unit; null where there is none. */
  tile_extent: CellValue | null
  filters: PipelineDescription
}

/** An attribute. */
export interface AttributeDescription {
  /** Name; empty for an anonymous attribute. */
  name: string
  type: Datatype
  cell_val_num: CellValNum
  /** Whether cells may be null. */
  nullable: boolean
  /** Value of cells that were never written; null before format 6, which stores none. */
  fill_value: CellValue
  /** Whether the fill value is a value rather than null. Nullable attributes only. */
  fill_value_validity?: boolean | undefined
  /** Order of the cells; `unordered` except in arrays of dimension labels. */
  order: DataOrder
  /** Name of the enumeration whose values the cells are indexes of. */
  enumeration: string | null
  filters: PipelineDescription
}

/** A data file that is not there, or shorter than the metadata says. */
export interface DamagedFile {
  /** Name of the file. */
  name: string
  /** Bytes that it has by the metadata. */
  listed_size: Bytes
  /** Bytes on disk; null for a file that is not there. */
  size: Count | null
}

/** What a listing says about a fragment. */
export interface ListedFragment {
  /** Name of the fragment's folder. */
  name: string
  path: Path
  format_version: FormatVersion | null
  /** Whether the fragment is dense; null where the metadata cannot be read. */
  dense: boolean | null
  /**
   * First and last timestamp of the name, milliseconds since 1970; null where the name has none. Formats 1 and 2:
   * the last one twice.
   */
  timestamp_range: TimestampRange | null
  /** Cells as TileDB counts them: whole tiles in dense fragments. */
  cell_num: Int64 | null
  /** Cells inside the non-empty domain; in sparse fragments, all cells. */
  cells_in_domain: Int64 | null
  /** Number of tiles. */
  tile_num: Count | null
  /** Bytes of all files in the folder. */
  size: Bytes
  /** Bytes of the data files on disk. */
  data_size: Bytes | null
  /** Bytes of the data before filtering; null where cells differ in length, as the footer does not say it then. */
  unfiltered_size: Bytes | null
  ratio: Ratio | null
  /** Non-empty domain: `[lo, hi]` of each dimension, inclusive; null where there is none. */
  nonempty_domain: readonly ValueRange[] | null
  /** File of the schema that the fragment was written with. */
  array_schema_name: string | null
  /** Whether a commit names the fragment. */
  committed?: boolean | undefined
  /** Whether TileDB lists it now: committed, hidden by no vacuum or ignore file, and not dated ahead. */
  visible?: boolean | undefined
  /** Whether a vacuum file that counts now lists it. */
  to_vacuum?: boolean | undefined
  /** Whether a consolidated fragment metadata file holds its footer. */
  has_consolidated_metadata?: boolean | undefined
  /** The keys above in one word. */
  state?: FragmentState | undefined
  /** Whether it holds the cells of older fragments, judging by its name. */
  consolidated: boolean
  /** The `.vac` or `.ign` file that makes TileDB leave it out: path in the array. */
  hidden_by?: string | null | undefined
  /** Data files that are missing, or shorter than the metadata says; left out where there are none. */
  damaged_files?: readonly DamagedFile[] | undefined
  /** Why the metadata could not be read. */
  error?: ErrorInfo | undefined
}

/** One value of key-value metadata. */
export interface KeyValue {
  type: Datatype
  /** Number of values, or of bytes of text. */
  value_num: Count
  value: CellValue
  /**
   * First and last timestamp of the file that the value comes from, milliseconds since 1970. They differ if the file was
   * consolidated: the value was written between them.
   */
  timestamp_range?: TimestampRange | undefined
}

/** An error. Its place is clear from where it stands in the document. */
export interface ErrorBrief {
  code: ErrorCode
  /** What was expected, and what was found. */
  message: string
}

/** What could not be examined, and why. */
export interface NotExamined extends ErrorBrief {
  /** The file. */
  file?: Path | undefined
}

/** An error and its place. */
export interface ErrorInfo extends NotExamined {
  offset?: Offset | undefined
  /** Dotted name of the field that was read. */
  field?: string | undefined
}

/** The first key of a line if there are several targets. */
export interface OfSeveral {
  /** The target; only with several. */
  path?: string | undefined
}

/** Numbers of the parts that were examined. */
export interface PartCounts {
  /** Number of fragments. */
  fragment_num: Count
  /** Number of files. */
  file_num: Count
  /** Number of tiles. */
  tile_num: Count
  /** Number of chunks. */
  chunk_num: Count
}

/** Releases that know a format version. */
export interface Releases {
  /** TileDB releases that write this format version; null where none does. */
  written_by: string | null
  /** TileDB releases that read this format version. */
  read_by: string | null
}

export interface Bucket {
  /** First value of the bucket, bytes or cells. */
  from: number
  /** Last value of the bucket, bytes or cells. */
  to: number
  /** Number of tiles in it. */
  tile_num: Count
}

/** How a number is distributed over tiles; null without tiles. */
export interface Distribution {
  /** Number of tiles that were counted. */
  tile_num: Count
  /** Smallest, bytes or cells a tile. */
  min: number
  /** Largest, bytes or cells a tile. */
  max: number
  /** Mean, bytes or cells a tile. */
  mean: number
  /** Counts by powers of two, rising. */
  histogram: readonly Bucket[]
}
