/**
 * Decodes bzip2 streams. It declines what is rare or wrong (randomized blocks, incomplete codes, other checksums): libbz2 then
 * decodes the stream, or says what is wrong. libbz2 decodes Huffman codes bit by bit. Here a table decodes most codes in one
 * step, and the first 16 entries of the move-to-front list are in a vector. Measured 2026-11 on Node 20 with chunks of 64 KiB of INT32
 * running sums: 42 MB/s here, 25 by libbz2 in wasm. `decode` of an array under BZIP2 is a row of bench/RESULTS.md.
 */

const MAX_TABLES: usize = 6
const MAX_SYMBOLS: usize = 258
const MAX_SELECTORS: usize = 18002
const LONGEST_CODE: usize = 20
/** Longest code, in bits, that a table decodes in one step. */
const QUICK_BITS: usize = 10
/** Symbols that are decoded with the same table. */
const GROUP: usize = 50
const STREAM_MAGIC: u32 = 0x425a68
const BLOCK_MAGIC: u64 = 0x314159265359
const END_MAGIC: u64 = 0x177245385090
/** After this many equal bytes, the next byte is the number of further ones. */
const RUN: usize = 4
const NO_TABLE: usize = 255

/** By table and the next QUICK_BITS bits: symbol << 5 | length of its code; 0 if the code is longer. */
const QUICK_BYTES: usize = 2 << QUICK_BITS
const quick: usize = memory.data(6 * 2048, 16)
/** By table, symbols in the order of their codes. */
const PERM_BYTES: usize = 2 * MAX_SYMBOLS
const perm: usize = memory.data(6 * 516, 16)
/** Bytes of one u32 for each length of a code. */
const LENGTHS_BYTES: usize = 4 * (LONGEST_CODE + 2)
/** By table and length: one past the last code of this length, shifted to LONGEST_CODE bits. */
const limit: usize = memory.data(6 * 88, 16)
/** By table and length: the difference between the place of a symbol in `perm` and its code. */
const base: usize = memory.data(6 * 88, 16)
/** The table that decodes each group, then NO_TABLE. */
const selectors: usize = memory.data(18003, 16)
/** Lengths of the codes of the table that is being read, by symbol. */
const lengths: usize = memory.data(258, 16)
/** By length of code: first the number of symbols, then the place of the next symbol in `perm`. */
const counts: usize = memory.data(88, 16)
/** By byte: first how often the block has it, then the place of its next occurrence in the sorted block. */
const starts: usize = memory.data(1024, 16)
/** The move-to-front list. While a block is decoded, its first 16 entries are in a vector. */
const recent: usize = memory.data(272 + 16, 16)

/** Shuffles of a vector: row p moves lane p to the front. */
const toFront: usize = memory.data(256, 16)
for (let p: usize = 0; p < 16; p++) {
  store<u8>(toFront + 16 * p, p as u8)
  for (let lane: usize = 1; lane < 16; lane++) store<u8>(toFront + 16 * p + lane, (lane <= p ? lane - 1 : lane) as u8)
}

/** Eight tables for the checksum, one for each position among eight bytes. */
const crcs: usize = memory.data(8192, 16)
for (let byte: u32 = 0; byte < 256; byte++) {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1
  store<u32>(crcs + 4 * (byte as usize), crc)
}
for (let at: usize = 1024; at < 8192; at += 4) {
  const crc = load<u32>(crcs + at - 1024)
  store<u32>(crcs + at, (crc << 8) ^ load<u32>(crcs + 4 * ((crc >> 24) as usize)))
}

/** Address of the stream. */
let source: usize = 0
/** Position of the next bit, in bits from `source`. */
let bit: usize = 0

/** Returns the bits from position `at` on, highest first: at least 57 of them. */
function ahead(at: usize): u64 {
  return bswap(load<u64>(source + (at >> 3))) << (at & 7)
}

/** Reads the next `count` bits, 1 to 48 of them. */
function take(count: usize): u64 {
  const found = ahead(bit) >> (64 - count)
  bit += count
  return found
}

/**
 * Decodes a stream. Some 200 bytes after the input may be read.
 * @param entries number of 32-bit entries that fit after the output: one for each byte of a block, and one for alignment
 * @returns whether the stream gives `length` bytes and nothing in it is rare or wrong
 */
export function unbzip2(output: usize, input: usize, inputLength: usize, length: usize, entries: usize): bool {
  const work = (output + length + 3) & ~3
  source = input
  bit = 0
  const end: usize = 8 * inputLength
  if (end < 32 + 80 || take(24) !== STREAM_MAGIC) return false
  const level = (take(8) as usize) - 48
  if (level < 1 || level > 9) return false
  const most = min(entries - 1, 100_000 * level)
  let to = output
  let combined: u32 = 0
  while (true) {
    if (bit + 80 > end) return false
    const magic = take(48)
    const crc = take(32) as u32
    if (magic === END_MAGIC) return crc === combined && to === output + length
    if (magic !== BLOCK_MAGIC) return false
    if (take(1) !== 0) return false
    const first = take(24) as usize
    const symbols = tables(end)
    if (symbols === 0) return false
    const count = decodeBlock(work, most, symbols, end)
    if (first >= count) return false
    const next = unsort(work, count, first, to, output + length)
    if (next === 0 || checksum(to, next) !== crc) return false
    combined = rotl(combined, 1) ^ crc
    to = next
  }
}

/** Reads the bytes that the block has, the selectors and the tables. @returns the number of symbols; 0 if something is wrong */
function tables(end: usize): usize {
  const ranges = take(16) as u32
  let used: usize = 0
  for (let high: usize = 0; high < 16; high++) {
    if ((ranges & (0x8000 >> (high as u32))) === 0) continue
    const bytes = take(16) as u32
    for (let low: usize = 0; low < 16; low++) {
      if (bytes & (0x8000 >> (low as u32))) store<u8>(recent + used++, (16 * high + low) as u8)
    }
  }
  const symbols = used + 2
  const tableNum = take(3) as usize
  const selectorNum = take(15) as usize
  if (used === 0 || tableNum < 2 || tableNum > MAX_TABLES || selectorNum === 0 || selectorNum > MAX_SELECTORS) return 0
  // The move-to-front list of tables. The most recent one is in the lowest four bits.
  let list: u32 = 0x543210
  for (let i: usize = 0; i < selectorNum; i++) {
    const ones = clz(~ahead(bit)) as usize
    if (ones >= tableNum) return 0
    bit += ones + 1
    const shift = (4 * ones) as u32
    const table = (list >> shift) & 15
    const below = (1 << shift) - 1
    list = (list & ~((below << 4) | 15)) | ((list & below) << 4) | table
    store<u8>(selectors + i, table as u8)
    if (bit > end) return 0
  }
  store<u8>(selectors + selectorNum, NO_TABLE as u8)
  for (let table: usize = 0; table < tableNum; table++) {
    let length = take(5) as usize
    for (let symbol: usize = 0; symbol < symbols; symbol++) {
      while (true) {
        if (length < 1 || length > LONGEST_CODE || bit > end) return 0
        const two = (ahead(bit) >> 62) as usize
        if (two < 2) break
        bit += 2
        length += two === 2 ? 1 : -1
      }
      bit++
      store<u8>(lengths + symbol, length as u8)
    }
    if (!makeTable(table, symbols)) return 0
  }
  return symbols
}

/** Makes a table from `lengths`. @returns whether the codes are complete: every sequence of bits begins with one of them */
function makeTable(table: usize, symbols: usize): bool {
  memory.fill(counts, 0, LENGTHS_BYTES)
  for (let symbol: usize = 0; symbol < symbols; symbol++) {
    const at = counts + 4 * (load<u8>(lengths + symbol) as usize)
    store<u32>(at, load<u32>(at) + 1)
  }
  const limits = limit + table * LENGTHS_BYTES
  const bases = base + table * LENGTHS_BYTES
  const sorted = perm + table * PERM_BYTES
  const looked = quick + table * QUICK_BYTES
  let code: u32 = 0
  let before: u32 = 0
  for (let length: usize = 1; length <= LONGEST_CODE; length++) {
    const at = counts + 4 * length
    const count = load<u32>(at)
    // This fits in 32 bits, even for too many codes: at most 258 * 2^19.
    store<u32>(bases + 4 * length, before - code)
    store<u32>(at, before)
    before += count
    code += count
    if (code > (1 as u32) << (length as u32)) return false
    store<u32>(limits + 4 * length, code << ((LONGEST_CODE - length) as u32))
    if (length < LONGEST_CODE) code <<= 1
  }
  if (code !== 1 << (LONGEST_CODE as u32)) return false
  for (let symbol: usize = 0; symbol < symbols; symbol++) {
    const at = counts + 4 * (load<u8>(lengths + symbol) as usize)
    const place = load<u32>(at)
    store<u32>(at, place + 1)
    store<u16>(sorted + 2 * (place as usize), symbol as u16)
  }
  // Codes rise with their places, so the quick table fills from its beginning.
  let to = looked
  for (let place: usize = 0; place < symbols; place++) {
    const symbol = load<u16>(sorted + 2 * place) as usize
    const length = load<u8>(lengths + symbol) as usize
    if (length > QUICK_BITS) break
    const entry = ((symbol << 5) | length) as u16
    for (let left: usize = (1 as usize) << (QUICK_BITS - length); left > 0; left--) {
      store<u16>(to, entry)
      to += 2
    }
  }
  memory.fill(to, 0, looked + QUICK_BYTES - to)
  return true
}

/** Decodes a symbol whose code is too long for the quick table. @returns an entry as in that table */
function longCode(table: usize, bits: u64): usize {
  const next = (bits >> (64 - LONGEST_CODE)) as u32
  const limits = limit + table * LENGTHS_BYTES
  let length: usize = QUICK_BITS + 1
  while (length < LONGEST_CODE && next >= load<u32>(limits + 4 * length)) length++
  const code = next >> ((LONGEST_CODE - length) as u32)
  const place = (code + load<u32>(base + table * LENGTHS_BYTES + 4 * length)) as usize
  return ((load<u16>(perm + table * PERM_BYTES + 2 * place) as usize) << 5) | length
}

/**
 * Undoes the codes, the runs and the move-to-front list. The entries at `work` get the bytes of the sorted block. `starts`
 * gets the number of each byte.
 * @returns the number of bytes; 0 if something is wrong
 */
function decodeBlock(work: usize, most: usize, symbols: usize, end: usize): usize {
  memory.fill(starts, 0, 1024)
  const last = symbols - 1
  const tail = recent + 16
  let front = v128.load(recent)
  let count: usize = 0
  let run: usize = 0
  let weight: usize = 1
  let at = bit
  let selector = selectors
  while (true) {
    const table = load<u8>(selector++) as usize
    if (table === NO_TABLE || at > end) return 0
    const looked = quick + table * QUICK_BYTES
    for (let left = GROUP; left > 0; left--) {
      const bits = ahead(at)
      let entry = load<u16>(looked + (((bits >> (64 - QUICK_BITS)) as usize) << 1)) as usize
      if (entry === 0) entry = longCode(table, bits)
      at += entry & 31
      const symbol = entry >> 5
      if (symbol <= 1) {
        if (weight > 1 << 20) return 0
        run += weight << symbol
        weight <<= 1
        continue
      }
      if (weight > 1) {
        if (run > most - count) return 0
        const byte = i8x16.extract_lane_u(front, 0) as u32
        const times = starts + 4 * (byte as usize)
        store<u32>(times, load<u32>(times) + (run as u32))
        for (const stop = work + 4 * (count + run); work + 4 * count < stop; count++) store<u32>(work + 4 * count, byte)
        run = 0
        weight = 1
      }
      if (symbol === last) {
        bit = at
        return at > end ? 0 : count
      }
      const place = symbol - 1
      if (place < 16) front = i8x16.swizzle(front, v128.load(toFront + 16 * place))
      else {
        const byte = load<u8>(recent + place)
        let to = recent + place
        for (; to >= tail + 16; to -= 16) v128.store(to - 15, v128.load(to - 16))
        for (; to > tail; to--) store<u8>(to, load<u8>(to - 1))
        store<u8>(tail, i8x16.extract_lane_u(front, 15))
        front = i8x16.replace_lane(i8x16.swizzle(front, v128.load(toFront + 240)), 0, byte)
      }
      if (count >= most) return 0
      const byte = i8x16.extract_lane_u(front, 0) as u32
      store<u32>(work + 4 * count, byte)
      count++
      const times = starts + 4 * (byte as usize)
      store<u32>(times, load<u32>(times) + 1)
    }
  }
}

/**
 * Undoes the sorting, and the runs that were made before it.
 * @param first index of the entry with which the block begins
 * @returns the end of the output; 0 if it does not fit
 */
function unsort(work: usize, count: usize, first: usize, output: usize, limit: usize): usize {
  let sum: u32 = 0
  for (let at: usize = 0; at < 1024; at += 4) {
    const times = load<u32>(starts + at)
    store<u32>(starts + at, sum)
    sum += times
  }
  for (let i: usize = 0; i < count; i++) {
    const place = starts + 4 * (load<u8>(work + 4 * i) as usize)
    const to = load<u32>(place)
    store<u32>(place, to + 1)
    const entry = work + 4 * (to as usize)
    store<u32>(entry, load<u32>(entry) | ((i as u32) << 8))
  }
  let next = load<u32>(work + 4 * first) >> 8
  let to = output
  let before: u32 = 256
  let same: usize = 0
  for (let i: usize = 0; i < count; i++) {
    const entry = load<u32>(work + 4 * (next as usize))
    const byte = entry & 255
    next = entry >> 8
    if (same === RUN) {
      if ((byte as usize) > limit - to) return 0
      memory.fill(to, before as u8, byte as usize)
      to += byte as usize
      same = 0
      before = 256
      continue
    }
    if (to === limit) return 0
    store<u8>(to++, byte as u8)
    same = byte === before ? same + 1 : 1
    before = byte
  }
  return to
}

/** Returns bzip2's CRC-32, which takes the most significant bits first. */
function checksum(from: usize, to: usize): u32 {
  let crc: u32 = 0xffffffff
  for (; from + 8 <= to; from += 8) {
    const bytes = bswap(load<u64>(from)) ^ ((crc as u64) << 32)
    crc =
      load<u32>(crcs + 7168 + 4 * ((bytes >> 56) as usize)) ^
      load<u32>(crcs + 6144 + 4 * (((bytes >> 48) & 255) as usize)) ^
      load<u32>(crcs + 5120 + 4 * (((bytes >> 40) & 255) as usize)) ^
      load<u32>(crcs + 4096 + 4 * (((bytes >> 32) & 255) as usize)) ^
      load<u32>(crcs + 3072 + 4 * (((bytes >> 24) & 255) as usize)) ^
      load<u32>(crcs + 2048 + 4 * (((bytes >> 16) & 255) as usize)) ^
      load<u32>(crcs + 1024 + 4 * (((bytes >> 8) & 255) as usize)) ^
      load<u32>(crcs + 4 * ((bytes & 255) as usize))
  }
  for (; from < to; from++) crc = (crc << 8) ^ load<u32>(crcs + 4 * (((crc >> 24) ^ (load<u8>(from) as u32)) as usize))
  return ~crc
}
