import type { Output } from '../../base/result.ts'
import type { CellValue } from '../../documents/common.ts'
import type { TilesDocument, TilesLine, TilesLineField } from '../../documents/tiles.ts'
import { type Pair, streamTable, writeKeyValues, writeTable } from '../table.ts'
import { shortValue } from '../units.ts'
import {
  firstItems,
  fits,
  limitOf,
  type Shows,
  type Spare,
  shownList,
  TILES,
  withoutSpares,
  writeLine,
  writeSection,
  writeTitle,
} from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import { counted, countText, domainText, fieldName, ratioText, versionText } from './wording.ts'

/** Most characters of a minimum or maximum. */
const VALUE_ROOM = 24
/** Name of the column that is shown below the table if it does not fit. */
const BOX = 'box'
/** Name of the column that tells the files of a field apart. */
const ROLE = 'role'
/** Rank of the columns about files where they are the first to be left out. */
const PLACE = -1

interface TileColumn extends Shows<Row>, Spare {}

/** A row of the table: one file of one field of a tile. */
interface Row {
  /** Only in the first row of a tile. */
  tile?: TilesLine | undefined
  /** Only in the first row of a field. */
  field?: TilesLineField | undefined
  file: string
  offset: number | undefined
  size: number | undefined
  unfiltered_size: number | undefined
}

interface TilesStyle {
  /** Names of the dimensions. */
  names: readonly string[]
  /** Whether the user chose the tiles. All of them are then shown. */
  limited: boolean
  /** The fields of the condition that chose them. Their minima and maxima tell why a tile is shown. */
  compared?: readonly string[] | undefined
  /** Whether the user chose the fields. */
  isChosen?: boolean | undefined
}

/** Shows tiles, with a row for each file of each field. */
export async function tilesTable(
  document: Pick<TilesDocument, 'path' | 'tile_num'> & {
    format_version?: number
    tiles: AsyncIterable<TilesLine> | Iterable<TilesLine>
  },
  style: TilesStyle,
  out: Output,
): Promise<void> {
  const { path, format_version, tile_num } = document
  const { compared, isChosen = false } = style
  const tiles = compared && !isChosen ? withFields(document.tiles, compared) : document.tiles
  const version = format_version === undefined ? '' : `format version ${versionText(format_version)}, `
  const facts = `${version}${counted(tile_num, 'tile')}; offsets and sizes in bytes`
  await writeTitle(path, facts, out)
  const sample = await firstItems(tiles, TILES)
  if (sample.length === 0) {
    await writeLine(tile_num === 0 ? 'no tiles' : `the range touches 0 of ${counted(tile_num, 'tile')}`, out)
    return
  }
  const all = columnsFor(style.names, sample, compared !== undefined)
  const columns = fitting(all, sample, out)
  let shown = 0
  const limit = (style.limited ? undefined : limitOf(TILES, out)) ?? Number.POSITIVE_INFINITY
  async function* rows(): AsyncGenerator<readonly string[]> {
    for await (const tile of tiles) {
      if (shown === limit) return
      shown++
      yield* shownList(columns, rowsOf(tile, columns)).rows
    }
  }
  if (limit === Number.POSITIVE_INFINITY) await streamTable({ columns, rows: rows() }, out)
  else await writeTable({ columns, rows: rows() }, out)
  if (style.limited) await writeLine(`${countText(shown)} of ${counted(tile_num, 'tile')}`, out, 'dim')
  else if (tile_num > shown)
    await writeLine(`… ${counted(tile_num - shown, 'more tile')} (--full shows all)`, out, 'dim')
  const left = all.filter((column) => !columns.includes(column)).map(({ name }) => name)
  const boxesBelow = left.includes(BOX) && shown === sample.length
  const gone = boxesBelow ? left.filter((name) => name !== BOX) : left
  if (gone.length > 0) await writeLine(`no room for: ${gone.join(', ')}`, out, 'dim')
  if (!boxesBelow) return
  await writeSection('boxes of the tiles', out)
  await writeKeyValues(
    sample.map((tile): Pair => [countText(tile.tile), boxText(style.names, tile)]),
    out,
  )
}

/** Tiles with these fields only; with all of them if they have none of these. They can be walked more than once. */
function withFields(
  tiles: AsyncIterable<TilesLine> | Iterable<TilesLine>,
  names: readonly string[],
): AsyncIterable<TilesLine> {
  async function* walk(): AsyncGenerator<TilesLine> {
    for await (const tile of tiles) {
      const fields = tile.fields.filter(({ name }) => names.includes(name))
      yield fields.length === 0 ? tile : { ...tile, fields }
    }
  }
  return { [Symbol.asyncIterator]: walk }
}

/** @param isCompared whether a condition chose the tiles: places in files are then left out before minima and maxima are */
function columnsFor(names: readonly string[], sample: readonly TilesLine[], isCompared: boolean): TileColumn[] {
  const statistic = <K extends 'min' | 'max' | 'sum' | 'null_count'>(
    key: K,
    name: string,
    spare: number,
    shown: (value: NonNullable<TilesLineField[K]>) => string,
  ): TileColumn => {
    const cell = ({ field }: Row): string => {
      const value = field?.[key]
      return value === undefined || value === null ? '' : shown(value)
    }
    const shownFor = (field: TilesLineField): boolean => cell({ ...field, field, file: '' }) !== ''
    return { name, align: 'right', spare, shown: sample.some(({ fields }) => fields.some(shownFor)), cell }
  }
  const valueText = (value: CellValue): string => shortValue(value, VALUE_ROOM)
  const place = (spare?: number): number | undefined => (isCompared ? PLACE : spare)
  const columns: TileColumn[] = [
    { name: 'tile', align: 'right', cell: ({ tile }) => (tile ? countText(tile.tile) : '') },
    { name: terminalHeading('cell_num'), align: 'right', cell: ({ tile }) => (tile ? countText(tile.cell_num) : '') },
    { name: BOX, role: 'number', whole: true, spare: 3, cell: ({ tile }) => (tile ? boxText(names, tile) : '') },
    { name: 'field', role: 'field', cell: ({ field }) => (field ? fieldName(field.name) : '') },
    { name: ROLE, spare: place(), cell: ({ file }) => file },
    { name: 'offset', align: 'right', spare: place(2), cell: ({ offset }) => countText(offset) },
    { name: 'size', align: 'right', spare: place(), cell: ({ size }) => countText(size) },
    {
      name: terminalHeading('unfiltered_size'),
      align: 'right',
      spare: place(),
      cell: ({ unfiltered_size }) => countText(unfiltered_size),
    },
    {
      name: 'ratio',
      align: 'right',
      spare: place(4),
      cell: ({ unfiltered_size, size }) => ratioText(unfiltered_size, size),
    },
    statistic('min', 'min', 5, valueText),
    statistic('max', 'max', 5, valueText),
    statistic('sum', 'sum', 0, valueText),
    statistic('null_count', terminalHeading('null_count'), 1, countText),
  ]
  return columns.filter(({ shown }) => shown !== false)
}

function boxText(names: readonly string[], { mbr, tile_domain }: TilesLine): string {
  return domainText(names, mbr ?? tile_domain ?? [])
}

/** Returns a row for each file of each field; a row for each field if the columns tell nothing of files. */
function rowsOf(tile: TilesLine, columns: readonly TileColumn[]): Row[] {
  const rows = fileRows(tile)
  return columns.some(({ name }) => name === ROLE) ? rows : rows.filter(({ field }) => field)
}

function fileRows(tile: TilesLine): Row[] {
  return tile.fields.flatMap((field, i): Row[] => {
    const { offset, size, unfiltered_size, var_offset, validity_offset } = field
    const file = var_offset === undefined ? 'data' : 'offsets'
    const rows: Row[] = [{ tile: i === 0 ? tile : undefined, field, file, offset, size, unfiltered_size }]
    if (var_offset !== undefined)
      rows.push({ file: 'var', offset: var_offset, size: field.var_size, unfiltered_size: field.var_unfiltered_size })
    if (validity_offset !== undefined) {
      const { validity_size, validity_unfiltered_size } = field
      const sizes = { size: validity_size, unfiltered_size: validity_unfiltered_size }
      rows.push({ file: 'validity', offset: validity_offset, ...sizes })
    }
    return rows
  })
}

/** Returns the columns that fit the terminal. */
function fitting(columns: readonly TileColumn[], sample: readonly TilesLine[], out: Output): readonly TileColumn[] {
  let kept = withoutSpares(columns, (some) => hasRoom(some, sample, out))
  // Once a wide column is left out, a narrow one that was left out before it may fit again.
  const left = new Set(columns.filter((column) => !kept.includes(column)).map(({ spare }) => spare ?? 0))
  for (const spare of [...left].sort((a, b) => b - a)) {
    const more = columns.filter((column) => column.spare === spare || kept.includes(column))
    if (hasRoom(more, sample, out)) kept = more
  }
  return kept
}

function hasRoom(columns: readonly TileColumn[], sample: readonly TilesLine[], out: Output): boolean {
  return fits(
    columns,
    shownList(
      columns,
      sample.flatMap((tile) => rowsOf(tile, columns)),
    ).rows,
    out,
  )
}
