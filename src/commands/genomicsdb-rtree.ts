import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { type GenomicsdbHandler, throughGenomicsdbFragments } from '../calls/genomicsdb.ts'
import { boxesOf, mapped, tilesTouched } from '../calls/genomicsdb-boxes.ts'
import type { HexOptions } from '../calls/hex-options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { rangesResult } from '../calls/values.ts'
import type { CellCoordinates } from '../documents/common.ts'
import type { GenomicsdbRtreeDocument } from '../documents/genomicsdb-rtree.ts'
import { datatypeSize } from '../format/datatype.ts'
import { mbrAt } from '../format/rtree.ts'
import { cellValue } from '../format/value.ts'
import { type GenomicsdbFragment, tileCells } from '../genomicsdb/fragment.ts'

interface RtreeOptions extends HexOptions {
  range?: string[]
}

export const handler: GenomicsdbHandler<RtreeOptions> = {
  async *run(cx, target, _args, options) {
    if (!options.hex || target.kind === 'workspace') {
      yield* throughGenomicsdbFragments(cx, 'rtree', target, (fragment) => boxesOutcome(cx, fragment, options))
      return
    }
    const { genomicsdbBookKeepings } = await import('../calls/genomicsdb-hex.ts')
    yield* genomicsdbBookKeepings(cx, 'rtree', target, options)
  },
}

async function boxesOutcome(
  cx: CommandContext,
  fragment: GenomicsdbFragment,
  { range }: RtreeOptions,
): Promise<Outcome> {
  const { array, book } = fragment
  const { dimensions } = array
  const coordsBytes = dimensions.reduce((bytes, { type }) => bytes + datatypeSize(type), 0)
  const cellAt = (from: number): CellCoordinates => {
    let at = from
    return Object.fromEntries(
      dimensions.map(({ name, type }) => {
        const end = at + datatypeSize(type)
        const value = cellValue(type, 1, book.bounding_coords.subarray(at, end), cx.style)
        at = end
        return [name, value]
      }),
    )
  }
  const level = boxesOf(fragment)
  const touched = tilesTouched(fragment, range)
  const document: GenomicsdbRtreeDocument = {
    ...documentHead('genomicsdb-rtree', cx.shownPath(fragment.folder.path)),
    mbr_num: book.mbr_num,
    tiles: mapped(touched, (tile) => ({
      tile,
      cell_num: tileCells(fragment, tile),
      mbr: rangesResult(dimensions, mbrAt(level, tile, dimensions), cx.style),
      first_cell: cellAt(2 * tile * coordsBytes),
      last_cell: cellAt((2 * tile + 1) * coordsBytes),
    })),
  }
  const names = dimensions.map(({ name }) => name)
  return {
    kind: 'document',
    document,
    table: async (out) =>
      (await import('../render/views/genomicsdb.ts')).genomicsdbRtreeTable(document, names, touched.length, out),
  }
}
