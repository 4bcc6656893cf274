import type { ArraySchema } from '../../format/array-schema.ts'
import type { Dimension } from '../../format/dimension.ts'
import { integerBounds } from '../../format/integer-bounds.ts'
import type { Range } from '../../format/range.ts'

/*
 * The shape of an array, as tiledbsoma counts it: for each dimension, the highest coordinate plus one. Since encoding 1.1.0 the shape comes
 * from the current domain, and the maximal shape from the domain.
 */

/** Null for a dimension of text or of floats, which has no number of coordinates. */
export type Shape = readonly (bigint | null)[]

/** Whether an array has a current domain. tiledbsoma calls such an array upgraded. */
export function isUpgraded({ current_domain }: ArraySchema): boolean {
  return current_domain?.range !== undefined
}

/** Without a current domain, it is the maximal shape. */
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
