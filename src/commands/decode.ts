import { addPlace, asInspectError, InspectError, isNew, usage } from '../base/errors.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import type { CellBox, DenseCoordinates } from '../cells/dense-coordinates.ts'
import { type CellSelection, FragmentCells } from '../cells/fragment-cells.ts'
import { batchRows, columnValue, type ShownLabels } from '../cells/rows.ts'
import type { CellsDocument, CellsLine } from '../documents/cells.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import type { ValueStyle } from '../format/value.ts'
import type { FragmentEntry, InspectArray } from '../store/array.ts'
import { changedFields } from '../store/changed-fields.ts'
import { cellsInDomain } from '../store/file-sizes.ts'
import type { Fragment } from '../store/fragment.ts'
import { fragmentLabels } from '../store/labels.ts'
import {
  type CommandContext,
  type CommandModule,
  collect,
  documentHead,
  errorResult,
  type Outcome,
  oneFragment,
} from './command.ts'
import { parseJobs } from './jobs.ts'
import { LabelReport } from './missing-labels.ts'
import { type Bounds, comparable, compare, parseRanges, RANGE_FORMS, rangeFilter } from './ranges.ts'
import { noteBytesToRead } from './reading-ahead.ts'
import { enumerationResult } from './schema.ts'

export interface DecodeOptions {
  field?: string[]
  range?: string[]
  tiles?: string
  limit?: string
  fill?: boolean
  labels?: boolean
  allFragments?: boolean
  keepGoing?: boolean
  jobs?: string
}

export const command: CommandModule<DecodeOptions> = {
  about:
    'Dates, enumerations and nulls as TileDB gives them. --all-fragments takes an array and adds a column __fragment.',
  examples: [
    ['the first cells of a fragment', 'decode places/__1714 --limit 5'],
    ['one attribute inside a box', 'decode weather/__1714 --field sky --range day=1..7'],
    ['all cells of an array, one line of JSON each', 'decode --all-fragments places --format ndjson'],
    ['for pandas.read_feather', 'decode weather/__1714 -o weather.arrow'],
    ['a large fragment, filters undone in two threads', 'decode places/__1714 --jobs 2 -o places.csv'],
  ],

  arrow: true,

  configure(command) {
    command
      .argument('<fragment...>', 'fragment; with --all-fragments an array')
      .option('--field <name>', 'only this attribute, beside the dimensions (repeatable)', collect)
      .option('--range <NAME=LO..HI>', `only cells inside, ends included: ${RANGE_FORMS}`, collect)
      .option('--tiles <I..J>', 'only these tiles')
      .option('--limit <n>', 'at most n cells')
      .option('--fill', 'dense fragments: padding cells as well')
      .option('--labels', 'values of enumerations instead of their indexes')
      .option(
        '--keep-going',
        'of a damaged fragment the cells of the tiles that can be read whole; the others are told',
      )
      .option('--jobs <n>', 'threads that undo filters; cells come in the same order', '1')
      .option('--all-fragments', 'an array: the cells of each of its visible fragments, with a column __fragment')
  },

  async *run(cx, paths, options) {
    for (const path of paths) {
      const target = await cx.open(path)
      if (options.limit === undefined && (target.type === 'fragment' || options.allFragments))
        await noteBytesToRead(cx, target)
      if (target.type === 'array' && options.allFragments) yield await arrayOutcome(cx, path, target.array, options)
      else {
        const fragment = await oneFragment(cx, 'decode', target, ' (--all-fragments decodes each)')
        try {
          yield await fragmentOutcome(cx, fragment, options)
        } finally {
          await fragment.close()
        }
      }
    }
  },
}

async function fragmentOutcome(cx: CommandContext, fragment: Fragment, options: DecodeOptions): Promise<Outcome> {
  const reader = await openReader(cx, fragment, options)
  const cells: AsyncIterable<CellsLine> = {
    async *[Symbol.asyncIterator]() {
      try {
        yield* limited(reader.rows(), reader.limit)
      } finally {
        reader.report.tell(cx)
        await reader.close()
      }
    },
  }
  const info = await fragment.info()
  const columns = reader.columns.map(({ name }) => name)
  const document: CellsDocument = {
    ...documentHead('cells', cx.shownPath(fragment.folder.path)),
    format_version: info.format_version,
    cells,
  }
  return {
    ...outcome(cx, document, reader, columns, options, isAll(options) ? cellsInDomain(info) : undefined),
    get incomplete() {
      return isIncomplete(options, reader.faults)
    },
    origin: { [FRAGMENT_COLUMN]: fragment.name },
    columns: () => columns,
    async cellLines(out, style) {
      const { writeCellLines } = await import('../render/cell-lines.ts')
      const columns = reader.columns.map((column) => ({
        column,
        labels: shownLabels(reader, column, cx.style),
      }))
      try {
        return await writeCellLines(columns, reader.batches(true), reader.limit, out, { ...cx.style, ...style })
      } finally {
        reader.report.tell(cx)
        await reader.close()
      }
    },
    async arrow(out, file) {
      const { writeFragmentArrow } = await import('./decode-arrow.ts')
      try {
        await writeFragmentArrow(reader, cx.style, out, file)
      } finally {
        reader.report.tell(cx, true)
        await reader.close()
      }
    },
  }
}

/** A damaged file may cause an error for each tile. */
const MOST_FAULTS = 1000

/** The column with the name of a cell's fragment. */
const FRAGMENT_COLUMN = '__fragment'

/** Cells of every visible fragment, one fragment after another; not merged as TileDB merges them. */
async function arrayOutcome(
  cx: CommandContext,
  path: string,
  array: InspectArray,
  options: DecodeOptions,
): Promise<Outcome> {
  const entries = (await array.fragments()).filter((entry) => entry.isRead)
  const limit = parseLimit(options.limit)
  const faults: InspectError[] = []
  const report = new LabelReport()
  const reported = new Set<string>()
  /** An error that ends one fragment is reported once; the others are still decoded. */
  const unread = (caught: unknown, { folder }: Fragment): void => {
    const error = asInspectError(addPlace(caught, { file: folder.path }))
    if (error.code === 'USAGE') throw error
    if (!isNew(reported, error)) return
    if (faults.length < MOST_FAULTS) faults.push(error)
    cx.fault(error)
  }
  const opened = async (entry: FragmentEntry): Promise<Reader | undefined> => {
    const fragment = array.fragment(entry.path)
    try {
      const reader = await openReader(cx, fragment, options, faults, report)
      const close = async (): Promise<void> => {
        await reader.close()
        await fragment.close()
      }
      return { ...reader, close }
    } catch (error) {
      await fragment.close()
      unread(error, fragment)
      return undefined
    }
  }
  async function* rows(): AsyncGenerator<CellsLine> {
    try {
      for (const entry of entries) {
        const reader = await opened(entry)
        try {
          for await (const row of reader?.rows() ?? []) yield { [FRAGMENT_COLUMN]: entry.name, ...row }
        } catch (error) {
          unread(error, array.fragment(entry.path))
        } finally {
          await reader?.close()
        }
      }
    } finally {
      report.tell(cx)
    }
  }
  const document: CellsDocument = {
    ...documentHead('cells', cx.shownPath(path)),
    cells: { [Symbol.asyncIterator]: () => limited(rows(), limit) },
  }
  return {
    ...outcome(cx, document, { report, faults }, undefined, options),
    get incomplete() {
      return isIncomplete(options, faults)
    },
    async columns() {
      const names = new Set([FRAGMENT_COLUMN])
      for (const entry of entries) {
        const reader = await opened(entry)
        for (const { name } of reader?.columns ?? []) names.add(name)
        await reader?.close()
      }
      return [...names]
    },
    async arrow(out, file) {
      const { writeArrayArrow } = await import('./decode-arrow.ts')
      const fragments = entries.map((entry) => ({ name: entry.name, open: () => opened(entry) }))
      try {
        await writeArrayArrow(fragments, limit, cx.style, out, file)
      } finally {
        report.tell(cx, true)
      }
    },
  }
}

/** Whether unreadable cells are missing from the output. Rows cannot say so, and an empty field reads as null. */
function isIncomplete({ keepGoing }: DecodeOptions, faults: readonly InspectError[]): boolean {
  return keepGoing !== true && faults.length > 0
}

/** Whether all cells of a fragment are wanted, apart from a limit. */
function isAll({ range, tiles, fill }: DecodeOptions): boolean {
  return range === undefined && tiles === undefined && fill !== true
}

/** @param total number of cells, if it is known */
function outcome(
  cx: CommandContext,
  document: CellsDocument,
  { report, faults }: Pick<Reader, 'report' | 'faults'>,
  columns: readonly string[] | undefined,
  options: DecodeOptions,
  total?: number | bigint,
): Outcome {
  const whole = cx.full || options.limit !== undefined
  return {
    document,
    rows: document.cells,
    tail: (): Pick<CellsDocument, 'missing_labels' | 'errors'> => ({
      missing_labels: report.result(),
      errors: faults.length === 0 ? undefined : faults.map((error) => errorResult(cx, error)),
    }),
    table: async (out) =>
      (await import('../render/views/cells.ts')).cellsTable(
        document,
        columns,
        whole,
        out,
        total,
        parseLimit(options.limit),
      ),
  }
}

async function* limited<T>(rows: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let left = limit
  if (left <= 0) return
  for await (const row of rows) {
    yield row
    if (--left <= 0) return
  }
}

/** The cells of a fragment that the options select. */
export interface Reader {
  /** Columns to show. */
  columns: readonly ColumnType[]
  limit: number
  /** By the attribute's name; empty without `--labels`. */
  enumerations: ReadonlyMap<string, Enumeration>
  report: LabelReport
  /** Errors so far. */
  faults: readonly InspectError[]
  /** The columns to show, tile by tile, without the limit. @param reuse see {@link CellSelection.reuse} */
  batches(reuse?: boolean): AsyncGenerator<CellBatch>
  rows(): AsyncGenerator<CellsLine>
  close(): Promise<void>
}

/**
 * @param faults collects errors
 * @param report collects reports about labels
 */
async function openReader(
  cx: CommandContext,
  fragment: Fragment,
  options: DecodeOptions,
  faults: InspectError[] = [],
  report = new LabelReport(),
): Promise<Reader> {
  const info = await fragment.info()
  const dimensions = info.schema.domain.dimensions
  const bounds = options.range ? parseRanges(dimensions, options.range) : undefined
  const gone = new Set<string>()
  const fault = (error: InspectError, name: string): void => {
    const named = inField(error, fragment, name)
    if (faults.length < MOST_FAULTS) faults.push(named)
    cx.fault(named)
  }
  const selection: CellSelection = {
    fields: options.field,
    tiles: options.tiles === undefined ? undefined : parseTiles(options.tiles, info.tile_num),
    fill: options.fill,
    onColumnError: (error, column, tile) => {
      // If a file is missing, one tile's error says it all.
      const missing = error.code === 'MISSING_FILE' ? error.at.file : undefined
      if (missing === undefined) fault(error, `${column.name}, tile ${tile}`)
      else if (!gone.has(missing)) fault(error, column.name)
      if (missing !== undefined) gone.add(missing)
    },
    wholeTiles: options.keepGoing,
    onFieldError: fault,
    onLostTail({ of_metadata }, name) {
      if (!of_metadata) report.remark(name, TAIL_LOST)
    },
  }
  const jobs = parseJobs(options.jobs)
  // A few cells are read faster without threads.
  if (jobs > 1 && options.limit === undefined) {
    const { unfilterInWorkers } = await import('../threads/tile-pool.ts')
    const { key, maxTileSize } = cx.reading
    selection.threads = unfilterInWorkers(jobs, { key, maxTileSize })
  }
  // Over a network, the schemas are listed while the fragment is being opened.
  const changing = changedFields(fragment)
  changing.catch(() => {})
  const cells = await FragmentCells.open(fragment, selection)
  if (bounds) {
    selection.skipTile = await tileSkipper(fragment, cells.dense, bounds)
    selection.box = cells.dense && dimensions.map((_, d) => sideOf(bounds.get(d)))
  }
  const shown = shownColumns(cells.columns, options.field)
  for (const { name, now, written } of await changing) {
    if (!shown.some((c) => cells.columns[c].kind === 'attribute' && cells.columns[c].name === name)) continue
    report.remark(name, `shown as written, ${written}; TileDB reads these cells wrongly, as ${now}`)
  }
  const enumerations = new Map<string, Enumeration>()
  if (options.labels) {
    for (const [name, { enumeration, remark, fault: why }] of await fragmentLabels(fragment)) {
      if (!shown.some((c) => cells.columns[c].kind === 'attribute' && cells.columns[c].name === name)) continue
      if (enumeration) enumerations.set(name, enumeration)
      if (remark !== undefined) report.remark(name, remark)
      if (why && report.isNewFault(name)) fault(why, name)
    }
  }
  async function* inBounds(bounds: ReadonlyMap<number, Bounds>): AsyncGenerator<CellBatch> {
    for await (const batch of cells.batches()) yield rowsInBounds(batch, cells.columns, bounds)
  }
  const selected = (): AsyncGenerator<CellBatch> => (bounds ? inBounds(bounds) : cells.batches())
  async function* shownOnly(): AsyncGenerator<CellBatch> {
    for await (const batch of selected()) yield { ...batch, columns: shown.map((c) => batch.columns[c]) }
  }
  return {
    columns: shown.map((c) => cells.columns[c]),
    limit: parseLimit(options.limit),
    enumerations,
    report,
    faults,
    // Each generator in between costs a microsecond per tile.
    batches: (reuse) => {
      selection.reuse = reuse
      return shown.length === cells.columns.length ? selected() : shownOnly()
    },
    async *rows() {
      const values = cells.columns.map((column) =>
        columnValue(column, cx.style, shownLabels({ enumerations, report }, column, cx.style)),
      )
      for await (const batch of selected()) yield* batchRows(batch, cells.columns, values, shown)
    },
    close: () => cells.close(),
  }
}

const TAIL_LOST =
  'TileDB dropped bytes of chunks when it wrote, zeros stand for them here: cells may be wrong, and what TileDB shows of them is not defined; check tells where'

/** The error, with the fragment's field and tile where it happened. */
function inField({ code, message, at, cause }: InspectError, fragment: Fragment, name: string): InspectError {
  const field = at.field === undefined ? name : `${name}, ${at.field}`
  return new InspectError(code, message, { ...at, file: at.file ?? fragment.folder.path, field }, { cause })
}

/** Dimensions, then the rest; with --field, the dimensions and the named fields. */
function shownColumns(columns: readonly ColumnType[], fields: readonly string[] | undefined): number[] {
  return columns.flatMap((column, i) =>
    fields === undefined || column.kind === 'dimension' || fields.includes(column.name) ? [i] : [],
  )
}

function shownLabels(
  { enumerations, report }: Pick<Reader, 'enumerations' | 'report'>,
  { kind, name }: ColumnType,
  style: ValueStyle,
): ShownLabels | undefined {
  const enumeration = kind === 'attribute' ? enumerations.get(name) : undefined
  if (!enumeration) return undefined
  const { values } = enumerationResult(enumeration, style)
  return { values, onMissing: report.missingIn(name, enumeration.name, values) }
}

/** Bounds of a dimension of a dense array, as integers. */
export function sideOf(bounds: Bounds | undefined): CellBox[number] {
  const integer = (value: Bounds['low']): bigint | undefined =>
    value === undefined || typeof value === 'object' ? undefined : BigInt(value)
  return bounds && { low: integer(bounds.low), high: integer(bounds.high) }
}

/** Finds the tiles that a range cannot touch, from the R-tree's leaves or the tile grid. */
export async function tileSkipper(
  fragment: Fragment,
  dense: DenseCoordinates | undefined,
  bounds: ReadonlyMap<number, Bounds>,
): Promise<(tile: number) => boolean> {
  const { schema } = await fragment.info()
  const dimensions = schema.domain.dimensions
  if (dense) {
    return (tile) => {
      const box = dense.tileBox(tile)
      for (const [d, { low, high }] of bounds) {
        if (high !== undefined && typeof high !== 'object' && box[d].low > high) return true
        if (low !== undefined && typeof low !== 'object' && box[d].high < low) return true
      }
      return false
    }
  }
  const leaves = leafLevel(await fragment.rtree())
  if (!leaves) return () => false
  const touches = rangeFilter(dimensions, bounds)
  return (tile) => tile < leaves.mbr_num && !touches(mbrAt(leaves, tile, dimensions))
}

export function rowsInBounds(
  batch: CellBatch,
  columns: readonly ColumnType[],
  bounds: ReadonlyMap<number, Bounds>,
): CellBatch {
  const count = batch.rows?.length ?? batch.cell_num
  const rows = new Uint32Array(count)
  let kept = 0
  for (let i = 0; i < count; i++) {
    const cell = batch.rows ? batch.rows[i] : i
    if (cellInBounds(batch, columns, bounds, cell)) rows[kept++] = cell
  }
  return { ...batch, rows: rows.subarray(0, kept) }
}

function cellInBounds(
  batch: CellBatch,
  columns: readonly ColumnType[],
  bounds: ReadonlyMap<number, Bounds>,
  cell: number,
): boolean {
  for (const [d, { low, high }] of bounds) {
    const column = batch.columns[d]
    if (!column) return false
    const { type } = columns[d]
    const size = datatypeSize(type)
    const bytes = column.starts
      ? column.data.subarray(column.starts[cell], column.starts[cell + 1])
      : column.data.subarray(cell * size, (cell + 1) * size)
    const value = comparable(type, bytes)
    // NaN is neither less nor greater than a bound.
    if (typeof value === 'number' && Number.isNaN(value)) return false
    if (low !== undefined && compare(value, low) < 0) return false
    if (high !== undefined && compare(value, high) > 0) return false
  }
  return true
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (!/^\d+$/.test(text)) throw usage(`--limit expects a whole number from 0 on, found ${JSON.stringify(text)}`)
  return Number(text)
}

/** `I..J`, `I..`, `..J` or `I`, inclusive. */
export function parseTiles(text: string, tileNum: number): { from: number; to: number } {
  const match = /^(\d*)(\.\.)?(\d*)$/.exec(text)
  if (!match || text === '' || text === '..')
    throw usage(`--tiles expects I..J, tiles from 0 to ${tileNum - 1}, found ${JSON.stringify(text)}`)
  const [, first, dots, last] = match
  const from = first === '' ? 0 : Number(first)
  const to = dots === undefined ? from : last === '' ? tileNum - 1 : Number(last)
  if (from > to || (tileNum > 0 && from >= tileNum)) {
    throw usage(`--tiles expects tiles from 0 to ${tileNum - 1}, found ${text}`)
  }
  return { from, to }
}
