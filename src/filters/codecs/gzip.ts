import { deflate } from 'pako'
import type { ByteCodec } from './codecs.ts'
import { inflateZlib } from './inflate.ts'
import { gzipLevel } from './levels.ts'

/** GZIP in TileDB is a zlib stream (RFC 1950). */
export const gzipCodec: ByteCodec = {
  compress(data, level) {
    // The legacy hash gives the same bytes as plain zlib, which TileDB uses.
    return deflate(data, { level: gzipLevel(level), legacyHash: true })
  },
  decompress: inflateZlib,
}
