import type { Count } from '../base/quantities.ts'

/** What a file or folder of an array or a group is for, and what becomes of a reader without it. */
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
}

export type NoticedBy = 'open' | 'read' | 'silent' | 'other' | 'nobody'

/** What needs something. */
export interface Need {
  /** Path inside of the array or group; empty for the array or group itself, or the path of one further up. */
  path: string
  /** What it is, and what for. */
  why: string
  /** What needs that in turn. */
  needed_by: readonly Need[]
}

/** A difference that a reader sees. */
export interface Effect {
  /**
   * fails: TileDB does not open it; opens: what failed before does not any more; fields: reads of some fields fail; cells: other
   * cells; schema: another schema; metadata: other key-value metadata; enumerations: some cannot be read; labels: reads by them fail; members: other members of a group.
   */
  outcome: 'fails' | 'opens' | 'fields' | 'cells' | 'schema' | 'metadata' | 'enumerations' | 'labels' | 'members'
  /** First and last time at which an array that is opened as of that time shows it; null: up to now and later. */
  as_of: readonly [first: bigint, last: bigint | null]
  /** Set if it shows only where the array is opened between two times, the first of them later than 0. */
  between?: boolean | undefined
  /** Names of the fields, keys, enumerations or members. */
  names?: readonly string[] | undefined
  /** Cells that a read gives now, and not without it. */
  lost?: Count | undefined
  /** Cells that a read gives only without it. */
  added?: Count | undefined
  /** Cells with other values. */
  changed?: Count | undefined
  /** Whether the numbers of cells are counted, or bounds; of fields, `at most`: tiles that newer cells or deletes hide as a whole are not read. */
  certainty?: 'exact' | 'at most' | undefined
  /** The error, if one is known. */
  message?: string | undefined
}
