import { copyBytes } from '../bytes.ts'

/**
 * Writes LZ4 blocks with the same bytes as `LZ4_compress_default` of the LZ4 library, which TileDB calls. So the hash
 * table, the steps over bytes that do not repeat, and the end of a block are those of the library. The format is that of
 * lz4_Block_format.md.
 *
 * @see lib/lz4.c of LZ4 1.9 and 1.10 (LZ4_compress_generic)
 */

/** Least bytes of a match. */
const MIN_MATCH = 4
/** A match begins at least so many bytes before the end of the input. */
const MATCH_LIMIT = 12
/** A block ends with at least so many literals: bytes that are stored as they are. */
const LAST_LITERALS = 5
/** How far a match may point back: the distance has 16 bits. */
const LONGEST_DISTANCE = 65_535
/** The search takes longer steps after every 2^6 positions without a match. */
const SKIP_TRIGGER = 6
/** Shorter inputs use a table of 2^13 entries and hash 4 bytes. Others use 2^12 entries and hash 5 bytes. */
const SMALL_INPUT = 65_536 + MATCH_LIMIT - 1
/** The token has 4 bits for each length. If they are full, more bytes of the length follow. */
const NIBBLE_FULL = 15

/** For each hash: the last position whose bytes had it. */
const table = new Uint32Array(1 << 13)

/** Returns the length of the longest block that `length` bytes can give. */
export function lz4Bound(length: number): number {
  return length + Math.floor(length / 255) + 16
}

/**
 * Writes a block.
 * @param out memory of at least {@link lz4Bound} bytes
 * @returns the length of the block
 */
export function compressLz4(data: Uint8Array, out: Uint8Array): number {
  const { length } = data
  const isSmall = length < SMALL_INPUT
  const matchEnd = length - MATCH_LIMIT + 1
  const read32 = (at: number): number => data[at] | (data[at + 1] << 8) | (data[at + 2] << 16) | (data[at + 3] << 24)
  const hash = isSmall
    ? (at: number): number => Math.imul(read32(at), 0x9e3779b1) >>> 19
    : (at: number): number => hash5(read32(at), data[at + 4])
  const mayMatch = (candidate: number, at: number): boolean =>
    (isSmall || candidate + LONGEST_DISTANCE >= at) && read32(candidate) === read32(at)
  let to = 0
  // What a nibble cannot hold of a length: bytes of 255, and a smaller one at the end.
  const putLength = (rest: number): void => {
    let left = rest
    for (; left >= 255; left -= 255) out[to++] = 255
    out[to++] = left
  }
  // Returns the place of the token. The length of the match is added there later.
  const putLiterals = (from: number, end: number): number => {
    const token = to++
    const count = end - from
    out[token] = Math.min(count, NIBBLE_FULL) << 4
    if (count >= NIBBLE_FULL) putLength(count - NIBBLE_FULL)
    to = copyBytes(data, from, end, out, to)
    return token
  }
  // The first byte that is not written yet.
  let anchor = 0
  if (length > MATCH_LIMIT) {
    table.fill(0)
    let at = 1
    let nextHash = hash(at)
    search: while (true) {
      // Becomes an earlier position with the same four bytes as those at `at`.
      let candidate: number
      let next = at
      let step = 1
      let tries = 1 << SKIP_TRIGGER
      do {
        const h = nextHash
        at = next
        next += step
        step = tries++ >> SKIP_TRIGGER
        if (next > matchEnd) break search
        candidate = table[h]
        nextHash = hash(next)
        table[h] = at
      } while (!mayMatch(candidate, at))
      // The match may begin before these four bytes.
      while (at > anchor && candidate > 0 && data[at - 1] === data[candidate - 1]) {
        at--
        candidate--
      }
      let token = putLiterals(anchor, at)
      while (true) {
        const distance = at - candidate
        out[to++] = distance & 0xff
        out[to++] = distance >> 8
        at += MIN_MATCH
        const from = at
        for (let k = candidate + MIN_MATCH; at < length - LAST_LITERALS && data[at] === data[k]; k++) at++
        const more = at - from
        out[token] += Math.min(more, NIBBLE_FULL)
        if (more >= NIBBLE_FULL) putLength(more - NIBBLE_FULL)
        anchor = at
        if (at >= matchEnd) break search
        table[hash(at - 2)] = at - 2
        const h = hash(at)
        candidate = table[h]
        table[h] = at
        if (!mayMatch(candidate, at)) break
        // A match directly after a match has no literals.
        token = to++
        out[token] = 0
      }
      nextHash = hash(++at)
    }
  }
  putLiterals(anchor, length)
  return to
}

/** The prime of {@link hash5}, in two parts: its low 32 bits, and the bits above. */
const PRIME_LOW = 0x1bbcdcbb
const PRIME_HIGH = 0xcf

/**
 * Returns bits 28 to 39 of the product of five bytes and the prime 889523592379.
 * @param low the first four bytes @param high the fifth
 */
function hash5(low: number, high: number): number {
  const [a0, a1] = [low & 0xffff, low >>> 16]
  const [b0, b1] = [PRIME_LOW & 0xffff, PRIME_LOW >>> 16]
  const middle = a1 * b0 + ((a0 * b0) >>> 16)
  const carried = (middle & 0xffff) + a0 * b1
  const upper = a1 * b1 + Math.floor(middle / 65_536) + Math.floor(carried / 65_536)
  const lowest = Math.imul(low, PRIME_LOW) >>> 28
  const above = (upper + Math.imul(low, PRIME_HIGH) + Math.imul(high, PRIME_LOW)) & 0xff
  return lowest | (above << 4)
}
