import { addPlace, badValue, InspectError } from '../base/errors.ts'
import type { ColumnData } from '../cells/column.ts'
import { denseBox } from '../cells/dense-box.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { fieldSlot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { bytesOf, type ValueStyle } from '../format/value.ts'
import { type BuiltField, ColumnBuilder } from './column-builder.ts'
import { enumerationCells } from './enumerations.ts'
import { gather } from './gather.ts'
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
  let rows: RowsToColumns | undefined
  await eachLine(pieces, (line, number) => {
    try {
      const row = parseJson(line)
      if (!isJsonObject(row)) throw badValue(`expected an object for each cell, found ${line.slice(0, 40)}`)
      rows ??= new RowsToColumns([...fieldsOf(schema), ...extraFields(row, schema)], enumerations, style, labels)
      rows.add(row)
    } catch (error) {
      throw atLine(error, number, file)
    }
  })
  rows ??= new RowsToColumns(fieldsOf(schema), enumerations, style, labels)
  const { fields, count } = rows
  const columns = rows.finish()
  const named = fields.map(({ name }, i): [string, ColumnData] => [name, columns[i]])
  if (schema.array_type === 'sparse') return { domain: undefined, cell_num: count, columns: new Map(named) }
  const { domain, order } = denseBox(schema, columns, count, file)
  const attributes = named.slice(schema.domain.dimensions.length)
  if (!order) return { domain, cell_num: count, columns: new Map(attributes) }
  const inOrder = attributes.map(([name, column], i): [string, ColumnData] => {
    const { cellSize } = fieldSlot('attribute', i, schema.attributes[i])
    return [name, gather(column, cellSize, order)]
  })
  return { domain, cell_num: count, columns: new Map(inOrder) }
}

type CellField = BuiltField & { enumeration: string }

/** Timestamp and delete columns, if the first cell has them and the format can store them. */
function extraFields(first: JsonObject, schema: ArraySchema): CellField[] {
  if (schema.array_type === 'dense') return []
  return EXTRA_FIELDS.filter(({ name, since }) => schema.version >= since && Object.hasOwn(first, name)).map(
    ({ name }) => ({
      name,
      type: 'UINT64',
      cell_val_num: 1,
      nullable: false,
      enumeration: '',
    }),
  )
}

/** Dimensions, then attributes. */
export function fieldsOf(schema: ArraySchema): CellField[] {
  const dimensions = schema.domain.dimensions.map(({ name, type, cell_val_num }) => ({
    name,
    type,
    cell_val_num,
    nullable: false,
    enumeration: '',
  }))
  return [...dimensions, ...schema.attributes]
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

type CellReader = (value: Json) => Uint8Array

function cellReader(
  { type, cell_val_num, enumeration }: CellField,
  enumerations: readonly Enumeration[],
  style: ValueStyle,
  labelled: boolean,
): CellReader {
  const labels = enumerations.find(({ name }) => name === enumeration)
  const read: CellReader = (value) => bytesOf(type, cell_val_num, value, style)
  if (!labels) return read
  const indexes = new Map(enumerationCells(labels).map((bytes, i): [string, number] => [keyOf(bytes), i]))
  return (value) => {
    if (!labelled && typeof value !== 'string' && !isJsonObject(value)) return read(value)
    const index = indexes.get(keyOf(bytesOf(labels.type, labels.cell_val_num, value, style)))
    if (index === undefined)
      throw badValue(`expected a value of the enumeration ${enumeration}, found ${JSON.stringify(value)}`)
    return read(index)
  }
}

function keyOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

/** Takes cells as JSON objects. */
class RowsToColumns {
  readonly fields: readonly CellField[]
  count = 0
  private readonly readers: readonly CellReader[]
  private readonly builders: readonly ColumnBuilder[]
  private readonly known: ReadonlySet<string>

  constructor(
    fields: readonly CellField[],
    enumerations: readonly Enumeration[],
    style: ValueStyle,
    labelled: boolean,
  ) {
    this.fields = fields
    this.readers = fields.map((field) => cellReader(field, enumerations, style, labelled))
    this.builders = fields.map((field) => new ColumnBuilder(field))
    this.known = new Set(fields.map(({ name }) => name))
  }

  /** @throws InspectError BAD_VALUE with the field */
  add(row: JsonObject): void {
    for (const key of Object.keys(row)) {
      if (this.known.has(key) || NOT_FIELDS.has(key)) continue
      throw badValue(`expected a field of the schema (${[...this.known].join(', ')})`, {
        field: key,
      })
    }
    for (let i = 0; i < this.fields.length; i++) this.addCell(i, row)
    this.count++
  }

  private addCell(i: number, row: JsonObject): void {
    const { name, nullable } = this.fields[i]
    if (!Object.hasOwn(row, name)) throw badValue('expected every field of the schema in each cell', { field: name })
    const value = row[name]
    if (value === null && name.startsWith('__delete_')) {
      this.builders[i].add(this.readers[i](NOT_DELETED))
    } else if (value !== null) {
      try {
        this.builders[i].add(this.readers[i](value))
      } catch (error) {
        throw addPlace(error, { field: name })
      }
    } else if (nullable) {
      this.builders[i].addNull()
    } else {
      throw badValue('expected a value (the attribute is not nullable), found null', {
        field: name,
      })
    }
  }

  finish(): ColumnData[] {
    return this.builders.map((builder) => builder.finish())
  }
}

function atLine(error: unknown, line: number, file: string): unknown {
  if (!(error instanceof InspectError)) return error
  return new InspectError(error.code, `line ${line}: ${error.message}`, { ...error.at, file }, { cause: error.cause })
}
