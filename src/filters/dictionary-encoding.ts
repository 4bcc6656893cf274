import { NO_BYTES } from '../base/bytes.ts'
import { badValue } from '../base/errors.ts'
import { compressorMetadata, dictionaryMetadata } from '../format/chunk-metadata.ts'
import { encode } from '../format/io.ts'
import { badData, checkLimit, FEW_BYTES } from './bytes.ts'
import type { FilterContext, FilterDefinition, FilteredBytes, FilterParts } from './filter.ts'
import {
  checkStrings,
  countSize,
  offsetsLimits,
  readCount,
  readStrings,
  STRING_GROWTH,
  type StringCells,
  stringCells,
  writeCount,
} from './strings.ts'

const OFFSETS_INSIDE_SINCE: FilterDefinition['offsetsInsideSince'] & object = { STRING_ASCII: 13, STRING_UTF8: 17 }

/**
 * DICTIONARY_ENCODING: stores each var-sized string as the id of its entry in a dictionary. The data then includes the
 * offsets.
 *
 *     metadata  u32 0, u32 1, u32 original length, u32 data length, u32 offsets length (8 a cell), u8 id size,
 *               u8 string length size, u32 dictionary bytes, then per entry length (big-endian, of that size) and string, in
 *               the order of first use
 *     data      per cell its id, big-endian, of the id size
 *
 * TileDB chooses the id size for the number of cells, though the number of distinct strings would do. Writing here does
 * the same.
 *
 * @see format_spec/filters/dictionary_encoding.md, which lists a count of entries that real files do not have
 */
export const dictionaryEncoding: FilterDefinition = {
  since: 13,
  outputType: undefined,
  suits: undefined,
  offsetsInsideSince: OFFSETS_INSIDE_SINCE,
  growth: STRING_GROWTH,
  // At worst, half of the bytes are one long string, and the other half are ids of it with one byte each.
  mostUndone: (stored) => (stored / 2) ** 2,
  // For other data it is the frame of a compressor: see isEmptyFrame.
  metadata: (_datatype, stringOffsets) => (stringOffsets ? dictionaryMetadata : compressorMetadata),
  writingRefusal(_type, { name }, { type, cell_val_num, formatVersion }) {
    const since = cell_val_num === 'var' ? OFFSETS_INSIDE_SINCE[type] : undefined
    if (since === undefined) {
      const found = cell_val_num === 'var' ? `var-sized ${type}` : type
      return `${name} accepts var-sized ${Object.keys(OFFSETS_INSIDE_SINCE).join(' and ')} only, not ${found}`
    }
    return formatVersion < since ? `${name} accepts ${type} since format version ${since}` : undefined
  },
  load: async () => ({
    forward(parts, _config, cx) {
      if (!cx.stringOffsets) throw badValue(NOT_STRINGS)
      return compress(parts)
    },
    reverse(bytes, _config, cx) {
      if (cx.stringOffsets) return decompress(bytes, cx)
      if (isEmptyFrame(bytes)) return { metadata: bytes.metadata.subarray(COUNTS_BYTES), data: NO_BYTES }
      throw badData(NOT_STRINGS)
    },
  }),
}

/** Bytes of the two counts of parts, both 0. */
const COUNTS_BYTES = 8

/**
 * Whether a chunk is the frame of a compressor without parts. TileDB 2.12 wrote it, and can read it, for an empty tile of
 * CHAR[var] cells, whose offsets have a tile of their own. TileDB refuses to filter any other data that is not strings.
 */
function isEmptyFrame({ metadata, data }: FilteredBytes): boolean {
  return (
    data.length === 0 &&
    metadata.length >= COUNTS_BYTES &&
    metadata.subarray(0, COUNTS_BYTES).every((byte) => byte === 0)
  )
}

const NOT_STRINGS = { expected: 'var-sized strings for DICTIONARY_ENCODING', found: 'other data' }

function compress(parts: FilterParts): FilterParts {
  const cells = stringCells(parts, 'DICTIONARY_ENCODING')
  const id_size = countSize(cells.count)
  const ids = new Uint8Array(cells.count * id_size)
  const table = new StringTable(cells)
  let longest = 0
  let at = 0
  for (let cell = 0; cell < cells.count; cell++) {
    longest = Math.max(longest, cells.length(cell))
    at = writeCount(ids, at, id_size, table.idOf(cell))
  }
  const string_length_size = countSize(longest)
  const dictionary = entries(cells, table.cells(), string_length_size)
  const described = { part: cells.part(ids.length), id_size, string_length_size, dictionary }
  return { metadata: [encode(described, dictionaryMetadata)], data: [ids] }
}

/** Returns the dictionary of the strings in the cells `firsts`. */
function entries(cells: StringCells, firsts: Uint32Array, lengthSize: number): Uint8Array {
  let length = 0
  for (const cell of firsts) length += lengthSize + cells.length(cell)
  const out = new Uint8Array(length)
  let at = 0
  for (const cell of firsts) at = cells.copyTo(out, writeCount(out, at, lengthSize, cells.length(cell)), cell)
  return out
}

/** A slot of the table without a string. */
const FREE = -1

/** A hash table that gives each distinct string an id. An id refers to the first cell with its string. */
class StringTable {
  private size = 0
  private readonly strings: StringCells
  private readonly slots: Int32Array
  private readonly firsts: Uint32Array

  constructor(cells: StringCells) {
    this.strings = cells
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(cells.count + 1) + 1)).fill(FREE)
    this.firsts = new Uint32Array(cells.count)
  }

  /** Returns the first cell of each string, by id. */
  cells(): Uint32Array {
    return this.firsts.subarray(0, this.size)
  }

  idOf(cell: number): number {
    const { strings, slots, firsts } = this
    const mask = slots.length - 1
    for (let slot = this.hash(cell) & mask; ; slot = (slot + 1) & mask) {
      const id = slots[slot] ?? FREE
      if (id >= 0) {
        if (strings.same(cell, firsts[id] ?? 0)) return id
      } else {
        slots[slot] = this.size
        firsts[this.size] = cell
        return this.size++
      }
    }
  }

  private hash(cell: number): number {
    const { data } = this.strings
    const end = this.strings.end(cell)
    let hash = 0x811c9dc5
    for (let i = this.strings.start(cell); i < end; i++) hash = Math.imul(hash ^ (data[i] ?? 0), 0x01000193)
    return (hash ^ (hash >>> 15)) >>> 0
  }
}

function decompress(bytes: FilteredBytes, cx: FilterContext): FilteredBytes {
  const { value, count } = readStrings(bytes, dictionaryMetadata, ['id_size', 'string_length_size'])
  const { id_size: idSize, string_length_size: stringSize, dictionary } = value
  if (count * idSize !== bytes.data.length) {
    throw badData(
      { expected: `${count} ids of ${idSize} bytes`, found: `${bytes.data.length} bytes` },
      'offsets_length',
    )
  }
  checkLimit(8 * count, offsetsLimits(cx), 'offsets_length')
  const { starts, lengths } = entriesOf(dictionary, stringSize, cx)
  const ids = idsOf(bytes.data, idSize, count)
  let strings = 0
  // By index, because with iterators the loops over all cells take a tenth longer.
  for (let cell = 0; cell < count; cell++) {
    const id = ids[cell] ?? 0
    const length = lengths[id]
    if (length === undefined) throw badData({ expected: `an id below ${lengths.length}`, found: id })
    strings += length
  }
  checkStrings(value.part, strings, cx)
  const data = new Uint8Array(strings)
  const offsets = new Float64Array(count)
  let to = 0
  for (let cell = 0; cell < count; cell++) {
    const id = ids[cell] ?? 0
    // The dictionary has every id: the sum above has found their lengths.
    const start = starts[id] ?? 0
    const size = lengths[id] ?? 0
    offsets[cell] = to
    // Without copyBytes for the same reason as in RLE.
    if (size > FEW_BYTES) data.set(dictionary.subarray(start, start + size), to)
    else for (let i = 0; i < size; i++) data[to + i] = dictionary[start + i] ?? 0
    to += size
  }
  return { metadata: NO_BYTES, data, offsets }
}

/** Reads the ids. An id above the uint32 range becomes the largest uint32, which is out of range for every dictionary. */
function idsOf(data: Uint8Array, idSize: number, count: number): Uint32Array {
  const ids = new Uint32Array(count)
  if (idSize === 1) ids.set(data)
  else if (idSize === 2) for (let i = 0; i < count; i++) ids[i] = readCount(data, 2 * i, 2)
  else for (let i = 0; i < count; i++) ids[i] = Math.min(readCount(data, i * idSize, idSize), 0xffffffff)
  return ids
}

/** Returns the start and the length of the string of each entry in the dictionary. */
function entriesOf(
  dictionary: Uint8Array,
  lengthSize: number,
  cx: FilterContext,
): { starts: Uint32Array; lengths: Uint32Array } {
  let count = 0
  for (let at = 0; at < dictionary.length; count++) at = entryEnd(dictionary, at, lengthSize)
  checkLimit(8 * count, offsetsLimits(cx), 'dictionary')
  const starts = new Uint32Array(count)
  const lengths = new Uint32Array(count)
  let at = 0
  for (let id = 0; id < count; id++) {
    const end = entryEnd(dictionary, at, lengthSize)
    starts[id] = at + lengthSize
    lengths[id] = end - at - lengthSize
    at = end
  }
  return { starts, lengths }
}

function entryEnd(dictionary: Uint8Array, at: number, lengthSize: number): number {
  const left = dictionary.length - at - lengthSize
  const length = left < 0 ? 0 : readCount(dictionary, at, lengthSize)
  if (length > left)
    throw badData({ expected: `an entry of ${lengthSize} + ${length} bytes`, found: left + lengthSize }, 'dictionary')
  return at + lengthSize + length
}
