import { type Datatype, datatypeKind } from '../../format/datatype.ts'
import type { AxisRole } from '../../layers/picture.ts'

/** What the coordinates of a dimension stand for, by its name and type. A layer that knows it is asked first. */

const NAMES: readonly (readonly [RegExp, AxisRole])[] = [
  [/^(?:lat|latitude|nav_lat|rlat)s?$/, 'latitude'],
  [/^(?:lon|long|lng|longitude|nav_lon|rlon)s?$/, 'longitude'],
  [/^(?:y|_y|north|northing|y_?coord\w*)$/, 'y'],
  [/^(?:x|_x|east|easting|x_?coord\w*)$/, 'x'],
  [/^(?:row|rows|line|lines|i|height)$/, 'row'],
  [/^(?:col|cols|column|columns|sample|samples|j|width)$/, 'column'],
  [/^(?:t|time|times|date|day|month|year|timestamp|datetime)$/, 'time'],
]

/** Undefined if neither tells. */
export function roleOf({ name, type }: { name: string; type: Datatype }): AxisRole | undefined {
  const lower = name.toLowerCase()
  const known = NAMES.find(([names]) => names.test(lower))?.[1]
  return known ?? (datatypeKind(type) === 'datetime' ? 'time' : undefined)
}

/** Pairs that make a picture, the best first. */
const PAIRS: readonly (readonly [AxisRole, AxisRole])[] = [
  ['latitude', 'longitude'],
  ['y', 'x'],
  ['row', 'column'],
]

/**
 * Which two of several dimensions a picture shows at first: those that are places, otherwise the longest two.
 * @param lengths number of coordinates of each
 * @returns two positions in the list, in its order
 */
export function bestPair(
  roles: readonly (AxisRole | undefined)[],
  lengths: readonly number[],
): readonly [number, number] {
  for (const pair of PAIRS) {
    const [a, b] = pair.map((role) => roles.indexOf(role))
    if (a !== undefined && b !== undefined && a >= 0 && b >= 0) return a < b ? [a, b] : [b, a]
  }
  // Of dimensions of one length, the last lie together in the files.
  const longest = roles.map((_, d) => d).sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0) || b - a)
  const [first = 0, second = 1] = longest
  return first < second ? [first, second] : [second, first]
}
