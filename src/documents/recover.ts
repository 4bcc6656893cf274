import type { Count, DocumentHead, Path, StoredName } from './common.ts'

/** `tiledb-inspect recover <target> --to DIR --json`. */
export interface RecoverDocument extends DocumentHead<'recover'> {
  /** The folder that was written. */
  to: Path
  /** What became of every fragment that a commit names. */
  fragments: readonly RecoverFragment[]
  /** What was not written again. */
  left_out: readonly RecoverLeftOut[]
  /** Cells in what was written; of dense fragments, those inside of their boxes. */
  cell_num: Count
  /** Cells that are lost; null: nobody knows how many a lost fragment had. */
  cells_lost: Count | null
  /** The file with a line for each lost cell; null if there is none. */
  lost_file: Path | null
  /** What check still finds wrong: codes of its errors. It was wrong before, and recover does not mend it: cells, or files outside of the fragments. */
  remaining: readonly string[]
  /** Of a fragment: its place in the array. Null for an array. */
  place: Path | null
  /** Whether cells are lost, or anything left out is a loss. */
  lost: boolean
}

/** A fragment. */
export interface RecoverFragment {
  /** Name. */
  name: StoredName
  /** kept: the same bytes; rebuilt: the same cells, metadata anew; partly: without the tiles that cannot be read; lost. */
  outcome: 'kept' | 'rebuilt' | 'partly' | 'lost'
  /** Cells that were kept. */
  cell_num: Count
  /** Cells that are lost; null: nobody knows how many. */
  cells_lost: Count | null
  /** Why cells are lost, in words; the first reason of several. */
  why: string | null
  /** What check finds wrong with it in the source: codes of its errors. */
  codes: readonly string[]
  /** What nothing told, and was taken for granted, in words. */
  assumed: readonly string[]
  /** The fragments that hold its cells: itself; several, if unreadable tiles part a dense one; those that it replaced, if they were still there. */
  written_as: readonly StoredName[]
}

/** A file or folder that was not written again. */
export interface RecoverLeftOut {
  path: Path
  /** Why, in words. */
  why: string
  /** Whether a reader misses it, or, where TileDB reads no fragment, it has cells that are nowhere else. */
  is_loss: boolean
}
