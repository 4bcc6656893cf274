import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type Bounds, comparable } from '../../src/cells/bounds.ts'
import { type ColumnData, type ColumnType, cellBytes } from '../../src/cells/column.ts'
import { type Datatype, datatypeKind } from '../../src/format/datatype.ts'
import { fixedSize } from '../../src/format/range.ts'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { openAt } from '../../src/read/opening.ts'
import { type OpenedArray, type ReadOrder, type ReadQuery, readColumns } from '../../src/read/query.ts'
import { readMerged } from '../../src/read/read.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor } from './fixtures.ts'

/** A query, and what TileDB 2.30 answered: test/fixtures/README.md says how it is spelled. */
export interface AskedRead {
  order: ReadOrder
  between: [from: number, to: number]
  /** By dimension: ends as hexadecimal digits. */
  ranges: ([low: string, high: string][] | null)[]
  fields: string[] | null
  cell_num: number
  answer: string
}

/** Queries by array, of a file that test/fixtures/reads.py made. */
export function askedReads(path: string): Map<string, AskedRead[]> {
  return new Map(Object.entries(JSON.parse(gunzipSync(readFileSync(path)).toString())))
}

/** Answers of up to so many characters are given in full. */
const SHORT = 400

/** An array opened for a query, and the query as the program has it. */
export async function openAsked(
  path: string,
  key: string | undefined,
  { order, between, ranges, fields }: Omit<AskedRead, 'cell_num' | 'answer'>,
): Promise<{ opened: OpenedArray; query: ReadQuery }> {
  const array = new InspectArray(new Folder(localFiles, path), contextFor({ key }))
  const opened = await openAt(array, { from: BigInt(between[0]), to: BigInt(between[1]) })
  const { domain } = opened.schema
  const sets = new Map<number, Bounds[]>()
  for (const [d, pairs] of ranges.entries()) {
    const end = (hex: string) => comparable(domain.dimensions[d].type, Buffer.from(hex, 'hex'))
    if (pairs)
      sets.set(
        d,
        pairs.map(([low, high]) => ({ low: end(low), high: end(high) })),
      )
  }
  return { opened, query: { order, ranges: sets, fields: fields ?? undefined } }
}

/** What the program answers to a query, spelled as TileDB's answer. */
export async function answerOf(
  path: string,
  key: string | undefined,
  asked: Omit<AskedRead, 'cell_num' | 'answer'>,
): Promise<Pick<AskedRead, 'cell_num' | 'answer'>> {
  const { opened, query } = await openAsked(path, key, asked)
  const { array_type, domain } = opened.schema
  const types = readColumns(opened.schema, query)
  const spelled: Buffer[] = []
  const places: string[] = []
  for await (const { columns, rows, cell_num } of readMerged(opened, query)) {
    for (const row of rows ?? Array(cell_num).keys()) {
      const cells = types.map((type, c) => spell(type, columns[c] as ColumnData, row))
      spelled.push(Buffer.concat(cells))
      places.push(domain.dimensions.map(({ type }, d) => placeOf(type, cells[d])).join())
    }
  }
  if (query.order === 'unordered') spelled.sort(Buffer.compare)
  else if (array_type === 'sparse') sortRuns(spelled, places)
  const bytes = Buffer.concat(spelled)
  const answer =
    2 * bytes.length <= SHORT ? bytes.toString('hex') : createHash('sha256').update(bytes).digest('hex').slice(0, 32)
  return { cell_num: spelled.length, answer }
}

/** The same text for equal coordinates, as 0.0 and -0.0 are. */
function placeOf(type: Datatype, cell: Buffer): string {
  return datatypeKind(type) === 'float' && comparable(type, cell) === 0 ? '0' : cell.toString('hex')
}

function spell(type: ColumnType, column: ColumnData, row: number): Buffer {
  if (type.nullable && column.validity?.[row] === 0) return Buffer.of(0)
  const size = fixedSize(type)
  const bytes = cellBytes(column, row, size ?? 0)
  const length = Buffer.alloc(size === undefined ? 4 : 0)
  if (size === undefined) length.writeUInt32LE(bytes.length)
  return Buffer.concat([Buffer.from(type.nullable ? [1] : []), length, bytes])
}

/** Sorts cells of equal coordinates that follow one another: TileDB does not say in which order they come. */
function sortRuns(cells: Buffer[], places: readonly string[]): void {
  for (let from = 0, to = 1; from < cells.length; from = to++) {
    while (places[to] === places[from] && to < cells.length) to++
    cells.splice(from, to - from, ...cells.slice(from, to).sort(Buffer.compare))
  }
}
