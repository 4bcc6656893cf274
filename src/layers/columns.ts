import type { ColumnData } from '../cells/column.ts'
import { isWide, numbersOf, uint32LanesOf } from '../cells/elements.ts'
import { type Datatype, datatypeKind, isSignedInteger } from '../format/datatype.ts'
import type { InspectArray } from '../objects/array.ts'
import { openAt } from '../read/opening.ts'
import { type OpenedArray, type ReadOrder, readColumns } from '../read/query.ts'
import { defaultOrder, readMerged } from '../read/read.ts'

const TWO_32 = 2 ** 32

/** Integers of a batch of cells. Those outside of 0 to 2^53 - 1 are exact only by {@link Ids.exact}. */
export interface Ids {
  /** Number of cells. */
  length: number
  at(cell: number): number
  exact(cell: number): bigint
}

/** Cells as a reader sees them, a batch at a time: a column of integers for each name. */
export async function* idsOf(
  opened: OpenedArray,
  names: readonly string[],
  onHeld?: (cells: number) => void,
  order: ReadOrder = defaultOrder(opened),
): AsyncGenerator<Ids[]> {
  const { schema } = opened
  const query = { order, ranges: new Map(), fields: names, reuse: true, onHeld }
  const fields = readColumns(schema, query)
  const wanted = names.map((name) => {
    const place = fields.findIndex((column) => column.name === name)
    return { place, type: fields[place]?.type ?? 'INT64' }
  })
  for await (const { columns, cell_num, rows } of readMerged(opened, query))
    yield wanted.map(({ place, type }) => idsIn(type, columns[place], rows, cell_num))
}

/** Whether ids can be of a type. */
export function isIdType(type: Datatype): boolean {
  return datatypeKind(type) === 'int' || datatypeKind(type) === 'uint'
}

function idsIn(type: Datatype, column: ColumnData | undefined, rows: Uint32Array | undefined, cell_num: number): Ids {
  if (!isWide(type)) {
    const numbers = numbersOf(type, column?.data ?? new Uint8Array(4 * cell_num))
    const at = (cell: number): number => numbers[rows?.[cell] ?? cell] ?? 0
    return { length: rows?.length ?? cell_num, at, exact: (cell) => BigInt(at(cell)) }
  }
  const isSigned = isSignedInteger(type)
  const lanes = uint32LanesOf(column?.data ?? new Uint8Array(8 * cell_num))
  const row = (cell: number): number => rows?.[cell] ?? cell
  return {
    length: rows?.length ?? cell_num,
    at: isSigned
      ? (cell) => int64At(lanes, row(cell))
      : (cell) => (lanes[2 * row(cell) + 1] ?? 0) * TWO_32 + (lanes[2 * row(cell)] ?? 0),
    exact(cell) {
      const high = lanes[2 * row(cell) + 1] ?? 0
      return (BigInt(isSigned ? high | 0 : high) << 32n) | BigInt(lanes[2 * row(cell)] ?? 0)
    },
  }
}

/** The signed 64-bit integer of a row. It is exact below 2^53. @param lanes its low and its high half, row by row */
export function int64At(lanes: Uint32Array | undefined, row: number): number {
  // The high half has the sign.
  return ((lanes?.[2 * row + 1] ?? 0) | 0) * TWO_32 + (lanes?.[2 * row] ?? 0)
}

/** Opens an array as it is now. A fragment that cannot be read is left out, as its own check reports it. */
export function openNow(array: InspectArray): Promise<OpenedArray> {
  return openAt(array, {}, () => {})
}
