import type { Output, Result } from '../../base/result.ts'
import { type Column, keyValues, type Pair, streamTable, table } from '../table.ts'
import { shortValue } from '../units.ts'
import { amount, type Document, rowsOf as elements, type Fields, fieldList, fields, text } from './narrow.ts'
import { fits, limitOf, line, section, TILES, title } from './parts.ts'
import { counted, countText, domainText, fieldName, ratioText, versionText } from './wording.ts'

/** Files of a field, by the prefix of their keys. */
const ROLES = [
  ['', 'data'],
  ['var_', 'var'],
  ['validity_', 'validity'],
] as const
/** Characters of a minimum or maximum. */
const VALUE_ROOM = 24
/** The column that goes below the table where it has no room. */
const BOX = 'box'

interface TileColumn extends Column {
  /** Left out of tables that do not fit, in this order. */
  spare?: number
  cell: (tile: Fields, field: Fields, prefix: string, first: boolean) => string
}

export interface TilesStyle {
  /** Of the dimensions. */
  names: readonly string[]
  /** Whether the caller chose the tiles: then all of them are shown. */
  limited: boolean
  full: boolean
}

/** A row for each file of each field of a tile. */
export async function tilesTable(document: Document, style: TilesStyle, out: Output): Promise<void> {
  const total = amount(document.tile_num)
  const facts = `format version ${versionText(document.format_version)}, ${counted(total, 'tile')}; offsets and sizes in bytes`
  await title(document.path, facts, out)
  const sample = await firstOf(document.tiles)
  if (sample.length === 0) {
    await line(total === 0 ? 'no tiles' : `the range touches 0 of ${counted(total, 'tile')}`, out)
    return
  }
  const all = columnsFor(style.names, sample)
  const columns = fitting(all, sample, out)
  let shown = 0
  const limit = limitOf(style.full || style.limited, TILES, out) ?? Number.POSITIVE_INFINITY
  async function* rows(): AsyncGenerator<string[]> {
    for await (const tile of elements(document.tiles)) {
      if (shown === limit) return
      shown++
      yield* rowsOf(fields(tile), columns)
    }
  }
  if (limit === Number.POSITIVE_INFINITY) await streamTable({ columns, rows: rows() }, out)
  else await table({ columns, rows: rows() }, out)
  if (style.limited) await line(`${countText(shown)} of ${counted(total, 'tile')}`, out, 'dim')
  else if (total > shown) await line(`… ${counted(total - shown, 'more tile')} (--full shows all)`, out, 'dim')
  const left = all.filter((column) => !columns.includes(column)).map(({ name }) => name)
  const boxesBelow = left.includes(BOX) && shown === sample.length
  const gone = boxesBelow ? left.filter((name) => name !== BOX) : left
  if (gone.length > 0) await line(`no room for: ${gone.join(', ')}`, out, 'dim')
  if (!boxesBelow) return
  await section('boxes of the tiles', out)
  await keyValues(
    sample.map((tile): Pair => [countText(tile.tile), boxText(style.names, tile)]),
    out,
  )
}

function columnsFor(names: readonly string[], sample: readonly Fields[]): TileColumn[] {
  const said = (key: string): boolean =>
    sample.some((tile) => fieldList(tile.fields).some((field) => field[key] !== undefined && field[key] !== null))
  const ofFile = (key: string, name: string, spare?: number): TileColumn => ({
    name,
    align: 'right',
    ...(spare !== undefined && { spare }),
    cell: (_, field, prefix) => countText(field[prefix + key]),
  })
  const ofField = (
    key: string,
    name: string,
    spare: number,
    cell: (value: Result | undefined) => string,
  ): TileColumn[] =>
    said(key)
      ? [{ name, align: 'right', spare, cell: (_, field, prefix) => (prefix === '' ? cell(field[key]) : '') }]
      : []
  const statistic = (value: Result | undefined): string =>
    value === null || value === undefined ? '' : shortValue(value, VALUE_ROOM)
  return [
    { name: 'tile', align: 'right', cell: (tile, _, __, first) => (first ? countText(tile.tile) : '') },
    { name: 'cells', align: 'right', cell: (tile, _, __, first) => (first ? countText(tile.cell_num) : '') },
    {
      name: BOX,
      role: 'number',
      spare: 3,
      cell: (tile, _, __, first) => (first ? boxText(names, tile) : ''),
    },
    { name: 'field', role: 'field', cell: (_, field, prefix) => (prefix === '' ? fieldName(field.name) : '') },
    { name: 'file', cell: (_, field, prefix) => roleText(field, prefix) },
    ofFile('offset', 'offset', 2),
    ofFile('size', 'size'),
    ofFile('unfiltered_size', 'unfiltered'),
    {
      name: 'ratio',
      align: 'right',
      spare: 4,
      cell: (_, field, prefix) => ratioText(field[`${prefix}unfiltered_size`], field[`${prefix}size`]),
    },
    ...ofField('min', 'min', 5, statistic),
    ...ofField('max', 'max', 5, statistic),
    ...ofField('sum', 'sum', 0, statistic),
    ...ofField('null_count', 'nulls', 1, countText),
  ]
}

function boxText(names: readonly string[], tile: Fields): string {
  return domainText(names, tile.mbr ?? tile.tile_domain ?? null)
}

function roleText(field: Fields, prefix: string): string {
  if (prefix === '' && field.var_offset !== undefined) return 'offsets'
  return text(ROLES.find(([one]) => one === prefix)?.[1])
}

function* rowsOf(tile: Fields, columns: readonly TileColumn[]): Generator<string[]> {
  let first = true
  for (const field of fieldList(tile.fields)) {
    for (const [prefix] of ROLES) {
      if (field[`${prefix}offset`] === undefined) continue
      yield columns.map(({ cell }) => cell(tile, field, prefix, first))
      first = false
    }
  }
  if (first) yield columns.map(({ cell }) => cell(tile, {}, '', true))
}

/** The columns that there is room for. */
function fitting(columns: readonly TileColumn[], sample: readonly Fields[], out: Output): readonly TileColumn[] {
  let kept = columns
  while (!hasRoom(kept, sample, out)) {
    const spares = kept.flatMap(({ spare }) => spare ?? [])
    if (spares.length === 0) break
    const next = Math.min(...spares)
    kept = kept.filter(({ spare }) => spare !== next)
  }
  // narrow columns may have gone for nothing, ahead of a wide one
  const left = new Set(columns.filter((column) => !kept.includes(column)).map(({ spare }) => spare ?? 0))
  for (const spare of [...left].sort((a, b) => b - a)) {
    const more = columns.filter((column) => column.spare === spare || kept.includes(column))
    if (hasRoom(more, sample, out)) kept = more
  }
  return kept
}

function hasRoom(columns: readonly TileColumn[], sample: readonly Fields[], out: Output): boolean {
  return fits(
    columns,
    sample.flatMap((tile) => [...rowsOf(tile, columns)]),
    out,
  )
}

async function firstOf(tiles: Result | undefined): Promise<Fields[]> {
  const first: Fields[] = []
  for await (const tile of elements(tiles)) {
    first.push(fields(tile))
    if (first.length === TILES) break
  }
  return first
}
