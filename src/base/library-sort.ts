import { rising } from './rising.ts'

/** Up to this length a part is sorted by insertion, which keeps the order of equal elements. */
const MAX_INSERTED = 16

/**
 * Sorts a list in place exactly as `std::sort` of GNU's C++ library does, with which TileDB is built on Linux. That sort is
 * not stable: elements with equal keys may change places. Their order decides which of several cells or values of the same
 * time TileDB returns. Other libraries order them in other ways.
 *
 * @see std::sort: introspective sort
 */
export function librarySort<T>(list: T[], key: (element: T) => bigint): T[] {
  const pairs = list.map((element) => ({ element, key: key(element) }))
  partition(pairs, 0, pairs.length, 2 * Math.floor(Math.log2(pairs.length)))
  // std::sort ends with an insertion sort of the whole list, which keeps the order of equal elements, as sort() does.
  pairs.sort((a, b) => rising(a.key, b.key))
  for (const [i, { element }] of pairs.entries()) list[i] = element
  return list
}

type Pairs = { element: unknown; key: bigint }[]

/**
 * Partitions the elements `[first, last)` until every part is short.
 * @param depth limit on nested partitions, after which a heap sorts. Times in the order of names (10, 1, 2, 3) reach it.
 */
function partition(pairs: Pairs, first: number, last: number, depth: number): void {
  for (let left = depth; last - first > MAX_INSERTED; left--) {
    if (left === 0) {
      heapSort(pairs, first, last)
      return
    }
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
    partition(pairs, low, last, left - 1)
    last = low
  }
}

/** Swaps the first element with the median of the second, the middle and the last element. */
function medianToFirst(pairs: Pairs, first: number, last: number): void {
  const [a, b, c] = [first + 1, first + Math.floor((last - first) / 2), last - 1]
  const less = (i: number, j: number): boolean => pairs[i].key < pairs[j].key
  const [low, high] = less(a, b) ? [a, b] : [b, a]
  if (less(high, c)) swap(pairs, first, high)
  else swap(pairs, first, less(low, c) ? c : low)
}

/** Sorts the elements `[first, last)` with a heap whose first element is the largest. */
function heapSort(pairs: Pairs, first: number, last: number): void {
  for (let top = Math.floor((last - first) / 2) - 1; top >= 0; top--) sink(pairs, first, top, last - first)
  for (let length = last - first - 1; length > 0; length--) {
    swap(pairs, first, first + length)
    sink(pairs, first, 0, length)
  }
}

/** Moves an element of a heap down along the larger children to the end, and from there up to its place. */
function sink(pairs: Pairs, first: number, top: number, length: number): void {
  const sunk = pairs[first + top]
  let at = top
  for (let child = 2 * at + 1; child < length; child = 2 * at + 1) {
    if (child + 1 < length && pairs[first + child + 1].key >= pairs[first + child].key) child++
    pairs[first + at] = pairs[first + child]
    at = child
  }
  for (let above = (at - 1) >> 1; at > top && pairs[first + above].key < sunk.key; above = (at - 1) >> 1) {
    pairs[first + at] = pairs[first + above]
    at = above
  }
  pairs[first + at] = sunk
}

function swap(pairs: Pairs, i: number, j: number): void {
  const kept = pairs[i]
  pairs[i] = pairs[j]
  pairs[j] = kept
}
