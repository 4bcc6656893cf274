import type { ErrorInfo } from './common.ts'

/** Printed on stdout in place of a document if a command with `--json` or NDJSON fails. */
export interface ErrorDocument {
  error: ErrorInfo
}
