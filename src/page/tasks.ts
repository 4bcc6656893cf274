import type { InspectError } from '../base/errors.ts'
import { parseRangeSets } from '../commands/ranges.ts'
import type { TimesOptions } from '../commands/times.ts'
import type { CellValue } from '../documents/common.ts'
import type { SchemaDocument } from '../documents/schema.ts'
import type { CommandName, Engine } from './engine.ts'
import { newTally, type Summary, type Tally } from './histogram.ts'
import { fillRaster, isNumeric, newRaster, type Raster, type Written, writtenOf } from './raster.ts'
import { cellOption, type ShortCell, shortCell } from './short-cell.ts'

/**
 * What the page has done elsewhere: in a worker, or in the page itself where there is none. A task gives what it has found so far from
 * time to time, and all at its end; as messages carry it, it is plain data.
 */
export const TASKS = { document, cells, histograms, written, raster }

export type TaskName = keyof typeof TASKS

/** The arguments of a task behind the engine. */
export type Arguments<Name extends TaskName> =
  Parameters<(typeof TASKS)[Name]> extends [Engine, ...infer Rest] ? Rest : never

export type Found<Name extends TaskName> =
  ReturnType<(typeof TASKS)[Name]> extends AsyncGenerator<infer T, infer R> ? T | R : never

/** What could not be read, for {@link InspectError}s are no plain data. */
export type Fault = Pick<InspectError, 'code' | 'message' | 'at'>

/** Milliseconds between two looks at what was found. */
const OFTEN = 100
/** What showing costs at most, as a part of the time. */
const SHARE = 4

/** Says when it is time to show what was found. Where showing takes long, it is seldom. */
function pace(): { isDue(): boolean; shown(): void } {
  let [asked, since] = [0, performance.now()]
  return {
    isDue() {
      asked = performance.now()
      return asked - since > OFTEN
    },
    shown() {
      const now = performance.now()
      since = now + Math.max(0, SHARE * (now - asked) - OFTEN)
    },
  }
}

/** Faults of a reading that are kept: a damaged file may cause one for each tile. */
export const MOST_FAULTS = 1000

/** Collects the faults of a reading as plain data, each once. */
function collected(): { faults: Fault[]; onFault(fault: InspectError): void } {
  const faults: Fault[] = []
  const told = new Set<string>()
  return {
    faults,
    onFault({ code, message, at }) {
      const text = JSON.stringify([code, message, at])
      if (faults.length < MOST_FAULTS && !told.has(text)) faults.push({ code, message, at })
      told.add(text)
    },
  }
}

// biome-ignore lint/correctness/useYield: of a document there is nothing before its end.
async function* document(
  engine: Engine,
  name: CommandName,
  options: object,
  words: string[],
): AsyncGenerator<never, object> {
  return engine.document(name, options, words)
}

/** A cell of the array, short: its fields by name, and how `history` names it. */
export interface Row {
  fields: Readonly<Record<string, ShortCell>>
  cell: string | undefined
}

export interface Rows {
  /** Of the page of rows that is under way. */
  rows: readonly Row[]
  /** Rows read, with those before the page. */
  read: number
  /** Whether the page is full: the next one begins when more is asked for. */
  isFull: boolean
  faults: readonly Fault[]
}

/**
 * Cells page by page.
 * @param names dimensions
 * @param from the first row of the first page
 * @param size rows of a page
 */
async function* cells(
  engine: Engine,
  command: 'read' | 'decode',
  options: object,
  names: readonly string[],
  from: number,
  size: number,
): AsyncGenerator<Rows, Rows> {
  const { faults, onFault } = collected()
  const { isDue, shown } = pace()
  let rows: Row[] = []
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

function shortRow(names: readonly string[], row: Readonly<Record<string, CellValue>>): Row {
  const fields: Record<string, ShortCell> = Object.create(null)
  for (const [name, value] of Object.entries(row)) fields[name] = shortCell(value)
  return { fields, cell: cellOption(names, row) }
}

export interface Counted {
  summaries: readonly (Summary & { name: string })[]
  /** Where parts are damaged: those of the field of which most were read. */
  cells: number
  faults: readonly Fault[]
}

/** What a read has counted so far. */
interface Columns {
  tallies: Map<string, Tally>
  cells: number
}

/**
 * How the values of columns are spread. Where some could not be read, each attribute is read by itself, so that none lacks cells because
 * another is damaged.
 */
async function* histograms(
  engine: Engine,
  options: { field?: readonly string[] },
  schema: Pick<SchemaDocument, 'array_type' | 'dimensions' | 'attributes'>,
): AsyncGenerator<Counted, Counted> {
  const { faults, onFault } = collected()
  const { isDue, shown } = pace()
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
    // What was counted before it is shown.
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
    // Coordinates are those of the field of which most was read.
    for (const [name, tally] of own.tallies) if (name === field || own.cells > all.cells) all.tallies.set(name, tally)
    all.cells = Math.max(all.cells, own.cells)
  }
  return counted()
}

function tallyOf(
  { array_type, dimensions, attributes }: Pick<SchemaDocument, 'array_type' | 'dimensions' | 'attributes'>,
  name: string,
): Tally {
  const dimension = dimensions.find((one) => one.name === name)
  const attribute = attributes.find((one) => one.name === name)
  const field = dimension ?? attribute
  // Indexes of an enumeration are names, not numbers.
  const isNumber = field && isNumeric(field) && field.type !== 'BOOL' && !attribute?.enumeration
  // Cells of a sparse array were all written.
  const fill = array_type === 'dense' ? (attribute?.fill_value as CellValue | undefined) : undefined
  return newTally(field?.type ?? 'UINT8', isNumber === true, fill)
}

/** What pictures of an array need to know first. */
export interface Openable extends Written {
  /** Of fragments that cannot be opened. */
  unopened: readonly Fault[]
}

async function* written(engine: Engine, times: TimesOptions): AsyncGenerator<never, Openable> {
  const { opened, faults } = await engine.openedArray(times)
  return { ...writtenOf(opened), unopened: faults.map(({ code, message, at }) => ({ code, message, at })) }
}

export interface Wanted {
  down: number
  right: number
  /** Undefined: how many points there are. */
  attribute: string | undefined
  ranges: readonly string[]
  isWhole: boolean
  /** Whether cells that cannot be read are left out. */
  goesOn: boolean
}

export interface Pictured {
  /** Undefined if nothing was written there. */
  raster: Raster | undefined
  faults: readonly Fault[]
}

async function* raster(engine: Engine, times: TimesOptions, wanted: Wanted): AsyncGenerator<Pictured, Pictured> {
  const { opened } = await engine.openedArray(times)
  const { faults, onFault } = collected()
  const ranges = parseRangeSets(opened.schema.domain.dimensions, wanted.ranges)
  const found = newRaster(opened, { ...wanted, ranges })
  if (!found) return { raster: undefined, faults }
  const { raster } = found
  const query = wanted.goesOn ? { ...found.query, onFault } : found.query
  const { isDue, shown } = pace()
  try {
    for await (const _ of fillRaster(opened, { raster, query }, isDue)) {
      yield { raster, faults }
      shown()
    }
  } catch (error) {
    // What was read before it is drawn.
    yield { raster, faults }
    throw error
  }
  return { raster, faults }
}

/** Begins a task. */
export function run(
  engine: Engine,
  { name, args }: { name: TaskName; args: readonly unknown[] },
): AsyncGenerator<unknown, unknown> {
  return (TASKS[name] as (engine: Engine, ...args: readonly unknown[]) => AsyncGenerator<unknown, unknown>)(
    engine,
    ...args,
  )
}
