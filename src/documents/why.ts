import type { Count, DocumentHead, Int64, Path, StoredName } from './common.ts'

/** `tiledb-inspect why <path> --json`. */
export interface WhyDocument extends DocumentHead<'why'> {
  /** What the file or folder is, in words. */
  what: string
  /** The array or group that it is part of; the path itself if it is one. */
  root: Path
  /** What needs it, each with what needs that in turn, up to the topmost. Empty: nothing does. */
  needed_by: readonly WhyNeed[]
  /** What a reader sees otherwise without it. Empty: no reader sees a difference. */
  without: readonly WhyEffect[]
  /**
   * Who notices. open: TileDB does not open the array; read: reads fail; silent: reads give something else, without an error; other: not
   * readers, but consolidation, vacuum, writers or other releases; nobody.
   */
  noticed_by: readonly ('open' | 'read' | 'silent' | 'other' | 'nobody')[]
  /**
   * yes: no reader and no writer sees a difference; tiledb: only by the call of TileDB that `how` names, after which a read as of now is the
   * same; no: something would be lost.
   */
  delete: 'yes' | 'tiledb' | 'no'
  /** Why, in words. */
  reason: string
  /** What to run; where the answer is no, what takes it away together with what it holds. */
  how: string | null
}

/** What needs a file or folder. */
export interface WhyNeed {
  /** Path in the array or group; of what lies further up, as a user would write it. Empty for the array or group itself. */
  path: StoredName
  /** What it is. */
  why: string
  /** What needs that in turn. */
  needed_by: readonly WhyNeed[]
}

/** A difference that a reader sees. */
export interface WhyEffect {
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
