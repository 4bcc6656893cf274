import type { DocumentHead } from './common.ts'

/** `tiledb-inspect page <target> --json`, before it waits. */
export interface PageDocument extends DocumentHead<'page'> {
  /** Where the page is, for this machine alone and as long as the program runs. */
  url: string
}
