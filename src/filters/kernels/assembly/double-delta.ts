import { last, prefixSums } from './lanes'

/**
 * Undoes DOUBLE_DELTA of `count` elements. `input` has the first two elements, then the others in `words` words of 64 bits.
 * 8 readable bytes must follow it. `stream` is memory for `words` words and 16 more bytes.
 * @param bitSize at most 62
 */
export function undoubleDelta(
  output: usize,
  input: usize,
  stream: usize,
  words: usize,
  count: usize,
  bitSize: u32,
  size: usize,
): void {
  const packed = input + 2 * size
  memory.copy(output, input, 2 * size)
  if (size === 1) unpack<u8>(packed, output, 2, count, bitSize)
  else if (size === 2) unpack<u16>(packed, output, 2, count, bitSize)
  else {
    let done: usize = 2
    if (bitSize > 0 && bitSize <= WIDEST) {
      swapWords(packed, words, stream)
      done +=
        size === 4 ? eights<u32>(stream, output, count - 2, bitSize) : eights<u64>(stream, output, count - 2, bitSize)
    }
    if (size === 4) unpack<u32>(packed, output, done, count, bitSize)
    else unpack<u64>(packed, output, done, count, bitSize)
  }
}

/** Unpacks the elements from `from` on, one by one. Sums modulo 2^64 are right for all sizes. */
function unpack<T>(packed: usize, output: usize, from: usize, count: usize, bitSize: u32): void {
  const step: usize = sizeof<T>()
  const width = (bitSize + 1) as usize
  const shift = (64 - bitSize) as u64
  // wasm takes a shift count modulo 64, so a shift by 64 would do nothing.
  const mask: u64 = bitSize === 0 ? 0 : -1
  let to = output + from * step
  let value = load<T>(to - step) as u64
  let delta = value - (load<T>(to - 2 * step) as u64)
  let bit = (from - 2) * width
  for (const end = output + count * step; to < end; to += step) {
    const word = packed + ((bit >> 6) << 3)
    const used = (bit & 63) as u64
    const top = (load<u64>(word) << used) | ((load<u64>(word, 8) >> 1) >> (63 - used))
    bit += width
    const sign = ((top as i64) >> 63) as u64
    const magnitude = ((top << 1) >> shift) & mask
    delta += (magnitude ^ sign) - sign
    value += delta
    store<T>(to, value as T)
  }
}

/** Largest bit size at which four bytes hold a value, its sign and up to 7 bits before them. */
const WIDEST: u32 = 24

/** Swaps the bytes of each word. In the stream of bytes that this gives, bits follow each other from byte to byte. */
function swapWords(packed: usize, words: usize, stream: usize): void {
  for (let at: usize = 0; at < 8 * words; at += 16) {
    const two = v128.load(packed + at)
    v128.store(stream + at, i8x16.shuffle(two, two, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8))
  }
}

/*
 * Eight values take as many bytes as one value has bits. So every group of eight starts at a byte, and has the same
 * layout. Four values are read at once: each lane gets the four bytes around its value, highest first. A multiplication
 * by a power of two then shifts the sign to the top bit.
 */

const tables: usize = memory.data(64, 16)

/** Fills the tables for both halves of eight values: the bytes that go to each lane, and the power of two of each lane. */
function fillTables(width: u32): void {
  for (let k: u32 = 0; k < 8; k++) {
    const half = k >> 2
    const bit = half * ((4 * width) & 7) + (k & 3) * width
    const lane = (4 * (k & 3)) as usize
    const pattern = tables + 16 * half
    for (let byte: u32 = 0; byte < 4; byte++) store<u8>(pattern + lane + byte, ((bit >> 3) + 3 - byte) as u8)
    store<u32>(pattern + 32 + lane, 1 << (bit & 7))
  }
}

/** Reads four differences of differences, of which `stream` has the first byte. */
function fourFrom(stream: usize, bytes: v128, power: v128, bitSize: u32): v128 {
  const top = i32x4.mul(i8x16.swizzle(v128.load(stream), bytes), power)
  const sign = i32x4.shr_s(top, 31)
  return i32x4.sub(v128.xor(i32x4.shr_u(i32x4.shl(top, 1), 32 - bitSize), sign), sign)
}

/**
 * Unpacks whole groups of eight out of `count` elements. `output` begins with two elements.
 * @returns the number of elements that it unpacked
 */
function eights<T>(stream: usize, output: usize, count: usize, bitSize: u32): usize {
  const size: usize = sizeof<T>()
  const width = bitSize + 1
  fillTables(width)
  const bytes = v128.load(tables)
  const bytes2 = v128.load(tables, 16)
  const power = v128.load(tables, 32)
  const power2 = v128.load(tables, 48)
  const middle = ((4 * width) >> 3) as usize
  const first = load<T>(output, sizeof<T>())
  let value = v128.splat<T>(first)
  let delta = v128.splat<T>((first - load<T>(output)) as T)
  const whole = count & ~7
  const end = output + size * (2 + whole)
  for (let to = output + 2 * size; to < end; to += 8 * size) {
    const front = fourFrom(stream, bytes, power, bitSize)
    const back = fourFrom(stream + middle, bytes2, power2, bitSize)
    let deltas = v128.add<T>(prefixSums<T>(sizeof<T>() === 4 ? front : i64x2.extend_low_i32x4_s(front)), delta)
    let values = v128.add<T>(prefixSums<T>(deltas), value)
    v128.store(to, values)
    delta = last<T>(deltas)
    value = last<T>(values)
    deltas = v128.add<T>(prefixSums<T>(sizeof<T>() === 4 ? back : i64x2.extend_high_i32x4_s(front)), delta)
    values = v128.add<T>(prefixSums<T>(deltas), value)
    v128.store(to, values, 16)
    delta = last<T>(deltas)
    value = last<T>(values)
    if (sizeof<T>() === 8) {
      deltas = v128.add<T>(prefixSums<T>(i64x2.extend_low_i32x4_s(back)), delta)
      values = v128.add<T>(prefixSums<T>(deltas), value)
      v128.store(to, values, 32)
      delta = last<T>(deltas)
      value = last<T>(values)
      deltas = v128.add<T>(prefixSums<T>(i64x2.extend_high_i32x4_s(back)), delta)
      values = v128.add<T>(prefixSums<T>(deltas), value)
      v128.store(to, values, 48)
      delta = last<T>(deltas)
      value = last<T>(values)
    }
    stream += width as usize
  }
  return whole
}
