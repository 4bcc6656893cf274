import type { PixelFormat } from '../../format/filter-pipeline.ts'

/**
 * The general-purpose algorithms that filters use. Two backends implement them: `portable.ts` (JavaScript and wasm,
 * runs anywhere) and `src/node/node-codecs.ts` (Node's own crypto and zlib, where they are faster). Loading is
 * asynchronous; the loaded codecs are synchronous.
 */
export interface Codecs {
  gzip(): Promise<ByteCodec>
  zstd(): Promise<ByteCodec>
  lz4(): Promise<ByteCodec>
  bzip2(): Promise<ByteCodec>
  md5(): Promise<Digest>
  sha256(): Promise<Digest>
  aes256gcm(): Promise<Aead>
  webp(): Promise<ImageCodec>
}

export interface ByteCodec {
  /**
   * Allocates at most `size` bytes plus a small constant.
   * @param size the declared original length
   * @throws InspectError BAD_FILTERED_DATA if the stream is broken or does not give exactly `size` bytes
   */
  decompress(data: Uint8Array, size: number): Uint8Array
  /** {@link decompress} into `out`, which the result fills. Present if this saves a copy. */
  decompressInto?(data: Uint8Array, out: Uint8Array): void
  /** Throws if {@link decompress} would throw, the same error. Present if this saves a copy. */
  verify?(data: Uint8Array, size: number): void
  /** @param level level as stored in the filter's options. Each codec maps it as TileDB does. */
  compress(data: Uint8Array, level: number): Uint8Array
}

/** Digest of one run of bytes. */
export type Digest = (data: Uint8Array) => Uint8Array

export interface Aead {
  /** Returns the plain text; undefined if the tag does not match. The key has 32 bytes, the IV 12, the tag 16. */
  open(key: Uint8Array, iv: Uint8Array, tag: Uint8Array, data: Uint8Array): Uint8Array | undefined
  seal(key: Uint8Array, iv: Uint8Array, data: Uint8Array): { data: Uint8Array; tag: Uint8Array }
}

export interface ImageCodec {
  /** Returns the pixels in `format`, tightly packed, row by row. */
  decode(file: Uint8Array, format: PixelFormat): { width: number; height: number; pixels: Uint8Array }
  encode(pixels: Uint8Array, width: number, height: number, options: ImageOptions): Uint8Array
}

export interface ImageOptions {
  format: PixelFormat
  quality: number
  lossless: boolean
}
