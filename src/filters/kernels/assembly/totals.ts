/**
 * Minimum, maximum and sum of numbers: where filters are undone, their cells are often summed up next.
 *
 *     output  minimum, maximum: f64 each; for elements of 8 bytes i64 or u64
 *             sum: f64; for elements of 8 bytes the sum of the low halves, then that of the high halves, i64 each
 *             sum of the magnitudes: f64
 *
 * @param kind index in NUMBER_KINDS of cells/totals.ts
 * @param sum from which floats are added on, one after another
 * @returns 0 if a float is NaN, or the sum may be infinite
 */
export function totals(output: usize, input: usize, count: usize, kind: i32, sum: f64, magnitude: f64): i32 {
  if (kind === 0) return integers<i8>(output, input, count)
  if (kind === 1) return integers<u8>(output, input, count)
  if (kind === 2) return integers<i16>(output, input, count)
  if (kind === 3) return integers<u16>(output, input, count)
  if (kind === 4) return integers<i32>(output, input, count)
  if (kind === 5) return integers<u32>(output, input, count)
  if (kind === 6) return floats<f32>(output, input, count, f32.MAX_VALUE, sum, magnitude)
  if (kind === 7) return floats<f64>(output, input, count, f64.MAX_VALUE, sum, magnitude)
  if (kind === 8) return wide<i64>(output, input, count)
  return wide<u64>(output, input, count)
}

/** Places of the results in the output. */
const MAX: usize = 8
const SUM: usize = 16
const MAGNITUDE: usize = 32

function integers<T>(output: usize, input: usize, count: usize): i32 {
  const size: usize = sizeof<T>()
  const end = input + count * size
  let sum: i64 = 0
  for (let at = input; at < end; at += size) sum += load<T>(at) as i64
  extremes<T>(output, input, count, load<T>(input), load<T>(input))
  store<f64>(output + SUM, sum as f64)
  return 1
}

function floats<T>(output: usize, input: usize, count: usize, limit: T, sum: f64, magnitude: f64): i32 {
  const size: usize = sizeof<T>()
  const end = input + count * size
  for (let at = input; at < end; at += size) {
    const value = load<T>(at) as f64
    sum += value
    magnitude += Math.abs(value)
  }
  // Also false if it is NaN.
  if (!(magnitude <= f64.MAX_VALUE)) return 0
  // An infinity does not replace the largest finite number, from which TileDB starts.
  extremes<T>(output, input, count, limit, -limit as T)
  store<f64>(output + SUM, sum)
  store<f64>(output + MAGNITUDE, magnitude)
  return 1
}

/** @param least and `most` from which the minimum and the maximum start */
function extremes<T>(output: usize, input: usize, count: usize, least: T, most: T): void {
  const size: usize = sizeof<T>()
  const whole = input + ((count * size) & ~15)
  const end = input + count * size
  let mins = v128.splat<T>(least)
  let maxs = v128.splat<T>(most)
  let at = input
  for (; at < whole; at += 16) {
    const x = v128.load(at)
    mins = v128.min<T>(mins, x)
    maxs = v128.max<T>(maxs, x)
  }
  for (; at < end; at += size) {
    mins = v128.min<T>(mins, v128.splat<T>(load<T>(at)))
    maxs = v128.max<T>(maxs, v128.splat<T>(load<T>(at)))
  }
  v128.store(output, mins)
  v128.store(output + 16, maxs)
  let min = load<T>(output) as f64
  let max = load<T>(output + 16) as f64
  for (let lane: usize = size; lane < 16; lane += size) {
    min = Math.min(min, load<T>(output + lane) as f64)
    max = Math.max(max, load<T>(output + 16 + lane) as f64)
  }
  store<f64>(output, min)
  store<f64>(output + MAX, max)
}

function wide<T>(output: usize, input: usize, count: usize): i32 {
  const end = input + 8 * count
  let min = load<T>(input)
  let max = min
  let low: u64 = 0
  let high: i64 = 0
  let magnitude: f64 = 0
  for (let at = input; at < end; at += 8) {
    const value = load<T>(at)
    if (value < min) min = value
    if (value > max) max = value
    low += (value as u64) & 0xffffffff
    high += isSigned<T>() ? (value as i64) >> 32 : (((value as u64) >> 32) as i64)
    magnitude += Math.abs(value as f64)
  }
  store<T>(output, min)
  store<T>(output + MAX, max)
  store<u64>(output + SUM, low)
  store<i64>(output + SUM + 8, high)
  store<f64>(output + MAGNITUDE, magnitude)
  return 1
}
