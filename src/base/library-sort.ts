/** Below this length the sort only inserts, which keeps the order of equal elements. */
const LEAST_PARTED = 16

/**
 * Sorts a list in place as `std::sort` of GNU's C++ library does, with which TileDB is built on Linux. Elements with equal
 * keys get the same order as there, which is not the order before: of cells or values of the same time it decides which
 * one a reader of TileDB gives. Other libraries sort them in other ways.
 *
 * @see std::sort: introspective sort. Its last resort, a heap sort, is left out: it needs lists that are made for it
 */
export function librarySort<T>(list: T[], key: (element: T) => bigint): T[] {
  const pairs = list.map((element) => ({ element, key: key(element) }))
  part(pairs, 0, pairs.length)
  pairs.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  for (const [i, { element }] of pairs.entries()) list[i] = element
  return list
}

type Pairs = { element: unknown; key: bigint }[]

/** Parts the elements from `first` to before `last`, until no part is long. */
function part(pairs: Pairs, first: number, last: number): void {
  while (last - first > LEAST_PARTED) {
    medianToFirst(pairs, first, last)
    const pivot = pairs[first].key
    let [low, high] = [first + 1, last]
    for (;;) {
      while (pairs[low].key < pivot) low++
      do high--
      while (pairs[high].key > pivot)
      if (low >= high) break
      swap(pairs, low++, high)
    }
    part(pairs, low, last)
    last = low
  }
}

/** Swaps the first element with the median of the second, the middle and the last one. */
function medianToFirst(pairs: Pairs, first: number, last: number): void {
  const [a, b, c] = [first + 1, first + Math.floor((last - first) / 2), last - 1]
  const less = (i: number, j: number): boolean => pairs[i].key < pairs[j].key
  if (less(a, b)) swap(pairs, first, less(b, c) ? b : less(a, c) ? c : a)
  else swap(pairs, first, less(a, c) ? a : less(b, c) ? c : b)
}

function swap(pairs: Pairs, i: number, j: number): void {
  const kept = pairs[i]
  pairs[i] = pairs[j]
  pairs[j] = kept
}
