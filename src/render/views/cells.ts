import { firstOf } from '../../base/errors.ts'
import type { Output } from '../../base/result.ts'
import type { CellsLine } from '../../documents/cells.ts'
import type { AsOf, CellValue } from '../../documents/common.ts'
import { type Column, streamTable, writeHeading } from '../table.ts'
import { isDate, shortValue } from '../units.ts'
import { fits, writeLine } from './parts.ts'
import { counted, countText, fieldName, withTimes } from './wording.ts'

/** Number of cells that a terminal shows by default. */
const ON_TERMINAL = 100
/** Number of cells that determine which columns contain numbers. */
const SAMPLE = 100
/** Most characters of a value, except with `--full`. */
const ROOM = 80
/** Most characters of a list on a terminal. */
const LIST_ROOM = 24
/** Most characters of a value with `--vertical`. */
const BLOCK_ROOM = 1000
/** Column of fragment names, which are shown without quotes. */
const FRAGMENT = '__fragment'
/** Text for a value that could not be read. */
const UNREAD = '?'

interface CellNumbers {
  /** Number of cells, if it is known. */
  total?: number | bigint | undefined
  /** Number of cells that the user asked for. There may be more. */
  most?: number
  /** What a row is; `cell` by default. */
  one?: string | undefined
  /** Names of columns that show indexes of enumerations. */
  indexed?: readonly string[] | undefined
}

/**
 * Shows cells in the order in which they are read. Memory holds the cells of one screen at a time.
 *
 * @param rows the cells, which return what is known after the last of them
 * @param names the columns; undefined if fragments may have different ones: a new table then starts at each change
 * @returns what the cells return; undefined if not all are shown
 */
export async function cellsTable<End>(
  { path, as_of }: { path: string } & AsOf,
  rows: AsyncIterator<CellsLine, End, undefined>,
  names: readonly string[] | undefined,
  out: Output,
  { total, most = Number.POSITIVE_INFINITY, one = 'cell', indexed = [] }: CellNumbers = {},
): Promise<End | undefined> {
  await writeHeading(withTimes(path, as_of), out)
  const isWhole = out.full || Number.isFinite(most)
  const limit = isWhole || out.columns === undefined ? Number.POSITIVE_INFINITY : ON_TERMINAL
  const cells = new LimitedCells(rows, limit)
  try {
    let first = await cells.take()
    while (first !== undefined) {
      const columns = names ?? Object.keys(first)
      first = await drawPart(cells, first, columns, { always: names !== undefined, isWhole }, out)
    }
    const more = await cells.isCut()
    const count = countedOf(cells.taken, one, { total, most })
    const last = total === undefined && cells.taken > 0 && cells.taken === most ? `the first ${count}` : count
    await writeLine(more ? `the first ${count} (--full shows all)` : last, out, 'dim')
    if (cells.narrowed) await writeLine(NARROWED, out, 'dim')
    if (indexed.length > 0 && out.columns !== undefined && cells.taken > 0)
      await writeLine(
        `${firstOf(indexed.map(fieldName))}: indexes of an enumeration (--labels shows its values)`,
        out,
        'dim',
      )
    return cells.end
  } finally {
    await cells.close()
  }
}

/** `no cells`, `5 cells`, `5 of 40 cells` */
function countedOf(taken: number, one: string, { total, most }: CellNumbers): string {
  if (most === 0) return `no ${one}s asked for`
  if (taken === 0) return `no ${one}s`
  return total === undefined || taken >= total ? counted(taken, one) : `${countText(taken)} of ${counted(total, one)}`
}

/** Draws rows as long as they have the same columns. @returns the first row with other columns */
async function drawPart(
  cells: LimitedCells<unknown>,
  first: CellsLine,
  names: readonly string[],
  { always, isWhole }: { always: boolean; isWhole: boolean },
  out: Output,
): Promise<CellsLine | undefined> {
  const sample: CellsLine[] = []
  let next: CellsLine | undefined = first
  const belongs = (row: CellsLine): boolean => always || Object.keys(row).every((key) => names.includes(key))
  while (next !== undefined && sample.length < SAMPLE && belongs(next)) {
    sample.push(next)
    next = await cells.take()
  }
  const columns = names.map((name): Column => {
    const values = sample.map((row) => row[name])
    const numbers = values.some(isNumber) && values.every(isNumberOrNull)
    // A column that starts with nulls may contain numbers later.
    return { name: fieldName(name), align: numbers ? 'right' : 'left', whole: values.every(isSolid) }
  })
  const toRow = (row: CellsLine): string[] =>
    names.map((name) => cellText(name, row[name], roomFor(row[name], isWhole, out)))
  const narrow = !fits(columns, sample.map(toRow), out)
  async function* rows(): AsyncGenerator<string[]> {
    for (const row of sample) yield toRow(row)
    for (; next !== undefined && belongs(next); next = await cells.take()) yield toRow(next)
  }
  // What says where a cell came from is no field: --field cannot name it.
  const seeMore = names.includes(FRAGMENT)
    ? '--vertical shows all'
    : '--field shows those that are named, --vertical all'
  const hidden = await streamTable({ columns, rows: rows(), seeMore, saysCut: true }, out)
  cells.narrowed ||= narrow && hidden === 0
  return next
}

function roomFor(value: CellValue | undefined, isWhole: boolean, out: Output): number {
  if (isWhole) return Number.POSITIVE_INFINITY
  if (out.vertical) return BLOCK_ROOM
  return out.columns !== undefined && isList(value) ? LIST_ROOM : ROOM
}

function cellText(name: string, value: CellValue | undefined, room: number): string {
  if (value === undefined) return UNREAD
  return name === FRAGMENT && typeof value === 'string' ? value : shortValue(value, room)
}

/** Whether a value is misleading if it is cut: numbers, dates, truth values, and lists of these. */
function isSolid(value: CellValue | undefined): boolean {
  if (isNumberOrNull(value) || typeof value === 'boolean') return true
  if (typeof value === 'string') return isDate(value)
  return isList(value) && value.every(isSolid)
}

function isList(value: CellValue | undefined): value is Extract<CellValue, readonly unknown[]> {
  return Array.isArray(value)
}

function isNumber(value: CellValue | undefined): boolean {
  return typeof value === 'number' || typeof value === 'bigint'
}

function isNumberOrNull(value: CellValue | undefined): boolean {
  return value === null || value === undefined || isNumber(value)
}

const NARROWED = 'too narrow for whole values: --vertical and --format csv show them'

/** Takes cells one by one, up to the limit. */
class LimitedCells<End> {
  /** Number of cells that were taken. */
  taken = 0
  /** Whether the terminal was too narrow for whole values. */
  narrowed = false
  /** What the cells return after the last of them. */
  end: End | undefined
  private readonly limit: number
  private readonly iterator: AsyncIterator<CellsLine, End, undefined>

  constructor(cells: AsyncIterator<CellsLine, End, undefined>, limit: number) {
    this.limit = limit
    this.iterator = cells
  }

  async take(): Promise<CellsLine | undefined> {
    if (this.taken >= this.limit) return undefined
    const cell = await this.next()
    if (cell) this.taken++
    return cell
  }

  /** Whether there are more cells than the limit. */
  async isCut(): Promise<boolean> {
    return this.taken >= this.limit && (await this.next()) !== undefined
  }

  private async next(): Promise<CellsLine | undefined> {
    const { done, value } = await this.iterator.next()
    if (!done) return value
    this.end ??= value
    return undefined
  }

  async close(): Promise<void> {
    await this.iterator.return?.()
  }
}
