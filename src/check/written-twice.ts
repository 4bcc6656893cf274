import { sameRanges } from '../objects/same-ranges.ts'
import type { ByteSource } from '../storage/source.ts'

/**
 * Whether the second half of a file repeats the first. tiledb-vector-search writes files and fragment metadata twice over: readers
 * never look at the second copy of a file, and the first copy of the metadata has all that the footer at the end points at.
 */
export async function isWrittenTwice(source: ByteSource): Promise<boolean> {
  const size = await source.size()
  if (size === 0 || size % 2 !== 0) return false
  const half = size / 2
  return sameRanges({ source, offset: 0 }, { source, offset: half }, half)
}
