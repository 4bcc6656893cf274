/** Reads the little-endian uint16 at `at`. The caller checks the bounds. */
export function u16(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8)
}

/**
 * Reads the little-endian uint32 at `at`. For a few numbers this is faster than making a DataView. The caller checks the
 * bounds.
 */
export function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
}

/** Reads the little-endian uint64 at `at` as a number, exact below 2^53. The caller checks the bounds. */
export function u64(bytes: Uint8Array, at: number): number {
  return u32(bytes, at + 4) * 2 ** 32 + u32(bytes, at)
}

/** Up to this many numbers, making a DataView takes longer than it saves. */
const FEW = 16

/** Reads all bytes as uint64, with the bound of {@link u64}. Appends `end` if it is given. */
export function u64s(bytes: Uint8Array, end?: number): Float64Array {
  const count = bytes.length >>> 3
  const out = new Float64Array(end === undefined ? count : count + 1)
  if (count <= FEW) for (let i = 0; i < count; i++) out[i] = u64(bytes, i * 8)
  else {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let i = 0; i < count; i++) out[i] = view.getUint32(i * 8 + 4, true) * 2 ** 32 + view.getUint32(i * 8, true)
  }
  if (end !== undefined) out[count] = end
  return out
}
