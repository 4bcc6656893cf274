import { once } from '../codecs/once.ts'
import type { ElementSize } from '../elements.ts'

/**
 * The hot loops of undoing filters, as one WebAssembly module with SIMD. Their source is in `assembly/`. Every kernel
 * has an equivalent in plain TypeScript in its filter. A kernel returns undefined if there is no room, or if the data
 * is wrong. The filter then uses the plain code, which raises the right error.
 *
 * Input is copied into the module's memory unless it is there already, and output stays there. So a chunk goes through
 * a whole pipeline without leaving that memory. Results are valid until the next {@link begin}.
 */
export class Kernels {
  private readonly wasm: KernelExports
  private readonly start: number
  /** A view of all memory, replaced when it grows. Only {@link begin} grows it. */
  private memory: Uint8Array
  private top: number
  /** Bytes of this chunk's blocks that found no room. */
  private lacking = 0
  /** Bytes of memory that the largest chunk so far needed. */
  private wanted = 0

  /** @throws WebAssembly.CompileError if the platform has no SIMD; another error if it has no WebAssembly */
  constructor(code: BufferSource) {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code))
    this.wasm = exports as unknown as KernelExports
    this.start = up(this.wasm.heapStart())
    this.top = this.start
    this.memory = new Uint8Array(this.wasm.memory.buffer)
  }

  /** Frees all blocks, and makes room for a chunk of `length` unfiltered bytes, up to {@link MOST_BYTES}. */
  begin(length: number): void {
    this.top = this.start
    this.lacking = 0
    const end = Math.max(this.wanted, this.start + STAGES * up(length) + SPARE_BYTES)
    const missing = end - this.memory.length
    if (missing <= 0 || end > MOST_BYTES) return
    try {
      this.wasm.memory.grow(Math.ceil(missing / PAGE))
    } catch {
      // The kernels use what there is.
    }
    this.memory = new Uint8Array(this.wasm.memory.buffer)
  }

  /** Whether the bytes are in the module's memory. They then have to be copied to outlive the chunk. */
  holds(bytes: Uint8Array): boolean {
    return bytes.buffer === this.memory.buffer
  }

  /** An uncleared block that the caller fills as input of the next kernel. Undefined without room. */
  block(length: number): Uint8Array | undefined {
    const at = this.room(length)
    return at === NONE ? undefined : this.view(at, length)
  }

  /** @param part its length is a multiple of 8 bytes and of the element size */
  unbitshuffle(part: Uint8Array, size: ElementSize): Uint8Array | undefined {
    const { length } = part
    return this.run(length, [part], (output, input) => this.wasm.unbitshuffle(input, output, length, size))
  }

  /** @param size at least 2 */
  unbyteshuffle(part: Uint8Array, size: ElementSize): Uint8Array | undefined {
    const { length } = part
    const count = Math.floor(length / size)
    const rest = length - count * size
    return this.run(length, [part], (output, input) => this.wasm.unbyteshuffle(input, output, count, size, rest))
  }

  /** Running sums of the whole elements of `part`, padded with zeros to `length` bytes. */
  sums(part: Uint8Array, length: number, size: ElementSize): Uint8Array | undefined {
    const whole = part.length - (part.length % size)
    const all = this.run(Math.max(length, whole), [part], (output, input) =>
      this.wasm.sums(input, output, whole, size, 0, 0),
    )
    return all?.fill(0, whole).subarray(0, length)
  }

  /** Undoes XOR of whole elements. */
  separate(part: Uint8Array, size: ElementSize): Uint8Array | undefined {
    const { length } = part
    return this.run(length, [part], (output, input) => this.wasm.separate(input, output, length, size))
  }

  /**
   * @param part two elements, then the packed words of the others. The caller has checked its length.
   * @param length bytes of output: the elements, padded with zeros
   * @param bitSize at most 62
   */
  undoubleDelta(part: Uint8Array, length: number, bitSize: number, size: ElementSize): Uint8Array | undefined {
    const count = Math.floor(length / size)
    const packedLength = part.length - 2 * size
    const stream = this.room(packedLength)
    if (stream === NONE) return undefined
    const all = this.run(length, [part], (output, input) => {
      const packed = input + 2 * size
      this.memory.copyWithin(output, input, packed)
      return this.wasm.undoubleDelta(packed, packedLength / 8, stream, output, count, bitSize, size)
    })
    return all?.fill(0, count * size)
  }

  /** @param table per window T first value, u32 bytes */
  unpositiveDelta(table: Uint8Array, windows: number, data: Uint8Array, size: ElementSize): Uint8Array | undefined {
    const { length } = data
    return this.run(length, [table, data], (output, entries, input) =>
      this.wasm.unpositiveDelta(entries, windows, input, output, length, size),
    )
  }

  /**
   * Undoes BIT_WIDTH_REDUCTION.
   * @param table per window T value offset, u8 bits, u32 bytes
   */
  widen(
    table: Uint8Array,
    windows: number,
    data: Uint8Array,
    length: number,
    size: ElementSize,
    signed: boolean,
  ): Uint8Array | undefined {
    return this.run(length, [table, data], (output, entries, input) =>
      this.wasm.widen(entries, windows, input, data.length, output, length, size, signed ? 1 : 0),
    )
  }

  /** @param part whole runs of cells of `size` bytes */
  unrle(part: Uint8Array, length: number, size: number): Uint8Array | undefined {
    return this.run(length, [part], (output, input) => this.wasm.unrle(input, part.length, output, length, size))
  }

  /** @param block a raw LZ4 block */
  unlz4(block: Uint8Array, length: number): Uint8Array | undefined {
    return this.run(length, [block], (output, input) => this.wasm.unlz4(input, block.length, output, length))
  }

  /**
   * @param call runs a kernel. 0 from it means that the data is wrong.
   * @returns a block of `length` bytes that the kernel filled; undefined without room or with wrong data
   */
  private run(
    length: number,
    inputs: readonly Uint8Array[],
    call: (output: number, first: number, second: number) => number,
  ): Uint8Array | undefined {
    const one = this.place(inputs[0])
    const two = inputs.length > 1 ? this.place(inputs[1]) : one
    const output = this.room(length)
    if (one === NONE || two === NONE || output === NONE) return undefined
    return call(output, one, two) === 0 ? undefined : this.view(output, length)
  }

  /** Address of the bytes in memory. Copies them there if needed. {@link NONE} without room. */
  private place(bytes: Uint8Array): number {
    if (this.holds(bytes)) return bytes.byteOffset
    const at = this.room(bytes.length)
    if (at !== NONE) this.memory.set(bytes, at)
    return at
  }

  /** Address of a new block of `length` bytes, not cleared; {@link NONE} without room. */
  private room(length: number): number {
    const at = this.top
    const bytes = up(length) + SLACK
    if (at + bytes > this.memory.length) {
      this.lacking += bytes
      const wanted = at + this.lacking + SLACK
      if (wanted <= MOST_BYTES) this.wanted = Math.max(this.wanted, wanted)
      return NONE
    }
    this.top = at + bytes
    return at
  }

  private view(at: number, length: number): Uint8Array {
    return this.memory.subarray(at, at + length)
  }
}

/** Bytes after a block that kernels may touch, because they read and write whole vectors. */
const SLACK = 64
const PAGE = 65_536
/** Most pipelines need this many blocks of a chunk's size. */
const STAGES = 4
/** Room for small blocks. */
const SPARE_BYTES = PAGE
/** Most memory. Chunks that need more, which only tiles with cells of megabytes have, are undone by plain code. */
const MOST_BYTES = 64 * 2 ** 20
/** No block has address 0: the module's own data is there. */
const NONE = 0

/** Rounds up to a multiple of 16, the size of a vector. */
function up(length: number): number {
  return Math.ceil(length / 16) * 16
}

type Call = (...args: number[]) => number

/** What `assembly/index.ts` exports. */
interface KernelExports
  extends Record<
    | 'heapStart'
    | 'unbitshuffle'
    | 'unbyteshuffle'
    | 'sums'
    | 'separate'
    | 'undoubleDelta'
    | 'unpositiveDelta'
    | 'widen'
    | 'unrle'
    | 'unlz4',
    Call
  > {
  memory: WebAssembly.Memory
}

/**
 * Compiles the kernels once they are worth it. Decoding and compiling them takes as long as undoing {@link SMALL_WORK}
 * bytes in plain code that is not warm. One instance serves the whole process, since all work on chunks is synchronous.
 */
export class LazyKernels {
  private readonly code: () => Uint8Array<ArrayBuffer>
  private kernels: Kernels | undefined
  private small = SMALL_WORK

  constructor(code: () => Uint8Array<ArrayBuffer>) {
    this.code = code
  }

  /**
   * Kernels for a chunk of `length` unfiltered bytes. Undefined while they are not worth it, and if they do not run.
   */
  forChunk(length: number): Kernels | undefined {
    if (!this.kernels) {
      this.small -= length
      if (this.small >= 0) return undefined
      try {
        this.kernels = new Kernels(this.code())
      } catch {
        this.small = Number.POSITIVE_INFINITY
        return undefined
      }
    }
    this.kernels.begin(length)
    return this.kernels
  }

  /** See {@link Kernels.holds}. */
  holds(bytes: Uint8Array): boolean {
    return this.kernels?.holds(bytes) === true
  }
}

/** In bytes. Measured in new processes on Node 20: 8 KiB for BITSHUFFLE, 64 to 256 KiB for the other filters. */
const SMALL_WORK = 48 * 1024

/** The module's code, from base64. */
export function kernelsCode(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const code = new Uint8Array(binary.length)
  for (let i = 0; i < code.length; i++) code[i] = binary.charCodeAt(i)
  return code
}

export const loadKernels: () => Promise<LazyKernels> = once(async () => {
  const { KERNELS_WASM } = await import('./binary.ts')
  return new LazyKernels(() => kernelsCode(KERNELS_WASM))
})
