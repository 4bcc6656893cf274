import { carry, lanesOf } from '../filters/elements.ts'

/**
 * Undoes DELTA: each element is stored as its difference from the element `stride` before it. The first `stride` elements are stored as
 * they are. Sums are modulo the size of the element.
 * @param bytes whole elements; not changed
 * @param size bytes of an element
 * @see OmicsDataAutomation/TileDB, core/src/codec/codec_filter_delta_encode.cc
 */
export function undoStrideDelta(bytes: Uint8Array, size: 4 | 8, stride: number): Uint8Array {
  const out = new Uint8Array(bytes)
  const lanes = lanesOf(out, size)
  if (size === 4) for (let i = stride; i < lanes.length; i++) lanes[i] += lanes[i - stride]
  else {
    const back = 2 * stride
    for (let i = back; i < lanes.length; i += 2) {
      const difference = lanes[i]
      const before = lanes[i - back]
      const low = (difference + before) | 0
      lanes[i] = low
      lanes[i + 1] += lanes[i + 1 - back] + carry(difference, before, low)
    }
  }
  return out
}
