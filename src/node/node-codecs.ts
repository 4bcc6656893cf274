import { InspectError } from '../base/errors.ts'
import { badData } from '../filters/bytes.ts'
import type { Aead, ByteCodec, Codecs, Digest } from '../filters/codecs/codecs.ts'
import { gzipLevel, zstdLevel } from '../filters/codecs/levels.ts'
import { once } from '../filters/codecs/once.ts'
import { portable } from '../filters/codecs/portable.ts'
import { inflateShort, SHORT } from '../filters/codecs/short-inflate.ts'
import { checkZstdFrame } from '../filters/codecs/zstd-frame.ts'
import { compileWasm } from '../storage/lean-heap.ts'
import { systemCode } from './file.ts'

/** The portable codecs, with their files read by Node. */
export const portableCodecs: Codecs = portable(async (specifier) =>
  (await import('./packaged.ts')).packagedBytes(specifier),
)

/**
 * Codecs of Node where they are faster than packages: MD5 and SHA-256 8 times, AES-256-GCM at least 50 times, inflate 3 times
 * (node:crypto and node:zlib, Node 20 and 24). The others are portable. Nothing is loaded before first use.
 */
export const nodeCodecs: Codecs = {
  ...portableCodecs,
  // Loaded once, because in the built program each `import()` of a Node module copies all its exports.
  gzip: once(async () => gzipOfNode()),
  zstd: once(loadZstd),
  md5: once(() => loadDigest('md5', portableCodecs.md5)),
  sha256: once(() => loadDigest('sha256', portableCodecs.sha256)),
  aes256gcm: once(loadAes256Gcm),
}

/**
 * Codecs for writing. They compress to the same bytes on every Node, and to those of TileDB, which has a plain zlib and
 * libzstd. Node's own zlib and zstd (from Node 22.15 on) compress to other bytes, and differ between releases. For
 * decompressing they are used where they are faster.
 */
export const writingCodecs: Codecs = {
  ...nodeCodecs,
  gzip: once(async () => ({ ...(await nodeCodecs.gzip()), compress: (await portableCodecs.gzip()).compress })),
  zstd: once(async () => ({ ...(await nodeCodecs.zstd()), compress: await zstdWriter() })),
}

/**
 * Bytes that {@link inflateShort} undoes before node:zlib is loaded. Loading it takes 5 ms, a twentieth of a footer's call, whose only
 * stream is often a schema of a few hundred bytes.
 */
const BEFORE_ZLIB = 4096

/**
 * GZIP by node:zlib, except for short data. node:zlib takes 4 microseconds to start: for a few bytes, ten times as long as
 * {@link inflateShort}. For chunks of 64 KiB, an inflate written here took 0.85 to 1.15 of its time (2026-11): not worth the code.
 */
function gzipOfNode(): ByteCodec {
  let zlib: typeof import('node:zlib') | undefined
  const ofNode = (): typeof import('node:zlib') => {
    zlib ??= process.getBuiltinModule('node:zlib')
    return zlib
  }
  let left = BEFORE_ZLIB
  /** Output that nobody reads. */
  const unread = new Uint8Array(BEFORE_ZLIB)
  const inflate = (data: Uint8Array, size: number): Uint8Array =>
    bounded('zlib stream', size, (options) => ofNode().inflateSync(data, options))
  /** Fills `out`, if there is one, or new bytes. @returns them; undefined for what zlib must do */
  const short = (data: Uint8Array, size: number, out?: Uint8Array): Uint8Array | undefined => {
    const most = Math.max(SHORT, left)
    if (size > most) return undefined
    left -= Math.min(left, size)
    const bytes = out ?? new Uint8Array(size)
    return inflateShort(data, bytes, most) ? bytes : undefined
  }
  return {
    compress: (data, level) => asUint8Array(ofNode().deflateSync(data, { level: gzipLevel(level) })),
    decompress: (data, size) => short(data, size) ?? inflate(data, size),
    decompressInto(data, out) {
      if (!short(data, out.length, out)) out.set(inflate(data, out.length))
    },
    verify(data, size) {
      if (!short(data, size, unread.subarray(0, size))) inflate(data, size)
    },
  }
}

/** Functions that node:zlib has from Node 22.15 on. */
interface NodeZstd {
  zstdCompressSync(data: Uint8Array, options: { params: Record<number, number>; pledgedSrcSize: number }): Buffer
  zstdDecompressSync(data: Uint8Array, options: OutputBound & { params: Record<number, number> }): Buffer
}

interface OutputBound {
  maxOutputLength: number
  chunkSize: number
}

/** ZSTD_c_compressionLevel and ZSTD_d_windowLogMax of zstd.h. */
const LEVEL_PARAMETER = 100
const WINDOW_LOG_PARAMETER = 100

/**
 * Limit on the window of a frame without a content size. TileDB writes no such frames. Node allocates the whole window, whose size is a
 * claim of the frame. 2^23 bytes suffice up to level 19.
 */
const LARGEST_WINDOW_LOG = 23

async function loadZstd(): Promise<ByteCodec> {
  const zlib = await import('node:zlib')
  if (!hasZstd(zlib)) return zstdInWasm()
  const nodeDecompress = (data: Uint8Array, size: number): Uint8Array => {
    const declared = checkZstdFrame(data, size)
    const params = declared ? {} : { [WINDOW_LOG_PARAMETER]: LARGEST_WINDOW_LOG }
    return bounded('zstd frame', size, (bound) => zlib.zstdDecompressSync(data, { ...bound, params }))
  }
  return {
    compress(data, level) {
      const params = { [LEVEL_PARAMETER]: zstdLevel(level) }
      return asUint8Array(zlib.zstdCompressSync(data, { params, pledgedSrcSize: data.length }))
    },
    decompress: nodeDecompress,
  }
}

/** The portable codec, which is read and compiled at its first use: the kernels undo most frames. */
export async function zstdInWasm(): Promise<Required<ByteCodec>> {
  const { zstdCodec, ZSTD_WASM } = await import('../filters/codecs/zstd.ts')
  const { packagedBytes } = await import('./packaged.ts')
  let codec: Required<ByteCodec> | undefined
  const compiled = (): Required<ByteCodec> => {
    codec ??= zstdCodec(compileWasm(packagedBytes(ZSTD_WASM)))
    return codec
  }
  return {
    compress: (data, level) => compiled().compress(data, level),
    decompress: (data, size) => compiled().decompress(data, size),
    decompressInto: (data, out) => compiled().decompressInto(data, out),
    verify: (data, size) => compiled().verify(data, size),
  }
}

async function zstdWriter(): Promise<ByteCodec['compress']> {
  const { zstdCompressor, ZSTD_WRITER_WASM } = await import('../filters/codecs/zstd.ts')
  const { bytesBesideEntry } = await import('./packaged.ts')
  return zstdCompressor(compileWasm(bytesBesideEntry(ZSTD_WRITER_WASM)))
}

function hasZstd<T extends object>(zlib: T): zlib is T & NodeZstd {
  return 'zstdCompressSync' in zlib && 'zstdDecompressSync' in zlib
}

/** Smallest `chunkSize` that node:zlib accepts. */
const SMALLEST_CHUNK = 64

/** Fault of a stream by Node's error code, in the words of the portable codec. */
const FAULTS = new Map<unknown, string>([
  ['ERR_BUFFER_TOO_LARGE', 'more'],
  ['Z_BUF_ERROR', 'one that ends too early'],
])

/** Runs one of Node's decompressors with a limit on its output. With one spare byte it needs no second buffer. */
function bounded(what: string, size: number, decompress: (options: OutputBound) => Buffer): Uint8Array {
  let out: Buffer
  try {
    out = decompress({ maxOutputLength: Math.max(1, size), chunkSize: Math.max(SMALLEST_CHUNK, size + 1) })
  } catch (cause) {
    const found = FAULTS.get(systemCode(cause)) ?? `a broken one (${(cause as Error).message})`
    throw new InspectError('BAD_FILTERED_DATA', { expected: `a ${what} of ${size} bytes`, found }, {}, { cause })
  }
  if (out.length !== size) throw badData({ expected: `a ${what} of ${size} bytes`, found: out.length })
  return asUint8Array(out)
}

/** A digest of node:crypto. @param fallback loads the digest if the platform forbids the algorithm (MD5 in FIPS mode) */
async function loadDigest(name: 'md5' | 'sha256', fallback: () => Promise<Digest>): Promise<Digest> {
  const { getHashes, hash } = await import('node:crypto')
  if (!getHashes().includes(name)) return fallback()
  return (data) => asUint8Array(hash(name, data, 'buffer'))
}

async function loadAes256Gcm(): Promise<Aead> {
  const { createCipheriv, createDecipheriv } = await import('node:crypto')
  return {
    open(key, iv, tag, data) {
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: 16 })
      decipher.setAuthTag(tag)
      const out = decipher.update(data)
      try {
        decipher.final()
      } catch {
        // In this mode `final` returns no bytes, and fails only if the tag is wrong.
        return undefined
      }
      return asUint8Array(out)
    },
    seal(key, iv, data) {
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 })
      const sealed = cipher.update(data)
      cipher.final()
      return { data: asUint8Array(sealed), tag: asUint8Array(cipher.getAuthTag()) }
    },
  }
}

/** The same bytes as a plain Uint8Array. A Buffer is sliced and printed differently. */
function asUint8Array(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)
}
