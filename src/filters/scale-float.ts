import { InspectError } from '../base/errors.ts'
import { type Datatype, datatypeSize } from '../format/datatype.ts'
import type { FilterConfig } from '../format/filter-pipeline.ts'
import { badData, checkLimit } from './bytes.ts'
import { checkWhole, type ElementSize, u16, u32 } from './elements.ts'
import type { FilterFactory } from './filter.ts'
import { partFilter } from './part-filter.ts'

/**
 * SCALE_FLOAT: floats as integers, round((x - offset) / scale), half away from zero.
 *
 *     metadata  u32 parts, then per part u32 bytes of its integers; earlier metadata
 *     data      per part signed integers of `byte_width` bytes
 *
 * Writing computes in the type of the floats (float32 or float64, by the size of the element); reading converts the integer to
 * that type, computes in float64 and narrows. What does not fit the integers is refused, where TileDB stores whatever the
 * machine's conversion gives. The next filter sees integers since version 20, before that the type of the floats.
 *
 * @see format_spec/filters/float_scale.md
 */
export const scaleFloat: FilterFactory = async () => ({
  outputType: (input, config, formatVersion) => (formatVersion < 20 ? input : INTEGERS[widthOf(config)]),
  ...partFilter({
    forward(part, config, cx) {
      const size = floatSize(cx.datatype)
      checkWhole(part, size)
      return toIntegers(size === 4 ? scaled32(part, config) : scaled64(part, config), widthOf(config))
    },
    check(total, config, cx) {
      checkLimit((total / widthOf(config)) * floatSize(cx.datatype), cx.limit, 'part_lengths')
    },
    reverse(part, config, cx) {
      const width = widthOf(config)
      if (part.length % width !== 0) {
        throw badData(`expected whole ${width}-byte integers, found ${part.length} bytes`, 'part_lengths')
      }
      const count = part.length / width
      const output = floatSize(cx.datatype) === 4 ? new Float32Array(count) : new Float64Array(count)
      if (width === 8) fromLanes(u32(part), output, config)
      else fromIntegers(integers(part, width), output, config)
      return new Uint8Array(output.buffer)
    },
  }),
})

const INTEGERS: Record<ElementSize, Datatype> = { 1: 'INT8', 2: 'INT16', 4: 'INT32', 8: 'INT64' }

function badOption(field: string, expected: string, found: number | undefined): InspectError {
  return new InspectError('BAD_VALUE', `expected ${expected}, found ${found ?? 'none'}`, { field })
}

function widthOf({ byte_width: width }: FilterConfig): ElementSize {
  if (width === 1 || width === 2 || width === 4 || width === 8) return width
  throw badOption('byte_width', 'integers of 1, 2, 4 or 8 bytes', width)
}

function scaleOf({ scale }: FilterConfig): number {
  if (scale === undefined) throw badOption('scale', 'a number', scale)
  return scale
}

function offsetOf({ offset }: FilterConfig): number {
  if (offset === undefined) throw badOption('offset', 'a number', offset)
  return offset
}

function floatSize(datatype: Datatype): 4 | 8 {
  const size = datatypeSize(datatype)
  if (size === 4 || size === 8) return size
  throw new InspectError('BAD_VALUE', `expected elements of 4 or 8 bytes for SCALE_FLOAT, found ${datatype}`)
}

function scaled32(part: Uint8Array, config: FilterConfig): Float64Array {
  const lanes = u32(part)
  const input = new Float32Array(lanes.buffer, lanes.byteOffset, lanes.length)
  const output = new Float64Array(input.length)
  const scale = Math.fround(scaleOf(config))
  const offset = Math.fround(offsetOf(config))
  for (let i = 0; i < input.length; i++) output[i] = round(Math.fround(Math.fround(input[i] - offset) / scale))
  return output
}

function scaled64(part: Uint8Array, config: FilterConfig): Float64Array {
  const from = part.byteOffset % 8 === 0 ? part : part.slice()
  const input = new Float64Array(from.buffer, from.byteOffset, from.length / 8)
  const output = new Float64Array(input.length)
  const scale = scaleOf(config)
  const offset = offsetOf(config)
  for (let i = 0; i < input.length; i++) output[i] = round((input[i] - offset) / scale)
  return output
}

/** To the nearest integer, half away from zero; adding 0.5 first would be wrong just below a half. */
function round(value: number): number {
  const whole = Math.trunc(value)
  const rest = value - whole
  return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
}

function toIntegers(values: Float64Array, width: ElementSize): Uint8Array {
  const end = 2 ** (8 * width - 1)
  for (let i = 0; i < values.length; i++) {
    if (!(values[i] >= -end && values[i] < end)) {
      throw new InspectError('BAD_VALUE', `expected scaled values that fit ${8 * width} bits, found ${values[i]}`)
    }
  }
  const output = new Uint8Array(values.length * width)
  if (width === 8) toLanes(values, u32(output))
  else integers(output, width).set(values)
  return output
}

function toLanes(values: Float64Array, lanes: Uint32Array): void {
  for (let i = 0; i < values.length; i++) {
    const high = Math.floor(values[i] / 2 ** 32)
    lanes[2 * i] = values[i] - high * 2 ** 32
    lanes[2 * i + 1] = high
  }
}

function integers(bytes: Uint8Array, width: 1 | 2 | 4): Int8Array | Int16Array | Int32Array {
  if (width === 1) return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  const raw = width === 2 ? u16(bytes) : u32(bytes)
  return width === 2
    ? new Int16Array(raw.buffer, raw.byteOffset, raw.length)
    : new Int32Array(raw.buffer, raw.byteOffset, raw.length)
}

function fromIntegers(
  input: Int8Array | Int16Array | Int32Array,
  output: Float32Array | Float64Array,
  config: FilterConfig,
): void {
  const scale = scaleOf(config)
  const offset = offsetOf(config)
  if (output instanceof Float32Array) {
    for (let i = 0; i < input.length; i++) output[i] = scale * Math.fround(input[i]) + offset
  } else {
    for (let i = 0; i < input.length; i++) output[i] = scale * input[i] + offset
  }
}

function fromLanes(lanes: Uint32Array, output: Float32Array | Float64Array, config: FilterConfig): void {
  const scale = scaleOf(config)
  const offset = offsetOf(config)
  if (output instanceof Float32Array) {
    for (let i = 0; i < output.length; i++) output[i] = scale * float32(lanes[2 * i], lanes[2 * i + 1] | 0) + offset
  } else {
    for (let i = 0; i < output.length; i++)
      output[i] = scale * ((lanes[2 * i + 1] | 0) * 2 ** 32 + lanes[2 * i]) + offset
  }
}

/** An int64 rounded to float32 once. Above 2^53 its lowest 11 bits only break ties, so one bit stands for them all. */
function float32(low: number, high: number): number {
  const exact = high >= -0x200000 && high < 0x200000
  const lane = exact || (low & 0x7ff) === 0 ? low : ((low & ~0x7ff) | 0x400) >>> 0
  return Math.fround(high * 2 ** 32 + lane)
}
