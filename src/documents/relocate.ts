import type { ObjectType } from '../format/layout.ts'
import type { Bytes, Count, DocumentHead, Path } from './common.ts'

/** `tiledb-inspect recover --relocate <group> --to DIR --json`. */
export interface RelocateDocument extends DocumentHead<'relocate'> {
  /** The folder that was written. */
  written_to: Path
  /** Every member at any depth. */
  members: readonly RelocatedMember[]
  /** Number of groups whose lists were written anew, the target included. */
  group_num: Count
  /** Number of arrays. */
  array_num: Count
  /** Bytes of the arrays that were copied. */
  size: Bytes
}

/** A member of the new group. */
export interface RelocatedMember {
  /** Names from the group down. */
  member: string
  type: ObjectType
  /** The path of the member in the new folder. */
  to: string
  /** The URI that the source has, as stored. */
  uri: string
  /** Where its files are taken from; null if nothing is there. */
  source: Path | null
  /** `written`: a group, whose own files were written. `copied`: an array with all its files. `to copy`: an array that is not in the new folder yet. `gone`: nothing is there to copy. */
  state: 'written' | 'copied' | 'to copy' | 'gone'
}
