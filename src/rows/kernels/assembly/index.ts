export { setPowers } from './decimal'
export { declinedColumn, reachedRow, sawUnsafe, setTexts, writeRows } from './rows'

/** The first byte that the module does not use. The caller may use the memory from here on. */
export function heapStart(): usize {
  return __heap_base
}
