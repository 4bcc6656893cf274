import type { ByteCodec } from '../filters/codecs/codecs.ts'
import { heapCopy, type LibraryFacts, WasmLibrary } from '../filters/codecs/emscripten.ts'
import type { WasmReader } from '../filters/codecs/wasm-file.ts'
import { undoZstdFrame, type ZstdUndo } from '../filters/codecs/zstd-frame.ts'
import { onlyReads } from './only-reads.ts'

/** libzstd without its compressor, from the package zstddec. It has 20 KB; with the compressor it has 100. */
const FACTS: LibraryFacts = {
  stream: 'zstd frame',
  name: 'libzstd',
  memory: 'memory',
  start: undefined,
  malloc: 'malloc',
  free: 'free',
  imports: () => ({ env: { emscripten_notify_memory_growth: () => {} } }),
}
/** The file of the library. It lies beside a published page, in a report of an array that needs it, or at the server. The build makes it. */
const ZSTD_WASM = 'zstddec.wasm'
/** Name of a function (out, outLength, in, inLength). It returns the number of bytes written, or an error code. */
const DECOMPRESS = 'ZSTD_decompress'
/** Name of a function that returns whether a result is an error code. */
const IS_ERROR = 'ZSTD_isError'

export async function loadZstd(readWasm: WasmReader): Promise<ByteCodec> {
  const zstd = new WasmLibrary(FACTS, await WebAssembly.compile(await readWasm(ZSTD_WASM)))
  const undo: ZstdUndo = ({ call }, out, outLength, data, length) => {
    const written = call(DECOMPRESS)(out, outLength, data, length)
    return call(IS_ERROR)(written) ? -1 : written
  }
  return { compress: onlyReads, decompress: (data, size) => undoZstdFrame(zstd, undo, data, size, heapCopy) }
}
