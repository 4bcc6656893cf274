import type { Effect, Need } from '../why/answer.ts'
import type { DocumentHead, Path, TimestampRange } from './common.ts'

/** `tiledb-inspect why <path> --json`. */
export interface WhyDocument extends DocumentHead<'why'> {
  /** What the file or folder is, in words. */
  what: string
  /** The array or group that it is part of; the path itself if it is one. */
  root: Path
  /** What needs it, each with what needs that in turn, up to the topmost. Empty: nothing does. */
  needed_by: readonly Need[]
  /** What a reader sees otherwise without it. Empty: no reader sees a difference. */
  without: readonly Effect[]
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
  /** First and last time of which reads are empty after the vacuum that `how` names; null: none. */
  empties: TimestampRange | null
  /** First and last time as of which key-value metadata is other after the vacuum that `how` names; null: none. */
  changes_metadata: TimestampRange | null
}
