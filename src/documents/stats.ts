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
  ErrorInfo,
  FilterDescription,
  FormatVersion,
  Int64,
  Offset,
  Ratio,
  Severity,
} from './common.ts'

/** `tiledb-inspect stats <target> --json`; two targets give one document each. */
export type StatsDocument = ArrayStats | FragmentStats

/** Sums over fragments. */
export interface StatsSums extends DocumentHead<'stats'> {
  /** Format versions of the fragments, rising. */
  format_versions: readonly FormatVersion[]
  /** Number of fragments in these sums: those that could be read. */
  fragment_num: Count
  /** Cells as TileDB counts them: whole tiles in dense fragments. */
  cell_num: Count
  /** Cells inside the non-empty domains. */
  cells_in_domain: Int64
  /** Number of tiles. */
  tile_num: Count
  /** Bytes of all files, also of fragments that could not be read. */
  size: Bytes
  /** Bytes of data files. */
  data_size: Bytes
  /** Bytes of the data before filtering. */
  unfiltered_size: Bytes
  ratio: Ratio | null
  /** By field, largest first. */
  fields: readonly StatsField[]
  /** By role, largest first. */
  roles: readonly StatsRole[]
  /** By pipeline, largest first. */
  filters: readonly StatsFilter[]
  /** Fragment metadata. */
  metadata: StatsMetadata
  /** Sections of the fragment metadata, largest first. */
  sections: readonly StatsSection[]
  /** Stored bytes of a tile. */
  tile_size: Distribution | null
  /** Cells of a tile. */
  cells_per_tile: Distribution | null
  /** Files that the sums lack, and what makes reads slow or hungry (docs/check.md, "Advice"). */
  findings: readonly StatsFinding[]
}

export interface FragmentStats extends StatsSums {
  /** What was counted: one fragment. */
  target: 'fragment'
}

export interface ArrayStats extends StatsSums, AsOf {
  /** What was counted: an array. */
  target: 'array'
  /** Array type. */
  array_type: ArrayType
  /** Cells of a tile; sparse arrays only. */
  capacity?: Int64 | undefined
  /** Number of fragments on disk that TileDB does not read. */
  hidden_fragment_num: Count
  /** Bytes of these fragments. */
  hidden_size: Bytes
  /** Whether they are in the sums, as with --all. */
  hidden_counted: boolean
  /**
   * Bytes outside of fragments: schemas, commits, key-value metadata. Over plain HTTP, without folders that are more than
   * 4 deep.
   */
  other_size: Bytes
  /** Fragments that could not be read. Only `size` counts them. */
  not_examined: readonly StatsNotExamined[]
}

export interface StatsNotExamined {
  /** Name. */
  name: string
  error: ErrorInfo
}

export interface StatsFinding {
  /** What it is about. */
  code: FindingCode | AdviceCode
  /** `error`: the sums lack something; otherwise advice, which `explain` gives with what to do. */
  severity: Severity
  /** In words. */
  message: string
  /** Path of the file that is missing or short. */
  file?: string | undefined
  /** Missing bytes of the file; stored bytes that the advice is about, or 0. */
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

export interface StatsSection extends StatsSizes {
  /** What the section holds. */
  name: SectionName
  /** Field that it is about; null for the whole fragment. */
  field: string | null
  /** Byte offset in the metadata file; left out of sums over fragments. */
  offset?: Offset | undefined
  /** Bytes in memory. */
  memory_size: Bytes
}

/** Fragment metadata. */
export interface StatsMetadata {
  /** Bytes of the fragment metadata files. */
  size: Bytes
  /** Bytes of the footers. */
  footer_size: Bytes
  /** Bytes of the sections, stored. */
  sections_size: Bytes
  /** Bytes of the sections before filtering. */
  unfiltered_size: Bytes
  /** Bytes that TileDB keeps once all is loaded. */
  memory_size: Bytes
}

export interface StatsFilter extends StatsRatio {
  /** Filters in writing order. */
  filters: readonly FilterDescription[]
  /** Number of files. */
  file_num: Count
}

export interface StatsRole extends StatsRatio {
  /** What the files are. */
  role: FileRole
  /** Stored bytes of a tile. */
  tile_size: Distribution | null
}

export interface StatsField extends StatsRatio {
  /** Attribute, dimension or internal field. */
  name: string
  /** Part of all data bytes, a ratio of 0 to 1. */
  share: number | null
  /** By role. */
  files: readonly StatsFieldFile[]
}

export interface StatsFieldFile extends StatsRole {
  /** Part of all data bytes, a ratio of 0 to 1. */
  share: number | null
  /** Pipelines, several where the schema evolved. */
  filters: readonly (readonly FilterDescription[])[]
}
