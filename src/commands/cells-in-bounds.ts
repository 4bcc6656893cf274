import { type Bounds, comparable, compare, rangeFilter } from '../cells/bounds.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import type { CellBox } from '../cells/dense-coordinates.ts'
import type { CellSelection, FragmentCells } from '../cells/fragment-cells.ts'
import { datatypeSize } from '../format/datatype.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import type { Fragment } from '../store/fragment.ts'

type BoundsByDimension = ReadonlyMap<number, Bounds>

/** Limits a selection to the tiles that may touch the bounds, and in dense tiles to the cells inside them. */
export async function limitToBounds(
  selection: CellSelection,
  fragment: Fragment,
  { dense }: FragmentCells,
  bounds: BoundsByDimension,
): Promise<void> {
  const { dimensions } = (await fragment.info()).schema.domain
  if (dense) {
    const box = dimensions.map((_, d) => sideOf(bounds.get(d)))
    selection.box = box
    selection.skipTile = (tile) => dense.tileBox(tile).some(({ low, high }, d) => isOutside(low, high, box[d]))
    return
  }
  const leaves = leafLevel(await fragment.rtree())
  const touches = rangeFilter(dimensions, bounds)
  if (leaves) selection.skipTile = (tile) => tile < leaves.mbr_num && !touches(mbrAt(leaves, tile, dimensions))
}

/** Bounds of a dimension of a dense array, as integers. */
function sideOf(bounds: Bounds | undefined): CellBox[number] {
  const integer = (value: Bounds['low']): bigint | undefined =>
    value === undefined || typeof value === 'object' ? undefined : BigInt(value)
  return bounds && { low: integer(bounds.low), high: integer(bounds.high) }
}

function isOutside(low: bigint, high: bigint, side: CellBox[number]): boolean {
  if (!side) return false
  return (side.high !== undefined && low > side.high) || (side.low !== undefined && high < side.low)
}

/** The batches of the cells, with only the rows inside the bounds. The first columns are the dimensions. */
export async function* batchesInBounds(
  cells: FragmentCells,
  bounds: BoundsByDimension,
): AsyncGenerator<CellBatch & { rows: Uint32Array }> {
  for await (const batch of cells.batches()) {
    const count = batch.rows?.length ?? batch.cell_num
    const rows = new Uint32Array(count)
    let kept = 0
    for (let i = 0; i < count; i++) {
      const row = batch.rows ? batch.rows[i] : i
      if (isInside(batch, cells.columns, bounds, row)) rows[kept++] = row
    }
    yield { ...batch, rows: rows.subarray(0, kept) }
  }
}

function isInside(
  { columns }: CellBatch,
  types: readonly ColumnType[],
  bounds: BoundsByDimension,
  row: number,
): boolean {
  for (const [d, { low, high }] of bounds) {
    const column = columns[d]
    if (!column) return false
    const { type } = types[d]
    const { data, starts } = column
    const size = datatypeSize(type)
    const value = comparable(
      type,
      starts ? data.subarray(starts[row], starts[row + 1]) : data.subarray(row * size, (row + 1) * size),
    )
    // NaN is neither less nor greater than a bound.
    if (Number.isNaN(value)) return false
    if (low !== undefined && compare(value, low) < 0) return false
    if (high !== undefined && compare(value, high) > 0) return false
  }
  return true
}
