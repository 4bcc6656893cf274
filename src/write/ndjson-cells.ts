import { badValue, InspectError, withPlace, withPlaceAsync } from '../base/errors.ts'
import { isJsonObject, type Json, parseJson } from '../base/json-text.ts'
import { rising } from '../base/rising.ts'
import type { ColumnData } from '../cells/column.ts'
import { denseBox } from '../cells/dense-box.ts'
import { gather } from '../cells/gather.ts'
import { NOT_DELETED } from '../cells/rows.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import type { Attribute } from '../format/attribute.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import { integerOf } from '../format/dense-tiles.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { fieldSlot } from '../format/fragment-slots.ts'
import type { NDRange } from '../format/range.ts'
import { parseFragmentName } from '../format/timestamped-name.ts'
import { bytesOf, describe, numberBytes, type ValueStyle } from '../format/value.ts'
import { type BuiltField, ColumnBuilder } from './column-builder.ts'
import { enumerationCells } from './enumerations.ts'

/** A row: the values of fields by their names. */
export interface Row {
  [field: string]: RowValue
}

/** The cells of one fragment, as the writer takes them. */
export interface FragmentCellsToWrite {
  /** The box that the cells of a dense array fill, in row-major order. */
  domain: NDRange | undefined
  cell_num: number
  columns: Map<string, ColumnData>
  /** Time of the write, in milliseconds since 1970. If undefined, it is a millisecond after the write before. */
  time?: bigint | undefined
}

/** Characters of an unknown key that an error shows. */
const MAX_SHOWN = 100

/** Columns of consolidated sparse fragments, and the format version that introduced each. */
const EXTRA_FIELDS: readonly { name: string; since: number }[] = [
  { name: '__timestamps', since: 14 },
  { name: '__delete_timestamps', since: 15 },
  { name: '__delete_condition_index', since: 15 },
]
/** Keys that `decode` and `read` add to cells, which are not always fields of a fragment. */
const NOT_FIELDS = new Set(['__fragment', '__tile', '__cell', '__written', ...EXTRA_FIELDS.map(({ name }) => name)])

/** A JSON value, or bytes. */
export type RowValue = Json | Uint8Array | RowValue[]

/** The values of a field in rows. */
export interface RowField {
  /** Datatype of the values. It is that of the enumeration if `labels` is set. */
  type: Datatype
  nullable: boolean
  /** Whether the values are values of an enumeration, not indexes. */
  labels: boolean
}

/** The fields of rows. */
export interface RowFields {
  of(name: string): RowField
  /** Declares that a column has values of the field's enumeration, if it has one. Must be called before the first row. */
  takeLabels(name: string): void
}

/** Rows of cells, and the name of their file for errors. */
export interface RowInput {
  file: string
  /** Calls `take` once per row, with the place of the row, and with a function that reads the row as an object. Errors get the place. */
  each(take: (place: string, read: () => RowValue | Row) => void, fields: RowFields): Promise<void>
  /** Whether numbers for attributes with an enumeration are its values, not indexes. Text is always a value. */
  labels?: boolean | undefined
}

/** Refuses two columns of one name, because a row has only one value for it. @throws InspectError BAD_VALUE */
export function refuseTwice(columns: readonly { name: string }[]): void {
  const seen = new Set<string>()
  for (const { name } of columns) {
    if (seen.has(name)) throw badValue({ expected: 'each column once', found: 'two of this name' }, { field: name })
    seen.add(name)
  }
}

/** Rows of NDJSON. @param pieces text in pieces of any length */
export function ndjsonRows(pieces: AsyncIterable<string> | Iterable<string>): RowInput['each'] {
  return (take) => eachLine(pieces, (line, number) => take(`line ${number}`, () => parseJson(line)))
}

/**
 * Reads rows as `decode` and `read` print them, raw or not, into columns. Each row has every dimension and attribute. An index into an
 * enumeration may be given as the enumeration's value. Rows may tell when they were written (`__written`) or in which fragment they
 * were (`__fragment`). Each such time or fragment becomes a fragment of that time, the oldest first. Cells of each fragment of a dense
 * array must fill their bounding box.
 *
 * @throws InspectError BAD_VALUE, USAGE with place and field
 */
export async function cellsFromRows(
  { each, file, labels = false }: RowInput,
  schema: ArraySchema,
  enumerations: readonly Enumeration[],
  style: ValueStyle,
): Promise<FragmentCellsToWrite[]> {
  const groups = new Map<string, Group>()
  const labelled = new Set<string>()
  const labelsOf = ({ enumeration }: Attribute): Enumeration | undefined =>
    enumerations.find(({ name }) => name === enumeration)
  const fields: RowFields = {
    of(name) {
      const attribute = schema.attributes.find((one) => one.name === name)
      const values = attribute && (labels || labelled.has(name)) ? labelsOf(attribute) : undefined
      const { type } = values ?? attribute ?? schema.domain.dimensions.find((one) => one.name === name) ?? OTHER
      return { type, nullable: attribute?.nullable ?? false, labels: values !== undefined }
    },
    takeLabels: (name) => void labelled.add(name),
  }
  const field = (shape: BuiltField, values?: Enumeration): CellField => ({
    name: shape.name,
    nullable: shape.nullable,
    read: cellReader(shape, values, style, labels || labelled.has(shape.name)),
    column: new ColumnBuilder(shape),
  })
  const fieldsOf = (first: Row): CellField[] => [
    ...schema.domain.dimensions.map((dimension) => field({ ...dimension, nullable: false })),
    ...schema.attributes.map((attribute) => field(attribute, labelsOf(attribute))),
    ...extraFields(first, schema).map((name) => field({ name, type: 'UINT64', cell_val_num: 1, nullable: false })),
  ]
  const take: Parameters<RowInput['each']>[0] = (place, read) => {
    try {
      const row = read()
      if (!isRow(row)) throw badValue({ expected: 'an object for each cell', found: describe(row) })
      const { __written: written, __fragment: fragment } = row
      // A read of a dense array also shows cells that were never written.
      if (written === null && fragment === null) return
      const key = String(written ?? fragment)
      const group = groups.get(key) ?? newGroup(fieldsOf(row), timeOf(written, fragment))
      if (group.count === 0) groups.set(key, group)
      addRow(group, row)
      group.count++
    } catch (error) {
      throw atRow(error, place, file)
    }
  }
  await withPlaceAsync(file === '' ? {} : { file }, () => each(take, fields))
  if (groups.size === 0) groups.set('', newGroup(fieldsOf({}), undefined))
  const cells = Array.from(groups.values(), (group) => finishGroup(group, schema, file))
  const order = (one: FragmentCellsToWrite): bigint => one.time ?? 0n
  return cells.sort((one, other) => rising(order(one), order(other)))
}

/** The type of the columns that fragments have beside their fields. */
const OTHER: { type: Datatype } = { type: 'UINT64' }

function isRow(value: RowValue | Row): value is Row {
  return isJsonObject(value as Json)
}

/** The cells of one fragment that were read so far. */
interface Group {
  fields: CellField[]
  names: Set<string>
  count: number
  time: bigint | undefined
}

function newGroup(fields: CellField[], time: bigint | undefined): Group {
  return { fields, names: new Set(fields.map(({ name }) => name)), count: 0, time }
}

/**
 * The time of a write, in milliseconds since 1970. TileDB ignores what has an earlier time.
 * @throws InspectError BAD_VALUE
 */
export function writtenTime(value: RowValue): bigint {
  const time = integerOf('DATETIME_MS', bytesOf('DATETIME_MS', 1, value))
  if (time < 0n) throw badValue({ expected: 'a time since 1970', found: describe(value) })
  return time
}

/** @throws InspectError BAD_VALUE */
function timeOf(written: RowValue | undefined, fragment: RowValue | undefined): bigint | undefined {
  if (written !== undefined && written !== null) return withPlace({ field: '__written' }, () => writtenTime(written))
  return typeof fragment === 'string' ? parseFragmentName(fragment)?.timestamp_range[0] : undefined
}

/** The cells of a group as the writer takes them. */
function finishGroup({ fields, count, time }: Group, schema: ArraySchema, file: string): FragmentCellsToWrite {
  const columns = new Map(fields.map(({ name, column }) => [name, column.finish()]))
  if (schema.array_type === 'sparse') return { domain: undefined, cell_num: count, columns, time }
  const { domain, order } = denseBox(schema, [...columns.values()], count, file)
  for (const { name } of schema.domain.dimensions) columns.delete(name)
  if (order)
    for (const [index, attribute] of schema.attributes.entries()) {
      const { name, cellSize } = fieldSlot('attribute', index, attribute)
      const column = columns.get(name)
      if (column) columns.set(name, gather(column, cellSize, order))
    }
  return { domain, cell_num: count, columns, time }
}

/** A field of the cells, and the part of its column that was read so far. */
interface CellField {
  name: string
  nullable: boolean
  read: (value: RowValue) => Uint8Array
  column: ColumnBuilder
}

/** Timestamp and delete columns, if the first cell has them and the format can store them. */
function extraFields(first: Row, { array_type, version }: ArraySchema): string[] {
  if (array_type === 'dense') return []
  return EXTRA_FIELDS.flatMap(({ name, since }) => (version >= since && Object.hasOwn(first, name) ? [name] : []))
}

async function eachLine(
  pieces: AsyncIterable<string> | Iterable<string>,
  take: (line: string, number: number) => void,
): Promise<void> {
  let number = 0
  /** The pieces of a line whose end was not found yet. They are joined once: a line may have many pieces. */
  let begun: string[] = []
  let length = 0
  const line = (text: string): void => {
    number++
    if (text.trim() !== '') take(text, number)
  }
  for await (const piece of pieces) {
    let at = 0
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', at)) {
      line([...begun, piece.slice(at, end)].join(''))
      begun = []
      length = 0
      at = end + 1
    }
    begun.push(piece.slice(at))
    length += piece.length - at
    if (length > LONGEST_LINE) throw tooLong(number + 1, LONGEST_LINE, 'a line')
  }
  if (length > 0) line(begun.join(''))
}

/** Limit on the characters of a line: a string of a larger file could exceed what the engine allows. */
const LONGEST_LINE = 2 ** 28

/** The error about a line or a field that is longer than its limit. */
export function tooLong(line: number, limit: number, what: string): InspectError {
  return badValue(`line ${line}: expected at most ${limit} characters in ${what}, found more`)
}

/** Decodes each byte as a character of its own. */
const latin1 = new TextDecoder('latin1')

function cellReader(
  { type, cell_val_num }: BuiltField,
  labels: Enumeration | undefined,
  style: ValueStyle,
  labelled: boolean,
): CellField['read'] {
  const kind = datatypeKind(type)
  // A column copies each cell before the next is read.
  const read: CellField['read'] =
    cell_val_num === 1 && kind !== 'text' && kind !== 'bytes'
      ? numberBytes(type, style)
      : (value) => bytesOf(type, cell_val_num, value, style)
  if (!labels) return read
  const indexes = new Map(enumerationCells(labels).map((bytes, i) => [latin1.decode(bytes), i]))
  return (value) => {
    if (!labelled && (typeof value !== 'object' || Array.isArray(value)) && typeof value !== 'string')
      return read(value)
    const index = indexes.get(latin1.decode(bytesOf(labels.type, labels.cell_val_num, value, style)))
    if (index === undefined)
      throw badValue({ expected: `a value of the enumeration ${labels.name}`, found: describe(value) })
    return read(index)
  }
}

/** Adds the values of a row to the columns. @throws InspectError BAD_VALUE with the field */
function addRow({ fields, names }: Group, row: Row): void {
  for (const key of Object.keys(row)) {
    if (NOT_FIELDS.has(key) || names.has(key)) continue
    throw badValue(`expected a field of the schema (${[...names].join(', ')})`, { field: key.slice(0, MAX_SHOWN) })
  }
  for (const { name, nullable, read, column } of fields) {
    if (!Object.hasOwn(row, name)) throw badValue('expected every field of the schema in each cell', { field: name })
    // `decode` prints null for the delete fields of a cell that is not deleted.
    const value = row[name] === null && name.startsWith('__delete_') ? NOT_DELETED : row[name]
    if (value !== null) withPlace({ field: name }, () => column.add(read(value)))
    else if (nullable) column.addNull()
    else throw badValue({ expected: 'a value (the attribute is not nullable)', found: 'null' }, { field: name })
  }
}

/** The error with the place of its row. */
function atRow(error: unknown, place: string, file: string): unknown {
  if (!(error instanceof InspectError)) return error
  return new InspectError(error.code, `${place}: ${error.message}`, { ...error.at, file }, { cause: error.cause })
}
