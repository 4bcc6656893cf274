import { badData, viewOf } from './bytes.ts'
import { DELTA_FACTS, deltaFilter } from './delta-filter.ts'
import { type IntegerType, scan } from './elements.ts'
import { type FilterDefinition, noMore } from './filter.ts'
import type { Kernels } from './kernels/kernels.ts'

/**
 * DELTA: stores the first element, then differences. The element type is the reinterpret datatype, or the field's.
 *
 *     metadata  as all compression filters (compressor.ts)
 *     data      per part u64 n, T in[0], T in[1]-in[0], T in[2]-in[1]…, modulo the size of T
 *
 * TileDB 2.16 (format version 19) stores one element too many at the end, which is garbage.
 *
 * @see format_spec/filters/delta.md
 */
export const delta: FilterDefinition = {
  ...DELTA_FACTS,
  since: 19,
  // Every part has its number of elements, so it has more bytes than what it gives, with a lost tail.
  mostUndone: noMore,
  load: async () => deltaFilter({ compress, decompress }, 0),
}

const HEAD = 8

function compress(part: Uint8Array, { size }: IntegerType): Uint8Array {
  const out = new Uint8Array(HEAD + part.length)
  viewOf(out).setUint32(0, part.length / size, true)
  out.set(scan(part, size, false), HEAD)
  return out
}

function decompress(
  part: Uint8Array,
  originalLength: number,
  { size }: IntegerType,
  kernels: Kernels | undefined,
): Uint8Array {
  const length = originalLength - (originalLength % size)
  const surplus = part.length - HEAD - length
  if (surplus !== 0 && surplus !== size) {
    throw badData({ expected: `${length} bytes of differences`, found: part.length - HEAD }, 'compressed_length')
  }
  const stored = part.subarray(HEAD, HEAD + length)
  const summed = kernels?.run('sums', originalLength, [stored], length, size, 0, 0)?.fill(0, length)
  if (summed) return summed
  const whole = scan(stored, size, true)
  if (length === originalLength) return whole
  const out = new Uint8Array(originalLength)
  out.set(whole)
  return out
}
