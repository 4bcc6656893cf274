import { sums } from './scan'

/** Bytes of a window's entry in the metadata: the value T, u32 bytes; BIT_WIDTH_REDUCTION has u8 bits between. */
const LENGTH_BYTES: usize = 4

/**
 * Undoes POSITIVE_DELTA. `table` has `windows` entries.
 * @returns whether their bytes are `length` in all; otherwise nothing was written
 */
export function unpositiveDelta(
  table: usize,
  windows: usize,
  input: usize,
  output: usize,
  length: usize,
  size: usize,
): bool {
  const step = size + LENGTH_BYTES
  const end = table + windows * step
  let total: u64 = 0
  for (let entry = table; entry < end; entry += step) total += load<u32>(entry + size) as u64
  if (total !== (length as u64)) return false
  for (let entry = table; entry < end; entry += step) {
    const bytes = load<u32>(entry + size) as usize
    if (bytes % size === 0) sums(input, output, bytes, size, valueLow(entry, size), valueHigh(entry, size))
    else memory.copy(output, input, bytes)
    input += bytes
    output += bytes
  }
  return true
}

/**
 * Undoes BIT_WIDTH_REDUCTION. `table` has `windows` entries.
 * @returns whether they fit the data: `inputLength` bytes reduced, `length` not; otherwise nothing was written
 */
export function widen(
  table: usize,
  windows: usize,
  input: usize,
  inputLength: usize,
  output: usize,
  length: usize,
  size: usize,
  signed: bool,
): bool {
  const step = size + 1 + LENGTH_BYTES
  const end = table + windows * step
  let total: u64 = 0
  let stored: u64 = 0
  for (let entry = table; entry < end; entry += step) {
    const bytes = load<u32>(entry + size + 1) as usize
    const width = storedWidth(entry, bytes, size)
    if (width === 0) return false
    total += bytes as u64
    stored += ((bytes / size) * width + (width === size ? bytes % size : 0)) as u64
  }
  if (total !== (length as u64) || stored !== (inputLength as u64)) return false
  for (let entry = table; entry < end; entry += step) {
    const bytes = load<u32>(entry + size + 1) as usize
    const width = storedWidth(entry, bytes, size)
    if (width === size) {
      memory.copy(output, input, bytes)
      input += bytes
    } else {
      const count = bytes / size
      if (size === 2) widen16(input, output, count, valueLow(entry, 2) as u16, signed)
      else if (size === 4) widen32(input, output, count, valueLow(entry, 4), width, signed)
      else widen64(input, output, count, load<u64>(entry), width, signed)
      input += count * width
    }
    output += bytes
  }
  return true
}

/** Bytes of a stored value; the full width where the window is stored as it is; 0 for what no release writes. */
function storedWidth(entry: usize, bytes: usize, size: usize): usize {
  const full: usize = 8 * size
  const bits: usize = bytes % size !== 0 ? full : min<usize>(load<u8>(entry + size), full)
  return bits === 8 || bits === 16 || bits === 32 || bits === 64 ? bits >> 3 : 0
}

function valueLow(entry: usize, size: usize): u32 {
  return size === 1 ? load<u8>(entry) : size === 2 ? load<u16>(entry) : load<u32>(entry)
}

function valueHigh(entry: usize, size: usize): u32 {
  return size === 8 ? load<u32>(entry + 4) : 0
}

function widen16(input: usize, output: usize, count: usize, offset: u16, signed: bool): void {
  const add = i16x8.splat(offset)
  const whole = count & ~7
  for (let i: usize = 0; i < whole; i += 8) {
    const x = signed ? v128.load8x8_s(input + i) : v128.load8x8_u(input + i)
    v128.store(output + 2 * i, i16x8.add(x, add))
  }
  for (let i = whole; i < count; i++) {
    const x: i32 = signed ? load<i8>(input + i) : load<u8>(input + i)
    store<u16>(output + 2 * i, (x + (offset as i32)) as u16)
  }
}

function widen32(input: usize, output: usize, count: usize, offset: u32, width: usize, signed: bool): void {
  const add = i32x4.splat(offset)
  const whole = count & ~7
  if (width === 1) {
    for (let i: usize = 0; i < whole; i += 8) {
      const x = signed ? v128.load8x8_s(input + i) : v128.load8x8_u(input + i)
      put32(output + 4 * i, x, add, signed)
    }
  } else {
    for (let i: usize = 0; i < whole; i += 8) put32(output + 4 * i, v128.load(input + 2 * i), add, signed)
  }
  for (let i = whole; i < count; i++) store<u32>(output + 4 * i, (integer(input, i, width, signed) as u32) + offset)
}

/** Eight values of two bytes, to four each. */
function put32(output: usize, x: v128, add: v128, signed: bool): void {
  const low = signed ? i32x4.extend_low_i16x8_s(x) : i32x4.extend_low_i16x8_u(x)
  const high = signed ? i32x4.extend_high_i16x8_s(x) : i32x4.extend_high_i16x8_u(x)
  v128.store(output, i32x4.add(low, add))
  v128.store(output, i32x4.add(high, add), 16)
}

function widen64(input: usize, output: usize, count: usize, offset: u64, width: usize, signed: bool): void {
  const add = i64x2.splat(offset)
  const whole = count & ~7
  for (let i: usize = 0; i < whole; i += 8) {
    const to = output + 8 * i
    if (width === 4) {
      put64(to, v128.load(input + 4 * i), add, signed)
      put64(to + 32, v128.load(input + 4 * i, 16), add, signed)
    } else {
      const from = input + width * i
      const x = width === 2 ? v128.load(from) : signed ? v128.load8x8_s(from) : v128.load8x8_u(from)
      put64(to, signed ? i32x4.extend_low_i16x8_s(x) : i32x4.extend_low_i16x8_u(x), add, signed)
      put64(to + 32, signed ? i32x4.extend_high_i16x8_s(x) : i32x4.extend_high_i16x8_u(x), add, signed)
    }
  }
  for (let i = whole; i < count; i++) store<u64>(output + 8 * i, (integer(input, i, width, signed) as u64) + offset)
}

/** Four values of four bytes, to eight each. */
function put64(output: usize, x: v128, add: v128, signed: bool): void {
  const low = signed ? i64x2.extend_low_i32x4_s(x) : i64x2.extend_low_i32x4_u(x)
  const high = signed ? i64x2.extend_high_i32x4_s(x) : i64x2.extend_high_i32x4_u(x)
  v128.store(output, i64x2.add(low, add))
  v128.store(output, i64x2.add(high, add), 16)
}

function integer(input: usize, i: usize, width: usize, signed: bool): i64 {
  if (width === 1) return signed ? (load<i8>(input + i) as i64) : (load<u8>(input + i) as i64)
  if (width === 2) return signed ? (load<i16>(input + 2 * i) as i64) : (load<u16>(input + 2 * i) as i64)
  return signed ? (load<i32>(input + 4 * i) as i64) : (load<u32>(input + 4 * i) as i64)
}
