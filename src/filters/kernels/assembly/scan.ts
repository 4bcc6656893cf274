/** Running sums: start + in[0], that + in[1]…, modulo the element size; whole elements. `low` and `high` are lanes of the start. */
export function sums(input: usize, output: usize, length: usize, size: usize, low: u32, high: u32): void {
  const start = (low as u64) | ((high as u64) << 32)
  if (size === 1) sums8(input, output, length, low)
  else if (size === 2) sums16(input, output, length, low)
  else if (size === 4) sums32(input, output, length, low)
  else each<u64>(input, output, length, start)
}

/** Undoes XOR: in[0], that ^ in[1]…; whole elements. */
export function separate(input: usize, output: usize, length: usize, size: usize): void {
  if (size === 1) eachXor<u8>(input, output, length)
  else if (size === 2) eachXor<u16>(input, output, length)
  else if (size === 4) eachXor<u32>(input, output, length)
  else eachXor<u64>(input, output, length)
}

/** A vector moved up by so many bytes, zeros behind it. */
function up1(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
}
function up2(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29)
}
function up4(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
}
function up8(x: v128): v128 {
  return i8x16.shuffle(i8x16.splat(0), x, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
}

function sums8(input: usize, output: usize, length: usize, start: u32): void {
  const whole = length & ~15
  let carry = i8x16.splat(start as i8)
  for (let at: usize = 0; at < whole; at += 16) {
    let x = v128.load(input + at)
    x = i8x16.add(x, up1(x))
    x = i8x16.add(x, up2(x))
    x = i8x16.add(x, up4(x))
    x = i8x16.add(x, up8(x))
    x = i8x16.add(x, carry)
    v128.store(output + at, x)
    carry = i8x16.shuffle(x, x, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15)
  }
  each<u8>(input + whole, output + whole, length - whole, i8x16.extract_lane_u(carry, 0))
}

function sums16(input: usize, output: usize, length: usize, start: u32): void {
  const whole = length & ~15
  let carry = i16x8.splat(start as i16)
  for (let at: usize = 0; at < whole; at += 16) {
    let x = v128.load(input + at)
    x = i16x8.add(x, up2(x))
    x = i16x8.add(x, up4(x))
    x = i16x8.add(x, up8(x))
    x = i16x8.add(x, carry)
    v128.store(output + at, x)
    carry = i8x16.shuffle(x, x, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15, 14, 15)
  }
  each<u16>(input + whole, output + whole, length - whole, i16x8.extract_lane_u(carry, 0))
}

function sums32(input: usize, output: usize, length: usize, start: u32): void {
  const whole = length & ~15
  let carry = i32x4.splat(start)
  for (let at: usize = 0; at < whole; at += 16) {
    let x = v128.load(input + at)
    x = i32x4.add(x, up4(x))
    x = i32x4.add(x, up8(x))
    x = i32x4.add(x, carry)
    v128.store(output + at, x)
    carry = i8x16.shuffle(x, x, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15)
  }
  each<u32>(input + whole, output + whole, length - whole, i32x4.extract_lane(carry, 0))
}

function each<T>(input: usize, output: usize, length: usize, start: T): void {
  const step: usize = sizeof<T>()
  const fours = length - (length % (4 * step))
  let sum = start
  let at: usize = 0
  for (; at < fours; at += 4 * step) {
    sum = ((sum as T) + load<T>(input + at)) as T
    store<T>(output + at, sum)
    sum = ((sum as T) + load<T>(input + at + step)) as T
    store<T>(output + at + step, sum)
    sum = ((sum as T) + load<T>(input + at + 2 * step)) as T
    store<T>(output + at + 2 * step, sum)
    sum = ((sum as T) + load<T>(input + at + 3 * step)) as T
    store<T>(output + at + 3 * step, sum)
  }
  for (; at < length; at += step) {
    sum = ((sum as T) + load<T>(input + at)) as T
    store<T>(output + at, sum)
  }
}

function eachXor<T>(input: usize, output: usize, length: usize): void {
  const step: usize = sizeof<T>()
  let value: T = 0 as T
  for (let at: usize = 0; at < length; at += step) {
    value = (value ^ load<T>(input + at)) as T
    store<T>(output + at, value)
  }
}
