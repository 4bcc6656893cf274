import { badValue, InspectError, withPlace } from '../base/errors.ts'
import type { ColumnData } from '../cells/column.ts'
import { denseBox } from '../cells/dense-box.ts'
import { gather } from '../cells/gather.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { fieldSlot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { bytesOf, type ValueStyle } from '../format/value.ts'
import { type BuiltField, ColumnBuilder } from './column-builder.ts'
import { enumerationCells } from './enumerations.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from './json-text.ts'

/** Cells of one fragment, in the form that the writer takes. */
export interface FragmentCellsToWrite {
  /** Dense: the box that the cells fill, in row-major order. */
  domain: NDRange | undefined
  cell_num: number
  columns: Map<string, ColumnData>
}

/** Columns of consolidated sparse fragments, and the format version that introduced each. */
const EXTRA_FIELDS: readonly { name: string; since: number }[] = [
  { name: '__timestamps', since: 14 },
  { name: '__delete_timestamps', since: 15 },
  { name: '__delete_condition_index', since: 15 },
]
/** Keys that `decode` adds to cells, which are not always fields of a fragment. */
const NOT_FIELDS = new Set(['__fragment', ...EXTRA_FIELDS.map(({ name }) => name)])
/** `decode` prints null for it. */
const NOT_DELETED = 2n ** 64n - 1n

/** NDJSON, with its name for errors. */
export interface NdjsonInput {
  /** Text in pieces of any length. */
  pieces: AsyncIterable<string> | Iterable<string>
  file: string
  /** Numbers for attributes with an enumeration are its values, not indexes. Text is always a value. */
  labels?: boolean | undefined
}

/**
 * Reads NDJSON as `decode` prints it, raw or not, into columns. Each line is an object with every dimension and attribute. An
 * index into an enumeration may be given as the enumeration's value. Cells of a dense array must fill their bounding box.
 *
 * @throws InspectError BAD_VALUE, USAGE with line and field
 */
export async function cellsFromNdjson(
  { pieces, file, labels = false }: NdjsonInput,
  schema: ArraySchema,
  enumerations: readonly Enumeration[],
  style: ValueStyle,
): Promise<FragmentCellsToWrite> {
  let fields: CellField[] | undefined
  let count = 0
  const field = (shape: BuiltField, enumeration = ''): CellField => ({
    name: shape.name,
    nullable: shape.nullable,
    read: cellReader(
      shape,
      enumerations.find(({ name }) => name === enumeration),
      style,
      labels,
    ),
    column: new ColumnBuilder(shape),
  })
  const fieldsOf = (first: JsonObject): CellField[] => [
    ...schema.domain.dimensions.map((dimension) => field({ ...dimension, nullable: false })),
    ...schema.attributes.map((attribute) => field(attribute, attribute.enumeration)),
    ...extraFields(first, schema).map((name) => field({ name, type: 'UINT64', cell_val_num: 1, nullable: false })),
  ]
  await eachLine(pieces, (line, number) => {
    try {
      const row = parseJson(line)
      if (!isJsonObject(row)) throw badValue(`expected an object for each cell, found ${line.slice(0, 40)}`)
      fields ??= fieldsOf(row)
      addRow(fields, row)
      count++
    } catch (error) {
      throw atLine(error, number, file)
    }
  })
  fields ??= fieldsOf({})
  const columns = new Map(fields.map(({ name, column }) => [name, column.finish()]))
  if (schema.array_type === 'sparse') return { domain: undefined, cell_num: count, columns }
  const { domain, order } = denseBox(schema, [...columns.values()], count, file)
  for (const { name } of schema.domain.dimensions) columns.delete(name)
  if (order)
    for (const [index, attribute] of schema.attributes.entries()) {
      const { name, cellSize } = fieldSlot('attribute', index, attribute)
      const column = columns.get(name)
      if (column) columns.set(name, gather(column, cellSize, order))
    }
  return { domain, cell_num: count, columns }
}

/** A field of the cells, and its column so far. */
interface CellField {
  name: string
  nullable: boolean
  read: (value: Json) => Uint8Array
  column: ColumnBuilder
}

/** Timestamp and delete columns, if the first cell has them and the format can store them. */
function extraFields(first: JsonObject, { array_type, version }: ArraySchema): string[] {
  if (array_type === 'dense') return []
  return EXTRA_FIELDS.flatMap(({ name, since }) => (version >= since && Object.hasOwn(first, name) ? [name] : []))
}

async function eachLine(pieces: NdjsonInput['pieces'], take: (line: string, number: number) => void): Promise<void> {
  let number = 0
  let rest = ''
  const line = (text: string): void => {
    number++
    if (text.trim() !== '') take(text, number)
  }
  for await (const piece of pieces) {
    const text = rest + piece
    let at = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      line(text.slice(at, end))
      at = end + 1
    }
    rest = text.slice(at)
  }
  if (rest !== '') line(rest)
}

function cellReader(
  { type, cell_val_num }: BuiltField,
  labels: Enumeration | undefined,
  style: ValueStyle,
  labelled: boolean,
): CellField['read'] {
  const read = (value: Json): Uint8Array => bytesOf(type, cell_val_num, value, style)
  if (!labels) return read
  const indexes = new Map(enumerationCells(labels).map((bytes, i): [string, number] => [keyOf(bytes), i]))
  return (value) => {
    if (!labelled && typeof value !== 'string' && !isJsonObject(value)) return read(value)
    const index = indexes.get(keyOf(bytesOf(labels.type, labels.cell_val_num, value, style)))
    if (index === undefined)
      throw badValue(`expected a value of the enumeration ${labels.name}, found ${JSON.stringify(value)}`)
    return read(index)
  }
}

function keyOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

/** @throws InspectError BAD_VALUE with the field */
function addRow(fields: readonly CellField[], row: JsonObject): void {
  const names = new Set(fields.map(({ name }) => name))
  for (const key of Object.keys(row)) {
    if (NOT_FIELDS.has(key) || names.has(key)) continue
    throw badValue(`expected a field of the schema (${[...names].join(', ')})`, { field: key })
  }
  for (const { name, nullable, read, column } of fields) {
    if (!Object.hasOwn(row, name)) throw badValue('expected every field of the schema in each cell', { field: name })
    const value = row[name] === null && name.startsWith('__delete_') ? NOT_DELETED : row[name]
    if (value !== null) withPlace({ field: name }, () => column.add(read(value)))
    else if (nullable) column.addNull()
    else throw badValue('expected a value (the attribute is not nullable), found null', { field: name })
  }
}

function atLine(error: unknown, line: number, file: string): unknown {
  if (!(error instanceof InspectError)) return error
  return new InspectError(error.code, `line ${line}: ${error.message}`, { ...error.at, file }, { cause: error.cause })
}
