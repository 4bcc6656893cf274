import type { Dimension } from '../format/dimension.ts'
import { integerBounds } from '../format/integer-bounds.ts'
import type { ImageChannels } from './picture.ts'

/**
 * The channels that a picture shows: the wanted ones if the dimension has them all, else its first. Undefined if that is no whole number,
 * or one too large for JSON.
 */
export function channelsOf(dimension: Dimension | undefined, wanted: readonly number[]): ImageChannels | undefined {
  const bounds = dimension && integerBounds(dimension)
  if (!dimension || !bounds) return undefined
  const { low, high } = bounds
  const hasAll = wanted.length > 0 && wanted.every((one) => Number.isSafeInteger(one) && low <= one && one <= high)
  const at = hasAll ? wanted : [Number(low)]
  return at.every(Number.isSafeInteger) ? { dimension: dimension.name, at } : undefined
}
