/** Kinds of blocks of a deflate stream. */
const STORED = 0
const FIXED = 1
const DYNAMIC = 2
/** Symbol that ends a block; those above it are lengths of copies. */
const END = 256
/** Order in which the lengths of the codes for code lengths are stored. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
const MOST_BITS = 15

/** Thrown where the stream ends or makes no sense. */
class Stop extends Error {}

/** Codes by their lengths in bits: of each length how many, and the symbols in order. */
interface Codes {
  counts: readonly number[]
  symbols: readonly number[]
}

/**
 * The first bytes of what a zlib stream holds, as far as it is there and makes sense: a decompressor gives all or nothing.
 * @param most bytes that are wanted
 * @see RFC 1950; RFC 1951
 */
export function inflatePrefix(stream: Uint8Array, most: number): Uint8Array {
  const out: number[] = []
  try {
    inflate(stream, most, out)
  } catch (error) {
    if (!(error instanceof Stop)) throw error
  }
  return Uint8Array.from(out.slice(0, most))
}

function inflate(stream: Uint8Array, most: number, out: number[]): void {
  // Behind the two bytes of zlib's head.
  let at = 16
  const bits = (count: number): number => {
    let value = 0
    for (let i = 0; i < count; i++, at++) {
      const byte = stream[at >> 3]
      if (byte === undefined) throw new Stop()
      value |= ((byte >> (at & 7)) & 1) << i
    }
    return value
  }
  const symbol = ({ counts, symbols }: Codes): number => {
    let [code, first, index] = [0, 0, 0]
    for (let length = 1; length <= MOST_BITS; length++) {
      code |= bits(1)
      if (code - first < counts[length]) return symbols[index + code - first]
      index += counts[length]
      first = (first + counts[length]) << 1
      code <<= 1
    }
    throw new Stop()
  }
  const dynamic = (): Codes[] => {
    const [literals, distances, own] = [bits(5) + 257, bits(5) + 1, bits(4) + 4]
    const ofLengths = new Array<number>(ORDER.length).fill(0)
    for (const place of ORDER.slice(0, own)) ofLengths[place] = bits(3)
    const codes = codesOf(ofLengths)
    const lengths: number[] = []
    while (lengths.length < literals + distances) {
      const found = symbol(codes)
      if (found < 16) lengths.push(found)
      else if (found === 16) repeat(lengths, lengths.at(-1) ?? 0, 3 + bits(2))
      else repeat(lengths, 0, found === 17 ? 3 + bits(3) : 11 + bits(7))
    }
    return [codesOf(lengths.slice(0, literals)), codesOf(lengths.slice(literals, literals + distances))]
  }
  for (let isLast = 0; isLast === 0 && out.length < most; ) {
    isLast = bits(1)
    const kind = bits(2)
    if (kind === STORED) {
      at = (at + 7) & ~7
      const length = bits(16)
      bits(16)
      for (let i = 0; i < length && out.length < most; i++) out.push(bits(8))
    } else if (kind === FIXED || kind === DYNAMIC) {
      const [literals, distances] = kind === FIXED ? fixed() : dynamic()
      for (let found = symbol(literals); found !== END && out.length < most; found = symbol(literals)) {
        if (found < END) out.push(found)
        else {
          const length = lengthOf(found - END - 1, bits)
          const distance = distanceOf(symbol(distances), bits)
          if (distance > out.length) throw new Stop()
          for (let i = 0; i < length; i++) out.push(out[out.length - distance])
        }
      }
    } else throw new Stop()
  }
}

function repeat(list: number[], value: number, count: number): void {
  for (let i = 0; i < count; i++) list.push(value)
}

function codesOf(lengths: readonly number[]): Codes {
  const counts = new Array<number>(MOST_BITS + 1).fill(0)
  const symbols: number[] = []
  for (let length = 1; length <= MOST_BITS; length++)
    for (const [value, own] of lengths.entries())
      if (own === length) {
        counts[length]++
        symbols.push(value)
      }
  return { counts, symbols }
}

function fixed(): Codes[] {
  const literals = Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))
  return [codesOf(literals), codesOf(new Array<number>(30).fill(5))]
}

/** Length of a copy: symbols in groups of four, each group with one more bit. */
function lengthOf(code: number, bits: (count: number) => number): number {
  if (code === 28) return 258
  if (code > 28) throw new Stop()
  if (code < 8) return code + 3
  const more = (code >> 2) - 1
  return ((4 + (code & 3)) << more) + 3 + bits(more)
}

/** How far back a copy begins: symbols in pairs, each pair with one more bit. */
function distanceOf(code: number, bits: (count: number) => number): number {
  if (code > 29) throw new Stop()
  if (code < 4) return code + 1
  const more = (code >> 1) - 1
  return ((2 + (code & 1)) << more) + 1 + bits(more)
}
