import { InspectError } from '../../base/errors.ts'

/** Wasm libraries built by emscripten, which are used without their packages' scripts. */

const PAGE = 65_536

/** Upper limit on the bytes of input and output together. Wasm memory has 2 GiB at most. */
const LARGEST = 1 << 30

/** Size of the largest block, in bytes, that is kept for the next call. */
const KEPT = 1 << 18

/** Bytes of memory with which an instance is kept for the next call. */
const LARGEST_KEPT = 2 ** 26

type WasmCall = (...args: number[]) => number

/** Facts that differ between the libraries. */
export interface LibraryFacts {
  /** Name of what the library decompresses, for errors. */
  stream: string
  /** Name of the library, for errors. */
  name: string
  /** Name of its exported memory. */
  memory: string
  /** Name of the function that starts it; undefined if it needs no start. */
  start: string | undefined
  /** Names of its functions that allocate and free memory. */
  malloc: string
  free: string
  /**
   * Returns the functions that it imports.
   * @param copy a function that copies large blocks
   * @param grow a function that grows the memory
   */
  imports(copy: WasmCall, grow: WasmCall): WebAssembly.Imports
}

/** A block of wasm memory. With length 0 it is not allocated. */
interface Block {
  at: number
  length: number
}

/** An instance, with one block each for input and output. */
interface Running {
  memory: WebAssembly.Memory
  /** A view of all memory. Making one costs as much as a small frame, so it is replaced only after the memory grew. */
  heap: Uint8Array
  call(name: string): WasmCall
  source: Block
  target: Block
}

/** One call of a library, with the addresses of its output and input. It returns the bytes written, or -1. */
type LibraryCall = (library: Running, target: number, source: number) => number

/** Calls a library. Its instance is made on the first call. */
export class WasmLibrary {
  readonly facts: LibraryFacts
  private readonly module: WebAssembly.Module
  private running: Running | undefined

  constructor(facts: LibraryFacts, module: WebAssembly.Module) {
    this.facts = facts
    this.module = module
  }

  get library(): Running {
    this.running ??= instantiate(this.facts, this.module)
    return this.running
  }

  /**
   * Runs a call on `data`, with `room` bytes for its output.
   * @param take called with the library's memory, and with start and end of the output in it
   * @returns the result of `take`; undefined if the call returned -1
   * @throws InspectError TOO_LARGE; BAD_FILTERED_DATA if the library fails; what `call` throws
   */
  run<T>(data: Uint8Array, room: number, call: LibraryCall, take: (heap: Uint8Array, from: number, to: number) => T) {
    const { stream, name } = this.facts
    if (data.length + room > LARGEST) {
      const fault = {
        expected: `at most ${LARGEST} bytes in and out of one ${stream}`,
        found: data.length + room,
      }
      throw new InspectError('TOO_LARGE', fault)
    }
    const { library } = this
    try {
      const source = this.reserve(library.source, data.length)
      const target = this.reserve(library.target, room)
      heapOf(library).set(data, source)
      const length = call(library, target, source)
      const out = length < 0 ? undefined : take(heapOf(library), target, target + length)
      if (room > KEPT) this.release(library.target)
      if (data.length > KEPT) this.release(library.source)
      // Memory of an instance never shrinks, so that one with much is given up.
      if (library.memory.buffer.byteLength > LARGEST_KEPT) this.running = undefined
      return out
    } catch (cause) {
      if (cause instanceof InspectError) throw cause
      // After a trap or a failed allocation the instance is in an unknown state: the next call makes a new one.
      this.running = undefined
      const fault = { expected: `a ${stream}`, found: `one that ${name} fails on` }
      throw new InspectError('BAD_FILTERED_DATA', fault, {}, { cause })
    }
  }

  /** Makes a block hold `length` bytes. @returns its address @throws RangeError without memory */
  private reserve(block: Block, length: number): number {
    if (block.length > 0 && length <= block.length) return block.at
    this.release(block)
    block.at = this.library.call(this.facts.malloc)(Math.max(1, length))
    if (block.at === 0) throw new RangeError('no wasm memory')
    block.length = Math.max(1, length)
    return block.at
  }

  private release(block: Block): void {
    if (block.length > 0) this.library.call(this.facts.free)(block.at)
    block.length = 0
  }
}

/** Returns a copy of the output of a call. It is a `take` of {@link WasmLibrary.run}. */
export function heapCopy(heap: Uint8Array, from: number, to: number): Uint8Array {
  return heap.slice(from, to)
}

function heapOf(library: Running): Uint8Array {
  if (library.heap.length === 0) library.heap = new Uint8Array(library.memory.buffer)
  return library.heap
}

function instantiate(facts: LibraryFacts, module: WebAssembly.Module): Running {
  let memory = new WebAssembly.Memory({ initial: 0 })
  const copy: WasmCall = (to, from, length) => {
    new Uint8Array(memory.buffer).copyWithin(to, from, from + length)
    return to
  }
  const grow: WasmCall = (bytes) => {
    try {
      memory.grow(Math.ceil(((bytes >>> 0) - memory.buffer.byteLength) / PAGE))
      return 1
    } catch {
      return 0
    }
  }
  const { exports } = new WebAssembly.Instance(module, facts.imports(copy, grow))
  const call = (name: string): WasmCall => {
    const found = exports[name]
    if (typeof found === 'function') return found as WasmCall
    throw new TypeError(`expected a function ${name} in the wasm file of a codec, found none`)
  }
  const exported = exports[facts.memory]
  if (!(exported instanceof WebAssembly.Memory))
    throw new TypeError(`expected a memory ${facts.memory} in the wasm file of a codec, found none`)
  memory = exported
  if (facts.start !== undefined) call(facts.start)()
  const source = { at: 0, length: 0 }
  return { memory, heap: new Uint8Array(0), call, source, target: { ...source } }
}
