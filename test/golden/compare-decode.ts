import { createHash } from 'node:crypto'
import { datatypeSize } from '../../src/format/datatype.ts'
import { get, isObject, items, type Json, parseJson, shown } from '../helpers/json.ts'
import { compareDenseOrder } from './dense-order.ts'
import type { Differences } from './differences.ts'
import { type ExpectedDigest, type ExpectedFragment, type FieldType, fieldTypes, schemaOf } from './expected.ts'
import { type GoldenArray, Refused } from './golden-array.ts'
import { canonical, cellBytes, type Side } from './values.ts'

/** `decode --raw` of every fragment: all its cells, in stored order. */
export async function compareDecode(array: GoldenArray, found: Differences): Promise<void> {
  for (const want of array.expected.fragments) {
    if (want.cells !== null && (want.cells_note === undefined || want.cells_as_of)) await compareOne(array, want, found)
  }
}

type Types = ReadonlyMap<string, FieldType>

async function compareOne(array: GoldenArray, want: ExpectedFragment, found: Differences): Promise<void> {
  const schema = schemaOf(array.expected, want)
  const types = fieldTypes(schema)
  const stored = await decodedRows(array, want, [...types.keys()])
  const rows = want.dense ? compareDenseOrder(stored, schema, want, found) : stored
  if (rows === undefined) return
  if (want.cells_as_of && !Object.values(want.cells_as_of).some(({ why }) => why !== undefined)) {
    compareHistory(rows, want, types, found)
    if (want.cells_note !== undefined) return
    compareSet(rows, { ...want.cells?.attrs, ...want.cells?.coords }, types, want, found)
    return
  }
  const columns: Record<string, Json> = { ...want.cells?.attrs, ...(want.dense ? {} : want.cells?.coords) }
  for (const name of Object.keys(columns))
    if (columns[name] === null || name in (want.unreadable ?? {})) delete columns[name]
  if (want.order === 'unordered') compareSet(rows, columns, types, want, found)
  else for (const [name, column] of Object.entries(columns)) compareColumn(rows, name, column, types, want, found)
}

async function decodedRows(array: GoldenArray, want: ExpectedFragment, names: readonly string[]): Promise<Json[]> {
  // Columns that an old release wrote so that nobody can read them are left out.
  const unreadable = want.unreadable ?? {}
  const readable = names.filter((name) => !(name in unreadable)).flatMap((name) => ['--field', name])
  const fields = Object.keys(unreadable).length > 0 ? readable : []
  const ran = await array.run(['decode', '--format', 'ndjson', '--raw', ...fields, array.fragmentPath(want)])
  if (ran.code !== 0)
    throw new Refused(`decode ${want.name}: exit ${ran.code}: ${ran.stderr.trim().split('\n').at(-1)}`)
  return ran.text
    .split('\n')
    .filter((line) => line !== '')
    .map(parseJson)
}

function typeOf(types: Types, name: string): FieldType {
  const type = types.get(name)
  if (!type) throw new Refused(`the expected cells have a column ${name} that the schema lacks`)
  return type
}

/** Every stored cell with its timestamp, hidden ones too, in any order. */
function compareHistory(rows: readonly Json[], want: ExpectedFragment, types: Types, found: Differences): void {
  const names = [...types.keys()]
  const expected: string[] = []
  for (const [stamp, { coords, attrs }] of Object.entries(want.cells_as_of ?? {})) {
    const columns = { ...attrs, ...coords }
    const count = items(columns[names[0]]).length
    for (let i = 0; i < count; i++) {
      const cells = names.map((name) => canonical(typeOf(types, name).type, items(columns[name])[i], 'expected'))
      expected.push([`integer ${stamp}`, ...cells].join(' | '))
    }
  }
  const printed = rows.map((row) => {
    const cells = names.map((name) => canonical(typeOf(types, name).type, get(row, name), 'printed'))
    return [canonical('UINT64', get(row, '__timestamps'), 'printed'), ...cells].join(' | ')
  })
  compareSorted(printed, expected, `${want.name}: stored cells with their timestamps`, found)
}

function compareSet(
  rows: readonly Json[],
  columns: Readonly<Record<string, Json>>,
  types: Types,
  want: ExpectedFragment,
  found: Differences,
): void {
  const names = Object.keys(columns)
  const line = (cell: (name: string) => Json | undefined, side: Side): string =>
    names.map((name) => canonical(typeOf(types, name).type, cell(name), side)).join(' | ')
  const count = items(columns[names[0]]).length
  const expected = Array.from({ length: count }, (_, i) => line((name) => items(columns[name])[i], 'expected'))
  const printed = rows.map((row) => line((name) => get(row, name), 'printed'))
  compareSorted(printed, expected, `${want.name}: cells as a set`, found)
}

function compareSorted(printed: string[], expected: string[], what: string, found: Differences): void {
  printed.sort()
  expected.sort()
  found.equal(printed.length, expected.length, `${what}: count`)
  const at = printed.findIndex((line, i) => line !== expected[i])
  found.need(at === -1, () => `${what}: first difference: got ${printed[at]}, TileDB says ${expected[at]}`)
}

function compareColumn(
  rows: readonly Json[],
  name: string,
  want: Json,
  types: Types,
  fragment: ExpectedFragment,
  found: Differences,
): void {
  const what = `${fragment.name}.${name}`
  const field = typeOf(types, name)
  const got = rows.map((row) => get(row, name))
  if (Array.isArray(want)) {
    found.equal(got.length, want.length, `${what}: number of cells`)
    const wrong = want.findIndex(
      (cell, i) => canonical(field.type, got[i], 'printed') !== canonical(field.type, cell, 'expected'),
    )
    if (wrong >= 0) found.value(field.type, got[wrong], want[wrong], `${what}: cell ${wrong}`)
    return
  }
  if (!isDigest(want)) throw new Refused(`${what}: the expected column is ${shown(want)}`)
  compareDigest(got, field, want, what, found)
}

function isDigest(value: unknown): value is ExpectedDigest {
  return typeof value === 'object' && value !== null && 'sha256' in value && 'count' in value
}

function compareDigest(
  got: readonly (Json | undefined)[],
  { type, cell_val_num }: FieldType,
  want: ExpectedDigest,
  what: string,
  found: Differences,
): void {
  found.equal(got.length, want.count, `${what}: number of cells`)
  const n = want.head.length
  found.value(type, got.slice(0, n).map(orNull), want.head, `${what}: first cells`)
  found.value(type, got.slice(-n).map(orNull), want.tail, `${what}: last cells`)
  const size = datatypeSize(type)
  const bytes = createHash('sha256')
  const lengths = createHash('sha256')
  const length = Buffer.alloc(8)
  for (const cell of got) {
    const part = cellBytes(type, size, cell_val_num, orNull(cell))
    bytes.update(part)
    length.writeBigUInt64LE(BigInt(part.length))
    lengths.update(length)
  }
  found.equal(bytes.digest('hex'), want.sha256, `${what}: digest of all cells`)
  if (want.lengths_sha256 !== undefined)
    found.equal(lengths.digest('hex'), want.lengths_sha256, `${what}: digest of lengths`)
  if (want.validity_sha256 !== undefined) {
    const validity = Uint8Array.from(got, (cell) => (cell === null ? 0 : 1))
    const digest = createHash('sha256').update(validity).digest('hex')
    found.equal(digest, want.validity_sha256, `${what}: digest of validity`)
  }
}

function orNull(cell: Json | undefined): Json {
  return cell === undefined ? null : isObject(cell) || Array.isArray(cell) ? cell : cell
}
