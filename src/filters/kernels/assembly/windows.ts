import { sums } from './scan'

/*
 * A table has an entry for each window. First comes a value in the type of the cells: the first value, or for {@link widen} the offset
 * of all. For {@link widen} a u8 follows, with the bits of a stored value. Last is a u32, the window's length in bytes.
 */

/** Bytes of the length in an entry. */
const LENGTH_BYTES: usize = 4

/**
 * Undoes POSITIVE_DELTA.
 * @param windows number of entries of the table
 * @returns whether the windows have exactly `length` bytes; if not, the output is invalid
 */
export function unpositiveDelta(
  output: usize,
  table: usize,
  input: usize,
  windows: usize,
  length: usize,
  size: usize,
): bool {
  const step = size + LENGTH_BYTES
  const end = table + windows * step
  const limit = output + length
  for (let entry = table; entry < end; entry += step) {
    const bytes = load<u32>(entry + size) as usize
    if (bytes > limit - output) return false
    if ((bytes & (size - 1)) === 0) sums(output, input, bytes, size, firstLow(entry, size), firstHigh(entry, size))
    else memory.copy(output, input, bytes)
    input += bytes
    output += bytes
  }
  return output === limit
}

/**
 * Undoes BIT_WIDTH_REDUCTION.
 * @returns as {@link unpositiveDelta}; false also if the windows do not take exactly `inputLength` bytes of input
 */
export function widen(
  output: usize,
  table: usize,
  input: usize,
  windows: usize,
  inputLength: usize,
  length: usize,
  size: usize,
  signed: bool,
): bool {
  const step = size + 1 + LENGTH_BYTES
  const end = table + windows * step
  const shift = ctz(size)
  const inputEnd = input + inputLength
  const limit = output + length
  for (let entry = table; entry < end; entry += step) {
    const bytes = load<u32>(entry + size + 1) as usize
    const width = storedWidth(entry, bytes, size)
    const count = bytes >> shift
    const stored = width === size ? bytes : count * width
    if (width === 0 || bytes > limit - output || stored > inputEnd - input) return false
    if (width === size) memory.copy(output, input, bytes)
    else if (signed) addTo<i8, i16, i32>(entry, input, output, count, width, size)
    else addTo<u8, u16, u32>(entry, input, output, count, width, size)
    input += stored
    output += bytes
  }
  return input === inputEnd && output === limit
}

/** Bytes of a stored value; 0 for widths that no release writes. */
function storedWidth(entry: usize, bytes: usize, size: usize): usize {
  const full: usize = 8 * size
  const bits: usize = (bytes & (size - 1)) !== 0 ? full : min<usize>(load<u8>(entry + size), full)
  return bits === 8 || bits === 16 || bits === 32 || bits === 64 ? bits >> 3 : 0
}

/** The low lane of the first value in an entry. */
function firstLow(entry: usize, size: usize): u32 {
  if (size === 1) return load<u8>(entry)
  return size === 2 ? load<u16>(entry) : load<u32>(entry)
}

/** The high lane. */
function firstHigh(entry: usize, size: usize): u32 {
  return size === 8 ? load<u32>(entry + 4) : 0
}

/** Adds the offset in a window's entry to the window's values. `width`, the bytes of a stored value, selects their type. */
function addTo<A, B, C>(entry: usize, input: usize, output: usize, count: usize, width: usize, size: usize): void {
  if (size === 2) add<A, u16>(input, output, count, load<u16>(entry))
  else if (size === 4) {
    if (width === 1) add<A, u32>(input, output, count, load<u32>(entry))
    else add<B, u32>(input, output, count, load<u32>(entry))
  } else if (width === 1) add<A, u64>(input, output, count, load<u64>(entry))
  else if (width === 2) add<B, u64>(input, output, count, load<u64>(entry))
  else add<C, u64>(input, output, count, load<u64>(entry))
}

/** Adds `offset` to values of type S, and stores integers of type T. */
function add<S, T>(input: usize, output: usize, count: usize, offset: T): void {
  const whole = count & ~15
  const all = v128.splat<T>(offset)
  let to = output
  let from = input
  for (const end = input + whole * sizeof<S>(); from < end; from += 16 * sizeof<S>()) {
    if (sizeof<S>() === 1) {
      const x = v128.load(from)
      if (sizeof<T>() === 2) {
        v128.store(to, i16x8.add(low<S>(x), all))
        v128.store(to, i16x8.add(high<S>(x), all), 16)
      } else {
        eight<S, T>(to, low<S>(x), all)
        eight<S, T>(to + 8 * sizeof<T>(), high<S>(x), all)
      }
    } else if (sizeof<S>() === 2) {
      eight<S, T>(to, v128.load(from), all)
      eight<S, T>(to + 8 * sizeof<T>(), v128.load(from, 16), all)
    } else {
      four<S>(to, v128.load(from), all)
      four<S>(to + 32, v128.load(from, 16), all)
      four<S>(to + 64, v128.load(from, 32), all)
      four<S>(to + 96, v128.load(from, 48), all)
    }
    to += 16 * sizeof<T>()
  }
  for (let i = whole; i < count; i++) {
    store<T>(to, ((load<S>(from) as T) + offset) as T)
    from += sizeof<S>()
    to += sizeof<T>()
  }
}

/** Widens eight values of 2 bytes to 4 or 8 bytes, and adds the offset. */
function eight<S, T>(to: usize, x: v128, offset: v128): void {
  const lower = isSigned<S>() ? i32x4.extend_low_i16x8_s(x) : i32x4.extend_low_i16x8_u(x)
  const upper = isSigned<S>() ? i32x4.extend_high_i16x8_s(x) : i32x4.extend_high_i16x8_u(x)
  if (sizeof<T>() === 4) {
    v128.store(to, i32x4.add(lower, offset))
    v128.store(to, i32x4.add(upper, offset), 16)
  } else {
    four<S>(to, lower, offset)
    four<S>(to + 32, upper, offset)
  }
}

/** Widens four values of 4 bytes to 8 bytes, and adds the offset. */
function four<S>(to: usize, x: v128, offset: v128): void {
  const lower = isSigned<S>() ? i64x2.extend_low_i32x4_s(x) : i64x2.extend_low_i32x4_u(x)
  const upper = isSigned<S>() ? i64x2.extend_high_i32x4_s(x) : i64x2.extend_high_i32x4_u(x)
  v128.store(to, i64x2.add(lower, offset))
  v128.store(to, i64x2.add(upper, offset), 16)
}

/** Widens the first eight of sixteen values of 1 byte to 2 bytes each. */
function low<S>(x: v128): v128 {
  return isSigned<S>() ? i16x8.extend_low_i8x16_s(x) : i16x8.extend_low_i8x16_u(x)
}

/** Widens the last eight. */
function high<S>(x: v128): v128 {
  return isSigned<S>() ? i16x8.extend_high_i8x16_s(x) : i16x8.extend_high_i8x16_u(x)
}
