/** Helpers for two wasm libraries built by emscripten, which are used without their packages' scripts. */

const PAGE = 65_536

export type WasmCall = (...args: number[]) => number

export interface WasmHeap {
  memory: WebAssembly.Memory
  malloc: WasmCall
  free: WasmCall
}

/** The two functions that both libraries import: a copy of large blocks, and growing the memory. */
export function heapImports(memory: () => WebAssembly.Memory | undefined): Record<'copy' | 'grow', WasmCall> {
  return {
    copy(to, from, length) {
      const { buffer } = memory() ?? { buffer: new ArrayBuffer(0) }
      new Uint8Array(buffer).copyWithin(to, from, from + length)
      return to
    },
    grow(bytes) {
      const held = memory()
      if (!held) return 0
      try {
        held.grow(Math.ceil(((bytes >>> 0) - held.buffer.byteLength) / PAGE))
        return 1
      } catch {
        return 0
      }
    },
  }
}

/** @throws TypeError if there is no such export, as in another build of the library */
export function wasmMemory(instance: WebAssembly.Instance, name: string): WebAssembly.Memory {
  const memory = instance.exports[name]
  if (memory instanceof WebAssembly.Memory) return memory
  throw new TypeError(`expected a memory ${name} in the wasm file of a codec, found none`)
}

/** @throws TypeError if there is no such export, as in another build of the library */
export function wasmCall(instance: WebAssembly.Instance, name: string): WasmCall {
  const found = instance.exports[name]
  if (typeof found === 'function') return found as WasmCall
  throw new TypeError(`expected a function ${name} in the wasm file of a codec, found none`)
}
