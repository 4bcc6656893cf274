import { badData } from '../filters/bytes.ts'
import { inflateWhole } from '../filters/codecs/short-inflate.ts'

/** Undoes a zlib stream of so many bytes. @throws InspectError BAD_FILTERED_DATA */
export function inflateZlib(data: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size)
  if (inflateWhole(data, out)) return out
  throw badData({ expected: `a zlib stream of ${size} bytes`, found: 'a broken one' })
}
