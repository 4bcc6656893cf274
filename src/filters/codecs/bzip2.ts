import { badData } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { heapCopy, type LibraryFacts, WasmLibrary } from './emscripten.ts'
import { bzip2Level } from './levels.ts'
import type { WasmReader } from './wasm-file.ts'

/**
 * libbz2 1.0.8 from the package bzip2-wasm, without its JavaScript. That sets globals
 * (`require`, `__dirname`), needs Node's versions of them, and allocates the output twice.
 */
const WASM = 'bzip2-wasm/bzip2-1.0.8/bzip2.wasm'

/** The library imports memory functions, and file functions that it never calls here. */
const FACTS: LibraryFacts = {
  stream: 'bzip2 stream',
  name: 'libbz2',
  memory: 'memory',
  start: '__wasm_call_ctors',
  malloc: 'malloc',
  free: 'free',
  imports: (copy, grow) => ({
    env: {
      exit: (code: number) => {
        throw new Error(`libbz2 gave up with ${code}`)
      },
      emscripten_memcpy_big: copy,
      emscripten_resize_heap: grow,
    },
    wasi_snapshot_preview1: { fd_close: () => 0, fd_write: () => 0, fd_seek: () => 0 },
  }),
}

/** What an error message says of the return codes of bzlib.h. */
const STATUS: Record<number, string> = {
  [-3]: 'too little memory',
  [-4]: 'a broken one',
  [-5]: 'data that is no bzip2 stream',
  [-7]: 'a truncated one',
  [-8]: 'more',
}

/** Returns the largest compressed size. The manual of libbzip2 says: input plus 1 % plus 600 bytes. */
const compressBound = (length: number): number => length + Math.ceil(length / 100) + 600

export async function loadBzip2(readWasm: WasmReader): Promise<ByteCodec> {
  const bzip2 = new WasmLibrary(FACTS, await WebAssembly.compile(await readWasm(WASM)))

  /** Runs one of the two buffer-to-buffer calls: (out, outLength*, in, inLength, …rest). */
  const run = (name: string, data: Uint8Array, room: number, ...rest: number[]): Uint8Array | undefined =>
    bzip2.run(
      data,
      room,
      ({ call, memory }, target, source) => {
        const lengthAt = call(FACTS.malloc)(4)
        new DataView(memory.buffer).setUint32(lengthAt, room, true)
        const status = call(name)(target, lengthAt, source, data.length, ...rest)
        const written = new DataView(memory.buffer).getUint32(lengthAt, true)
        call(FACTS.free)(lengthAt)
        if (status === 0) return written
        throw badData({ expected: `a bzip2 stream of ${room} bytes`, found: `${STATUS[status] ?? `status ${status}`}` })
      },
      heapCopy,
    )

  return {
    compress(data, level) {
      const options = [bzip2Level(level), 0, 0]
      return run('BZ2_bzBuffToBuffCompress', data, compressBound(data.length), ...options) as Uint8Array
    },
    decompress(data, size) {
      const out = run('BZ2_bzBuffToBuffDecompress', data, size, 0, 0)
      if (out?.length === size) return out
      throw badData({ expected: `a bzip2 stream of ${size} bytes`, found: String(out?.length) })
    },
  }
}
