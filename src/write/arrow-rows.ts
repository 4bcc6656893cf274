import type { Batch, DataType, DictionaryType, Field, RecordBatch } from '@uwdata/flechette'
import { CompressionType, Endianness, Type } from '@uwdata/flechette/src/constants.js'
import { createTable } from '@uwdata/flechette/src/decode/table-from-ipc.js'
import { NO_BYTES } from '../base/bytes.ts'
import { addPlace, badValue, InspectError } from '../base/errors.ts'
import { sum } from '../base/sum.ts'
import type { Codecs } from '../filters/codecs/codecs.ts'
import { undoLz4Frame } from '../filters/codecs/lz4-frame.ts'
import { arrowMessages } from './arrow-messages.ts'
import { type BatchReader, batchReader, indexBatchReader } from './arrow-values.ts'
import { type Row, type RowField, type RowInput, type RowValue, refuseTwice } from './ndjson-cells.ts'

/** Start and end of an Arrow file. */
const MAGIC = 'ARROW1'
/** Files that are easily taken for Arrow IPC. */
const OTHERS: readonly (readonly [magic: string, what: string])[] = [
  ['FEA1', 'Feather version 1: write it as version 2, which is Arrow IPC'],
  ['PAR1', 'Parquet: write it as Arrow IPC'],
]

function beginsWith(bytes: Uint8Array, text: string): boolean {
  return String.fromCharCode(...bytes.subarray(0, text.length)) === text
}

/**
 * Rows of an Arrow IPC stream or file, which is held in memory as a whole. Columns with a dictionary have values of enumerations, never
 * indexes.
 * @param read returns all bytes
 */
export function arrowRows(read: () => Promise<Uint8Array>, codecs: Codecs): RowInput['each'] {
  return async (take, fields) => {
    const bytes = await read()
    refuseOthers(bytes)
    const { schema, records, dictionaries, dictsBeforeRecord } = decoded(() => arrowMessages(bytes))
    if (!schema) throw badValue({ expected: 'an Arrow IPC stream or file', found: 'no schema in it' })
    if (schema.endianness === Endianness.Big)
      throw badValue({
        expected: 'little-endian Arrow data',
        found: 'big-endian: write it again on a little-endian machine',
      })
    refuseTwice(schema.fields)
    const names = schema.fields.map(({ name }) => name)
    const values = new DictionaryValues()
    const readers = schema.fields.map(({ name, type }): BatchReader => {
      if (type.typeId !== Type.Dictionary) return batchReader(type, fields.of(name), name)
      fields.takeLabels(name)
      return values.column(type, fields.of(name), name)
    })
    // Columns with a dictionary are read as the integers that are stored: the indexes.
    const stored = schema.fields.map((field) =>
      field.type.typeId === Type.Dictionary ? { ...field, type: field.type.indices } : field,
    )
    const batches = [...(records ?? []), ...(dictionaries ?? []).map(({ data }) => data)]
    const undo = await decompressors(batches, codecs)
    let row = 0
    let known = 0
    for (const [b, record] of (records ?? []).entries()) {
      while (known < (dictsBeforeRecord?.[b] ?? 0)) {
        const { body, ...one } = (dictionaries ?? [])[known++]
        decoded(() => values.add(one, (type) => batchColumns([{ ...schema.fields[0], type }], one.data, body, undo)[0]))
      }
      const { length = 0 } = record
      const columns = decoded(() => batchColumns(stored, record, record.body, undo)).map((batch, c) => {
        if (batch.length !== length)
          throw badValue({ expected: `${length} rows in a batch`, found: batch.length }, { field: names[c] })
        return decoded(() => readers[c](batch), names[c])
      })
      for (let i = 0; i < length; i++) {
        take(`row ${++row}`, () => {
          const cell: Row = {}
          for (const [c, name] of names.entries()) cell[name] = decoded(() => columns[c](i), name)
          return cell
        })
      }
    }
  }
}

/** The values of dictionaries. A later dictionary replaces an earlier one, or adds to it. */
class DictionaryValues {
  private readonly columns: { type: DictionaryType; read: BatchReader; values: RowValue[] }[] = []

  /** A reader of a column's indexes. */
  column(type: DictionaryType, to: RowField, name: string): BatchReader {
    const column = { type, read: batchReader(type.dictionary, to, name), values: [] as RowValue[] }
    this.columns.push(column)
    return indexBatchReader(() => column.values)
  }

  /** Adds a dictionary. @param batch reads it as values of a type */
  add({ id, isDelta }: { id: number; isDelta: boolean }, batch: (type: DataType) => Batch<unknown>): void {
    for (const column of this.columns) {
      if (column.type.id !== id) continue
      const more = batch(column.type.dictionary)
      const value = column.read(more)
      const added = Array.from({ length: more.length }, (_, i) => value(i))
      column.values = isDelta ? [...column.values, ...added] : added
    }
  }
}

/** The columns of a batch. */
function batchColumns(
  fields: Field[],
  batch: RecordBatch,
  body: Uint8Array = NO_BYTES,
  undo: readonly (Decompress | undefined)[],
): Batch<unknown>[] {
  const whole = uncompressed(batch, body, undo)
  const { children } = createTable({ schema: { fields }, dictionaries: [], records: [whole], metadata: null })
  return children.map(({ data }) => data[0])
}

function refuseOthers(bytes: Uint8Array): void {
  const other = OTHERS.find(([magic]) => beginsWith(bytes, magic))
  if (other) throw badValue({ expected: 'an Arrow IPC stream or file', found: other[1] })
  if (beginsWith(bytes, MAGIC) && !beginsWith(bytes.subarray(-MAGIC.length), MAGIC))
    throw badValue({ expected: `an Arrow file that ends in ${MAGIC}`, found: 'other bytes: it may be cut' })
}

/** The result of decoding. Errors of the decoder itself become errors about a damaged file. @param field the column, for errors */
function decoded<T>(work: () => T, field?: string): T {
  try {
    return work()
  } catch (error) {
    const at = field === undefined ? {} : { field }
    if (error instanceof InspectError) throw addPlace(error, at)
    const why = error instanceof Error ? error.message : String(error)
    throw badValue({ expected: 'an Arrow IPC stream or file', found: `what cannot be read: ${why}` }, at, {
      cause: error,
    })
  }
}

/** Bytes of the unfiltered length before each compressed buffer. */
const LENGTH_BYTES = 8
/** Stands in place of that length if the buffer is not compressed. */
const NOT_COMPRESSED = -1n
/** Limit on the uncompressed bytes of a buffer. */
const LONGEST = 2n ** 32n

type Decompress = (data: Uint8Array, size: number) => Uint8Array

/** Decompressors for batches, by Arrow's numbers of the compressions: LZ4, ZSTD. */
async function decompressors(
  batches: readonly RecordBatch[],
  codecs: Codecs,
): Promise<readonly (Decompress | undefined)[]> {
  const zstd = batches.some(({ compression }) => compression?.codec === CompressionType.ZSTD)
  return [undoLz4Frame, zstd ? (await codecs.zstd()).decompress : undefined]
}

/** A batch without compression. Its buffers follow one another, each at a multiple of 8 bytes. */
function uncompressed(batch: RecordBatch, body: Uint8Array, undo: readonly (Decompress | undefined)[]): RecordBatch {
  const { regions, nodes, variadic, compression } = batch
  const buffers = regions.map(({ offset, length }) => {
    if (offset < 0 || length < 0 || offset + length > body.length)
      throw badValue({
        expected: `a buffer inside the ${body.length} bytes of its batch`,
        found: `${length} bytes at ${offset}`,
      })
    const buffer = body.subarray(offset, offset + length)
    return compression && length > 0 ? uncompressedBuffer(buffer, undo[compression.codec]) : buffer
  })
  const all = new Uint8Array(sum(buffers, ({ length }) => padded(length)))
  // Every value takes at least one bit, except in a column of nulls.
  const most = Math.max(8 * all.length, batch.length ?? 0)
  const long = nodes.find(({ length }) => length < 0 || length > most)
  if (long) throw badValue({ expected: `at most ${most} values in a batch of ${all.length} bytes`, found: long.length })
  const views = variadic.find((count) => count < 0 || count > regions.length)
  if (views !== undefined) throw badValue({ expected: `at most ${regions.length} buffers of a view`, found: views })
  let at = 0
  const places = buffers.map((buffer) => {
    all.set(buffer, at)
    const place = { offset: at, length: buffer.length }
    at += padded(buffer.length)
    return place
  })
  return { ...batch, regions: places, compression: null, body: all }
}

function padded(length: number): number {
  return Math.ceil(length / 8) * 8
}

function uncompressedBuffer(buffer: Uint8Array, undo: Decompress | undefined): Uint8Array {
  if (!undo) throw badValue({ expected: 'buffers under LZ4 or ZSTD', found: 'another compression' })
  if (buffer.length < LENGTH_BYTES) throw badValue({ expected: 'a length of 8 bytes', found: `${buffer.length} bytes` })
  const size = new DataView(buffer.buffer, buffer.byteOffset).getBigInt64(0, true)
  const rest = buffer.subarray(LENGTH_BYTES)
  if (size === NOT_COMPRESSED) return rest
  if (size < 0n || size > LONGEST) throw badValue({ expected: 'a length of at most 4 GiB', found: size })
  return undo(rest, Number(size))
}
