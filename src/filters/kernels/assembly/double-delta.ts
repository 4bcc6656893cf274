import { last32, up4, up8 } from './lanes'

/**
 * Undoes DOUBLE_DELTA of `count` elements. `input` has the first two elements, then `words` words of 64 bits with the
 * others, and 8 readable bytes must follow it. `stream` has room for `words` words and 16 more bytes.
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
      done += size === 4 ? eights32(stream, output, count - 2, bitSize) : eights64(stream, output, count - 2, bitSize)
    }
    if (size === 4) unpack<u32>(packed, output, done, count, bitSize)
    else unpack<u64>(packed, output, done, count, bitSize)
  }
}

/** Unpacks elements from `from` on, one by one. Sums are modulo 2^64, which is enough for all sizes. */
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

/** Up to this bit size, four bytes hold a value with its sign and up to 7 bits before it. */
const WIDEST: u32 = 24

/** Turns little-endian words into a stream of bytes, so that the bits follow one another from byte to byte. */
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

/** Fills the tables for both halves of eight values: the bytes that go to each lane, and its power of two. */
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

/** Reads four differences of differences. */
function fourFrom(stream: usize, bytes: v128, power: v128, bitSize: u32): v128 {
  const top = i32x4.mul(i8x16.swizzle(v128.load(stream), bytes), power)
  const sign = i32x4.shr_s(top, 31)
  return i32x4.sub(v128.xor(i32x4.shr_u(i32x4.shl(top, 1), 32 - bitSize), sign), sign)
}

function last64(x: v128): v128 {
  return i8x16.shuffle(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15)
}
function sums32(x: v128): v128 {
  const pairs = i32x4.add(x, up4(x))
  return i32x4.add(pairs, up8(pairs))
}
function sums64(x: v128): v128 {
  return i64x2.add(x, up8(x))
}

/**
 * Unpacks whole groups of eight out of `count` elements. `output` begins with two elements.
 * @returns the number of elements that it unpacked
 */
function eights32(stream: usize, output: usize, count: usize, bitSize: u32): usize {
  const width = bitSize + 1
  fillTables(width)
  const bytes = v128.load(tables)
  const bytes2 = v128.load(tables, 16)
  const power = v128.load(tables, 32)
  const power2 = v128.load(tables, 48)
  const middle = ((4 * width) >> 3) as usize
  const first = load<u32>(output, 4)
  let value = i32x4.splat(first)
  let delta = i32x4.splat(first - load<u32>(output))
  const whole = count & ~7
  const end = output + 8 + 4 * whole
  for (let to = output + 8; to < end; to += 32) {
    let deltas = i32x4.add(sums32(fourFrom(stream, bytes, power, bitSize)), delta)
    let values = i32x4.add(sums32(deltas), value)
    v128.store(to, values)
    delta = last32(deltas)
    value = last32(values)
    deltas = i32x4.add(sums32(fourFrom(stream + middle, bytes2, power2, bitSize)), delta)
    values = i32x4.add(sums32(deltas), value)
    v128.store(to, values, 16)
    delta = last32(deltas)
    value = last32(values)
    stream += width as usize
  }
  return whole
}

/** {@link eights32} for elements of 8 bytes. */
function eights64(stream: usize, output: usize, count: usize, bitSize: u32): usize {
  const width = bitSize + 1
  fillTables(width)
  const middle = ((4 * width) >> 3) as usize
  const first = load<u64>(output, 8)
  let value = i64x2.splat(first)
  let delta = i64x2.splat(first - load<u64>(output))
  const whole = count & ~7
  const end = output + 16 + 8 * whole
  let half: usize = 0
  for (let to = output + 16; to < end; to += 32) {
    const bytes = v128.load(tables + 16 * half)
    const power = v128.load(tables + 16 * half, 32)
    const dd = fourFrom(stream + half * middle, bytes, power, bitSize)
    let deltas = i64x2.add(sums64(i64x2.extend_low_i32x4_s(dd)), delta)
    let values = i64x2.add(sums64(deltas), value)
    v128.store(to, values)
    delta = last64(deltas)
    value = last64(values)
    deltas = i64x2.add(sums64(i64x2.extend_high_i32x4_s(dd)), delta)
    values = i64x2.add(sums64(deltas), value)
    v128.store(to, values, 16)
    delta = last64(deltas)
    value = last64(values)
    stream += half * (width as usize)
    half = 1 - half
  }
  return whole
}
