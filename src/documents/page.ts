import type { DocumentHead } from './common.ts'

/** `tiledb-inspect page --json`: where the page is. */
export type PageDocument = PageServed | PageSite

/** A page that is served, printed when it can be opened. */
export interface PageServed extends DocumentHead<'page'> {
  /** URL of the page. It works on this machine only, and while the program runs. */
  url: string
}

/** The files of a page for a web server (`--static`). */
export interface PageSite extends DocumentHead<'page'> {
  /** Names of the files in the new folder. */
  files: readonly string[]
}
