import type { DocumentHead } from './common.ts'

/** `tiledb-inspect completion <shell> --json`; `path` is the shell. */
export interface CompletionDocument extends DocumentHead<'completion'> {
  /** What the shell runs to complete commands, options and fields. */
  script: string
}
