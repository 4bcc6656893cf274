import type { ZstdSimple } from 'zstd-codec'
import { InspectError } from '../../errors.ts'
import { badData } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { zstdLevel } from './levels.ts'
import { once } from './once.ts'
import { checkZstdFrame } from './zstd-frame.ts'

/**
 * Two packages share the work. zstd-codec decodes ordinary chunks (64 KiB) faster, but its heap is fixed: a frame of 6
 * MiB, or a high level when compressing, aborts the process. @bokuweb/zstd-wasm lets its memory grow, so it has all the
 * rest. Measured 2026-11 on Node 20, MB/s of int32 running sums: decoding level 3, 467 and 255; level -1, 784 and 982;
 * compressing 118 and 137; 64 MiB at once: the second only, 324 and 1010. To load: 40 and 20 ms. Others tried:
 * @hpcc-js/wasm-zstd spreads results into an array (13 MB/s, 3 GB of memory for 64 MiB), @oneidentity/zstd-js is 65 MB
 * on disk, zstddec only decodes.
 */
const SMALL = 1 << 20

/** Room that wasm memory (2 GiB at most) has for input and output together. */
const LARGEST = 1 << 30

/** Once for the whole process: a second `init` of @bokuweb/zstd-wasm would take the memory from under the first. */
export const loadZstd: () => Promise<ByteCodec> = once(load)

async function load(): Promise<ByteCodec> {
  const [{ ZstdCodec }, growing] = await Promise.all([import('zstd-codec'), import('@bokuweb/zstd-wasm')])
  await growing.init()
  const small = await new Promise<ZstdSimple>((resolve) => ZstdCodec.run(({ Simple }) => resolve(new Simple())))

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
