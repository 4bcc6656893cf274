import type { Output } from '../../base/result.ts'
import { shortSize } from '../../base/sizes.ts'
import { sum } from '../../base/sum.ts'
import { pythonString } from '../../base/unsafe-text.ts'
import type {
  GroupUnit,
  OverwrittenFragment,
  ReadStatsBox,
  ReadStatsBy,
  ReadStatsDelete,
  ReadStatsDocument,
  ReadStatsField,
  ReadStatsFragment,
  ReadStatsFrequent,
  ReadStatsGap,
  ReadStatsGroup,
  ReadStatsPercentiles,
  ReadStatsRepeated,
} from '../../documents/read-stats.ts'
import { type Datatype, datatypeSize } from '../../format/datatype.ts'
import type { CodeLine } from '../code-lines.ts'
import { drawHistogram } from '../histogram.ts'
import { type Pairs, writeKeyValues } from '../table.ts'
import { shortValue } from '../units.ts'
import {
  limitOf,
  ROWS,
  type Shows,
  shownList,
  writeCodeLine,
  writeLine,
  writeMore,
  writeSection,
  writeTableOrBelow,
  writeTitle,
} from './parts.ts'
import { terminalHeading } from './terminal-headings.ts'
import {
  counted,
  countText,
  fieldName,
  laterDeletesText,
  momentText,
  NOTHING,
  rangeText,
  timeOf,
  typeText,
  valuesText,
  withTimes,
} from './wording.ts'

/** Most characters of a value. */
const VALUE = 24

interface ReadStatsStyle {
  /** Whether the user gave no time. */
  isNow: boolean
  /** The fields that the user named. */
  chosen: readonly string[] | undefined
}

/**
 * Shows statistics of the cells that a reader sees.
 * @param lines the lines of advice as data
 */
export async function readStatsTable(
  document: ReadStatsDocument,
  lines: readonly CodeLine[],
  { isNow, chosen }: ReadStatsStyle,
  out: Output,
): Promise<void> {
  const { path, fragment_num, as_of, duplicates } = document
  const what = `what a reader sees of ${counted(fragment_num, 'fragment')}`
  await writeTitle(path, withTimes(what, isNow ? undefined : as_of), out)
  await writeKeyValues(facts(document), out)
  if (document.fragments) return writeFragments(document.fragments, out)
  if (document.groups) return writeGroups(document, out)
  await writeUnwritten(document, out)
  if (duplicates && duplicates.most.length > 0) {
    const { most, coordinate_num } = duplicates
    const rest = coordinate_num > most.length ? `, the ${most.length} with most cells` : ''
    await writeSection(`coordinates of several cells${rest}`, out)
    await writeTableOrBelow(shownList(REPEATED_COLUMNS, most), out)
  }
  // What the user asked for stands before what else there is to say.
  if (chosen) await writeFields(document, chosen, out)
  await writeDeletes(document, lines, out)
  if (!chosen) await writeFields(document, [], out)
}

const FRAGMENT_COLUMNS: readonly Shows<ReadStatsFragment>[] = [
  { name: 'fragment', cell: ({ name }) => name },
  { name: terminalHeading('written_cell_num'), align: 'right', cell: (one) => countText(one.written_cell_num) },
  { name: 'seen', align: 'right', cell: ({ cell_num }) => countText(cell_num) },
  { name: terminalHeading('overwritten_cell_num'), align: 'right', cell: (one) => countText(one.overwritten_cell_num) },
  { name: terminalHeading('deleted_cell_num'), align: 'right', cell: (one) => countText(one.deleted_cell_num) },
  { name: terminalHeading('size'), align: 'right', cell: ({ size }) => shortSize(size) },
]

/** Shows the fragments, of many those with the most cells, and the sums of all. */
async function writeFragments(all: readonly ReadStatsFragment[], out: Output): Promise<void> {
  const limit = limitOf(ROWS, out) ?? all.length
  const isPart = all.length > limit
  const cells = ({ written_cell_num, cell_num }: ReadStatsFragment): number => Number(written_cell_num ?? cell_num)
  const most = isPart ? all.toSorted((a, b) => cells(b) - cells(a)).slice(0, limit) : all
  await writeSection(isPart ? `fragments, the ${limit} with the most cells` : 'fragments, oldest first', out)
  const total = (of: (one: ReadStatsFragment) => number | bigint | null): bigint | null =>
    all.reduce((sum: bigint | null, one) => {
      const own = of(one)
      return sum === null || own === null ? null : sum + BigInt(own)
    }, 0n)
  const sums: ReadStatsFragment = {
    name: `all ${countText(all.length)}`,
    written_cell_num: total((one) => one.written_cell_num),
    cell_num: sum(all, (one) => one.cell_num),
    overwritten_cell_num: total((one) => one.overwritten_cell_num),
    deleted_cell_num: sum(all, (one) => one.deleted_cell_num),
    size: sum(all, ({ size }) => size),
  }
  await writeTableOrBelow(shownList(FRAGMENT_COLUMNS, all.length > 1 ? [...most, sums] : most), out)
  await writeMore(all.length - most.length, out)
}

/** Shows the groups with the statistics of their fields. */
async function writeGroups({ by, groups = [] }: ReadStatsDocument, out: Output): Promise<void> {
  const name = `${fieldName(by?.name ?? '')}${by?.unit ? `:${by.unit}` : ''}`
  const fields = groups[0]?.fields ?? []
  const columns: Shows<ReadStatsGroup>[] = fields.flatMap((field, f) =>
    fieldColumns(groups.map((group) => group.fields[f]))
      .slice(2)
      .map((column) => ({
        ...column,
        name: fields.length > 1 ? `${fieldName(field.name)} ${column.name}` : column.name,
        cell: (group, i) => column.cell(group.fields[f], i),
      })),
  )
  await writeSection(fields.length === 1 ? `${fieldName(fields[0].name)} by ${name}` : `cells by ${name}`, out)
  const first: readonly Shows<ReadStatsGroup>[] = [
    { name, cell: ({ value }) => (value === null ? 'null' : shortValue(value, VALUE)) },
    { name: terminalHeading('cell_num'), align: 'right', cell: ({ cell_num }) => countText(cell_num) },
  ]
  await writeTableOrBelow({ ...shownList([...first, ...columns], groups), limit: limitOf(ROWS, out) }, out)
  if (by?.unit && by.gaps.length > 0) await writeLine(gapsText(by, by.unit), out, 'dim')
}

/** Gaps that a line names. */
const NAMED_GAPS = 3

function gapsText({ empty_unit_num, gaps }: ReadStatsBy, unit: GroupUnit): string {
  const text = ({ first, last, unit_num }: ReadStatsGap): string =>
    unit_num === 1 ? shortValue(first, VALUE) : `${shortValue(first, VALUE)}..${shortValue(last, VALUE)}`
  const largest = gaps.toSorted((a, b) => Number(b.unit_num) - Number(a.unit_num)).slice(0, NAMED_GAPS)
  const named = gaps.filter((gap) => largest.includes(gap)).map(text)
  const what = gaps.length > NAMED_GAPS ? 'the longest gaps: ' : ''
  return `no cells in ${counted(empty_unit_num ?? 0, unit)} between the first and the last: ${what}${named.join(', ')}`
}

async function writeDeletes(document: ReadStatsDocument, lines: readonly CodeLine[], out: Output): Promise<void> {
  const { deletes } = document
  if (deletes.length > 0) {
    await writeSection('delete conditions, oldest first', out)
    const names = deletes.map(({ time }) => momentText(time))
    await writeTableOrBelow({ ...shownList(DELETE_COLUMNS, deletes), names, limit: limitOf(ROWS, out) }, out)
    await writeLine(
      'cells removed: from what readers saw at the time of the delete; written again: those of them that have a newer cell now',
      out,
      'dim',
    )
    if (deletes.some(({ purged }) => purged))
      await writeLine('not known: a consolidation left out deleted cells, which are gone', out, 'dim')
    await writeStored(document, lines, out)
  }
}

/** @param first names of the fields to begin with */
async function writeFields(document: ReadStatsDocument, first: readonly string[], out: Output): Promise<void> {
  const isFirst = ({ name }: ReadStatsField): boolean => first.includes(name)
  const fields = document.fields.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
  if (fields.length > 0) {
    await writeSection('fields', out)
    await writeTableOrBelow(shownList(fieldColumns(fields), fields), out)
    if (fields.some(({ filled_cell_num }) => filled_cell_num > 0))
      await writeLine(
        'filled: cells written before the array had the field as it is now; reads give its fill value; the other columns leave these cells out',
        out,
        'dim',
      )
  }
  const stored = document.dense_cells?.fill_cell_num ?? null
  if (document.dense_cells?.consolidated && fields.length > 0 && stored !== 0) {
    const filled = stored === null ? 'fill values' : `${counted(stored, 'cell')} of fill values`
    await writeLine(
      `minima, maxima, sums and means count the ${filled} that consolidation may have stored in gaps`,
      out,
      'dim',
    )
  }
  const ranked = fields.filter(({ values }) => values?.percentiles)
  if (ranked.length > 0) {
    await writeSection('percentiles, by nearest rank', out)
    await writeTableOrBelow(shownList(percentileColumns(ranked[0].values?.percentiles ?? {}), ranked), out)
  }
  for (const field of fields) {
    await writeValues(field, out)
    await writeLengths(field, out)
    await writeEnumeration(field, out)
  }
}

function facts(document: ReadStatsDocument): Pairs {
  const {
    array_type,
    limited,
    cell_num,
    dense_cells,
    overwritten_cell_num,
    overwritten_fragments = [],
    duplicates,
    deletes,
    later_deletes,
    to_vacuum_num,
  } = document
  const where = limited ? ' in this query' : ''
  return [
    ['cells', `${countText(cell_num)}${writtenText(document)}${where}`],
    dense_cells && ['unwritten', unwrittenText(document)],
    overwritten_cell_num !== null &&
      !duplicates && ['overwritten', `${counted(overwritten_cell_num, 'older cell')} that newer ones overwrite`],
    overwritten_fragments.length > 0 && ['wholly', whollyText(overwritten_fragments)],
    array_type === 'sparse' && ['deleted', deletedText(deletes, later_deletes.length > 0)],
    later_deletes.length > 0 && ['deletes later', laterDeletesText(later_deletes)],
    array_type === 'sparse' && ['duplicates', duplicatesText(document)],
    to_vacuum_num > 0 && [
      'to vacuum',
      `${counted(to_vacuum_num, 'older fragment')}: the files still hold cells that readers do not see`,
    ],
  ]
}

/** Most names of fragments in a line. */
const MAX_NAMES = 3

function whollyText(fragments: readonly OverwrittenFragment[]): string {
  const names = fragments.slice(0, MAX_NAMES).map(({ name }) => name)
  const rest = fragments.length - names.length
  const size = shortSize(sum(fragments, (one) => one.size))
  return `${counted(fragments.length, 'fragment')} of which a reader sees no cell, ${size}: ${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function deletedText(deletes: readonly ReadStatsDelete[], hasLater: boolean): string {
  if (deletes.length === 0) return hasLater ? 'none' : 'none: no delete conditions'
  const deleted = sum(deletes, ({ cell_num }) => cell_num)
  const again = sum(deletes, writtenAgain)
  return [
    `${counted(deleted, 'cell')} by delete conditions`,
    ...(again > 0 ? [`${countText(again)} more have a newer cell now`] : []),
    ...(deletes.some(({ purged }) => purged) ? ['those that a consolidation left out are not counted'] : []),
  ].join('; ')
}

/** Returns the number of removed cells that were written again later. */
function writtenAgain({ cell_num, removed_cell_num }: ReadStatsDelete): number {
  return removed_cell_num === null ? 0 : Math.max(0, removed_cell_num - cell_num)
}

/** Says whether files still contain deleted cells, and how to remove these permanently. */
async function writeStored(
  { path, deletes, purge_way, to_vacuum_num }: ReadStatsDocument,
  lines: readonly CodeLine[],
  out: Output,
): Promise<void> {
  const held = deletes.map(({ cell_num, removed_cell_num }) => removed_cell_num ?? cell_num)
  const all = sum(held, (cells) => cells)
  if (all === 0) {
    if (to_vacuum_num === 0) return
    const text =
      'the files that readers open hold no removed cell any more; files that wait for vacuum may, until TileDB-Py removes them:'
    await writeLine(text, out, 'dim')
    await writeCodeLine({ code: `tiledb.vacuum(${pythonString(path)})` }, out)
    return
  }
  const [first] = deletes.filter((_, i) => held[i] > 0)
  const cells = counted(all, 'removed cell is', 'removed cells are')
  await writeLine(
    `${cells} still in the files: read --as-of ${timeOf(first.time) - 1n} shows those of the first delete${purgeText(purge_way)}`,
    out,
    'dim',
  )
  for (const line of lines) await writeCodeLine(line, out)
}

function purgeText(purge_way: ReadStatsDocument['purge_way']): string {
  if (purge_way === null) return ''
  return purge_way === 'consolidation'
    ? '; TileDB-Py takes them out for good:'
    : '; TileDB consolidates no single fragment, so TileDB-Py takes them out in a new array; the old one holds them until it is deleted:'
}

/** Returns how the number of cells of a dense array is meant: consolidation stores fill values in gaps between fragments. */
function writtenText({ dense_cells: dense }: ReadStatsDocument): string {
  if (!dense) return ''
  if (!dense.consolidated) return ' written'
  const { fill_cell_num } = dense
  if (fill_cell_num === null) return ' stored (consolidation stores fill values of gaps, too)'
  return ` stored, ${countText(fill_cell_num)} of them equal to the fill value (consolidation stores those in gaps)`
}

function unwrittenText({ dense_cells: dense, limited }: ReadStatsDocument): string {
  if (!dense) return NOTHING
  const { unwritten_cell_num, wanted_cell_num, domain_cell_num } = dense
  if (unwritten_cell_num === null) return 'not counted with a condition'
  const isPart = BigInt(wanted_cell_num) < BigInt(domain_cell_num)
  const ofDomain = isPart ? 'of the current domain' : 'of the domain'
  const of = limited ? 'in the ranges' : ofDomain
  const whole = isPart ? `; the domain has ${countText(domain_cell_num)}` : ''
  if (BigInt(unwritten_cell_num) === 0n) return `none of the ${countText(wanted_cell_num)} cells ${of}${whole}`
  return `${countText(unwritten_cell_num)} of ${countText(wanted_cell_num)} cells ${of}: reads give fill values${whole}`
}

/** Shows the first boxes of cells that were never written. */
async function writeUnwritten({ dense_cells: dense }: ReadStatsDocument, out: Output): Promise<void> {
  const { unwritten_boxes: boxes, unwritten_cell_num } = dense ?? {}
  if (!boxes || boxes.length === 0) return
  const named = boxes.reduce((sum, { cell_num }) => sum + BigInt(cell_num), 0n)
  const rest = BigInt(unwritten_cell_num ?? 0) - named
  await writeSection(rest > 0n ? 'unwritten, the first boxes' : 'unwritten', out)
  await writeTableOrBelow(shownList(BOX_COLUMNS, boxes), out)
  if (rest > 0n) await writeLine(`… and ${counted(rest, 'more cell')}`, out, 'dim')
}

const BOX_COLUMNS: readonly Shows<ReadStatsBox>[] = [
  {
    name: 'box',
    cell: ({ ranges }) =>
      Object.entries(ranges)
        .map(([name, range]) => `${fieldName(name)}=${rangeText(range)}`)
        .join(', '),
  },
  { name: terminalHeading('cell_num'), align: 'right', cell: ({ cell_num }) => countText(cell_num) },
]

function duplicatesText({ duplicates }: ReadStatsDocument): string {
  if (!duplicates) return 'none: the schema does not allow them'
  const { coordinate_num, cell_num } = duplicates
  if (coordinate_num === 0) return 'none, though the schema allows them'
  return `${counted(coordinate_num, 'coordinate has', 'coordinates have')} more than one cell, ${countText(cell_num)} in all`
}

const REPEATED_COLUMNS: readonly Shows<ReadStatsRepeated>[] = [
  { name: 'coordinates', cell: ({ coordinates }) => valuesText(coordinates, VALUE) },
  { name: terminalHeading('cell_num'), align: 'right', cell: ({ cell_num }) => countText(cell_num) },
]

const DELETE_COLUMNS: readonly Shows<ReadStatsDelete>[] = [
  { name: terminalHeading('time'), whole: true, cell: ({ time }) => momentText(time) },
  {
    name: terminalHeading('removed_cell_num'),
    align: 'right',
    cell: ({ removed_cell_num, purged }) => (purged ? 'not known' : countText(removed_cell_num)),
  },
  {
    name: 'written again',
    align: 'right',
    cell: (one) => (one.removed_cell_num === null ? NOTHING : countText(writtenAgain(one))),
  },
  {
    name: 'condition',
    cell: ({ condition, file }) => (condition === null ? 'unknown: its file is gone' : `${condition} (${file})`),
  },
]

function shortNumber(value: number): string {
  // Six digits of a larger number would look like an exact integer.
  if (Math.abs(value) < 1e6) return String(Number(value.toPrecision(6)))
  return Math.abs(value) < 1e15 ? String(Number(value.toPrecision(15))) : value.toExponential(5).replace('e+', 'e')
}

/** Returns the columns of the table of fields. A column without a value for any field is left out. */
function fieldColumns(fields: readonly ReadStatsField[]): readonly Shows<ReadStatsField>[] {
  const nan = fields.filter(({ nan_cell_num }) => nan_cell_num)
  const nanName = [
    ...(nan.some(({ type }) => type.startsWith('FLOAT')) ? ['NaN'] : []),
    ...(nan.some(({ type }) => type.startsWith('DATETIME')) ? ['NaT'] : []),
  ].join('/')
  const count = (name: string, of: (field: ReadStatsField) => number | undefined): Shows<ReadStatsField> => ({
    name,
    align: 'right',
    below: true,
    cell: (field) => countText(of(field)),
    shown: fields.some(of),
  })
  return [
    { name: 'field', role: 'field', cell: ({ name }) => fieldName(name) },
    { name: 'type', cell: typeText },
    { name: 'min', below: true, cell: ({ min }) => (min === null ? NOTHING : shortValue(min, VALUE)) },
    { name: 'max', below: true, cell: ({ max }) => (max === null ? NOTHING : shortValue(max, VALUE)) },
    count(terminalHeading('null_count'), ({ null_count }) => null_count),
    count(nanName, ({ nan_cell_num }) => nan_cell_num),
    count(terminalHeading('filled_cell_num'), ({ filled_cell_num }) => filled_cell_num),
    { name: 'sum', align: 'right', below: true, cell: sumText, shown: fields.some(({ sum }) => sum !== null) },
    { name: 'mean', align: 'right', below: true, cell: meanText, shown: fields.some(({ mean }) => mean !== null) },
    { name: 'lengths', below: true, cell: lengthText, shown: fields.some(({ lengths }) => lengths) },
  ]
}

function sumText({ sum, sum_overflows }: ReadStatsField): string {
  if (sum === null) return NOTHING
  return `${typeof sum === 'bigint' ? countText(sum) : String(sum)}${sum_overflows ? ' (over 64 bits)' : ''}`
}

function meanText({ mean }: ReadStatsField): string {
  return mean === null ? NOTHING : shortNumber(Number(mean))
}

/** What the lengths of values count. */
function unitOf(type: Datatype): string {
  return datatypeSize(type) === 1 ? 'bytes' : 'values'
}

function lengthText({ type, lengths }: ReadStatsField): string {
  if (!lengths) return NOTHING
  return `${countText(lengths.min)}..${countText(lengths.max)} ${unitOf(type)}, mean ${shortNumber(lengths.mean)}`
}

/** Shows the values of an enumeration, most used first, then those without a cell. */
/** @param of those of any field: all have the same */
function percentileColumns(of: Partial<ReadStatsPercentiles>): readonly Shows<ReadStatsField>[] {
  return [
    { name: 'field', role: 'field', cell: ({ name }) => fieldName(name) },
    ...(Object.keys(of) as (keyof ReadStatsPercentiles)[]).map(
      (name): Shows<ReadStatsField> => ({
        name,
        align: 'right',
        below: true,
        cell: ({ values }) => shortValue(values?.percentiles?.[name] ?? null, VALUE),
      }),
    ),
  ]
}

/** Shows the values that most cells have. An enumeration has all of its values in a table of its own. */
async function writeValues({ name, values, enumeration_use }: ReadStatsField, out: Output): Promise<void> {
  if (!values || enumeration_use) return
  const { distinct_num, more_than, frequent } = values
  const what = `values of ${fieldName(name)}`
  if (distinct_num === null) {
    await writeSection(`${what}: more than ${countText(more_than ?? 0)} distinct`, out)
    await writeLine(
      'they are not listed, as memory holds no more: --memory raises the bound, --field leaves more to each field',
      out,
      'dim',
    )
    return
  }
  const most = distinct_num > frequent.length ? `, the ${frequent.length} that most cells have` : ''
  await writeSection(`${what}: ${countText(distinct_num)} distinct${most}`, out)
  if (frequent.length > 0) await writeTableOrBelow(shownList(FREQUENT_COLUMNS, frequent), out)
}

const FREQUENT_COLUMNS: readonly Shows<ReadStatsFrequent>[] = [
  { name: 'value', cell: ({ value }) => shortValue(value, VALUE) },
  { name: terminalHeading('cell_num'), align: 'right', cell: ({ cell_num }) => countText(cell_num) },
]

async function writeLengths({ name, type, lengths }: ReadStatsField, out: Output): Promise<void> {
  if (!lengths?.histogram) return
  await writeSection(`lengths of ${fieldName(name)}, in ${unitOf(type)}`, out)
  const bars = lengths.histogram.map(({ from, to, cell_num }) => ({
    label: from === to ? countText(from) : `${countText(from)}..${countText(to)}`,
    count: cell_num,
    text: counted(cell_num, 'cell'),
  }))
  await drawHistogram(bars, out)
}

async function writeEnumeration({ name, enumeration_use: use }: ReadStatsField, out: Output): Promise<void> {
  if (!use) return
  const { used, unused, missing_cell_num } = use
  const all = used.length + unused.length
  await writeSection(`values of ${fieldName(name)}: ${countText(used.length)} of ${countText(all)} are used`, out)
  const limit = limitOf(ROWS, out)
  if (used.length > 0) await writeTableOrBelow({ ...shownList(LABEL_COLUMNS, used), limit }, out)
  if (unused.length > 0) {
    const shown = unused.slice(0, out.full ? undefined : ROWS).map((value) => shortValue(value, VALUE))
    const more = unused.length - shown.length
    const rest = more > 0 ? `, … ${countText(more)} more (--full shows all)` : ''
    await writeLine(`never used: ${shown.join(', ')}${rest}`, out)
  }
  if (missing_cell_num > 0)
    await writeLine(`${counted(missing_cell_num, 'cell')} with an index without a value`, out, 'bad')
}

const LABEL_COLUMNS: readonly Shows<NonNullable<ReadStatsField['enumeration_use']>['used'][number]>[] = [
  { name: 'value', cell: ({ value }) => shortValue(value, VALUE) },
  { name: 'index', align: 'right', cell: ({ index }) => countText(index) },
  { name: terminalHeading('cell_num'), align: 'right', cell: ({ cell_num }) => countText(cell_num) },
]
