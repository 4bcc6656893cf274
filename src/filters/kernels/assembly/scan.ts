import { last, prefixSums } from './lanes'

/** Running sums of whole elements, modulo the element size. `low` and `high` are the lanes of the start value. */
export function sums(output: usize, input: usize, length: usize, size: usize, low: u32, high: u32): void {
  const start = (low as u64) | ((high as u64) << 32)
  if (size === 1) sumsOf<u8>(input, output, length, low as u8)
  else if (size === 2) sumsOf<u16>(input, output, length, low as u16)
  else if (size === 4) sumsOf<u32>(input, output, length, low)
  else each<u64>(input, output, length, start)
}

/** Undoes XOR of whole elements. */
export function unxor(output: usize, input: usize, length: usize, size: usize): void {
  if (size === 1) eachXor<u8>(input, output, length)
  else if (size === 2) eachXor<u16>(input, output, length)
  else if (size === 4) eachXor<u32>(input, output, length)
  else eachXor<u64>(input, output, length)
}

function sumsOf<T>(input: usize, output: usize, length: usize, start: T): void {
  const whole = length & ~15
  let carry = v128.splat<T>(start)
  for (let at: usize = 0; at < whole; at += 16) {
    const x = v128.add<T>(prefixSums<T>(v128.load(input + at)), carry)
    v128.store(output + at, x)
    carry = last<T>(x)
  }
  each<T>(input + whole, output + whole, length - whole, v128.extract_lane<T>(carry, 0))
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
