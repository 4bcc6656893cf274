const MIN_MATCH: usize = 4
const NIBBLE_FULL: usize = 15

/** Lane i is i modulo the offset: a match closer than 16 bytes repeats what lies between. */
const repeated: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0,
  1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1,
  2, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 0, 1, 2, 3, 4,
  5, 6, 0, 1, 2, 3, 4, 5, 6, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7,
])

/**
 * Decodes a raw LZ4 block. Up to 31 bytes behind the block are read, up to 31 behind the output overwritten.
 * @returns whether the block gives `length` bytes and nothing in it is wrong
 */
export function unlz4(input: usize, inputLength: usize, output: usize, length: usize): bool {
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
    let from = to - offset
    if (offset >= 16) {
      v128.store(to, v128.load(from))
      to += 16
      from += 16
      for (; to < next; to += 16) {
        v128.store(to, v128.load(from))
        from += 16
      }
    } else if (offset > 8) {
      for (; to < next; to += 8) {
        store<u64>(to, load<u64>(from))
        from += 8
      }
    } else {
      const lanes = i8x16.swizzle(v128.load(from), v128.load(repeated + 16 * offset))
      const step: usize = 16 - (16 % offset)
      for (; to < next; to += step) v128.store(to, lanes)
    }
    to = next
  }
}
