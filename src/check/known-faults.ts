import type { Dimension } from '../format/dimension.ts'
import type { FragmentInfo } from '../fragment.ts'
import { hasMinMax, type StatisticsField } from '../write/tile-statistics.ts'
import type { FindingCode } from './codes.ts'

/**
 * Faults of TileDB releases that their arrays show: findings of them are notes. Each gives what to say of it, or undefined
 * where a fault is not a known one.
 */

/** Seen in formats 5 to 9, not since. */
export function emptyStringFault(
  info: FragmentInfo,
  { cell_val_num }: Dimension,
  lowerEnd: Uint8Array | undefined,
): string | undefined {
  if (info.format_version >= 10 || cell_val_num !== 'var' || lowerEnd?.length !== 0) return undefined
  return 'TileDB before 2.4 works out wrong upper ends of boxes that begin with the empty string: readers may miss cells'
}

/** Formats 7 and 8 order some close cells otherwise; 9 and later as this program does. */
export const HILBERT_SETTLED = 9
export const HILBERT_FAULT =
  'TileDB before 2.3 orders some close cells otherwise; newer releases read them all the same'

/** Seen in formats 1 to 4. */
export const FLOAT_TILES_SINCE = 5
export const FLOAT_FAULT = 'TileDB before 2.0 orders cells of float domains without regard to tiles'

/** @see format_spec/array_format_history.md; tiledb/sm/tile/tile_metadata_generator.cc */
export function statisticsFault(info: FragmentInfo, field: StatisticsField, code: FindingCode): string | undefined {
  const text = field.type === 'CHAR' || field.type === 'STRING_ASCII'
  if (field.nullable && text && field.cell_val_num !== 'var' && info.dense && info.format_version < 21)
    return 'before format 21 TileDB does not work these out right for nullable strings of one length'
  if (code === 'TILE_NULL_COUNT' || code === 'FRAGMENT_NULL_COUNT') {
    if (field.cell_val_num === 'var' && !hasMinMax(field))
      return 'TileDB counts no nulls of var-sized fields that have no minima and maxima'
    if (info.dense && field.cell_val_num !== 1)
      return 'TileDB counts nulls of dense attributes of several values a cell several times'
  }
  const extremes = code === 'TILE_MIN_MAX' || code === 'FRAGMENT_MIN_MAX'
  if (extremes && info.dense && field.cell_val_num === 'var')
    return 'TileDB keeps minima and maxima of var-sized attributes of dense fragments at wrong tiles'
  return undefined
}
