import { unzlibSync } from 'fflate'
import { badData } from '../filters/bytes.ts'

/** Largest number of bytes whose sums fit 32 bits before they are reduced: as zlib has it. */
const AT_ONCE = 3800
const MODULUS = 65521

/** The Adler-32 of bytes, which ends a zlib stream. */
function adler32(bytes: Uint8Array): number {
  let a = 1
  let b = 0
  for (let from = 0; from < bytes.length; from += AT_ONCE) {
    for (const byte of bytes.subarray(from, from + AT_ONCE)) {
      a += byte
      b += a
    }
    a %= MODULUS
    b %= MODULUS
  }
  return b * 65536 + a
}

/**
 * Undoes a zlib stream of the declared size. In pages this stands for filters/codecs/inflate.ts: fflate takes a third of pako's room. It
 * verifies no digest, and drops what is more than `size`, so the digest is verified here.
 * @throws InspectError BAD_FILTERED_DATA
 */
export function inflateZlib(data: Uint8Array, size: number): Uint8Array {
  const expected = `a zlib stream of ${size} bytes`
  let out: Uint8Array
  try {
    out = unzlibSync(data, { out: new Uint8Array(size) })
  } catch (error) {
    throw badData({ expected, found: `a broken one (${(error as Error).message})` })
  }
  if (out.length !== size) throw badData({ expected, found: out.length })
  if (!hasDigest(data, adler32(out))) throw badData({ expected, found: 'a broken one (its digest does not fit)' })
  return out
}

/** Whether a digest stands in a stream: at its end, or before bytes that are no part of it. */
function hasDigest(data: Uint8Array, digest: number): boolean {
  const view = new DataView(data.buffer, data.byteOffset, data.length)
  for (let at = data.length - 4; at >= 2; at--) if (view.getUint32(at) === digest) return true
  return false
}
