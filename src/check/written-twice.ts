import { sameBytes } from '../filters/bytes.ts'
import type { ByteSource } from '../storage/source.ts'

/** Bytes of each half that are compared at a time. */
const BLOCK_BYTES = 2 ** 20

/**
 * Whether the second half of a file repeats the first. tiledb-vector-search writes files and fragment metadata twice over: readers
 * never look at the second copy of a file, and the first copy of the metadata has all that the footer at the end points at.
 */
export async function isWrittenTwice(source: ByteSource): Promise<boolean> {
  const size = await source.size()
  if (size === 0 || size % 2 !== 0) return false
  const half = size / 2
  for (let from = 0; from < half; from += BLOCK_BYTES) {
    const length = Math.min(BLOCK_BYTES, half - from)
    const first = await source.read(from, length)
    if (!sameBytes(first, await source.read(half + from, length))) return false
  }
  return true
}
