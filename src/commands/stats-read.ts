import { type AdviceLine, lineText } from '../advice/line.ts'
import { purgeLines, purgeWay } from '../advice/lines.ts'
import { atOnce, inOrder } from '../base/in-order.ts'
import { rising } from '../base/rising.ts'
import { sum } from '../base/sum.ts'
import type { CommandContext } from '../calls/command.ts'
import { shownCondition } from '../calls/condition-text.ts'
import { documentHead } from '../calls/document-parts.ts'
import { FieldReport } from '../calls/field-report.ts'
import { type By, parseBy } from '../calls/grouped-by.ts'
import { NotUniqueReport } from '../calls/not-unique.ts'
import { parseQuery, type QueryOptions } from '../calls/read-query.ts'
import { RefusedChunks, tellRefused } from '../calls/refused.ts'
import { enumerationResult } from '../calls/schema-result.ts'
import { shownEnumerations, tellingFaults } from '../calls/shown-enumerations.ts'
import { endResult, exact, timeResult } from '../calls/values.ts'
import { bytesOfRead } from '../calls/work-size.ts'
import type { ColumnData } from '../cells/column.ts'
import { mayBeNaN } from '../cells/column-summary.ts'
import { columnValue } from '../cells/rows.ts'
import { bytesOfKey, type Key, type ValueCounts } from '../cells/value-counts.ts'
import type { CellValue, ValueRange } from '../documents/common.ts'
import type {
  OverwrittenFragment,
  ReadStatsBy,
  ReadStatsDelete,
  ReadStatsDense,
  ReadStatsDocument,
  ReadStatsDuplicates,
  ReadStatsEnumeration,
  ReadStatsField,
  ReadStatsFragment,
  ReadStatsGroup,
  ReadStatsPercentiles,
  ReadStatsValues,
} from '../documents/read-stats.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { isConsolidatedName } from '../format/timestamped-name.ts'
import { cellValue } from '../format/value.ts'
import type { InspectArray } from '../objects/array.ts'
import { laterDeletePlaces } from '../objects/deletes.ts'
import { fragmentFileSizes } from '../objects/file-sizes.ts'
import { domainCells } from '../read/domain-cells.ts'
import { openAt } from '../read/opening.ts'
import type { OpenedArray, OpenedFragment } from '../read/query.ts'
import {
  type FieldSummary,
  type FragmentCellNums,
  type ReadSummary,
  type Repeated,
  type SummaryGroup,
  summarize,
} from '../read/summary.ts'

export interface ReadStatsOptions extends QueryOptions {
  values?: boolean
  fragments?: boolean
  by?: string
}

/** The document of `stats --read`, and its lines of advice as data: reads the array once, and counts what a reader sees. */
export async function readStats(
  cx: CommandContext,
  path: string,
  array: InspectArray,
  options: ReadStatsOptions,
): Promise<{ document: ReadStatsDocument; lines: readonly AdviceLine[] }> {
  const opened = await openAt(array)
  const { schema, between, fragments } = opened
  const { ranges, fields: named, where } = await parseQuery(cx, opened, options)
  const by = options.by === undefined ? undefined : parseBy(options.by, schema)
  // Of the cells of fragments and groups, only what was asked for is shown, and read.
  const shown = options.fragments || by ? (named ?? []) : named
  const fields = by && shown ? [...new Set([...shown, by.column.name])] : shown
  const report = new FieldReport()
  const notUnique = new NotUniqueReport(fragments)
  const chunks = new RefusedChunks()
  const told = new Set<string>()
  const enumerations = await shownEnumerations(opened, { labels: true }, report, tellingFaults(cx, told))
  const progress = cx.progress({ what: 'reading cells', total: () => bytesOfRead(opened, { fields, where }) })
  let summary: ReadSummary
  try {
    summary = await summarize(opened, {
      ranges,
      fields,
      where,
      labelled: new Set(enumerations.keys()),
      countsOwners: options.fragments === true,
      groupedBy: by && { ...by, fields: shown ?? [] },
      countsValues: (name) => options.values === true && (options.field?.includes(name) ?? true),
      onRemark: (field, remark) => report.remark(field, remark),
      onRefused: chunks.add,
      onNotUnique: notUnique.add,
    })
  } finally {
    progress.stop()
  }
  report.tell(cx)
  notUnique.tell(cx)
  const isRefused = await tellRefused(cx, opened, options.field, told, chunks)
  const { cell_num, hidden, repeated } = summary
  const states = (await array.fragments()).map(({ state }) => state)
  const deletes = await deletesResult(cx, opened, summary)
  // A consolidation merges fragments of all times. It fails if they have no cell.
  const isEmpty = cell_num === 0 && ranges.size === 0 && where === undefined
  const merged = states.filter((state) => ['live', 'unlisted', 'future', 'past'].includes(state))
  // What TileDB cannot read it cannot write anew.
  const isHeld = !isRefused && deletes.some((one) => heldCells(one) > 0)
  const purge_way = isHeld ? purgeWay(isEmpty ? 0 : merged.length) : null
  const lines = purge_way === null ? [] : purgeLines(opened, purge_way)
  const document: ReadStatsDocument = {
    ...documentHead('read-stats', cx.shownPath(path)),
    as_of: between,
    array_type: schema.array_type,
    allows_duplicates: schema.allows_duplicates,
    fragment_num: fragments.length,
    to_vacuum_num: states.filter((state) => state === 'to-vacuum').length,
    limited: ranges.size > 0 || where !== undefined,
    cell_num,
    dense_cells: denseResult(cx, opened, summary, where !== undefined),
    overwritten_cell_num: hidden === undefined ? null : exact(hidden),
    overwritten_fragments: summary.overwritten && (await withSizes(summary.overwritten)),
    deletes,
    later_deletes: (await laterDeletePlaces(opened.array)).map(({ end }) => timeResult(end, cx.style)),
    purge_way,
    advice: lines.map(lineText),
    duplicates: repeated && duplicatesResult(cx, opened, repeated),
    fields: summary.fields.flatMap((field) =>
      schema.array_type === 'dense' && field.summary.column.kind === 'dimension'
        ? []
        : [fieldResult(cx, field, enumerations.get(field.summary.column.name))],
    ),
    fragments: summary.owners && (await fragmentsResult(opened, summary.owners)),
    by: by && { name: by.column.name, unit: by.unit, ...gapsResult(cx, by, summary.groups ?? []) },
    groups: by && summary.groups && groupsResult(cx, by, summary.groups, enumerations),
    not_unique: notUnique.result(),
  }
  return { document, lines }
}

async function withSizes(fragments: readonly OpenedFragment[]): Promise<OverwrittenFragment[]> {
  const found: OverwrittenFragment[] = []
  if (fragments.length === 0) return found
  const sized = inOrder(fragments, atOnce(fragments[0].fragment.folder), ({ fragment }) => fragmentFileSizes(fragment))
  for await (const sizes of sized) {
    const { name } = fragments[found.length].fragment
    found.push({ name, size: sum([...sizes.values()], (size) => size) })
  }
  return found
}

async function fragmentsResult(
  { fragments }: OpenedArray,
  owners: readonly FragmentCellNums[],
): Promise<ReadStatsFragment[]> {
  const sized = await withSizes(fragments)
  return owners.map(({ held, seen, deleted }, i) => ({
    name: sized[i].name,
    written_cell_num: held === undefined ? null : exact(held),
    cell_num: seen,
    overwritten_cell_num: held === undefined ? null : exact(held - BigInt(seen + deleted)),
    deleted_cell_num: deleted,
    size: sized[i].size,
  }))
}

/** A document names at most this many gaps. */
const MAX_GAPS = 10

/** The units between groups of dates that no cell is in. */
function gapsResult(
  { style }: CommandContext,
  { column, type, unit }: By,
  groups: readonly SummaryGroup[],
): Pick<ReadStatsBy, 'empty_unit_num' | 'gaps'> {
  if (unit === null) return { empty_unit_num: null, gaps: [] }
  const units = groups.flatMap(({ key }) => (typeof key === 'bigint' ? [key] : [])).sort(rising)
  const gaps: { first: bigint; last: bigint; num: bigint }[] = []
  let empty = 0n
  for (const [i, next] of units.entries()) {
    const before = units[i - 1] ?? next
    const num = next - before - 1n
    if (num <= 0n) continue
    empty += num
    gaps.push({ first: before + 1n, last: next - 1n, num })
  }
  const shown = (count: bigint): CellValue => cellValue(type, column.cell_val_num, bytesOfKey(type, count), style)
  const longest = gaps.sort((a, b) => rising(b.num, a.num)).slice(0, MAX_GAPS)
  longest.sort((a, b) => rising(a.first, b.first))
  return {
    empty_unit_num: exact(empty),
    gaps: longest.map(({ first, last, num }) => ({ first: shown(first), last: shown(last), unit_num: exact(num) })),
  }
}

function groupsResult(
  cx: CommandContext,
  { column, type }: By,
  groups: readonly SummaryGroup[],
  enumerations: ReadonlyMap<string, Enumeration>,
): ReadStatsGroup[] {
  const enumeration = enumerations.get(column.name)
  const labels = enumeration && enumerationResult(enumeration, cx.style).values
  const shownOf = (key: Key): CellValue => {
    const value = cellValue(type, column.cell_val_num, bytesOfKey(type, key), cx.style)
    return labels ? (labels[Number(value)] ?? null) : value
  }
  const sortKey = (key: Key): Key => {
    const label = labels && !enumeration?.ordered ? shownOf(key) : null
    return typeof label === 'string' || typeof label === 'number' || typeof label === 'bigint' ? label : key
  }
  const keyed = groups.map((group) => ({ ...group, sortKey: group.key === undefined ? undefined : sortKey(group.key) }))
  keyed.sort(({ sortKey: a }, { sortKey: b }) =>
    a === undefined || b === undefined ? Number(a === undefined) - Number(b === undefined) : rising(a, b),
  )
  return keyed.map(({ key, cells, of }) => ({
    value: key === undefined ? null : shownOf(key),
    cell_num: cells,
    fields: of.map((field) => fieldResult(cx, field, enumerations.get(field.summary.column.name))),
  }))
}

function denseResult(
  { style }: CommandContext,
  { schema, fragments }: OpenedArray,
  { wanted, cell_num, unwritten, alike }: ReadSummary,
  isLimited: boolean,
): ReadStatsDense | undefined {
  if (wanted === undefined) return undefined
  const { dimensions } = schema.domain
  const value = (d: number, end: bigint) => endResult(dimensions[d].type, end, style)
  const boxes = unwritten?.map(({ intervals, cells }) => ({
    ranges: Object.fromEntries(
      intervals.map(({ low, high }, d): [string, ValueRange] => [dimensions[d].name, [value(d, low), value(d, high)]]),
    ),
    cell_num: exact(cells),
  }))
  const consolidated = fragments.some(({ fragment }) => isConsolidatedName(fragment.name))
  return {
    consolidated,
    fill_cell_num: consolidated ? (alike ?? null) : null,
    domain_cell_num: exact(domainCells(schema)),
    wanted_cell_num: exact(wanted),
    unwritten_cell_num: isLimited ? null : exact(wanted - BigInt(cell_num)),
    unwritten_boxes: isLimited ? null : (boxes ?? null),
  }
}

async function deletesResult(
  cx: CommandContext,
  { array }: OpenedArray,
  { deletions }: ReadSummary,
): Promise<ReadStatsDelete[]> {
  const found: ReadStatsDelete[] = []
  for (const { deletion, cells, removed, purged } of deletions) {
    const { condition, time } = deletion
    found.push({
      condition: condition ? await shownCondition(cx, array, condition.stays) : null,
      file: condition?.path ?? null,
      time: timeResult(time, cx.style),
      cell_num: cells,
      removed_cell_num: removed ?? null,
      purged,
    })
  }
  return found
}

/** Number of deleted cells that the files still hold. */
function heldCells({ cell_num, removed_cell_num }: ReadStatsDelete): number {
  return removed_cell_num ?? cell_num
}

function duplicatesResult(
  { style }: CommandContext,
  { schema }: OpenedArray,
  { coordinate_num, cell_num, most }: Repeated,
): ReadStatsDuplicates {
  const { dimensions } = schema.domain
  const values = dimensions.map(({ name, type, cell_val_num }) =>
    columnValue({ name, kind: 'dimension', type, cell_val_num, nullable: false }, style),
  )
  const shown = (coordinates: readonly ColumnData[]) =>
    Object.fromEntries(dimensions.map(({ name }, d) => [name, values[d](coordinates[d], 0)]))
  return {
    coordinate_num,
    cell_num,
    most: most.map(({ coordinates, cells }) => ({ coordinates: shown(coordinates), cell_num: cells })),
  }
}

function fieldResult(
  { style }: CommandContext,
  { summary, counts, filled }: FieldSummary,
  enumeration: Enumeration | undefined,
): ReadStatsField {
  const { column, min, max, sum: total, nulls, nans, indexes, values, lengths } = summary
  const { name, type, cell_val_num } = column
  const size = datatypeSize(type)
  const value = (bytes: Uint8Array | undefined) => (bytes ? cellValue(type, cell_val_num, bytes, style) : null)
  return {
    name,
    type,
    cell_val_num,
    min: value(min),
    max: value(max),
    sum: total ?? null,
    mean: total === undefined || values === 0 ? null : Number(total) / values,
    lengths:
      cell_val_num === 'var' && values > 0
        ? {
            min: lengths.min / size,
            max: lengths.max / size,
            mean: lengths.sum / size / values,
            histogram: counts?.lengths.histogram().map(({ count, ...bucket }) => ({ ...bucket, cell_num: count })),
          }
        : undefined,
    sum_overflows: summary.overflows || undefined,
    null_count: nulls,
    nan_cell_num: mayBeNaN(column) ? nans : undefined,
    filled_cell_num: filled,
    values: counts && valuesResult(counts, value, enumeration && enumerationResult(enumeration, style).values),
    enumeration_use: enumeration && indexes && enumerationCounts(enumerationResult(enumeration, style), indexes),
  }
}

/** Number of the most frequent values that are listed. */
const MAX_FREQUENT = 10

const PERCENTS = { p1: 1, p5: 5, p25: 25, median: 50, p75: 75, p95: 95, p99: 99 } as const

/** @param labels the values of the enumeration by index, if the field has one */
function valuesResult(
  counts: ValueCounts,
  value: (bytes: Uint8Array) => CellValue,
  labels: readonly CellValue[] | undefined,
): ReadStatsValues {
  const shown = (bytes: Uint8Array): CellValue => (labels ? (labels[Number(value(bytes))] ?? null) : value(bytes))
  // Indexes of an enumeration have no order.
  const found = labels ? undefined : counts.percentiles(Object.values(PERCENTS))
  const percentiles = found && Object.fromEntries(Object.keys(PERCENTS).map((name, i) => [name, value(found[i])]))
  return {
    distinct_num: counts.distinct ?? null,
    more_than: counts.moreThan,
    frequent: counts
      .frequent(MAX_FREQUENT)
      .map(({ value: bytes, cells }) => ({ value: shown(bytes), cell_num: cells })),
    percentiles: (percentiles as ReadStatsPercentiles | undefined) ?? null,
  }
}

function enumerationCounts(
  { name, values }: ReturnType<typeof enumerationResult>,
  indexes: ReadonlyMap<bigint, number>,
): ReadStatsEnumeration {
  const counts = values.map((_, index) => indexes.get(BigInt(index)) ?? 0)
  const used = values.flatMap((value, index) => (counts[index] > 0 ? [{ value, index, cell_num: counts[index] }] : []))
  const all = sum([...indexes.values()], (count) => count)
  return {
    name,
    used: used.sort((a, b) => b.cell_num - a.cell_num),
    unused: values.filter((_, index) => counts[index] === 0),
    missing_cell_num: all - sum(counts, (count) => count),
  }
}
