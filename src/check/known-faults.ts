import { isPlainText } from '../cells/extremes.ts'
import { validityAsValues } from '../cells/slot-type.ts'
import { countsNulls, hasMinMax, type StatisticsField } from '../cells/tile-statistics.ts'
import { TYPES_CHECKED_SINCE } from '../filters/filter.ts'
import { filterOf, typeAfter } from '../filters/registry.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import type { Dimension } from '../format/dimension.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { countsValidityTiles, type FragmentInfo } from '../objects/fragment.ts'
import type { TileList } from '../objects/tile-lists.ts'
import type { KnownFault } from './codes/known.ts'
import type { FindingCode } from './codes.ts'

/*
 * Recognizes faults of TileDB releases that show in their arrays. Each function returns the key of the fault, or undefined if it is not
 * a known one.
 */

/** The fault of boxes that begin with the empty string. Seen in formats 5 to 9, not in later ones. */
export function emptyStringFault(
  info: FragmentInfo,
  { cell_val_num }: Dimension,
  lowerEnd: Uint8Array | undefined,
): KnownFault | undefined {
  if (info.format_version >= 10 || cell_val_num !== 'var' || lowerEnd?.length !== 0) return undefined
  return 'emptyString'
}

/** The fault of empty entries after the last tile of a list. */
export async function surplusFault(info: FragmentInfo, list: TileList<Float64Array>): Promise<KnownFault | undefined> {
  if (!countsValidityTiles(info) || list.count <= info.tile_num) return undefined
  const { first, entries } = await list.block(info.tile_num, list.count)
  if (entries.subarray(info.tile_num - first).some((entry) => entry !== 0)) return undefined
  return 'surplusEntries'
}

/** The fault of validity that has other values than 0 and 1, or that is readable only with the type of the values. */
export function validityFault(
  info: FragmentInfo,
  field: Pick<StatisticsField, 'type' | 'nullable'>,
): KnownFault | undefined {
  return validityAsValues(info, field) ? 'validityAsValues' : undefined
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

/**
 * The fault of statistics that a release is known to compute differently from the cells; undefined if both ways agree.
 *
 * @see written-statistics.ts
 */
export function statisticsFault(info: FragmentInfo, field: StatisticsField, code: FindingCode): KnownFault | undefined {
  const varSized = field.cell_val_num === 'var'
  if (code === 'FRAGMENT_MIN_MAX') return 'extremesOfNulls'
  if (code === 'TILE_NULL_COUNT' && !countsNulls(field)) return varSized ? 'varNullsUncounted' : 'textNullsUncounted'
  if (!info.dense || !field.nullable || (code !== 'TILE_NULL_COUNT' && code !== 'TILE_MIN_MAX')) return undefined
  if (code === 'TILE_NULL_COUNT' && !hasMinMax(field)) return 'denseNullsRepeated'
  if (varSized) return 'denseStringValidity'
  if (code === 'TILE_MIN_MAX' && isPlainText(field) && info.format_version < 21) return 'nullableTextExtremes'
  return undefined
}
