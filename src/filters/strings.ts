import { badValue } from '../base/errors.ts'
import type { StringPart } from '../format/chunk-metadata.ts'
import type { AnyIo } from '../format/io.ts'
import { badData, checkLimit, copyBytes, type Limits, wholeMetadata } from './bytes.ts'
import { isElementSize } from './elements.ts'
import type { FilteredBytes, FilterParts } from './filter.ts'

/** What the string layouts of RLE and DICTIONARY_ENCODING share: cells by their offsets, and big-endian counts. */

/**
 * Growth of these filters. A string of one byte takes up to 17: itself, and two counts of 8 bytes. The rest is room for empty strings,
 * which take counts, too, but have no bytes.
 */
export const STRING_GROWTH = 64

/** Returns the bytes of counts up to `largest`: 1, 2, 4 or 8. */
export function countSize(largest: number): number {
  if (largest < 2 ** 8) return 1
  if (largest < 2 ** 16) return 2
  return largest < 2 ** 32 ? 4 : 8
}

/** Reads a big-endian count. The caller has checked that it is within `bytes`. */
export function readCount(bytes: Uint8Array, at: number, size: number): number {
  let count = 0
  for (let i = at; i < at + size; i++) count = count * 256 + (bytes[i] ?? 0)
  return count
}

/** Writes a big-endian count. @returns the offset after it */
export function writeCount(bytes: Uint8Array, at: number, size: number, count: number): number {
  let left = count
  for (let i = at + size - 1; i >= at; i--) {
    bytes[i] = left
    left = Math.floor(left / 256)
  }
  return at + size
}

/** Var-sized strings that are being written. */
export class StringCells {
  readonly data: Uint8Array
  readonly count: number
  readonly offsets: Float64Array

  constructor(data: Uint8Array, offsets: Float64Array) {
    this.data = data
    this.count = offsets.length
    this.offsets = offsets
  }

  start(cell: number): number {
    return this.offsets[cell] ?? 0
  }

  end(cell: number): number {
    return cell + 1 < this.count ? this.start(cell + 1) : this.data.length
  }

  length(cell: number): number {
    return this.end(cell) - this.start(cell)
  }

  /** Writes a string. @returns the offset after it */
  copyTo(out: Uint8Array, at: number, cell: number): number {
    return copyBytes(this.data, this.start(cell), this.end(cell), out, at)
  }

  /** Whether two cells hold the same string. */
  same(one: number, other: number): boolean {
    const from = this.start(one)
    const shift = this.start(other) - from
    const end = this.end(one)
    if (end - from !== this.length(other)) return false
    for (let i = from; i < end; i++) if (this.data[i] !== this.data[i + shift]) return false
    return true
  }

  /** Returns the first fields of the metadata. @param stored bytes of the data */
  part(stored: number): StringPart {
    return { original_length: this.data.length, compressed_length: stored, offsets_length: 8 * this.count }
  }
}

/**
 * Returns the cells to be written.
 * @throws InspectError BAD_VALUE if the filter is not the first, or the offsets are not those of cells in the data
 */
export function stringCells(parts: FilterParts, filter: string): StringCells {
  const { offsets, data, metadata } = parts
  const [strings, ...others] = data
  if (metadata.length > 0 || strings === undefined || others.length > 0 || offsets === undefined) {
    throw badValue(`expected ${filter} of var-sized strings to be the first filter`)
  }
  if (offsets.length === 0) throw badValue({ expected: `at least one cell for ${filter}`, found: 'none' })
  let before = 0
  for (const offset of offsets) {
    if (!(offset >= before)) throw badValue({ expected: 'rising offsets', found: `${offset} after ${before}` })
    before = offset
  }
  if (offsets[0] !== 0 || before > strings.length) {
    throw badValue({ expected: `offsets from 0 to ${strings.length}`, found: `${offsets[0]} to ${before}` })
  }
  return new StringCells(strings, offsets)
}

/**
 * Reads the metadata of strings, and checks it against the chunk. Also returns the number of cells.
 * @param sizes names of the fields with the size of a count
 */
export function readStrings<T extends { part: StringPart }>(
  { metadata, data }: FilteredBytes,
  describe: (io: AnyIo) => T,
  sizes: readonly (keyof T & string)[],
): { value: T; count: number } {
  const value = wholeMetadata(metadata, describe, 'that of the strings')
  const { compressed_length, offsets_length } = value.part
  if (compressed_length !== data.length) {
    throw badData({ expected: `${compressed_length} bytes of data`, found: data.length }, 'compressed_length')
  }
  if (offsets_length % 8 !== 0) throw badData({ expected: '8 bytes a cell', found: offsets_length }, 'offsets_length')
  for (const field of sizes) {
    const size = Number(value[field])
    if (!isElementSize(size)) throw badData({ expected: 'a size of 1, 2, 4 or 8', found: size }, field)
  }
  return { value, count: offsets_length / 8 }
}

/** Checks the total bytes of the strings. Call it before allocating them. */
export function checkStrings(part: StringPart, found: number, limits: Limits): void {
  if (found !== part.original_length) {
    throw badData({ expected: `${part.original_length} bytes of strings`, found }, 'original_length')
  }
  checkLimit(found, limits, 'original_length')
}

/** Bytes of offsets that any chunk may give: 32 Mi cells. Empty strings have offsets, but no bytes that `limit` counts. */
const MIN_OFFSETS_LIMIT = 2 ** 28

/** Returns the upper limits on the bytes of offsets that a chunk may give. */
export function offsetsLimits({ limit, room }: Limits): Limits {
  return { limit: Math.max(limit, MIN_OFFSETS_LIMIT), room }
}
