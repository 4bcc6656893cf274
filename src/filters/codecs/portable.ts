import { InspectError } from '../../base/errors.ts'
import type { Codecs } from './codecs.ts'
import { once } from './once.ts'
import type { WasmReader } from './wasm-file.ts'

/**
 * Codecs in JavaScript and wasm, for any platform. Each package is loaded on first use.
 * @param readWasm reads the wasm files of ZSTD, BZIP2 and WEBP
 */
export function portable(readWasm: WasmReader): Codecs {
  const wasm: WasmReader = async (specifier) => {
    try {
      return await readWasm(specifier)
    } catch (cause) {
      throw new InspectError('UNSUPPORTED_FILTER', { expected: `the file ${specifier}`, found: 'none' }, {}, { cause })
    }
  }
  return {
    gzip: async () => (await import('./gzip.ts')).gzipCodec,
    zstd: once(async () => (await import('./zstd.ts')).loadZstd(wasm)),
    lz4: async () => (await import('./lz4.ts')).lz4Codec,
    bzip2: once(async () => (await import('./bzip2.ts')).loadBzip2(wasm)),
    md5: async () => (await import('@noble/hashes/legacy.js')).md5,
    sha256: async () => (await import('@noble/hashes/sha2.js')).sha256,
    aes256gcm: async () => (await import('./aes-gcm.ts')).aes256GcmCodec,
    webp: once(async () => (await import('./webp.ts')).loadWebp(wasm)),
  }
}
