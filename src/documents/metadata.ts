import type { AsOf, DocumentHead, KeyValues, Path } from './common.ts'

/** `tiledb-inspect metadata <array|group> --json`. */
export interface MetadataDocument extends DocumentHead<'metadata'>, AsOf {
  metadata: KeyValues
  /** For a group: the metadata of every group and array below it. */
  members?: readonly MetadataMember[] | undefined
}

export interface MetadataMember {
  path: Path
  metadata: KeyValues
}
