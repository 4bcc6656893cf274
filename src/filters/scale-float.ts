import { badValue, unexpected } from '../base/errors.ts'
import { partLengthsMetadata } from '../format/chunk-metadata.ts'
import { type Datatype, datatypeKind, datatypeSize, type ElementSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { badData } from './bytes.ts'
import { checkWhole, isElementSize, lanesEach, lanesOf, signedInteger, signShift } from './elements.ts'
import type { FilterDefinition } from './filter.ts'
import { partFilter } from './part-filter.ts'

/**
 * SCALE_FLOAT: stores floats as integers, round((x - offset) / scale). Halves are rounded away from zero.
 *
 *     metadata  u32 parts, then per part u32 bytes of its integers; earlier metadata
 *     data      per part signed integers of `byte_width` bytes
 *
 * Writing computes in the type of the floats: float32 or float64, by the size of the element. Reading converts the
 * integer to that type, computes in float64 and converts the result to that type. Values that do not fit the integers
 * are refused; TileDB stores whatever the machine's conversion gives.
 *
 * @see format_spec/filters/float_scale.md
 */
export const scaleFloat: FilterDefinition = {
  since: 15,
  elementSize: 'hidden',
  loss: () => 'digits',
  outputType: (_input, config) => signedInteger(widthOf(config)),
  metadata: () => partLengthsMetadata,
  // Floats of 8 bytes as integers of 1.
  mostUndone: (stored) => 8 * stored,
  optionRefusal({ name, scale, offset, byte_width }) {
    if (scale !== undefined && !(Number.isFinite(scale) && Math.abs(scale) >= SMALLEST_NORMAL))
      return `${name} needs a scale other than 0, found ${scale}`
    if (offset !== undefined && !Number.isFinite(offset)) return `${name} needs a finite offset, found ${offset}`
    if (byte_width !== undefined && !isElementSize(byte_width))
      return `${name} needs a byte_width of 1, 2, 4 or 8, found ${byte_width}`
    return undefined
  },
  typeRefusal,
  writingRefusal: (type, config, { counts }) => (counts ? `${config.name} ruins ${counts}` : typeRefusal(type, config)),
  // TileDB also accepts integers of the same size as a float, and ruins them.
  suits: (type) => datatypeKind(type) === 'float',
  load: async () =>
    partFilter({
      forward(part, config, cx) {
        const size = floatSize(cx.datatype)
        checkWhole(part, size)
        return toIntegers(part, size, widthOf(config), config)
      },
      outputLength: (part, config, cx) => (part.length / widthOf(config)) * floatSize(cx.datatype),
      reverse(part, config, cx) {
        const width = widthOf(config)
        if (part.length % width !== 0) {
          throw badData({ expected: `whole ${width}-byte integers`, found: `${part.length} bytes` }, 'part_lengths')
        }
        return toFloats(part, width, floatSize(cx.datatype), config)
      },
    }),
}

/** How SCALE_FLOAT turns floats of a type into integers. */
export interface FloatScale {
  scale: number
  offset: number
  /** Bytes of an integer. */
  width: ElementSize
  /** Whether the floats are float32. The filter then computes in float32. */
  single: boolean
}

/** The options of a SCALE_FLOAT filter of floats. */
export function floatScale(config: FilterConfig, size: 4 | 8): FloatScale {
  const [scale, offset] = [numberOf(config, 'scale'), numberOf(config, 'offset')]
  return { scale, offset, width: widthOf(config), single: size === 4 }
}

/** The integer for a float, which may be too large for its bytes. */
export function scaledInteger(value: number, { scale, offset, single }: FloatScale): number {
  if (!single) return round((value - offset) / scale)
  return round(Math.fround(Math.fround(value - Math.fround(offset)) / Math.fround(scale)))
}

/** Whether an integer fits into the bytes of the filter. NaN does not. */
export function fitsWidth(integer: number, { width }: FloatScale): boolean {
  const end = 2 ** (8 * width - 1)
  return integer >= -end && integer < end
}

/** Smallest normal float64. TileDB treats smaller scales as 0. */
const SMALLEST_NORMAL = 2 ** -1022

function typeRefusal(type: Datatype, { name }: FilterConfig): string | undefined {
  return datatypeSize(type) < 4 ? `${name} does not accept ${type}` : undefined
}

function widthOf({ byte_width: width }: FilterConfig): ElementSize {
  if (width !== undefined && isElementSize(width)) return width
  throw unexpected('integers of 1, 2, 4 or 8 bytes', `${width ?? 'none'}`, 'byte_width')
}

function numberOf(config: FilterConfig, option: 'scale' | 'offset'): number {
  const value = config[option]
  if (value === undefined) throw unexpected('a number', 'none', option)
  return value
}

function floatSize(datatype: Datatype): 4 | 8 {
  const size = datatypeSize(datatype)
  if (size === 4 || size === 8) return size
  throw badValue({ expected: 'elements of 4 or 8 bytes for SCALE_FLOAT', found: datatype })
}

/** Rounds to the nearest integer, halves away from zero. Adding 0.5 and truncating would be wrong just below a half. */
function round(value: number): number {
  const whole = Math.trunc(value)
  const rest = value - whole
  if (rest >= 0.5) return whole + 1
  return rest <= -0.5 ? whole - 1 : whole
}

/** Scales and rounds floats. For float32 it computes in float32. */
function toIntegers(part: Uint8Array, size: 4 | 8, width: ElementSize, config: FilterConfig): Uint8Array {
  const { buffer, byteOffset, length } = part.byteOffset % size === 0 ? part : part.slice()
  const values =
    size === 4
      ? new Float64Array(new Float32Array(buffer, byteOffset, length / size))
      : new Float64Array(buffer, byteOffset, length / size)
  const scale = floatScale(config, size)
  const output = new Uint8Array(values.length * width)
  const lanes = lanesOf(output, width)
  const each = lanesEach(width)
  let to = 0
  for (const float of values) {
    const value = scaledInteger(float, scale)
    if (!fitsWidth(value, scale)) throw badValue({ expected: `scaled values that fit ${8 * width} bits`, found: value })
    lanes[to] = value
    if (each === 2) lanes[to + 1] = Math.floor(value / 2 ** 32)
    to += each
  }
  return output
}

/** The inverse of {@link toIntegers}. It computes in float64. */
function toFloats(part: Uint8Array, width: ElementSize, size: 4 | 8, config: FilterConfig): Uint8Array {
  const lanes = lanesOf(part, width)
  const each = lanesEach(width)
  const shift = signShift({ size: width, signed: true })
  const output = new Float64Array(lanes.length / each)
  const single = size === 4
  const scale = numberOf(config, 'scale')
  const offset = numberOf(config, 'offset')
  for (let i = 0, at = 0; i < output.length; i++, at += each) {
    const lane = ((lanes[at] ?? 0) << shift) >> shift
    const value = each === 1 ? lane : int64(lane >>> 0, lanes[at + 1] ?? 0, single)
    output[i] = scale * (single ? Math.fround(value) : value) + offset
  }
  return new Uint8Array(single ? new Float32Array(output).buffer : output.buffer)
}

/**
 * Returns an int64 as a number that rounds correctly to float32. Above 2^53 the lowest 11 bits do not fit in a float64.
 * They only decide whether the value is a tie between two float32 values, so one bit replaces them all.
 */
function int64(low: number, high: number, single: boolean): number {
  const exact = !single || (high >= -0x200000 && high < 0x200000) || (low & 0x7ff) === 0
  return high * 2 ** 32 + (exact ? low : ((low & ~0x7ff) | 0x400) >>> 0)
}
