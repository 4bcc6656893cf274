/** The functions of lz4js that are used. The package ships no types. */
declare module 'lz4js' {
  /** Most bytes that `compressBlock` writes for `length` bytes. */
  export function compressBound(length: number): number
  /**
   * Returns the number of bytes written to `dst`, or 0 if no match was found. `hashTable` has 65,536 entries, all 0.
   */
  export function compressBlock(
    src: Uint8Array,
    dst: Uint8Array,
    start: number,
    length: number,
    hashTable: Uint32Array,
  ): number
  /** Returns the end of the output in `dst`. Checks nothing. */
  export function decompressBlock(
    src: Uint8Array,
    dst: Uint8Array,
    start: number,
    length: number,
    dstStart: number,
  ): number
}
