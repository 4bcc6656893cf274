import { openGenomicsdbAnatomy } from '../anatomy/genomicsdb.ts'
import type { CellRange, Part } from '../anatomy/part.ts'
import { chainTo, pathText } from '../anatomy/path.ts'
import { unlessFault, usage } from '../base/errors.ts'
import { parseOffset, partResult } from '../calls/byte-place.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { type GenomicsdbHandler, notForGenomicsdb } from '../calls/genomicsdb.ts'
import { genomicsdbFile } from '../calls/genomicsdb-hex.ts'
import { genomicsdbPlace } from '../calls/genomicsdb-place.ts'
import { selectionOf } from '../calls/hex-options.ts'
import { columnValue } from '../cells/rows.ts'
import type { AtCells, AtDocument } from '../documents/at.ts'
import { fragmentFolder, openGenomicsdbArray } from '../genomicsdb/array.ts'
import { openFragmentCells } from '../genomicsdb/cells.ts'
import { columnFiles, isCoords } from '../genomicsdb/column-file.ts'
import { openGenomicsdbFragment } from '../genomicsdb/fragment.ts'
import type { GenomicsdbTarget } from '../genomicsdb/target.ts'

export const handler: GenomicsdbHandler<{ flips: boolean }> = {
  async *run(cx, target, [offsetText], { flips }) {
    const place = genomicsdbPlace(target)
    if (!place) throw notForGenomicsdb('at', target)
    const offset = parseOffset(offsetText)
    const file = await genomicsdbFile(cx, place.folder, place.name)
    const { root, close } = await openGenomicsdbAnatomy(file, cx)
    try {
      const { length: size } = root.space
      if (offset >= size)
        throw usage({ expected: `an offset below ${size}, the file's size`, found: offset }, { file: file.path })
      const chain = await chainTo(root, offset)
      const selection = selectionOf(cx, {}, file.path)
      for (const part of chain) if (part.fault) selection.onFault(part.fault)
      const range = chain.findLast((part: Part) => part.cells !== undefined)?.cells
      const [byte = 0] = await root.space.read(offset, 1)
      const document: AtDocument = {
        ...documentHead('at', cx.shownPath(file.path)),
        offset,
        byte,
        file_kind: root.type,
        size,
        chain: chain.map(partResult),
        field_path: pathText(chain.slice(1).flatMap((part) => (part.transparent ? [] : [part.name]))),
        cells: range && (await cellsResult(cx, file, range)),
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
