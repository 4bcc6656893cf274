import type { DocumentHead } from './common.ts'

/** `tiledb-inspect completion <shell> --json`. `path` is the name of the shell. */
export interface CompletionDocument extends DocumentHead<'completion'> {
  /** The script that completes commands, options and fields in the shell. */
  script: string
}
