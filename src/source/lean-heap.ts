/** Who keeps the heap small: the program, whose process it is. A library has no say in its host's. */
export interface LeanHeap {
  listedNames(count: number): void
  passedBytes(bytes: number): void
}

let lean: LeanHeap | undefined

export function useLeanHeap(heap: LeanHeap): void {
  lean = heap
}

/** Told of each folder that was listed. */
export function listedNames(count: number): void {
  lean?.listedNames(count)
}

/** Told of bytes of lists that may have millions of entries, and that nothing is kept of. */
export function passedBytes(bytes: number): void {
  lean?.passedBytes(bytes)
}
