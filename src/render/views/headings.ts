/**
 * Headings of tables, in the terminal and on the page. A heading is the key of the fact in JSON, in words. Some keys have a shorter
 * heading, which stands only here. `docs/names.md` lists them with the facts.
 */

/** Headings that are not just the words of their key. */
export const SHORT_HEADINGS = {
  allows_duplicates: 'duplicates',
  by: 'why',
  cell_num: 'cells',
  cell_val_num: 'values a cell',
  cells_in_domain: 'cells',
  data_bytes: 'data',
  data_size: 'data',
  do_mb_s: 'do',
  dropped: 'dropped by',
  file_num: 'files',
  filled_cell_num: 'filled',
  fragment_num: 'fragments',
  array_schema_name: 'schema',
  local_seconds: 'local',
  memory_size: 'in memory',
  nonempty_domain: 'non-empty domain',
  null_count: 'nulls',
  offsets_bytes: 'offsets',
  original_length: 'unfiltered',
  overlap_num: 'overlaps',
  read_mb_s: 'read',
  removed_cell_num: 'cells removed',
  rtree_size: 'R-tree',
  seconds: 'S3',
  statistics_size: 'statistics',
  stored_bytes: 'stored',
  tile_num: 'tiles',
  tile_size: 'stored a tile',
  tiles_inside: 'inside',
  tiles_touched: 'touched',
  timestamp_range: 'time',
  undo_mb_s: 'undo',
  unfilter_seconds: 'to undo filters',
  unfiltered_bytes: 'unfiltered',
  unfiltered_size: 'unfiltered',
  validity_bytes: 'validity',
  value_num: 'length',
  var_unfiltered_size: 'var unfiltered',
} as const

const short: Readonly<Record<string, string>> = SHORT_HEADINGS

/** Returns the heading of a fact. @param key its key in JSON */
export function heading(key: string): string {
  return short[key] ?? key.replaceAll('_', ' ')
}
