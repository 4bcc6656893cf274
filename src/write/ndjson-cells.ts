import type { ColumnData } from '../cells/column.ts'
import { addPlace, InspectError } from '../errors.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeSize } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Enumeration } from '../format/enumeration.ts'
import type { NDRange } from '../format/range.ts'
import { bytesOf, type ValueStyle } from '../format/value.ts'
import { type BuiltField, ColumnBuilder, reordered } from './column-builder.ts'
import { enumerationCells } from './enumerations.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from './json-text.ts'

/** Cells of one fragment, as the writer takes them. */
export interface FragmentCellsToWrite {
  /** Dense: the box that they fill, in row-major order. */
  domain: NDRange | undefined
  cell_num: number
  columns: Map<string, ColumnData>
}

/** Columns of consolidated sparse fragments, and the format version since which there are such. */
const EXTRA_FIELDS: readonly { name: string; since: number }[] = [
  { name: '__timestamps', since: 14 },
  { name: '__delete_timestamps', since: 15 },
  { name: '__delete_condition_index', since: 15 },
]
/** What `decode` adds to cells, and a fragment need not have. */
const NOT_FIELDS = new Set(['__fragment', ...EXTRA_FIELDS.map(({ name }) => name)])
/** `decode` prints null for it. */
const NOT_DELETED = 2n ** 64n - 1n

/**
 * Reads NDJSON as `decode` prints it, raw or not, into columns. Each line is an object with every dimension and attribute; an index
 * into an enumeration may be given as the enumeration's value (`decode --labels`). Cells of a dense array must fill their bounding box.
 *
 * @param file names the text in errors
 * @throws InspectError BAD_VALUE, USAGE with line and field
 */
export function cellsFromNdjson(
  text: string,
  schema: ArraySchema,
  enumerations: readonly Enumeration[],
  style: ValueStyle,
  file: string,
): FragmentCellsToWrite {
  const fields = [...fieldsOf(schema), ...extraFields(text, schema)]
  const readers = fields.map((field) => cellReader(field, enumerations, style))
  const builders = fields.map((field) => new ColumnBuilder(field))
  const known = new Set(fields.map(({ name }) => name))
  let count = 0
  eachLine(text, (line, number) => {
    try {
      const row = parseJson(line)
      if (!isJsonObject(row))
        throw new InspectError('BAD_VALUE', `expected an object for each cell, found ${line.slice(0, 40)}`)
      addRow(row, fields, readers, builders, known)
      count++
    } catch (error) {
      throw atLine(error, number, file)
    }
  })
  const columns = builders.map((builder) => builder.finish())
  const named = (all: readonly ColumnData[]): Map<string, ColumnData> =>
    new Map(fields.map(({ name }, i) => [name, all[i]]))
  if (schema.array_type === 'sparse') return { domain: undefined, cell_num: count, columns: named(columns) }
  const { domain, order } = denseBox(schema, columns, count, file)
  return {
    domain,
    cell_num: count,
    columns: named(order ? columns.map((column, i) => reordered(column, fields[i], order)) : columns),
  }
}

type CellField = BuiltField & { enumeration: string }

/** Time stamps and delete metadata, where the first cell has them and the format can hold them. */
function extraFields(text: string, schema: ArraySchema): CellField[] {
  if (schema.array_type === 'dense') return []
  const end = text.indexOf('\n')
  const first = text.slice(0, end < 0 ? text.length : end)
  return EXTRA_FIELDS.filter(({ name, since }) => schema.version >= since && first.includes(`"${name}"`)).map(
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

function eachLine(text: string, take: (line: string, number: number) => void): void {
  let number = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? text.length : end)
    number++
    if (line.trim() !== '') take(line, number)
    if (end < 0) return
    at = end + 1
  }
}

type CellReader = (value: Json) => Uint8Array

function cellReader(
  { type, cell_val_num, enumeration }: CellField,
  enumerations: readonly Enumeration[],
  style: ValueStyle,
): CellReader {
  const labels = enumerations.find(({ name }) => name === enumeration)
  const read: CellReader = (value) => bytesOf(type, cell_val_num, value, style)
  if (!labels) return read
  const indexes = new Map(enumerationCells(labels).map((bytes, i): [string, number] => [keyOf(bytes), i]))
  return (value) => {
    if (typeof value !== 'string' && !isJsonObject(value)) return read(value)
    const index = indexes.get(keyOf(bytesOf(labels.type, labels.cell_val_num, value, style)))
    if (index === undefined)
      throw new InspectError(
        'BAD_VALUE',
        `expected a value of the enumeration ${enumeration}, found ${JSON.stringify(value)}`,
      )
    return read(index)
  }
}

function keyOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}

function addRow(
  row: JsonObject,
  fields: readonly BuiltField[],
  readers: readonly CellReader[],
  builders: readonly ColumnBuilder[],
  known: ReadonlySet<string>,
): void {
  for (const key of Object.keys(row)) {
    if (known.has(key) || NOT_FIELDS.has(key)) continue
    throw new InspectError('BAD_VALUE', `expected a field of the schema (${[...known].join(', ')})`, { field: key })
  }
  for (const [i, field] of fields.entries()) {
    const value = Object.hasOwn(row, field.name) ? row[field.name] : undefined
    if (value === undefined)
      throw new InspectError('BAD_VALUE', 'expected every field of the schema in each cell', { field: field.name })
    if (value === null && field.name.startsWith('__delete_')) {
      builders[i].add(readers[i](NOT_DELETED))
      continue
    }
    if (value === null) {
      if (!field.nullable)
        throw new InspectError('BAD_VALUE', 'expected a value (the attribute is not nullable), found null', {
          field: field.name,
        })
      builders[i].addNull()
      continue
    }
    try {
      builders[i].add(readers[i](value))
    } catch (error) {
      throw addPlace(error, { field: field.name })
    }
  }
}

function atLine(error: unknown, line: number, file: string): unknown {
  if (!(error instanceof InspectError)) return error
  return new InspectError(error.code, `line ${line}: ${error.message}`, { ...error.at, file }, { cause: error.cause })
}

/** The bounding box of dense cells, and the order that makes them row-major; undefined where they are. */
function denseBox(
  schema: ArraySchema,
  columns: readonly ColumnData[],
  count: number,
  file: string,
): { domain: NDRange; order: Uint32Array | undefined } {
  const { dimensions } = schema.domain
  if (count === 0)
    throw new InspectError('BAD_VALUE', 'expected at least one cell for a dense fragment, found none', { file })
  const axes = dimensions.map(({ type }, d) =>
    axisOf(columns[d].data, datatypeSize(type), (bytes) => integerOf(type, bytes), count),
  )
  const volume = axes.reduce((product, { length }) => product * length, 1)
  if (volume !== count) {
    const box = axes.map(({ length }) => length).join(' × ')
    throw new InspectError(
      'BAD_VALUE',
      `expected every cell of the box that dense cells span (${box} = ${volume}), found ${count}`,
      { file },
    )
  }
  const order = new Uint32Array(count)
  const taken = new Uint8Array(count)
  let sorted = true
  for (let cell = 0; cell < count; cell++) {
    let place = 0
    for (const { length, positions } of axes) place = place * length + positions[cell]
    if (taken[place]) {
      const at = dimensions.map(
        ({ name, type }, d) =>
          `${name}=${integerOf(type, columns[d].data.subarray(cell * datatypeSize(type), (cell + 1) * datatypeSize(type)))}`,
      )
      throw new InspectError(
        'BAD_VALUE',
        `expected each coordinate once in a dense array, found ${at.join(', ')} twice`,
        { file },
      )
    }
    taken[place] = 1
    order[place] = cell
    sorted &&= place === cell
  }
  return { domain: axes.map(({ min, max }) => ({ min, max })), order: sorted ? undefined : order }
}

interface Axis {
  min: Uint8Array
  max: Uint8Array
  length: number
  /** Of each cell, from the lowest. */
  positions: Float64Array
}

function axisOf(data: Uint8Array, size: number, read: (bytes: Uint8Array) => bigint, count: number): Axis {
  const cell = (i: number): Uint8Array => data.subarray(i * size, (i + 1) * size)
  const values = Array.from({ length: count }, (_, i) => read(cell(i)))
  let [low, high] = [0, 0]
  for (let i = 1; i < count; i++) {
    if (values[i] < values[low]) low = i
    if (values[i] > values[high]) high = i
  }
  const least = values[low]
  return {
    min: cell(low).slice(),
    max: cell(high).slice(),
    length: Number(values[high] - least) + 1,
    positions: Float64Array.from(values, (value) => Number(value - least)),
  }
}
