import type { Prose } from '../base/prose.ts'
import type { Count, DocumentHead, Path, StoredName } from './common.ts'

/** `tiledb-inspect recover <target> --to DIR --json`. */
export interface RecoverDocument extends DocumentHead<'recover'> {
  /** The folder that was written. */
  written_to: Path
  /** Outcome for every fragment that a commit names. */
  fragments: readonly RecoverFragment[]
  /** Files and folders that were not written again. */
  left_out: readonly RecoverLeftOut[]
  /** Number of cells that were written; in dense fragments, of those inside their boxes. */
  cell_num: Count
  /** Number of lost cells; null if it is unknown how many cells a lost fragment had. */
  cells_lost: Count | null
  /** The file with a line for each lost cell; null if there is none. */
  lost_file: Path | null
  /** Codes of the errors that check still finds. They were there before, and recover does not mend them: cells, or files outside of the fragments. */
  remaining: readonly string[]
  /** Where the recovered fragment belongs in its array; null if the target is an array. */
  place: Path | null
  /** Whether cells are lost, or anything that was left out is a loss. */
  is_loss: boolean
}

/** A fragment of the source. */
export interface RecoverFragment {
  /** Name of the fragment. */
  name: StoredName
  /** `kept`: the same bytes. `rebuilt`: the same cells with new metadata. `partly`: without the tiles that cannot be read. `lost`: nothing. */
  outcome: 'kept' | 'rebuilt' | 'partly' | 'lost'
  /** Number of cells that were kept. */
  cell_num: Count
  /** Number of lost cells; null if it is unknown. */
  cells_lost: Count | null
  /** The first reason why cells are lost, in words; null if none are lost. */
  reason: Prose | null
  /** Codes of the errors that check finds in the fragment. */
  codes: readonly string[]
  /** Facts that nothing in the files shows, and that were assumed, in words. */
  assumed: readonly string[]
  /** Tiles whose cells contradict what the metadata says about them, and still do: nothing shows that the metadata is wrong. */
  contradictions: readonly RecoverContradiction[]
  /**
   * Names of the new fragments with its cells: the fragment itself; several, if unreadable tiles split a dense one; or those that it
   * replaced, if they still existed.
   */
  written_as: readonly StoredName[]
}

/** A tile of a fragment of the source, and the field whose cells contradict its metadata. */
export interface RecoverContradiction {
  /** Index of the tile in the fragment of the source. */
  tile: Count
  /** Name of the field. */
  field: StoredName
  /** Codes of the findings. */
  codes: readonly string[]
  /** Number of cells of the tile. Some of them are wrong, if the metadata is right. */
  cells: Count
}

/** A file or folder that was not written again. */
export interface RecoverLeftOut {
  path: Path
  /** Why it was left out, in words. */
  reason: Prose
  /** Whether readers miss it. If TileDB reads no fragment: whether it has cells that nothing else has. */
  is_loss: boolean
}
