import type { ArraySchema } from '../../format/array-schema.ts'
import type { Datatype } from '../../format/datatype.ts'
import { integerBounds } from '../../format/integer-bounds.ts'
import type { DatasetPart } from '../part.ts'

/*
 * A dataset of CF: groups of arrays whose dimensions of one name are one dimension. Attributes of variables are key-value metadata
 * of their array.
 *
 * Source: TileDB-CF-Py, documentation/tiledb-cf-spec.md; tiledb/cf/core/_metadata.py; tiledb/cf/xarray_engine/_common.py.
 */

/** How keys of the metadata begin that belong to an attribute of the array. */
export const ATTRIBUTE = '__tiledb_attr.'
/** How those begin that belong to a dimension. */
export const DIMENSION = '__tiledb_dim.'
/** How those begin that xarray itself writes. */
export const XARRAY = '__xr_'

/** A dimension of an array. */
export interface VariableAxis {
  name: string
  type: Datatype
  /** Undefined if it is not of integers. */
  length: bigint | undefined
  /** What arrays with this dimension must agree on. */
  text: string
}

export function variableAxes({ domain }: ArraySchema): VariableAxis[] {
  return domain.dimensions.map((dimension) => {
    const { name, type } = dimension
    const bounds = integerBounds(dimension)
    const length = bounds && bounds.high - bounds.low + 1n
    return { name, type, length, text: bounds ? `${type} ${bounds.low} to ${bounds.high}` : type }
  })
}

/**
 * Whether an array has the coordinates of a dimension: the array, or its attribute, has the name of its only dimension, perhaps with an
 * ending.
 */
export function isCoordinate({ names }: DatasetPart, { domain: { dimensions }, attributes }: ArraySchema): boolean {
  const [dimension, ...others] = dimensions
  if (!dimension || others.length > 0) return false
  const known = coordinateNames(dimension.name)
  return known.includes(names.at(-1) ?? '') || attributes.some(({ name }) => known.includes(name))
}

/** Names of the array of a dimension's coordinates. Versions 0.1 and 0.2 had the endings. */
export function coordinateNames(dimension: string): string[] {
  return [dimension, `${dimension}.data`, `${dimension}.index`]
}

/** The arrays that a group itself lists. */
export function variablesIn(group: DatasetPart): DatasetPart[] {
  return [...group.parts.values()].filter(({ array }) => array)
}
