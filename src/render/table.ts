/** Tables, records and headings for people. Programs get JSON; what is written here may change. */

import type { Output } from '../base/result.ts'
import { type Paint, painter, type Role } from './color.ts'
import type { Rows } from './text-buffer.ts'
import { cutMiddle, pad, textWidth, wrapIndented, wrapText } from './text-width.ts'
import { escapeText, formatCount } from './units.ts'

export interface Column {
  name: string
  /** Numbers are aligned right, and never cut. */
  align?: 'left' | 'right' | undefined
  /** Set for what is not to be cut, either: dates, lists of numbers. */
  whole?: boolean | undefined
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
  /** How columns that a terminal has no room for can be seen; {@link HOW_TO_SEE} without it. */
  seeMore?: string | undefined
  /** Names of columns that the caller had no room for, and that are not in `columns`. */
  left?: readonly string[] | undefined
}

/** Columns that a border and its padding take: one before the table, three a column. */
const BORDER = 1
const BETWEEN = 3
const PADDING = 2
/** A column of text is not made narrower than this, so that others have room beside it. */
const NARROW = 8
/** Where there is no room for all columns, those that are shown keep so much of their texts. */
const READABLE = 24
/** So many of the columns that there is no room for are named. */
const NAMED = 5
const HOW_TO_SEE = '--vertical shows all'
const GAP = '  '
/** Rows of one drawing: the time of cli-table3 grows faster than its rows do. The parts are joined without a seam. */
const BATCH = 100
const NO_TOP = { top: '', 'top-left': '', 'top-mid': '', 'top-right': '' }
const NO_BOTTOM = { bottom: '', 'bottom-left': '', 'bottom-mid': '', 'bottom-right': '' }

/**
 * Draws a table: with light borders and fitted to the width on a terminal (long texts lose their middle, columns without
 * room are counted below), as plain columns two spaces apart, nothing cut, elsewhere. With `--vertical` a block a row.
 */
export async function table(content: TableContent, out: Output): Promise<void> {
  const { columns, seeMore, left = [] } = content
  const { rows, more } = await firstRows(content)
  const paint = await painter(out)
  if (out.vertical) {
    for (const [r, row] of rows.entries()) await block(columns, row, r, out, paint)
    if (more !== undefined) await out.write(`${paint('dim', `… ${more} (--full shows all)`)}\n`)
    return
  }
  const head = columns.map(({ name }) => escapeText(name))
  const cells = rows.map((row) => columns.map((_, c) => escapeText(row[c] ?? '')))
  const drawing = { columns, head, cells, widths: widthsOf(head, cells) }
  if (out.columns === undefined) await drawPlain(drawing, paint, out)
  else {
    const shown = await drawBordered(drawing, paint, out, out.columns)
    await tellHidden([...left, ...head.slice(shown)], seeMore, paint, out)
  }
  if (more !== undefined) await out.write(`${paint('dim', `… ${more} (--full shows all)`)}\n`)
}

export type StreamContent = Pick<TableContent, 'columns' | 'rows' | 'seeMore'>

/** One row as a block: a name and a value a line. */
async function block(
  columns: readonly Column[],
  row: readonly string[],
  at: number,
  out: Output,
  paint: Paint,
): Promise<void> {
  await out.write(`${at === 0 ? '' : '\n'}${paint('dim', `row ${formatCount(at + 1)}`)}\n`)
  await keyValues(
    columns.map(({ name }, c): Pair => [name, row[c] ?? '']),
    out,
  )
}

/** Says which columns there was no room for. */
async function tellHidden(
  hidden: readonly string[],
  how: string | undefined,
  paint: Paint,
  out: Output,
): Promise<void> {
  if (hidden.length === 0) return
  const what = `${formatCount(hidden.length)} more ${hidden.length === 1 ? 'column' : 'columns'}`
  const names = [...hidden.slice(0, NAMED), ...(hidden.length > NAMED ? ['…'] : [])].join(', ')
  const text = `… ${what}: ${names} (${how ?? HOW_TO_SEE})`
  for (const one of wrapIndented(text, out.columns, GAP)) await out.write(`${paint('dim', one)}\n`)
}

/**
 * Draws a table of any length while its rows come, {@link BATCH} at a time: the first of them tell the widths. Later texts
 * that are wider lose their middle on a terminal, and push their line aside elsewhere; for wider numbers, which are not
 * to be cut, a terminal gets a new frame.
 *
 * @returns how many columns there was no room for
 */
export async function streamTable({ columns, rows, seeMore }: StreamContent, out: Output): Promise<number> {
  const paint = await painter(out)
  if (out.vertical) {
    let at = 0
    for await (const row of rows) await block(columns, row, at++, out, paint)
    return 0
  }
  let shown = columns.length
  const head = columns.map(({ name }) => escapeText(name))
  let widths: number[] | undefined
  let first = true
  let ready: string[][] | undefined
  let pending: string[][] = []
  const draw = async (cells: string[][], next: string[][] | undefined): Promise<void> => {
    widths ??= widthsOf(head, cells)
    const now = widths
    const coming = next && widthsOf(head, next)
    const outgrown =
      out.columns !== undefined && coming?.some((width, c) => isWhole(columns[c]) && width > now[c]) === true
    const drawing = { columns, head, cells, widths: now }
    const part = { first, last: next === undefined || outgrown }
    if (out.columns === undefined) await drawPlain(drawing, paint, out, part)
    else shown = Math.min(shown, await drawBordered(drawing, paint, out, out.columns, part))
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
  }
  if (ready !== undefined) await draw(ready, pending)
  await draw(pending, undefined)
  await tellHidden(head.slice(shown), seeMore, paint, out)
  return columns.length - shown
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

/** @returns how many columns there was room for */
async function drawBordered(
  drawing: Drawing,
  paint: Paint,
  out: Output,
  room: number,
  part: Part = WHOLE,
): Promise<number> {
  const { columns, head, cells, widths } = drawing
  const { default: Table } = await import('cli-table3')
  const fitted = fitWidths(columns, widths, room - BORDER)
  for (let start = 0; start === 0 || start < cells.length; start += BATCH) {
    const first = part.first && start === 0
    const last = part.last && start + BATCH >= cells.length
    const lines = new Table({
      head: first ? fitted.map((width, c) => paint('heading', cutMiddle(head[c], width))) : [],
      colAligns: fitted.map((_, c) => columns[c].align ?? 'left'),
      colWidths: fitted.map((width) => width + PADDING),
      // one rule below the head; no colours but ours
      style: { head: [], border: [], compact: true },
      chars: { ...(first ? {} : NO_TOP), ...(last ? {} : NO_BOTTOM) },
    })
    for (const row of cells.slice(start, start + BATCH)) {
      lines.push(fitted.map((width, c) => paintCell(paint, columns[c], cutMiddle(row[c], width), row[c])))
    }
    await out.write(`${lines.toString()}\n`)
  }
  return fitted.length
}

function paintCell(paint: Paint, { role }: Column, shown: string, cell: string): string {
  const found = typeof role === 'function' ? role(cell) : role
  return found === undefined ? shown : paint(found, shown)
}

function isWhole({ align, whole }: Column): boolean {
  return align === 'right' || whole === true
}

/**
 * Widths that add up to `room`: of all columns where texts give way, else of as many as there is room for. The first one
 * is always there, and nothing that is to be whole is ever cut.
 */
function fitWidths(columns: readonly Column[], widths: readonly number[], room: number): number[] {
  const least = (narrow: number): number[] =>
    widths.map((width, c) => (isWhole(columns[c]) ? width : Math.min(width, narrow)))
  const all = room - BETWEEN * columns.length
  if (sum(least(NARROW)) <= all) return shrink(widths, columns, all)
  let shown = 0
  let left = room
  for (const width of least(READABLE)) {
    left -= width + BETWEEN
    if (left < 0) break
    shown++
  }
  shown = Math.max(shown, 1)
  return shrink(widths.slice(0, shown), columns, room - BETWEEN * shown)
}

function sum(widths: readonly number[]): number {
  return widths.reduce((total, width) => total + width, 0)
}

/** Cuts the columns that may give way to the largest common width that fits. */
function shrink(widths: readonly number[], columns: readonly Column[], room: number): number[] {
  const capped = (cap: number): number[] =>
    widths.map((width, c) => (isWhole(columns[c]) ? width : Math.min(width, cap)))
  const fits = (candidate: readonly number[]): boolean => sum(candidate) <= room
  let cap = Math.max(1, ...widths)
  while (cap > 1 && !fits(capped(cap))) cap--
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
