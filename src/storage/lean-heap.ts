/** Functions of the program that set flags of V8. The library sets none, because the process belongs to its user. */
interface LeanHeap {
  compileWasm(bytes: BufferSource): WebAssembly.Module
  countListedNames(count: number): void
  countReadBytes(bytes: number): void
  optimizeLater(): void
}

let lean: LeanHeap | undefined

export function useLeanHeap(heap: LeanHeap): void {
  lean = heap
}

/** Call this after listing a folder. @param count number of names in it */
export function countListedNames(count: number): void {
  lean?.countListedNames(count)
}

/** Call this after reading a part of a long list, of which nothing is kept in memory. */
export function countReadBytes(bytes: number): void {
  lean?.countReadBytes(bytes)
}

/** Call this before work that runs much code a few thousand times: once for each tile, not for each cell. */
export function optimizeLater(): void {
  lean?.optimizeLater()
}

/** Compiles a wasm file synchronously. In the program, V8 optimizes its functions later than usual. */
export function compileWasm(bytes: BufferSource): WebAssembly.Module {
  return lean?.compileWasm(bytes) ?? new WebAssembly.Module(bytes)
}
