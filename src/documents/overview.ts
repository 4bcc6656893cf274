import type { AdviceCode, FindingCode } from '../check/codes.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { ArrayType, EncryptionType, ObjectType } from '../format/layout.ts'
import type { FragmentState } from '../store/visibility.ts'
import type { CheckFindingNum } from './check.ts'
import type {
  AsOf,
  Bytes,
  Count,
  DocumentHead,
  FormatVersion,
  Int64,
  NotExamined,
  Path,
  Releases,
  Severity,
  StoredName,
  TimestampRange,
  ValueRange,
} from './common.ts'

/** `tiledb-inspect <target> --json`: what it is, what a reader sees, and whether a listing shows damage. */
export type OverviewDocument = ArrayOverview | FragmentOverview | GroupOverview | FileOverview

/** What the overview of any target says. */
export interface OverviewHead extends DocumentHead<'overview'> {
  /** Whether all that was looked at is right: there is no error. */
  ok: boolean
  /** How many findings there are, of damage and of what makes reads slow. */
  finding_num: CheckFindingNum
  /**
   * The worst findings, at most 3, one of each code: first what is damaged, then what makes reads slow, as far as names and
   * footers tell.
   */
  findings: readonly OverviewFinding[]
  /** What could not be examined. */
  not_examined: readonly NotExamined[]
  /** What was not looked at, in words. */
  not_looked_at: readonly string[]
  /** Commands to go on with, as they can be typed in a shell. */
  next: readonly NextCommand[]
}

/** Findings of one code. */
export interface OverviewFinding {
  severity: Severity
  code: FindingCode | AdviceCode
  /** Number of findings of this code. */
  finding_num: Count
  /** The file of the first of them, or the array. */
  file: Path
  /** What was expected there, and what was found; or what makes reads slow. */
  message: string
  /** What it means for a reader. */
  meaning: string
  /** What to do: lines of TileDB-Py, or commands of `tiledb-inspect`. */
  advice: readonly string[]
}

export interface NextCommand {
  /** What the command shows. */
  shows: string
  /** The command. */
  command: string
}

/** How exact a number is. */
export type Exactness = 'exact' | 'at most' | 'estimated'

/** A field as a reader sees it. */
export interface OverviewField {
  /** Name; empty for an anonymous attribute. */
  name: string
  type: Datatype
  cell_val_num: CellValNum
}

/** Number of fragments in one state. */
export interface StateCount {
  /** State of the fragments. */
  state: FragmentState
  /** Number of fragments in this state. */
  fragment_num: Count
}

/** The overview of an array. */
export interface ArrayOverview extends OverviewHead, AsOf, Releases {
  /** What the target is. */
  target: 'array'
  /** Array type; null where the schema cannot be read. */
  array_type: ArrayType | null
  /** Format version of the schema in use; null where it cannot be read. */
  format_version: FormatVersion | null
  /** Encryption as the C API names it; null where this is unknown. */
  encryption: EncryptionType | null
  /** Dimensions in order; empty where the schema cannot be read. */
  dimensions: readonly OverviewField[]
  /** Attributes in order; empty where the schema cannot be read. */
  attributes: readonly OverviewField[]
  /** Number of schemas. */
  schema_num: Count
  /** Number of fragment folders on disk. */
  fragment_num: Count
  /** How many of them are in each state. */
  states: readonly StateCount[]
  /** Number of fragments that were looked at: the newest. All others are known by name. */
  examined_num: Count
  /** Format versions of the fragments that were looked at, rising. */
  fragment_format_versions: readonly FormatVersion[]
  /** Cells that a reader sees, of dense arrays those that were written; null where no fragment could be read. */
  cell_num: Int64 | null
  /** Dense arrays: cells of the current domain, or else of the domain. A reader gets all of them, with fill values where nothing was written. */
  domain_cell_num?: Int64 | undefined
  /**
   * How exact `cell_num` is. `at most`: later writes or deletes may hide cells of earlier ones, and consolidation of dense fragments
   * stores fill values where nothing was written. `estimated`: some fragments
   * could not be read, or were not looked at.
   */
  cell_num_is: Exactness
  /** Box around the cells that a reader sees, of dense arrays around those that were written: `[lo, hi]` of each dimension; null where there are none, or are unknown. */
  nonempty_domain: readonly ValueRange[] | null
  /** Number of tiles in the fragments that TileDB reads. */
  tile_num: Count
  /** First and last timestamp of the fragments that TileDB reads; null where there are none. */
  timestamp_range: TimestampRange | null
  /** Number of delete conditions that TileDB applies when it reads. */
  delete_condition_num: Count
  /** Times of the delete conditions that TileDB does not apply yet, because they are later than what is read. */
  later_deletes: readonly Int64[]
  /** Bytes of the fragments that were looked at. */
  size: Bytes
  /** Bytes of those of them that TileDB does not read. */
  unread_size: Bytes
}

/** The overview of a fragment. */
export interface FragmentOverview extends OverviewHead, AsOf, Partial<Releases> {
  /** What the target is. */
  target: 'fragment'
  /** The array that it lies in; null where there is none. */
  array: Path | null
  format_version: FormatVersion | null
  /** Whether the fragment is dense; null where the metadata cannot be read. */
  dense: boolean | null
  /** Its state in its array. */
  state?: FragmentState | undefined
  /** The `.vac` or `.ign` file that makes TileDB leave it out: path in the array. */
  hidden_by?: string | null | undefined
  /** Whether it holds the cells of older fragments, judging by its name. */
  consolidated: boolean
  /** First and last timestamp of the name, milliseconds since 1970; null where the name has none. */
  timestamp_range: TimestampRange | null
  /** Cells inside the non-empty domain; null where the metadata cannot be read. */
  cell_num: Int64 | null
  /** Number of tiles; null where the metadata cannot be read. */
  tile_num: Count | null
  /** Non-empty domain: `[lo, hi]` of each dimension, inclusive; null where there is none. */
  nonempty_domain: readonly ValueRange[] | null
  /** Names of the dimensions; empty where the schema cannot be read. */
  dimensions: readonly string[]
  /** Bytes of all files in the folder. */
  size: Bytes
  /** Fields by their bytes on disk, the largest first. */
  fields: readonly FieldSize[]
}

export interface FieldSize {
  /** Name of the field. */
  name: string
  /** Bytes of its files. */
  size: Bytes
}

/** The overview of a group. */
export interface GroupOverview extends OverviewHead, AsOf {
  /** What the target is. */
  target: 'group'
  /** Members in stored order. */
  members: readonly OverviewMember[]
  /** Keys of its metadata. */
  metadata_keys: readonly string[]
}

export interface OverviewMember {
  /** Name; null if it has none. */
  name: string | null
  /** What the group says it is. */
  type: ObjectType
  /** Where it is, as stored. */
  uri: string
}

/** The overview of a file. */
export interface FileOverview extends OverviewHead {
  /** What the target is. */
  target: 'file'
  /** What the file is. */
  type: string
  /** Bytes of the file. */
  size: Bytes
  /** The field whose cells it holds; null where it is no data file. */
  field: string | null
  /** The fragment that it lies in; null where there is none. */
  fragment: StoredName | null
  /** The array that it lies in; null where there is none. */
  array: Path | null
}
