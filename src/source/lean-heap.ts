import process from 'node:process'

/** Names in one folder from which on there is much to keep, and long to run. */
const MANY_NAMES = 10_000

/** Bytes of V8's young generation that are enough. */
const ENOUGH_YOUNG = 8 * 2 ** 20

let lean = false
let young = false

/**
 * Told of each folder that was listed. V8 lets the heap grow to several times what is kept before it looks for garbage: of
 * arrays with 100,000 fragments that is what `ls` took most memory for. 1.4 times take no longer.
 */
export function listedNames(count: number): void {
  if (lean || count < MANY_NAMES) return
  lean = true
  process.getBuiltinModule('node:v8').setFlagsFromString('--heap-growing-percent=40')
}

/**
 * Told of each page of a list that may have millions of entries. Nothing is kept of them, but V8 from Node 22 on lets the
 * part of its heap where they live shortly grow to 128 MB for their sake; 8 take hardly longer.
 */
export function turnedPage(): void {
  if (young) return
  const v8 = process.getBuiltinModule('node:v8')
  const space = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  if (space === undefined || space.space_size < ENOUGH_YOUNG) return
  young = true
  v8.setFlagsFromString('--semi-space-growth-factor=1')
}
