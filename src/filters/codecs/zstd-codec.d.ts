/** The functions of zstd-codec that are used. The package ships no types. */
declare module 'zstd-codec' {
  export interface ZstdSimple {
    /** null if the frame is broken or has no content size. */
    decompress(frame: Uint8Array): Uint8Array | null
    compress(data: Uint8Array, level: number): Uint8Array | null
  }
  export const ZstdCodec: { run(ready: (zstd: { Simple: new () => ZstdSimple }) => void): void }
}
