import { highBytes, lowBytes } from './lanes'

/**
 * Undoes BYTESHUFFLE of elements of 2, 4 or 8 bytes. The bytes after the last whole element are copied.
 * @param output @param input addresses
 * @param length bytes of the input
 * @param size bytes of an element
 */
export function unbyteshuffle(output: usize, input: usize, length: usize, size: usize): void {
  const count = length / size
  if (size === 2) interleave2(input, output, count)
  else if (size === 4) interleave4(input, output, count)
  else interleave8(input, output, count)
  memory.copy(output + count * size, input + count * size, length - count * size)
}

/*
 * Each of these four takes half of two vectors, the low half or the high one, and puts 2 bytes (a pair) or 4 bytes (a quad) of the
 * first and of the second in turn. For single bytes see lanes.ts.
 */

function lowPairs(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23)
}
function highPairs(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31)
}
function lowQuads(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
}
function highQuads(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)
}

/*
 * The input has `size` planes: the first bytes of `count` elements, then their second bytes, and so on. These write the elements, 16
 * at a time.
 */

export function interleave2(input: usize, output: usize, count: usize): void {
  const whole = count & ~15
  for (let i: usize = 0; i < whole; i += 16) {
    const a = v128.load(input + i)
    const b = v128.load(input + i + count)
    const to = output + 2 * i
    v128.store(to, lowBytes(a, b))
    v128.store(to, highBytes(a, b), 16)
  }
  interleaveRest(input, output, whole, count, 2)
}

export function interleave4(input: usize, output: usize, count: usize): void {
  const whole = count & ~15
  for (let i: usize = 0; i < whole; i += 16) {
    const from = input + i
    const to = output + 4 * i
    const a = v128.load(from)
    const b = v128.load(from + count)
    const c = v128.load(from + 2 * count)
    const d = v128.load(from + 3 * count)
    const ab = lowBytes(a, b)
    const cd = lowBytes(c, d)
    v128.store(to, lowPairs(ab, cd))
    v128.store(to, highPairs(ab, cd), 16)
    const abHigh = highBytes(a, b)
    const cdHigh = highBytes(c, d)
    v128.store(to, lowPairs(abHigh, cdHigh), 32)
    v128.store(to, highPairs(abHigh, cdHigh), 48)
  }
  interleaveRest(input, output, whole, count, 4)
}

export function interleave8(input: usize, output: usize, count: usize): void {
  const whole = count & ~15
  for (let i: usize = 0; i < whole; i += 16) {
    const from = input + i
    const upper = from + 4 * count
    const a = v128.load(from)
    const b = v128.load(from + count)
    const c = v128.load(from + 2 * count)
    const d = v128.load(from + 3 * count)
    const e = v128.load(upper)
    const f = v128.load(upper + count)
    const g = v128.load(upper + 2 * count)
    const h = v128.load(upper + 3 * count)
    const to = output + 8 * i
    storeEights(to, lowBytes(a, b), lowBytes(c, d), lowBytes(e, f), lowBytes(g, h))
    storeEights(to + 64, highBytes(a, b), highBytes(c, d), highBytes(e, f), highBytes(g, h))
  }
  interleaveRest(input, output, whole, count, 8)
}

/** Stores eight elements of 8 bytes. Each vector has the same two bytes of all eight. */
function storeEights(to: usize, ab: v128, cd: v128, ef: v128, gh: v128): void {
  let low = lowPairs(ab, cd)
  let high = lowPairs(ef, gh)
  v128.store(to, lowQuads(low, high))
  v128.store(to, highQuads(low, high), 16)
  low = highPairs(ab, cd)
  high = highPairs(ef, gh)
  v128.store(to, lowQuads(low, high), 32)
  v128.store(to, highQuads(low, high), 48)
}

/** Writes the elements from number `from` on, byte by byte. They are fewer than 16. */
function interleaveRest(input: usize, output: usize, from: usize, count: usize, size: usize): void {
  for (let i = from; i < count; i++) {
    for (let byte: usize = 0; byte < size; byte++)
      store<u8>(output + i * size + byte, load<u8>(input + byte * count + i))
  }
}
