import { Z_FINISH, Z_STREAM_END, ZStream, zlibInflate, zlibInflateInit } from 'pako'
import { badData } from '../bytes.ts'

/**
 * Undoes a zlib stream into a buffer of the declared size, so that the output cannot be larger.
 * @throws InspectError BAD_FILTERED_DATA
 */
export function inflateZlib(data: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size)
  const stream = new ZStream()
  zlibInflateInit(stream)
  stream.input = data
  stream.avail_in = data.length
  // zlib refuses an empty output buffer. So an empty stream gets one byte, which zlib does not write.
  stream.output = size === 0 ? new Uint8Array(1) : out
  stream.avail_out = stream.output.length
  const status = zlibInflate(stream, Z_FINISH)
  if (status !== Z_STREAM_END) {
    const lacking = stream.avail_in > 0 ? 'more' : 'one that ends too early'
    const found = stream.msg ? `a broken one (${stream.msg})` : lacking
    throw badData({ expected: `a zlib stream of ${size} bytes`, found })
  }
  if (stream.total_out !== size) throw badData({ expected: `a zlib stream of ${size} bytes`, found: stream.total_out })
  return out
}
