import type { DocumentHead } from './common.ts'

/** `tiledb-inspect whatif <target> --emit python --json`. */
export interface SchemaPythonDocument extends DocumentHead<'schema-python'> {
  /** TileDB-Py code that makes an empty array of this schema. Comments say what it cannot make. */
  code: string
}
