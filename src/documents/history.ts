import type { CellValue, Count, DocumentHead, Int64, NotExamined, StoredName, TimestampRange } from './common.ts'

/** `tiledb-inspect history <array> --json`: one document a cell. NDJSON: one version a line (`$defs/line`). */
export interface HistoryDocument extends DocumentHead<'history'> {
  /** First and last time of the read that says what became of each version, both included. */
  as_of: TimestampRange
  /** Coordinates by dimension. */
  cell: Record<string, CellValue>
  /** Dense arrays: what a read gives if it gives none of the versions. */
  fill_values?: Record<string, CellValue> | undefined
  /** What each fragment on disk holds of the cell, oldest first. */
  versions: readonly HistoryVersion[]
  /** Fragments that no read needs and that cannot be read: what they hold is not shown. */
  not_examined?: readonly NotExamined[] | undefined
}

/** A version of a cell, on a line of its own. */
export interface HistoryLine extends HistoryVersion {
  /** Coordinates by dimension. */
  cell: Record<string, CellValue>
}

/** A version of a cell: what a fragment holds of it. */
export interface HistoryVersion {
  /** Name of the fragment. */
  fragment: StoredName
  /**
   * When it was written, milliseconds since 1970: the cell's own time stamp, or else that of its fragment. In a consolidated dense
   * fragment that of the newest fragment it replaced that has the cell. Null where these are gone, as consolidation keeps no time
   * there: the cell was written within `timestamp_range`; and null for a cell that was never written.
   */
  written: Int64 | null
  /**
   * Of cells of a consolidated dense fragment. yes: none of the fragments that it replaced has the cell: consolidation put the fill
   * values there. maybe: these are gone, and the cell has the fill value in every attribute that is shown.
   */
  never_written?: 'yes' | 'maybe' | undefined
  /** Attributes as a read of this version gives them. */
  values: Record<string, CellValue>
  /**
   * What a read makes of it. current: it gives it; overwritten: a newer version took its place; deleted: a delete condition
   * names it; later, earlier: it is not between the times of the read; hidden: a vacuum or ignore file hides its fragment;
   * uncommitted: no commit names its fragment.
   */
  state: 'current' | 'overwritten' | 'deleted' | 'later' | 'earlier' | 'hidden' | 'uncommitted'
  /** What hid it first; null where nothing did, or only the times. */
  by: HistoryHiddenBy | null
  /** Attributes that the fragment lacks: their values are fill values. */
  filled?: readonly string[] | undefined
  /** First and last time stamp of the fragment; null where its name has none. */
  timestamp_range: TimestampRange | null
  /** Index of the tile. */
  tile: Count
  /** Index of the cell in the tile. */
  position: Count
}

/** What hides a version of a cell. */
export interface HistoryHiddenBy {
  /** fragment: a newer version; delete: a delete condition; vacuum, ignore: a list that names the fragment. */
  kind: 'fragment' | 'delete' | 'vacuum' | 'ignore'
  /**
   * Name of the fragment with the newer version, of the delete commit, or of the fragment that holds the cells of the vacuumed
   * one.
   */
  name?: StoredName | undefined
  /** Commit file, in the array. */
  file?: StoredName | undefined
  /** When: the time of the newer version, where it is known, or of the delete commit. */
  time?: Int64 | undefined
  /** Delete condition as the user wrote it: what it says goes. */
  condition?: string | undefined
}
