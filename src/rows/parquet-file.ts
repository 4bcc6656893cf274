import type { Field } from '@uwdata/flechette'
import type { ColumnChunk, ColumnMetaData, Encoding, PageHeader, RowGroup, SchemaElement } from 'hyparquet'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import { latin1Text } from '../base/byte-text.ts'
import type { Output } from '../base/result.ts'
import { VERSION } from '../base/version.ts'
import type { ArrowBody, ArrowDictionaryBody } from './arrow-stream.ts'
import { schemaMessage } from './arrow-stream.ts'
import {
  type ArrowArray,
  arraysOf,
  type Entries,
  indexReader,
  type LeafValues,
  leavesOf,
  mappedEntries,
} from './parquet-entries.ts'
import { type Leaf, parquetSchema, valueType } from './parquet-schema.ts'
import { MAX_BOUND, type ParquetBounds, parquetBoundsOf } from './parquet-statistics.ts'
import { plainValues, type StoredValues, slotSize, storedValues } from './parquet-values.ts'
import type { RecordWriter } from './records.ts'

/** Compresses the bytes of a page as one ZSTD frame. */
export type Compress = (bytes: Uint8Array) => Uint8Array

/** `PAR1` */
const MAGIC = Uint8Array.of(0x50, 0x41, 0x52, 0x31)
/** Bytes of a page, before it is compressed, after which another one begins at the next row. */
const PAGE = 2 ** 20
/** Most bytes of a value in a column that is compressed, as the compressor holds a page twice. */
const MAX_COMPRESSED = 2 ** 26
/** Most bytes of the values of a dictionary, as each row group has all of them. */
const MAX_DICTIONARY = PAGE

/**
 * Writes a Parquet file, one row group for each record batch. Memory holds the batch, and one page.
 *
 * Row groups have data pages of version 1, which every reader knows.
 * @see https://github.com/apache/parquet-format
 */
export class ParquetWriter implements RecordWriter {
  private readonly out: Output
  private readonly fields: Field[]
  private readonly compress: Compress
  private readonly elements: SchemaElement[]
  private readonly leaves: readonly Leaf[]
  private readonly dictionaries = new Map<number, ArrowArray>()
  private readonly groups: RowGroup[] = []
  private rowNum = 0n
  /** Bytes written. */
  private at = 0

  constructor(out: Output, fields: Field[], compress: Compress) {
    this.out = out
    this.fields = fields
    this.compress = compress
    const { elements, leaves } = parquetSchema(fields)
    this.elements = elements
    this.leaves = leaves
  }

  async start(dictionaries: readonly ArrowDictionaryBody[]): Promise<void> {
    for (const { id, body } of dictionaries) {
      const field = this.fields.find(({ type }) => type.typeId === -1 && type.id === id)
      if (!field) throw new TypeError('a dictionary has a field')
      const [values] = arraysOf([{ ...field, type: valueType(field.type), nullable: false }], body)
      this.dictionaries.set(id, values)
    }
    await this.put(MAGIC)
  }

  async write(body: ArrowBody): Promise<void> {
    const arrays = arraysOf(this.fields, body)
    const begin = this.at
    const columns: ColumnChunk[] = []
    for (const array of arrays)
      for (const values of leavesOf(array, this.dictionaries))
        columns.push(await this.writeChunk(this.leaves[columns.length], values))
    const num_rows = BigInt(arrays[0]?.length ?? 0)
    const total_byte_size = columns.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n)
    this.rowNum += num_rows
    this.groups.push({ columns, total_byte_size, num_rows, total_compressed_size: BigInt(this.at - begin) })
  }

  async end(): Promise<void> {
    if (this.groups.length === 0) this.groups.push(this.noRows())
    const writer = new ByteWriter()
    // pyarrow and others take from Arrow's schema what Parquet cannot say: durations, lists of a fixed length, dictionaries.
    const arrowSchema = base64(schemaMessage(this.fields))
    const metadata = {
      version: 2,
      created_by: `tiledb-inspect version ${VERSION}`,
      schema: this.elements,
      num_rows: this.rowNum,
      row_groups: this.groups,
      key_value_metadata: [{ key: 'ARROW:schema', value: arrowSchema }],
      // The writer counts it.
      metadata_length: 0,
    }
    writeMetadata(writer, metadata, MAX_BOUND)
    writer.appendBytes(MAGIC)
    await this.put(writer.getBytes())
  }

  /**
   * A row group without rows, as pyarrow writes it. The writer of the metadata gives a list without elements the type 0, which readers
   * written in Rust refuse.
   */
  private noRows(): RowGroup {
    const at = BigInt(this.at)
    const columns = this.leaves.map(({ path, element }): ColumnChunk => {
      const sizes = { num_values: 0n, total_uncompressed_size: 0n, total_compressed_size: 0n }
      const stored: Pick<ColumnMetaData, 'codec' | 'encodings'> = { codec: 'UNCOMPRESSED', encodings: ['PLAIN', 'RLE'] }
      const meta_data = { type: element.type, path_in_schema: path, data_page_offset: at, ...stored, ...sizes }
      return { file_offset: at, meta_data }
    })
    return { columns, total_byte_size: 0n, num_rows: 0n, total_compressed_size: 0n }
  }

  private async writeChunk({ path, element }: Leaf, values: LeafValues): Promise<ColumnChunk> {
    const begin = this.at
    const pages = new Pages(element, values)
    let isPacked = pages.isPacked()
    let uncompressed = 0
    let data_page_offset: number | undefined
    for (const { header, bytes } of pages.all()) {
      const packed: Uint8Array = isPacked === false ? bytes : this.compress(bytes)
      isPacked ??= packed.length < 0.95 * bytes.length
      const body = isPacked ? packed : bytes
      const head = new ByteWriter()
      writePageHeader(head, { ...header, uncompressed_page_size: bytes.length, compressed_page_size: body.length })
      if (header.data_page_header) data_page_offset ??= this.at
      await this.put(head.getBytes())
      await this.put(body)
      uncompressed += head.offset + bytes.length
    }
    return {
      file_offset: BigInt(begin),
      meta_data: {
        type: element.type,
        encodings: pages.hasDictionary ? ['PLAIN', 'RLE', 'RLE_DICTIONARY'] : ['PLAIN', 'RLE'],
        path_in_schema: path,
        codec: isPacked ? 'ZSTD' : 'UNCOMPRESSED',
        num_values: BigInt(values.entries.count),
        total_uncompressed_size: BigInt(uncompressed),
        total_compressed_size: BigInt(this.at - begin),
        data_page_offset: BigInt(data_page_offset ?? begin),
        ...(pages.hasDictionary && { dictionary_page_offset: BigInt(begin) }),
        statistics: { ...pages.bounds(), null_count: BigInt(pages.nullNum) },
      },
    }
  }

  private async put(bytes: Uint8Array): Promise<void> {
    this.at += bytes.length
    await this.out.write(bytes)
  }
}

interface Page {
  header: Pick<PageHeader, 'type' | 'data_page_header' | 'dictionary_page_header'>
  bytes: Uint8Array
}

/** The pages of a column in a row group. */
class Pages {
  readonly nullNum: number
  private readonly element: Leaf['element']
  private readonly entries: Entries
  private readonly values: StoredValues
  /** Set if pages have indexes of a dictionary, which the first page holds. */
  private readonly indexes: ((slot: number) => number) | undefined
  private readonly valueNum: number

  constructor(element: Leaf['element'], { entries, array, dictionary }: LeafValues) {
    this.element = element
    const from = dictionary ?? array
    this.values = storedValues(from, element.type)
    this.valueNum = from.length
    const isShort = this.values.bytes.length <= MAX_DICTIONARY && from.length <= array.length && from.length > 0
    const indexes = dictionary && indexReader(array)
    this.indexes = isShort ? indexes : undefined
    this.entries = indexes && !isShort ? mappedEntries(entries, indexes) : entries
    this.nullNum = entries.slots ? entries.slots.reduce((count, slot) => count + (slot < 0 ? 1 : 0), 0) : 0
  }

  get hasDictionary(): boolean {
    return this.indexes !== undefined
  }

  /**
   * Whether pages are compressed. Undefined if the first one decides: a column that does not shrink is not compressed, so that reading
   * it is faster. A dictionary is too short to decide.
   */
  isPacked(): boolean | undefined {
    const { ends, size } = this.values
    let longest = size
    if (ends) for (let i = 1; i < ends.length; i++) longest = Math.max(longest, ends[i] - ends[i - 1])
    if (longest > MAX_COMPRESSED) return false
    return this.hasDictionary ? true : undefined
  }

  /** The smallest and the largest value. Those of a dictionary that no row has do not count. */
  bounds(): ParquetBounds {
    const { element, values, indexes } = this
    const { count, slots } = this.entries
    if (!slots && !indexes) return parquetBoundsOf(element, values, { length: count, at: undefined })
    const isUsed = new Uint8Array(this.valueNum)
    for (let i = 0; i < count; i++) {
      const slot = slots ? slots[i] : i
      if (slot >= 0) isUsed[indexes ? indexes(slot) : slot] = 1
    }
    const at = new Uint32Array(isUsed.reduce((sum, one) => sum + one, 0))
    let length = 0
    for (const [slot, one] of isUsed.entries()) if (one > 0) at[length++] = slot
    return parquetBoundsOf(element, values, { length, at })
  }

  *all(): Generator<Page> {
    const { entries, values, valueNum, element } = this
    if (this.indexes) {
      const header = { num_values: valueNum, encoding: 'PLAIN' } as const
      const bytes = plainValues(values, element.type, undefined, [0, valueNum])
      yield { header: { type: 'DICTIONARY_PAGE', dictionary_page_header: header }, bytes }
    }
    for (let from = 0; from < entries.count; ) {
      const to = this.endFrom(from)
      yield this.page(from, to)
      from = to
    }
  }

  /** The end of a page that begins with entry `from`: the next row after {@link PAGE} bytes. */
  private endFrom(from: number): number {
    const { count, slots, repetition } = this.entries
    const { values, indexes } = this
    let room = PAGE
    let to = from
    while (to < count && (room > 0 || (repetition && repetition[to] !== 0))) {
      const slot = slots ? slots[to] : to
      room -= indexes || slot < 0 ? 2 : slotSize(values, slot)
      to++
    }
    return to
  }

  private page(from: number, to: number): Page {
    const { slots, repetition, definition, depth } = this.entries
    const { values, indexes, element } = this
    const parts = new ByteWriter()
    if (repetition) addLevels(parts, repetition.subarray(from, to), depth)
    if (definition > 0) addLevels(parts, definitionLevels(slots, definition, from, to), definition)
    parts.appendBytes(
      indexes ? this.indexBytes(indexes, from, to) : plainValues(values, element.type, slots, [from, to]),
    )
    const encoding: Encoding = indexes ? 'RLE_DICTIONARY' : 'PLAIN'
    const header = {
      num_values: to - from,
      encoding,
      definition_level_encoding: 'RLE',
      repetition_level_encoding: 'RLE',
    } as const
    return { header: { type: 'DATA_PAGE', data_page_header: header }, bytes: parts.getBytes() }
  }

  private indexBytes(indexes: (slot: number) => number, from: number, to: number): Uint8Array {
    const { slots } = this.entries
    const found = new Uint32Array(to - from)
    let count = 0
    for (let i = from; i < to; i++) {
      const slot = slots ? slots[i] : i
      if (slot >= 0) found[count++] = indexes(slot)
    }
    const width = Math.max(1, bitWidth(this.valueNum - 1))
    const out = new ByteWriter()
    out.appendUint8(width)
    writeRleBitPackedHybrid(out, found.subarray(0, count), width)
    return out.getBytes()
  }
}

/** Adds levels as pages of version 1 have them: their length, and then their runs. */
function addLevels(to: ByteWriter, levels: Uint8Array, most: number): void {
  const runs = new ByteWriter()
  writeRleBitPackedHybrid(runs, levels, bitWidth(most))
  to.appendUint32(runs.offset)
  to.appendBytes(runs.getBytes())
}

function definitionLevels(slots: Int32Array | undefined, definition: number, from: number, to: number): Uint8Array {
  const levels = new Uint8Array(to - from).fill(definition)
  if (slots) for (let i = from; i < to; i++) if (slots[i] < 0) levels[i - from] = -1 - slots[i]
  return levels
}

/** Bits of numbers up to `most`. */
function bitWidth(most: number): number {
  return most <= 0 ? 0 : 32 - Math.clz32(most)
}

function base64(bytes: Uint8Array): string {
  return btoa(latin1Text(bytes))
}
