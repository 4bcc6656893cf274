import type { ArraySchema } from '../../format/array-schema.ts'
import type { Dimension } from '../../format/dimension.ts'
import { integerBounds } from '../../format/integer-bounds.ts'
import type { Range } from '../../format/range.ts'

/*
 * The shape of an array, as tiledbsoma counts it: the highest coordinate of each dimension and one. Since encoding 1.1.0 it is the
 * current domain; the maximal shape is the domain.
 */

/** Null for a dimension of text or of floats, which has no number of coordinates. */
export type Shape = readonly (bigint | null)[]

/** Whether an array has a current domain: tiledbsoma calls that upgraded. */
export function isUpgraded({ current_domain }: ArraySchema): boolean {
  return current_domain?.range !== undefined
}

/** The shape. Without a current domain, it is the maximal one. */
export function shapeOf({ domain, current_domain }: ArraySchema): Shape {
  return domain.dimensions.map((dimension, d) => endOf(dimension, current_domain?.range?.[d]))
}

export function maximalShapeOf({ domain }: ArraySchema): Shape {
  return domain.dimensions.map((dimension) => endOf(dimension))
}

function endOf(dimension: Dimension, range?: Range): bigint | null {
  const bounds = integerBounds(dimension, range)
  return bounds ? bounds.high + 1n : null
}
