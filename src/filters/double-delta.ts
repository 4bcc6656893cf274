import { badValue } from '../base/errors.ts'
import { datatypeSize } from '../format/datatype.ts'
import { badData, viewOf } from './bytes.ts'
import { DELTA_FACTS, deltaFilter } from './delta-filter.ts'
import { borrow, carry, deltaDatatype, type IntegerType, type Lanes, lanesEach, lanesOf } from './elements.ts'
import type { FilterDefinition } from './filter.ts'
import type { Kernels } from './kernels/kernels.ts'

/**
 * DOUBLE_DELTA: stores the first two elements, then differences of differences (dd). Each has as few bits as the largest one
 * needs.
 *
 *     metadata  as all compression filters (compressor.ts)
 *     data      per part u8 bit size, u64 n, then
 *               bit size ≥ bits of T - 1:  the n elements unchanged
 *               otherwise:  T in[0], T in[1], then per element 1 sign bit and `bit size` bits of magnitude, highest first,
 *                           in 64-bit words filled from the highest bit and stored little-endian
 *
 * For up to two elements the bit size is 0. Otherwise it is that of the largest |dd|, and at least 1. TileDB 2.30 also
 * counts the first plain difference |in[1] - in[0]|; earlier releases do not. Writing here follows 2.30.
 *
 * @see format_spec/filters/double_delta.md; tiledb/sm/compressors/dd_compressor.cc
 */
export const doubleDelta: FilterDefinition = {
  since: 1,
  ...DELTA_FACTS,
  // Each element of up to 8 bytes takes at least one bit: the sign.
  mostUndone: (stored) => 64 * stored,
  mayLose: (type, { reinterpret_datatype }, formatVersion) =>
    formatVersion <= REFUSES_OVERFLOW_SINCE && datatypeSize(deltaDatatype(type, reinterpret_datatype)) === 8,
  load: async () => deltaFilter({ compress, decompress, uneven }, 1),
}

/** Bytes of the bit size and n. */
const HEAD_BYTES = 9

/** Returns the bit size from which on the elements are stored unchanged. */
const verbatimFrom = (size: number): number => 8 * size - 1

/** Returns the uint32 units of `count` packed values, each a sign and a magnitude, rounded up to whole 64-bit words. */
const packedUnits = (count: number, bitSize: number): number => 2 * Math.ceil((count * (bitSize + 1)) / 64)

/** The first format version whose releases, since TileDB 2.29, refuse differences that overflow. Earlier releases let most wrap. */
const REFUSES_OVERFLOW_SINCE = 22

function compress(part: Uint8Array, type: IntegerType, formatVersion: number): Uint8Array {
  const { size } = type
  const count = part.length / size
  const numbers = size === 8 ? undefined : numbersOf(part, type)
  const wide = size === 8 && count > 2 ? wideDifferences(lanesOf(part, 8), type.signed) : undefined
  if (wide?.overflows && formatVersion >= REFUSES_OVERFLOW_SINCE) {
    throw badValue({ expected: 'differences that fit in 64 signed bits for DOUBLE_DELTA', found: 'a larger one' })
  }
  const bitSize = count <= 2 ? 0 : (wide?.bitSize ?? bitSizeOf(numbers ?? part))
  const verbatim = bitSize >= verbatimFrom(size)
  const plain = verbatim ? part.length : Math.min(count, 2) * size
  const packed = new Uint32Array(verbatim || count <= 2 ? 0 : packedUnits(count - 2, bitSize))
  if (packed.length > 0 && wide) packWide(wide, packed)
  else if (packed.length > 0 && numbers) pack(numbers, bitSize, packed)
  const out = new Uint8Array(HEAD_BYTES + plain + packed.byteLength)
  out[0] = bitSize
  viewOf(out).setUint32(1, count, true)
  out.set(part.subarray(0, plain), HEAD_BYTES)
  out.set(new Uint8Array(packed.buffer), HEAD_BYTES + plain)
  return out
}

type Numbers = Lanes | Int8Array | Int16Array | Uint32Array

/** Returns elements of up to 4 bytes with the sign of their type. Every difference then fits in a number. */
function numbersOf(part: Uint8Array, { size, signed }: IntegerType): Numbers {
  const lanes = lanesOf(part, size)
  const { buffer, byteOffset, length } = lanes
  if (size === 4) return signed ? lanes : new Uint32Array(buffer, byteOffset, length)
  if (!signed) return lanes
  return size === 1 ? new Int8Array(buffer, byteOffset, length) : new Int16Array(buffer, byteOffset, length)
}

/** Returns the bit size of more than two elements. */
function bitSizeOf(input: Numbers): number {
  let before = input[0]
  let delta = 0
  let largest = 0
  for (let i = 1; i < input.length; i++) {
    const value = input[i]
    const next = value - before
    const dd = Math.abs(next - delta)
    if (dd > largest) largest = dd
    delta = next
    before = value
  }
  return bitLength(largest > 0xffffffff ? 1 : 0, largest)
}

/** Packs the differences of differences of elements of up to 4 bytes: sign, then magnitude. */
function pack(input: Numbers, bitSize: number, packed: Uint32Array): void {
  const writer = new BitWriter(packed)
  const minus = 2 ** bitSize
  let before = input[1]
  let delta = before - input[0]
  for (let i = 2; i < input.length; i++) {
    const value = input[i]
    const next = value - before
    const dd = next - delta
    writer.put(dd < 0 ? minus - dd : dd, bitSize + 1)
    delta = next
    before = value
  }
  writer.finish()
}

/** Differences of differences of 8-byte elements. The first one is the plain difference of the first two elements. */
interface WideDifferences {
  /** Lanes of the magnitudes. The highest bit of `high` is the sign; magnitudes that need this bit are not packed. */
  low: Int32Array
  high: Int32Array
  /** Bits of the largest magnitude. 64 if a difference overflows: then the elements are stored unchanged, and every release reads them. */
  bitSize: number
  /** Whether a difference does not fit in 64 signed bits. */
  overflows: boolean
}

/** Computes the differences. The bit size is that of all magnitudes combined by OR, which keeps the highest bit. */
function wideDifferences(lanes: Lanes, signed: boolean): WideDifferences {
  const low = new Int32Array(lanes.length / 2 - 1)
  const high = new Int32Array(low.length)
  let beforeLo = lanes[0]
  let beforeHi = lanes[1]
  let deltaLo = 0
  let deltaHi = 0
  let anyLo = 0
  let anyHi = 0
  let overflow = 0
  for (let i = 0, at = 2; i < low.length; i++, at += 2) {
    const lo = lanes[at]
    const hi = lanes[at + 1]
    const nextLo = (lo - beforeLo) | 0
    const nextHi = (hi - beforeHi - borrow(lo, beforeLo, nextLo)) | 0
    if (signed) overflow |= (hi ^ beforeHi) & (hi ^ nextHi)
    else overflow |= ((~hi & beforeHi) | (~(hi ^ beforeHi) & nextHi)) ^ nextHi
    const ddLo = (nextLo - deltaLo) | 0
    const ddHi = (nextHi - deltaHi - borrow(nextLo, deltaLo, ddLo)) | 0
    overflow |= (nextHi ^ deltaHi) & (nextHi ^ ddHi)
    const sign = ddHi >> 31
    // |dd| = (dd ^ sign) - sign. A carry into the high lane happens only if the low lane becomes 0.
    const magnitudeLo = ((ddLo ^ sign) - sign) | 0
    const magnitudeHi = ((ddHi ^ sign) + (sign !== 0 && magnitudeLo === 0 ? 1 : 0)) | 0
    anyLo |= magnitudeLo
    anyHi |= magnitudeHi
    low[i] = magnitudeLo
    high[i] = magnitudeHi | (sign & SIGN)
    beforeLo = lo
    beforeHi = hi
    deltaLo = nextLo
    deltaHi = nextHi
  }
  const overflows = overflow < 0
  return { low, high, bitSize: overflows ? 64 : bitLength(anyHi, anyLo), overflows }
}

const SIGN = 0x80000000

/** Bits of a number, at least 1. */
function bitLength(high: number, low: number): number {
  return high !== 0 ? 64 - Math.clz32(high) : Math.max(1, 32 - Math.clz32(low))
}

/**
 * Writes values of some bits each, highest bit first. Each 64-bit word has two units of 32 bits, the high one first. In
 * little-endian memory the high unit comes second, so unit k is at k ^ 1.
 */
class BitWriter {
  private readonly units: Uint32Array
  /** Index of the next unit to write. */
  private unit = 0
  /** Bits that wait for that unit, and how many more it can take. */
  private held = 0
  private free = 32

  constructor(units: Uint32Array) {
    this.units = units
  }

  /** @param bits 1 to 32. `value` must fit in them. */
  put(value: number, bits: number): void {
    const free = this.free
    if (bits < free) {
      this.held |= value << (free - bits)
      this.free = free - bits
      return
    }
    const left = bits - free
    this.units[this.unit ^ 1] = this.held | (value >>> left)
    this.unit++
    this.free = 32 - left
    this.held = left === 0 ? 0 : value << (32 - left)
  }

  finish(): void {
    if (this.free < 32) this.units[this.unit ^ 1] = this.held
  }
}

/** The same as {@link pack}, for 8-byte elements. The first difference is left out, as it is a plain one. */
function packWide({ low, high, bitSize }: WideDifferences, packed: Uint32Array): void {
  const writer = new BitWriter(packed)
  const highBits = bitSize - 32
  for (let i = 1; i < low.length; i++) {
    const top = high[i]
    if (highBits < 0) writer.put(((top >>> 31) << bitSize) | low[i], bitSize + 1)
    else {
      writer.put(((top >>> 31) << highBits) | (top & ~SIGN), highBits + 1)
      writer.put(low[i], 32)
    }
  }
  writer.finish()
}

function decompress(
  part: Uint8Array,
  originalLength: number,
  { size }: IntegerType,
  kernels: Kernels | undefined,
): Uint8Array {
  const bitSize = part[0]
  const count = Math.floor(originalLength / size)
  const verbatim = bitSize >= verbatimFrom(size)
  const plain = verbatim ? originalLength : Math.min(count, 2) * size
  const units = verbatim || count <= 2 ? 0 : packedUnits(count - 2, bitSize)
  if (part.length !== HEAD_BYTES + plain + 4 * units) {
    const fault = {
      expected: `${HEAD_BYTES + plain + 4 * units} bytes for ${count} elements at bit size ${bitSize}`,
      found: part.length,
    }
    throw badData(fault, 'compressed_length')
  }
  const stored = part.subarray(HEAD_BYTES)
  if (plain === originalLength) return stored
  const stream = units > 0 ? kernels?.block(4 * units) : undefined
  const undone =
    stream && kernels?.run('undoubleDelta', originalLength, [stored, stream], units / 2, count, bitSize, size)
  if (undone) return undone.fill(0, count * size)
  const out = new Uint8Array(originalLength)
  out.set(stored.subarray(0, plain))
  if (units === 0) return out
  // Two zero units follow: reading a value may touch three neighbouring units.
  const packed = new Uint32Array(units + 2)
  new Uint8Array(packed.buffer).set(stored.subarray(plain))
  unpack(lanesOf(out, size), lanesEach(size), packed, bitSize)
  return out
}

/**
 * Returns the bytes of a part that is not whole elements, if all are stored. For less than one element TileDB stores two:
 * the bytes of the part, then whatever was in memory. If elements are stored unchanged, all bytes may be kept.
 */
function uneven(part: Uint8Array, originalLength: number, { size }: IntegerType): Uint8Array | undefined {
  const stored = part.subarray(HEAD_BYTES)
  const isWhole =
    originalLength < size
      ? stored.length === 2 * size
      : part[0] >= verbatimFrom(size) && stored.length === originalLength
  return isWhole ? stored.subarray(0, originalLength) : undefined
}

/**
 * Fills `output` from its third element on. All sums are modulo 2^64, which is right for smaller elements, too.
 * @param each lanes of an element
 * @param bitSize less than {@link verbatimFrom} gives
 */
function unpack(output: Lanes, each: 1 | 2, packed: Uint32Array, bitSize: number): void {
  const wide = bitSize > 31
  const shift = wide ? 64 - bitSize : 32 - bitSize
  const mask = bitSize === 0 ? 0 : -1
  const width = bitSize + 1
  let lo = output[each]
  let hi = output[2 * each - 1]
  let deltaLo = (lo - output[0]) | 0
  let deltaHi = (hi - output[each - 1] - borrow(lo, output[0], deltaLo)) | 0
  let unit = 0
  let bit = 0
  for (let i = 2 * each; i + each <= output.length; i += each) {
    const second = packed[(unit + 1) ^ 1]
    const top = (packed[unit ^ 1] << bit) | ((second >>> 1) >>> (31 - bit))
    const sign = top >> 31
    let ddLo = 0
    let ddHi = 0
    if (wide) {
      const next = (second << bit) | ((packed[(unit + 2) ^ 1] >>> 1) >>> (31 - bit))
      const high = (top << 1) | (next >>> 31)
      const low = next << 1
      ddLo = ((low >>> 1) >>> (shift - 1)) | (high << (32 - shift))
      ddHi = (high >>> 1) >>> (shift - 1)
    } else {
      ddLo = ((top << 1) >>> shift) & mask
    }
    bit += width
    unit += bit >>> 5
    bit &= 31
    ddLo = ((ddLo ^ sign) - sign) | 0
    ddHi = ((ddHi ^ sign) + (sign !== 0 && ddLo === 0 ? 1 : 0)) | 0
    const sumLo = (deltaLo + ddLo) | 0
    deltaHi = (deltaHi + ddHi + carry(deltaLo, ddLo, sumLo)) | 0
    deltaLo = sumLo
    const nextLo = (lo + deltaLo) | 0
    hi = (hi + deltaHi + carry(lo, deltaLo, nextLo)) | 0
    lo = nextLo
    output[i] = lo
    if (each === 2) output[i + 1] = hi
  }
}
