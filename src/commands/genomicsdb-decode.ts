import type { InspectError } from '../base/errors.ts'
import { batchesInBounds } from '../calls/cells-in-bounds.ts'
import { type CellOptions, FaultList, parseLimit, readerOutcome } from '../calls/cells-outcome.ts'
import { documentHead } from '../calls/document-parts.ts'
import { FieldReport } from '../calls/field-report.ts'
import { type GenomicsdbHandler, singleGenomicsdbFragment } from '../calls/genomicsdb.ts'
import { tilesTouched } from '../calls/genomicsdb-boxes.ts'
import { parseTiles, unknownField } from '../calls/option-values.ts'
import { parseRanges } from '../calls/ranges.ts'
import { FRAGMENT_COLUMN } from '../calls/selected-cells.ts'
import { genomicsdbColumns, openFragmentCells } from '../genomicsdb/cells.ts'

interface DecodeOptions extends CellOptions {
  field?: string[]
  range?: string[]
  tiles?: string
}

export const handler: GenomicsdbHandler<DecodeOptions> = {
  async *run(cx, target, _args, options) {
    const fragment = await singleGenomicsdbFragment(cx, 'decode', target)
    const { array, tile_num, name, folder } = fragment
    const known = genomicsdbColumns(fragment).map((column) => column.name)
    const unknown = options.field?.find((field) => !known.includes(field))
    if (unknown !== undefined) throw unknownField('--field', unknown, known)
    const bounds = options.range && parseRanges(array.dimensions, options.range)
    const touched = bounds && new Set(tilesTouched(fragment, options.range))
    const faults = new FaultList(cx)
    const told = new Set<string>()
    const cells = await openFragmentCells(fragment, {
      fields: options.field,
      tiles: options.tiles === undefined ? undefined : parseTiles(options.tiles, tile_num),
      skipTile: touched && ((tile) => !touched.has(tile)),
      wholeTiles: options.keepGoing,
      onFault: (fault: InspectError, column, tile) => {
        // What is wrong with all of a file is told once.
        if (tile === undefined && told.has(column)) return
        if (tile === undefined) told.add(column)
        faults.add(fault)
      },
    })
    const reader = {
      columns: cells.columns,
      limit: parseLimit(options.limit),
      enumerations: new Map(),
      report: new FieldReport(),
      faults: faults.listed,
      batches: () => (bounds ? batchesInBounds(cells, bounds) : cells.batches()),
      close: () => cells.close(),
    }
    const head = documentHead('cells', cx.shownPath(folder.path))
    const isAll = options.range === undefined && options.tiles === undefined
    const outcome = readerOutcome(cx, head, reader, options, isAll ? fragment.cell_num : undefined)
    yield { ...outcome, origin: { [FRAGMENT_COLUMN]: name } }
  },
}
