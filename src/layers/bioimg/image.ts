import type { DatasetPart } from '../part.ts'
import { factOf, jsonList, jsonNumber, jsonOf, keyOf, stringOf } from '../text.ts'

/*
 * An image of BioImaging: a group with a dense array for each size of the image.
 *
 * Source: TileDB-BioImaging, spec/specification.md and tiledb/bioimg/converters.
 */

export const FORMAT_VERSION = 'fmt_version'
export const KNOWN_VERSIONS: ReadonlySet<number> = new Set([1, 2])
/** The list of levels, as JSON. */
export const LEVELS_KEY = 'levels'
/** Written last: whether the ingestion ended. */
export const VALID = 'valid'
/** Keys whose values are JSON. */
export const JSON_KEYS = [LEVELS_KEY, 'channels', 'pixel_depth', 'metadata', 'original_metadata']

/** A level, as the list of the group has it. */
export interface ListedLevel {
  level: number | undefined
  name: string | undefined
  axes: string | undefined
  shape: readonly (number | undefined)[]
}

/** The list of levels. Empty if it cannot be read. */
export async function listedLevels(part: DatasetPart): Promise<ListedLevel[]> {
  return jsonList((await jsonOf(part, LEVELS_KEY))?.value).map((one) => ({
    level: jsonNumber(keyOf(one, 'level')),
    name: stringOf(keyOf(one, 'name')),
    axes: stringOf(keyOf(one, 'axes')),
    shape: jsonList(keyOf(one, 'shape')).map(jsonNumber),
  }))
}

/** The arrays of levels, from the largest image to the smallest. */
export function levelParts(part: DatasetPart): DatasetPart[] {
  const number = ({ names }: DatasetPart): number => numberInName(names.at(-1) ?? '') ?? Number.POSITIVE_INFINITY
  return [...part.parts.values()].filter(({ array }) => array).sort((a, b) => number(a) - number(b))
}

/** The number of a level in its name: `l_2.tdb`. */
export function numberInName(name: string): number | undefined {
  const digits = /^l_(\d+)/.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The level that an array says that it is. */
export function statedLevel(part: DatasetPart): Promise<number | undefined> {
  return part.number('level')
}

export async function isEnded(part: DatasetPart): Promise<boolean> {
  return Boolean(await factOf(part, VALID))
}

/** How many values of each level lie side by side in X, which the filter WEBP wants: a function of the level. */
export async function depthsOf(part: DatasetPart): Promise<(level: number) => number> {
  const depths = (await jsonOf(part, 'pixel_depth'))?.value
  return (level) => jsonNumber(keyOf(depths, String(level))) ?? 1
}
