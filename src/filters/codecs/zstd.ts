import { InspectError } from '../../errors.ts'
import { badData } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { heapImports, type WasmCall, type WasmHeap, wasmCall, wasmMemory } from './emscripten.ts'
import { zstdLevel } from './levels.ts'
import { checkZstdFrame } from './zstd-frame.ts'

/**
 * libzstd as package @foxglove/wasm-zstd ships it. Only its wasm file is used: the package's JavaScript needs Node's
 * Buffer and copies once more.
 *
 * Measured 2026-11 on Node 20 and 24, MB/s of processor time in chunks of 64 KiB at level 3: int32 running sums 679 and 692, the
 * same under BYTESHUFFLE 3090 and 3450, under DELTA 506 and 480. @bokuweb/zstd-wasm 340 and 624, 3446 and 3525, 483 and
 * 500; zstddec, which only decodes, as that; zstd-codec 426 and 468, 1204 and 1391, 356 and 384, and its fixed heap
 * aborts the process on a frame of 6 MiB: it serves where the wasm file cannot be had (zstd-without-file.ts).
 */
export const ZSTD_WASM = '@foxglove/wasm-zstd/dist/wasm-zstd.wasm'

/** The names that the build of version 1.0.1 left; package.json allows no other. */
const NAMES = {
  memory: 'c',
  start: 'd',
  malloc: 'f',
  free: 'g',
  compressBound: 'h',
  compress: 'i',
  decompress: 'j',
} as const
const IMPORT_NAMES = { module: 'a', grow: 'a', copy: 'b' } as const

/** Room that wasm memory (2 GiB at most) has for input and output together. */
const LARGEST = 1 << 30

interface Library extends WasmHeap {
  compressBound: WasmCall
  /** Both: (out, outLength, in, inLength[, level]), the bytes written or -1. */
  compress: WasmCall
  decompress: WasmCall
}

/** @param code the file {@link ZSTD_WASM} */
export async function loadZstd(code: BufferSource): Promise<ByteCodec> {
  const module = await WebAssembly.compile(code)
  let library: Library | undefined

  /** Runs one of the two, and gives what `take` makes of its output in the library's memory; undefined where it failed. */
  function run<T>(
    name: 'compress' | 'decompress',
    data: Uint8Array,
    room: number,
    rest: number[],
    take: (out: Uint8Array) => T,
  ): T | undefined {
    if (data.length + room > LARGEST) {
      throw new InspectError(
        'TOO_LARGE',
        `expected at most ${LARGEST} bytes in and out of one zstd frame, found ${data.length + room}`,
      )
    }
    library ??= instantiate(module)
    const { malloc, free, memory } = library
    try {
      const source = malloc(Math.max(1, data.length))
      const target = malloc(Math.max(1, room))
      if (source === 0 || target === 0) throw new RangeError('no wasm memory')
      new Uint8Array(memory.buffer, source, data.length).set(data)
      const length = library[name](target, room, source, data.length, ...rest)
      const out = length < 0 ? undefined : take(new Uint8Array(memory.buffer, target, length))
      free(target)
      free(source)
      return out
    } catch (cause) {
      // A trap or a full memory leaves the instance in an unknown state: the next call starts with a new one.
      library = undefined
      throw new InspectError(
        'BAD_FILTERED_DATA',
        'expected a zstd frame, found one that libzstd fails on',
        {},
        { cause },
      )
    }
  }

  function checked<T>(data: Uint8Array, size: number, take: (out: Uint8Array) => T): T {
    checkZstdFrame(data, size)
    let found: number | undefined
    const out = run('decompress', data, size, [], (bytes) => {
      found = bytes.length
      return found === size ? take(bytes) : undefined
    })
    if (out !== undefined) return out
    throw badData(`expected a zstd frame of ${size} bytes, found ${found ?? 'a broken one'}`)
  }

  return {
    compress(data, level) {
      library ??= instantiate(module)
      const room = library.compressBound(data.length)
      const frame = run('compress', data, room, [zstdLevel(level)], (out) => out.slice())
      if (!frame)
        throw new InspectError('BAD_VALUE', `expected data that libzstd compresses, found it fails at level ${level}`)
      return frame
    },
    decompress: (data, size) => checked(data, size, (bytes) => bytes.slice()),
    decompressInto(data, out) {
      checked(data, out.length, (bytes) => {
        out.set(bytes)
        return true
      })
    },
  }
}

function instantiate(module: WebAssembly.Module): Library {
  let memory: WebAssembly.Memory | undefined
  const { copy, grow } = heapImports(() => memory)
  const instance = new WebAssembly.Instance(module, {
    [IMPORT_NAMES.module]: { [IMPORT_NAMES.copy]: copy, [IMPORT_NAMES.grow]: grow },
  })
  memory = wasmMemory(instance, NAMES.memory)
  wasmCall(instance, NAMES.start)()
  return {
    memory,
    malloc: wasmCall(instance, NAMES.malloc),
    free: wasmCall(instance, NAMES.free),
    compressBound: wasmCall(instance, NAMES.compressBound),
    compress: wasmCall(instance, NAMES.compress),
    decompress: wasmCall(instance, NAMES.decompress),
  }
}
