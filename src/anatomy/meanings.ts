/** Units of the format's fields, by name: sizes and offsets say nothing without one. */

const BYTES =
  /(?:^|_)(?:size|sizes|length|offset|offsets|bytes|extent_length)$|^(?:max_chunk_size|max_window_size|byte_width|part_length|id_size)$/
const CELLS = /^(?:capacity|last_tile_cell_num|null_count)$|_null_counts$/
const UNITS: Readonly<Record<string, string>> = {
  format_version: 'format version',
  sparse_tile_num: 'tiles',
  mbr_num: 'MBRs',
  level_num: 'levels',
  chunk_num: 'chunks',
  filter_num: 'filters',
  attribute_num: 'attributes',
  dimension_num: 'dimensions',
  fragment_num: 'fragments',
  member_num: 'members',
  condition_num: 'conditions',
}

/** `bytes`, `cells`, `tiles`…; undefined for what is no amount. */
export function unitOf(name: string): string | undefined {
  if (Object.hasOwn(UNITS, name)) return UNITS[name]
  if (CELLS.test(name)) return 'cells'
  return BYTES.test(name) ? 'bytes' : undefined
}

const MEANINGS: Readonly<Record<string, string>> = {
  compressor: 'its number among compressors, not among filters',
  fanout: 'MBRs below one of the level above',
  null_tile_extent: '1: the dimension has no tile extent',
  fill_value_validity: '0: the fill value is null',
  null_nonempty_domain: 'whether the non-empty domain is unset',
  slack: 'TileDB passes over it',
  extra: 'not defined in this version; TileDB passes over it',
  bounding_coords: 'first and last cell of each tile; TileDB ignores them',
  iv: 'initialisation vector',
  value_offset: 'subtracted from every value of the window',
  'members.uri': 'where the member is',
  'dimension_labels.uri': 'where the array of the label is',
}

/** @param path of the field; names that mean different things in different lists are listed with theirs */
export function meaningOf(name: string, path: readonly string[]): string | undefined {
  const listed = `${path.at(-3)}.${name}`
  if (Object.hasOwn(MEANINGS, listed)) return MEANINGS[listed]
  return Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : undefined
}

/** Structures that begin with the format version say so only where it is one: groups and enumerations have their own. */
export function withFormatVersion<P extends { name: string; unit?: string | undefined }>(
  part: P,
  path: readonly string[],
): P {
  return path.length === 1 && part.name === 'version' ? { ...part, unit: 'format version' } : part
}
