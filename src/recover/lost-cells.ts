import type { Result } from '../base/result.ts'
import { type ColumnData, cellBytes } from '../cells/column.ts'
import { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { FragmentCells } from '../cells/fragment-cells.ts'
import { datatypeSize } from '../format/datatype.ts'
import { cellValue, type ValueStyle } from '../format/value.ts'
import type { RecoveredFragment } from './fragment.ts'

/** Yields one line per lost cell, with its coordinates. If these are lost, too, it yields one line per tile or fragment. */
export async function* lostCells(
  { name: fragment, outcome, lostTiles }: RecoveredFragment,
  style: ValueStyle,
): AsyncGenerator<Result> {
  if (!lostTiles) {
    if (outcome === 'lost') yield { fragment, tile: null, cells: null }
    return
  }
  const { opened, tiles } = lostTiles
  const { facts, lastTileCellNum } = opened
  const { schema, dense, domain, tileNum, cellsPerTile } = facts
  const { dimensions } = schema.domain
  const line = (tile: number, cell: number, columns: readonly ColumnData[]): Result => ({
    fragment,
    tile,
    cell,
    coordinates: Object.fromEntries(
      dimensions.map(({ name, type, cell_val_num }, d) => {
        const bytes = cellBytes(columns[d], cell, datatypeSize(type))
        return [name, cellValue(type, cell_val_num, bytes, style)]
      }),
    ),
  })
  if (dense) {
    const grid = new DenseCoordinates({ schema, nonempty_domain: domain })
    for (const tile of tiles) {
      const { coordinates, rows } = grid.cells(tile)
      const columns = coordinates.map((data) => ({ data, starts: undefined, validity: undefined }))
      for (let i = 0; i < (rows?.length ?? cellsPerTile); i++) yield line(tile, rows ? rows[i] : i, columns)
    }
    return
  }
  const wanted = new Set(tiles)
  const cells = await FragmentCells.open(opened.fragment, {
    fields: [],
    wholeTiles: true,
    withUnreadable: true,
    skipTile: (tile) => !wanted.has(tile),
    onColumnError() {},
  })
  try {
    for await (const { tile, columns } of cells.batches()) {
      const count = tile === tileNum - 1 ? lastTileCellNum : cellsPerTile
      const coordinates = columns.slice(0, dimensions.length).flatMap((column) => column ?? [])
      if (coordinates.length < dimensions.length) yield { fragment, tile, cells: count }
      else for (let cell = 0; cell < count; cell++) yield line(tile, cell, coordinates)
    }
  } finally {
    await cells.close()
  }
}
