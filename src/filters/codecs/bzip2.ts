import { InspectError } from '../../base/errors.ts'
import { badData } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { heapImports, type WasmCall, type WasmHeap, wasmCall, wasmMemory } from './emscripten.ts'
import { bzip2Level } from './levels.ts'
import type { WasmReader } from './wasm-file.ts'

/**
 * libbz2 1.0.8 from the package bzip2-wasm. Only its wasm file is used. The package's JavaScript sets globals
 * (`require`, `__dirname`), needs Node's versions of them, and allocates the output twice.
 */
const WASM = 'bzip2-wasm/bzip2-1.0.8/bzip2.wasm'

/** Room that wasm memory (2 GiB at most) has for input and output together. */
const LARGEST = 1 << 30

/** Return codes of bzlib.h, as the end of an error message. */
const STATUS: Record<number, string> = {
  [-3]: 'too little memory',
  [-4]: 'a broken one',
  [-5]: 'another beginning',
  [-7]: 'its end too early',
  [-8]: 'more',
}

/** Longest compressed output: input plus 1 % plus 600 bytes, says the manual of libbzip2. */
const compressBound = (length: number): number => length + Math.ceil(length / 100) + 600

interface Library extends WasmHeap {
  compress: WasmCall
  decompress: WasmCall
}

export async function loadBzip2(readWasm: WasmReader): Promise<ByteCodec> {
  const module = await WebAssembly.compile(await readWasm(WASM))
  let library: Library | undefined = libraryOf(
    await WebAssembly.instantiate(
      module,
      imports(() => library?.memory),
    ),
  )

  /** Runs one of the two buffer-to-buffer calls: (out, outLength*, in, inLength, …rest). */
  function run(name: 'compress' | 'decompress', data: Uint8Array, room: number, rest: number[]): Uint8Array {
    if (data.length + room > LARGEST) {
      throw new InspectError(
        'TOO_LARGE',
        `expected at most ${LARGEST} bytes in and out of one bzip2 stream, found ${data.length + room}`,
      )
    }
    library ??= libraryOf(
      new WebAssembly.Instance(
        module,
        imports(() => library?.memory),
      ),
    )
    const { malloc, free, memory } = library
    try {
      const source = malloc(Math.max(1, data.length))
      const target = malloc(Math.max(1, room))
      const length = malloc(4)
      if (source === 0 || target === 0 || length === 0) throw new RangeError('no wasm memory')
      new Uint8Array(memory.buffer).set(data, source)
      new DataView(memory.buffer).setUint32(length, room, true)
      const status = library[name](target, length, source, data.length, ...rest)
      const written = new DataView(memory.buffer).getUint32(length, true)
      const out = status === 0 ? new Uint8Array(memory.buffer, target, written).slice() : undefined
      for (const pointer of [source, target, length]) free(pointer)
      if (!out) throw badData(`expected a bzip2 stream of ${room} bytes, found ${STATUS[status] ?? `status ${status}`}`)
      return out
    } catch (error) {
      if (error instanceof InspectError) throw error
      // After a trap or a failed allocation the instance is in an unknown state: the next call makes a new one.
      library = undefined
      throw new InspectError(
        'BAD_FILTERED_DATA',
        'expected a bzip2 stream, found one that libbz2 fails on',
        {},
        { cause: error },
      )
    }
  }

  return {
    compress: (data, level) => run('compress', data, compressBound(data.length), [bzip2Level(level), 0, 0]),
    decompress(data, size) {
      const out = run('decompress', data, size, [0, 0])
      if (out.length !== size) throw badData(`expected a bzip2 stream of ${size} bytes, found ${out.length}`)
      return out
    },
  }
}

/** What the library imports: memory functions, and file functions that it never uses here. */
function imports(memory: () => WebAssembly.Memory | undefined): WebAssembly.Imports {
  const { copy, grow } = heapImports(memory)
  return {
    env: {
      exit: (code: number) => {
        throw new Error(`libbz2 gave up with ${code}`)
      },
      emscripten_memcpy_big: copy,
      emscripten_resize_heap: grow,
    },
    wasi_snapshot_preview1: { fd_close: () => 0, fd_write: () => 0, fd_seek: () => 0 },
  }
}

function libraryOf(instance: WebAssembly.Instance): Library {
  const call = (name: string): WasmCall => wasmCall(instance, name)
  call('__wasm_call_ctors')()
  return {
    memory: wasmMemory(instance, 'memory'),
    malloc: call('malloc'),
    free: call('free'),
    compress: call('BZ2_bzBuffToBuffCompress'),
    decompress: call('BZ2_bzBuffToBuffDecompress'),
  }
}
