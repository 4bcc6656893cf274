import { isPlainText } from '../cells/extremes.ts'
import { validityAsValues } from '../cells/slot-type.ts'
import { hasMinMax, type StatisticsField } from '../cells/tile-statistics.ts'
import { TYPES_CHECKED_SINCE } from '../filters/filter.ts'
import { filterOf, typeAfter } from '../filters/registry.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { countsValidityTiles, type FragmentInfo } from '../store/fragment.ts'
import type { TileList } from '../store/tile-lists.ts'
import type { FindingCode } from './codes.ts'
import { countsNulls } from './written-statistics.ts'

/*
 * Faults of TileDB releases that show in their arrays. Findings about them become notes. Each function returns the text of the
 * note, or undefined if the fault is not a known one.
 */

/** The fault of boxes that begin with the empty string. Seen in formats 5 to 9, not in later ones. */
export function emptyStringFault(
  info: FragmentInfo,
  { cell_val_num }: Dimension,
  lowerEnd: Uint8Array | undefined,
): string | undefined {
  if (info.format_version >= 10 || cell_val_num !== 'var' || lowerEnd?.length !== 0) return undefined
  return 'TileDB before 2.4 computes wrong upper ends of boxes that begin with the empty string: readers may miss cells'
}

/** Texts about NaN coordinates. Measured with queries of TileDB 2.30 on such arrays, with and without ranges. */
export const NAN_FAULTS = {
  coordinate:
    'TileDB accepts NaN as a coordinate: reads without a range of this dimension find such cells; reads with a range find them only if it covers the whole box of their tile',
  box: 'TileDB makes such a box where the first coordinate of a tile is NaN: reads with a range of this dimension miss the tiles in the box, even cells with other coordinates; reads without one find them',
  domain: 'TileDB writes such a domain where coordinates are NaN; readers still look at the boxes of tiles',
  union:
    'TileDB ignores the boxes before a box of NaN when it computes the box around them: reads with a range of this dimension may miss cells',
} as const

/** The fault of empty entries after the last tile of a list. */
export async function surplusFault(info: FragmentInfo, list: TileList<Float64Array>): Promise<string | undefined> {
  if (!countsValidityTiles(info) || list.count <= info.tile_num) return undefined
  const { first, entries } = await list.block(info.tile_num, list.count)
  if (entries.subarray(info.tile_num - first).some((entry) => entry !== 0)) return undefined
  return 'TileDB 2.2 also added an entry for each validity tile when it wrote in global order; readers never look there'
}

const VALIDITY_FAULT =
  'in ordered writes of dense arrays, TileDB 2.4 to 2.10 filters validity as if it were values, and reads it as bytes: the wrong cells may read as null'

/** The fault of validity that has other values than 0 and 1, or that is readable only with the type of the values. */
export function validityFault(
  info: FragmentInfo,
  field: Pick<StatisticsField, 'type' | 'nullable'>,
): string | undefined {
  return validityAsValues(info, field) ? VALIDITY_FAULT : undefined
}

/** The first filter that later TileDB releases undo with another type than the release that wrote the fragment. */
export function filterOfOtherType(
  filters: readonly FilterConfig[],
  type: Datatype,
  formatVersion: number,
): FilterConfig | undefined {
  let written = type
  let later = type
  for (const filter of filters) {
    if (unitOf(filter, written, formatVersion) !== unitOf(filter, later, formatVersion)) return filter
    written = typeAfter(filter, written, formatVersion)
    later = typeAfter(filter, later, TYPES_CHECKED_SINCE)
  }
  return undefined
}

/** The unit in which a filter works on a type. The same text means that the filter treats two types alike. */
function unitOf(filter: FilterConfig, type: Datatype, formatVersion: number): string {
  const known = filterOf(filter.name)
  if (!known?.elementSize) return ''
  return known.unit?.(type, filter, formatVersion) ?? String(datatypeSize(type))
}

/** @see Conversion in cell-order.ts */
export const ARM_FAULT =
  'TileDB on ARM processors orders cells of float dimensions differently where a tile number is NaN or too large: readers on other processors may merge them wrongly'

export const BATCHES_FAULT =
  'in dense fragments with fewer tiles than attributes, TileDB stores minima and maxima of var-sized attributes for the wrong tiles'

/** Text about minima and maxima of tiles with NaN. TileDB 2.30 uses them for aggregates, but not for query conditions. */
export const NAN_EXTREMES =
  'TileDB starts minimum and maximum of a tile anew after a NaN: aggregates (min, max) of such tiles may be wrong; reads give the cells as they are'

/**
 * The fault of statistics that a release is known to compute differently from the cells; undefined if both ways agree.
 *
 * @see written-statistics.ts
 */
export function statisticsFault(info: FragmentInfo, field: StatisticsField, code: FindingCode): string | undefined {
  const varSized = field.cell_val_num === 'var'
  if (code === 'FRAGMENT_MIN_MAX')
    return 'where all fixed-length strings of a tile are null, TileDB takes minimum and maximum of the fragment from the wrong tiles'
  if (code === 'TILE_NULL_COUNT' && !countsNulls(field))
    return varSized
      ? 'TileDB does not count the nulls of var-sized fields without minima and maxima'
      : 'TileDB does not count the nulls of text in encodings other than ASCII'
  if (!info.dense || !field.nullable || (code !== 'TILE_NULL_COUNT' && code !== 'TILE_MIN_MAX')) return undefined
  if (code === 'TILE_NULL_COUNT' && !hasMinMax(field))
    return 'TileDB counts nulls of dense attributes without minima and maxima once for each run of cells, padding included'
  if (varSized)
    return 'in dense fragments, TileDB uses the validity of the wrong cells to find the strings that are null'
  if (code === 'TILE_MIN_MAX' && isPlainText(field) && info.format_version < 21)
    return 'before format 21 TileDB computes these wrongly for nullable strings of fixed length'
  return undefined
}

export const LOSSY_COORDINATES =
  'a filter of a dimension keeps only some digits of its coordinates: TileDB ordered and bounded the cells by the coordinates as they were written, so readers may skip cells'
