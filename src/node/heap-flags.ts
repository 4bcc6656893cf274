import process from 'node:process'
import { useLeanHeap } from '../source/lean-heap.ts'

/** Keeps this process's heap small by V8's flags: for the program only. */
export function keepHeapLean(): void {
  useLeanHeap({ listedNames, passedBytes })
}

/** Names in one folder from which on there is much to keep, and long to run. */
const MANY_NAMES = 10_000

let lean = false

/**
 * Told of each folder that was listed. V8 lets the heap grow to several times what is kept before it looks for garbage: of
 * arrays with 100,000 fragments that is what `ls` took most memory for. 1.4 times take no longer.
 */
function listedNames(count: number): void {
  if (lean || count < MANY_NAMES) return
  lean = true
  process.getBuiltinModule('node:v8').setFlagsFromString('--heap-growing-percent=40')
}

/** Bytes that went by until memory is given back: it takes 5 ms, in which gzip undoes 1.5 MB. */
const COLLECTED_BYTES = 16 * 2 ** 20

let collect: (() => void) | undefined
let passed = 0

/**
 * Told of bytes of lists that may have millions of entries. Nothing is kept of them, but from Node 22 on V8 lets the part of its heap
 * where they live shortly grow to 128 MB for their sake; as small as it starts it takes hardly longer. And what node:zlib gives is held
 * by objects that only a whole collection finds dead, at some 70 MB of them when V8 is left to itself (Node 24, November 2026).
 */
function passedBytes(bytes: number): void {
  if (!collect) {
    process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1')
    collect = collector()
  }
  passed += bytes
  if (passed < COLLECTED_BYTES) return
  passed = 0
  collect()
}

/** V8's own collection, which is there for contexts that are made after this. */
function collector(): () => void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc')
  const gc: unknown = process.getBuiltinModule('node:vm').runInNewContext('globalThis.gc')
  return typeof gc === 'function' ? () => gc() : () => {}
}
