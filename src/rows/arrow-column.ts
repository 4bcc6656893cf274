import type { DataType, DictionaryType, Field } from '@uwdata/flechette'
import { binary, dictionary, field, fixedSizeList, list, utf8 } from '@uwdata/flechette/src/data-types.js'
import { concat, NO_BYTES } from '../base/bytes.ts'
import { badValue, InspectError, withPlace } from '../base/errors.ts'
import type { ColumnData, ColumnType } from '../cells/column.ts'
import { datatypeKind, datatypeSize } from '../format/datatype.ts'
import { isAscii, isUtf8 } from '../format/text.ts'
import { cellReader } from '../format/value.ts'
import type { ArrowBody, ArrowDictionaryBody } from './arrow-stream.ts'
import {
  type ArrowElements,
  type ArrowValues,
  arrowElements,
  arrowIndexes,
  bitmap,
  type NameCell,
  underlyingBytes,
} from './arrow-values.ts'

/** An enumeration, with its values as bytes. */
export interface ArrowLabels extends Pick<ColumnType, 'name' | 'type' | 'cell_val_num'> {
  ordered: boolean
  values: readonly Uint8Array[]
  /** Called for each cell whose index has no value. The cell becomes null. */
  onMissing(index: number | bigint): void
}

/** A column to write. */
export interface ArrowColumn extends ColumnType {
  /** Enumeration whose values become a dictionary, in place of the stored indexes. */
  labels?: ArrowLabels | undefined
  /** Whether the column is not a field of the fragment. */
  made?: boolean
  /** Writes the cells in another form than their type has, such as lists of texts in one cell. */
  cells?: CellEncoder | undefined
}

/** Adds the cells of a column to a record batch. */
type ColumnEncoder = (data: ColumnData, count: number, body: ArrowBody, name: NameCell) => void

/** Field and functions that write a column. */
export interface ColumnWriter {
  field: Field
  encode: ColumnEncoder
  dictionary: ArrowDictionaryBody | undefined
}

const UTF8 = new TextEncoder()

/** Most values or bytes of a column in a record batch, as Arrow's offsets are int32. */
const MAX_INT32 = 2 ** 31 - 1

/** Returns the writer of a column. @param id number of its dictionary, unique among the columns */
export function columnWriter(column: ArrowColumn, id: number, raw: boolean): ColumnWriter {
  const { name, cell_val_num, labels } = column
  const metadata = new Map([
    ['tiledb:datatype', column.type],
    ['tiledb:cell_val_num', String(cell_val_num)],
  ])
  const named = (type: DataType, nullable: boolean): Field =>
    field(name, type, nullable || column.nullable, column.made ? undefined : metadata)
  if (labels && cell_val_num === 1) {
    const values = labelWriter(labels, id, raw && !column.made)
    const indexes = arrowIndexes(column.type, labels.values.length, labels.onMissing)
    return {
      field: named(
        dictionaryOf(values.field.type, dictionary(values.field.type, indexes.type, labels.ordered, id)),
        indexes.nullable,
      ),
      encode: oneByOne(indexes),
      dictionary: values.dictionary,
    }
  }
  const { type, nullable, encode } = column.cells ?? cellsOf(column, raw)
  return { field: named(type, nullable), encode: placed(name, encode), dictionary: undefined }
}

/**
 * Returns a dictionary type that flechette writes correctly. The field of a dictionary has the children of the type of its values
 * (Schema.fbs, "DictionaryEncoding"), but flechette writes the children of the dictionary type.
 */
function dictionaryOf(values: DataType, type: DictionaryType): DataType {
  return 'children' in values ? Object.assign(type, { children: values.children }) : type
}

function placed(name: string, encode: ColumnEncoder): ColumnEncoder {
  return (data, count, body, nameCell) => withPlace({ field: name }, () => encode(data, count, body, nameCell))
}

function labelWriter(labels: ArrowLabels, id: number, raw: boolean): { field: Field; dictionary: ArrowDictionaryBody } {
  const { name, type, cell_val_num, values } = labels
  const column: ColumnType = { name, kind: 'attribute', type, cell_val_num, nullable: false }
  const writer = columnWriter(column, id, raw)
  const starts = new Float64Array(values.length + 1)
  values.forEach((value, i) => {
    starts[i + 1] = starts[i] + value.length
  })
  const body: ArrowBody = { nodes: [], buffers: [] }
  const cells: ColumnData = {
    data: concat(values),
    starts: cell_val_num === 'var' ? starts : undefined,
    validity: undefined,
  }
  writer.encode(cells, values.length, body, (i) => `value ${i} of the enumeration ${JSON.stringify(name)}`)
  return { field: writer.field, dictionary: { id, body } }
}

/** Type of the cells of a column, and the function that writes them. */
export interface CellEncoder {
  type: DataType
  nullable: boolean
  encode: ColumnEncoder
}

function cellsOf(column: ColumnType, raw: boolean): CellEncoder {
  const { type, cell_val_num } = column
  const kind = datatypeKind(type)
  if (kind === 'bytes' || (kind === 'text' && (raw || type === 'CHAR')))
    return { type: binary(), nullable: false, encode: bytesCells(column, false) }
  if (kind === 'text')
    return {
      type: utf8(),
      nullable: false,
      encode: datatypeSize(type) === 1 ? bytesCells(column, true) : wideTextCells(column),
    }
  const elements = arrowElements(type, column.kind, raw)
  if (cell_val_num === 1) return { ...elements, encode: oneByOne(elements) }
  const child = field('item', elements.type, elements.nullable)
  return cell_val_num === 'var'
    ? { type: list(child), nullable: false, encode: lists(column, elements) }
    : { type: fixedSizeList(child, cell_val_num), nullable: false, encode: fixedLists(elements, column, cell_val_num) }
}

/** Returns the encoder of cells with one value. */
function oneByOne(elements: ArrowElements): ColumnEncoder {
  return ({ data, validity }, count, body, name) => addValues(elements, { bytes: data, validity }, count, body, name)
}

function fixedLists(elements: ArrowElements, { nullable }: ColumnType, stride: number): ColumnEncoder {
  return ({ data, validity }, count, body, name) => {
    addNode(count, validity, body)
    // A conversion must skip the values of null cells.
    const inside = nullable && validity && elements.convert ? repeated(validity, count, () => stride) : undefined
    addValues(elements, { bytes: data, validity: inside }, count * stride, body, (i) => name(Math.floor(i / stride)))
  }
}

function lists({ type, nullable }: ColumnType, elements: ArrowElements): ColumnEncoder {
  const size = datatypeSize(type)
  return ({ data, starts, validity }, count, body, name) => {
    const begins = startsOf(starts, count)
    const offsets = new Int32Array(count + 1)
    const base = begins[0]
    checkLength((begins[count] - base) / size, 'values')
    for (let i = 1; i <= count; i++) {
      const end = (begins[i] - base) / size
      if (end !== Math.floor(end)) {
        throw badValue({
          expected: `whole values of ${size} bytes for a cell of ${type}`,
          found: `${begins[i] - begins[i - 1]} bytes in ${name(i - 1)}`,
        })
      }
      offsets[i] = end
    }
    addNode(count, validity, body)
    body.buffers.push(underlyingBytes(offsets))
    const lengthOf = (i: number): number => offsets[i + 1] - offsets[i]
    const inside = nullable && validity && elements.convert ? repeated(validity, count, lengthOf) : undefined
    const bytes = data.subarray(base, begins[count])
    const ofCell = (i: number): string => name(offsets.findIndex((end) => end > i) - 1)
    addValues(elements, { bytes, validity: inside }, offsets[count], body, ofCell)
  }
}

/** Returns the validity of each cell, repeated for each of its values; undefined if no cell is null. */
function repeated(validity: Uint8Array, count: number, lengthOf: (cell: number) => number): Uint8Array | undefined {
  if (!validity.subarray(0, count).includes(0)) return undefined
  let total = 0
  for (let i = 0; i < count; i++) total += lengthOf(i)
  const out = new Uint8Array(total)
  let at = 0
  for (let i = 0; i < count; i++) {
    const end = at + lengthOf(i)
    out.fill(validity[i], at, end)
    at = end
  }
  return out
}

/** Returns the encoder of cells with text or bytes. */
function bytesCells(column: ColumnType, text: boolean): ColumnEncoder {
  const { cell_val_num, type } = column
  const size = cell_val_num === 'var' ? 0 : datatypeSize(type) * cell_val_num
  return ({ data, starts, validity }, count, body, name) => {
    const begins = cell_val_num === 'var' ? startsOf(starts, count) : undefined
    const base = begins?.[0] ?? 0
    const end = begins?.[count] ?? count * size
    checkLength(end - base, 'bytes')
    const offsets = new Int32Array(count + 1)
    if (begins) for (let i = 1; i <= count; i++) offsets[i] = begins[i] - base
    else for (let i = 1; i <= count; i++) offsets[i] = i * size
    const stored = { bytes: data.subarray(base, end), offsets }
    const shown = text && !everyCellIsUtf8(stored) ? utf8Cells(column, stored, validity, name) : stored
    addNode(count, validity, body)
    body.buffers.push(underlyingBytes(shown.offsets), shown.bytes)
  }
}

interface Runs {
  bytes: Uint8Array
  offsets: Int32Array
}

/** Whether the bytes are valid UTF-8, and no cell starts inside a character. */
function everyCellIsUtf8({ bytes, offsets }: Runs): boolean {
  if (isAscii(bytes)) return true
  if (!isUtf8(bytes)) return false
  for (let i = 0; i < offsets.length; i++) if ((bytes[offsets[i]] & 0xc0) === 0x80) return false
  return true
}

/** Returns the cells, with empty text for null cells. @throws InspectError BAD_VALUE if another cell is not valid UTF-8 */
function utf8Cells(column: ColumnType, stored: Runs, validity: Uint8Array | undefined, name: NameCell): Runs {
  const bytes = new Uint8Array(stored.bytes.length)
  const offsets = new Int32Array(stored.offsets.length)
  for (let i = 0; i + 1 < offsets.length; i++) {
    offsets[i + 1] = offsets[i]
    if (validity?.[i] === 0) continue
    const cell = stored.bytes.subarray(stored.offsets[i], stored.offsets[i + 1])
    if (!isUtf8(cell)) throw notText(column, name(i))
    bytes.set(cell, offsets[i])
    offsets[i + 1] += cell.length
  }
  return { bytes: bytes.subarray(0, offsets[offsets.length - 1]), offsets }
}

/** Returns the encoder of text with units of two or four bytes, which it converts to UTF-8. */
function wideTextCells(column: ColumnType): ColumnEncoder {
  const { type, cell_val_num } = column
  const size = cell_val_num === 'var' ? 0 : datatypeSize(type) * cell_val_num
  const read = cellReader(type, cell_val_num, { raw: false })
  return ({ data, starts, validity }, count, body, name) => {
    const begins = cell_val_num === 'var' ? startsOf(starts, count) : undefined
    const offsets = new Int32Array(count + 1)
    const texts: Uint8Array[] = []
    for (let i = 0; i < count; i++) {
      offsets[i + 1] = offsets[i]
      if (validity?.[i] === 0) continue
      const text = read(data, begins?.[i] ?? i * size, begins?.[i + 1] ?? (i + 1) * size)
      if (typeof text !== 'string') throw notText(column, name(i))
      const encoded = UTF8.encode(text)
      texts.push(encoded)
      checkLength(offsets[i] + encoded.length, 'bytes')
      offsets[i + 1] += encoded.length
    }
    addNode(count, validity, body)
    body.buffers.push(underlyingBytes(offsets), concat(texts))
  }
}

function notText({ type }: ColumnType, cell: string): InspectError {
  return badValue({ expected: `${type} that is valid text`, found: `other bytes in ${cell}; --raw writes them` })
}

function checkLength(length: number, what: string): void {
  if (length > MAX_INT32) {
    throw new InspectError('TOO_LARGE', {
      expected: `at most ${MAX_INT32} ${what} a tile, as many as Arrow's 32-bit offsets reach`,
      found: length,
    })
  }
}

function startsOf(starts: Float64Array | undefined, count: number): Float64Array {
  if (starts === undefined || starts.length <= count) throw new TypeError('var-sized cells have a start each')
  return starts
}

function addValues(
  { convert }: ArrowElements,
  stored: ArrowValues,
  count: number,
  body: ArrowBody,
  name: NameCell,
): void {
  const { bytes, validity } = convert ? convert(stored, count, name) : stored
  addNode(count, validity, body)
  body.buffers.push(bytes)
}

/** Adds the length and validity of a field. The bitmap is empty if nothing is null. */
function addNode(length: number, validity: Uint8Array | undefined, body: ArrowBody): void {
  const hasNull = validity?.subarray(0, length).includes(0)
  const { bits, ones } = validity && hasNull ? bitmap(validity, length) : { bits: NO_BYTES, ones: length }
  body.nodes.push({ length, nullCount: length - ones })
  body.buffers.push(bits)
}
