import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { addWasmFiles } from '../../src/page/codecs.ts'

/** Gives the modules of the page the decoder of ZSTD, which a page reads from its server, or has with its data. */
export function addZstd(): void {
  addWasmFiles({ 'zstddec.wasm': deflateRawSync(readFileSync('dist/page/zstddec.wasm')).toString('base64') })
}
