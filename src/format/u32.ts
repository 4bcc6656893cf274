/** The little-endian uint32 at `at`, inside the bytes: for a few of them, where a DataView would cost more than reading it. */
export function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
}
