import type { AdviceCode, FindingCode } from '../check/codes.ts'
import type { ObjectType } from '../format/layout.ts'
import type { LayerFact } from '../layers/layer.ts'
import type { MemberPlace, MemberState } from '../objects/dataset.ts'
import type { Target } from '../objects/target.ts'
import type { CheckFindingNum } from './check.ts'
import type {
  AsOf,
  Bytes,
  Count,
  DocumentHead,
  ErrorInfo,
  FormatVersion,
  Int64,
  KeyValues,
  LayerPart,
  OfSeveral,
  Path,
  TimestampRange,
} from './common.ts'
import type { Exactness } from './overview.ts'

/** `tiledb-inspect ls <group> --json`. NDJSON: one member a line (`$defs/line`). */
export interface GroupDocument extends DocumentHead<'group'>, GroupParts {}

/** What a group or a plain folder has in it. */
export interface GroupParts extends AsOf {
  /** Members in the order that was asked for; by default as stored. */
  members: readonly GroupLine[]
  /** Number of members of the group itself: with `--limit`, fewer are listed. */
  member_num: Count
  /** Sums over all members at any depth, whatever is listed; left out if no member was looked into. */
  totals?: GroupTotals | undefined
  /** What the layer above TileDB says of it; left out if none is known. */
  layer?: LayerPart | undefined
  metadata: KeyValues
}

/** Sums over a dataset: a group and its members at any depth. An object that several members name counts once. */
export interface GroupTotals {
  /** Number of groups, without the target. */
  group_num: Count
  /** Number of arrays. */
  array_num: Count
  /** Number of members that could not be read. */
  unread_num: Count
  /** Number of members that are read from outside of the dataset. */
  elsewhere_num: Count
  /** Number of fragments that TileDB reads. */
  fragment_num: Count
  /** Number of cells that readers see in all arrays. */
  cell_num: Int64
  /** How exact `cell_num` is: as the least exact of its members; `estimated` if some are `at most` and others `at least`. */
  certainty: Exactness
  /** First and last timestamp of the fragments that TileDB reads; null if there are none. */
  timestamp_range: TimestampRange | null
  /** Format versions of the newest schemas of the arrays, in ascending order. */
  format_versions: readonly FormatVersion[]
  /** Number of files. */
  file_num: Count
  /** Bytes of all files, those of groups included. */
  size: Bytes
  /** Number of findings by severity: what an overview of each array finds. */
  finding_num: CheckFindingNum
}

/** What an overview of an array knows, in a line. */
export interface ArrayLineFacts {
  /** `dense` or `sparse`; null if the schema cannot be read. */
  array_type?: 'dense' | 'sparse' | null | undefined
  format_version?: FormatVersion | null | undefined
  /** Number of values of each dimension, by the current domain, or else by the domain; null for floats and text. */
  shape?: readonly (Int64 | null)[] | null | undefined
  /** Number of cells that a reader sees; null if it is not known. */
  cell_num?: Int64 | null | undefined
  /** How exact `cell_num` is. */
  certainty?: Exactness | undefined
  /** First and last timestamp of the fragments that TileDB reads; null if there are none. */
  timestamp_range?: TimestampRange | null | undefined
}

/** A member. */
export interface GroupLine extends OfSeveral, ArrayLineFacts {
  /** Name; null if it has none. */
  name: string | null
  /** Type, according to the group. */
  type: ObjectType
  /** URI, as stored. */
  uri: string
  /** Whether the URI is relative to the group. */
  relative: boolean
  /**
   * Whether the member is in no list of members. Groups of releases before TileDB 2.8 have no list: the arrays and groups in the
   * folder are their members.
   */
  implicit: boolean
  /** What was found at the URI. */
  state: MemberState
  /** Where TileDB reads the member from; null if it reads nothing. */
  resolved: Path | null
  /** Whether that place is in the dataset: a member elsewhere is not in a copy of it. */
  place: MemberPlace
  /** The path of names of the same object where it was listed first. */
  again?: string | undefined
  /** The type that was found, if it is not the type that the group says. */
  found?: Target['type'] | undefined
  /** What the layer of the dataset calls the member, such as `SOMADataFrame`. */
  layer_type?: string | undefined
  /** What the layer says of the member. */
  layer_facts?: readonly LayerFact[] | undefined
  /** Why the member, or its own members, cannot be read. */
  error?: ErrorInfo | undefined
  /** Number of arrays. */
  array_num?: Count | undefined
  /** Number of fragments that TileDB reads; of a group, those of its arrays. */
  fragment_num?: Count | undefined
  /** Number of files of the object, with those of its members. */
  file_num?: Count | undefined
  /** Bytes of these files. */
  size?: Bytes | undefined
  /** Number of findings of its overview by severity. */
  finding_num?: CheckFindingNum | undefined
  /** The worst of them, one of each code, worst first. */
  codes?: readonly (FindingCode | AdviceCode)[] | undefined
  /** Arrays and groups in the folder of a group that are no members of it. By name. */
  unlisted?: readonly string[] | undefined
  /** Members of a group. Only with `--depth`. */
  members?: readonly GroupLine[] | undefined
}
