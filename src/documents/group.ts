import type { ObjectType } from '../format/layout.ts'
import type { MemberState } from '../store/group-members.ts'
import type { Target } from '../store/target.ts'
import type { AsOf, DocumentHead, ErrorInfo, KeyValues, OfSeveral } from './common.ts'

/** `tiledb-inspect ls <group> --json`. NDJSON: one member a line (`$defs/line`). */
export interface GroupDocument extends DocumentHead<'group'>, AsOf {
  /** Members in stored order. */
  members: readonly GroupLine[]
  metadata: KeyValues
}

/** A member. */
export interface GroupLine extends OfSeveral {
  /** Name; null if it has none. */
  name: string | null
  /** What the group says it is. */
  type: ObjectType
  /** Where it is, as stored. */
  uri: string
  /** Whether the URI is relative to the group. */
  relative: boolean
  /**
   * True where no list of members names it: groups before TileDB 2.8 keep no list, and the arrays and groups in the
   * folder count.
   */
  implicit: boolean
  /** What is there. */
  state: MemberState
  /** What it is, if the group says something else. */
  found?: Target['type'] | undefined
  /** Why it, or its members, cannot be read. */
  error?: ErrorInfo | undefined
  /** With --depth, for a group: its members. */
  members?: readonly GroupLine[] | undefined
}
