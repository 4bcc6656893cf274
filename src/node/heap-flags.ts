import process from 'node:process'
import { useLeanHeap } from '../storage/lean-heap.ts'

function setFlag(flag: string): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(flag)
}

/** Keeps the heap of this process small with V8 flags. The program calls this; the library does not. */
export function keepHeapLean(): void {
  useLeanHeap({ compileWasm, countListedNames, countReadBytes, optimizeLater })
}

/** From this many names in a folder on, V8 collects garbage more often. */
const MANY_NAMES = 20_000
/** From this many names in a folder on, V8 optimizes code later, and its young generation no longer grows. */
const SOME_NAMES = 200
/** From this many names in a folder on, code runs often enough for V8 to optimize it {@link SOON}. */
const THOUSANDS = 5000
/** Bytes of bytecode that a function runs before V8 optimizes it: 18 times the default. */
const LATE = 1_200_000
/** The same for thousands of names: twice the default. */
const SOON = 135_168
/** The same for work whose loops over cells are mostly kernels: 4 times the default. */
const LATER = 270_336
/**
 * The same for wasm, in about the bytes that a function runs, and V8's default. One function of libzstd takes 60 ms of
 * processor time to optimize.
 */
const LATE_WASM = 2_000_000_000
const USUAL_WASM = 1_800_000

/** Whether V8 collects garbage more often now, and whether it optimizes late, or later than usual, now. */
let lean = false
let late = false
let later = false

/**
 * Called with the number of names in each listed folder.
 *
 * Optimized code does not pay for work that is done a thousand times: making it took a third of the processor time of listing
 * 1,000 fragments. Of 10,000 fragments, optimizing soon took off a tenth. Only Node 20 has this flag.
 *
 * Whether V8 doubles its semi-spaces from 8 to 16 MB depends on how many objects happen to be alive at one collection. Without
 * growth, `ls` and `check` of 4,000 fragments take 75 and 83 MB instead of 100 to 120, and the same time (Node 20, November 2026).
 *
 * V8 lets the heap grow to several times the live data before it collects garbage. For arrays with 100,000 fragments this was
 * most of the memory of `ls`. A growth factor of 1.4 takes no longer.
 */
function countListedNames(count: number): void {
  if (!late && count >= SOME_NAMES && isNode20()) {
    late = true
    setFlag(`--interrupt-budget=${count < THOUSANDS ? LATE : SOON}`)
    setFlag('--semi-space-growth-factor=1')
  }
  if (lean || count < MANY_NAMES) return
  lean = true
  setFlag('--heap-growing-percent=40')
}

/**
 * A third of the processor time of checking a million cells was making optimized code. With it made later, `check` takes 0.8 of
 * the time, of 1 GB too; `recover` 0.8 and `write-sample` 0.9. It was as much of writing 20 to 100 MB of cells as Arrow: there the
 * hot loops are kernels and copies of the system. Later still, merging the cells of fragments would run too long without optimized
 * code (Node 20, November 2026).
 */
function optimizeLater(): void {
  if (later || late || !isNode20()) return
  later = true
  setFlag(`--interrupt-budget=${LATER}`)
}

function isNode20(): boolean {
  return process.versions.node.startsWith('20.')
}

/**
 * Compiles a module whose functions are optimized late. The flag has to be set when a module is compiled. It is reset
 * afterwards, because V8 rejects cached code that was made with other flags.
 */
function compileWasm(bytes: BufferSource): WebAssembly.Module {
  if (!isNode20()) return new WebAssembly.Module(bytes)
  setFlag(`--wasm-tiering-budget=${LATE_WASM}`)
  try {
    return new WebAssembly.Module(bytes)
  } finally {
    setFlag(`--wasm-tiering-budget=${USUAL_WASM}`)
  }
}

/** Bytes read between two collections. A collection takes 10 ms, like gzip for 4 MB. With half as many the peak is no lower. */
const COLLECTED_BYTES = 32 * 2 ** 20

let collect: (() => void) | undefined
let passed = 0

/**
 * Called with the bytes of lists that may have millions of entries, of which nothing is kept. From Node 22 on V8 would let its
 * young generation grow to 128 MB for them; without growth it is hardly slower. Also, the output of node:zlib is held by
 * objects that only a full collection frees. By itself, V8 starts one at some 70 MB (Node 24, November 2026).
 */
function countReadBytes(bytes: number): void {
  if (!collect) {
    setFlag('--semi-space-growth-factor=1')
    collect = collector()
  }
  passed += bytes
  if (passed < COLLECTED_BYTES) return
  passed = 0
  collect()
}

/** The function that runs V8's garbage collection. It exists only in contexts that are created after the flag is set. */
function collector(): () => void {
  setFlag('--expose-gc')
  const gc: unknown = process.getBuiltinModule('node:vm').runInNewContext('globalThis.gc')
  return typeof gc === 'function' ? () => gc() : () => {}
}
