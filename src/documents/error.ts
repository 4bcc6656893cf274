import type { ErrorInfo } from './common.ts'

/** Printed on stdout instead of a document if a command fails with `--json` or NDJSON. */
export interface ErrorDocument {
  error: ErrorInfo
}
