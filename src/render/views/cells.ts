import type { Document, Output, Result } from '../result.ts'
import { type Column, heading, streamTable } from '../table.ts'
import { shortValue } from '../units.ts'
import { type Fields, fields, rowsOf } from './narrow.ts'
import { fits, line } from './parts.ts'
import { counted, countText, fieldName } from './wording.ts'

/** Cells on a terminal, unless all are asked for; a pipe gets them all. */
const ON_TERMINAL = 100
/** Cells that tell which columns hold numbers. */
const SAMPLE = 100
/** Characters of a value, unless all are asked for. */
const ROOM = 80
/** Names of fragments need no quotes. */
const FRAGMENT = '__fragment'
/** For a column that could not be read. */
const UNREAD = '?'

/**
 * Cells as they come from the fragment; memory holds a screenful at a time.
 *
 * @param names of the columns; undefined where fragments may differ in them: a new table starts where they do
 * @param total cells there are, where that is known
 */
export async function cellsTable(
  document: Document,
  names: readonly string[] | undefined,
  full: boolean,
  out: Output,
  total?: number | bigint,
): Promise<void> {
  await heading(document.path, out)
  const limit = full || out.columns === undefined ? Number.POSITIVE_INFINITY : ON_TERMINAL
  const cells = new Cells(document.cells, limit)
  try {
    let first = await cells.take()
    while (first !== undefined) {
      const columns = names ?? Object.keys(first)
      first = await part(cells, first, columns, names !== undefined, full ? Number.POSITIVE_INFINITY : ROOM, out)
    }
    const more = await cells.isCut()
    const count = countedOf(cells.taken, total)
    await line(more ? `the first ${count} (--full shows all)` : count, out, 'dim')
    if (cells.narrowed) await line(NARROWED, out, 'dim')
  } finally {
    await cells.close()
  }
}

/** `no cells`, `5 cells`, `5 of 40 cells` */
function countedOf(taken: number, total: number | bigint | undefined): string {
  if (taken === 0) return 'no cells'
  return total === undefined || taken >= total
    ? counted(taken, 'cell')
    : `${countText(taken)} of ${counted(total, 'cell')}`
}

/** Draws rows as long as they have the same columns. @returns the first that has others */
async function part(
  cells: Cells,
  first: Fields,
  names: readonly string[],
  always: boolean,
  room: number,
  out: Output,
): Promise<Fields | undefined> {
  const sample: Fields[] = []
  let next: Fields | undefined = first
  const belongs = (row: Fields): boolean => always || Object.keys(row).every((key) => names.includes(key))
  while (next !== undefined && sample.length < SAMPLE && belongs(next)) {
    sample.push(next)
    next = await cells.take()
  }
  const columns = names.map((name): Column => {
    const numbers = sample.some((row) => isNumber(row[name])) && sample.every((row) => isNumberOrNull(row[name]))
    return { name: fieldName(name), align: numbers ? 'right' : 'left' }
  })
  const toRow = (row: Fields): string[] => names.map((name) => cellText(name, row[name], room))
  cells.narrowed ||= !fits(columns, sample.map(toRow), out)
  async function* rows(): AsyncGenerator<string[]> {
    for (const row of sample) yield toRow(row)
    for (; next !== undefined && belongs(next); next = await cells.take()) yield toRow(next)
  }
  await streamTable({ columns, rows: rows() }, out)
  return next
}

function cellText(name: string, value: Result | undefined, room: number): string {
  if (value === undefined) return UNREAD
  return name === FRAGMENT && typeof value === 'string' ? value : shortValue(value, room)
}

function isNumber(value: Result | undefined): boolean {
  return typeof value === 'number' || typeof value === 'bigint'
}

function isNumberOrNull(value: Result | undefined): boolean {
  return value === null || value === undefined || isNumber(value)
}

const NARROWED = 'too narrow for whole values: --field shows fewer columns, --format csv all'

/** Takes cells one by one, as many as are wanted. */
class Cells {
  taken = 0
  /** Whether the terminal is too narrow for some of them. */
  narrowed = false
  private readonly limit: number
  private readonly iterator: AsyncIterator<Result> | Iterator<Result>

  constructor(cells: Result | undefined, limit: number) {
    const rows = rowsOf(cells)
    this.limit = limit
    this.iterator = Symbol.asyncIterator in rows ? rows[Symbol.asyncIterator]() : rows[Symbol.iterator]()
  }

  async take(): Promise<Fields | undefined> {
    if (this.taken >= this.limit) return undefined
    const { done, value } = await this.iterator.next()
    if (done === true) return undefined
    this.taken++
    return fields(value)
  }

  /** Whether there are cells beyond the limit. */
  async isCut(): Promise<boolean> {
    return this.taken >= this.limit && (await this.iterator.next()).done !== true
  }

  async close(): Promise<void> {
    await this.iterator.return?.()
  }
}
