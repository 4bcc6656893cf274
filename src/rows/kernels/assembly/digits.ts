/*
 * Decimal digits, eight at a time: the digits of a number below 10^8 as the bytes of a word, the first digit in the lowest byte.
 * The number is split into halves, pairs and single digits in all lanes of the word at once. Each division is a multiplication and a shift:
 * 109951163 / 2^40 is a 10,000th, 10486 / 2^20 a 100th, and 103 / 2^10 a 10th, exact enough for every number that comes here.
 */

const ZEROS: u64 = 0x3030303030303030

function eightDigits(value: u32): u64 {
  const high = (((value as u64) * 109951163) >> 40) as u32
  const fours = (high as u64) | (((value - high * 10000) as u64) << 32)
  const hundreds = ((fours * 10486) >> 20) & 0x0000007f0000007f
  const twos = ((fours - hundreds * 100) << 16) | hundreds
  const tens = ((twos * 103) >> 10) & 0x000f000f000f000f
  return ((twos - tens * 10) << 8) | tens
}

/** Writes a number below 10^8 without leading zeros; nothing for zero. All 8 bytes from `out` may be overwritten. @returns its end */
function leading8(out: usize, value: u32): usize {
  const digits = eightDigits(value)
  const zeros = ctz(digits) & ~7
  if (digits === 0) return out
  store<u64>(out, (digits | ZEROS) >> zeros)
  return out + (8 - ((zeros as usize) >> 3))
}

/** Writes a number below 10^8 with all eight digits. */
function all8(out: usize, value: u32): usize {
  store<u64>(out, eightDigits(value) | ZEROS)
  return out + 8
}

/** Writes a whole number. Up to 8 bytes after it may be overwritten. @returns its end */
export function writeU64(out: usize, value: u64): usize {
  if (value < 10) {
    store<u8>(out, (0x30 + value) as u8)
    return out + 1
  }
  if (value < 100000000) return leading8(out, value as u32)
  return writeLarge(out, value)
}

function writeLarge(out: usize, value: u64): usize {
  const high = value / 100000000
  const low = (value - high * 100000000) as u32
  if (high < 100000000) return all8(leading8(out, high as u32), low)
  const top = high / 100000000
  return all8(all8(leading8(out, top as u32), (high - top * 100000000) as u32), low)
}

/** Writes a number below 10^digits with leading zeros. Up to 7 bytes after it may be overwritten. @returns its end */
export function writePadded(out: usize, value: u64, digits: u32): usize {
  if (digits > 8) {
    const high = value / 100000000
    return all8(writePadded(out, high, digits - 8), (value - high * 100000000) as u32)
  }
  store<u64>(out, (eightDigits(value as u32) | ZEROS) >> ((8 - digits) << 3))
  return out + digits
}
