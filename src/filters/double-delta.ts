import { InspectError } from '../base/errors.ts'
import { badData, viewOf } from './bytes.ts'
import { deltaFilter } from './delta-filter.ts'
import { type IntegerType, u16, u32 } from './elements.ts'
import type { FilterFactory } from './filter.ts'
import type { Kernels } from './kernels/kernels.ts'

/**
 * DOUBLE_DELTA: the first two elements, then differences of differences in as few bits as the largest needs.
 *
 *     metadata  as all compression filters (compressor.ts)
 *     data      per part u8 bit size, u64 n, then
 *               bit size ≥ bits of T - 1:  the n elements as they are
 *               otherwise:  T in[0], T in[1], then per element 1 sign bit and `bit size` bits of magnitude, highest first,
 *                           in 64-bit words filled from the highest bit and stored little-endian
 *
 * For up to two elements the bit size is 0. Otherwise it is that of the largest |dd|, at least 1, where TileDB 2.30 also counts
 * the first plain difference |in[1] - in[0]| (earlier releases do not); so is it written here.
 *
 * @see format_spec/filters/double_delta.md; tiledb/sm/compressors/dd_compressor.cc
 */
export const doubleDelta: FilterFactory = async () => deltaFilter({ compress, decompress, uneven }, 1)

const HEAD = 9

/** Bit sizes from here on mean that the elements are stored as they are. */
const verbatimFrom = (size: number): number => 8 * size - 1

/** Uint32 units, in 64-bit words, that `count` packed values take: sign and magnitude each. */
const packedUnits = (count: number, bitSize: number): number => 2 * Math.ceil((count * (bitSize + 1)) / 64)

/** From 2.29 on (format 22) TileDB refuses differences beyond 64 signed bits; releases before let most of them wrap around. */
const REFUSES_OVERFLOW_SINCE = 22

function compress(part: Uint8Array, type: IntegerType, formatVersion: number): Uint8Array {
  const { size } = type
  const count = part.length / size
  const bitSize =
    count <= 2 ? 0 : size === 8 ? bitSize64(u32(part), type.signed, formatVersion) : bitSizeOf(numbers(part, type))
  const verbatim = bitSize >= verbatimFrom(size)
  const plain = verbatim ? part.length : Math.min(count, 2) * size
  const units = verbatim || count <= 2 ? 0 : packedUnits(count - 2, bitSize)
  const out = new Uint8Array(HEAD + plain + 4 * units)
  out[0] = bitSize
  viewOf(out).setUint32(1, count, true)
  out.set(part.subarray(0, plain), HEAD)
  if (units > 0) {
    const packed = new Uint32Array(units)
    if (size === 8) pack64(u32(part), packed, bitSize)
    else pack(numbers(part, type), packed, bitSize)
    out.set(new Uint8Array(packed.buffer), HEAD + plain)
  }
  return out
}

type Numbers = Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array

/** Elements of up to 4 bytes, with their sign. */
function numbers(part: Uint8Array, { size, signed }: IntegerType): Numbers {
  if (size === 1) return signed ? new Int8Array(part.buffer, part.byteOffset, part.length) : part
  const raw = size === 2 ? u16(part) : u32(part)
  if (!signed) return raw
  return size === 2
    ? new Int16Array(raw.buffer, raw.byteOffset, raw.length)
    : new Int32Array(raw.buffer, raw.byteOffset, raw.length)
}

/** Bits of the largest |dd|, the first difference counted with them. */
function bitSizeOf(input: Numbers): number {
  let before = input[1]
  let delta = before - input[0]
  let largest = Math.abs(delta)
  for (let i = 2; i < input.length; i++) {
    const value = input[i]
    const next = value - before
    const dd = Math.abs(next - delta)
    if (dd > largest) largest = dd
    delta = next
    before = value
  }
  return bitLength(largest >= 2 ** 32 ? largest / 2 ** 32 : 0, largest)
}

/**
 * The bit size of elements in lanes: every |dd| is or-ed together, which keeps the highest bit. Where a difference does not fit
 * in 64 signed bits it is the full width, so that the elements are stored as they are: every release reads that.
 */
function bitSize64(input: Uint32Array, signed: boolean, formatVersion: number): number {
  let beforeLo = input[0] | 0
  let beforeHi = input[1] | 0
  let deltaLo = 0
  let deltaHi = 0
  let anyLo = 0
  let anyHi = 0
  let overflow = 0
  for (let i = 2; i + 1 < input.length; i += 2) {
    const lo = input[i] | 0
    const hi = input[i + 1] | 0
    const nextLo = (lo - beforeLo) | 0
    const borrow = ((~lo & beforeLo) | (~(lo ^ beforeLo) & nextLo)) >>> 31
    const nextHi = (hi - beforeHi - borrow) | 0
    if (signed) overflow |= (hi ^ beforeHi) & (hi ^ nextHi)
    else overflow |= ((~hi & beforeHi) | (~(hi ^ beforeHi) & nextHi)) ^ nextHi
    const ddLo = (nextLo - deltaLo) | 0
    const ddBorrow = ((~nextLo & deltaLo) | (~(nextLo ^ deltaLo) & ddLo)) >>> 31
    const ddHi = (nextHi - deltaHi - ddBorrow) | 0
    overflow |= (nextHi ^ deltaHi) & (nextHi ^ ddHi)
    const sign = ddHi >> 31
    // |dd| = (dd ^ sign) - sign; the carry goes up only from a low lane of 0.
    const magnitudeLo = ((ddLo ^ sign) - sign) | 0
    anyLo |= magnitudeLo
    anyHi |= (ddHi ^ sign) + (sign !== 0 && magnitudeLo === 0 ? 1 : 0)
    beforeLo = lo
    beforeHi = hi
    deltaLo = nextLo
    deltaHi = nextHi
  }
  if (overflow < 0) {
    if (formatVersion < REFUSES_OVERFLOW_SINCE) return 64
    throw new InspectError(
      'BAD_VALUE',
      'expected differences that fit in 64 signed bits for DOUBLE_DELTA, found a larger one',
    )
  }
  return bitLength(anyHi, anyLo)
}

function bitLength(high: number, low: number): number {
  return high !== 0 ? 64 - Math.clz32(high) : Math.max(1, 32 - Math.clz32(low))
}

/** Writes runs of bits, highest first. Unit k of 32 bits is the high half of its 64-bit word if k is even: it lies at k ^ 1. */
class BitWriter {
  private readonly units: Uint32Array
  private unit = 0
  private held = 0
  private free = 32

  constructor(units: Uint32Array) {
    this.units = units
  }

  /** `bits` from 1 to 32; no bits of `value` above them. */
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

function pack(input: Numbers, packed: Uint32Array, bitSize: number): void {
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

function pack64(input: Uint32Array, packed: Uint32Array, bitSize: number): void {
  const writer = new BitWriter(packed)
  const highBits = bitSize - 32
  let beforeLo = input[0] | 0
  let beforeHi = input[1] | 0
  let deltaLo = 0
  let deltaHi = 0
  for (let i = 2; i + 1 < input.length; i += 2) {
    const lo = input[i] | 0
    const hi = input[i + 1] | 0
    const nextLo = (lo - beforeLo) | 0
    const borrow = ((~lo & beforeLo) | (~(lo ^ beforeLo) & nextLo)) >>> 31
    const nextHi = (hi - beforeHi - borrow) | 0
    const ddLo = (nextLo - deltaLo) | 0
    const ddBorrow = ((~nextLo & deltaLo) | (~(nextLo ^ deltaLo) & ddLo)) >>> 31
    const ddHi = (nextHi - deltaHi - ddBorrow) | 0
    beforeLo = lo
    beforeHi = hi
    deltaLo = nextLo
    deltaHi = nextHi
    if (i === 2) continue
    const sign = ddHi >> 31
    const magnitudeLo = ((ddLo ^ sign) - sign) | 0
    const magnitudeHi = ((ddHi ^ sign) + (sign !== 0 && magnitudeLo === 0 ? 1 : 0)) | 0
    if (highBits < 0) writer.put((-sign << bitSize) | magnitudeLo, bitSize + 1)
    else {
      writer.put((-sign << highBits) | magnitudeHi, highBits + 1)
      writer.put(magnitudeLo, 32)
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
  if (part.length !== HEAD + plain + 4 * units) {
    const message = `expected ${HEAD + plain + 4 * units} bytes for ${count} elements at bit size ${bitSize}, found ${part.length}`
    throw badData(message, 'compressed_length')
  }
  const stored = part.subarray(HEAD)
  if (plain === originalLength) return stored
  const undone = units > 0 ? kernels?.undoubleDelta(stored, originalLength, bitSize, size) : undefined
  if (undone) return undone
  const out = new Uint8Array(originalLength)
  out.set(stored.subarray(0, plain))
  if (units > 0) {
    // Two units of nothing behind the last: a value is taken out of up to three neighbours.
    const packed = new Uint32Array(units + 2)
    new Uint8Array(packed.buffer).set(stored.subarray(plain))
    if (size === 1) unpack(out, packed, bitSize)
    else if (size === 2) unpack(u16(out), packed, bitSize)
    else if (size === 4) unpack(u32(out), packed, bitSize)
    else unpack64(u32(out), packed, bitSize)
  }
  return out
}

/**
 * A part of less than one element, for which TileDB stores two elements anyway: the part, and behind it what lay in memory. Or elements
 * that are stored as they are, and fill the part.
 */
function uneven(part: Uint8Array, originalLength: number, { size }: IntegerType): Uint8Array | undefined {
  const stored = part.subarray(HEAD)
  const asTheyAre = originalLength < size ? 2 * size : part[0] >= verbatimFrom(size) ? originalLength : -1
  return stored.length === asTheyAre ? stored.subarray(0, originalLength) : undefined
}

/** Fills `output` from its third element on; all sums modulo the element size. `bitSize` up to 30. */
function unpack(output: Uint8Array | Uint16Array | Uint32Array, packed: Uint32Array, bitSize: number): void {
  const shift = 32 - bitSize
  const mask = bitSize === 0 ? 0 : -1
  const width = bitSize + 1
  let value = output[1] | 0
  let delta = (value - (output[0] | 0)) | 0
  let unit = 0
  let bit = 0
  for (let i = 2; i < output.length; i++) {
    const top = (packed[unit ^ 1] << bit) | ((packed[(unit + 1) ^ 1] >>> 1) >>> (31 - bit))
    bit += width
    unit += bit >>> 5
    bit &= 31
    const sign = top >> 31
    const magnitude = ((top << 1) >>> shift) & mask
    delta = (delta + ((magnitude ^ sign) - sign)) | 0
    value = (value + delta) | 0
    output[i] = value
  }
}

/** The same for lanes; `bitSize` up to 62. */
function unpack64(output: Uint32Array, packed: Uint32Array, bitSize: number): void {
  const wide = bitSize > 31
  const shift = wide ? 64 - bitSize : 32 - bitSize
  const mask = bitSize === 0 ? 0 : -1
  const width = bitSize + 1
  let lo = output[2] | 0
  let hi = output[3] | 0
  let deltaLo = (lo - output[0]) | 0
  const borrow = lo >>> 0 < output[0] ? 1 : 0
  let deltaHi = (hi - output[1] - borrow) | 0
  let unit = 0
  let bit = 0
  for (let i = 4; i + 1 < output.length; i += 2) {
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
    deltaHi = (deltaHi + ddHi + (((deltaLo & ddLo) | ((deltaLo | ddLo) & ~sumLo)) >>> 31)) | 0
    deltaLo = sumLo
    const nextLo = (lo + deltaLo) | 0
    hi = (hi + deltaHi + (((lo & deltaLo) | ((lo | deltaLo) & ~nextLo)) >>> 31)) | 0
    lo = nextLo
    output[i] = lo
    output[i + 1] = hi
  }
}
