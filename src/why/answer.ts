import type { Count, Int64, StoredName } from '../base/quantities.ts'

/** What a file or folder of an array or a group is for, and what changes for a reader without it. */
export interface Answer {
  /** What it is, in words. */
  what: string
  /** The array or group that it is part of. */
  root: string
  /** What needs it, upwards: each with what needs that in turn. Empty: nothing does. */
  needed_by: readonly Need[]
  /** What a reader sees otherwise without it. Empty: no reader sees a difference. */
  without: readonly Effect[]
  /** open: TileDB does not open the array; read: reads fail; silent: reads give something else, without an error; other: only writing, consolidation or vacuum; nobody: no one. */
  noticed: readonly NoticedBy[]
  /** yes: no reader and no writer sees a difference; tiledb: a call of TileDB removes it, and a read as of now stays the same; no: something is lost. */
  delete: 'yes' | 'tiledb' | 'no'
  /** Why, in words. */
  reason: string
  /** What to run in place of deleting the path by hand, or how to delete it. */
  how?: string | undefined
  /** First and last time of which reads are empty after the vacuum that `how` names. */
  empties?: readonly [first: Int64, last: Int64] | undefined
  /** First and last time as of which key-value metadata is other after that vacuum. */
  changes_metadata?: readonly [first: Int64, last: Int64] | undefined
}

export type NoticedBy = 'open' | 'read' | 'silent' | 'other' | 'nobody'

/** What needs a file or folder. The documents print it as it is. */
export interface Need {
  /** Path in the array or group; of what lies further up, as a user would write it. Empty for the array or group itself. */
  path: StoredName
  /** What it is. */
  why: string
  /** What needs that in turn. */
  needed_by: readonly Need[]
}

/** A difference that a reader sees. The documents print it as it is. */
export interface Effect {
  /**
   * fails: TileDB does not open the array; opens: it does not now, and does then; fields: reads of these fields fail; cells: other cells;
   * schema: another schema; metadata: other key-value metadata; enumerations: these cannot be read; labels: reads by them fail; members: other members of a group.
   */
  outcome: 'fails' | 'opens' | 'fields' | 'cells' | 'schema' | 'metadata' | 'enumerations' | 'labels' | 'members'
  /** First and last time of the openings that show it; null for the last: now, and later. */
  as_of: readonly [first: Int64, last: Int64 | null]
  /** Set if only openings between two times show it, of which these are one. */
  between?: true | undefined
  /** Names of the fields, keys, enumerations or members. */
  names?: readonly StoredName[] | undefined
  /** Cells that a read gives now, and not without it. */
  lost?: Count | undefined
  /** Cells that a read gives only without it. */
  added?: Count | undefined
  /** Cells that have other values. */
  changed?: Count | undefined
  /** Whether the numbers of cells were counted, or are bounds; of fields, at most: tiles that newer cells or deletes hide as a whole are not read. */
  certainty?: 'exact' | 'at most' | undefined
  /** What TileDB cannot find. */
  message?: string | undefined
}
