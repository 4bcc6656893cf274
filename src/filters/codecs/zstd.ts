import { badValue, InspectError } from '../../base/errors.ts'
import { badData } from '../bytes.ts'
import type { ByteCodec } from './codecs.ts'
import { heapImports, type WasmCall, type WasmHeap, wasmCall, wasmMemory } from './emscripten.ts'
import { zstdLevel } from './levels.ts'
import { checkZstdFrame } from './zstd-frame.ts'

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
 * zstddec, which only decodes, is as fast as @bokuweb/zstd-wasm. zstd-codec is used if the wasm file cannot be read
 * (zstd-without-file.ts): its fixed heap aborts the process on a frame of 6 MiB.
 */
export const ZSTD_WASM = '@foxglove/wasm-zstd/dist/wasm-zstd.wasm'

/** Export names in the minified build of version 1.0.1. package.json allows no other version. */
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

/** Blocks of up to this many bytes are kept for the next call. */
const KEPT = 1 << 18

/** A block of wasm memory. With length 0 it is not allocated. */
interface Block {
  at: number
  length: number
}

interface Library extends WasmHeap {
  source: Block
  target: Block
  /** A view of all memory: see {@link heapOf}. */
  heap: Uint8Array
  compressBound: WasmCall
  /** Parameters of both: (out, outLength, in, inLength[, level]). They return the bytes written, or -1. */
  compress: WasmCall
  decompress: WasmCall
}

/** @param code the file {@link ZSTD_WASM} */
export async function loadZstd(code: BufferSource): Promise<ByteCodec> {
  return zstdCodec(await WebAssembly.compile(code))
}

/** @param module the file {@link ZSTD_WASM}, compiled */
export function zstdCodec(module: WebAssembly.Module): ByteCodec {
  let library: Library | undefined

  /**
   * Runs one of the two library functions.
   * @param take called with the place of the output in the library's memory
   * @returns the result of `take`; undefined if the library failed
   */
  function run<T>(
    name: 'compress' | 'decompress',
    data: Uint8Array,
    room: number,
    rest: number[],
    take: (heap: Uint8Array, start: number, end: number) => T,
  ): T | undefined {
    if (data.length + room > LARGEST) {
      throw new InspectError(
        'TOO_LARGE',
        `expected at most ${LARGEST} bytes in and out of one zstd frame, found ${data.length + room}`,
      )
    }
    library ??= instantiate(module)
    try {
      const source = reserve(library, library.source, data.length)
      const target = reserve(library, library.target, room)
      heapOf(library).set(data, source)
      const length = library[name](target, room, source, data.length, ...rest)
      const out = length < 0 ? undefined : take(heapOf(library), target, target + length)
      if (room > KEPT) release(library, library.target)
      if (data.length > KEPT) release(library, library.source)
      return out
    } catch (cause) {
      // After a trap or a failed allocation the instance is in an unknown state: the next call makes a new one.
      library = undefined
      throw new InspectError(
        'BAD_FILTERED_DATA',
        'expected a zstd frame, found one that libzstd fails on',
        {},
        { cause },
      )
    }
  }

  function checked<T>(data: Uint8Array, size: number, take: (heap: Uint8Array, start: number, end: number) => T): T {
    checkZstdFrame(data, size)
    let found: number | undefined
    const out = run('decompress', data, size, [], (heap, start, end) => {
      found = end - start
      return found === size ? take(heap, start, end) : undefined
    })
    if (out !== undefined) return out
    throw badData(`expected a zstd frame of ${size} bytes, found ${found ?? 'a broken one'}`)
  }

  return {
    compress(data, level) {
      library ??= instantiate(module)
      const room = library.compressBound(data.length)
      const frame = run('compress', data, room, [zstdLevel(level)], copyOf)
      if (!frame) throw badValue(`expected data that libzstd compresses, found it fails at level ${level}`)
      return frame
    },
    decompress: (data, size) => checked(data, size, copyOf),
    decompressInto(data, out) {
      checked(data, out.length, (heap, start, end) => {
        out.set(heap.subarray(start, end))
        return true
      })
    },
  }
}

function copyOf(heap: Uint8Array, start: number, end: number): Uint8Array {
  return heap.slice(start, end)
}

/** A view of all memory. A new one costs as much as a small frame, so one is made only after memory grew. */
function heapOf(library: Library): Uint8Array {
  if (library.heap.length === 0) library.heap = new Uint8Array(library.memory.buffer)
  return library.heap
}

/** Makes room for `length` bytes in a block. @returns its address @throws RangeError without memory */
function reserve(library: Library, block: Block, length: number): number {
  if (block.length > 0 && length <= block.length) return block.at
  release(library, block)
  block.at = library.malloc(Math.max(1, length))
  if (block.at === 0) throw new RangeError('no wasm memory')
  block.length = Math.max(1, length)
  return block.at
}

function release(library: Library, block: Block): void {
  if (block.length > 0) library.free(block.at)
  block.length = 0
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
    source: { at: 0, length: 0 },
    target: { at: 0, length: 0 },
    heap: new Uint8Array(0),
    memory,
    malloc: wasmCall(instance, NAMES.malloc),
    free: wasmCall(instance, NAMES.free),
    compressBound: wasmCall(instance, NAMES.compressBound),
    compress: wasmCall(instance, NAMES.compress),
    decompress: wasmCall(instance, NAMES.decompress),
  }
}
