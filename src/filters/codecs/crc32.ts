/** CRC-32 of every byte. Made at first use: most calls need none. */
let table: Int32Array | undefined

function crcOfBytes(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1))
    return crc
  })
}

/** CRC-32 of some bytes, as gzip stores it (RFC 1952). */
export function crc32(bytes: Uint8Array): number {
  table ??= crcOfBytes()
  let crc = -1
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
  return ~crc >>> 0
}
