import { once } from '../codecs/once.ts'

/** What a kernel reads: one block of bytes, or two. */
type KernelInputs = readonly [Uint8Array, Uint8Array?]

/**
 * The hot loops that undo filters, as one WebAssembly module with SIMD. Their source is in `assembly/`. Each kernel has an
 * equivalent in plain TypeScript in its filter. {@link run} returns undefined if there is no memory, or if the data is
 * wrong. The filter then uses the plain code, which throws the right error.
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
  /** Bytes of this chunk's blocks for which there was no memory. */
  private lacking = 0
  /** Bytes of memory that the largest chunk so far needed. */
  private wanted = 0

  /** @throws WebAssembly.CompileError if the platform has no SIMD; another error if it has no WebAssembly */
  constructor(code: BufferSource) {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(code))
    this.wasm = exports as unknown as KernelExports
    this.start = roundUp(this.wasm.heapStart())
    this.top = this.start
    this.memory = new Uint8Array(this.wasm.memory.buffer)
  }

  /** Frees all blocks, and grows the memory for a chunk of `length` unfiltered bytes, up to {@link MAX_BYTES}. */
  begin(length: number): void {
    this.top = this.start
    this.lacking = 0
    const end = Math.max(this.wanted, this.start + STAGES * roundUp(length) + SPARE_BYTES)
    const missing = end - this.memory.length
    if (missing <= 0 || end > MAX_BYTES) return
    try {
      this.wasm.memory.grow(Math.ceil(missing / PAGE))
    } catch {
      // The kernels then use the memory that there is.
    }
    this.memory = new Uint8Array(this.wasm.memory.buffer)
  }

  /** Whether the bytes are in the module's memory. If so, they have to be copied to outlive the chunk. */
  holds(bytes: Uint8Array): boolean {
    return bytes.buffer === this.memory.buffer
  }

  /** Returns an uncleared block that the caller fills as input of the next kernel. Undefined without memory. */
  block(length: number): Uint8Array | undefined {
    const at = this.allocate(length)
    return at === NONE ? undefined : this.view(at, length)
  }

  /**
   * Runs a kernel of `assembly/`, which returns 0 if the data is wrong.
   * @param length bytes of output
   * @param rest parameters of the kernel after the addresses of the output and the inputs
   * @returns a block of `length` bytes that the kernel filled; undefined without memory or with wrong data
   */
  run(kernel: KernelName, length: number, inputs: KernelInputs, ...rest: number[]): Uint8Array | undefined {
    const call = this.wasm[kernel]
    // A page leaves out some.
    if (!call) return undefined
    const first = this.place(inputs[0])
    const second = inputs[1] ? this.place(inputs[1]) : first
    const output = this.allocate(length)
    if (first === NONE || second === NONE || output === NONE) return undefined
    const done = inputs[1] ? call(output, first, second, ...rest) : call(output, first, ...rest)
    return done === 0 ? undefined : this.view(output, length)
  }

  /** Returns the address of the bytes, after copying them into memory if needed. {@link NONE} without memory. */
  private place(bytes: Uint8Array): number {
    if (this.holds(bytes)) return bytes.byteOffset
    const at = this.allocate(bytes.length)
    if (at !== NONE) this.memory.set(bytes, at)
    return at
  }

  /** Returns the address of a new block of `length` bytes, not cleared; {@link NONE} without memory. */
  private allocate(length: number): number {
    const at = this.top
    const bytes = roundUp(length) + SLACK
    if (at + bytes > this.memory.length) {
      this.lacking += bytes
      const wanted = at + this.lacking + SLACK
      if (wanted <= MAX_BYTES) this.wanted = Math.max(this.wanted, wanted)
      return NONE
    }
    this.top = at + bytes
    return at
  }

  private view(at: number, length: number): Uint8Array {
    return this.memory.subarray(at, at + length)
  }
}

/** Bytes after a block that kernels may read and write, because they handle whole vectors. */
const SLACK = 64
const PAGE = 65_536
/** Blocks of a chunk's size that are enough for most pipelines. */
const STAGES = 4
/** Memory for small blocks. */
const SPARE_BYTES = PAGE
/** Upper limit on the memory. Plain code undoes chunks that need more, which only tiles with cells of megabytes have. */
const MAX_BYTES = 64 * 2 ** 20
/** An address that no block has: the module's own data is there. */
const NONE = 0

/** Rounds up to a multiple of 16, the size of a vector. */
function roundUp(length: number): number {
  return Math.ceil(length / 16) * 16
}

type KernelName =
  | 'unbitshuffle'
  | 'unbyteshuffle'
  | 'sums'
  | 'unxor'
  | 'undoubleDelta'
  | 'unpositiveDelta'
  | 'widen'
  | 'unrle'
  | 'unlz4'
  | 'unzlib'
  | 'unzstd'
  | 'unbzip2'
  | 'totals'

/** The exports of `assembly/index.ts`. */
interface KernelExports extends Partial<Record<KernelName, (...args: number[]) => number>> {
  heapStart(): number
  memory: WebAssembly.Memory
}

/**
 * Compiles the kernels once they are worth it. Decoding and compiling them takes as long as cold plain code takes to undo
 * {@link SMALL_WORK} bytes. One instance serves the whole process, because all work on chunks is synchronous.
 */
export class LazyKernels {
  private readonly code: () => Uint8Array<ArrayBuffer>
  private kernels: Kernels | undefined
  /** Bytes of chunks that plain code undoes before the kernels are compiled. */
  private plainBytesLeft = SMALL_WORK
  /** Whether the platform cannot run them. */
  private cannotRun = false

  constructor(code: () => Uint8Array<ArrayBuffer>) {
    this.code = code
  }

  /**
   * Returns the kernels for a chunk of `length` unfiltered bytes. Undefined while they are not worth it, and where they do
   * not run.
   * @param atOnce whether they are worth it for any chunk
   */
  forChunk(length: number, atOnce = false): Kernels | undefined {
    if (!this.kernels) {
      if (this.cannotRun) return undefined
      this.plainBytesLeft -= length
      if (this.plainBytesLeft >= 0 && !atOnce) return undefined
      try {
        this.kernels = new Kernels(this.code())
      } catch {
        this.cannotRun = true
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

/** Bytes that plain code undoes first. Measured in new processes on Node 20: 8 KiB for BITSHUFFLE, 64 to 256 KiB for others. */
const SMALL_WORK = 48 * 1024

/** Decodes the module's code from base64. */
export function kernelsCode(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const code = new Uint8Array(binary.length)
  for (let i = 0; i < code.length; i++) code[i] = binary.charCodeAt(i)
  return code
}

export const loadKernels: () => Promise<LazyKernels> = once(async () => {
  const { KERNELS_WASM } = await import('./binary.js')
  return new LazyKernels(() => kernelsCode(KERNELS_WASM))
})
