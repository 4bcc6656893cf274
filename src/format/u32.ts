/**
 * The little-endian uint32 at `at`. For a few numbers this is faster than making a DataView. The caller checks the
 * bounds.
 */
export function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
}
