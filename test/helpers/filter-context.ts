import { expect } from '@jest/globals'
import { concat } from '../../src/base/bytes.ts'
import { InspectError } from '../../src/base/errors.ts'
import { hex } from '../../src/filters/bytes.ts'
import type { Filter, FilterContext, FilterDefinition, FilteredBytes, FilterParts } from '../../src/filters/filter.ts'
import { type Datatype, datatypeSize } from '../../src/format/datatype.ts'
import type { FilterConfig } from '../../src/format/filter-pipeline.ts'
import { portableCodecs } from '../../src/node/node-codecs.ts'
import type { Random } from './random.ts'

export function loaded(definition: FilterDefinition): Promise<Filter> {
  return definition.load(portableCodecs)
}

/** The context that a filter gets for a tile with one value of `datatype` per cell. */
export function filterContext(datatype: Datatype, overrides: Partial<FilterContext> = {}): FilterContext {
  const cellSize = datatypeSize(datatype)
  return { datatype, cellSize, formatVersion: 22, limit: 1 << 20, stringOffsets: false, ...overrides }
}

/** Parses hex digits. Spaces between them are ignored. */
export function bytesOf(text: string): Uint8Array {
  const digits = text.replaceAll(/\s/g, '')
  const out = new Uint8Array(digits.length / 2)
  for (let i = 0; i < out.length; i++) out[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16)
  return out
}

/** Encodes little-endian integers of `size` bytes each. */
export function integers(size: number, values: readonly (number | bigint)[]): Uint8Array {
  const out = new Uint8Array(size * values.length)
  values.forEach((value, i) => {
    let left = BigInt(value)
    for (let j = 0; j < size; j++) {
      out[i * size + j] = Number(left & 0xffn)
      left >>= 8n
    }
  })
  return out
}

/** Decodes little-endian integers of `size` bytes each. */
export function integersOf(bytes: Uint8Array, size: number, signed: boolean): bigint[] {
  const out: bigint[] = []
  for (let i = 0; i + size <= bytes.length; i += size) {
    let value = 0n
    for (let j = size - 1; j >= 0; j--) value = (value << 8n) | BigInt(bytes[i + j])
    out.push(signed ? BigInt.asIntN(8 * size, value) : value)
  }
  return out
}

export function u32(...values: number[]): Uint8Array {
  return integers(4, values)
}

/** A copy that does not begin at an aligned address, like most parts of a file. */
export function unaligned(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length + 3)
  out.set(bytes, 3)
  return out.subarray(3)
}

/** The bytes of a chunk as they are stored: all parts, concatenated. */
export function stored(parts: FilterParts): FilteredBytes {
  return { metadata: unaligned(concat(parts.metadata)), data: unaligned(concat(parts.data)) }
}

/** A chunk as hex, to compare. */
export function shown(bytes: FilteredBytes): { metadata: string; data: string } {
  return { metadata: hex(bytes.metadata), data: hex(bytes.data) }
}

/** One chunk as a release of TileDB wrote it, and what it holds. */
export interface Vector {
  datatype: Datatype
  config?: Partial<FilterConfig>
  context?: Partial<FilterContext>
  metadata: string
  data: string
  unfiltered: Uint8Array
  offsets?: readonly number[]
}

export function reverseVector(filter: Filter, name: FilterConfig['name'], vector: Vector): FilteredBytes {
  const cx = filterContext(vector.datatype, vector.context)
  const bytes = { metadata: unaligned(bytesOf(vector.metadata)), data: unaligned(bytesOf(vector.data)) }
  return filter.reverse(bytes, { name, ...vector.config }, cx)
}

export function forwardVector(filter: Filter, name: FilterConfig['name'], vector: Vector): FilteredBytes {
  const cx = filterContext(vector.datatype, vector.context)
  const parts: FilterParts = { metadata: [], data: [unaligned(vector.unfiltered)] }
  if (vector.offsets) parts.offsets = Float64Array.from(vector.offsets)
  return stored(filter.forward(parts, { name, ...vector.config }, cx))
}

/** Expects that reverse after forward returns the parts, concatenated. */
export function expectRoundTrip(filter: Filter, parts: FilterParts, config: FilterConfig, cx: FilterContext): void {
  const before = parts.data.map((part) => hex(part))
  const back = filter.reverse(stored(filter.forward(parts, config, cx)), config, cx)
  expect(hex(back.data)).toBe(before.join(''))
  expect(hex(back.metadata)).toBe(hex(concat(parts.metadata)))
  expect(parts.data.map((part) => hex(part))).toEqual(before)
}

/**
 * Tries truncated, changed and random chunks. Each must either be undone, to no more bytes than the limit, or throw InspectError.
 * @returns the number of chunks that threw
 */
export function refusals(
  filter: Filter,
  config: FilterConfig,
  cx: FilterContext,
  valid: FilteredBytes,
  random: Random,
): number {
  const tries: FilteredBytes[] = []
  for (let i = 0; i < valid.metadata.length; i++) tries.push({ ...valid, metadata: valid.metadata.subarray(0, i) })
  for (let i = 0; i < valid.data.length; i++) tries.push({ ...valid, data: valid.data.subarray(0, i) })
  for (let i = 0; i < 400; i++) {
    const metadata = valid.metadata.slice()
    const data = valid.data.slice()
    const target = data.length === 0 || (metadata.length > 0 && random.below(2) === 0) ? metadata : data
    for (let j = random.below(3); j >= 0 && target.length > 0; j--) {
      target[random.below(target.length)] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)])
    }
    tries.push({ metadata, data })
  }
  for (let i = 0; i < 200; i++)
    tries.push({ metadata: random.bytes(random.below(48)), data: random.bytes(random.below(48)) })
  let refused = 0
  for (const bytes of tries) {
    try {
      const out = filter.reverse(bytes, config, cx)
      expect(out.data.length).toBeLessThanOrEqual(cx.limit)
    } catch (error) {
      if (!(error instanceof InspectError)) throw error
      refused++
    }
  }
  return refused
}
