/** The kernels of a page, which has other code for zlib, zstd and bzip2: these three would take most of its room for kernels. */
export { unbitshuffle } from './bitshuffle'
export { unbyteshuffle } from './byteshuffle'
export { undoubleDelta } from './double-delta'
export { unlz4 } from './lz4'
export { unrle } from './rle'
export { sums, unxor } from './scan'
export { unpositiveDelta, widen } from './windows'

/** First byte of memory that the caller may use. The kernels' own data is before it. */
export function heapStart(): usize {
  return __heap_base
}
