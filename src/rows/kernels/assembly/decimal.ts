import { writeU64 } from './digits'

/*
 * The shortest decimal form of a binary floating-point number that reads back as the same number; if there are several, the nearest.
 * The algorithm is Schubfach.
 *
 * @see Raffaello Giulietti, The Schubfach way to render doubles (2020)
 */

/** Smallest exponent of the powers of ten that are needed. */
const MIN_POWER: i32 = -292

/** Address of the powers of ten from {@link MIN_POWER} on: the upper 128 bits of each, rounded up, as two words, low word first. */
let powers: usize = 0

export function setPowers(at: usize): void {
  powers = at
}

/** Result of {@link shortest}: digits * 10^exponent. */
let digits: u64 = 0
let exponent: i32 = 0

function upperHalf(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff
  const a1 = a >> 32
  const b0 = b & 0xffffffff
  const b1 = b >> 32
  const middle = a1 * b0 + ((a0 * b0) >> 32)
  const other = a0 * b1 + (middle & 0xffffffff)
  return a1 * b1 + (middle >> 32) + (other >> 32)
}

/** Returns the upper 64 bits of a power of ten times a number. The lowest bit is also set if any lower bit of the product is set. */
function scaled(powerLow: u64, powerHigh: u64, value: u64): u64 {
  const below = powerHigh * value
  const sum = below + upperHalf(powerLow, value)
  const high = upperHalf(powerHigh, value) + ((sum < below ? 1 : 0) as u64)
  return high | ((sum > 1 ? 1 : 0) as u64)
}

/**
 * Sets {@link digits} and {@link exponent} for c * 2^q, which is not zero.
 * @param closer whether the next smaller number is half as far away as the next larger one
 */
function shortest(c: u64, q: i32, closer: bool): void {
  // The interval of an even number includes its bounds, as reading rounds to even.
  const out = (c & 1) as u64
  const k = (q * 1262611 - (closer ? 524031 : 0)) >> 22
  const h = (q + ((-k * 1741647) >> 19) + 1) as u64
  const at = powers + (((-k - MIN_POWER) as usize) << 4)
  const low = load<u64>(at)
  const high = load<u64>(at, 8)
  const four = c << 2
  const middle = scaled(low, high, four << h)
  const lower = scaled(low, high, (four - (closer ? 1 : 2)) << h) + out
  const upper = scaled(low, high, (four + 2) << h) - out
  const s = middle >> 2
  if (s >= 10) {
    const tens = s / 10
    const below = lower <= 40 * tens
    const above = 40 * tens + 40 <= upper
    if (below !== above) {
      digits = tens + (above ? 1 : 0)
      exponent = k + 1
      return
    }
  }
  exponent = k
  const below = lower <= s << 2
  const above = (s << 2) + 4 <= upper
  if (below !== above) digits = s + (above ? 1 : 0)
  else {
    const half = (s << 2) + 2
    digits = s + (middle > half || (middle === half && (s & 1) !== 0) ? 1 : 0)
  }
}

/** Memory for the digits of a number. */
const scratch: usize = memory.data(48, 16)

/** Writes a finite number above 0 as JavaScript does. Up to 16 bytes after it are overwritten. @returns its end */
export function writeF64(out: usize, bits: u64): usize {
  const fraction = bits & 0x000fffffffffffff
  const biased = (bits >> 52) as i32
  if (biased !== 0) shortest(fraction | 0x0010000000000000, biased - 1075, fraction === 0 && biased > 1)
  else shortest(fraction, -1074, false)
  return writeScientific(out)
}

/** {@link writeF64} for a float32. */
export function writeF32(out: usize, bits: u32): usize {
  const fraction = bits & 0x007fffff
  const biased = (bits >> 23) as i32
  if (biased !== 0) shortest((fraction | 0x00800000) as u64, biased - 150, fraction === 0 && biased > 1)
  else shortest(fraction as u64, -149, false)
  return writeScientific(out)
}

let places: i32 = 0

/**
 * Returns the number of decimal places of the number that {@link writeF64} wrote last; more than {@link MAX_PLACES} if
 * {@link writeShort} cannot write such numbers.
 */
export function lastPlaces(): i32 {
  return places
}

/** Writes {@link digits} * 10^{@link exponent}. */
function writeScientific(out: usize): usize {
  const end = writeU64(scratch, digits)
  let last = end
  while (load<u8>(last - 1) === 0x30) last--
  const length = (last - scratch) as i32
  /** Number of digits before the point. */
  const point = ((end - scratch) as i32) + exponent
  places = length > 15 ? MAX_PLACES + 1 : max<i32>(length - point, 0)
  if (point > 21 || point <= -6) return writeExponent(out, length, point - 1)
  if (point <= 0) {
    store<u64>(out, 0x303030303030_2e30)
    const from = out + 2 + (-point as usize)
    copy24(from, scratch)
    return from + (length as usize)
  }
  copy24(out, scratch)
  if (length <= point) {
    store<u64>(out + (length as usize), 0x3030303030303030)
    store<u64>(out + (length as usize), 0x3030303030303030, 8)
    store<u64>(out + (length as usize), 0x3030303030303030, 16)
    return out + (point as usize)
  }
  store<u8>(out + (point as usize), 0x2e)
  copy24(out + (point as usize) + 1, scratch + (point as usize))
  return out + (length as usize) + 1
}

function copy24(to: usize, from: usize): void {
  const rest = load<u64>(from, 16)
  v128.store(to, v128.load(from))
  store<u64>(to, rest, 16)
}

function writeExponent(out: usize, length: i32, power: i32): usize {
  store<u8>(out, load<u8>(scratch))
  let at = out + 1
  if (length > 1) {
    store<u8>(at, 0x2e)
    copy24(at + 1, scratch + 1)
    at += length as usize
  }
  store<u8>(at, 0x65)
  store<u8>(at, power < 0 ? 0x2d : 0x2b, 1)
  return writeU64(at + 2, (power < 0 ? -power : power) as u64)
}

/** Largest number of decimal places that {@link writeShort} tries. */
export const MAX_PLACES: i32 = 12
const tens: usize = memory.data<f64>([1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12])

/**
 * Writes a number of at least 1e-6 if it has at most `places` decimal places and 15 digits. Such a number equals a whole number
 * divided by a power of ten, which is one correctly rounded operation, as reading its digits is. No other number has the same few
 * digits.
 * @returns its end; 0 if it was not written
 */
export function writeShort(out: usize, value: f64, places: i32): usize {
  const power = load<f64>(tens + ((places as usize) << 3))
  const whole = nearest<f64>(value * power)
  if (!(whole < 1e15) || whole / power !== value) return 0
  const number = whole as u64
  if (places === 0) return writeU64(out, number)
  const end = writeU64(scratch, number)
  let last = end
  let left = places
  while (left > 0 && load<u8>(last - 1) === 0x30) {
    last--
    left--
  }
  const length = (last - scratch) as i32
  const point = length - left
  if (point <= 0) {
    store<u64>(out, 0x303030303030_2e30)
    const from = out + 2 + (-point as usize)
    v128.store(from, v128.load(scratch))
    return from + (length as usize)
  }
  v128.store(out, v128.load(scratch))
  if (left === 0) return out + (length as usize)
  store<u8>(out + (point as usize), 0x2e)
  v128.store(out + (point as usize) + 1, v128.load(scratch + (point as usize)))
  return out + (length as usize) + 1
}
