import type { DocumentHead } from './common.ts'

/** `tiledb-inspect whatif <target> --emit python --json`. */
export interface SchemaPythonDocument extends DocumentHead<'schema-python'> {
  /** TileDB-Py code that creates an empty array with this schema. Comments name the parts that TileDB-Py cannot create. */
  python: string
}
