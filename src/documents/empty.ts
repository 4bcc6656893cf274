import type { DocumentHead } from './common.ts'

/** The output with `--json` if there is nothing to show: a group without members, an array without fragments. */
export interface EmptyDocument extends DocumentHead<'empty'> {
  /** What is missing, in words. */
  message: string | null
}
