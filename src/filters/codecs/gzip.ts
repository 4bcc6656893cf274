import {
  Z_DEFAULT_STRATEGY,
  Z_FINISH,
  Z_STREAM_END,
  ZStream,
  zlibDeflate,
  zlibDeflateInit2,
  zlibDeflateReset,
} from 'pako'
import { NO_BYTES } from '../../base/bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { inflateZlib } from './inflate.ts'
import { gzipLevel } from './levels.ts'

/** What zlib uses by default. */
const [DEFLATED, WINDOW_BITS, MEMORY_LEVEL] = [8, 15, 8] as const

/** A stream for each level, used again and again: its 300 KB take longer to get than to compress a few bytes. */
const streams = new Map<number, ZStream>()

const NO_HASHES = new Uint16Array(0)

/** Resets a stream. pako clears the hash table number by number, which takes three times as long as to compress a few bytes. */
function reset(stream: ZStream): void {
  const state: { head: Uint16Array } = stream.state
  const { head } = state
  state.head = NO_HASHES
  zlibDeflateReset(stream)
  state.head = head.fill(0)
}

function streamOf(level: number): ZStream {
  const known = streams.get(level)
  if (known) {
    reset(known)
    return known
  }
  const stream = new ZStream()
  // The legacy hash gives the same bytes as plain zlib, which TileDB uses.
  zlibDeflateInit2(stream, level, DEFLATED, WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY, true)
  streams.set(level, stream)
  return stream
}

/** The most bytes that zlib makes of so many (its deflateBound). */
function most(length: number): number {
  return length + (length >>> 12) + (length >>> 14) + (length >>> 25) + 13
}

/** GZIP in TileDB is a zlib stream (RFC 1950). */
export const gzipCodec: ByteCodec = {
  compress(data, level) {
    const stream = streamOf(gzipLevel(level))
    stream.input = data
    stream.next_in = 0
    stream.avail_in = data.length
    stream.output = new Uint8Array(most(data.length))
    stream.next_out = 0
    stream.avail_out = stream.output.length
    const status = zlibDeflate(stream, Z_FINISH)
    if (status !== Z_STREAM_END) throw new Error(`zlib ended with ${status}`)
    const out = stream.output.slice(0, stream.next_out)
    stream.input = stream.output = NO_BYTES
    return out
  },
  decompress: inflateZlib,
}
