import type { ObjectType } from '../format/layout.ts'
import type { MemberPlace, MemberState } from '../objects/dataset.ts'
import type { Target } from '../objects/target.ts'
import type { AsOf, DocumentHead, ErrorInfo, KeyValues, OfSeveral, Path } from './common.ts'

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
  /** Type, according to the group. */
  type: ObjectType
  /** URI, as stored. */
  uri: string
  /** Whether the URI is relative to the group. */
  relative: boolean
  /**
   * Whether the member is in no list of members. Groups of releases before TileDB 2.8 have no list: the arrays and groups in the
   * folder are their members.
   */
  implicit: boolean
  /** What was found at the URI. */
  state: MemberState
  /** Where TileDB reads the member from; null if it reads nothing. */
  resolved: Path | null
  /** Whether that place is in the dataset: a member elsewhere is not in a copy of it. */
  place: MemberPlace
  /** The path of names of the same object where it was listed first. */
  again?: string | undefined
  /** The type that was found, if it is not the type that the group says. */
  found?: Target['type'] | undefined
  /** Why the member, or its own members, cannot be read. */
  error?: ErrorInfo | undefined
  /** Members of a group. Only with `--depth`. */
  members?: readonly GroupLine[] | undefined
}
