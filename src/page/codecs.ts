import { md5 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { inflateZlib } from '../filters/codecs/inflate.ts'
import { once } from '../filters/codecs/once.ts'
import { portable } from '../filters/codecs/portable.ts'
import type { WasmReader } from '../filters/codecs/wasm-file.ts'
import { onlyReads } from './only-reads.ts'
import { loadZstd } from './zstd.ts'

/** Wasm files that came with the data, by specifier: deflated, in base64. */
let addedFiles: Readonly<Record<string, string>> = {}
/** URL of the page. A published page has the wasm files beside it; the server of `page` has them, too. */
let pageUrl = globalThis.location?.href

/**
 * Adds the wasm files of codecs. They would take a third of the page. So they come with the data that needs them, or from
 * the server.
 * @param page URL of the page, which a worker does not know
 */
export function addWasmFiles(files: Readonly<Record<string, string>>, page = pageUrl): void {
  addedFiles = { ...addedFiles, ...files }
  pageUrl = page
}

/** The arguments with which a worker calls {@link addWasmFiles}. */
export function wasmFiles(): Parameters<typeof addWasmFiles> {
  return [addedFiles, pageUrl]
}

const readWasm: WasmReader = async (specifier) => {
  const packed = addedFiles[specifier]
  if (packed !== undefined) return unpacked(packed)
  if (specifier.includes('/enc/')) throw new Error('a page only reads')
  const name = specifier.slice(specifier.lastIndexOf('/') + 1)
  const answer = await fetch(new URL(name, pageUrl))
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`)
  return answer.arrayBuffer()
}

async function unpacked(deflated: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(deflated), (character) => character.charCodeAt(0))
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer()
}

const decompressors = portable(readWasm)

/** The codecs of a page. */
export const codecs: Codecs = {
  ...decompressors,
  // Imported by name, so that no other digest is in the page.
  md5: async () => md5,
  sha256: async () => sha256,
  gzip: async () => ({ compress: onlyReads, decompress: inflateZlib }),
  lz4: async () => ({ ...(await decompressors.lz4()), compress: onlyReads }),
  zstd: once(() => loadZstd(readWasm)),
}
