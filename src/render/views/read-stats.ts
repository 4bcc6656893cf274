import type { Output } from '../../base/result.ts'
import type {
  ReadStatsDelete,
  ReadStatsDocument,
  ReadStatsField,
  ReadStatsRepeated,
} from '../../documents/read-stats.ts'
import { timeText } from '../../format/timestamped-name.ts'
import { keyValues, type Pairs } from '../table.ts'
import { shortValue } from '../units.ts'
import { limitOf, line, listOf, ROWS, type Shows, section, tableOrBelow, title } from './parts.ts'
import { counted, countText, fieldName, NOTHING, opened, typeText } from './wording.ts'

/** Characters of a value. */
const VALUE = 24

/** What a reader sees. @param isNow whether no time was asked for */
export async function readStatsTable(
  document: ReadStatsDocument,
  isNow: boolean,
  full: boolean,
  out: Output,
): Promise<void> {
  const { path, fragment_num, as_of, fields, deletes, duplicates } = document
  const what = `what a reader sees of ${counted(fragment_num, 'fragment')}`
  await title(path, opened(what, isNow ? undefined : as_of), out)
  await keyValues(facts(document), out)
  if (duplicates && duplicates.most.length > 0) {
    const { most, coordinate_num } = duplicates
    const rest = coordinate_num > most.length ? `, the ${most.length} with most cells` : ''
    await section(`coordinates of several cells${rest}`, out)
    await tableOrBelow(listOf(REPEATED_COLUMNS, most), out)
  }
  if (deletes.length > 0) {
    await section('delete conditions, oldest first', out)
    const names = deletes.map(({ time }) => timeText(time, false))
    await tableOrBelow({ ...listOf(DELETE_COLUMNS, deletes), names, limit: limitOf(full, ROWS, out) }, out)
    await line(
      'removed: from what readers saw at the time of the delete; written again: those of them that have a newer cell now',
      out,
      'dim',
    )
    for (const text of storedTexts(document)) await line(text, out, 'dim')
  }
  if (fields.length > 0) {
    await section('fields', out)
    await tableOrBelow(listOf(fieldColumns(fields), fields), out)
    if (fields.some(({ fill_count }) => fill_count > 0))
      await line(
        'filled: cells from before the array had the field as it is now; reads give its fill value, which counts nowhere else here',
        out,
        'dim',
      )
  }
  for (const field of fields) await enumerationTable(field, full, out)
}

function facts(document: ReadStatsDocument): Pairs {
  const { array_type, limited, cell_num, dense, hidden_cell_num, duplicates, deletes } = document
  const where = limited ? ' in this query' : ''
  const deleted = deletes.reduce((sum, one) => sum + one.cell_num, 0)
  return [
    ['cells', `${countText(cell_num)}${writtenText(document)}${where}`],
    dense && ['unwritten', unwrittenText(document)],
    hidden_cell_num !== null &&
      !duplicates && ['overwritten', `${counted(hidden_cell_num, 'older cell')} that newer ones hide`],
    array_type === 'sparse' && [
      'deleted',
      deletes.length === 0 ? 'none: no delete conditions' : `${counted(deleted, 'cell')} by delete conditions`,
    ],
    array_type === 'sparse' && ['duplicates', duplicatesText(document)],
  ]
}

/** Whether deleted cells are still there, and what removes them for good. */
function storedTexts({ path, deletes }: ReadStatsDocument): string[] {
  if (!deletes.some(({ cell_num, removed_cell_num }) => cell_num > 0 || Number(removed_cell_num) > 0)) return []
  return [
    'removed cells are still on disk: read --as-of an earlier time shows them; TileDB-Py takes them out for good:',
    `  tiledb.consolidate(${JSON.stringify(path)}, config=tiledb.Config({"sm.consolidation.purge_deleted_cells": "true"}))`,
    `  tiledb.vacuum(${JSON.stringify(path)})`,
  ]
}

/** Consolidation of dense fragments writes fill values into the gaps between them. */
function writtenText({ dense }: ReadStatsDocument): string {
  if (!dense) return ''
  return dense.consolidated ? ' stored (consolidation stores fill values of gaps, too)' : ' written'
}

function unwrittenText({ dense, limited }: ReadStatsDocument): string {
  if (!dense) return NOTHING
  const { unwritten_cell_num, wanted_cell_num, domain_cell_num } = dense
  if (unwritten_cell_num === null) return 'not counted with a condition'
  const isPart = BigInt(wanted_cell_num) < BigInt(domain_cell_num)
  const of = limited ? 'in the ranges' : isPart ? 'of the current domain' : 'of the domain'
  const whole = isPart ? `; the domain has ${countText(domain_cell_num)}` : ''
  if (BigInt(unwritten_cell_num) === 0n) return `none of the ${countText(wanted_cell_num)} cells ${of}${whole}`
  return `${countText(unwritten_cell_num)} of ${countText(wanted_cell_num)} cells ${of}: reads give fill values${whole}`
}

function duplicatesText({ duplicates }: ReadStatsDocument): string {
  if (!duplicates) return 'none: the schema does not allow them'
  const { coordinate_num, cell_num } = duplicates
  if (coordinate_num === 0) return 'none, though the schema allows them'
  return `${counted(coordinate_num, 'coordinate has', 'coordinates have')} more than one cell, ${countText(cell_num)} in all`
}

const REPEATED_COLUMNS: readonly Shows<ReadStatsRepeated>[] = [
  {
    name: 'coordinates',
    cell: ({ coordinates }) =>
      Object.entries(coordinates)
        .map(([name, value]) => `${fieldName(name)}=${shortValue(value, VALUE)}`)
        .join(', '),
  },
  { name: 'cells', align: 'right', cell: ({ cell_num }) => countText(cell_num) },
]

const DELETE_COLUMNS: readonly Shows<ReadStatsDelete>[] = [
  { name: 'time', whole: true, cell: ({ time }) => timeText(time, false) },
  { name: 'removed', align: 'right', cell: ({ removed_cell_num }) => countText(removed_cell_num) },
  {
    name: 'written again',
    align: 'right',
    cell: ({ cell_num, removed_cell_num }) =>
      removed_cell_num === null ? NOTHING : countText(Math.max(0, removed_cell_num - cell_num)),
  },
  {
    name: 'condition',
    cell: ({ condition, file }) => (condition === null ? 'unknown: its file is gone' : `${condition} (${file})`),
  },
]

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(6)))
}

/** Columns that say nothing of any field are left out. */
function fieldColumns(fields: readonly ReadStatsField[]): readonly Shows<ReadStatsField>[] {
  const number = (value: ReadStatsField['sum']): string =>
    typeof value === 'bigint' ? countText(value) : String(value)
  return [
    { name: 'field', role: 'field', cell: ({ name }) => fieldName(name) },
    { name: 'type', cell: (field) => typeText(field) },
    { name: 'min', cell: ({ min }) => (min === null ? NOTHING : shortValue(min, VALUE)) },
    { name: 'max', cell: ({ max }) => (max === null ? NOTHING : shortValue(max, VALUE)) },
    {
      name: 'nulls',
      align: 'right',
      cell: ({ null_count }) => countText(null_count),
      shown: fields.some(({ null_count }) => null_count > 0),
    },
    {
      name: fields.some(({ type, nan_count }) => nan_count && type.startsWith('DATETIME'))
        ? fields.some(({ type, nan_count }) => nan_count && type.startsWith('FLOAT'))
          ? 'NaN, NaT'
          : 'NaT'
        : 'NaN',
      align: 'right',
      cell: ({ nan_count }) => countText(nan_count),
      shown: fields.some(({ nan_count }) => nan_count),
    },
    {
      name: 'filled',
      align: 'right',
      cell: ({ fill_count }) => countText(fill_count),
      shown: fields.some(({ fill_count }) => fill_count > 0),
    },
    {
      name: 'sum',
      align: 'right',
      cell: ({ sum, sum_overflows }) =>
        sum === null ? NOTHING : `${number(sum)}${sum_overflows ? ' (over 64 bits)' : ''}`,
      shown: fields.some(({ sum }) => sum !== null),
    },
    {
      name: 'mean',
      align: 'right',
      cell: ({ mean }) => (mean === null ? NOTHING : shortNumber(Number(mean))),
      shown: fields.some(({ mean }) => mean !== null),
    },
    {
      name: 'length',
      cell: ({ lengths }) =>
        lengths ? `${countText(lengths.min)}..${countText(lengths.max)}, mean ${shortNumber(lengths.mean)}` : NOTHING,
      shown: fields.some(({ lengths }) => lengths),
    },
  ]
}

/** The values of an enumeration, most used first, then those without a cell. */
async function enumerationTable({ name, enumeration }: ReadStatsField, full: boolean, out: Output): Promise<void> {
  if (!enumeration) return
  const { used, unused, missing_cell_num } = enumeration
  const all = used.length + unused.length
  await section(`values of ${fieldName(name)}: ${countText(used.length)} of ${countText(all)} are used`, out)
  const limit = limitOf(full, ROWS, out)
  if (used.length > 0) await tableOrBelow({ ...listOf(LABEL_COLUMNS, used), limit }, out)
  if (unused.length > 0) {
    const shown = unused.slice(0, full ? undefined : ROWS).map((value) => shortValue(value, VALUE))
    const more = unused.length - shown.length
    const rest = more > 0 ? `, … ${countText(more)} more (--full shows all)` : ''
    await line(`never used: ${shown.join(', ')}${rest}`, out)
  }
  if (missing_cell_num > 0) await line(`${counted(missing_cell_num, 'cell')} with an index without a value`, out, 'bad')
}

const LABEL_COLUMNS: readonly Shows<NonNullable<ReadStatsField['enumeration']>['used'][number]>[] = [
  { name: 'value', cell: ({ value }) => shortValue(value, VALUE) },
  { name: 'index', align: 'right', cell: ({ index }) => countText(index) },
  { name: 'cells', align: 'right', cell: ({ cell_num }) => countText(cell_num) },
]
