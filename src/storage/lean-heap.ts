/** Functions of the program that set flags of V8. The library sets none, because the process belongs to its user. */
interface LeanHeap {
  compileWasm(bytes: BufferSource): WebAssembly.Module
  plainWasm(bytes: BufferSource): PlainWasm | undefined
  countListedNames(count: number): void
  countReadBytes(bytes: number): void
  countPlannedBytes(bytes: number): void
  optimizeLater(): void
}

/** A module whose functions V8 never optimizes. */
export interface PlainWasm {
  module: WebAssembly.Module
  /** To be called when all of its functions have run. */
  allRan(): void
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

/** Call this with the stored bytes that will probably be read and undone. */
export function countPlannedBytes(bytes: number): void {
  lean?.countPlannedBytes(bytes)
}

/** Call this before work that runs much code a few thousand times: once for each tile, not for each cell. */
export function optimizeLater(): void {
  lean?.optimizeLater()
}

/** Compiles a wasm file synchronously. In the program, V8 optimizes its functions later than usual. */
export function compileWasm(bytes: BufferSource): WebAssembly.Module {
  return lean?.compileWasm(bytes) ?? new WebAssembly.Module(bytes)
}

/** Compiles a wasm file synchronously. V8 never optimizes its functions. Undefined where this is not possible, or is not worth it. */
export function plainWasm(bytes: BufferSource): PlainWasm | undefined {
  return lean?.plainWasm(bytes)
}
