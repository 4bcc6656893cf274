import type { InspectArray } from '../array.ts'
import type { CellBatch, ColumnType } from '../cells/column.ts'
import type { DenseCoordinates } from '../cells/dense-coordinates.ts'
import { type CellSelection, FragmentCells } from '../cells/fragment-cells.ts'
import { batchRows, columnValue } from '../cells/rows.ts'
import { InspectError } from '../errors.ts'
import { cellsInDomain } from '../file-sizes.ts'
import { datatypeSize } from '../format/datatype.ts'
import type { Enumeration } from '../format/enumeration.ts'
import { leafLevel, mbrAt } from '../format/rtree.ts'
import type { ValueStyle } from '../format/value.ts'
import type { Fragment } from '../fragment.ts'
import type { Document, Output, Result } from '../render/result.ts'
import {
  type CommandContext,
  type CommandModule,
  collect,
  documentHead,
  errorResult,
  notOneFragment,
  type Outcome,
} from './command.ts'
import { parseJobs } from './jobs.ts'
import { type Bounds, comparable, compare, parseRanges, RANGE_FORMS, rangeFilter } from './ranges.ts'
import { sayWhatIsRead } from './reading-ahead.ts'
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
        await sayWhatIsRead(cx, target)
      if (target.type === 'fragment') yield await fragmentOutcome(cx, target.fragment, options)
      else if (target.type === 'file' && target.fragment) yield await fragmentOutcome(cx, target.fragment, options)
      else if (target.type === 'array' && options.allFragments)
        yield await arrayOutcome(cx, path, target.array, options)
      else throw await notOneFragment('decode', target, ' (--all-fragments decodes each)')
    }
  },
}

async function fragmentOutcome(cx: CommandContext, fragment: Fragment, options: DecodeOptions): Promise<Outcome> {
  const reader = await openReader(cx, fragment, options)
  const cells: AsyncIterable<Result> = {
    async *[Symbol.asyncIterator]() {
      try {
        yield* limited(reader.rows(), reader.limit)
      } finally {
        await reader.close()
      }
    },
  }
  const info = await fragment.info()
  const columns = reader.columns.map(({ name }) => name)
  const document = {
    ...documentHead('cells', cx.shownPath(fragment.folder.path)),
    format_version: info.format_version,
    cells,
    get errors() {
      return faultsOf(cx, reader.faults)
    },
  }
  return {
    ...outcome(cx, document, columns, options, isAll(options) ? cellsInDomain(info) : undefined),
    origin: { [FRAGMENT_COLUMN]: fragment.name },
    columns: () => columns,
    async cellLines(out, format, int64) {
      const { writeCellLines } = await import('../render/cell-lines.ts')
      const columns = reader.columns.map((column) => ({
        column,
        labels: labelsOf(reader.enumerations.get(column.enumeration), cx.style),
      }))
      try {
        return await writeCellLines(columns, reader.batches(true), reader.limit, out, { ...cx.style, format, int64 })
      } finally {
        await reader.close()
      }
    },
    async arrow(out, file) {
      const { writeFragmentArrow } = await import('./decode-arrow.ts')
      try {
        await writeFragmentArrow(reader, cx.style, out, file)
      } finally {
        await reader.close()
      }
    },
  }
}

/** A damaged file may make one for each of its tiles. */
const MOST_FAULTS = 1000

/** Says of which fragment a cell is. */
const FRAGMENT_COLUMN = '__fragment'

/** Cells of every visible fragment, one fragment after the other: not TileDB's merged read. */
async function arrayOutcome(
  cx: CommandContext,
  path: string,
  array: InspectArray,
  options: DecodeOptions,
): Promise<Outcome> {
  const entries = (await array.fragments()).filter((entry) => entry.visible)
  const limit = parseLimit(options.limit)
  const faults: InspectError[] = []
  async function* rows(): AsyncGenerator<Result> {
    for (const entry of entries) {
      const fragment = array.fragment(entry.path)
      const reader = await openReader(cx, fragment, options, faults)
      try {
        for await (const row of reader.rows()) yield { [FRAGMENT_COLUMN]: entry.name, ...row }
      } finally {
        await reader.close()
        await fragment.close()
      }
    }
  }
  const cells: AsyncIterable<Result> = { [Symbol.asyncIterator]: () => limited(rows(), limit) }
  const document = {
    ...documentHead('cells', cx.shownPath(path)),
    cells,
    get errors() {
      return faultsOf(cx, faults)
    },
  }
  return {
    ...outcome(cx, document, undefined, options),
    async columns() {
      const names = new Set([FRAGMENT_COLUMN])
      for (const entry of entries) {
        const fragment = array.fragment(entry.path)
        const reader = await openReader(cx, fragment, options)
        for (const { name } of reader.columns) names.add(name)
        await reader.close()
        await fragment.close()
      }
      return [...names]
    },
    async arrow(out, file) {
      const { writeArrayArrow } = await import('./decode-arrow.ts')
      const fragments = entries.map(({ name, path }) => ({
        name,
        async open() {
          const fragment = array.fragment(path)
          const reader = await openReader(cx, fragment, options)
          const close = async (): Promise<void> => {
            await reader.close()
            await fragment.close()
          }
          return { ...reader, close }
        },
      }))
      await writeArrayArrow(fragments, limit, cx.style, out, file)
    },
  }
}

/** What could not be read of the cells; undefined where all was. */
function faultsOf(cx: CommandContext, faults: readonly InspectError[]): Result | undefined {
  return faults.length === 0 ? undefined : faults.map((error) => errorResult(cx, error))
}

/** Whether all cells of a fragment are asked for, but for a limit. */
function isAll({ range, tiles, fill }: DecodeOptions): boolean {
  return range === undefined && tiles === undefined && fill !== true
}

/** @param total cells there are, where that is known */
function outcome(
  cx: CommandContext,
  document: Document,
  columns: readonly string[] | undefined,
  options: DecodeOptions,
  total?: number | bigint,
): Outcome {
  const whole = cx.full || options.limit !== undefined
  return {
    document,
    rows: 'cells',
    async table(out: Output) {
      const { cellsTable } = await import('../render/views/cells.ts')
      await cellsTable(document, columns, whole, out, total)
    },
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

/** The cells of a fragment that the options ask for. */
export interface Reader {
  /** Columns to show. */
  columns: readonly ColumnType[]
  limit: number
  /** By name; none without `--labels`. */
  enumerations: ReadonlyMap<string, Enumeration>
  /** What could not be read so far. */
  faults: readonly InspectError[]
  /** The columns to show, tile by tile, without the limit. @param reuse see {@link CellSelection.reuse} */
  batches(reuse?: boolean): AsyncGenerator<CellBatch>
  rows(): AsyncGenerator<{ [key: string]: Result }>
  close(): Promise<void>
}

/** @param faults gets what cannot be read */
async function openReader(
  cx: CommandContext,
  fragment: Fragment,
  options: DecodeOptions,
  faults: InspectError[] = [],
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
      // Of a file that is gone one tile says all.
      const missing = error.code === 'MISSING_FILE' ? error.at.file : undefined
      if (missing === undefined) fault(error, `${column.name}, tile ${tile}`)
      else if (!gone.has(missing)) fault(error, column.name)
      if (missing !== undefined) gone.add(missing)
    },
    wholeTiles: options.keepGoing,
    onFieldError: fault,
  }
  const jobs = parseJobs(options.jobs)
  // A few cells are had sooner without.
  if (jobs > 1 && options.limit === undefined) {
    const { unfilterInWorkers } = await import('../source/tile-pool.ts')
    const { key, maxTileSize } = cx.reading
    selection.threads = unfilterInWorkers(jobs, { key, maxTileSize })
  }
  const cells = await FragmentCells.open(fragment, selection)
  if (bounds) selection.skipTile = await tileSkipper(fragment, cells.dense, bounds)
  const enumerations = options.labels ? await enumerationsOf(fragment) : new Map<string, Enumeration>()
  const shown = shownColumns(cells.columns, options.field)
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
    faults,
    // Each generator between costs a microsecond a tile.
    batches: (reuse) => {
      selection.reuse = reuse
      return shown.length === cells.columns.length ? selected() : shownOnly()
    },
    async *rows() {
      const values = cells.columns.map((column) =>
        columnValue(column, cx.style, labelsOf(enumerations.get(column.enumeration), cx.style)),
      )
      for await (const batch of selected()) yield* batchRows(batch, cells.columns, values, shown)
    },
    close: () => cells.close(),
  }
}

/** The error with the field of the fragment that it ends, and in which tile. */
function inField({ code, message, at, cause }: InspectError, fragment: Fragment, name: string): InspectError {
  const field = at.field === undefined ? name : `${name}, ${at.field}`
  return new InspectError(code, message, { ...at, file: at.file ?? fragment.folder.path, field }, { cause })
}

/** Dimensions, then the rest; with --field the dimensions and what was named. */
function shownColumns(columns: readonly ColumnType[], fields: readonly string[] | undefined): number[] {
  return columns.flatMap((column, i) =>
    fields === undefined || column.kind === 'dimension' || fields.includes(column.name) ? [i] : [],
  )
}

async function enumerationsOf(fragment: Fragment): Promise<Map<string, Enumeration>> {
  const { schema } = await fragment.info()
  const enumerations = (await fragment.array?.enumerations(schema)) ?? []
  return new Map(enumerations.map((enumeration) => [enumeration.name, enumeration]))
}

function labelsOf(enumeration: Enumeration | undefined, style: ValueStyle): readonly Result[] | undefined {
  const values = enumeration && enumerationResult(enumeration, style).values
  return Array.isArray(values) ? values : undefined
}

/** Tells the tiles that a range cannot touch, by the R-tree's leaves or the tile grid. */
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
    if (low !== undefined && compare(value, low) < 0) return false
    if (high !== undefined && compare(value, high) > 0) return false
  }
  return true
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (!/^\d+$/.test(text)) throw new InspectError('USAGE', `--limit expects a number, found ${JSON.stringify(text)}`)
  return Number(text)
}

/** `I..J`, `I..`, `..J` or `I`, inclusive. */
export function parseTiles(text: string, tileNum: number): { from: number; to: number } {
  const match = /^(\d*)(\.\.)?(\d*)$/.exec(text)
  if (!match || text === '' || text === '..')
    throw new InspectError('USAGE', `--tiles expects I..J, found ${JSON.stringify(text)}`)
  const [, first, dots, last] = match
  const from = first === '' ? 0 : Number(first)
  const to = dots === undefined ? from : last === '' ? tileNum - 1 : Number(last)
  if (from > to || (tileNum > 0 && from >= tileNum)) {
    throw new InspectError('USAGE', `--tiles expects tiles from 0 to ${tileNum - 1}, found ${text}`)
  }
  return { from, to }
}
