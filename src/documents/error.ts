import type { ErrorInfo } from './common.ts'

/** What stands on stdout in place of a document, with `--json` and NDJSON, where a command fails. */
export interface ErrorDocument {
  error: ErrorInfo
}
