import type {
  CellCoordinates,
  CellValue,
  Count,
  DocumentHead,
  LayerPlace,
  NotExamined,
  NotUniqueInfo,
  ReadTimes,
  StoredName,
  TileIndex,
  Time,
  TimestampRange,
} from './common.ts'

/** `tiledb-inspect history <array> --json`: one document a cell. NDJSON: one version a line (`$defs/line`). */
export interface HistoryDocument extends DocumentHead<'history'> {
  as_of: ReadTimes
  cell: CellCoordinates
  /** What the array is in the words of the layer that it belongs to; left out if no layer is known. */
  layer_place?: LayerPlace | undefined
  /** Fill values that a read of a dense array returns; left out if it returns one of the versions. */
  fill_values?: Record<string, CellValue> | undefined
  /** Versions of the cell in all fragments on disk, oldest first. */
  versions: readonly HistoryVersion[]
  /**
   * Consolidated fragments of a sparse array, if there are no versions of the cell: it may have been written, deleted, and then left out
   * of them. Left out if there are none.
   */
  perhaps_purged?: readonly StoredName[] | undefined
  /** Why readers of TileDB may return other cells than these; left out if all return the same. */
  not_unique?: readonly NotUniqueInfo[] | undefined
  /** Fragments that cannot be read, and that reads do not need. Their versions of the cell are unknown. */
  not_examined?: readonly NotExamined[] | undefined
}

/** A version of a cell, with the coordinates of the cell. */
export interface HistoryLine extends HistoryVersion {
  cell: CellCoordinates
}

/** The version of a cell in one fragment. */
export interface HistoryVersion {
  /** Name of the fragment. */
  fragment: StoredName
  /**
   * Time of writing: the timestamp of the cell itself, or else of its fragment. For a consolidated dense
   * fragment, this is the timestamp of the newest replaced fragment that has the cell. If the replaced fragments are gone, it is null,
   * and the cell was written within `timestamp_range`. For a cell that was never written, it is null as well.
   */
  written: Time | null
  /**
   * Whether consolidation of a dense array stored fill values for a cell that was never written. `yes`: none of the replaced fragments
   * has the cell. `maybe`: these fragments are gone, and the cell has the fill value in every attribute that is shown.
   */
  never_written?: 'yes' | 'maybe' | undefined
  /** Values of the attributes, as a read of this version returns them. */
  values: Record<string, CellValue>
  /**
   * What a read does with the version. `current`: the read returns it. `overwritten`: a newer version replaces it. `deleted`: it meets a
   * delete condition. `later`, `earlier`: it is not between the times of the read. `hidden`: a vacuum or ignore file hides its fragment.
   * `uncommitted`: no commit names its fragment.
   */
  state: 'current' | 'overwritten' | 'deleted' | 'later' | 'earlier' | 'hidden' | 'uncommitted'
  /** What hid the version first; null if nothing hides it, or only the times of the read. */
  by: HistoryHiddenBy | null
  /** Names of attributes that the fragment lacks. Their values are fill values. */
  filled?: readonly string[] | undefined
  /** First and last timestamp of the fragment; null if its name has none. */
  timestamp_range: TimestampRange | null
  tile: TileIndex
  /** Index of the cell in the tile. */
  position: Count
}

/** The cause that hides a version of a cell. */
export interface HistoryHiddenBy {
  /** `fragment`: a newer version. `delete`: a delete condition. `vacuum`, `ignore`: a file that names the fragment. */
  kind: 'fragment' | 'delete' | 'vacuum' | 'ignore'
  /**
   * Name of the fragment with the newer version, of the delete commit, or of the fragment into which the hidden fragment was
   * consolidated.
   */
  name?: StoredName | undefined
  /** Path of the commit file in the array. */
  file?: StoredName | undefined
  /** Time of the newer version, if it is known, or of the delete commit. */
  time?: Time | undefined
  /** Delete condition as the user wrote it: the cells that meet it are deleted. */
  condition?: string | undefined
  /**
   * Names of the condition's fields that are null in this version. TileDB stores the condition of the cells that stay, which no null
   * meets. So a delete takes nulls as if they met each of its comparisons.
   */
  nulls?: readonly string[] | undefined
}
