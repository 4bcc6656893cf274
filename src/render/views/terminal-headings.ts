import { heading as sharedHeading } from './headings.ts'

/** Shorter headings of facts that only the terminal shows in tables. The page does without them, as its size counts. */
export const TERMINAL_HEADINGS = {
  allows_duplicates: 'duplicates',
  cell_val_num: 'values a cell',
  data_bytes: 'data',
  data_size: 'data',
  deleted_cell_num: 'deleted',
  do_mb_s: 'do',
  dropped: 'dropped by',
  file_num: 'files',
  filled_cell_num: 'filled',
  fragment_num: 'fragments',
  grown_cell_num: 'cells',
  grown_fragment_num: 'fragments',
  grown_size: 'growth',
  local_seconds: 'local',
  memory_size: 'in memory',
  null_count: 'nulls',
  offsets_bytes: 'offsets',
  overwritten_cell_num: 'overwritten',
  read_mb_s: 'read',
  removed_cell_num: 'cells removed',
  rtree_size: 'R-tree',
  seconds: 'S3',
  statistics_size: 'statistics',
  stored_bytes: 'stored',
  tile_size: 'stored a tile',
  tiles_inside: 'inside',
  tiles_touched: 'touched',
  undo_mb_s: 'undo',
  unfilter_seconds: 'to undo filters',
  unfiltered_bytes: 'unfiltered',
  validity_bytes: 'validity',
  value_num: 'length',
  var_unfiltered_size: 'var unfiltered',
  written_cell_num: 'cells held',
} as const

const short: Readonly<Record<string, string>> = TERMINAL_HEADINGS

/** Returns the heading of a fact in the terminal. @param key its key in JSON */
export function terminalHeading(key: string): string {
  return short[key] ?? sharedHeading(key)
}
