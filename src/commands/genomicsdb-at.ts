import { openGenomicsdbAnatomy } from '../anatomy/genomicsdb.ts'
import type { CellRange } from '../anatomy/part.ts'
import { unlessFault } from '../base/errors.ts'
import { lookAtByte, parseOffset } from '../calls/byte-place.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import { fileOfTarget } from '../calls/genomicsdb-file.ts'
import { genomicsdbFile } from '../calls/genomicsdb-hex.ts'
import { columnValue } from '../cells/rows.ts'
import type { AtCells, AtDocument } from '../documents/at.ts'
import { fragmentFolder, openGenomicsdbArray } from '../genomicsdb/array.ts'
import { openFragmentCells } from '../genomicsdb/cells.ts'
import { columnFiles, isCoords } from '../genomicsdb/column-file.ts'
import { openGenomicsdbFragment } from '../genomicsdb/fragment.ts'
import type { GenomicsdbTarget } from '../genomicsdb/target.ts'

export const handler: GenomicsdbHandler<{ flips: boolean }> = {
  async *run(cx, target, [offsetText], { flips }) {
    const named = fileOfTarget(target)
    if (!named) throw notForGenomicsdb('at', target)
    const offset = parseOffset(offsetText)
    const file = await genomicsdbFile(cx, named.folder, named.name)
    const { root, close } = await openGenomicsdbAnatomy(file, cx)
    try {
      const { cells, facts } = await lookAtByte(cx, root, offset, file.path)
      const document: AtDocument = {
        ...documentHead('at', cx.shownPath(file.path)),
        ...facts,
        cells: cells && (await cellsResult(cx, file, cells)),
        ...(flips && NOT_TRIED),
      }
      yield {
        kind: 'document',
        document,
        table: async (out) => (await import('../render/views/at.ts')).atTable(document, out),
      }
    } finally {
      await close()
    }
  },
}

/** What is said of flips, which are tried in arrays of TileDB only. */
const NOT_TRIED: Partial<AtDocument> = {
  detected_by: null,
  detected_by_bit: null,
  findings_by_bit: null,
  cell_findings: null,
  detected_in: null,
  not_tried: 'flips are tried in arrays of TileDB only',
}

/** The cells that depend on a byte; of a single one its coordinates and its value, if they can be read. */
async function cellsResult(
  cx: CommandContext,
  { array, fragment: folder, name }: GenomicsdbTarget & { kind: 'file' },
  range: CellRange,
): Promise<AtCells> {
  if (!array || !folder) return range
  const fragment = await openGenomicsdbFragment(
    await openGenomicsdbArray(array, cx.reading),
    await fragmentFolder(folder),
  )
  const file = columnFiles(fragment).find((one) => one.name === name)
  const field = file && !isCoords(file) ? file.field.name : undefined
  if (range.from !== range.to) return { ...range, field }
  const { tile } = range
  const cells = await openFragmentCells(fragment, {
    fields: field === undefined ? [] : [field],
    tiles: { from: tile, to: tile },
    onFault() {},
  })
  try {
    const batch = (await cells.batches().next().catch(unlessFault))?.value
    const coordinates: NonNullable<AtCells['coordinates']> = {}
    let value: AtCells['value']
    for (const [i, column] of cells.columns.entries()) {
      const data = batch?.columns[i]
      if (!data) continue
      const found = columnValue(column, cx.style)(data, range.from)
      if (column.kind === 'dimension') coordinates[column.name] = found
      else value = found
    }
    return { ...range, field, coordinates, value }
  } finally {
    await cells.close()
  }
}
