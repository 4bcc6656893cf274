import { badValue } from '../../base/errors.ts'
import type { ByteCodec } from './codecs.ts'
import { copyOf, type LibraryFacts, WasmLibrary } from './emscripten.ts'
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

/** Names are those of the minified build of version 1.0.1. package.json allows no other version. */
const FACTS: LibraryFacts = {
  ...LIBRARY,
  memory: 'c',
  start: 'd',
  malloc: 'f',
  free: 'g',
  imports: (copy, grow) => ({ a: { b: copy, a: grow } }),
}
const COMPRESS_BOUND = 'h'
/** Both take (out, outLength, in, inLength[, level]), and return the bytes written or -1. */
const COMPRESS = 'i'
const DECOMPRESS = 'j'

/** The same for version 0.0.27 of the other package. Its other imports are timers and exits, which only a program needs. */
const WRITER_FACTS: LibraryFacts = {
  ...LIBRARY,
  memory: 'f',
  start: 'g',
  malloc: 's',
  free: 't',
  imports: (_copy, grow) => ({ a: { a: nothing, b: nothing, c: fail, d: nothing, e: grow } }),
}
const WRITER_BOUND = 'i'
/** It takes the same as {@link COMPRESS}, and returns the bytes written or the code of an error. */
const WRITER_COMPRESS = 'm'
const WRITER_IS_ERROR = 'h'

const nothing = (): number => 0

function fail(): number {
  throw new Error('libzstd aborts')
}

export async function loadZstd(readWasm: WasmReader): Promise<ByteCodec> {
  return zstdCodec(await WebAssembly.compile(await readWasm(ZSTD_WASM)))
}

/** @param module the file {@link ZSTD_WASM}, compiled */
export function zstdCodec(module: WebAssembly.Module): ByteCodec {
  const zstd = new WasmLibrary(FACTS, module)
  const undo: ZstdUndo = ({ call }, out, outLength, data, length) => call(DECOMPRESS)(out, outLength, data, length)

  return {
    compress: compressor(zstd, COMPRESS_BOUND, ({ call }, ...of) => call(COMPRESS)(...of)),
    decompress: (data, size) => undoZstdFrame(zstd, undo, data, size, copyOf),
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
  return compressor(new WasmLibrary(WRITER_FACTS, module), WRITER_BOUND, ({ call }, ...of) => {
    const written = call(WRITER_COMPRESS)(...of)
    return call(WRITER_IS_ERROR)(written) ? -1 : written
  })
}

/**
 * Returns a function that compresses.
 * @param bound name of the library's function that returns the longest frame for a length
 * @param write calls the library. It returns the bytes written or -1.
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
      copyOf,
    )
    if (frame) return frame
    throw badValue({ expected: 'data that libzstd compresses', found: `it fails at level ${level}` })
  }
}
