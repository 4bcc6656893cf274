import type { DataType } from '@uwdata/flechette'
import { field, float32, float64, int32, int64, list, utf8 } from '@uwdata/flechette/src/data-types.js'
import { concat, NO_BYTES } from '../base/bytes.ts'
import type { Output } from '../base/result.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import { allRows } from '../cells/column.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import { encodeText } from '../format/text.ts'
import type { CallField } from '../genomicsdb/call-fields.ts'
import { FIRST_FIELD } from '../genomicsdb/calls.ts'
import type { ListElement, ListOf, ListValue } from '../genomicsdb/values.ts'
import type { ArrowColumn, CellEncoder } from '../rows/arrow-column.ts'
import type { ArrowBody } from '../rows/arrow-stream.ts'
import { bitmap, underlyingBytes } from '../rows/arrow-values.ts'
import { type RecordStyle, writeRecords } from '../rows/records.ts'

/** The columns of calls, and what makes lists of those that are lists. */
interface CallColumns {
  columns: readonly ColumnType[]
  lists: readonly (ListOf | undefined)[]
  fields: readonly CallField[]
}

/** Writes calls as record batches: lists as lists, with null for elements that are missing. */
export async function writeCallRecords(
  { columns, lists, fields }: CallColumns,
  batches: AsyncIterable<CellBatch>,
  out: Output,
  { limit, ...style }: RecordStyle & { limit: number },
): Promise<void> {
  const shown = columns.map((column, c): ArrowColumn => {
    const one = lists[c]
    const named = fields[c - FIRST_FIELD]
    return one && named ? { ...column, made: true, cells: listCells(named, one) } : { ...column, made: true }
  })
  await writeRecords({ columns: shown, batches: limited(batches, limit) }, out, style)
}

async function* limited(batches: AsyncIterable<CellBatch>, limit: number): AsyncGenerator<CellBatch> {
  let left = limit
  if (left <= 0) return
  for await (const batch of batches) {
    yield batch.cell_num <= left ? batch : { ...batch, rows: allRows(left) }
    left -= batch.cell_num
    if (left <= 0) return
  }
}

/** The elements of lists: their type, and their buffers. */
interface Elements {
  type: DataType
  buffers(items: readonly ListElement[]): Uint8Array[]
}

function numbers(type: DataType, values: (items: readonly ListElement[]) => ArrayBufferView): Elements {
  return {
    type,
    buffers(items) {
      const { buffer, byteOffset, byteLength } = values(items)
      return [new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)]
    },
  }
}

const INT32 = numbers(int32(), (items) => Int32Array.from(items, Number))

const NUMBERS: { readonly [type in Datatype]?: Elements } = {
  INT64: numbers(int64(), (items) => BigInt64Array.from(items, (one) => BigInt(one ?? 0))),
  FLOAT32: numbers(float32(), (items) => Float32Array.from(items, Number)),
  FLOAT64: numbers(float64(), (items) => Float64Array.from(items, Number)),
}

const TEXTS: Elements = {
  type: utf8(),
  buffers(items) {
    const texts = items.map((one) => encodeText(String(one ?? '')))
    const offsets = new Int32Array(items.length + 1)
    for (const [i, text] of texts.entries()) offsets[i + 1] = (offsets[i] ?? 0) + text.length
    return [underlyingBytes(offsets), concat(texts)]
  },
}

function elementsOf({ form, stored, item }: CallField): Elements {
  const type = form === 'nested' ? item : stored.type
  return datatypeKind(type) === 'text' || form === 'filters' ? TEXTS : (NUMBERS[type] ?? INT32)
}

function listCells(call: CallField, lists: ListOf): CellEncoder {
  const elements = elementsOf(call)
  const depth = call.form === 'nested' ? 2 : 1
  const item = depth === 2 ? list(field('item', elements.type, true)) : elements.type
  return {
    type: list(field('item', item, true)),
    nullable: true,
    encode(data, count, body) {
      const cells = Array.from({ length: count }, (_, cell) => lists(data, cell))
      addLists(cells, depth, elements, body)
    },
  }
}

/** Adds lists, and below them the lists or elements in them. */
function addLists(cells: readonly (ListValue | null)[], depth: number, elements: Elements, body: ArrowBody): void {
  addNode(cells, body)
  const offsets = new Int32Array(cells.length + 1)
  const items: ListValue[number][] = []
  for (const [i, cell] of cells.entries()) {
    for (const one of cell ?? []) items.push(one)
    offsets[i + 1] = items.length
  }
  body.buffers.push(underlyingBytes(offsets))
  if (depth > 1) {
    addLists(items as readonly (readonly ListElement[])[], depth - 1, elements, body)
    return
  }
  addNode(items, body)
  body.buffers.push(...elements.buffers(items as readonly ListElement[]))
}

/** Adds the length and validity of a field. */
function addNode(values: readonly unknown[], body: ArrowBody): void {
  const validity = Uint8Array.from(values, (one) => (one === null ? 0 : 1))
  const { bits, ones } = bitmap(validity, values.length)
  body.nodes.push({ length: values.length, nullCount: values.length - ones })
  body.buffers.push(ones === values.length ? NO_BYTES : bits)
}
