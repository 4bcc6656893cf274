import type { CellValNum } from '../format/cell-val-num.ts'
import type { Datatype } from '../format/datatype.ts'
import type { ArrayType } from '../format/layout.ts'
import type { CellValue, Count, DocumentHead, Int64, Path, Sum, TimestampRange, ValueRange } from './common.ts'

/** `tiledb-inspect stats <array> --read --json`: what a reader sees, counted. */
export interface ReadStatsDocument extends DocumentHead<'read-stats'> {
  /** First and last time of what is read, both included: the array as TileDB opens it at these times. */
  as_of: TimestampRange
  /** Array type. */
  array_type: ArrayType
  /** Whether the schema allows several cells with the same coordinates. */
  allows_duplicates: boolean
  /** Fragments that a read opens. */
  fragment_num: Count
  /** Fragments that wait for vacuum: their files still hold older cells, also those that a purge left out of the consolidated fragment. */
  to_vacuum_num: Count
  /** What was counted: all cells, or those that `--range` and `--where` leave. */
  limited: boolean
  /** Cells that a reader sees; of dense arrays, those that were written. */
  cell_num: Count
  /** Cells of a dense array that were written and not. Dense arrays only. */
  dense?: ReadStatsDense | undefined
  /**
   * Overwritten cells: fragments hold them, and newer cells hide them, also where an older delete removes them; null if that cannot be told: with `--where`, or if a range cuts a fragment of single cells
   * in a dense array. 0 in sparse arrays that allow duplicates.
   */
  hidden_cell_num: Int64 | null
  /** Delete conditions, oldest first. A cell counts to the one that deletes it first; cells that newer ones hide do not count. */
  deletes: readonly ReadStatsDelete[]
  /** Times of the delete conditions that TileDB does not apply yet, because they are later than what is read. */
  later_deletes: readonly Int64[]
  /**
   * Lines of TileDB-Py that take out for good the deleted cells that files still hold; none if no fragment that is read holds any. Of
   * several fragments, a consolidation; of one, which TileDB does not consolidate, a new array.
   */
  advice: readonly string[]
  /** Coordinates that several cells have. Only where the schema allows duplicates. */
  duplicates?: ReadStatsDuplicates | undefined
  /** By field: dimensions of sparse arrays, then attributes. */
  fields: readonly ReadStatsField[]
}

/** Cells of a dense array. After a consolidation, gaps inside the new fragment count as written: it holds fill values there. */
export interface ReadStatsDense {
  /** Whether a fragment is consolidated: it holds fill values, too, as if they were written. */
  consolidated: boolean
  /**
   * Cells with the fill value in every attribute: consolidation stores such cells where nobody wrote any, and cells may also have been
   * written with it. Null if no fragment is consolidated, and with `--field`.
   */
  fill_cell_num: Count | null
  /** Cells of the domain. */
  domain_cell_num: Int64
  /** Cells that were looked at: in the ranges, or else in the current domain if there is one, or else in the domain. */
  wanted_cell_num: Int64
  /** Those of them that were never written: a read gives fill values. Null with `--where`, which leaves them out. */
  unwritten_cell_num: Int64 | null
  /**
   * Boxes of these cells, the first 5 in row-major order; together with those that are not named they have all of them, each once.
   * Null with `--where`, and if a fragment has single cells.
   */
  unwritten_boxes: readonly ReadStatsBox[] | null
}

/** A box of cells that were never written. */
export interface ReadStatsBox {
  /** By dimension. */
  ranges: Record<string, ValueRange>
  /** Cells of the box. */
  cell_num: Int64
}

/** A delete condition, and the cells that it leaves out of the read. */
export interface ReadStatsDelete {
  /** In the words of TileDB-Py; null if the array has the condition no more. */
  condition: string | null
  /** The file that has the condition; null if there is none. */
  file: Path | null
  /** Milliseconds since 1970. */
  time: Int64
  /** Cells that the read would give without it, and that no older condition deletes. */
  cell_num: Count
  /**
   * Cells that it took from readers at its time, as far as files still hold them: those of `cell_num`, and those that were written again since.
   * Null if they are not known: if `purged`; with conditions at more than 50 times for the oldest; and if the array cannot be read at that time.
   */
  removed_cell_num: Count | null
  /** Whether a consolidation left out cells that the condition deletes: they are gone, and nothing tells how many they were. */
  purged: boolean
}

export interface ReadStatsDuplicates {
  /** Coordinates that more than one cell has. */
  coordinate_num: Count
  /** Cells with such coordinates, all of each. */
  cell_num: Count
  /** The ten coordinates with most cells. */
  most: readonly ReadStatsRepeated[]
}

export interface ReadStatsRepeated {
  /** By dimension. */
  coordinates: Record<string, CellValue>
  /** Cells with these coordinates. */
  cell_num: Count
}

/** Values of a field in the cells that a reader sees. */
export interface ReadStatsField {
  /** Name. */
  name: string
  type: Datatype
  cell_val_num: CellValNum
  /** Smallest value; null without values, and for types without an order. NaN, NaT, null, and fill values of cells that lack the field do not count. */
  min: CellValue
  /** Largest value. */
  max: CellValue
  /** Sum, exact for integers; null for dimensions, dates, text, enumerations, and fields with several values a cell. */
  sum: Sum | null
  /** Sum by the number of values: null, NaN, and fill values of cells that lack the field do not count. Null where there is no sum or no value. */
  mean: Sum | null
  /** How long the values of a var-sized field are, in elements of its type: bytes of text. Left out without values. */
  lengths?: ReadStatsLengths | undefined
  /** Whether the sum is beyond 64 bits, where TileDB stops to add. */
  sum_overflows?: boolean | undefined
  /** Cells that are null. */
  null_count: Count
  /** Cells that are NaN, or NaT in dates; left out for fields that cannot be. */
  nan_count?: Count | undefined
  /** Cells that were written before the array had the field as it is now: a read gives its fill value. They count nowhere else. */
  fill_count: Count
  /** The values of the enumeration whose indexes the cells are. */
  enumeration?: ReadStatsEnumeration | undefined
}

export interface ReadStatsLengths {
  /** Elements of the shortest value. */
  min: Count
  /** Elements of the longest value. */
  max: Count
  /** Elements of a value on average. */
  mean: number
}

export interface ReadStatsEnumeration {
  /** Name of the enumeration. */
  name: string
  /** Values that cells have, most used first. */
  used: readonly ReadStatsLabel[]
  /** Values that no cell has, in the order of the enumeration. */
  unused: readonly CellValue[]
  /** Cells with an index that the enumeration has no value for. */
  missing_cell_num: Count
}

export interface ReadStatsLabel {
  /** The value. */
  value: CellValue
  /** Its index. */
  index: Count
  /** Cells that have it. */
  cell_num: Count
}
