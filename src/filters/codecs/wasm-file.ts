/** Reads a wasm file of a package by its specifier: `package/folder/name.wasm`. */
export type WasmReader = (specifier: string) => Promise<BufferSource>

/**
 * The files that the build packs into scripts, which any bundler can handle. A page loads one when its filter is first
 * needed. The encoder of WEBP is not among them, because pages only read.
 */
const PACKED: Readonly<Record<string, (() => Promise<{ DEFLATED: string }>) | undefined>> = {
  '@foxglove/wasm-zstd/dist/wasm-zstd.wasm': () => import('./zstd.wasm.js'),
  'bzip2-wasm/bzip2-1.0.8/bzip2.wasm': () => import('./bzip2.wasm.js'),
  '@jsquash/webp/codec/dec/webp_dec.wasm': () => import('./webp.wasm.js'),
}

/** Unpacks one of {@link PACKED}. Node has a reader of its own in src/node/node-codecs.ts. */
export const packedWasm: WasmReader = async (specifier) => {
  const packed = await PACKED[specifier]?.()
  if (!packed) throw new Error(`no ${specifier} in a page`)
  const bytes = Uint8Array.from(atob(packed.DEFLATED), (character) => character.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer()
}
