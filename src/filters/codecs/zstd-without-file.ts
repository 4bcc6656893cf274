import type { ZstdSimple } from 'zstd-codec'
import { InspectError } from '../../base/errors.ts'
import { badData, badValue } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { zstdLevel } from './levels.ts'
import { checkZstdFrame } from './zstd-frame.ts'

/** Its heap is fixed: a frame of 6 MiB aborts the process, so does a high level when compressing. TileDB's chunks have 64 KiB. */
const LARGEST = 1 << 20
const HIGHEST_LEVEL = 9

/**
 * ZSTD by zstd-codec, whose wasm lies inside its script: for pages that cannot fetch a wasm file beside. It takes frames
 * of up to 1 MiB that declare their content size, as TileDB's do, at half the speed of `zstd.ts`.
 */
export async function loadZstdCodec(): Promise<ByteCodec> {
  const { ZstdCodec } = await import('zstd-codec')
  const zstd = await new Promise<ZstdSimple>((resolve) => ZstdCodec.run(({ Simple }) => resolve(new Simple())))
  return {
    compress(data, level) {
      refuseLarger(data.length)
      const frame = zstd.compress(data, Math.min(zstdLevel(level), HIGHEST_LEVEL))
      if (!frame) throw badValue('expected data that zstd-codec compresses, found that it fails')
      return frame
    },
    decompress(data, size) {
      const declared = checkZstdFrame(data, size)
      refuseLarger(Math.max(data.length, size))
      // It gives nothing for a frame of nothing, and for one that leaves its size out.
      const out = size === 0 && declared ? new Uint8Array(0) : zstd.decompress(data)
      if (out?.length === size) return out
      throw badData(`expected a zstd frame of ${size} bytes, found ${out?.length ?? 'a broken one'}`)
    },
  }
}

function refuseLarger(bytes: number): void {
  if (bytes <= LARGEST) return
  throw new InspectError(
    'TOO_LARGE',
    `expected at most ${LARGEST} bytes in a zstd frame without a wasm file, found ${bytes}`,
  )
}
