import type { PixelFormat } from '../../format/filter-pipeline.ts'
/**
 * The general-purpose algorithms that filters stand on. Two backends implement them: `portable.ts` (JavaScript and wasm,
 * runs anywhere) and `src/node/node-codecs.ts` (Node's own crypto and zlib where they are faster). Each entry is
 * loaded on first use; what it gives works synchronously.
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
  /** Exactly `size` bytes, the declared original length. @throws InspectError BAD_FILTERED_DATA if the stream is broken, or gives more or fewer; never allocates more than `size` and a small constant */
  decompress(data: Uint8Array, size: number): Uint8Array
  /** The same into `out`, all of it, where that saves a copy. */
  decompressInto?(data: Uint8Array, out: Uint8Array): void
  /** `level` as stored in the filter's options; each codec maps it as TileDB does. */
  compress(data: Uint8Array, level: number): Uint8Array
}

/** Digest of one run of bytes. */
export type Digest = (data: Uint8Array) => Uint8Array

export interface Aead {
  /** Plain text, or undefined when the tag does not fit. iv 12 bytes, tag 16, key 32. */
  open(key: Uint8Array, iv: Uint8Array, tag: Uint8Array, data: Uint8Array): Uint8Array | undefined
  seal(key: Uint8Array, iv: Uint8Array, data: Uint8Array): { data: Uint8Array; tag: Uint8Array }
}

export interface ImageCodec {
  /** Pixels in `format`, tightly packed, row by row. */
  decode(file: Uint8Array, format: PixelFormat): { width: number; height: number; pixels: Uint8Array }
  encode(
    pixels: Uint8Array,
    width: number,
    height: number,
    format: PixelFormat,
    quality: number,
    lossless: boolean,
  ): Uint8Array
}
