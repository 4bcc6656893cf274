import process from 'node:process'
import { useLeanHeap } from '../source/lean-heap.ts'

/** Keeps this process's heap small with V8 flags; only for the program, not for the library. */
export function keepHeapLean(): void {
  useLeanHeap({ compileWasm, countListedNames, countReadBytes })
}

/** A folder with this many names means a large heap and a long run. */
const MANY_NAMES = 10_000
/** From this many fragments on, V8 optimizes code that only they run. */
const SOME_NAMES = 200
/** Bytes of bytecode that a function runs before V8 optimizes it: 18 times as many as by default. */
const LATE = 1_200_000
/**
 * The same for wasm, in about the bytes that a function runs, and V8's own number. One function of libzstd takes 60 ms of processor
 * time to optimize. V8 would begin after one tile; that pays after some 20 MB of cells.
 */
const LATE_WASM = 2_000_000_000
const USUAL_WASM = 1_800_000

let lean = false
let late = false

/**
 * Called for each listed folder. What is done a thousand times is worth no optimized code: making it took a third of the
 * processor time of listing 1,000 fragments. In long runs it is made a few milliseconds later. Only Node 20 has the flag. And
 * V8 lets the heap grow to several times the live data before it collects garbage. For arrays
 * with 100,000 fragments this was most of the memory of `ls`. A factor of 1.4 takes no longer.
 */
function countListedNames(count: number): void {
  if (!late && count >= SOME_NAMES && isNode20()) {
    late = true
    process.getBuiltinModule('node:v8').setFlagsFromString(`--interrupt-budget=${LATE}`)
  }
  if (lean || count < MANY_NAMES) return
  lean = true
  process.getBuiltinModule('node:v8').setFlagsFromString('--heap-growing-percent=40')
}

function isNode20(): boolean {
  return process.versions.node.startsWith('20.')
}

/** The number holds for a module from its start on. V8 takes no compiled code that was made with other flags, so it is set back. */
function compileWasm(bytes: BufferSource): WebAssembly.Module {
  if (!isNode20()) return new WebAssembly.Module(bytes)
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString(`--wasm-tiering-budget=${LATE_WASM}`)
  try {
    return new WebAssembly.Module(bytes)
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${USUAL_WASM}`)
  }
}

/** Bytes between two collections. A collection takes 10 ms, as long as gzip takes for 4 MB. With half of them the peak is no lower. */
const COLLECTED_BYTES = 32 * 2 ** 20

let collect: (() => void) | undefined
let passed = 0

/**
 * Called with the size of lists that may have millions of entries. Nothing of them is kept, but from Node 22 on V8 lets its
 * young generation grow to 128 MB for them. Without growth it is hardly slower. Also, the output of node:zlib is held by
 * objects that only a full collection frees. Left to itself, V8 starts one at some 70 MB (Node 24, November 2026).
 */
function countReadBytes(bytes: number): void {
  if (!collect) {
    process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
    collect = collector()
  }
  passed += bytes
  if (passed < COLLECTED_BYTES) return
  passed = 0
  collect()
}

/** V8's own collection. It exists only in contexts created after the flag is set. */
function collector(): () => void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc')
  const gc: unknown = process.getBuiltinModule('node:vm').runInNewContext('globalThis.gc')
  return typeof gc === 'function' ? () => gc() : () => {}
}
