import process from 'node:process'

/** Names in one folder from which on there is much to keep, and long to run. */
const MANY_NAMES = 10_000

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
 * part of its heap where they live shortly grow to 128 MB for their sake; as small as it starts it takes hardly longer.
 */
export function turnedPage(): void {
  if (young) return
  young = true
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
}
