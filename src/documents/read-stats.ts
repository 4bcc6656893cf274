import type { PurgeWay } from '../advice/lines.ts'
import type { Prose } from '../base/prose.ts'
import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { ArrayType } from '../format/layout.ts'
import type {
  Bytes,
  CellCoordinates,
  CellValue,
  Count,
  DocumentHead,
  Int64,
  NotUniqueInfo,
  Path,
  ReadTimes,
  Sum,
  Time,
  ValueRange,
} from './common.ts'

/** The units to which `--by` truncates dates. */
export type GroupUnit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

/** A fragment that newer ones overwrite. */
export interface OverwrittenFragment {
  /** Name of the fragment. */
  name: string
  /** Stored bytes of all its files. */
  size: Bytes
}

/** `tiledb-inspect stats <array> --read --json`: statistics of the cells that a reader sees. */
export interface ReadStatsDocument extends DocumentHead<'read-stats'> {
  as_of: ReadTimes
  /** Array type. */
  array_type: ArrayType
  /** Whether the schema allows several cells with the same coordinates. */
  allows_duplicates: boolean
  /** Number of fragments that a read opens. */
  fragment_num: Count
  /** Number of fragments that wait for vacuum. Their files still contain older cells, even those that a purge left out. */
  to_vacuum_num: Count
  /** Whether only the cells of `--range` and `--where` were counted. */
  limited: boolean
  /** Number of cells that a reader sees; in dense arrays, of those that were written. */
  cell_num: Count
  /** Written and unwritten cells. Dense arrays only. */
  dense_cells?: ReadStatsDense | undefined
  /**
   * Number of overwritten cells: fragments contain them, but newer cells replace them. Cells that an older delete removes count as
   * well. Null if the number is unknown: with `--where`, or if a range cuts a fragment of single cells in a dense array. 0 in sparse
   * arrays that allow duplicates.
   */
  overwritten_cell_num: Int64 | null
  /**
   * Fragments of a sparse array of whose cells newer ones overwrite each: a reader sees none of them. Left out with `--range` and `--where`.
   * `ls` says it of fragments of dense arrays.
   */
  overwritten_fragments?: readonly OverwrittenFragment[] | undefined
  /** Delete conditions, oldest first. A cell counts for the first condition that deletes it. Overwritten cells do not count. */
  deletes: readonly ReadStatsDelete[]
  /** Times of the delete conditions that TileDB does not apply yet: they are later than the read. */
  later_deletes: readonly Time[]
  /**
   * How the deleted cells that the files of a read still contain are permanently removed. `consolidation`: of several fragments; `copy`: to a
   * new array, as TileDB does not consolidate a single fragment. Null if there are none, or if TileDB cannot read the array.
   */
  purge_way: PurgeWay | null
  /** Lines of TileDB-Py that remove these cells; empty if `purge_way` is null. */
  advice: readonly Prose[]
  /** Coordinates that several cells have. Only if the schema allows duplicates. */
  duplicates?: ReadStatsDuplicates | undefined
  /** Statistics of each field: dimensions of sparse arrays, then attributes. */
  fields: readonly ReadStatsField[]
  /** Cells by fragment, oldest first. Only with `--fragments`. */
  fragments?: readonly ReadStatsFragment[] | undefined
  /** The field by which `--by` groups cells. */
  by?: ReadStatsBy | undefined
  /** The groups, by rising value. Cells that are null, NaN or NaT are the last one. Only with `--by`. */
  groups?: readonly ReadStatsGroup[] | undefined
  /** Why readers of TileDB may return other cells than those that were counted; left out if all return the same. */
  not_unique?: readonly NotUniqueInfo[] | undefined
}

/** Cells of a fragment in the ranges: `written_cell_num` is the sum of the other numbers. */
export interface ReadStatsFragment {
  /** Name of the fragment. */
  name: string
  /** Number of cells that it holds. Null if it is unknown, as `overwritten_cell_num` of the document. */
  written_cell_num: Int64 | null
  /** Number of cells of it that a reader sees. */
  cell_num: Count
  /** Number of cells that newer ones overwrite; null if `written_cell_num` is null. */
  overwritten_cell_num: Int64 | null
  /** Number of cells that only delete conditions hide. */
  deleted_cell_num: Count
  /** Stored bytes of all its files. */
  size: Bytes
}

export interface ReadStatsBy {
  /** Name of the field. */
  name: string
  /** Unit to which dates are truncated; null if they are not. */
  unit: GroupUnit | null
  /** Number of units without a cell between the first group and the last. Null if dates are not truncated. */
  empty_unit_num: Int64 | null
  /** The longest runs of such units, at most 10, by rising value. */
  gaps: readonly ReadStatsGap[]
}

/** Units in a row without a cell. */
export interface ReadStatsGap {
  /** The first unit of the run. */
  first: CellValue
  /** The last unit of the run. */
  last: CellValue
  /** Number of units in the run. */
  unit_num: Int64
}

/** The cells of one value of a field. */
export interface ReadStatsGroup {
  /** The value, or the label of an enumeration; a date ends with the unit. Null for cells without a value. */
  value: CellValue
  /** Number of cells with this value. */
  cell_num: Count
  /** Statistics of these cells, for each field of `--field`. */
  fields: readonly ReadStatsField[]
}

/** Cells of a dense array. After a consolidation, gaps count as written, as the new fragment stores fill values there. */
export interface ReadStatsDense {
  /** Whether a fragment is consolidated: it may store fill values for cells that were never written. */
  consolidated: boolean
  /**
   * Number of cells that have the fill value in every attribute. Consolidation stores such cells in gaps, but users may have written some
   * of them. Null if no fragment is consolidated, and with `--field` or `--fragments`.
   */
  fill_cell_num: Count | null
  /** Number of cells in the domain. */
  domain_cell_num: Int64
  /** Number of examined cells: those in the ranges, or else in the current domain if there is one, or else in the domain. */
  wanted_cell_num: Int64
  /** Number of examined cells that were never written: a read returns fill values. Null with `--where`, which leaves them out. */
  unwritten_cell_num: Int64 | null
  /**
   * The first 5 boxes of unwritten cells, in row-major order. All boxes together contain each unwritten cell once. Null with `--where`,
   * and if a fragment has single cells.
   */
  unwritten_boxes: readonly ReadStatsBox[] | null
}

/** A box of cells that were never written. */
export interface ReadStatsBox {
  /** Range of each dimension. */
  ranges: Record<string, ValueRange>
  /** Number of cells in the box. */
  cell_num: Int64
}

/** A delete condition, and the cells that it removes from the read. */
export interface ReadStatsDelete {
  /** The condition in the syntax of TileDB-Py; null if it is no longer stored. */
  condition: string | null
  /** The file that contains the condition; null if there is none. */
  file: Path | null
  /** Time of the delete. */
  time: Time
  /** Number of cells that the read would return without this condition, and that no older condition deletes. */
  cell_num: Count
  /**
   * Number of cells that the condition removed at its time and that files still contain: those of `cell_num`, and those that were written
   * again later. Null if this is unknown: if `purged` is true, if the array cannot be read at that time, and for the oldest conditions if
   * there are more than 50 times.
   */
  removed_cell_num: Count | null
  /** Whether a consolidation dropped cells that the condition deletes. Their number is unknown. */
  purged: boolean
}

export interface ReadStatsDuplicates {
  /** Number of coordinates that more than one cell has. */
  coordinate_num: Count
  /** Number of cells with such coordinates. */
  cell_num: Count
  /** The ten coordinates with the most cells. */
  most: readonly ReadStatsRepeated[]
}

export interface ReadStatsRepeated {
  coordinates: CellCoordinates
  /** Number of cells with these coordinates. */
  cell_num: Count
}

/**
 * Statistics of a field over the cells that a reader sees. Null, NaN and NaT count only in `null_count` and `nan_cell_num`, and fill
 * values of cells that lack the field only in `filled_cell_num`.
 */
export interface ReadStatsField {
  /** Name of the field. */
  name: string
  type: Datatype
  cell_val_num: CellValNum
  /** Smallest value; null if there are no values, or if the type has no order. */
  min: CellValue
  /** Largest value; null if there are no values, or if the type has no order. */
  max: CellValue
  /** Sum, exact for integers; null for dimensions, dates, text, enumerations, and fields with several values a cell. */
  sum: Sum | null
  /** Sum divided by the number of values; null if there is no sum or no value. */
  mean: Sum | null
  /** Lengths of the values of a var-sized field, in elements of its type: bytes of text. Left out if there are no values. */
  lengths?: ReadStatsLengths | undefined
  /** Whether the sum exceeds 64 bits, above which TileDB stops adding. */
  sum_overflows?: boolean | undefined
  /** Number of null cells. */
  null_count: Count
  /** Number of cells that are NaN, or NaT in dates; left out for fields that have neither. */
  nan_cell_num?: Count | undefined
  /** Number of cells that were written before the array had the field in its current form. A read returns the fill value for them. */
  filled_cell_num: Count
  /** Its values. Only with `--values`. */
  values?: ReadStatsValues | undefined
  /** Use of the values of the enumeration, if the field has one. */
  enumeration_use?: ReadStatsEnumeration | undefined
}

/** The values of a field, without null, NaN and NaT. */
export interface ReadStatsValues {
  /** Number of distinct values; null if memory does not hold them: `more_than` says how many it held. */
  distinct_num: Count | null
  /** Set if there are more distinct values than this. `--memory` raises the bound. */
  more_than?: Count | undefined
  /** The ten values that most cells have; empty if `distinct_num` is null. */
  frequent: readonly ReadStatsFrequent[]
  /**
   * Percentiles of numbers, dates and times, by nearest rank: the smallest value that at least so many percent of the values are not larger than.
   * Null for other fields, if there are no values, and if memory does not hold them.
   */
  percentiles: ReadStatsPercentiles | null
}

/** A value, or the label of an enumeration. */
export interface ReadStatsFrequent {
  /** The value; null if the enumeration has none of this index. */
  value: CellValue
  /** Number of cells with this value. */
  cell_num: Count
}

export interface ReadStatsPercentiles {
  p1: CellValue
  p5: CellValue
  p25: CellValue
  /** The 50th percentile. */
  median: CellValue
  p75: CellValue
  p95: CellValue
  p99: CellValue
}

export interface ReadStatsLengths {
  /** Length of the shortest value, in values of the type. */
  min: Count
  /** Length of the longest value, in values of the type. */
  max: Count
  /** Mean length, in values of the type. */
  mean: number
  /** Buckets of powers of two, in ascending order. Only with `--values`. */
  histogram?: readonly ReadStatsBucket[] | undefined
}

export interface ReadStatsBucket {
  /** Smallest length of the bucket, in values of the type. */
  from: Count
  /** Largest length of the bucket, in values of the type. */
  to: Count
  /** Number of cells in the bucket. */
  cell_num: Count
}

export interface ReadStatsEnumeration {
  /** Name of the enumeration. */
  name: string
  /** Values that cells have, most used first. */
  used: readonly ReadStatsLabel[]
  /** Values that no cell has, in the order of the enumeration. */
  unused: readonly CellValue[]
  /** Number of cells whose index has no value in the enumeration. */
  missing_cell_num: Count
}

export interface ReadStatsLabel {
  /** The value. */
  value: CellValue
  /** Index of the value. */
  index: Count
  /** Number of cells with this value. */
  cell_num: Count
}
