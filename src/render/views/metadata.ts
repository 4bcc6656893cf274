import type { Document, Output, Result } from '../result.ts'
import { type Column, streamTable, table } from '../table.ts'
import { shortValue } from '../units.ts'
import { amount, type Fields, fieldList, fields, integer, list, text } from './narrow.ts'
import { line, section, TILES, tableOrBelow, title } from './parts.ts'
import { counted, countText, fieldName, NOTHING, versionText } from './wording.ts'

export const METADATA_COLUMNS: readonly Column[] = [
  { name: 'key', role: 'field' },
  { name: 'type' },
  { name: 'values', align: 'right' },
  { name: 'value' },
]

/** Key-value metadata of an array or group. */
export async function keyValueMetadataTable(document: Document, out: Output): Promise<void> {
  const rows = keyValueRows(document.metadata)
  await title(document.path, rows.length === 0 ? 'no metadata' : counted(rows.length, 'metadata key'), out)
  if (rows.length > 0) await tableOrBelow({ columns: METADATA_COLUMNS, rows }, out)
}

export function keyValueRows(metadata: Result | undefined): string[][] {
  return Object.entries(fields(metadata)).map(([key, entry]) => {
    const { type, value_num, value } = fields(entry)
    return [key === '' ? '""' : key, text(type), countText(value_num), shortValue(value)]
  })
}

/** A column of the list of tiles. `besides` another list whose entries make this one worth showing, too. */
interface TileColumn {
  key: string
  name: string
  always?: boolean
  besides?: string
  /** Bytes or cells, no value of the field. */
  count?: boolean
}

const TILE_COLUMNS: readonly TileColumn[] = [
  { key: 'tile_offsets', name: 'offset', always: true, count: true },
  { key: 'tile_var_offsets', name: 'var offset', besides: 'tile_var_sizes', count: true },
  { key: 'tile_var_sizes', name: 'var size', count: true },
  { key: 'tile_validity_offsets', name: 'validity', besides: 'tile_null_counts', count: true },
  { key: 'tile_mins', name: 'min', always: true },
  { key: 'tile_maxs', name: 'max', always: true },
  { key: 'tile_sums', name: 'sum', always: true },
  { key: 'tile_null_counts', name: 'nulls', always: true, count: true },
]

/** The metadata of a fragment by column: what it says of each field as a whole, then of the field's tiles. */
export async function fragmentMetadataTable(document: Document, full: boolean, out: Output): Promise<void> {
  const slots = fieldList(document.fields)
  const tiles = amount(document.tile_num)
  const version = `format version ${versionText(document.format_version)}`
  await title(document.path, `${version}, ${counted(tiles, 'tile')}; offsets and sizes in bytes`, out)
  await summaryTable(slots, out)
  const conditions = Array.from(list(document.processed_conditions), text)
  if (conditions.length > 0) {
    await section(`${counted(conditions.length, 'delete condition')} processed`, out)
    for (const condition of conditions) await line(condition, out)
  }
  const told = slots.filter((slot) => slot.phantom !== true && tiles > 0)
  const silent = told.filter((slot) => TILE_COLUMNS.every(({ key }) => !firstOf(slot[key]).some(isSaid)))
  for (const slot of told) if (!silent.includes(slot)) await tilesTable(slot, tiles, full, out)
  if (silent.length > 0) {
    await out.write('\n')
    await line(
      `nothing but zeros about the tiles of ${silent.map(({ name }) => fieldName(name)).join(', ')}`,
      out,
      'dim',
    )
  }
}

async function summaryTable(slots: readonly Fields[], out: Output): Promise<void> {
  if (slots.every(({ min, sum, null_count }) => min === undefined && sum === undefined && null_count === undefined)) {
    await line('no statistics of whole fields: TileDB stores them since format version 11', out, 'dim')
    return
  }
  await table(
    {
      columns: [
        { name: 'field', role: 'field' },
        { name: 'min' },
        { name: 'max' },
        { name: 'sum', align: 'right' },
        { name: 'nulls', align: 'right' },
      ],
      rows: slots.map((slot) => [
        slot.phantom === true ? `${fieldName(slot.name)} (phantom)` : fieldName(slot.name),
        statistic(slot.min),
        statistic(slot.max),
        statistic(slot.sum),
        countText(slot.null_count),
      ]),
    },
    out,
  )
}

function statistic(value: Result | undefined): string {
  return value === null || value === undefined ? NOTHING : shortValue(value, 30)
}

async function tilesTable(slot: Fields, tiles: number, full: boolean, out: Output): Promise<void> {
  const columns = TILE_COLUMNS.filter((column) => isShown(slot, column))
  await section(`tiles of ${fieldName(slot.name)}`, out)
  const content = {
    columns: [
      { name: 'tile', align: 'right' } as const,
      ...columns.map(({ name }): Column => ({ name, align: 'right' })),
    ],
    rows: tileRows(columns, slot, tiles),
  }
  if (full) await streamTable(content, out)
  else await table({ ...content, limit: TILES, total: tiles }, out)
}

/** Lists that are empty, and lists of zeros that say nothing about this field, are left out. */
function isShown(slot: Fields, { key, always, besides }: TileColumn): boolean {
  const first = firstOf(slot[key])
  if (first.length === 0) return false
  if (always === true || first.some(isNonzero)) return true
  return (
    besides !== undefined && firstOf(slot[besides]).some((value) => key === 'tile_validity_offsets' || isNonzero(value))
  )
}

/** Anything but the number 0. */
function isSaid(value: Result): boolean {
  return integer(value) === undefined || isNonzero(value)
}

function isNonzero(value: Result): boolean {
  const number = integer(value)
  return number !== undefined && Number(number) !== 0
}

function firstOf(values: Result | undefined): Result[] {
  const first: Result[] = []
  for (const value of list(values)) {
    first.push(value)
    if (first.length === TILES) break
  }
  return first
}

function* tileRows(columns: readonly TileColumn[], slot: Fields, tiles: number): Generator<string[]> {
  const iterators = columns.map(({ key }) => list(slot[key])[Symbol.iterator]())
  for (let tile = 0; tile < tiles; tile++) {
    yield [countText(tile), ...columns.map((column, c) => tileValue(column, iterators[c].next()))]
  }
}

function tileValue({ count }: TileColumn, { done, value }: IteratorResult<Result>): string {
  if (done === true) return NOTHING
  return count === true ? countText(value) : shortValue(value, 30)
}
