/** The index of the last of `count` rising starts that is at or before `offset`; -1 if all are after it. */
export function lastNotAfter<T extends number | bigint>(count: number, start: (index: number) => T, offset: T): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (start(middle) <= offset) low = middle + 1
    else high = middle
  }
  return low - 1
}
