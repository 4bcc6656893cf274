import { InspectError } from '../../base/errors.ts'
import { badData, badValue } from '../bytes.ts'
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

/** Blocks up to this size are kept from one call to the next. */
const KEPT = 1 << 18

/** A block of wasm memory; none while its length is 0. */
interface Block {
  at: number
  length: number
}

interface Library extends WasmHeap {
  source: Block
  target: Block
  /** All of memory: see {@link heapOf}. */
  heap: Uint8Array
  compressBound: WasmCall
  /** Both: (out, outLength, in, inLength[, level]), the bytes written or -1. */
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

  /** Runs one of the two, and gives what `take` makes of its output in the library's memory; undefined where it failed. */
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

/** Memory as bytes: a new view costs as much as a small frame, and is needed only where memory grew. */
function heapOf(library: Library): Uint8Array {
  if (library.heap.length === 0) library.heap = new Uint8Array(library.memory.buffer)
  return library.heap
}

/** Where in memory the block is, which then has room for `length` bytes. @throws RangeError */
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
