const MIN_MATCH: usize = 4
const NIBBLE_FULL: usize = 15

/** A table whose row n has i modulo n in lane i. With it a match at a distance of n < 16 bytes repeats these n bytes. */
const repeated: usize = memory.data(256, 16)
for (let n: usize = 1; n < 16; n++) {
  for (let lane: usize = 0; lane < 16; lane++) store<u8>(repeated + 16 * n + lane, (lane % n) as u8)
}
/** For each n, the bytes of such a row that are whole repetitions. */
const steps: usize = memory.data<u8>([0, 16, 16, 15, 16, 15, 12, 14, 16, 9, 10, 11, 12, 13, 14, 15])

/**
 * Copies the bytes at `to - offset` to `to`, up to `end`. If the ranges overlap, the bytes repeat. Up to 31 bytes after `end`
 * are overwritten.
 */
export function copyMatch(to: usize, end: usize, offset: usize): void {
  const first = v128.load(to - offset)
  if (offset >= 16) {
    v128.store(to, first)
    for (to += 16; to < end; to += 16) v128.store(to, v128.load(to - offset))
  } else {
    const lanes = i8x16.swizzle(first, v128.load(repeated + 16 * offset))
    v128.store(to, lanes)
    if (end - to <= 16) return
    const step: usize = load<u8>(steps + offset)
    for (to += step; to < end; to += step) v128.store(to, lanes)
  }
}

/**
 * Decodes a raw LZ4 block. Up to 31 bytes after the block are read, and up to 31 after the output are overwritten.
 * @returns whether the block gives `length` bytes and nothing in it is wrong
 */
export function unlz4(output: usize, input: usize, inputLength: usize, length: usize): bool {
  let at = input
  const end = input + inputLength
  let to = output
  const limit = output + length
  while (true) {
    if (at >= end) return false
    const token = load<u8>(at++) as usize
    let literals = token >> 4
    if (literals === NIBBLE_FULL) {
      let byte: usize
      do {
        if (at >= end) return false
        byte = load<u8>(at++)
        literals += byte
        if (literals > length) return false
      } while (byte === 255)
    }
    if (literals > end - at || literals > limit - to) return false
    v128.store(to, v128.load(at))
    if (literals > 16) {
      for (let i: usize = 16; i < literals; i += 16) v128.store(to + i, v128.load(at + i))
    }
    at += literals
    to += literals
    if (at === end) return to === limit
    if (end - at < 2) return false
    const offset = load<u16>(at) as usize
    at += 2
    if (offset === 0 || offset > to - output) return false
    let match = token & NIBBLE_FULL
    if (match === NIBBLE_FULL) {
      let byte: usize
      do {
        if (at >= end) return false
        byte = load<u8>(at++)
        match += byte
        if (match > length) return false
      } while (byte === 255)
    }
    match += MIN_MATCH
    if (match > limit - to) return false
    const next = to + match
    copyMatch(to, next, offset)
    to = next
  }
}
