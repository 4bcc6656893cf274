import type { Hurt, Measure } from '../advice/measures.ts'
import type { Level } from '../check/finding.ts'
import type { CheckCounts, CheckFinding, IgnoredNum, Verdict } from './check.ts'
import type { AsOf, Bytes, Count, DocumentHead, Int64, NotExamined, Ratio } from './common.ts'
import type { GroupLine, GroupParts, GroupTotals } from './group.ts'
import type { GroupStats, StatsFilter, StatsRatio } from './stats.ts'

/** What `ls` shows of a plain folder; with `--recursive`, what `ls`, `check` and `stats` do. */
export type DatasetDocument = ListedDataset | SweptDataset

/**
 * `tiledb-inspect ls <folder> --json`, for a plain folder with arrays and groups in it, which are its members. NDJSON: one member a line,
 * as of a group (`group.json#/$defs/line`).
 */
export interface ListedDataset extends DocumentHead<'dataset'>, GroupParts {}

/**
 * `tiledb-inspect ls|check|stats <folder> --recursive --json`: all arrays and groups below a folder. NDJSON: one document a member, as it
 * is done (`$defs/line`), then a line with the rest of this document. The file of `--resume` has the first keys, then the members.
 */
export interface SweptDataset extends SweepHead, SweepTail {
  /** All arrays and groups at any depth. */
  members: readonly SweepMember[]
}

export type SweepLine = SweepMember | SweepSummary

/** The last line of a sweep in NDJSON. */
export interface SweepSummary extends SweepHead, SweepTail {}

/** The first keys of a sweep. */
export interface SweepHead extends DocumentHead<'dataset'>, AsOf {
  sweep: SweepCommand
  /** `i/n` of `--shard`: only every n-th member from the i-th on was examined. */
  shard?: string | undefined
}

/** The command that went through the members. */
export type SweepCommand = 'ls' | 'check' | 'stats'

/** What is known after the last member. */
export interface SweepTail extends Partial<SweepCheck> {
  /** Number of members. */
  member_num: Count
  totals: GroupTotals
  not_entered: SweepNotEntered
  /** Number of members whose lines come from the file of `--resume`. */
  resumed_num?: Count | undefined
  /** The ten arrays that are hurt most: damage first, then by how many times a measure exceeds its limit. */
  worst: readonly SweepWorst[]
  /** Number of all arrays in which a measure reaches its limit. */
  worst_num: Count
  /** Only of `stats`. */
  stats?: SweepStats | undefined
}

/** What a sweep did not enter. */
export interface SweepNotEntered {
  /** Number of members and folders that `--exclude` left out. */
  excluded_num: Count
  /** Number of folders that had been entered by another path: links lead to them. */
  again_num: Count
  /** Number of folders and groups whose insides lie deeper than `--depth`. */
  deep_num: Count
  /** One of those that are too deep. */
  too_deep?: string | undefined
}

/** An array that is hurt. */
export interface SweepWorst extends SweepHurt {
  /** Names from the folder down to the array. */
  name: string
}

/** What hurts an array. */
export interface SweepHurt extends Hurt {
  /** What hurts. `damage`: errors; the others cost reads time, or space. */
  measure: Measure
  /** Number of errors or fragments, or bytes. */
  value: Count
  /** What `value` counts. */
  unit: Hurt['unit']
  /** The value as a multiple of the limit from which `explain` reports it: 1 or more. */
  times: number
}

/** The options of `check` of many arrays, and its sums. Other sweeps do not have them. */
export interface SweepCheck extends Verdict {
  /** What was checked: `--level`. */
  level: Level
  /** Number of examined parts. */
  counts: CheckCounts
  ignored?: IgnoredNum | undefined
  /** What this level does not check, in words. */
  not_checked: readonly string[]
}

/** The sums of `stats` over many arrays. */
export type SweepStats = Omit<GroupStats, keyof DocumentHead | 'as_of' | 'target'>

/** An array or group. */
export interface SweepMember
  extends DocumentHead<'member'>,
    Omit<GroupLine, 'path' | 'name' | 'members' | 'array_num' | 'layer_type' | 'layer_facts'> {
  /** Names from the folder down to the member. */
  name: string
  /** Whether it lies in the folder of a group whose list does not name it. Only in a plain folder that is entered at any depth. */
  not_listed?: true | undefined
  /** What hurts the array, the worst first; left out if nothing does. */
  hurts?: readonly SweepHurt[] | undefined
  /** Only of `check`. */
  check?: MemberCheck | undefined
  /** Only of `stats`. */
  stats?: MemberStats | undefined
  /** A text that changes when files of the array come, go or get another size. Only with `--resume`. */
  state_id?: string | undefined
}

/** The check of one member. */
export interface MemberCheck extends Verdict {
  /** The first findings, at most 10. */
  findings: readonly CheckFinding[]
  /** Number of findings that are not listed. */
  more_num: Count
  /** What could not be examined, at most 10. */
  not_examined: readonly NotExamined[]
  /** Number of further parts that could not be examined. */
  more_not_examined_num: Count
  /** Number of examined parts. */
  counts: CheckCounts
  ignored?: IgnoredNum | undefined
}

/** The sums of one array. */
export interface MemberStats {
  /** Number of fragments in these sums. */
  fragment_num: Count
  /** Number of cells inside the non-empty domains. */
  cells_in_domain: Int64
  tile_num: Count
  /** Bytes of the fragments in these sums. */
  size: Bytes
  /** Bytes of fragments that TileDB does not read. */
  unread_size: Bytes
  /** Bytes of those of them that a vacuum keeps. Some, such as those without a commit, may be the only copy of their cells. */
  unread_kept_size: Bytes
  /** Bytes that a vacuum frees: the other ones, and the `.vac` files. 0 for arrays of which a vacuum would lose cells. */
  vacuum_size: Bytes
  /** Whether the sums include these fragments, as with `--all`. */
  unread_counted: boolean
  /** Bytes outside of fragments. */
  other_size: Bytes
  /** Bytes of data files. */
  data_size: Bytes
  /** Bytes of the data before filtering. */
  unfiltered_size: Bytes
  ratio: Ratio | null
  /** Bytes of the fragment metadata in TileDB's memory, once all is loaded. */
  memory_size: Bytes
  /** Sizes by field, largest first, at most 10. */
  fields: readonly MemberStatsField[]
  /** The largest fragments, at most 10. */
  fragments: readonly MemberStatsFragment[]
  /** Sizes by filter pipeline, largest first. */
  filters: readonly StatsFilter[]
  /** Files that the sums lack, and causes of reads that are slow or need much memory. */
  findings: readonly MemberStatsFinding[]
}

export interface MemberStatsField extends StatsRatio {
  /** Name of the attribute, dimension or internal field. */
  name: string
}

export interface MemberStatsFragment {
  /** Name of the fragment. */
  name: string
  /** Bytes of its files. */
  size: Bytes
}

/** A finding of `stats`. */
export type MemberStatsFinding = Pick<GroupStats['findings'][number], 'code' | 'severity' | 'bytes'>
