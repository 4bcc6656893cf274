export { setPowers } from './decimal'
export { reachedRow, sawUnsafe, setTexts, writeRows } from './rows'

/** First byte that the module does not keep for itself: from here on memory is the caller's. */
export function heapStart(): usize {
  return __heap_base
}
