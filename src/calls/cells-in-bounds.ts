import { type Bounds, oneRangeEach, rangeFilter, rowsInside } from '../cells/bounds.ts'
import { allRows, type CellBatch, type ColumnData, type ColumnType } from '../cells/column.ts'
import type { CellBox } from '../cells/dense-coordinates.ts'
import type { CellSelection, FragmentCells } from '../cells/fragment-cells.ts'
import { datatypeKind } from '../format/datatype.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import type { Fragment } from '../objects/fragment.ts'
import { integerEnd } from '../read/dense-windows.ts'

type BoundsByDimension = ReadonlyMap<number, Bounds>

/** Limits a selection to the tiles that may touch the bounds, and in a dense fragment to the cells inside them. */
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
  return bounds && { low: integerEnd(bounds.low), high: integerEnd(bounds.high) }
}

function isOutside(low: bigint, high: bigint, side: CellBox[number]): boolean {
  if (!side) return false
  return (side.high !== undefined && low > side.high) || (side.low !== undefined && high < side.low)
}

/** The cells in batches, with only the rows inside the bounds. The first columns of `cells` are the dimensions. */
export async function* batchesInBounds(
  cells: { columns: readonly ColumnType[]; batches(): AsyncIterable<CellBatch> },
  bounds: BoundsByDimension,
): AsyncGenerator<CellBatch & { rows: Uint32Array }> {
  // NaN lies in no range of decode, not even in one without ends. So a missing low end becomes minus infinity.
  const ended = Array.from(bounds, ([d, range]): [number, Bounds] => {
    const isFloat = datatypeKind(cells.columns[d].type) === 'float'
    return [d, isFloat ? { ...range, low: range.low ?? Number.NEGATIVE_INFINITY } : range]
  })
  const ranges = oneRangeEach(new Map(ended))
  for await (const batch of cells.batches()) {
    const { cell_num, columns } = batch
    const canRead = [...bounds.keys()].every((d) => columns[d] !== undefined)
    const inside = (): Uint32Array =>
      canRead
        ? (rowsInside(cells.columns, columns as ColumnData[], cell_num, ranges) ?? allRows(cell_num))
        : new Uint32Array(0)
    // The batches of a dense fragment have only the rows in the box already.
    yield { ...batch, rows: batch.rows ?? inside() }
  }
}
