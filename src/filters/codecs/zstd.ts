import { InspectError } from '../../errors.ts'
import { badData } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { zstdLevel } from './levels.ts'
import { checkZstdFrame } from './zstd-frame.ts'

/**
 * Two packages share the work. zstd-codec decodes chunks of the usual size (64 KiB) 1.7 times as fast, but its heap is
 * fixed: a frame of 6 MiB, or a high level when compressing, aborts the process. @bokuweb/zstd-wasm lets its memory
 * grow, keeps negative levels and compresses as fast, so it has all the rest. Measured 2026-11, 64 KiB chunks of int32 running
 * sums, MB/s: decode 424 and 251, compress 118 and 137; both ways of 64 MiB work in the second (207 and 66 ms).
 * Others tried: @hpcc-js/wasm-zstd spreads results into an array (13 MB/s, 3 GB for 64 MiB), @oneidentity/zstd-js is 65 MB
 * on disk, zstddec only decodes.
 */
const SMALL = 1 << 20

/** Room that wasm memory (2 GiB at most) has for input and output together. */
const LARGEST = 1 << 30

export async function loadZstd(): Promise<ByteCodec> {
  const [{ ZstdCodec }, growing] = await Promise.all([import('zstd-codec'), import('@bokuweb/zstd-wasm')])
  const [small] = await Promise.all([
    new Promise<InstanceType<Parameters<Parameters<typeof ZstdCodec.run>[0]>[0]['Simple']>>((resolve) => {
      ZstdCodec.run(({ Simple }) => resolve(new Simple()))
    }),
    growing.init(),
  ])

  return {
    compress(data, level) {
      checkRoom(data.length)
      return growing.compress(data, zstdLevel(level))
    },
    decompress(data, size) {
      const declared = checkZstdFrame(data, size)
      checkRoom(data.length + size)
      const out =
        declared && size > 0 && size <= SMALL && data.length <= SMALL ? small.decompress(data) : grow(data, size)
      if (out === null || out.length !== size) {
        throw badData(`expected a zstd frame of ${size} bytes, found ${out === null ? 'a broken one' : out.length}`)
      }
      return out
    },
  }

  function grow(data: Uint8Array, size: number): Uint8Array | null {
    try {
      return growing.decompress(data, { defaultHeapSize: size })
    } catch {
      return null
    }
  }
}

function checkRoom(bytes: number): void {
  if (bytes > LARGEST)
    throw new InspectError(
      'TOO_LARGE',
      `expected at most ${LARGEST} bytes in and out of one zstd frame, found ${bytes}`,
    )
}
