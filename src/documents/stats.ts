import type { Prose } from '../base/prose.ts'
import type { AdviceCode, FindingCode } from '../check/codes.ts'
import type { FileRole } from '../format/field-files.ts'
import type { ArrayType } from '../format/layout.ts'
import type { SectionName } from '../format/metadata-sections.ts'
import type {
  AsOf,
  Bytes,
  Count,
  Distribution,
  DocumentHead,
  FilterDescription,
  FormatVersion,
  Int64,
  NotExamined,
  Offset,
  Ratio,
  Severity,
  TileNum,
} from './common.ts'

/**
 * `tiledb-inspect stats <target> --json`, one document for each target. With `--full`, the document of a group is followed by one of each
 * array in it.
 */
export type StatsDocument = OneStats | GroupStats

/** What uses the disk in one array or fragment. */
export type OneStats = ArrayStats | FragmentStats

/** Sums over fragments, of one array or of many. */
interface SharedSums {
  /** Number of cells inside the non-empty domains. */
  cells_in_domain: Int64
  tile_num: TileNum
  /** Bytes of data files. */
  data_size: Bytes
  /** Bytes of the data before filtering. */
  unfiltered_size: Bytes
  ratio: Ratio | null
  /** Sizes by filter pipeline, largest first. */
  filters: readonly StatsFilter[]
}

/** Sizes of fragments on disk that TileDB does not read. */
interface UnreadSizes {
  /** Bytes of fragments that TileDB does not read. */
  unread_size: Bytes
  /** Bytes of those of them that a vacuum keeps. Some, such as those without a commit, may be the only copy of their cells. */
  unread_kept_size: Bytes
  /** Bytes that a vacuum frees: the other ones, and the `.vac` files. 0 if `vacuum_loses_cells`. */
  vacuum_size: Bytes
}

/** Sums over fragments. */
export interface StatsSums extends DocumentHead<'stats'>, SharedSums {
  /** Format versions of the fragments, in ascending order. */
  format_versions: readonly FormatVersion[]
  /** Number of fragments in these sums: those that could be read. */
  fragment_num: Count
  /** Number of cells as TileDB counts them: in dense fragments, those of whole tiles. */
  cell_num: Count
  /** Bytes of all files of the fragments in these sums, and of those that could not be read. */
  size: Bytes
  /** Sizes by field, largest first. */
  fields: readonly StatsField[]
  /** Sizes by role, largest first. */
  roles: readonly StatsRole[]
  fragment_metadata: StatsMetadata
  /** Sections of the fragment metadata, largest first. */
  sections: readonly StatsSection[]
  /** Distribution of the stored bytes of a tile. */
  tile_size: Distribution | null
  /** Distribution of the number of cells of a tile. */
  cells_per_tile: Distribution | null
  /** Files that the sums lack, and causes of reads that are slow or need much memory (docs/check.md, "Advice"). */
  findings: readonly StatsFinding[]
}

export interface FragmentStats extends StatsSums {
  /** What was counted: one fragment. */
  target: 'fragment'
}

export interface ArrayStats extends StatsSums, AsOf, UnreadSizes {
  /** Set if a vacuum would delete fragments whose cells no other fragment has. `check` says why. */
  vacuum_loses_cells?: true | undefined
  /** What was counted: an array. */
  target: 'array'
  /** Array type. */
  array_type: ArrayType
  /** Number of cells of a tile. Sparse arrays only. */
  capacity?: Int64 | undefined
  /** Number of fragments on disk that TileDB does not read. */
  unread_fragment_num: Count
  /** Whether the other sums include fragments that TileDB does not read, as with `--all`. */
  unread_counted: boolean
  /**
   * Bytes outside of fragments: schemas, commits, key-value metadata. Over plain HTTP, without folders deeper than 4
   * levels.
   */
  other_size: Bytes
  /** Fragments that could not be read. Only `size` includes them. */
  not_examined: readonly StatsNotExamined[]
}

/** What fills a dataset: sums over all arrays in a group, and the largest parts first. */
export interface GroupStats extends DocumentHead<'stats'>, AsOf, SharedSums, UnreadSizes {
  /** What was counted: a group and its members. */
  target: 'group'
  /** Number of arrays. */
  array_num: Count
  /** Number of fragments in these sums. */
  fragment_num: Count
  /** Bytes of all files: those of fragments that TileDB reads and does not read, and those beside. */
  size: Bytes
  /** Bytes outside of fragments, those of the groups included. */
  other_size: Bytes
  /** Bytes of the fragment metadata in TileDB's memory, once all is loaded. */
  memory_size: Bytes
  /** The largest arrays, at most 10. */
  arrays: readonly GroupStatsArray[]
  /** The largest fields of all arrays, at most 10. */
  fields: readonly GroupStatsField[]
  /** The largest fragments of all arrays, at most 10. */
  fragments: readonly GroupStatsFragment[]
  /** Number of findings of all arrays, by their codes. */
  findings: readonly GroupStatsFinding[]
}

/** What an array, or a field, has of a dataset. */
interface GroupStatsShare extends StatsShare {
  /** Names from the group down to the array. */
  member: string
}

/** The data files of an array. */
export interface GroupStatsArray extends GroupStatsShare, Pick<SharedSums, 'cells_in_domain'> {
  /** Number of fragments. */
  fragment_num: Count
}

/** The data files of a field. */
export interface GroupStatsField extends GroupStatsShare, Pick<StatsField, 'name'> {}

/** A fragment. */
export interface GroupStatsFragment extends Pick<GroupStatsShare, 'member'> {
  /** Name of the fragment. */
  name: string
  /** Bytes of its files. */
  size: Bytes
}

export interface GroupStatsFinding {
  /** Code of the findings. */
  code: FindingCode | AdviceCode
  severity: Severity
  /** Number of findings. */
  finding_num: Count
  /** The arrays, at most 10. */
  members: readonly string[]
  /** Bytes that they are about. */
  bytes: Bytes
}

export interface StatsNotExamined extends NotExamined {
  /** Name of the fragment. */
  name: string
}

export interface StatsFinding {
  /** Code of the finding. */
  code: FindingCode | AdviceCode
  /** `error`: the sums lack something. Otherwise it is advice, and `explain` shows what to do. */
  severity: Severity
  /** What was found, in words. */
  message: Prose
  /** Path of the missing or short file. */
  file?: string | undefined
  /** Missing bytes of the file; for advice, stored bytes that it is about, or 0. */
  bytes: Bytes
}

/** Stored bytes, and those before filtering. */
export interface StatsSizes {
  /** Stored bytes. */
  size: Bytes
  /** Bytes before filtering. */
  unfiltered_size: Bytes
}

export interface StatsRatio extends StatsSizes {
  ratio: Ratio | null
}

interface StatsShare extends StatsRatio {
  /** Share of the bytes of all data files, from 0 to 1. */
  share: number | null
}

export interface StatsSection extends StatsSizes {
  /** Name of the section. */
  name: SectionName
  /** Name of the field; null if the section is about the whole fragment. */
  field: string | null
  /** Byte offset in the metadata file; left out in sums over fragments. */
  offset?: Offset | undefined
  /** Bytes in TileDB's memory. */
  memory_size: Bytes
}

/** Sizes of the fragment metadata. */
export interface StatsMetadata {
  /** Bytes of the fragment metadata files. */
  size: Bytes
  /** Bytes of the footers. */
  footer_size: Bytes
  /** Stored bytes of the sections. */
  sections_size: Bytes
  /** Bytes of the sections before filtering. */
  unfiltered_size: Bytes
  /** Bytes of TileDB's memory once everything is loaded. */
  memory_size: Bytes
}

/** The files with one filter pipeline. */
export interface StatsFilter extends StatsRatio {
  /** Filters of the pipeline, in writing order. */
  filters: readonly FilterDescription[]
  /** Number of files. */
  file_num: Count
}

export interface StatsRole extends StatsRatio {
  /** What the files hold of the field. */
  role: FileRole
  /** Distribution of the stored bytes of a tile. */
  tile_size: Distribution | null
}

export interface StatsField extends StatsShare {
  /** Name of the attribute, dimension or internal field. */
  name: string
  /** Whether the schema of the time has no such attribute, so that readers do not see these bytes. */
  not_in_schema?: boolean | undefined
  /** Files of the field, one entry for each role. */
  files: readonly StatsFieldFile[]
}

export interface StatsFieldFile extends StatsRole, StatsShare {
  /** Filter pipelines of the files; several if the schema evolved. */
  filters: readonly (readonly FilterDescription[])[]
}
