import type { Prose } from '../base/prose.ts'
import type { Effect, Need, OpeningRequests } from '../why/answer.ts'
import type { DocumentHead, LayerPlace, Path, TimestampRange } from './common.ts'

/** `tiledb-inspect why <path> --json`. */
export interface WhyDocument extends DocumentHead<'why'> {
  /** What the file or folder is, in words. */
  what: Prose
  /** The array or group that contains it, or the path itself if it is an array or group. */
  root: Path
  /** What the array is in the words of the layer that it belongs to; left out if no layer is known. */
  layer_place?: LayerPlace | undefined
  /** Everything that needs it, each with what needs that in turn, up to the array or group. Empty if nothing needs it. */
  needed_by: readonly Need[]
  /** Differences that readers see without it. Empty if there are none. */
  without: readonly Effect[]
  /** Requests that opening the array takes TileDB. Left out unless saving requests is all that the path is for. */
  opening_requests?: OpeningRequests | undefined
  /**
   * Who notices that it is missing. `open`: TileDB does not open the array. `read`: reads fail. `silent`: reads return something else,
   * without an error. `other`: not readers, but consolidation, vacuum, writers or other releases. `nobody`: nobody.
   */
  noticed_by: readonly ('open' | 'read' | 'silent' | 'other' | 'nobody')[]
  /**
   * Whether it may be deleted. `yes`: no reader and no writer sees a difference. `tiledb`: only by the call of TileDB in `how`, after which a
   * read as of now is the same. `no`: something would be lost.
   */
  delete: 'yes' | 'tiledb' | 'no'
  /** Reason for the answer, in words. */
  reason: Prose
  /** Command or call that deletes it; if the answer is `no`, the one that deletes it together with everything that it contains. */
  how: string | null
  /** First and last time of reads that are empty after the vacuum in `how`; null if there are none. */
  empties: TimestampRange | null
  /** First and last time of reads whose key-value metadata differs after the vacuum in `how`; null if there are none. */
  changes_metadata: TimestampRange | null
}
