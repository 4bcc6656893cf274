import type { Prose } from '../base/prose.ts'
import type { Count, Int64, StoredName } from '../base/quantities.ts'

/*
 * The documents print these types as they are, apart from paths.
 */

/** What a file or folder of an array or a group is for, and what changes for a reader without it. */
export interface Answer {
  /** What it is, in words. */
  what: Prose
  /** The array or group that it is part of. */
  root: string
  /** What needs it, and in turn what needs that. Empty if nothing needs it. */
  needed_by: readonly Need[]
  /** The differences that readers see without it. Empty if there are none. */
  without: readonly Effect[]
  /** open: TileDB does not open the array; read: reads fail; silent: reads return something else without an error; other: only writing, consolidation or vacuum notices; nobody: no one does. */
  noticed: readonly NoticedBy[]
  /** Set if opening takes fewer requests with the path, and that is all that it is for. */
  opening_requests?: OpeningRequests | undefined
  /** yes: no reader and no writer sees a difference; tiledb: a call of TileDB removes it, and a read as of now stays the same; no: something is lost. */
  delete: 'yes' | 'tiledb' | 'no'
  /** Why, in words. */
  reason: Prose
  /** What to run instead of deleting the path by hand, or how to delete it. */
  how?: string | undefined
  /** Paths, in the array, of what holds the same cells, commits or keys in place of what `how` deletes. Only if they are whole is nothing lost. */
  stands_in?: readonly string[] | undefined
  /** First and last time as of which reads are empty after the vacuum in `how`. */
  empties?: readonly [first: Int64, last: Int64] | undefined
  /** First and last time as of which key-value metadata differs after that vacuum. */
  changes_metadata?: readonly [first: Int64, last: Int64] | undefined
}

export type NoticedBy = 'open' | 'read' | 'silent' | 'other' | 'nobody'

/** Requests to an object store that opening an array takes TileDB, as `explain` counts them. */
export interface OpeningRequests {
  /** Number of requests with the path. */
  with_it: Count
  /** Number of requests without the path. */
  without_it: Count
}

/** What needs a file or folder. */
export interface Need {
  /** Path in the array or group. For arrays and groups further up, the path as a user would write it. Empty for the array or group itself. */
  path: StoredName
  /** What it is. */
  what: Prose
  /** What needs that in turn. */
  needed_by: readonly Need[]
}

/** A difference that a reader sees. */
export interface Effect {
  /**
   * fails: TileDB does not open the array; opens: TileDB opens it only without the path; fields: reads of these fields fail; cells: other
   * cells; schema: another schema; metadata: other key-value metadata; enumerations: these cannot be read; labels: reads by these fail;
   * members: other members of a group.
   */
  outcome: 'fails' | 'opens' | 'fields' | 'cells' | 'schema' | 'metadata' | 'enumerations' | 'labels' | 'members'
  /** First and last time as of which it shows. The last is null if it shows now and later. */
  as_of: readonly [first: Int64, last: Int64 | null]
  /** Set if it shows only in openings between two times. `as_of` is then an example. */
  between?: true | undefined
  /** Names of the fields, keys, enumerations or members. */
  names?: readonly StoredName[] | undefined
  /** Number of cells that a read returns now, but not without the path. */
  cells_lost?: Count | undefined
  /** Number of cells that a read returns only without the path. */
  cells_added?: Count | undefined
  /** Number of cells that have other values without the path. */
  cells_changed?: Count | undefined
  /** Whether the numbers of cells were counted or are upper bounds. For fields, `at most`: reads may avoid tiles that newer cells or deletes hide as a whole. */
  certainty?: 'exact' | 'at most' | undefined
  /** What TileDB cannot find. */
  message?: Prose | undefined
}
