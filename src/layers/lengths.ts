import type { ArraySchema } from '../format/array-schema.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { integerBounds } from '../format/integer-bounds.ts'

/** Number of coordinates of each dimension; null for one that is not of integers. */
export function lengthsOf({ domain }: ArraySchema): (bigint | null)[] {
  return domain.dimensions.map((dimension) => {
    const bounds = integerBounds(dimension)
    return bounds ? bounds.high - bounds.low + 1n : null
  })
}

/** The length of a dimension by its name. Undefined if there is none of integers. */
export function lengthOf(schema: ArraySchema, name: string): bigint | undefined {
  return lengthsOf(schema)[schema.domain.dimensions.findIndex((dimension) => dimension.name === name)] ?? undefined
}

export function lengthsText(lengths: readonly (bigint | number | null)[]): string {
  return lengths.map((one) => (one === null ? '–' : String(one))).join(' × ')
}

/** The tile extent of a dimension by its name; undefined if it has none. */
export function extentOf({ domain }: ArraySchema, name: string): bigint | undefined {
  const dimension = domain.dimensions.find((one) => one.name === name)
  return dimension?.tile_extent && integerOf(dimension.type, dimension.tile_extent)
}
