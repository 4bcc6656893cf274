import { InspectError, orError } from '../base/errors.ts'
import { integerOf } from '../format/dense-tiles.ts'
import { integerBounds } from '../format/integer-bounds.ts'
import type { NDRange } from '../format/range.ts'
import { openNow } from './columns.ts'
import type { DatasetPart } from './part.ts'

/** Whether anything was ever written to an array. Undefined if that is not known. */
export async function hasCells({ array }: DatasetPart): Promise<boolean | undefined> {
  if (!array) return undefined
  const fragments = await orError(() => array.fragments())
  return fragments instanceof InspectError ? undefined : fragments.some(({ committed }) => committed)
}

/** The boxes that were written, one for each fragment. Undefined if they cannot be read. */
export async function writtenBoxes({ array }: DatasetPart): Promise<NDRange[] | undefined> {
  const opened = array && (await orError(() => openNow(array)))
  if (!opened || opened instanceof InspectError) return undefined
  return opened.fragments.flatMap(({ info }) => (info.nonempty_domain ? [info.nonempty_domain] : []))
}

/**
 * Number of coordinates of a dense array of one dimension, such as the rows of a data frame, up to the last that was written. Undefined
 * if it is not known.
 */
export async function rowCount(part: DatasetPart): Promise<bigint | undefined> {
  const [dimension] = (await part.schema())?.domain.dimensions ?? []
  const bounds = dimension && integerBounds(dimension)
  const seen = part.seen.nonempty_domain?.[0]?.[1]
  if (bounds && (typeof seen === 'number' || typeof seen === 'bigint')) return BigInt(seen) + 1n - bounds.low
  const boxes = await writtenBoxes(part)
  if (!dimension || !bounds || !boxes) return undefined
  let end = bounds.low
  for (const [range] of boxes) {
    const high = range ? integerOf(dimension.type, range.max) + 1n : end
    if (high > end) end = high
  }
  return end - bounds.low
}
