/** Tables, blocks of lines and headings for people. Programs should read JSON, as this text may change. */

import type { Output } from '../base/result.ts'
import { sum } from '../base/sum.ts'
import type { Rows } from '../rows/text-buffer.ts'
import { type Paint, painter, type Role } from './color.ts'
import { cutForNames, cutItems, cutMiddle, pad, textWidth, wrapIndented, wrapText } from './text-width.ts'
import { escapeText, formatCount } from './units.ts'

export interface Column {
  name: string
  /** `right` for numbers, which are never cut. */
  align?: 'left' | 'right' | undefined
  /** Whether other values are never cut, such as dates, ranges, or lists of numbers. */
  whole?: boolean | undefined
  /** Whether cells are lists of `name=value`. They are cut between items, and the rest is counted. */
  items?: boolean | undefined
  /** Whether the column is written below the table if there is no room for its whole texts. */
  below?: boolean | undefined
  /** Colour of the cells, or a function that returns the colour of a text. */
  role?: Role | ((cell: string) => Role | undefined) | undefined
}

export interface TableContent {
  columns: readonly Column[]
  /** Texts of each row, one for each column. The table escapes control characters. */
  rows: Rows<readonly string[]>
  /** Number of rows to show; undefined for all. */
  limit?: number | undefined
  /** Total number of rows, if `rows` is not an array or does not contain all of them. */
  total?: number | undefined
  /** How to see columns that do not fit the terminal; by default {@link HOW_TO_SEE}. */
  seeMore?: string | undefined
  /** Names of columns that the caller left out for lack of room. They are not in `columns`. */
  leftOut?: readonly string[] | undefined
}

/** Width of the left border, in terminal columns. */
const BORDER = 1
/** Width of the border and padding of each column. */
const BETWEEN = 3
/** Width of the padding of each column. */
const PADDING = 2
/** Least width to which a text column is cut to make room for others. */
const NARROW = 8
/** Least width to which text columns are cut if some columns are left out. */
const READABLE = 24
/** Most columns that are named if they do not fit. */
const NAMED = 5
const HOW_TO_SEE = '--vertical shows all'
const GAP = '  '
/**
 * Number of rows that cli-table3 draws at once. Its time grows faster than the number of rows, so longer tables are drawn in parts
 * that join without a seam.
 */
const BATCH = 100
const NO_TOP = { top: '', 'top-left': '', 'top-mid': '', 'top-right': '' }
const NO_BOTTOM = { bottom: '', 'bottom-left': '', 'bottom-mid': '', 'bottom-right': '' }

/**
 * Draws a table. On a terminal it has borders and fits the width: long texts lose their middle, and columns that do not fit are
 * named below. Elsewhere the columns are two spaces apart, and nothing is cut. With `--vertical`, each row is a block of lines.
 */
export async function writeTable(content: TableContent, out: Output): Promise<void> {
  const { columns, seeMore, leftOut = [] } = content
  const { rows, more } = await firstRows(content)
  const paint = await painter(out)
  const head = columns.map(({ name }) => escapeText(name))
  const cells = rows.map((row) => columns.map((_, c) => escapeText(row[c] ?? '')))
  const drawing = { columns, head, cells, widths: widthsOf(head, cells) }
  if (out.vertical) for (const [r, row] of rows.entries()) await writeBlock(columns, row, r, out, paint)
  else if (out.columns === undefined) await drawPlain(drawing, paint, out)
  else {
    const cut = new Set<string>()
    const shown = await drawBordered(drawing, paint, out, { room: out.columns, cut })
    await nameCutColumns(cut, paint, out)
    await nameHiddenColumns([...leftOut, ...head.slice(shown)], seeMore, paint, out)
  }
  if (more !== undefined) await out.write(`${paint('dim', `… ${more} (--full shows all)`)}\n`)
}

export interface StreamContent extends Pick<TableContent, 'columns' | 'rows' | 'seeMore'> {
  /** Whether the caller itself says below the table that values are cut. */
  saysCut?: boolean | undefined
}

/** Writes a row as a block, with a name and a value on each line. */
async function writeBlock(
  columns: readonly Column[],
  row: readonly string[],
  at: number,
  out: Output,
  paint: Paint,
): Promise<void> {
  await out.write(`${at === 0 ? '' : '\n'}${paint('dim', `row ${formatCount(at + 1)}`)}\n`)
  await writeKeyValues(
    columns.map(({ name }, c): Pair => [name, row[c] ?? '']),
    out,
  )
}

/** Names the columns whose cells were cut. */
async function nameCutColumns(cut: ReadonlySet<string>, paint: Paint, out: Output): Promise<void> {
  if (cut.size === 0) return
  const text = `… cut: ${[...cut].join(', ')} (${HOW_TO_SEE})`
  for (const one of wrapIndented(text, out.columns, GAP)) await out.write(`${paint('dim', one)}\n`)
}

/** Names the columns that did not fit. */
async function nameHiddenColumns(
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
 * Draws a table of any length as its rows are produced, {@link BATCH} at a time. The first rows determine the widths. On a
 * terminal, wider texts lose their middle later on; elsewhere they shift the rest of their line. Numbers are not cut: if wider
 * numbers follow, a terminal gets a new frame.
 *
 * @returns the number of columns that did not fit
 */
export async function streamTable({ columns, rows, seeMore, saysCut }: StreamContent, out: Output): Promise<number> {
  const paint = await painter(out)
  if (out.vertical) {
    let at = 0
    for await (const row of rows) await writeBlock(columns, row, at++, out, paint)
    return 0
  }
  let shown = columns.length
  const cut = new Set<string>()
  const head = columns.map(({ name }) => escapeText(name))
  let widths: number[] | undefined
  let first = true
  let ready: string[][] | undefined
  let pending: string[][] = []
  const draw = async (cells: string[][], next: string[][] | undefined): Promise<void> => {
    widths ??= widthsOf(head, cells)
    const now = widths
    const coming = next && out.columns !== undefined ? widthsOf(head, next) : undefined
    const outgrown = coming?.some((width, c) => isNeverCut(columns[c]) && width > now[c]) === true
    const drawing = { columns, head, cells, widths: now }
    const part = { first, last: next === undefined || outgrown }
    if (out.columns === undefined) await drawPlain(drawing, paint, out, part)
    else shown = Math.min(shown, await drawBordered(drawing, paint, out, { room: out.columns, cut, part }))
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
  if (!saysCut) await nameCutColumns(cut, paint, out)
  await nameHiddenColumns(head.slice(shown), seeMore, paint, out)
  return columns.length - shown
}

interface Drawing {
  columns: readonly Column[]
  head: string[]
  cells: string[][]
  widths: number[]
}

/** Whether a part of a table is the first or the last. */
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
      // No spaces at the end of a line.
      const padded = c === last && columns[c].align !== 'right' ? text : pad(text, widths[c], columns[c].align)
      return color(padded, c)
    })
    return `${parts.join(GAP).trimEnd()}\n`
  }
  const lines = first ? [line(head, (text) => paint('heading', text))] : []
  for (const row of cells) lines.push(line(row, (text, c) => paintCell(paint, columns[c], text, row[c])))
  await out.write(lines.join(''))
}

/**
 * @param cut gets the names of the columns whose cells are cut, except for the first column, which only names the row
 * @returns the number of columns that fit
 */
async function drawBordered(
  drawing: Drawing,
  paint: Paint,
  out: Output,
  { room, cut, part = WHOLE }: { room: number; cut: Set<string>; part?: Part },
): Promise<number> {
  const { columns, head, cells, widths } = drawing
  const { default: Table } = await import('cli-table3')
  const fitted = fitWidths(columns, widths, room - BORDER)
  const cutName = cutForNames(
    cells.map(([name]) => name),
    fitted[0],
  )
  for (let start = 0; start === 0 || start < cells.length; start += BATCH) {
    const first = part.first && start === 0
    const last = part.last && start + BATCH >= cells.length
    const lines = new Table({
      head: first ? fitted.map((width, c) => paint('heading', cutMiddle(head[c], width))) : [],
      colAligns: fitted.map((_, c) => columns[c].align ?? 'left'),
      colWidths: fitted.map((width) => width + PADDING),
      // One rule below the head, and no colours of cli-table3.
      style: { head: [], border: [], compact: true },
      chars: { ...(first ? {} : NO_TOP), ...(last ? {} : NO_BOTTOM) },
    })
    for (const row of cells.slice(start, start + BATCH)) {
      lines.push(
        fitted.map((width, c) => {
          const shown = c === 0 ? cutName(row[c]) : (columns[c].items ? cutItems : cutMiddle)(row[c], width)
          if (c > 0 && shown !== row[c]) cut.add(head[c])
          return paintCell(paint, columns[c], shown, row[c])
        }),
      )
    }
    await out.write(`${lines.toString()}\n`)
  }
  return fitted.length
}

function paintCell(paint: Paint, { role }: Column, shown: string, cell: string): string {
  const found = typeof role === 'function' ? role(cell) : role
  return found === undefined ? shown : paint(found, shown)
}

/** Whether the cells of a column are never cut. */
export function isNeverCut({ align, whole }: Column): boolean {
  return align === 'right' || whole === true
}

/**
 * Returns widths that fit `room`: of all columns if texts can be cut enough, otherwise of the first columns that fit. The first
 * column is always included. Columns that must stay whole are not cut.
 */
function fitWidths(columns: readonly Column[], widths: readonly number[], room: number): number[] {
  const least = (narrow: number): number[] =>
    widths.map((width, c) => (isNeverCut(columns[c]) ? width : Math.min(width, narrow)))
  const all = room - BETWEEN * columns.length
  if (totalWidth(least(NARROW)) <= all) return shrink(widths, columns, all)
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

function totalWidth(widths: readonly number[]): number {
  return sum(widths, (width) => width)
}

/** Cuts the columns that may be cut to the largest common width that fits. */
function shrink(widths: readonly number[], columns: readonly Column[], room: number): number[] {
  const capped = (cap: number): number[] =>
    widths.map((width, c) => (isNeverCut(columns[c]) ? width : Math.min(width, cap)))
  const fits = (candidate: readonly number[]): boolean => totalWidth(candidate) <= room
  let cap = Math.max(1, ...widths)
  while (cap > 1 && !fits(capped(cap))) cap--
  const result = capped(cap)
  // The remaining room goes to the first columns that were cut.
  for (const [c, width] of result.entries()) {
    if (width < widths[c] && fits(result.with(c, width + 1))) result[c]++
  }
  return result
}

/** Returns the rows to show, and how many more there are. */
async function firstRows({ rows, limit = Number.POSITIVE_INFINITY, total }: TableContent) {
  const shown: (readonly string[])[] = []
  let hasMore = false
  for await (const row of rows) {
    hasMore = shown.length >= limit
    if (hasMore) break
    shown.push(row)
  }
  const count = total ?? (Array.isArray(rows) ? rows.length : 0)
  if (count > shown.length) return { rows: shown, more: `${formatCount(count - shown.length)} more` }
  return { rows: shown, more: hasMore ? 'more' : undefined }
}

export type Pair = readonly [name: string, value: string]
/** Pairs. The other values are skipped. */
export type Pairs = readonly (Pair | false | null | undefined)[]

/** Writes a name and a value on each line. On a terminal, long values are wrapped. */
export async function writeKeyValues(pairs: Pairs, out: Output): Promise<void> {
  const paint = await painter(out)
  const escaped = pairs.flatMap((pair): Pair[] => (pair ? [[escapeText(pair[0]), escapeText(pair[1])]] : []))
  const indent = escaped.reduce((width, [name]) => Math.max(width, textWidth(name)), 0) + GAP.length
  const room = out.columns === undefined ? Number.POSITIVE_INFINITY : Math.max(out.columns - indent, NARROW)
  const lines = escaped.map(([name, value]) => {
    const [first, ...rest] = wrapText(value, room)
    const label = first === '' ? name : pad(name, indent)
    return [`${paint('field', label)}${first}\n`, ...rest.map((line) => `${' '.repeat(indent)}${line}\n`)].join('')
  })
  await out.write(lines.join(''))
}

/** Writes a heading. On a terminal, a long heading is wrapped and indented. */
export async function writeHeading(text: string, out: Output): Promise<void> {
  const paint = await painter(out)
  const lines = wrapIndented(escapeText(text), out.columns, GAP)
  await out.write(lines.map((line) => `${paint('heading', line)}\n`).join(''))
}
