import type { ColumnData } from '../cells/column.ts'
import { lanesOf } from '../cells/elements.ts'
import type { InspectArray } from '../objects/array.ts'
import { openAt } from '../read/opening.ts'
import { type OpenedArray, type ReadOrder, readColumns } from '../read/query.ts'
import { defaultOrder, readMerged } from '../read/read.ts'

const TWO_32 = 2 ** 32

/** 64-bit integers of a batch of cells. Those outside of 0 to 2^53 - 1 are exact only by {@link Ids.exact}. */
export interface Ids {
  /** Number of cells. */
  length: number
  at(cell: number): number
  exact(cell: number): bigint
}

/** Cells as a reader sees them, a batch at a time: an INT64 or UINT64 column for each name. */
export async function* idsOf(
  opened: OpenedArray,
  names: readonly string[],
  onHeld?: (cells: number) => void,
  order: ReadOrder = defaultOrder(opened),
): AsyncGenerator<Ids[]> {
  const { schema } = opened
  const query = { order, ranges: new Map(), fields: names, reuse: true, onHeld }
  const places = names.map((name) => readColumns(schema, query).findIndex((column) => column.name === name))
  for await (const { columns, cell_num, rows } of readMerged(opened, query))
    yield places.map((place) => idsIn(columns[place], rows, cell_num))
}

function idsIn(column: ColumnData | undefined, rows: Uint32Array | undefined, cell_num: number): Ids {
  const lanes = lanesOf(column?.data ?? new Uint8Array(8 * cell_num))
  const place = (cell: number): number => 2 * (rows?.[cell] ?? cell)
  return {
    length: rows?.length ?? cell_num,
    at(cell) {
      const at = place(cell)
      // The high half has the sign.
      return ((lanes[at + 1] ?? 0) | 0) * TWO_32 + (lanes[at] ?? 0)
    },
    exact(cell) {
      const at = place(cell)
      return (BigInt((lanes[at + 1] ?? 0) | 0) << 32n) | BigInt(lanes[at] ?? 0)
    },
  }
}

/** Opens an array as it is now. A fragment that cannot be read is left out: that is the finding of another check. */
export function openNow(array: InspectArray): Promise<OpenedArray> {
  return openAt(array, {}, () => {})
}
