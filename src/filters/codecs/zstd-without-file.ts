import type { ZstdSimple } from 'zstd-codec'
import { badValue, InspectError } from '../../base/errors.ts'
import { badData } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { zstdLevel } from './levels.ts'
import { checkZstdFrame } from './zstd-frame.ts'

/** zstd-codec has a fixed heap: a frame of 6 MiB, or a high level, aborts the process. TileDB's chunks have 64 KiB. */
const LARGEST = 1 << 20
const HIGHEST_LEVEL = 9

/**
 * ZSTD by the package zstd-codec, which has its wasm inside its script. It is for web pages that cannot fetch a
 * separate wasm file. It takes frames of up to 1 MiB that declare their content size, as TileDB's do. It has half the
 * speed of `zstd.ts`.
 */
export async function loadZstdCodec(): Promise<ByteCodec> {
  const { ZstdCodec } = await import('zstd-codec')
  const zstd = await new Promise<ZstdSimple>((resolve) => ZstdCodec.run(({ Simple }) => resolve(new Simple())))
  return {
    compress(data, level) {
      refuseLarger(data.length)
      const frame = zstd.compress(data, Math.min(zstdLevel(level), HIGHEST_LEVEL))
      if (!frame) throw badValue('expected data that zstd-codec can compress, found that it fails')
      return frame
    },
    decompress(data, size) {
      const declared = checkZstdFrame(data, size)
      refuseLarger(Math.max(data.length, size))
      // zstd-codec returns null for a frame of no bytes, and for one that does not declare its size.
      const out = size === 0 && declared ? new Uint8Array(0) : zstd.decompress(data)
      if (out?.length === size) return out
      throw badData(`expected a zstd frame of ${size} bytes, found ${out?.length ?? 'a broken one'}`)
    },
  }
}

function refuseLarger(bytes: number): void {
  if (bytes <= LARGEST) return
  const message = `expected at most ${LARGEST} bytes in a zstd frame without a wasm file, found ${bytes}`
  throw new InspectError('TOO_LARGE', message)
}
