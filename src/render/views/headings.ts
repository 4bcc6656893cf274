/**
 * Headings of tables, in the terminal and on the page. A heading is the key of the fact in JSON, in words. Some keys have a shorter
 * heading, which stands only here, or in `terminal-headings.ts`. `docs/names.md` lists them with the facts.
 */

/** Headings that are not just the words of their key. */
export const SHORT_HEADINGS = {
  by: 'why',
  cell_num: 'cells',
  cells_in_domain: 'cells',
  array_schema_name: 'schema',
  nonempty_domain: 'non-empty domain',
  original_length: 'unfiltered',
  overlap_num: 'overlaps',
  tile_num: 'tiles',
  timestamp_range: 'time',
  unfiltered_size: 'unfiltered',
} as const

const short: Readonly<Record<string, string>> = SHORT_HEADINGS

/** Returns the heading of a fact. @param key its key in JSON */
export function heading(key: string): string {
  return short[key] ?? key.replaceAll('_', ' ')
}
