/** Hook of the program that sets flags of V8. The library sets none: the process belongs to its host. */
interface LeanHeap {
  compileWasm(bytes: BufferSource): WebAssembly.Module
  countListedNames(count: number): void
  countReadBytes(bytes: number): void
}

let lean: LeanHeap | undefined

export function useLeanHeap(heap: LeanHeap): void {
  lean = heap
}

/** Call this after listing a folder. @param count names in it */
export function countListedNames(count: number): void {
  lean?.countListedNames(count)
}

/** Call this after reading a part of a list of up to millions of entries, of which nothing is kept. */
export function countReadBytes(bytes: number): void {
  lean?.countReadBytes(bytes)
}

/** Compiles a wasm file, without waiting. The program has V8 optimize its functions late. */
export function compileWasm(bytes: BufferSource): WebAssembly.Module {
  return lean?.compileWasm(bytes) ?? new WebAssembly.Module(bytes)
}
