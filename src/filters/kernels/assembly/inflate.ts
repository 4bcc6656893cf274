import { copyMatch } from './lz4'

/**
 * Undoes zlib streams. It declines what zlib never writes (incomplete codes, bytes after the end) and what is wrong: zlib then undoes
 * the stream, or says what is wrong. A table decodes most codes in one step; longer codes take a second one.
 *
 * @see RFC 1950; RFC 1951
 */

const LITERALS: usize = 288
const DISTANCES: usize = 32
const LENGTH_CODES: usize = 19
const MAX_BITS: usize = 15
/** Bits that the first step looks at, by kind of code. No code for code lengths is longer. */
const LITERAL_BITS: usize = 10
const DISTANCE_BITS: usize = 8
const LENGTH_BITS: usize = 7

/**
 * An entry of a table has the bits of its code in the lowest byte. Above 16 bits it has a literal, the base of a length or a distance, or the
 * place of the table for the second step. These bits tell which; the bits of {@link EXTRA} say how many bits follow the code.
 */
const LITERAL: u32 = 0x8000
const END: u32 = 0x4000
const SECOND: u32 = 0x2000
const INVALID: u32 = 0x1000
const OTHERS: u32 = END | SECOND | INVALID
const EXTRA: u32 = 0xf00

/** By symbol: its entry without the bits of its code. */
const literalEntries: usize = memory.data(4 * 288, 16)
const distanceEntries: usize = memory.data(4 * 32, 16)
const lengthEntries: usize = memory.data(4 * 19, 16)
for (let symbol: usize = 0; symbol < LITERALS; symbol++) {
  let entry: u32 = INVALID
  if (symbol < 256) entry = ((symbol as u32) << 16) | LITERAL
  else if (symbol === 256) entry = END
  else if (symbol < 265) entry = ((symbol - 254) as u32) << 16
  else if (symbol < 285) {
    const more = (symbol - 261) >> 2
    entry = (((((4 + ((symbol - 257) & 3)) << more) + 3) as u32) << 16) | ((more as u32) << 8)
  } else if (symbol === 285) entry = 258 << 16
  store<u32>(literalEntries + 4 * symbol, entry)
}
for (let symbol: usize = 0; symbol < DISTANCES; symbol++) {
  let entry: u32 = INVALID
  if (symbol < 4) entry = ((symbol + 1) as u32) << 16
  else if (symbol < 30) {
    const more = (symbol >> 1) - 1
    entry = (((((2 + (symbol & 1)) << more) + 1) as u32) << 16) | ((more as u32) << 8)
  }
  store<u32>(distanceEntries + 4 * symbol, entry)
}
for (let symbol: usize = 0; symbol < LENGTH_CODES; symbol++)
  store<u32>(lengthEntries + 4 * symbol, (symbol as u32) << 16)
/** Order in which the lengths of the codes for code lengths are stored. */
const order: usize = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15])

/** Tables: entries of both steps, as many as any complete code needs. */
const literalTable: usize = memory.data(4 * 1536, 16)
const distanceTable: usize = memory.data(4 * 512, 16)
const lengthTable: usize = memory.data(4 * 128, 16)
/** Lengths of the codes of a block, by symbol. */
const lengths: usize = memory.data(288 + 32 + 16, 16)
/** By length: number of codes, then the place of its next symbol in `sorted`. */
const counts: usize = memory.data(2 * 16, 16)
const places: usize = memory.data(2 * 16, 16)
/** Symbols in the order of their codes. */
const sorted: usize = memory.data(2 * 288, 16)

/** Makes a table of the codes with `symbols` lengths from `from` on. @returns whether every sequence of bits begins with a code */
function makeTable(table: usize, bits: usize, entries: usize, from: usize, symbols: usize): bool {
  memory.fill(counts, 0, 32)
  for (let symbol: usize = 0; symbol < symbols; symbol++) {
    const at = counts + 2 * (load<u8>(from + symbol) as usize)
    store<u16>(at, load<u16>(at) + 1)
  }
  let left: i32 = 1
  let place: u32 = 0
  for (let length: usize = 1; length <= MAX_BITS; length++) {
    const count = load<u16>(counts + 2 * length) as u32
    left = 2 * left - (count as i32)
    if (left < 0) return false
    store<u16>(places + 2 * length, place as u16)
    place += count
  }
  if (left !== 0) return false
  for (let symbol: usize = 0; symbol < symbols; symbol++) {
    const length = load<u8>(from + symbol) as usize
    if (length === 0) continue
    const at = places + 2 * length
    const to = load<u16>(at) as usize
    store<u16>(at, (to + 1) as u16)
    store<u16>(sorted + 2 * to, symbol as u16)
  }
  // Codes with their first bit lowest, as the stream has them.
  let code: usize = 0
  let secondStart: usize = 0
  let secondBits: usize = 0
  let prefix: usize = usize.MAX_VALUE
  let free = (1 as usize) << bits
  for (let i: usize = 0; i < (place as usize); i++) {
    const symbol = load<u16>(sorted + 2 * i) as usize
    const length = load<u8>(from + symbol) as usize
    const entry = load<u32>(entries + 4 * symbol)
    if (length <= bits) {
      const step = (1 as usize) << length
      for (let at = code; at < (1 as usize) << bits; at += step) store<u32>(table + 4 * at, entry | (length as u32))
    } else {
      const low = code & (((1 as usize) << bits) - 1)
      if (low !== prefix) {
        prefix = low
        secondStart = free
        secondBits = length - bits
        // All codes that begin alike fill the second table.
        let used = load<u16>(counts + 2 * length) as usize
        while (used < (1 as usize) << secondBits && bits + secondBits < MAX_BITS) {
          secondBits++
          used = 2 * used + (load<u16>(counts + 2 * (bits + secondBits)) as usize)
        }
        free += (1 as usize) << secondBits
        store<u32>(table + 4 * low, ((secondStart as u32) << 16) | ((secondBits as u32) << 8) | SECOND | (bits as u32))
      }
      const step = (1 as usize) << (length - bits)
      for (let at = code >> bits; at < (1 as usize) << secondBits; at += step)
        store<u32>(table + 4 * (secondStart + at), entry | ((length - bits) as u32))
    }
    const count = counts + 2 * length
    store<u16>(count, load<u16>(count) - 1)
    // The next code: one more, counted from the other end.
    let bit = (1 as usize) << (length - 1)
    while (code & bit) bit >>= 1
    code = (code & (bit - 1)) | bit
  }
  return true
}

/** The stream: the next bytes, and bits that were taken from it but not used, the first one lowest. */
let at: usize = 0
let held: u64 = 0
let have: u64 = 0

/** Holds at least 56 bits. Bytes after the stream are taken as they are. */
function refill(): void {
  held |= load<u64>(at) << have
  at += ((63 - have) >> 3) as usize
  have |= 56
}

/** Takes up to 16 of the held bits. */
function take(count: u64): u32 {
  const value = (held & (((1 as u64) << count) - 1)) as u32
  held >>= count
  have -= count
  return value
}

/** Offset of the byte after the last one of which a bit was used. */
function position(): usize {
  return at - ((have >> 3) as usize)
}

/** Reads the codes of a block. @returns whether they are complete */
function readCodes(end: usize): bool {
  refill()
  const literals = (take(5) + 257) as usize
  const distances = (take(5) + 1) as usize
  const own = (take(4) + 4) as usize
  memory.fill(lengths, 0, LENGTH_CODES)
  for (let i: usize = 0; i < own; i++) {
    if (have < 3) refill()
    store<u8>(lengths + (load<u8>(order + i) as usize), take(3) as u8)
  }
  if (literals > 286 || distances > 30) return false
  if (!makeTable(lengthTable, LENGTH_BITS, lengthEntries, lengths, LENGTH_CODES)) return false
  const all = literals + distances
  let done: usize = 0
  while (done < all) {
    refill()
    if (position() > end) return false
    const entry = load<u32>(lengthTable + 4 * ((held & 127) as usize))
    take((entry & 255) as u64)
    const symbol = entry >> 16
    if (symbol < 16) {
      store<u8>(lengths + done++, symbol as u8)
      continue
    }
    let count: usize
    let value: u8 = 0
    if (symbol === 16) {
      if (done === 0) return false
      value = load<u8>(lengths + done - 1)
      count = 3 + (take(2) as usize)
    } else count = symbol === 17 ? 3 + (take(3) as usize) : 11 + (take(7) as usize)
    if (count > all - done) return false
    memory.fill(lengths + done, value, count)
    done += count
  }
  return (
    load<u8>(lengths + 256) > 0 &&
    makeTable(literalTable, LITERAL_BITS, literalEntries, lengths, literals) &&
    makeTable(distanceTable, DISTANCE_BITS, distanceEntries, lengths + literals, distances)
  )
}

function fixedCodes(): void {
  memory.fill(lengths, 8, 144)
  memory.fill(lengths + 144, 9, 112)
  memory.fill(lengths + 256, 7, 24)
  memory.fill(lengths + 280, 8, 8)
  memory.fill(lengths + LITERALS, 5, DISTANCES)
  makeTable(literalTable, LITERAL_BITS, literalEntries, lengths, LITERALS)
  makeTable(distanceTable, DISTANCE_BITS, distanceEntries, lengths + LITERALS, DISTANCES)
}

/** The end of what a compressed block gives; 0 if something is wrong. Up to 31 bytes after `limit` are overwritten. */
function decodeBlock(output: usize, from: usize, limit: usize, end: usize): usize {
  const literalMask: u64 = ((1 as u64) << LITERAL_BITS) - 1
  const distanceMask: u64 = ((1 as u64) << DISTANCE_BITS) - 1
  // Locals, which wasm keeps in registers.
  let next = at
  let bits = held
  let count = have
  let to = from
  while (true) {
    bits |= load<u64>(next) << count
    next += ((63 - count) >> 3) as usize
    count |= 56
    if (to > limit || next > end + 16) return 0
    let entry = load<u32>(literalTable + 4 * ((bits & literalMask) as usize))
    if (entry & LITERAL) {
      // Three literals of the first step take 30 bits at most.
      bits >>= entry as u64 & 63
      count -= entry as u64 & 63
      store<u8>(to++, (entry >> 16) as u8)
      entry = load<u32>(literalTable + 4 * ((bits & literalMask) as usize))
      if (entry & LITERAL) {
        bits >>= entry as u64 & 63
        count -= entry as u64 & 63
        store<u8>(to++, (entry >> 16) as u8)
        entry = load<u32>(literalTable + 4 * ((bits & literalMask) as usize))
        if (entry & LITERAL) {
          bits >>= entry as u64 & 63
          count -= entry as u64 & 63
          store<u8>(to++, (entry >> 16) as u8)
          continue
        }
      }
    }
    let used = entry as u64 & 63
    bits >>= used
    count -= used
    if (entry & OTHERS) {
      if (entry & SECOND) {
        const mask = ((1 as u64) << ((entry & EXTRA) >> 8)) - 1
        entry = load<u32>(literalTable + 4 * (((entry >> 16) as usize) + ((bits & mask) as usize)))
        used = entry as u64 & 63
        bits >>= used
        count -= used
        if (entry & LITERAL) {
          store<u8>(to++, (entry >> 16) as u8)
          continue
        }
      }
      if (entry & INVALID) return 0
      if (entry & END) {
        at = next
        held = bits
        have = count
        return to > limit ? 0 : to
      }
    }
    const lengthMore = ((entry & EXTRA) >> 8) as u64
    const length = ((entry >> 16) + ((bits & (((1 as u64) << lengthMore) - 1)) as u32)) as usize
    bits >>= lengthMore
    count -= lengthMore
    bits |= load<u64>(next) << count
    next += ((63 - count) >> 3) as usize
    count |= 56
    entry = load<u32>(distanceTable + 4 * ((bits & distanceMask) as usize))
    used = entry as u64 & 63
    bits >>= used
    count -= used
    if (entry & SECOND) {
      const mask = ((1 as u64) << ((entry & EXTRA) >> 8)) - 1
      entry = load<u32>(distanceTable + 4 * (((entry >> 16) as usize) + ((bits & mask) as usize)))
      used = entry as u64 & 63
      bits >>= used
      count -= used
    }
    if (entry & INVALID) return 0
    const distanceMore = ((entry & EXTRA) >> 8) as u64
    const distance = ((entry >> 16) + ((bits & (((1 as u64) << distanceMore) - 1)) as u32)) as usize
    bits >>= distanceMore
    count -= distanceMore
    if (to > limit || length > limit - to || distance > to - output) return 0
    copyMatch(to, to + length, distance)
    to += length
  }
}

/**
 * Undoes a zlib stream. Up to 31 bytes after the input are read, and up to 31 after the output are overwritten.
 * @returns whether the stream gives `length` bytes and nothing in it is rare or wrong
 */
export function unzlib(output: usize, input: usize, inputLength: usize, length: usize): bool {
  if (inputLength < 8) return false
  const method = load<u8>(input) as u32
  const flags = load<u8>(input + 1) as u32
  if ((method & 15) !== 8 || method >> 4 > 7 || (flags & 32) !== 0 || (256 * method + flags) % 31 !== 0) return false
  const end = input + inputLength - 4
  const limit = output + length
  at = input + 2
  held = 0
  have = 0
  let to = output
  while (true) {
    refill()
    const isLast = take(1)
    const kind = take(2)
    if (kind === 0) {
      take(have & 7)
      const stored = take(16) as usize
      if ((take(16) ^ 0xffff) !== (stored as u32)) return false
      const from = position()
      if (from > end || stored > end - from || stored > limit - to) return false
      memory.copy(to, from, stored)
      to += stored
      at = from + stored
      held = 0
      have = 0
    } else {
      if (kind === 1) fixedCodes()
      else if (kind === 3 || !readCodes(end)) return false
      to = decodeBlock(output, to, limit, end)
      if (to === 0) return false
    }
    if (position() > end) return false
    if (isLast) return position() === end && to === limit && bswap(load<u32>(end)) === adler(output, limit)
  }
}

/** Bytes that are summed up before the sums of Adler-32 need a remainder, a multiple of 16. */
const SUMMED: usize = 5552

/** @see RFC 1950, "Adler-32" */
function adler(from: usize, to: usize): u32 {
  let a: u32 = 1
  let b: u32 = 0
  const high = i16x8(16, 15, 14, 13, 12, 11, 10, 9)
  const low = i16x8(8, 7, 6, 5, 4, 3, 2, 1)
  while (to - from >= 16) {
    const end = from + min(SUMMED, (to - from) & ~15)
    b += a * ((end - from) as u32)
    let sums = i32x4.splat(0)
    let before = i32x4.splat(0)
    let weighted = i32x4.splat(0)
    for (; from < end; from += 16) {
      const bytes = v128.load(from)
      before = i32x4.add(before, sums)
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes)))
      weighted = i32x4.add(
        weighted,
        i32x4.add(
          i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(bytes), high),
          i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(bytes), low),
        ),
      )
    }
    b = (b + 16 * total(before) + total(weighted)) % 65521
    a = (a + total(sums)) % 65521
  }
  for (; from < to; from++) {
    a += load<u8>(from) as u32
    b += a
  }
  return ((b % 65521) << 16) | (a % 65521)
}

function total(x: v128): u32 {
  return i32x4.extract_lane(x, 0) + i32x4.extract_lane(x, 1) + i32x4.extract_lane(x, 2) + i32x4.extract_lane(x, 3)
}
