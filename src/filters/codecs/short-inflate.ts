import { NO_BYTES } from '../bytes.ts'

/** Kinds of blocks of a deflate stream. */
const STORED = 0
const FIXED = 1
const DYNAMIC = 2
/** Symbol that ends a block; those above it are lengths of copies. */
const END = 256
/** Most symbols for literals and lengths, and for distances. The two last of each mean nothing. */
const LITERALS = 288
const DISTANCES = 32
/** Order in which the lengths of the codes for code lengths are stored. */
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
const MOST_BITS = 15
/** Bytes of zlib's head, and of the checksum behind the blocks. */
const HEAD = 2
const ADLER = 4
/** A symbol that is not there. */
const NONE = -1

/** Up to this many bytes {@link inflateShort} takes less time than zlib takes to begin. */
export const SHORT = 256

/** Codes of up to this many bits are looked up, longer ones searched. A larger table takes longer to make for each block. */
const FAST_BITS = 7
const FIXED_BITS = 9

/** By number, its {@link FIXED_BITS} bits in the other order: codes come with their first bit lowest. */
function reversedBits(): Uint16Array {
  return Uint16Array.from({ length: 1 << FIXED_BITS }, (_, code) => {
    let reversed = 0
    for (let bit = 0; bit < FIXED_BITS; bit++) reversed |= ((code >> bit) & 1) << (FIXED_BITS - 1 - bit)
    return reversed
  })
}

/** Codes by their lengths in bits: of each length how many, and the symbols in order. */
class Codes {
  readonly counts = new Uint16Array(MOST_BITS + 1)
  readonly symbols = new Uint16Array(LITERALS)
  /** By the next bits: 16 times the symbol, and the length of its code; 0 for longer codes, and where there is none. */
  readonly fast: Uint16Array
  private readonly places = new Uint16Array(MOST_BITS + 1)
  private readonly codes = new Uint16Array(MOST_BITS + 1)
  private readonly reversed: Uint16Array
  private readonly fastBits: number

  /** @param reversed those of {@link reversedBits} */
  constructor(reversed: Uint16Array, fastBits = FAST_BITS) {
    this.reversed = reversed
    this.fastBits = fastBits
    this.fast = new Uint16Array(1 << fastBits)
  }

  /**
   * Sets the codes of the symbols whose lengths are from `from` to before `to`.
   * @param single accepts a single code of one bit, too, and none at all, as zlib does
   * @returns whether every sequence of bits leads to a symbol
   */
  set(lengths: Uint8Array, from: number, to: number, single: boolean): boolean {
    const { counts, symbols, places, codes, fast, reversed, fastBits } = this
    counts.fill(0)
    for (let i = from; i < to; i++) counts[lengths[i]]++
    let [left, place, code] = [1, 0, 0]
    for (let length = 1; length <= MOST_BITS; length++) {
      left = 2 * left - counts[length]
      if (left < 0) return false
      places[length] = place
      codes[length] = code
      place += counts[length]
      code = (code + counts[length]) << 1
    }
    fast.fill(0)
    for (let i = from; i < to; i++) {
      const length = lengths[i]
      if (length === 0) continue
      symbols[places[length]++] = i - from
      const own = codes[length]++
      if (length > fastBits) continue
      const entry = ((i - from) << 4) | length
      for (let at = reversed[own << (FIXED_BITS - length)]; at < fast.length; at += 1 << length) fast[at] = entry
    }
    return left === 0 || (single && counts[0] + counts[1] === to - from)
  }
}

/** Undoes streams without memory for each: the quickest way for a few bytes. @see RFC 1950; RFC 1951 */
class Inflater {
  private stream: Uint8Array = NO_BYTES
  private out: Uint8Array = NO_BYTES
  /** The next byte to take, and the bits that were taken and not read: the first the lowest. Behind the end they are zeros. */
  private next = 0
  private held = 0
  private have = 0
  private filled = 0
  private readonly lengths = new Uint8Array(LITERALS + DISTANCES)
  private readonly reversed = reversedBits()
  private readonly ofLengths = new Codes(this.reversed)
  private readonly literals = new Codes(this.reversed)
  private readonly distances = new Codes(this.reversed)
  private readonly fixed: [Codes, Codes] = [new Codes(this.reversed, FIXED_BITS), new Codes(this.reversed)]

  constructor() {
    const lengths = Uint8Array.from({ length: LITERALS }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8))
    this.fixed[0].set(lengths, 0, LITERALS, false)
    this.fixed[1].set(new Uint8Array(DISTANCES).fill(5), 0, DISTANCES, false)
  }

  /** Fills `out` until it is full, or the stream ends or makes no sense. @returns the number of bytes */
  prefix(stream: Uint8Array, out: Uint8Array): number {
    this.start(stream, out)
    this.blocks()
    return this.filled
  }

  /** @returns whether the stream is whole and right, and fills `out` */
  whole(stream: Uint8Array, out: Uint8Array): boolean {
    const method = stream[0]
    const flags = stream[1]
    if ((method & 15) !== 8 || method >> 4 > 7 || (flags & 32) !== 0 || (method * 256 + flags) % 31 !== 0) return false
    this.start(stream, out)
    if (!this.blocks() || this.filled < out.length) return false
    const tail = this.next - (this.have >> 3)
    return tail + ADLER === stream.length && isAdler(out, stream, tail)
  }

  private start(stream: Uint8Array, out: Uint8Array): void {
    this.stream = stream
    this.out = out
    this.next = HEAD
    this.held = 0
    this.have = 0
    this.filled = 0
  }

  /** @returns whether the last block ends as it should */
  private blocks(): boolean {
    for (;;) {
      const isLast = this.bits(1)
      const kind = this.bits(2)
      if (this.isBehind()) return false
      if (kind === STORED ? !this.stored() : !this.coded(kind)) return false
      if (isLast === 1) return true
    }
  }

  private stored(): boolean {
    this.bits(this.have & 7)
    const length = this.bits(16)
    if (this.bits(16) !== (length ^ 0xffff) || this.isBehind()) return false
    const from = this.next - (this.have >> 3)
    const there = Math.min(length, this.stream.length - from, this.out.length - this.filled)
    this.out.set(this.stream.subarray(from, from + there), this.filled)
    this.filled += there
    this.next = from + length
    this.held = 0
    this.have = 0
    return there === length
  }

  private coded(kind: number): boolean {
    if (kind === DYNAMIC ? !this.dynamic() : kind !== FIXED) return false
    const [literals, distances] = kind === DYNAMIC ? [this.literals, this.distances] : this.fixed
    const { out } = this
    for (;;) {
      const found = this.symbol(literals)
      if (found === END) return true
      if (found === NONE || this.filled === out.length || this.isBehind()) return false
      if (found < END) out[this.filled++] = found
      else {
        const length = this.lengthOf(found - END - 1)
        const distance = this.distanceOf(this.symbol(distances))
        if (length === NONE || distance === NONE || distance > this.filled || this.isBehind()) return false
        const to = Math.min(out.length, this.filled + length)
        const isCut = to < this.filled + length
        for (let i = this.filled; i < to; i++) out[i] = out[i - distance]
        this.filled = to
        if (isCut) return false
      }
    }
  }

  /** Reads the codes of a block. */
  private dynamic(): boolean {
    const { lengths, ofLengths } = this
    const [literals, distances, own] = [this.bits(5) + 257, this.bits(5) + 1, this.bits(4) + 4]
    if (this.isBehind() || literals > LITERALS - 2 || distances > DISTANCES - 2) return false
    lengths.fill(0, 0, ORDER.length)
    for (let i = 0; i < own; i++) lengths[ORDER[i]] = this.bits(3)
    if (this.isBehind() || !ofLengths.set(lengths, 0, ORDER.length, false)) return false
    for (let done = 0; done < literals + distances; ) {
      const found = this.symbol(ofLengths)
      if (found === NONE || (found === 16 && done === 0)) return false
      const value = found < 16 ? found : found === 16 ? lengths[done - 1] : 0
      const count =
        found < 16 ? 1 : found === 16 ? 3 + this.bits(2) : found === 17 ? 3 + this.bits(3) : 11 + this.bits(7)
      if (this.isBehind() || done + count > literals + distances) return false
      lengths.fill(value, done, done + count)
      done += count
    }
    return (
      lengths[END] > 0 &&
      this.literals.set(lengths, 0, literals, true) &&
      this.distances.set(lengths, literals, literals + distances, true)
    )
  }

  /** Whether more was read than there is. */
  private isBehind(): boolean {
    return this.next - (this.have >> 3) > this.stream.length
  }

  /** Takes bytes, so that there are 25 bits or more. */
  private fill(): void {
    while (this.have <= 24) {
      this.held |= this.stream[this.next++] << this.have
      this.have += 8
    }
  }

  private bits(count: number): number {
    if (this.have < count) this.fill()
    const value = this.held & ((1 << count) - 1)
    this.held >>>= count
    this.have -= count
    return value
  }

  private symbol({ counts, symbols, fast }: Codes): number {
    if (this.have < MOST_BITS) this.fill()
    const entry = fast[this.held & (fast.length - 1)]
    if (entry > 0) {
      this.held >>>= entry & 15
      this.have -= entry & 15
      return entry >> 4
    }
    let [code, first, index] = [0, 0, 0]
    for (let length = 1; length <= MOST_BITS; length++) {
      code |= (this.held >> (length - 1)) & 1
      const count = counts[length]
      if (code - first < count) {
        this.held >>>= length
        this.have -= length
        return symbols[index + code - first]
      }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    return NONE
  }

  /** Length of a copy: symbols in groups of four, each group with one more bit. */
  private lengthOf(code: number): number {
    if (code > 28) return NONE
    if (code === 28) return 258
    if (code < 8) return code + 3
    const more = (code >> 2) - 1
    return ((4 + (code & 3)) << more) + 3 + this.bits(more)
  }

  /** How far back a copy begins: symbols in pairs, each pair with one more bit. */
  private distanceOf(code: number): number {
    if (code === NONE || code > 29) return NONE
    if (code < 4) return code + 1
    const more = (code >> 1) - 1
    return ((2 + (code & 1)) << more) + 1 + this.bits(more)
  }
}

/** Whether the Adler-32 of so few bytes that its sums need no remainder before their end stands in a stream. */
function isAdler(bytes: Uint8Array, stream: Uint8Array, at: number): boolean {
  let [a, b] = [1, 0]
  for (let i = 0; i < bytes.length; i++) {
    a += bytes[i]
    b += a
  }
  const sum = (b % 65_521) * 65_536 + (a % 65_521)
  return sum === stream[at] * 2 ** 24 + stream[at + 1] * 2 ** 16 + stream[at + 2] * 2 ** 8 + stream[at + 3]
}

let inflater: Inflater | undefined

/**
 * Undoes a zlib stream of at most {@link SHORT} bytes, if it is whole and right. Of any other stream zlib says what is wrong.
 * @returns whether it fills `out`
 */
export function inflateShort(stream: Uint8Array, out: Uint8Array): boolean {
  inflater ??= new Inflater()
  return out.length <= SHORT && stream.length <= 2 * SHORT && inflater.whole(stream, out)
}

/** The first bytes of what a zlib stream holds, as far as it is there and makes sense: zlib gives all or nothing. */
export function inflatePrefix(stream: Uint8Array, most: number): Uint8Array {
  inflater ??= new Inflater()
  const out = new Uint8Array(most)
  return out.subarray(0, inflater.prefix(stream, out))
}
