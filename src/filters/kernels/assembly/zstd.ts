import { copyMatch } from './lz4'

/**
 * Decodes zstd frames as TileDB's library writes them: one frame with its content size, without a dictionary or a checksum. It declines
 * anything else, and what is wrong: libzstd then decodes the frame, or says what is wrong. libzstd itself is fast only once V8 has
 * optimized its largest functions, which takes as long as to undo 30 MB; these are a tenth of them.
 *
 * Streams of bits are read backwards, also before their start, where other bytes of the frame are. At their end the place tells whether all
 * bits were used, and no more.
 *
 * @see RFC 8878
 */

const MAGIC: u32 = 0xfd2fb528
const MAX_IN_BLOCK: usize = 1 << 17
/** Bits of a Huffman code that a table looks up. Longer ones are allowed, but libzstd writes none. */
const HUFFMAN_BITS: u32 = 11
const MAX_OF_WEIGHTS: u32 = 6
/** Highest codes. */
const LAST_LITERALS: u32 = 35
const LAST_OFFSET: u32 = 24
const LAST_MATCH: u32 = 52

/** Literals of a block, and 32 bytes that are copied with the last ones. */
const literals: usize = memory.data(131072 + 32, 16)
/** By the next bits: symbol << 8 | length of its code. */
const huffman: usize = memory.data(4096, 16)
/** Weights of the symbols, the last one included. */
const weights: usize = memory.data(256 + 16, 16)
/** By weight, places in `huffman`. */
const ranks: usize = memory.data(4 * 16, 16)

/**
 * Tables of states. An entry of 8 bytes has, lowest first: the bits that follow for the next state, the bits that follow the code, the next
 * state without its bits (16 bits), and the base of the value.
 */
const literalStates: usize = memory.data(8 * 512, 16)
const offsetStates: usize = memory.data(8 * 256, 16)
const matchStates: usize = memory.data(8 * 512, 16)
const weightStates: usize = memory.data(8 * 64, 16)
/** By code: its entry without the bits and the place of the next state. */
const literalCodes: usize = memory.data(8 * 36, 16)
const offsetCodes: usize = memory.data(8 * 32, 16)
const matchCodes: usize = memory.data(8 * 53, 16)
const weightCodes: usize = memory.data(8 * 16, 16)
/** How often each code occurs, of all states; -1 for less than once. */
const counts: usize = memory.data(2 * 64, 16)
const nexts: usize = memory.data(2 * 64, 16)
const codes: usize = memory.data(512, 16)

const moreLiterals: usize = memory.data<u8>([1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
const moreMatch: usize = memory.data<u8>([1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
makeCodes(literalCodes, 0, 16, moreLiterals, LAST_LITERALS)
makeCodes(matchCodes, 3, 32, moreMatch, LAST_MATCH)
for (let code: u64 = 0; code < 32; code++)
  store<u64>(offsetCodes + 8 * (code as usize), (1 << (32 + code)) | (code << 8))
for (let code: u64 = 0; code < 16; code++) store<u64>(weightCodes + 8 * (code as usize), code << 32)

/** @param plain number of codes without further bits @param more bits of the others */
function makeCodes(table: usize, base: u64, plain: u32, more: usize, last: u32): void {
  for (let code: u32 = 0; code <= last; code++) {
    const bits = code < plain ? 0 : (load<u8>(more + ((code - plain) as usize)) as u64)
    store<u64>(table + 8 * (code as usize), (base << 32) | (bits << 8))
    base += 1 << bits
  }
}

/** By code, counts that need not be stored. */
const usualLiterals: usize = memory.data<i8>([
  4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
])
const usualOffsets: usize = memory.data<i8>([
  1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, 0, 0, 0,
])
const usualMatch: usize = memory.data<i8>([
  1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
])

/** Places of the facts of a kind of codes: u32 each. */
const TABLE: usize = 0
const CODES: usize = 4
const LAST: usize = 8
/** The most bits of a state. */
const MOST: usize = 12
const USUAL: usize = 16
const USUAL_LOG: usize = 20
/** Bits of a state, or -1 before there is a table: later blocks may use the last one. */
const LOG: usize = 24
const ofLiterals: usize = memory.data(28, 16)
const ofOffsets: usize = memory.data(28, 16)
const ofMatch: usize = memory.data(28, 16)
setKind(ofLiterals, literalStates, literalCodes, LAST_LITERALS, 9, usualLiterals, 6)
setKind(ofOffsets, offsetStates, offsetCodes, 31, 8, usualOffsets, 5)
setKind(ofMatch, matchStates, matchCodes, LAST_MATCH, 9, usualMatch, 6)

function setKind(kind: usize, table: usize, codes: usize, last: u32, most: u32, usual: usize, usualLog: u32): void {
  store<u32>(kind, table as u32, TABLE)
  store<u32>(kind, codes as u32, CODES)
  store<u32>(kind, last, LAST)
  store<u32>(kind, most, MOST)
  store<u32>(kind, usual as u32, USUAL)
  store<u32>(kind, usualLog, USUAL_LOG)
}

/** Whether there is a Huffman code, which later blocks may use again. */
let hasHuffman: bool = false
/** The last offsets. */
let recent0: usize = 1
let recent1: usize = 4
let recent2: usize = 8
/** Where the section after the one that was read begins. */
let next: usize = 0
/** What {@link readCounts} found. */
let codeNum: u32 = 0
let log: u32 = 0

/** Place of the highest bit. */
function highest(value: u32): u32 {
  return 31 - clz(value)
}

/** Reads `counts` and `log`. Sets {@link next}. @returns whether they are right */
function readCounts(from: usize, end: usize, last: u32, most: u32): bool {
  let at: usize = 4
  log = (load<u8>(from) & 15) + 5
  if (log > most) return false
  let left: i32 = (1 << log) + 1
  let threshold: i32 = 1 << log
  let bits: usize = log + 1
  let code: u32 = 0
  let wasNone = false
  while (left > 1) {
    if (from + (at >> 3) >= end) return false
    if (wasNone) {
      let two: u32
      do {
        two = (load<u32>(from + (at >> 3)) >> ((at & 7) as u32)) & 3
        at += 2
        for (let i: u32 = 0; i < two; i++) {
          if (code > last) return false
          store<i16>(counts + 2 * (code++ as usize), 0)
        }
        if (from + (at >> 3) >= end) return false
      } while (two === 3)
    }
    if (code > last) return false
    const value = (load<u32>(from + (at >> 3)) >> ((at & 7) as u32)) as i32
    const unused = 2 * threshold - 1 - left
    let count = value & (threshold - 1)
    if (count < unused) at += bits - 1
    else {
      count = value & (2 * threshold - 1)
      if (count >= threshold) count -= unused
      at += bits
    }
    count--
    left -= count < 0 ? -count : count
    store<i16>(counts + 2 * (code++ as usize), count as i16)
    wasNone = count === 0
    while (left < threshold) {
      bits--
      threshold >>= 1
    }
  }
  codeNum = code
  next = from + ((at + 7) >> 3)
  return left === 1 && next <= end
}

/** Makes a table of states from `counts`, `codeNum` and `log`. @returns whether the counts fill it */
function makeStates(table: usize, entries: usize): bool {
  const size: u32 = 1 << log
  let high = size - 1
  for (let code: u32 = 0; code < codeNum; code++) {
    const count = load<i16>(counts + 2 * (code as usize))
    store<u16>(nexts + 2 * (code as usize), count < 0 ? 1 : (count as u16))
    if (count < 0) store<u8>(codes + (high-- as usize), code as u8)
  }
  const mask = size - 1
  const step = (size >> 1) + (size >> 3) + 3
  let place: u32 = 0
  for (let code: u32 = 0; code < codeNum; code++) {
    for (let left: i32 = load<i16>(counts + 2 * (code as usize)); left > 0; left--) {
      store<u8>(codes + (place as usize), code as u8)
      do place = (place + step) & mask
      while (place > high)
    }
  }
  if (place !== 0) return false
  for (let state: u32 = 0; state < size; state++) {
    const code = load<u8>(codes + (state as usize)) as usize
    const at = nexts + 2 * code
    const occurrence = load<u16>(at) as u32
    store<u16>(at, (occurrence + 1) as u16)
    const bits = log - highest(occurrence)
    const base = ((occurrence << bits) - size) as u64
    store<u64>(table + 8 * (state as usize), load<u64>(entries + 8 * code) | (base << 16) | (bits as u64))
  }
  return true
}

/** Reads a table of states, or takes the usual one or the last. @returns the bits of its states; -1 if it is wrong */
function readStates(mode: u32, kind: usize, end: usize): i32 {
  const last = load<u32>(kind, LAST)
  const table = load<u32>(kind, TABLE) as usize
  const entries = load<u32>(kind, CODES) as usize
  if (mode === 3) return load<i32>(kind, LOG)
  if (mode === 1) {
    if (next >= end) return -1
    const code = load<u8>(next++) as u32
    if (code > last) return -1
    store<u64>(table, load<u64>(entries + 8 * (code as usize)))
    log = 0
  } else {
    if (mode === 0) {
      const usual = load<u32>(kind, USUAL) as usize
      codeNum = last + 1
      log = load<u32>(kind, USUAL_LOG)
      for (let code: usize = 0; code < (codeNum as usize); code++)
        store<i16>(counts + 2 * code, load<i8>(usual + code) as i16)
    } else if (!readCounts(next, end, last, load<u32>(kind, MOST))) return -1
    if (!makeStates(table, entries)) return -1
  }
  store<u32>(kind, log, LOG)
  return log as i32
}

/** Bits of a stream that are not part of it: zeros and a one in its last byte. 0 for a byte of zeros. */
function paddingOf(lastByte: u32): u64 {
  return lastByte === 0 ? 0 : ((clz(lastByte) - 23) as u64)
}

/** Reads the weights that states encode. @returns their number; 0 if something is wrong */
function readCodedWeights(from: usize, end: usize): usize {
  if (!readCounts(from, end, 12, MAX_OF_WEIGHTS) || !makeStates(weightStates, weightCodes)) return 0
  const start = next
  if (start >= end) return 0
  const padding = paddingOf(load<u8>(end - 1))
  if (padding === 0) return 0
  /** Bits that are left; negative after the start. */
  let left: i32 = 8 * ((end - start) as i32) - (padding as i32)
  const mask: u32 = (1 << log) - 1
  left -= log as i32
  let one = bitsAt(start, left) & mask
  left -= log as i32
  let other = bitsAt(start, left) & mask
  if (left < 0) return 0
  let count: usize = 0
  while (count < 254) {
    const entry = load<u64>(weightStates + 8 * (one as usize))
    store<u8>(weights + count++, (entry >> 32) as u8)
    const bits = (entry & 255) as u32
    left -= bits as i32
    if (left < 0) {
      store<u8>(weights + count++, (load<u64>(weightStates + 8 * (other as usize)) >> 32) as u8)
      return count
    }
    one = other
    other = (((entry >> 16) & 0xffff) as u32) + (bitsAt(start, left) & ((1 << bits) - 1))
  }
  return 0
}

/** At least 25 bits from a place in a stream on. Before its start are other bytes. */
function bitsAt(start: usize, place: i32): u32 {
  return load<u32>(start + ((place >> 3) as usize)) >> ((place & 7) as u32)
}

/** Reads a Huffman code. Sets {@link next}. @returns whether it is right and has a table */
function readHuffman(from: usize, end: usize): bool {
  if (from >= end) return false
  const head = load<u8>(from++) as usize
  let count: usize
  if (head < 128) {
    if (head > end - from) return false
    count = readCodedWeights(from, from + head)
    if (count === 0) return false
    next = from + head
  } else {
    count = head - 127
    const bytes = (count + 1) >> 1
    if (bytes > end - from) return false
    for (let i: usize = 0; i < bytes; i++) {
      const two = load<u8>(from + i)
      store<u8>(weights + 2 * i, two >> 4)
      store<u8>(weights + 2 * i + 1, two & 15)
    }
    next = from + bytes
  }
  memory.fill(ranks, 0, 64)
  let sum: u32 = 0
  for (let i: usize = 0; i < count; i++) {
    const weight = load<u8>(weights + i) as u32
    if (weight > HUFFMAN_BITS) return false
    sum += (1 << weight) >> 1
    const at = ranks + 4 * (weight as usize)
    store<u32>(at, load<u32>(at) + 1)
  }
  if (sum === 0) return false
  const longest = highest(sum) + 1
  const rest = (1 << longest) - sum
  if (longest > HUFFMAN_BITS || (rest & (rest - 1)) !== 0) return false
  const lastWeight = highest(rest) + 1
  store<u8>(weights + count++, lastWeight as u8)
  const ofLast = ranks + 4 * (lastWeight as usize)
  store<u32>(ofLast, load<u32>(ofLast) + 1)
  const ones = load<u32>(ranks + 4)
  if (ones < 2 || (ones & 1) !== 0) return false
  const scale = HUFFMAN_BITS - longest
  let place: u32 = 0
  for (let weight: u32 = 1; weight <= longest; weight++) {
    const at = ranks + 4 * (weight as usize)
    const many = load<u32>(at)
    store<u32>(at, place)
    place += many << (weight - 1 + scale)
  }
  for (let symbol: usize = 0; symbol < count; symbol++) {
    const weight = load<u8>(weights + symbol) as u32
    if (weight === 0) continue
    const at = ranks + 4 * (weight as usize)
    const first = load<u32>(at)
    const stop = first + (1 << (weight - 1 + scale))
    store<u32>(at, stop)
    const entry = ((symbol << 8) as u32) | (longest + 1 - weight)
    let to = huffman + 2 * (first as usize)
    const end = huffman + 2 * (stop as usize)
    if (end - to >= 8) {
      const four = (entry as u64) * 0x0001000100010001
      for (; to < end; to += 8) store<u64>(to, four)
    } else for (; to < end; to += 2) store<u16>(to, entry as u16)
  }
  hasHuffman = true
  return true
}

/**
 * Decodes symbols up to the end of a stream.
 * @param at where the next 8 bytes of the stream are @param used bits of them that were used, the highest first
 * @returns whether the stream ends with the last symbol
 */
function decodeSymbols(start: usize, at: usize, used: u64, to: usize, end: usize): bool {
  while (to < end) {
    at -= (used >> 3) as usize
    used &= 7
    if (at + 8 < start) return false
    const held = load<u64>(at)
    const stop = min(to + 5, end)
    for (; to < stop; to++) {
      const entry = load<u16>(huffman + ((((held << used) >> (64 - HUFFMAN_BITS)) as usize) << 1)) as u64
      used += entry & 255
      store<u8>(to, (entry >> 8) as u8)
    }
  }
  return (at + 8 - start) * 8 === (used as usize)
}

/** Decodes literals in one stream. */
function decodeOne(start: usize, end: usize, count: usize): bool {
  if (start >= end) return false
  const padding = paddingOf(load<u8>(end - 1))
  return padding !== 0 && decodeSymbols(start, end - 8, padding, literals, literals + count)
}

/** Decodes literals in four streams, in turn. */
function decodeFour(from: usize, end: usize, count: usize): bool {
  if (end - from < 10) return false
  const start0 = from + 6
  const start1 = start0 + (load<u16>(from) as usize)
  const start2 = start1 + (load<u16>(from + 2) as usize)
  const start3 = start2 + (load<u16>(from + 4) as usize)
  const each = (count + 3) >> 2
  if (start0 === start1 || start1 === start2 || start2 === start3 || start3 >= end || each * 3 >= count) return false
  let used0 = paddingOf(load<u8>(start1 - 1))
  let used1 = paddingOf(load<u8>(start2 - 1))
  let used2 = paddingOf(load<u8>(start3 - 1))
  let used3 = paddingOf(load<u8>(end - 1))
  if (used0 === 0 || used1 === 0 || used2 === 0 || used3 === 0) return false
  let at0 = start1 - 8
  let at1 = start2 - 8
  let at2 = start3 - 8
  let at3 = end - 8
  const to1 = literals + each
  const to2 = to1 + each
  const to3 = to2 + each
  const ends = literals + count
  let i: usize = 0
  for (; to3 + i + 5 <= ends; i += 5) {
    at0 -= (used0 >> 3) as usize
    at1 -= (used1 >> 3) as usize
    at2 -= (used2 >> 3) as usize
    at3 -= (used3 >> 3) as usize
    used0 &= 7
    used1 &= 7
    used2 &= 7
    used3 &= 7
    if (at0 < start0 || at1 < start1 || at2 < start2 || at3 < start3) break
    let held0 = load<u64>(at0) << used0
    let held1 = load<u64>(at1) << used1
    let held2 = load<u64>(at2) << used2
    let held3 = load<u64>(at3) << used3
    for (let j: usize = 0; j < 5; j++) {
      const entry0 = load<u16>(huffman + ((held0 >> (64 - HUFFMAN_BITS)) as usize) * 2) as u64
      const entry1 = load<u16>(huffman + ((held1 >> (64 - HUFFMAN_BITS)) as usize) * 2) as u64
      const entry2 = load<u16>(huffman + ((held2 >> (64 - HUFFMAN_BITS)) as usize) * 2) as u64
      const entry3 = load<u16>(huffman + ((held3 >> (64 - HUFFMAN_BITS)) as usize) * 2) as u64
      held0 <<= entry0 & 255
      held1 <<= entry1 & 255
      held2 <<= entry2 & 255
      held3 <<= entry3 & 255
      used0 += entry0 & 255
      used1 += entry1 & 255
      used2 += entry2 & 255
      used3 += entry3 & 255
      store<u8>(literals + i + j, (entry0 >> 8) as u8)
      store<u8>(to1 + i + j, (entry1 >> 8) as u8)
      store<u8>(to2 + i + j, (entry2 >> 8) as u8)
      store<u8>(to3 + i + j, (entry3 >> 8) as u8)
    }
  }
  return (
    decodeSymbols(start0, at0, used0, literals + i, to1) &&
    decodeSymbols(start1, at1, used1, to1 + i, to2) &&
    decodeSymbols(start2, at2, used2, to2 + i, to3) &&
    decodeSymbols(start3, at3, used3, to3 + i, ends)
  )
}

/** Where the literals of the block are, and their number. */
let literalsAt: usize = 0
let literalNum: usize = 0

/** Reads the literals of a block. Sets {@link next}. @returns whether they are right */
function readLiterals(from: usize, end: usize): bool {
  const head = load<u64>(from)
  const kind = head & 3
  const form = (head >> 2) & 3
  if (kind < 2) {
    const isShort = (form & 1) === 0
    const bytes: usize = isShort ? 1 : (((form + 3) >> 1) as usize)
    literalNum = (isShort ? (head >> 3) & 31 : (head >> 4) & (form === 1 ? 0xfff : 0xfffff)) as usize
    from += bytes
    const stored: usize = kind === 0 ? literalNum : 1
    if (literalNum > MAX_IN_BLOCK || from > end || stored > end - from) return false
    literalsAt = from
    next = from + stored
    if (kind === 1) {
      literalsAt = literals
      memory.fill(literals, load<u8>(from), literalNum)
    }
    return true
  }
  const longer: u64 = form < 2 ? 0 : form - 1
  const bits = 10 + 4 * longer
  const mask: u64 = (1 << bits) - 1
  literalNum = ((head >> 4) & mask) as usize
  const stored = ((head >> (4 + bits)) & mask) as usize
  from += 3 + (longer as usize)
  if (literalNum === 0 || literalNum > MAX_IN_BLOCK || from > end || stored > end - from) return false
  const stop = from + stored
  if (kind === 2) {
    if (!readHuffman(from, stop)) return false
    from = next
  } else if (!hasHuffman) return false
  literalsAt = literals
  next = stop
  return form === 0 ? decodeOne(from, stop, literalNum) : decodeFour(from, stop, literalNum)
}

/** Decodes a compressed block. @returns the end of what it gives; 0 if something is wrong */
function decodeBlock(output: usize, from: usize, limit: usize, start: usize, end: usize): usize {
  if (!readLiterals(start, end)) return 0
  if (next >= end) return 0
  let sequences = load<u8>(next++) as u32
  if (sequences >= 128) {
    if (sequences < 255) sequences = ((sequences - 128) << 8) + (load<u8>(next++) as u32)
    else {
      sequences = (load<u16>(next) as u32) + 0x7f00
      next += 2
    }
  }
  let literal = literalsAt
  const lastLiteral = literal + literalNum
  let to = from
  if (sequences > 0) {
    if (next >= end) return 0
    const modes = load<u8>(next++) as u32
    if (modes & 3) return 0
    const literalLog = readStates(modes >> 6, ofLiterals, end)
    if (literalLog < 0) return 0
    const offsetLog = readStates((modes >> 4) & 3, ofOffsets, end)
    if (offsetLog < 0) return 0
    const matchLog = readStates((modes >> 2) & 3, ofMatch, end)
    if (matchLog < 0 || next >= end) return 0
    const bits = next
    let used = paddingOf(load<u8>(end - 1))
    if (used === 0) return 0
    let at = end - 8
    let held = load<u64>(at)
    // A shift by no bits, and then by one, is one by up to 64.
    let literalPlace = (((held << used) >> 1) >> (63 - (literalLog as u64))) as usize
    used += literalLog as u64
    let offsetPlace = (((held << used) >> 1) >> (63 - (offsetLog as u64))) as usize
    used += offsetLog as u64
    let matchPlace = (((held << used) >> 1) >> (63 - (matchLog as u64))) as usize
    used += matchLog as u64
    let last0 = recent0
    let last1 = recent1
    let last2 = recent2
    while (true) {
      at -= (used >> 3) as usize
      used &= 7
      if (at + 8 < bits) return 0
      held = load<u64>(at)
      const literalState = load<u64>(literalStates + 8 * literalPlace)
      const offsetState = load<u64>(offsetStates + 8 * offsetPlace)
      const matchState = load<u64>(matchStates + 8 * matchPlace)
      const offsetBits = (offsetState >> 8) & 255
      if (offsetBits > (LAST_OFFSET as u64)) return 0
      let offset = ((offsetState >> 32) + (((held << used) >> 1) >> (63 - offsetBits))) as usize
      used += offsetBits
      const matchBits = (matchState >> 8) & 255
      const length = ((matchState >> 32) + (((held << used) >> 1) >> (63 - matchBits))) as usize
      used += matchBits
      const literalBits = (literalState >> 8) & 255
      const count = ((literalState >> 32) + (((held << used) >> 1) >> (63 - literalBits))) as usize
      used += literalBits
      if (offset > 3) {
        offset -= 3
        last2 = last1
        last1 = last0
        last0 = offset
      } else {
        const which = count === 0 ? offset : offset - 1
        if (which === 0) offset = last0
        else {
          offset = last1
          if (which !== 1) {
            offset = which === 2 ? last2 : last0 - 1
            last2 = last1
          }
          last1 = last0
          last0 = offset
        }
      }
      if (count > lastLiteral - literal || count + length > limit - to) return 0
      v128.store(to, v128.load(literal))
      if (count > 16) for (let i: usize = 16; i < count; i += 16) v128.store(to + i, v128.load(literal + i))
      to += count
      literal += count
      if (offset === 0 || offset > to - output) return 0
      copyMatch(to, to + length, offset)
      to += length
      if (--sequences === 0) break
      at -= (used >> 3) as usize
      used &= 7
      if (at + 8 < bits) return 0
      held = load<u64>(at)
      let stateBits = literalState & 255
      literalPlace = (((literalState >> 16) & 0xffff) + (((held << used) >> 1) >> (63 - stateBits))) as usize
      used += stateBits
      stateBits = matchState & 255
      matchPlace = (((matchState >> 16) & 0xffff) + (((held << used) >> 1) >> (63 - stateBits))) as usize
      used += stateBits
      stateBits = offsetState & 255
      offsetPlace = (((offsetState >> 16) & 0xffff) + (((held << used) >> 1) >> (63 - stateBits))) as usize
      used += stateBits
    }
    if ((at + 8 - bits) * 8 !== (used as usize)) return 0
    recent0 = last0
    recent1 = last1
    recent2 = last2
  } else if (next !== end) return 0
  const rest = lastLiteral - literal
  if (rest > limit - to) return 0
  memory.copy(to, literal, rest)
  return to + rest
}

/**
 * Decodes a frame. Up to 31 bytes after the input are read, and up to 31 after the output are overwritten.
 * @returns whether the frame gives `length` bytes and nothing in it is rare or wrong
 */
export function unzstd(output: usize, input: usize, inputLength: usize, length: usize): bool {
  if (inputLength < 8 || load<u32>(input) !== MAGIC) return false
  const end = input + inputLength
  const limit = output + length
  const head = load<u8>(input + 4) as u32
  // Reserved bits, a checksum, or a dictionary.
  if (head & 0x0f) return false
  let at = input + 5
  const isSingle = (head & 0x20) !== 0
  if (!isSingle) {
    const exponent = 10 + ((load<u8>(at++) as u32) >> 3)
    if (exponent > 30) return false
  }
  const form = head >> 6
  if (form === 0 && !isSingle) return false
  let size = load<u64>(at)
  if (form < 3) size &= (1 << ((8 << form) as u64)) - 1
  if (form === 1) size += 256
  if (size !== (length as u64)) return false
  at += (1 as usize) << (form as usize)
  store<i32>(ofLiterals, -1, LOG)
  store<i32>(ofOffsets, -1, LOG)
  store<i32>(ofMatch, -1, LOG)
  hasHuffman = false
  recent0 = 1
  recent1 = 4
  recent2 = 8
  let to = output
  while (true) {
    if (at + 3 > end) return false
    const block = load<u32>(at)
    const kind = (block >> 1) & 3
    const bytes = ((block >> 3) & 0x1fffff) as usize
    at += 3
    const inFrame: usize = kind === 1 ? 1 : bytes
    if (kind === 3 || bytes > MAX_IN_BLOCK || inFrame > end - at) return false
    if (kind === 2) {
      if (bytes < 2) return false
      to = decodeBlock(output, to, min(limit, to + MAX_IN_BLOCK), at, at + bytes)
      if (to === 0) return false
    } else {
      if (bytes > limit - to) return false
      if (kind === 0) memory.copy(to, at, bytes)
      else memory.fill(to, load<u8>(at), bytes)
      to += bytes
    }
    at += inFrame
    if (block & 1) return at === end && to === limit
  }
}
