/** Reads a wasm file of a package by its specifier: `package/folder/name.wasm`. */
export type WasmReader = (specifier: string) => Promise<BufferSource>

/**
 * Fetches the file from the place where the platform resolves modules, for which a browser needs an import map. An
 * application whose bundler puts such files elsewhere passes its own reader. Node has one in src/node/node-codecs.ts.
 */
export const fetchPackagedWasm: WasmReader = async (specifier) => {
  const response = await fetch(new URL(import.meta.resolve(specifier)))
  if (!response.ok) throw new Error(`expected the file ${specifier}, found status ${response.status}`)
  return response.arrayBuffer()
}
