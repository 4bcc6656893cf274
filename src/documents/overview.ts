import type { Prose } from '../base/prose.ts'
import type { AdviceCode, FindingCode } from '../check/codes.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { Layout } from '../format/layout.ts'
import type { FragmentState } from '../objects/visibility.ts'
import type { ArrayFacts } from './array.ts'
import type { CheckFindingNum } from './check.ts'
import type {
  AsOf,
  Bytes,
  Count,
  DocumentHead,
  FormatVersion,
  Int64,
  LayerPart,
  ListedFragment,
  NotExamined,
  Path,
  Releases,
  Severity,
  StoredName,
  TileNum,
  TimestampRange,
  ValueRange,
} from './common.ts'
import type { GroupLine, GroupTotals } from './group.ts'
import type { SchemaDimensionLabel } from './schema.ts'

/** `tiledb-inspect <target> --json`: what the target is, what a reader sees, and whether file names and sizes show damage. */
export type OverviewDocument = ArrayOverview | FragmentOverview | GroupOverview | FileOverview

/** Keys of the overview of any target. */
export interface OverviewHead extends DocumentHead<'overview'> {
  /** Whether everything that was examined is right: there is no error. */
  ok: boolean
  /** Number of findings by severity: damage, and causes of slow reads. */
  finding_num: CheckFindingNum
  /**
   * The worst findings, at most 3, one of each code: first damage, then causes of slow reads. Only what names and footers
   * show.
   */
  findings: readonly OverviewFinding[]
  /** What could not be examined. */
  not_examined: readonly NotExamined[]
  /** What an overview does not examine, in words. */
  not_checked: readonly string[]
  /** Commands to continue with, as they can be typed in a shell. */
  next: readonly NextCommand[]
}

/** Findings of one code and variant. */
export interface OverviewFinding {
  severity: Severity
  code: FindingCode | AdviceCode
  /** What makes it another finding than the code usually is, as in `check`. */
  variant?: string | undefined
  /** Number of findings of this code and variant. */
  finding_num: Count
  /** The file of the first of these findings, or the array. */
  file: Path
  /** What was expected there, and what was found; or the cause of slow reads. */
  message: Prose
  /** What the finding means for a reader. */
  meaning: Prose
  /** What to do: lines of TileDB-Py, or commands of `tiledb-inspect`. */
  advice: readonly Prose[]
}

export interface NextCommand {
  /** What the command shows, in words. */
  shows: string
  /** The command line. */
  command: string
}

/** How exact a number is. */
export type Exactness = 'exact' | 'at most' | 'at least' | 'estimated'

/** Whether a number or box is that of all fragments, or only of some, so that the whole is this or more. */
export type Extent = 'exact' | 'at least'

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

interface WithLayer {
  /** What the layer above TileDB says of it; left out if none is known. */
  layer?: LayerPart | undefined
}

/** The overview of an array. */
export interface ArrayOverview extends OverviewHead, ArrayFacts, WithLayer {
  /** Type of the target. */
  target: 'array'
  /** Dimensions in order; empty if the schema cannot be read. */
  dimensions: readonly OverviewField[]
  /** Order of the cells in a tile; null if the schema cannot be read. */
  cell_order: Layout | null
  /** Dimension labels. */
  dimension_labels: readonly Pick<SchemaDimensionLabel, 'name' | 'dimension_index'>[]
  /** Attributes in order; empty if the schema cannot be read. */
  attributes: readonly OverviewField[]
  /** Number of schemas. */
  schema_num: Count
  /** Number of fragments in each state. */
  states: readonly StateCount[]
  /** Number of fragments that were examined: the newest ones. Of the others, only the names are known. */
  examined_num: Count
  /** Format versions of the examined fragments, in ascending order. */
  fragment_format_versions: readonly FormatVersion[]
  /** Whether TileDB opens the array at that time. If not, a finding says why, and readers see no cell of any fragment. */
  opens: boolean
  /**
   * Number of cells that a reader sees, or would see if the array opens not; in dense arrays, of those that were written; null if no
   * fragment could be read, or if nobody can say how many cells of the others are older versions of a cell.
   */
  cell_num: Int64 | null
  /**
   * Number of cells of a dense array: of the current domain, or else of the domain. A reader gets all of them; those that were never
   * written have fill values.
   */
  whole_cell_num?: Int64 | undefined
  /**
   * How exact `cell_num` is. `at most`: later writes or deletes may hide earlier cells, or consolidation of dense fragments may have
   * stored fill values as cells. `at least`: some fragments could not be read. `estimated`: some were not examined.
   */
  certainty: Exactness
  /** Box around the cells that `cell_num` counts: `[lo, hi]` of each dimension; null if there are none, or if they are unknown. */
  nonempty_domain: readonly ValueRange[] | null
  /** `at least`: some fragments were not examined, or could not be read; their cells may lie outside of `nonempty_domain`. */
  nonempty_domain_certainty: Extent
  /** Number of tiles in the examined fragments that TileDB reads. */
  tile_num: TileNum
  /** `at least`: fragments that were not examined, or could not be read, have more tiles. */
  tile_num_certainty: Extent
  /** First and last timestamp of the fragments that TileDB reads; null if there are none. */
  timestamp_range: TimestampRange | null
  /** Bytes of the examined fragments. */
  size: Bytes
  /** `at least`: not all fragments were examined; the others add to `size` and to `unread_size`. */
  size_certainty: Extent
  /** Bytes of those examined fragments that TileDB does not read. */
  unread_size: Bytes
}

/** Keys of a listed fragment that its overview repeats. */
type ListedFact =
  | 'format_version'
  | 'dense'
  | 'state'
  | 'hidden_by'
  | 'consolidated'
  | 'timestamp_range'
  | 'cells_in_domain'
  | 'tile_num'
  | 'nonempty_domain'
  | 'size'

/** The overview of a fragment. */
export interface FragmentOverview extends OverviewHead, AsOf, Partial<Releases>, Pick<ListedFragment, ListedFact> {
  /** Type of the target. */
  target: 'fragment'
  /** The array that contains the fragment; null if there is none. */
  array: Path | null
  /** Names of the dimensions; empty if the schema cannot be read. */
  dimensions: readonly string[]
  /** Fields by their bytes on disk, largest first. */
  fields: readonly FieldSize[]
}

export interface FieldSize {
  /** Name of the field. */
  name: string
  /** Bytes of its files. */
  size: Bytes
}

/** The overview of a group with all its members: a dataset. */
export interface GroupOverview extends OverviewHead, AsOf, WithLayer {
  /** Type of the target; `dataset` for a plain folder, whose members are the arrays and groups in it. */
  target: 'group' | 'dataset'
  /** Members in stored order, each with its own members. */
  members: readonly GroupLine[]
  /** Sums over all members at any depth, whatever is listed; left out if no member was looked into. */
  totals?: GroupTotals | undefined
  /** Arrays and groups in the folder of a group that are no members of it. Of all groups; with `--names` only of the group itself. */
  unlisted: readonly Path[]
  /** Keys of its metadata. */
  metadata_keys: readonly string[]
}

/** The overview of a file. */
export interface FileOverview extends OverviewHead {
  /** Type of the target. */
  target: 'file'
  /** Kind of the file, in words. */
  file_kind: string
  /** Bytes of the file. */
  size: Bytes
  /** Name of the field whose cells it contains; null if it is not a data file. */
  field: string | null
  /** Name of the fragment that contains the file; null if there is none. */
  fragment: StoredName | null
  /** The array that contains the file; null if there is none. */
  array: Path | null
}
