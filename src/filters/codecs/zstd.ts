import { badValue } from '../../base/errors.ts'
import type { ByteCodec } from './codecs.ts'
import { heapCopy, type LibraryFacts, WasmLibrary } from './emscripten.ts'
import { zstdLevel } from './levels.ts'
import type { WasmReader } from './wasm-file.ts'
import { undoZstdFrame, type ZstdUndo } from './zstd-frame.ts'

/**
 * libzstd from the package @foxglove/wasm-zstd. Only its wasm file is used: the package's JavaScript needs Node's
 * Buffer and makes one more copy.
 *
 * Measured 2026-11: decompression on Node 20 and on Node 24, in MB/s of processor time, chunks of 64 KiB, level 3, for
 * int32 running sums, for the same after BYTESHUFFLE, and for the same after DELTA:
 *
 *     @foxglove/wasm-zstd  679 and 692   3090 and 3450   506 and 480
 *     @bokuweb/zstd-wasm   340 and 624   3446 and 3525   483 and 500
 *     zstd-codec           426 and 468   1204 and 1391   356 and 384
 *
 * On another day @bokuweb/zstd-wasm did 505 of the first on Node 20, where the other did 678. It compresses at 0.6 of the speed at
 * levels 1, 9 and 19, and at 1.3 at level 3. So one library for both directions would slow reading and `whatif`.
 *
 * zstddec, which only decodes, is as fast as @bokuweb/zstd-wasm. The fixed heap of zstd-codec aborts the process on a frame
 * of 6 MiB.
 */
export const ZSTD_WASM = '@foxglove/wasm-zstd/dist/wasm-zstd.wasm'

/**
 * libzstd 1.5.7 from the package @bokuweb/zstd-wasm. Its frames are, byte for byte, those of TileDB 2.30 at all levels. The
 * other package has an older release: its frames are up to 3 % larger or smaller, and it is up to twice as fast.
 */
export const ZSTD_WRITER_WASM = '@bokuweb/zstd-wasm/dist/common/zstd.wasm'

const LIBRARY = { stream: 'zstd frame', name: 'libzstd' }

/**
 * The functions of the libraries, by the names that the script of the package gives them: what they are called in its minified wasm
 * file. A test compares them with the script. package.json allows no other version.
 */
export const READER_NAMES = {
  ___wasm_call_ctors: 'd',
  _malloc: 'f',
  _free: 'g',
  _compressBound: 'h',
  _compress: 'i',
  _decompress: 'j',
}
export const WRITER_NAMES = {
  ___wasm_call_ctors: 'g',
  _malloc: 's',
  _free: 't',
  _ZSTD_compressBound: 'i',
  _ZSTD_compress: 'm',
  _ZSTD_isError: 'h',
}

export const READER_FACTS: LibraryFacts = {
  ...LIBRARY,
  memory: 'c',
  start: READER_NAMES.___wasm_call_ctors,
  malloc: READER_NAMES._malloc,
  free: READER_NAMES._free,
  imports: (copy, grow) => ({ a: { b: copy, a: grow } }),
}

/** The other imports are timers and exits, which only a program needs. */
const WRITER_FACTS: LibraryFacts = {
  ...LIBRARY,
  memory: 'f',
  start: WRITER_NAMES.___wasm_call_ctors,
  malloc: WRITER_NAMES._malloc,
  free: WRITER_NAMES._free,
  imports: (_copy, grow) => ({ a: { a: nothing, b: nothing, c: fail, d: nothing, e: grow } }),
}

const nothing = (): number => 0

function fail(): number {
  throw new Error('libzstd aborts')
}

export async function loadZstd(readWasm: WasmReader): Promise<ByteCodec> {
  return zstdCodec(await WebAssembly.compile(await readWasm(ZSTD_WASM)))
}

/** @param module the file {@link ZSTD_WASM}, compiled */
export function zstdCodec(module: WebAssembly.Module): Required<ByteCodec> {
  const { _compressBound, _compress, _decompress } = READER_NAMES
  const zstd = new WasmLibrary(READER_FACTS, module)
  // It returns the bytes written or -1, as does compressing.
  const undo: ZstdUndo = ({ call }, out, outLength, data, length) => call(_decompress)(out, outLength, data, length)

  return {
    compress: compressor(zstd, _compressBound, ({ call }, ...of) => call(_compress)(...of)),
    decompress: (data, size) => undoZstdFrame(zstd, undo, data, size, heapCopy),
    decompressInto(data, out) {
      undoZstdFrame(zstd, undo, data, out.length, (heap, from, to) => {
        out.set(heap.subarray(from, to))
        return true
      })
    },
    verify(data, size) {
      undoZstdFrame(zstd, undo, data, size, isThere)
    },
  }
}

const isThere = (): boolean => true

/** @param module the file {@link ZSTD_WRITER_WASM}, compiled */
export function zstdCompressor(module: WebAssembly.Module): ByteCodec['compress'] {
  const { _ZSTD_compressBound, _ZSTD_compress, _ZSTD_isError } = WRITER_NAMES
  return compressor(new WasmLibrary(WRITER_FACTS, module), _ZSTD_compressBound, ({ call }, ...of) => {
    const written = call(_ZSTD_compress)(...of)
    return call(_ZSTD_isError)(written) ? -1 : written
  })
}

/**
 * Returns a function that compresses.
 * @param bound name of the library's function that returns the longest frame for a length
 * @param write calls the library with (out, outLength, in, inLength, level). It returns the bytes written or -1.
 */
function compressor(
  zstd: WasmLibrary,
  bound: string,
  write: (library: WasmLibrary['library'], ...of: number[]) => number,
): ByteCodec['compress'] {
  return (data, level) => {
    const room = zstd.library.call(bound)(data.length)
    const frame = zstd.run(
      data,
      room,
      (library, target, source) => write(library, target, room, source, data.length, zstdLevel(level)),
      heapCopy,
    )
    if (frame) return frame
    throw badValue({ expected: 'data that libzstd compresses', found: `it fails at level ${level}` })
  }
}
