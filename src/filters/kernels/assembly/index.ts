export { unbitshuffle } from './bitshuffle'
export { unbyteshuffle } from './byteshuffle'
export { undoubleDelta } from './double-delta'
export { unlz4 } from './lz4'
export { unrle } from './rle'
export { separate, sums } from './scan'
export { unpositiveDelta, widen } from './windows'

/** First byte that no kernel keeps for itself: from here on memory is the caller's. */
export function heapStart(): usize {
  return __heap_base
}
