import { type InspectError, usage } from '../base/errors.ts'
import { parseCell, refuseOutside } from '../calls/cell-option.ts'
import { shownLabels } from '../calls/cells-outcome.ts'
import type { CommandContext, CommandModule } from '../calls/command.ts'
import { shownCondition } from '../calls/condition-text.ts'
import { documentHead, notExaminedResult } from '../calls/document-parts.ts'
import { FieldReport } from '../calls/field-report.ts'
import { layerPlace } from '../calls/layer-place.ts'
import { NotUniqueReport } from '../calls/not-unique.ts'
import { collect } from '../calls/options.ts'
import type { Outcome } from '../calls/outcome.ts'
import { parseRangeSets, RANGE_SET_FORMS } from '../calls/ranges.ts'
import { checkFields } from '../calls/read-query.ts'
import { tellRefused } from '../calls/refused.ts'
import type { SelectedCells } from '../calls/selected-cells.ts'
import { shownEnumerations, tellingFaults } from '../calls/shown-enumerations.ts'
import { type Takes, targetFor, targetsHelp } from '../calls/targets.ts'
import { timeResult } from '../calls/values.ts'
import { type Bounds, oneRangeEach, type RangeSets } from '../cells/bounds.ts'
import type { ColumnData, ColumnType } from '../cells/column.ts'
import { columnValue } from '../cells/rows.ts'
import type { CellValue, LayerPlace } from '../documents/common.ts'
import type { HistoryDocument, HistoryHiddenBy, HistoryLine, HistoryVersion } from '../documents/history.ts'
import type { ArraySchema } from '../format/array-schema.ts'
import { datatypeKind } from '../format/datatype.ts'
import { nameFacts } from '../format/timestamped-name.ts'
import { bytesOf } from '../format/value.ts'
import type { FragmentEntry } from '../objects/array.ts'
import { DELETES_SINCE } from '../objects/deletes.ts'
import { conditionFields } from '../read/condition.ts'
import { fillCell } from '../read/fill.ts'
import { type CellHistory, cellHistories, type FoundVersion, type HiddenBy } from '../read/history.ts'
import { openAt } from '../read/opening.ts'
import { type NotUnique, type OpenedArray, readColumns } from '../read/query.ts'

interface HistoryOptions {
  cell?: string[]
  range?: string[]
  field?: string[]
  labels?: boolean
}

/** Largest number of cells of `--range`. */
const MAX_CELLS = 1000

const TAKES = { array: '' } as const satisfies Takes

export const command: CommandModule<HistoryOptions> = {
  about:
    'Of each version it shows the fragment, when it was written, and whether a read returns it. If not, it shows what hides it: a newer version, a delete condition, a vacuum or ignore file, the time of the read, or a missing commit.',
  examples: [
    ['what became of a cell', 'history weather --cell station=1,day=7'],
    ['as it was at a time', 'history weather --cell station=1,day=7 --as-of 2024-05-02'],
    ['those of a few cells, a version a line', 'history places --range lat=55..60 --format ndjson'],
  ],
  takesTimes: true,

  takes: TAKES,

  configure(command) {
    command
      .argument('<array>', targetsHelp(TAKES))
      .option('--cell <NAME=V,…>', 'the cell: a value for each dimension', collect)
      .option('--range <NAME=LO..HI>', `up to ${MAX_CELLS} cells: ${RANGE_SET_FORMS} (repeatable)`, collect)
      .option('--field <name>', 'only this attribute, besides the dimensions (repeatable)', collect)
      .option('--labels', 'show values of enumerations instead of their indexes')
  },

  async *run(cx, [path], options) {
    if ((options.cell === undefined) === (options.range === undefined))
      throw usage(`history expects --cell or --range, found ${options.cell ? 'both' : 'neither'}`)
    const target = await targetFor(cx, 'history', TAKES, await cx.open(path))
    const opened = await openAt(target.array)
    yield* outcomes(cx, path, opened, options, await layerPlace(cx, target))
  },
}

async function* outcomes(
  cx: CommandContext,
  path: string,
  opened: OpenedArray,
  options: HistoryOptions,
  layer_place: LayerPlace | undefined,
): AsyncGenerator<Outcome> {
  const { dimensions } = opened.schema.domain
  const cell = options.cell && parseCell(dimensions, options.cell)
  const ranges: RangeSets = cell ? oneRangeEach(cell) : parseRangeSets(dimensions, options.range ?? [])
  const fields = await checkFields(cx, opened, options.field)
  const report = new FieldReport()
  const told = new Set<string>()
  const labels: Labels = {
    enumerations: await shownEnumerations(opened, { labels: options.labels === true }, report, tellingFaults(cx, told)),
    report,
  }
  const faults: InspectError[] = []
  const progress = cx.progress({
    what: 'reading cells',
    total: async () => (await import('../calls/work-size.ts')).bytesOfRead(opened, { fields, where: undefined }),
  })
  const asked = { ranges, fields, most: MAX_CELLS, onUnread: (fault: InspectError) => void faults.push(fault) }
  const found = await cellHistories(opened, asked).finally(() => progress.stop())
  let purging: FragmentEntry[] = []
  const columns = readColumns(opened.schema, { order: 'row-major', ranges, fields })
  if (cell && options.cell && found.length === 0) {
    // Checked only now, because damage may have put a cell outside the domain.
    refuseOutside(dimensions, cell, options.cell, cx.style)
    found.push({ columns, coordinates: coordinatesOf(opened.schema, cell), versions: [] })
    if (opened.schema.array_type === 'sparse') purging = (await opened.array.fragments()).filter(mayBePurged)
  }
  if (found.length === 0) cx.note(`${cx.shownPath(path)}: no fragment holds a cell in this range`, 'target')
  const notUnique = new NotUniqueReport(opened.fragments)
  for (const history of found)
    yield await cellOutcome(cx, path, opened, history, { labels, faults, purging, notUnique, layer_place })
  notUnique.tell(cx)
  report.tell(cx)
  await tellRefused(cx, opened, options.field, told)
}

/** Whether a fragment comes from a consolidation that can have left deleted cells out. Its box tells nothing about these cells. */
function mayBePurged({ name, timestamp_range: [first, last] = [0n, 0n] }: FragmentEntry): boolean {
  return first < last && (nameFacts(name)?.format_version ?? 0) >= DELETES_SINCE
}

type Labels = Pick<SelectedCells, 'enumerations' | 'report'>

/** The coordinates of `--cell` in the form of columns. */
function coordinatesOf({ domain }: ArraySchema, cell: ReadonlyMap<number, Bounds>): ColumnData[] {
  return domain.dimensions.map(({ type }, d) => {
    const value = cell.get(d)?.low ?? 0
    if (datatypeKind(type) !== 'text') return { data: bytesOf(type, 1, value), starts: undefined, validity: undefined }
    const data = value as Uint8Array
    return { data, starts: Float64Array.of(0, data.length), validity: undefined }
  })
}

/** What the history of a cell is shown with. */
interface BesideHistory {
  labels: Labels
  /** Why some fragments were not searched. */
  faults: readonly InspectError[]
  /** Fragments that may have left out deleted cells. */
  purging: readonly FragmentEntry[]
  notUnique: NotUniqueReport
  /** What the array is in the dataset of a layer. */
  layer_place: LayerPlace | undefined
}

async function cellOutcome(
  cx: CommandContext,
  path: string,
  opened: OpenedArray,
  { columns, coordinates, versions }: CellHistory,
  { labels, faults, purging, notUnique, layer_place }: BesideHistory,
): Promise<Outcome> {
  const { schema, between } = opened
  const dimensions = columns.filter(({ kind }) => kind === 'dimension')
  const attributes = columns.slice(dimensions.length)
  const cell = valuesOf(cx, labels, dimensions, coordinates)
  const shown: HistoryVersion[] = []
  for (const version of versions) {
    const values = valuesOf(cx, labels, attributes, version.values.slice(dimensions.length))
    shown.push(await versionResult(cx, opened, version, values))
  }
  const own = new NotUniqueReport(opened.fragments)
  for (const one of equalTimes(opened, versions)) for (const list of [own, notUnique]) list.add(one)
  const fills = attributes.map((column) => fillCell(schema, column))
  const isFilled = schema.array_type === 'dense' && !versions.some(({ state }) => state === 'current')
  const document: HistoryDocument = {
    ...documentHead('history', cx.shownPath(path)),
    as_of: between,
    layer_place,
    cell,
    fill_values: isFilled ? valuesOf(cx, labels, attributes, fills) : undefined,
    versions: shown,
    perhaps_purged: purging.length === 0 ? undefined : purging.map(({ name }) => name),
    not_unique: own.result(),
    not_examined: faults.length === 0 ? undefined : faults.map((fault) => notExaminedResult(cx, fault)),
  }
  return {
    kind: 'rows',
    document,
    rows: shown.map((version): HistoryLine => ({ cell, ...version })),
    columns: () => ['cell', ...VERSION_KEYS],
    table: async (out) =>
      (await import('../render/views/history.ts')).historyTable(document, cx.times === undefined, out),
  }
}

/** Whether the newest version that a read knows has others of its time beside it. */
function equalTimes({ schema, fragments }: OpenedArray, versions: readonly FoundVersion[]): NotUnique[] {
  if (schema.array_type === 'dense' || schema.allows_duplicates) return []
  const read = versions.flatMap(({ entry, written, time }) => {
    const index = fragments.findIndex(({ fragment }) => fragment.name === entry.name)
    return index < 0 ? [] : [{ index, time: written ?? time }]
  })
  // Versions come oldest first.
  const newest = read.at(-1)?.time
  const indexes = new Set(read.flatMap(({ index, time }) => (time === newest ? [index] : [])))
  return indexes.size > 1 ? [{ kind: 'equal-times', fragments: [...indexes] }] : []
}

/** The columns of CSV. */
const VERSION_KEYS: readonly (keyof HistoryVersion)[] = [
  'fragment',
  'written',
  'never_written',
  'values',
  'state',
  'by',
  'filled',
  'timestamp_range',
  'tile',
  'position',
]

/** The values of one cell, by column. @param cells a single cell for each column */
function valuesOf(
  { style }: CommandContext,
  labels: Labels,
  columns: readonly ColumnType[],
  cells: readonly ColumnData[],
): Record<string, CellValue> {
  const values: Record<string, CellValue> = Object.create(null)
  for (const [c, column] of columns.entries())
    values[column.name] = columnValue(column, style, shownLabels(labels, column, style))(cells[c], 0)
  return values
}

async function versionResult(
  cx: CommandContext,
  opened: OpenedArray,
  { entry, written, neverWritten, filled, state, by, tile, cell }: FoundVersion,
  values: Record<string, CellValue>,
): Promise<HistoryVersion> {
  return {
    fragment: entry.name,
    written: written === undefined ? null : timeResult(written, cx.style),
    never_written: neverWritten,
    values,
    state,
    by: by ? await hiddenByResult(cx, opened, by, values) : null,
    filled: filled.length === 0 ? undefined : filled,
    timestamp_range: entry.timestamp_range ?? null,
    tile,
    position: cell,
  }
}

async function hiddenByResult(
  cx: CommandContext,
  { array }: OpenedArray,
  by: HiddenBy,
  values: Record<string, CellValue>,
): Promise<HistoryHiddenBy> {
  const { kind } = by
  if (kind === 'fragment') return { kind, name: by.name, time: by.time && timeResult(by.time, cx.style) }
  if (kind === 'vacuum') return { kind, name: by.replacement, file: by.path }
  if (kind === 'ignore') return { kind, file: by.path }
  const { name, time, condition } = by
  const text = condition && (await shownCondition(cx, array, condition.stays))
  const nulls = [...(condition ? conditionFields(condition.stays) : [])].filter((field) => values[field] === null)
  return {
    kind,
    name,
    file: condition?.path,
    time: timeResult(time, cx.style),
    condition: text,
    nulls: nulls.length === 0 ? undefined : nulls,
  }
}
