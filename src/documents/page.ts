import type { DocumentHead } from './common.ts'

/** `tiledb-inspect page <target> --json`, printed when the page can be opened. */
export interface PageDocument extends DocumentHead<'page'> {
  /** URL of the page. It works on this machine only, and while the program runs. */
  url: string
}
