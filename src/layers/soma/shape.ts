import type { ArraySchema } from '../../format/array-schema.ts'
import { datatypeKind } from '../../format/datatype.ts'
import { integerOf } from '../../format/dense-tiles.ts'
import { domainRange } from '../../format/dimension.ts'

/*
 * The shape of an array, as tiledbsoma counts it: the highest coordinate of each dimension and one. Since encoding 1.1.0 it is the
 * current domain; the maximal shape is the domain.
 */

/** Null for a dimension of text or of floats, which has no number of coordinates. */
export type Shape = readonly (bigint | null)[]

function isCounted({ domain }: ArraySchema, d: number): boolean {
  const dimension = domain.dimensions[d]
  if (!dimension || dimension.cell_val_num === 'var') return false
  const kind = datatypeKind(dimension.type)
  return kind !== 'float' && kind !== 'text' && dimension.domain.length > 0
}

/** Whether an array has a current domain: tiledbsoma calls that upgraded. */
export function isUpgraded({ current_domain }: ArraySchema): boolean {
  return current_domain?.range !== undefined
}

/** The shape. Without a current domain, it is the maximal one. */
export function shapeOf(schema: ArraySchema): Shape {
  return schema.domain.dimensions.map((dimension, d) =>
    isCounted(schema, d)
      ? integerOf(dimension.type, (schema.current_domain?.range?.[d] ?? domainRange(dimension)).max) + 1n
      : null,
  )
}

export function maximalShapeOf(schema: ArraySchema): Shape {
  return schema.domain.dimensions.map((dimension, d) =>
    isCounted(schema, d) ? integerOf(dimension.type, domainRange(dimension).max) + 1n : null,
  )
}

export function shapeText(shape: Shape): string {
  return shape.map((one) => (one === null ? '–' : String(one))).join(' × ')
}
