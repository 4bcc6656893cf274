/** The functions of lz4js that are used. The package ships no types. */
declare module 'lz4js' {
  /** Returns the end of the output in `dst`. Checks nothing. */
  export function decompressBlock(
    src: Uint8Array,
    dst: Uint8Array,
    start: number,
    length: number,
    dstStart: number,
  ): number
}
