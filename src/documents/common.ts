/**
 * Types that several documents share.
 *
 * `npm run docs:schemas` makes the JSON Schemas in `schemas/` from the types of this folder. A type becomes a schema, and its comment
 * becomes the description. A key whose value is undefined is left out of the document.
 */

import type { ErrorCode } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import type { Binary, Bytes, Count, Float, Int64, Integer, StoredName } from '../base/quantities.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import type { DataOrder } from '../format/layout.ts'
import type { CellValue } from '../format/value.ts'
import type { LayerFact, LayerName, LayerTable } from '../layers/layer.ts'
import type { LayerPicture } from '../layers/picture.ts'
import type { FragmentState } from '../objects/visibility.ts'

export type { Severity } from '../check/codes/row.ts'
export type { Binary, Bytes, CellValue, Count, Float, Int64, Integer, StoredName }

/** The first keys of every document. */
export interface DocumentHead<Kind extends string = string> {
  /** What the document is about. */
  kind: Kind
  path: Path
  /** Version of the documents. Within a version keys may be added, but none is removed. */
  schema_version: 1
}

/** A list that may be produced while it is printed. It can be iterated more than once. */
export type List<T> = Iterable<T> | AsyncIterable<T>

/**
 * Byte offset from the start of the file.
 * @asType integer
 * @minimum 0
 */
export type Offset = number

/** Sum of the values: an integer, or a floating-point number for floating-point types; 0 if there are no values. */
export type Sum = bigint | number

/**
 * Bytes as hexadecimal digits.
 * @pattern ^([0-9a-f]{2})*$
 */
export type Hex = string

/** `[lo, hi]`, both inclusive. */
export type ValueRange = readonly [lo: CellValue, hi: CellValue]

/** Path of the target, or of something inside it, as a user would write it. Bytes if it is not UTF-8. */
export type Path = string

/**
 * Format version, starting at 1.
 * @asType integer
 * @minimum 0
 * @maximum 4294967295
 */
export type FormatVersion = number

/**
 * Unfiltered bytes divided by stored bytes; above 1 if the filters save space.
 * @minimum 0
 */
export type Ratio = number

/** A time in UTC to the millisecond, such as `2024-05-01T10:00:00.000Z`; with `--raw`, milliseconds since 1970. */
export type Time = string | Int64

/** First and last timestamp, milliseconds since 1970. */
export type TimestampRange = readonly [first: Int64, last: Int64]

/** First and last time of the read, milliseconds since 1970, both included. */
export type ReadTimes = TimestampRange

/** Coordinates of the cell, by dimension. */
export type CellCoordinates = Record<string, CellValue>

/** Index of the tile. */
export type TileIndex = Count

/** Number of tiles. */
export type TileNum = Count

/** The times of opening. */
export interface AsOf {
  /** First and last time at which the target was opened, both included. Only with `--as-of` or `--between`. */
  as_of?: TimestampRange | undefined
}

/** Key-value metadata by key: the newest values, without deleted keys. */
export type KeyValues = Record<string, KeyValue>

/** A filter with its options. */
export interface FilterDescription extends FilterConfig {}

/** A filter pipeline as stored; filters in writing order. */
export interface PipelineDescription {
  /** Upper limit on the bytes of a chunk before filtering; 0 if tiles are not divided into chunks. */
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
  /** Lower and upper bound, both inclusive; null if the dimension has none (strings). */
  domain: ValueRange | null
  /** Extent of a tile, in the unit of the dimension; null if there is none. */
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
  /** Value of cells that were never written; null before format 6, as these formats store none. */
  fill_value: CellValue
  /** Whether cells that were never written have the fill value; if false, they are null. Nullable attributes only. */
  fill_value_validity?: boolean | undefined
  /** Order of the cells; `unordered` except in arrays of dimension labels. */
  order: DataOrder
  /** Name of the enumeration, if the cells are indexes of its values; null otherwise. */
  enumeration: string | null
  filters: PipelineDescription
}

/** A data file that is missing, or shorter than the metadata says. */
export interface DamagedFile {
  /** Name of the file. */
  name: string
  /** Bytes of the file, according to the metadata. */
  listed_size: Bytes
  /** Bytes on disk; null if the file is missing. */
  size: Count | null
}

/** Facts about a fragment in a listing. */
export interface ListedFragment {
  /** Name of the fragment's folder. */
  name: string
  path: Path
  format_version: FormatVersion | null
  /** Whether the fragment is dense; null if its metadata cannot be read. */
  dense: boolean | null
  /**
   * First and last timestamp of the name, milliseconds since 1970; null if the name has none. Formats 1 and 2: the last
   * timestamp twice.
   */
  timestamp_range: TimestampRange | null
  /** Number of cells as TileDB counts them: in dense fragments, those of whole tiles. */
  cell_num: Int64 | null
  /** Number of cells inside the non-empty domain; in sparse fragments, of all cells. */
  cells_in_domain: Int64 | null
  /** Number of tiles; null if the metadata cannot be read. */
  tile_num: Count | null
  /** Bytes of all files in the folder. */
  size: Bytes
  /** Bytes of the data files on disk. */
  data_size: Bytes | null
  /** Bytes of the data before filtering; null for var-sized cells, as the footer does not have this number then. */
  unfiltered_size: Bytes | null
  ratio: Ratio | null
  /** Non-empty domain: `[lo, hi]` of each dimension, both inclusive; null if there is none. */
  nonempty_domain: readonly ValueRange[] | null
  /** File name of the schema that the fragment was written with. */
  array_schema_name: string | null
  /** Whether a commit names the fragment. */
  committed?: boolean | undefined
  /** Whether TileDB lists it now: it is committed, no vacuum or ignore file hides it, and its timestamps are not in the future. */
  visible?: boolean | undefined
  /** Whether a vacuum file that is in effect now lists it. */
  to_vacuum?: boolean | undefined
  /** Whether a consolidated fragment metadata file contains its footer. */
  has_consolidated_metadata?: boolean | undefined
  /** State of the fragment in one word. */
  state?: FragmentState | undefined
  /** Whether it contains the cells of older fragments, judging by its name. */
  consolidated: boolean
  /** Path in the array of the `.vac` or `.ign` file that makes TileDB leave out this fragment. */
  hidden_by?: string | null | undefined
  /** Data files that are missing, or shorter than the metadata says; left out if there are none. */
  damaged_files?: readonly DamagedFile[] | undefined
  /** Why the metadata could not be read. */
  error?: ErrorInfo | undefined
}

/** One value of key-value metadata. */
export interface KeyValue {
  type: Datatype
  /** Number of values, as TileDB gives it to readers; of text, number of bytes; 1 for an empty value, which is stored with 0. */
  value_num: Count
  value: CellValue
  /**
   * First and last timestamp of the file that contains the value, milliseconds since 1970. In a consolidated file they differ, and
   * the value was written between them.
   */
  timestamp_range?: TimestampRange | undefined
}

/** Why TileDB's answer is not unique: it depends on the order in which a reader reads. */
export interface NotUniqueInfo {
  /**
   * `equal-times`: fragments of one time have the same cell, and duplicates are not allowed. `out-of-order`: the cells of a fragment are
   * not in global order in its files.
   */
  kind: 'equal-times' | 'out-of-order'
  /** Names of the fragments. */
  fragments: readonly StoredName[]
  /** What that means for the answer. */
  message: Prose
}

/** An error. Its position in the document says what it is about. */
export interface ErrorBrief {
  code: ErrorCode
  /** What was expected, and what was found. */
  message: Prose
}

/** What could not be examined, and why. */
export interface NotExamined extends ErrorBrief {
  /** The file. */
  file?: Path | undefined
}

/** An error, and where it is. */
export interface ErrorInfo extends NotExamined {
  offset?: Offset | undefined
  /** Dotted name of the field that was read. */
  field?: string | undefined
}

/** The first key of a line if the call has several targets. */
export interface OfSeveral {
  /** The target; left out if there is only one. */
  path?: string | undefined
}

/** Numbers of the parts that were examined. */
export interface PartCounts {
  /** Number of fragments. */
  fragment_num: Count
  /** Number of files. */
  file_num: Count
  tile_num: TileNum
  /** Number of chunks. */
  chunk_num: Count
}

/** Releases that know a format version. */
export interface Releases {
  /** TileDB releases that write this format version; null if there are none. */
  written_by: string | null
  /** TileDB releases that read this format version. */
  read_by: string | null
}

export interface Bucket {
  /** Smallest value of the bucket, bytes or cells. */
  from: number
  /** Largest value of the bucket, bytes or cells. */
  to: number
  /** Number of tiles in the bucket. */
  tile_num: Count
}

/** Distribution of a number over tiles; null if there are no tiles. */
export interface Distribution {
  /** Number of tiles that were counted. */
  tile_num: Count
  /** Smallest value, bytes or cells a tile. */
  min: number
  /** Largest value, bytes or cells a tile. */
  max: number
  /** Mean value, bytes or cells a tile. */
  mean: number
  /** Buckets of powers of two, in ascending order. */
  histogram: readonly Bucket[]
}

/** What an array is in the words of a layer above TileDB: the place in its dataset, and what its cells and fields are. */
export interface LayerPlace {
  /** The layer. */
  name: LayerName
  /** The dataset that has the array; null if the array stands alone. */
  dataset: Path | null
  /** What the layer calls the dataset, such as `SOMAExperiment`. */
  dataset_type: string
  /** Names of the array from the dataset down, with `/` between them; empty if it stands alone. */
  member: StoredName
  /** What the layer calls the array, such as `SOMADataFrame`. */
  layer_type: string
  /** What a cell is, such as `an observation`; null if the layer has no word for it. */
  cell_is: string | null
  /** What fields are whose names do not tell it. */
  fields: readonly LayerField[]
}

/** What a field is in the words of a layer. */
export interface LayerField {
  name: StoredName
  /** What it is, such as `the soma_joinid of obs`. */
  is: string
}

/** What the layer above TileDB that wrote a dataset says of it. */
export interface LayerPart {
  /** The layer. */
  name: LayerName
  /** The name of the layer, as its authors write it. */
  title: string
  /** What the layer calls the target, such as `SOMAExperiment`. */
  type: string
  /** Version of the layer's format; null if the dataset has none. */
  version: string | null
  /** Whether the version is one that is known here. */
  version_known: boolean
  /** Facts in the words of the layer. */
  facts: readonly LayerFact[]
  /** Facts of several things of one kind, such as the measurements of an experiment. */
  tables: readonly LayerTable[]
  /** Pictures that can be drawn of it: which arrays, and which way is up. Left out if there are none. */
  pictures?: readonly LayerPicture[] | undefined
}
