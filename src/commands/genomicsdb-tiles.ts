import { element } from '../base/element.ts'
import type { CommandContext } from '../calls/command.ts'
import { documentHead } from '../calls/document-parts.ts'
import { type GenomicsdbHandler, throughGenomicsdbFragments } from '../calls/genomicsdb.ts'
import { boxesOf, mapped, tilesTouched } from '../calls/genomicsdb-boxes.ts'
import { parseTiles, unknownField } from '../calls/option-values.ts'
import type { Outcome } from '../calls/outcome.ts'
import { rangesResult } from '../calls/values.ts'
import type { GenomicsdbTilesDocument } from '../documents/genomicsdb-tiles.ts'
import type { TilesLine, TilesLineField } from '../documents/tiles.ts'
import { mbrAt } from '../format/rtree.ts'
import { type ColumnFile, type ColumnTiles, columnFiles, columnTiles } from '../genomicsdb/column-file.ts'
import { type GenomicsdbFragment, tileCells } from '../genomicsdb/fragment.ts'

interface TilesOptions {
  field?: string[]
  range?: string[]
  tiles?: string
}

export const handler: GenomicsdbHandler<TilesOptions> = {
  async *run(cx, target, _args, options) {
    yield* throughGenomicsdbFragments(cx, 'tiles', target, (fragment) => tilesOutcome(cx, fragment, options))
  },
}

async function tilesOutcome(cx: CommandContext, fragment: GenomicsdbFragment, options: TilesOptions): Promise<Outcome> {
  const { array, tile_num } = fragment
  const { dimensions } = array
  const known = array.fields.map(({ name }) => name)
  const unknown = options.field?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw unknownField('--field', unknown, known)
  const { from, to } = options.tiles === undefined ? { from: 0, to: tile_num - 1 } : parseTiles(options.tiles, tile_num)
  const files: (readonly [ColumnFile, ColumnTiles])[] = []
  for (const file of columnFiles(fragment))
    if (options.field?.includes(file.field.name) ?? true) files.push([file, await columnTiles(fragment, file)])
  const level = boxesOf(fragment)
  const wanted = tilesTouched(fragment, options.range).filter((tile) => tile >= from && tile <= to)
  // Made one by one: there may be a million of them.
  const tiles = mapped(
    wanted,
    (tile): TilesLine => ({
      tile,
      cell_num: tileCells(fragment, tile),
      mbr: rangesResult(dimensions, mbrAt(level, tile, dimensions), cx.style),
      fields: fieldsOf(files, tile),
    }),
  )
  const path = cx.shownPath(fragment.folder.path)
  const document: GenomicsdbTilesDocument = { ...documentHead('genomicsdb-tiles', path), tile_num, tiles }
  return {
    kind: 'rows',
    document,
    rows: tiles,
    columns: () => ['tile', 'cell_num', 'mbr', 'fields'],
    origin: { fragment: fragment.name },
    async table(out) {
      const { tilesTable } = await import('../render/views/tiles.ts')
      const names = dimensions.map(({ name }) => name)
      await tilesTable(document, { names, limited: options.range !== undefined || options.tiles !== undefined }, out)
    },
  }
}

function fieldsOf(files: readonly (readonly [ColumnFile, ColumnTiles])[], tile: number): TilesLineField[] {
  const fields: TilesLineField[] = []
  for (const [{ field, role }, { starts, unfiltered_sizes }] of files) {
    const offset = element(starts, tile)
    const size = element(starts, tile + 1) - offset
    const unfiltered_size = element(unfiltered_sizes, tile)
    const last = fields.at(-1)
    if (role !== 'var' || !last) fields.push({ name: field.name, offset, size, unfiltered_size })
    else Object.assign(last, { var_offset: offset, var_size: size, var_unfiltered_size: unfiltered_size })
  }
  return fields
}
