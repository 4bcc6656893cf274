import type { InspectError } from '../base/errors.ts'
import { parseRangeSets } from '../calls/ranges.ts'
import type { TimesOptions } from '../calls/times.ts'
import type { RangeSets } from '../cells/bounds.ts'
import { isNumeric } from '../cells/column.ts'
import type { CellValue } from '../documents/common.ts'
import type { SchemaDocument } from '../documents/schema.ts'
import type { LayerPicture } from '../layers/picture.ts'
import type { OpenedArray } from '../read/query.ts'
import type { CommandName, Engine } from './engine.ts'
import { newTally, type Summary, type Tally } from './histogram.ts'
import { type Labels, pictureLabels } from './picture/labels.ts'
import { type PicturedFragment, picturedFragments, readPicture, type Steps, stagesOf } from './picture/picture.ts'
import { type Series, type SeriesOptions, series } from './picture/series.ts'
import { type PictureFacts, pictureFacts, type Raster, type RasterOptions } from './raster.ts'
import { cellOption, type ShortCell, shortCell } from './short-cell.ts'
import {
  type PlainPicture,
  plainPictureOf,
  type SmallImage,
  type SmallPoints,
  smallImage,
  smallPoints,
} from './thumbnail.ts'

/**
 * Work that takes long, done in a worker, or in the page if the browser gives no worker. A task yields what it has found so far
 * from time to time, and returns the whole at its end. Both are plain data, as they are sent as messages.
 */
const TASKS = { document, cells, histograms, pictureSource, raster, lines, smallPicture, plainPicture }

export type TaskName = keyof typeof TASKS

/** The arguments of a task after the engine. */
export type Arguments<Name extends TaskName> =
  Parameters<(typeof TASKS)[Name]> extends [Engine, ...infer Rest] ? Rest : never

/** What a task yields and returns. */
export type Found<Name extends TaskName> =
  ReturnType<(typeof TASKS)[Name]> extends AsyncGenerator<infer T, infer R> ? T | R : never

/** A fault of a read as plain data, which an {@link InspectError} is not. */
export type ReadFault = Pick<InspectError, 'code' | 'message' | 'at'>

/** Milliseconds from one showing of what was found to the next. */
const INTERVAL = 100
/** Least ratio of the time between two showings to the time that a showing takes. */
const REST_RATIO = 4

/** A clock that says when it is time to show what was found. It slows down if showing takes long. */
function startPace(): { isDue(): boolean; shown(): void } {
  let [asked, since] = [0, performance.now()]
  return {
    isDue() {
      asked = performance.now()
      return asked - since > INTERVAL
    },
    shown() {
      const now = performance.now()
      since = now + Math.max(0, REST_RATIO * (now - asked) - INTERVAL)
    },
  }
}

/** Upper limit on the faults of a read that are kept: a damaged file may cause one for each tile. */
export const MAX_FAULTS = 1000

const plainFault = ({ code, message, at }: InspectError): ReadFault => ({ code, message, at })

/** A list of faults as plain data, and the callback that adds a fault to it unless the list has it. */
function collectFaults(): { faults: ReadFault[]; onFault(fault: InspectError): void } {
  const faults: ReadFault[] = []
  const seen = new Set<string>()
  return {
    faults,
    onFault(fault) {
      const plain = plainFault(fault)
      const text = JSON.stringify(plain)
      if (faults.length < MAX_FAULTS && !seen.has(text)) faults.push(plain)
      seen.add(text)
    },
  }
}

// biome-ignore lint/correctness/useYield: a document comes as a whole.
async function* document(
  engine: Engine,
  name: CommandName,
  options: object,
  words: string[],
): AsyncGenerator<never, object> {
  return engine.document(name, options, words)
}

/** A cell of the array. Long values are cut. */
export interface ShownCell {
  fields: Readonly<Record<string, ShortCell>>
  /** The cell as `history --cell` takes it; undefined if it cannot be written so. */
  cell: string | undefined
}

export interface ShownCells {
  /** Rows of the current page. */
  rows: readonly ShownCell[]
  /** Number of rows read so far, with those before the page. */
  read: number
  /** Whether the page is full. The next step then begins a new page. */
  isFull: boolean
  faults: readonly ReadFault[]
}

/**
 * Reads cells page by page.
 * @param names names of the dimensions
 * @param page index of the first row of the first page, and number of rows of a page
 */
async function* cells(
  engine: Engine,
  command: 'read' | 'decode',
  options: object,
  names: readonly string[],
  { from, size }: { from: number; size: number },
): AsyncGenerator<ShownCells, ShownCells> {
  const { faults, onFault } = collectFaults()
  const { isDue, shown } = startPace()
  let rows: ShownCell[] = []
  let read = 0
  for await (const row of engine.rows(command, options, onFault)) {
    if (read++ >= from) rows.push(shortRow(names, row))
    const isFull = rows.length === size
    if (!isFull && !isDue()) continue
    yield { rows, read, isFull, faults }
    if (isFull) rows = []
    shown()
  }
  return { rows, read, isFull: false, faults }
}

function shortRow(names: readonly string[], row: Readonly<Record<string, CellValue>>): ShownCell {
  const fields: Record<string, ShortCell> = Object.create(null)
  for (const [name, value] of Object.entries(row)) fields[name] = shortCell(value)
  return { fields, cell: cellOption(names, row) }
}

export interface Counted {
  summaries: readonly (Summary & { name: string })[]
  /** Number of cells read. If parts are damaged: the number for the field of which most cells were read. */
  cells: number
  faults: readonly ReadFault[]
}

/** The counts of a read so far. */
interface Columns {
  tallies: Map<string, Tally>
  cells: number
}

type FieldTypes = Pick<SchemaDocument, 'array_type' | 'dimensions' | 'attributes'>

/**
 * Counts how the values of columns are spread. If parts cannot be read, it then reads each attribute by itself: otherwise an
 * attribute would lack cells because another one is damaged.
 */
async function* histograms(
  engine: Engine,
  options: { field?: readonly string[] },
  schema: FieldTypes,
): AsyncGenerator<Counted, Counted> {
  const { faults, onFault } = collectFaults()
  const { isDue, shown } = startPace()
  const all: Columns = { tallies: new Map(), cells: 0 }
  const counted = (): Counted => {
    const summaries = [...all.tallies].map(([name, tally]) => ({ name, ...tally.summary() }))
    return { summaries, cells: all.cells, faults }
  }
  async function* count(columns: Columns, rows: ReturnType<Engine['rows']>): AsyncGenerator<Counted, void> {
    for await (const row of rows) {
      if (columns.cells++ === 0) for (const name of Object.keys(row)) columns.tallies.set(name, tallyOf(schema, name))
      for (const [name, tally] of columns.tallies) tally.add(row[name])
      if (!isDue()) continue
      yield counted()
      shown()
    }
  }
  try {
    yield* count(all, engine.rows('read', options, onFault))
  } catch (error) {
    // The page shows what was counted before the error.
    yield counted()
    throw error
  }
  if (faults.length === 0) return counted()
  const attributes = schema.attributes.map(({ name }) => name).filter((name) => options.field?.includes(name) ?? true)
  for (const field of attributes.length > 1 ? attributes : []) {
    const own: Columns = { tallies: new Map(), cells: 0 }
    yield* count(
      own,
      engine.rows('read', { ...options, field: [field] }, () => {}),
    )
    // Coordinates are taken from the field of which most cells were read.
    for (const [name, tally] of own.tallies) if (name === field || own.cells > all.cells) all.tallies.set(name, tally)
    all.cells = Math.max(all.cells, own.cells)
  }
  return counted()
}

function tallyOf({ array_type, dimensions, attributes }: FieldTypes, name: string): Tally {
  const dimension = dimensions.find((one) => one.name === name)
  const attribute = attributes.find((one) => one.name === name)
  const field = dimension ?? attribute
  // The numbers of an enumeration stand for names.
  const isNumber = field && isNumeric(field) && field.type !== 'BOOL' && !attribute?.enumeration
  // All cells of a sparse array were written, so none holds a fill value by default.
  const fill = array_type === 'dense' ? (attribute?.fill_value as CellValue | undefined) : undefined
  return newTally(field?.type ?? 'UINT8', isNumber === true, fill)
}

/** The facts of an array that the page needs before it can ask for a picture. */
export interface PictureSource extends PictureFacts {
  labels: Labels
  /** The fragments that are read, oldest first. */
  fragments: readonly PicturedFragment[]
  /** Why fragments cannot be opened. */
  unopened: readonly ReadFault[]
}

// biome-ignore lint/correctness/useYield: the facts come together.
async function* pictureSource(engine: Engine, times: TimesOptions): AsyncGenerator<never, PictureSource> {
  const { opened, faults } = await engine.openedArray(times)
  const labels = await pictureLabels(opened)
  return { ...pictureFacts(opened), labels, fragments: picturedFragments(opened), unopened: faults.map(plainFault) }
}

/** What is asked for with every drawing. */
interface AskedCells {
  /** Ranges as `--range` takes them. */
  ranges: readonly string[]
  /** Whether cells that cannot be read are left out. */
  goesOn: boolean
}

export interface PictureOptions extends Omit<RasterOptions, 'ranges' | 'points'>, AskedCells {}

/** What was found of a drawing so far. */
interface Drawn<T> {
  /** Undefined if nothing was written in the ranges. */
  found: T | undefined
  /** The faults that were met. */
  faults: readonly ReadFault[]
}

/** The memory that a drawing alone has, such as the numbers of all pixels: at its end, the page takes it over without copies. */
export function ownMemory(result: unknown): ArrayBuffer[] {
  const { found } = (result ?? {}) as Partial<Drawn<object>>
  return Object.values(found ?? {}).flatMap((one) => (ArrayBuffer.isView(one) ? [one.buffer as ArrayBuffer] : []))
}

interface DrawingOptions extends AskedCells {
  isWhole: boolean
}

/** Yields what a drawing shows whenever it is time, with the faults that were met, and returns the last. */
async function* drawn<T>(
  engine: Engine,
  times: TimesOptions,
  { ranges, isWhole, goesOn }: DrawingOptions,
  make: (opened: OpenedArray, ranges: RangeSets, steps: Steps) => AsyncGenerator<T, T | undefined>,
): AsyncGenerator<Drawn<T>, Drawn<T>> {
  const { opened } = await engine.openedArray(times)
  const { faults, onFault } = collectFaults()
  const sets = parseRangeSets(opened.schema.domain.dimensions, ranges)
  const { isDue, shown } = startPace()
  let found: T | undefined
  try {
    const drawing = make(opened, sets, { isDue, isWhole, onFault: goesOn ? onFault : undefined })
    for await (const stage of stagesOf(drawing)) {
      found = stage.found
      if (stage.isLast) break
      yield { found, faults }
      shown()
    }
  } catch (error) {
    // The page draws what was read before the error.
    yield { found, faults }
    throw error
  }
  return { found, faults }
}

export type Pictured = Drawn<Raster>

function raster(engine: Engine, times: TimesOptions, wanted: PictureOptions): AsyncGenerator<Pictured, Pictured> {
  return drawn(engine, times, wanted, (opened, ranges, steps) => readPicture(opened, { ...wanted, ranges }, steps))
}

export interface LineOptions extends Omit<SeriesOptions, 'ranges'>, DrawingOptions {}

export type Lined = Drawn<Series>

function lines(engine: Engine, times: TimesOptions, wanted: LineOptions): AsyncGenerator<Lined, Lined> {
  return drawn(engine, times, wanted, (opened, ranges, steps) => series(opened, { ...wanted, ranges }, steps))
}

// biome-ignore lint/correctness/useYield: a small picture comes as a whole.
async function* smallPicture(
  engine: Engine,
  times: TimesOptions,
  picture: LayerPicture,
): AsyncGenerator<never, SmallImage | SmallPoints | undefined> {
  return picture.kind === 'image' ? smallImage(engine, times, picture) : smallPoints(engine, times, picture)
}

// biome-ignore lint/correctness/useYield: as in `smallPicture`.
async function* plainPicture(engine: Engine, times: TimesOptions): AsyncGenerator<never, PlainPicture | undefined> {
  return plainPictureOf(engine, times)
}

/** Begins a task. Its first step runs when it is asked for. */
export function runTask(engine: Engine, { name, args }: { name: TaskName; args: readonly unknown[] }) {
  const task = TASKS[name] as (engine: Engine, ...args: readonly unknown[]) => AsyncGenerator<unknown, unknown>
  return task(engine, ...args)
}
