import type { DocumentHead } from './common.ts'
import type { GroupParts } from './group.ts'

/**
 * `tiledb-inspect ls <folder> --json`, for a plain folder with arrays and groups in it, which are its members. NDJSON: one member a line,
 * as of a group (`group.json#/$defs/line`).
 */
export interface DatasetDocument extends DocumentHead<'dataset'>, GroupParts {}
