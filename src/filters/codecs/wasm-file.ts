/** Gives the bytes of a wasm file that a package ships, by its specifier: `package/folder/name.wasm`. */
export type WasmReader = (specifier: string) => Promise<BufferSource>

/**
 * Finds the file as the runtime resolves modules. Node has no fetch for files, so there it is read; elsewhere it is
 * fetched, which needs an import map. An application whose bundler puts such files elsewhere gives `portable` its own reader.
 */
export const readPackagedWasm: WasmReader = async (specifier) => {
  const url = new URL(import.meta.resolve(specifier))
  if (url.protocol === 'file:') return process.getBuiltinModule('node:fs').promises.readFile(url)
  const response = await fetch(url)
  if (!response.ok) throw new Error(`expected the file ${specifier}, found status ${response.status}`)
  return response.arrayBuffer()
}
