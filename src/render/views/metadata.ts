import { type Output, PagedBytes, Pages } from '../../base/result.ts'
import type { CellValue, KeyValues } from '../../documents/common.ts'
import type { FragmentMetadataDocument, FragmentMetadataField, TileValues } from '../../documents/fragment-metadata.ts'
import type { MetadataDocument, MetadataVersionDescription } from '../../documents/metadata.ts'
import { type Column, writeTable } from '../table.ts'
import { shortValue } from '../units.ts'
import {
  firstItems,
  limitOf,
  type Shows,
  shownList,
  TILES,
  writeLine,
  writeLongTable,
  writeSection,
  writeTableOrBelow,
  writeTitle,
} from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import { counted, countText, fieldName, NOTHING, slotText, timeRangeText, versionText, withTimes } from './wording.ts'

const KEY_VALUE_COLUMNS: readonly Shows<[key: string, value: KeyValues[string]]>[] = [
  { name: 'key', role: 'field', cell: ([key]) => fieldName(key) },
  { name: 'type', cell: ([, { type }]) => type },
  { name: terminalHeading('value_num'), align: 'right', cell: ([, { value_num }]) => countText(value_num) },
  {
    name: terminalHeading('timestamp_range'),
    align: 'right',
    cell: ([, { timestamp_range }]) => timeRangeText(timestamp_range ?? null, false),
  },
  { name: 'value', cell: ([, { value }]) => shortValue(value) },
]

/** Number of versions that are shown by default. */
const VERSIONS = 50

const VERSION_COLUMNS: readonly Shows<MetadataVersionDescription>[] = [
  { name: 'key', role: 'field', cell: ({ key }) => fieldName(key) },
  {
    name: terminalHeading('timestamp_range'),
    align: 'right',
    cell: ({ timestamp_range }) => timeRangeText(timestamp_range, false),
  },
  { name: 'state', whole: true, cell: versionState },
  { name: 'type', cell: ({ type }) => type ?? NOTHING },
  { name: 'value', cell: ({ deleted, value }) => (deleted ? NOTHING : shortValue(value)) },
  { name: 'file', cell: ({ file }) => file },
]

/** Returns `deleted`, `current` or `past`, and whether the version is a copy from older files. */
function versionState({ deleted, current, consolidated }: MetadataVersionDescription): string {
  const kept = current ? 'current' : 'past'
  const state = deleted ? 'deleted' : kept
  return consolidated ? `${state}, copy` : state
}

/** Shows key-value metadata, of several targets one below the other. */
export async function keyValueMetadataTables(documents: readonly MetadataDocument[], out: Output): Promise<void> {
  for (const [i, document] of documents.entries()) {
    if (i > 0) await out.write('\n')
    await keyValueMetadataTable(document, out)
  }
}

/** Shows the key-value metadata of an array or group. */
async function keyValueMetadataTable(
  { path, as_of, metadata, versions }: MetadataDocument,
  out: Output,
): Promise<void> {
  if (versions) {
    const valued = new Set(versions.flatMap(({ key, deleted }) => (deleted ? [] : [key])))
    const shown = out.full ? versions : versions.filter(({ key }) => valued.has(key))
    const keys = new Set(versions.map(({ key }) => key)).size
    const silent = out.full ? 0 : keys - valued.size
    const what = `${counted(shown.length, 'version')} of ${counted(keys - silent, 'metadata key')}`
    await writeTitle(path, withTimes(keys === 0 ? 'no key-value metadata' : what, as_of), out)
    const names = shown.map(({ key, timestamp_range }) => `${fieldName(key)} ${timeRangeText(timestamp_range, false)}`)
    const limit = limitOf(VERSIONS, out)
    if (shown.length > 0) await writeTableOrBelow({ ...shownList(VERSION_COLUMNS, shown), names, limit }, out)
    if (silent > 0)
      await writeLine(
        `and ${counted(silent, 'key')} of which only deletions are stored, as TileDB-Py writes beside each key (--full shows them)`,
        out,
        'dim',
      )
    return
  }
  const count = Object.keys(metadata).length
  await writeTitle(path, withTimes(count === 0 ? 'no key-value metadata' : counted(count, 'metadata key'), as_of), out)
  if (count > 0) await writeValues(metadata, out)
}

export async function writeValues(metadata: KeyValues, out: Output): Promise<void> {
  await writeTableOrBelow(shownList(KEY_VALUE_COLUMNS, Object.entries(metadata)), out)
}

type TileKey = keyof FragmentMetadataField & `tile_${string}`

/** A column of the table of tiles. */
interface TileColumn {
  key: TileKey
  name: string
  /** Whether the column is shown even if all of its values are zero. */
  always?: boolean
  /** Another list. If it has entries, this column is shown, too. */
  besides?: TileKey
  /** Whether the values are numbers of bytes or cells, not values of the field. */
  count?: boolean
}

const COLUMN_OF: Readonly<Record<TileKey, Omit<TileColumn, 'key'>>> = {
  tile_offsets: { name: 'offset', always: true, count: true },
  tile_var_offsets: { name: terminalHeading('var_offset'), besides: 'tile_var_sizes', count: true },
  tile_var_sizes: { name: terminalHeading('var_unfiltered_size'), besides: 'tile_var_offsets', count: true },
  tile_validity_offsets: { name: terminalHeading('validity_offset'), besides: 'tile_null_counts', count: true },
  tile_mins: { name: 'min', always: true },
  tile_maxs: { name: 'max', always: true },
  tile_sums: { name: 'sum', always: true },
  tile_null_counts: { name: terminalHeading('null_count'), always: true, count: true },
}
const TILE_COLUMNS = (Object.keys(COLUMN_OF) as TileKey[]).map((key): TileColumn => ({ key, ...COLUMN_OF[key] }))

/** Shows the metadata of a fragment: first of whole fields, then of the tiles of each field. */
export async function fragmentMetadataTable(document: FragmentMetadataDocument, out: Output): Promise<void> {
  const { path, format_version, tile_num: tiles, fields, processed_conditions: conditions = [] } = document
  const version = `format version ${versionText(format_version)}`
  await writeTitle(path, `${version}, ${counted(tiles, 'tile')}; offsets and sizes in bytes`, out)
  await writeSummary(fields, out)
  if (conditions.length > 0) {
    await writeSection(`${counted(conditions.length, 'delete condition')} processed`, out)
    for (const condition of conditions) await writeLine(condition, out)
  }
  const silent: FragmentMetadataField[] = []
  for (const field of tiles > 0 ? fields : []) {
    if (field.phantom) continue
    const first = await firstOfAll(field)
    if ([...first.values()].some((values) => values.some(isInformative))) await writeTiles(field, first, tiles, out)
    else silent.push(field)
  }
  if (silent.length > 0) {
    await out.write('\n')
    await writeLine(
      `only zeros in the lists of tiles of ${silent.map(({ name }) => fieldName(name)).join(', ')}`,
      out,
      'dim',
    )
  }
}

async function writeSummary(fields: readonly FragmentMetadataField[], out: Output): Promise<void> {
  if (fields.every(({ min, sum, null_count }) => min === undefined && sum === undefined && null_count === undefined)) {
    await writeLine('no statistics of whole fields: TileDB stores them since format version 11', out, 'dim')
    return
  }
  await writeTable(shownList(SUMMARY_COLUMNS, fields), out)
}

const SUMMARY_COLUMNS: readonly Shows<FragmentMetadataField>[] = [
  { name: 'field', role: 'field', cell: slotText },
  { name: 'min', whole: true, cell: ({ min }) => statistic(min) },
  { name: 'max', whole: true, cell: ({ max }) => statistic(max) },
  { name: 'sum', align: 'right', cell: ({ sum }) => statistic(sum) },
  { name: terminalHeading('null_count'), align: 'right', cell: ({ null_count }) => countText(null_count) },
]

function statistic(value: CellValue = null): string {
  return value === null ? NOTHING : shortValue(value, 30)
}

/** The first values of each list, by key. */
type FirstOf = ReadonlyMap<TileKey, readonly CellValue[]>

async function writeTiles(field: FragmentMetadataField, first: FirstOf, tiles: number, out: Output): Promise<void> {
  const columns = TILE_COLUMNS.filter((column) => isShown(first, column))
  await writeSection(`tiles of ${fieldName(field.name)}`, out)
  const content = {
    columns: [
      { name: 'tile', align: 'right' } as const,
      ...columns.map(({ name }): Column => ({ name, align: 'right' })),
    ],
    rows: tileRows(columns, field, tiles),
  }
  await writeLongTable(content, limitOf(TILES, out), tiles, out)
}

/** Whether a column is shown: its list is not empty, and not only zeros. */
function isShown(first: FirstOf, { key, always, besides }: TileColumn): boolean {
  const values = first.get(key) ?? []
  if (values.length === 0) return false
  if (always === true || values.some(isNonzero)) return true
  const others = (besides !== undefined && first.get(besides)) || []
  return others.some((value) => key === 'tile_validity_offsets' || isNonzero(value))
}

/** Whether a value is anything but the number 0. */
function isInformative(value: CellValue): boolean {
  return value !== 0 && value !== 0n
}

function isNonzero(value: CellValue): boolean {
  return (typeof value === 'number' || typeof value === 'bigint') && isInformative(value)
}

/** Returns the values of a list; none if the list is bytes. */
function valuesOf(field: FragmentMetadataField, key: TileKey): TileValues<CellValue> {
  const values = field[key]
  return values === undefined || values instanceof Uint8Array || values instanceof PagedBytes ? [] : values
}

async function firstOfAll(field: FragmentMetadataField): Promise<FirstOf> {
  const all = new Map<TileKey, CellValue[]>()
  for (const { key } of TILE_COLUMNS) all.set(key, await firstItems(valuesOf(field, key), TILES))
  return all
}

async function* tileRows(
  columns: readonly TileColumn[],
  field: FragmentMetadataField,
  tiles: number,
): AsyncGenerator<string[]> {
  const walks = columns.map(({ key }) => new Walk(valuesOf(field, key)))
  for (let tile = 0; tile < tiles; tile++) {
    const row = [countText(tile)]
    let ended = true
    for (let c = 0; c < columns.length; c++) {
      let next = walks[c].next()
      if (next.done === true && (await walks[c].turn())) next = walks[c].next()
      row.push(tileValue(columns[c], next))
      ended &&= next.done === true
    }
    // A damaged footer may count more tiles than any list has.
    if (ended) return
    yield row
  }
}

/** Iterates over a list that may have pages. It waits only at the end of a page. */
class Walk {
  private readonly pages: AsyncIterator<Iterable<CellValue>> | undefined
  private page: Iterator<CellValue>

  constructor(values: TileValues<CellValue>) {
    const paged = values instanceof Pages
    this.pages = paged ? values.pages()[Symbol.asyncIterator]() : undefined
    this.page = (paged ? [] : values)[Symbol.iterator]()
  }

  next(): IteratorResult<CellValue> {
    return this.page.next()
  }

  /** Goes to the next page. @returns whether there is one */
  async turn(): Promise<boolean> {
    const next = await this.pages?.next()
    if (next === undefined || next.done === true) return false
    this.page = next.value[Symbol.iterator]()
    return true
  }
}

function tileValue({ count }: TileColumn, { done, value }: IteratorResult<CellValue>): string {
  if (done === true) return NOTHING
  return count === true && typeof value === 'number' ? countText(value) : shortValue(value, 30)
}
