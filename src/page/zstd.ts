import { badData } from '../filters/bytes.ts'
import type { ByteCodec } from '../filters/codecs/codecs.ts'
import { copyOf, type LibraryFacts, WasmLibrary } from '../filters/codecs/emscripten.ts'
import { checkZstdFrame } from '../filters/codecs/zstd-frame.ts'
import { onlyReads } from './only-reads.ts'
import { DEFLATED } from './zstddec.wasm.js'

/**
 * libzstd without its compressor, from the package zstddec: 20 KB of a page instead of 100. What it refuses, and what it says of it,
 * is the same as in filters/codecs/zstd.ts.
 */
const FACTS: LibraryFacts = {
  stream: 'zstd frame',
  name: 'libzstd',
  memory: 'memory',
  start: undefined,
  malloc: 'malloc',
  free: 'free',
  imports: () => ({ env: { emscripten_notify_memory_growth: () => {} } }),
}
/** (out, outLength, in, inLength): the bytes written, or what {@link IS_ERROR} knows. */
const DECOMPRESS = 'ZSTD_decompress'
const IS_ERROR = 'ZSTD_isError'

export async function loadZstd(unpack: (deflated: string) => Promise<BufferSource>): Promise<ByteCodec> {
  const zstd = new WasmLibrary(FACTS, await WebAssembly.compile(await unpack(DEFLATED)))
  return {
    compress: onlyReads,
    decompress(data, size) {
      checkZstdFrame(data, size)
      let found = -1
      const out = zstd.run(
        data,
        size,
        ({ call }, target, source) => {
          const written = call(DECOMPRESS)(target, size, source, data.length)
          found = call(IS_ERROR)(written) ? -1 : written
          return found === size ? found : -1
        },
        copyOf,
      )
      if (out !== undefined) return out
      throw badData(`expected a zstd frame of ${size} bytes, found ${found < 0 ? 'a broken one' : found}`)
    },
  }
}
