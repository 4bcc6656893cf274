/** Tables, records and headings for people. Programs get JSON; what is written here may change. */

import { type Paint, painter, type Role } from './color.ts'
import type { Output } from './result.ts'
import type { Rows } from './text-buffer.ts'
import { cutMiddle, pad, textWidth, wrapIndented, wrapText } from './text-width.ts'
import { escapeText, formatCount } from './units.ts'

export interface Column {
  name: string
  /** Numbers are aligned right, and not cut while other columns can be. */
  align?: 'left' | 'right' | undefined
  /** Colour of the column's cells, or of each by its text. */
  role?: Role | ((cell: string) => Role | undefined) | undefined
}

export interface TableContent {
  columns: readonly Column[]
  /** One text a column; control characters are escaped here. */
  rows: Rows<readonly string[]>
  /** Rows shown; undefined: all. */
  limit?: number | undefined
  /** How many rows there are, where `rows` is no array and does not hold them all. */
  total?: number | undefined
}

/** Columns that a border and its padding take: one before the table, three a column. */
const BORDER = 1
const BETWEEN = 3
const PADDING = 2
/** A column of text is not made narrower than this for the sake of others. */
const NARROW = 8
const NARROWEST = 1
const GAP = '  '
/** Rows of one drawing: the time of cli-table3 grows faster than its rows do. The parts are joined without a seam. */
const BATCH = 100
const NO_TOP = { top: '', 'top-left': '', 'top-mid': '', 'top-right': '' }
const NO_BOTTOM = { bottom: '', 'bottom-left': '', 'bottom-mid': '', 'bottom-right': '' }

/**
 * Draws a table: with light borders and fitted to the width on a terminal (long cells lose their middle), as plain
 * columns two spaces apart, nothing cut, elsewhere.
 */
export async function table(content: TableContent, out: Output): Promise<void> {
  const { columns } = content
  const { rows, more } = await firstRows(content)
  const paint = await painter(out)
  const head = columns.map(({ name }) => escapeText(name))
  const cells = rows.map((row) => columns.map((_, c) => escapeText(row[c] ?? '')))
  const drawing = { columns, head, cells, widths: widthsOf(head, cells) }
  if (out.columns === undefined) await drawPlain(drawing, paint, out)
  else await drawBordered(drawing, paint, out, out.columns)
  if (more !== undefined) await out.write(`${paint('dim', `… ${more} (--full shows all)`)}\n`)
}

export interface StreamContent {
  columns: readonly Column[]
  rows: Rows<readonly string[]>
}

/**
 * Draws a table of any length while its rows come, {@link BATCH} at a time: the first of them tell the widths. Later texts
 * that are wider lose their middle on a terminal, and push their line aside elsewhere; for wider numbers, which are not
 * to be cut, a terminal gets a new frame.
 *
 * @returns the number of rows
 */
export async function streamTable({ columns, rows }: StreamContent, out: Output): Promise<number> {
  const paint = await painter(out)
  const head = columns.map(({ name }) => escapeText(name))
  let widths: number[] | undefined
  let first = true
  let ready: string[][] | undefined
  let pending: string[][] = []
  let count = 0
  const draw = async (cells: string[][], next: string[][] | undefined): Promise<void> => {
    widths ??= widthsOf(head, cells)
    const now = widths
    const coming = next && widthsOf(head, next)
    const outgrown =
      out.columns !== undefined && coming?.some((width, c) => columns[c].align === 'right' && width > now[c]) === true
    const drawing = { columns, head, cells, widths: now }
    const part = { first, last: next === undefined || outgrown }
    if (out.columns === undefined) await drawPlain(drawing, paint, out, part)
    else await drawBordered(drawing, paint, out, out.columns, part)
    first = outgrown
    if (outgrown && coming !== undefined) widths = now.map((width, c) => Math.max(width, coming[c]))
  }
  for await (const row of rows) {
    if (pending.length === BATCH) {
      if (ready !== undefined) await draw(ready, pending)
      ready = pending
      pending = []
    }
    pending.push(columns.map((_, c) => escapeText(row[c] ?? '')))
    count++
  }
  if (ready !== undefined) await draw(ready, pending)
  await draw(pending, undefined)
  return count
}

interface Drawing {
  columns: readonly Column[]
  head: string[]
  cells: string[][]
  widths: number[]
}

/** Which ends of a table are drawn. */
interface Part {
  first: boolean
  last: boolean
}

const WHOLE: Part = { first: true, last: true }

function widthsOf(head: readonly string[], cells: readonly (readonly string[])[]): number[] {
  return head.map((name, c) => cells.reduce((width, row) => Math.max(width, textWidth(row[c])), textWidth(name)))
}

async function drawPlain(
  { columns, head, cells, widths }: Drawing,
  paint: Paint,
  out: Output,
  { first }: Part = WHOLE,
): Promise<void> {
  const last = columns.length - 1
  const line = (texts: readonly string[], color: (text: string, c: number) => string): string => {
    const parts = texts.map((text, c) => {
      // no spaces at the end of a line
      const padded = c === last && columns[c].align !== 'right' ? text : pad(text, widths[c], columns[c].align)
      return color(padded, c)
    })
    return `${parts.join(GAP).trimEnd()}\n`
  }
  const lines = first ? [line(head, (text) => paint('heading', text))] : []
  for (const row of cells) lines.push(line(row, (text, c) => paintCell(paint, columns[c], text, row[c])))
  await out.write(lines.join(''))
}

async function drawBordered(
  drawing: Drawing,
  paint: Paint,
  out: Output,
  room: number,
  part: Part = WHOLE,
): Promise<void> {
  const { columns, head, cells, widths } = drawing
  const { default: Table } = await import('cli-table3')
  const fitted = fitWidths(columns, widths, room - BORDER - BETWEEN * columns.length)
  for (let start = 0; start === 0 || start < cells.length; start += BATCH) {
    const first = part.first && start === 0
    const last = part.last && start + BATCH >= cells.length
    const lines = new Table({
      head: first ? head.map((name, c) => paint('heading', cutMiddle(name, fitted[c]))) : [],
      colAligns: columns.map(({ align = 'left' }) => align),
      colWidths: fitted.map((width) => width + PADDING),
      // one rule below the head; no colours but ours
      style: { head: [], border: [], compact: true },
      chars: { ...(first ? {} : NO_TOP), ...(last ? {} : NO_BOTTOM) },
    })
    for (const row of cells.slice(start, start + BATCH)) {
      lines.push(row.map((text, c) => paintCell(paint, columns[c], cutMiddle(text, fitted[c]), text)))
    }
    await out.write(`${lines.toString()}\n`)
  }
}

function paintCell(paint: Paint, { role }: Column, shown: string, cell: string): string {
  const found = typeof role === 'function' ? role(cell) : role
  return found === undefined ? shown : paint(found, shown)
}

/** Widths that add up to `room` where that can be: the widest columns give way first, numbers last. */
function fitWidths(columns: readonly Column[], widths: readonly number[], room: number): number[] {
  const texts = columns.map(({ align }) => align !== 'right')
  const all = columns.map(() => true)
  return shrink(shrink(widths, texts, room, NARROW), all, room, NARROWEST)
}

/** Cuts the columns that may give way to the largest common width that fits, `least` or more. */
function shrink(widths: readonly number[], may: readonly boolean[], room: number, least: number): number[] {
  const capped = (cap: number): number[] => widths.map((width, c) => (may[c] ? Math.min(width, cap) : width))
  const fits = (candidate: readonly number[]): boolean => candidate.reduce((sum, width) => sum + width, 0) <= room
  let cap = Math.max(least, ...widths)
  while (cap > least && !fits(capped(cap))) cap--
  const result = capped(cap)
  // the cap leaves a few columns over: to the first of those that were cut
  for (const [c, width] of result.entries()) {
    if (width < widths[c] && fits(result.with(c, width + 1))) result[c]++
  }
  return result
}

/** The rows that are shown, and in words what is left out. */
async function firstRows({ rows, limit = Number.POSITIVE_INFINITY, total }: TableContent): Promise<Shown> {
  if (Array.isArray(rows) && total === undefined) {
    const more = rows.length > limit ? `${formatCount(rows.length - limit)} more` : undefined
    return { rows: more === undefined ? rows : rows.slice(0, limit), more }
  }
  const shown: (readonly string[])[] = []
  let cut = false
  for await (const row of rows) {
    cut = shown.length >= limit
    if (cut) break
    shown.push(row)
  }
  if (total !== undefined && total > shown.length)
    return { rows: shown, more: `${formatCount(total - shown.length)} more` }
  return { rows: shown, more: cut ? 'more' : undefined }
}

interface Shown {
  rows: readonly (readonly string[])[]
  more: string | undefined
}

export type Pair = readonly [name: string, value: string]

/** A record, one name and value a line; on a terminal long values go on below themselves. */
export async function keyValues(pairs: Iterable<Pair>, out: Output): Promise<void> {
  const paint = await painter(out)
  const escaped = Array.from(pairs, ([name, value]): Pair => [escapeText(name), escapeText(value)])
  const indent = escaped.reduce((width, [name]) => Math.max(width, textWidth(name)), 0) + GAP.length
  const room = out.columns === undefined ? Number.POSITIVE_INFINITY : Math.max(out.columns - indent, NARROW)
  const lines = escaped.map(([name, value]) => {
    const [first, ...rest] = wrapText(value, room)
    const label = first === '' ? name : pad(name, indent)
    return [`${paint('field', label)}${first}\n`, ...rest.map((line) => `${' '.repeat(indent)}${line}\n`)].join('')
  })
  await out.write(lines.join(''))
}

/** A line of its own above a table or record; on a terminal a long one goes on below itself, indented. */
export async function heading(text: string, out: Output): Promise<void> {
  const paint = await painter(out)
  const lines = wrapIndented(escapeText(text), out.columns, GAP)
  await out.write(lines.map((line) => `${paint('heading', line)}\n`).join(''))
}
