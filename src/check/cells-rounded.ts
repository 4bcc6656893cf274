import type { ColumnData } from '../cells/column.ts'
import { numbersOf } from '../cells/elements.ts'
import { isStorable, misreadAs, roundingAt } from '../cells/loss.ts'
import type { FloatScale } from '../filters/scale-float.ts'
import type { Datatype } from '../format/datatype.ts'
import { cellValue } from '../format/value.ts'
import { type Finding, type FindingPlace, finding } from './finding.ts'

/** What the metadata tells about the values of a tile as they were written. */
export interface WrittenBounds {
  min: number
  max: number
  /** Whether all values lay between `min` and `max`. After a NaN TileDB starts them anew. */
  holdAll: boolean
  /** Whether a value was NaN. */
  hasNaN: boolean
}

/** The value that SCALE_FLOAT could not store, for which there is no room in its integers; undefined if all could be stored. */
export function unstorable({ min, max, hasNaN }: WrittenBounds, scale: FloatScale): number | undefined {
  if (hasNaN) return Number.NaN
  return [max, min].find((value) => !isStorable(value, scale))
}

/**
 * The finding about the cells of a tile that were lost when SCALE_FLOAT stored them; undefined if none were. Cells outside the bounds are
 * certainly lost. Inside, a cell counts as lost only if it has the value that a lost bound, or NaN, turns into.
 *
 * @param cells positions of the cells that count: no padding and no nulls
 */
export function lostByScale(
  { type, scale }: { type: Datatype; scale: FloatScale },
  { data }: ColumnData,
  cells: Iterable<number>,
  bounds: WrittenBounds,
  place: FindingPlace,
): Finding | undefined {
  const cause = unstorable(bounds, scale)
  if (cause === undefined) return undefined
  const { min, max, holdAll, hasNaN } = bounds
  const [low, high] = [min - roundingAt(min, scale), max + roundingAt(max, scale)]
  const causes = [...(hasNaN ? [Number.NaN] : []), ...[min, max].filter((value) => !isStorable(value, scale))]
  const misread = new Set(causes.map((value) => misreadAs(value, scale)))
  const values = numbersOf(type, data)
  let certain = 0
  let lost = 0
  let first = -1
  let all = 0
  for (const cell of cells) {
    all++
    const value = values[cell]
    const isOutside = holdAll && (value < low || value > high)
    if (!isOutside && !misread.has(value)) continue
    if (isOutside) certain++
    lost++
    if (first < 0) first = cell
  }
  const least = Math.max(1, certain)
  // Integers of 1 and 2 bytes wrap around, so that others may hide between the bounds. In wider types every value out of range is stored
  // as the lowest integer, which an intact cell may hold, too.
  const between = lost > least ? `${least} to ${lost}` : `${lost}`
  const num = scale.width < 4 ? `at least ${least}` : between
  const text = (value: number): string => {
    const bytes = new Uint8Array(scale.single ? Float32Array.of(value).buffer : Float64Array.of(value).buffer)
    return String(cellValue(type, 1, bytes, { raw: false }))
  }
  const { width } = scale
  const offset = scale.offset === 0 ? '' : ` and offset ${text(scale.offset)}`
  const why = `${text(cause)} does not fit into ${width} byte${width === 1 ? '' : 's'} at scale ${text(scale.scale)}${offset}`
  const expected = `the values that were written${hasNaN ? ', NaN among them' : `: ${text(min)} to ${text(max)}`}`
  const found =
    lost === 0
      ? `other values in place of at least one of ${all} cells: ${why}`
      : `${num} of ${all} cells with other values, such as ${text(values[first])}: ${why}`
  return finding('CELL_LOST', first < 0 ? place : { ...place, cell: first }, expected, found)
}
