/** Building blocks of several views. */

import { grammatical } from '../../base/errors.ts'
import type { Output } from '../../base/result.ts'
import type { NotExamined } from '../../documents/common.ts'
import { codeLines } from '../code-lines.ts'
import { painter, type Role } from '../color.ts'
import {
  type Column,
  heading,
  isWhole,
  keyValues,
  type Pair,
  type StreamContent,
  streamTable,
  table,
} from '../table.ts'
import { cutMiddle, textWidth, wrapText } from '../text-width.ts'
import { escapeText } from '../units.ts'
import { inside, NOTHING } from './wording.ts'

/** Rows of a long list that are shown by default. */
export const ROWS = 20
/** Tiles that are shown by default; they have wider rows. */
export const TILES = 10
/** A first column of names is not cut below this width to make room for the last. */
const NAME_ROOM = 24
/** Most characters of a name at the start of a line. */
const LINE_NAME_ROOM = 40
const GAP = '  '

/** Number of rows to show: `usual` on a terminal; undefined for all in a pipe, where any row may be searched for, or with `--full`. */
export function limitOf(usual: number, out: Output): number | undefined {
  return out.full || out.columns === undefined ? undefined : usual
}

/** A separate line. On a terminal it is wrapped between words or folders, with the same indent. */
export async function line(text: string, out: Output, role?: Role): Promise<void> {
  const paint = await painter(out)
  const escaped = escapeText(grammatical(text))
  const words = escaped.trimStart()
  const indent = escaped.slice(0, escaped.length - words.length)
  const lines =
    out.columns === undefined || !/[ /]/.test(words)
      ? [escaped]
      : wrapText(words, Math.max(1, out.columns - indent.length)).map((one) => indent + one)
  for (const one of lines) await out.write(`${role === undefined ? one : paint(role, one)}\n`)
}

/** What was not examined, the files as they lie in the target. */
export async function notExaminedLines(faults: readonly NotExamined[], path: string, out: Output): Promise<void> {
  for (const { file = path, message } of faults)
    await line(`not examined: ${[inside(file, path), message].filter(Boolean).join(': ')}`, out, 'bad')
}

/** A line of advice, to be copied. Python is not indented: its prompt takes no spaces before a statement. */
export async function codeLine(text: string, out: Output): Promise<void> {
  const paint = await painter(out)
  for (const one of codeLines(escapeText(text), out.columns)) await out.write(`${paint('field', one)}\n`)
}

/** A command to try in a shell. */
export async function commandLine(command: string, out: Output): Promise<void> {
  const room = out.columns === undefined ? undefined : out.columns - GAP.length
  for (const one of codeLines(escapeText(command), room)) await out.write(`${GAP}${one}\n`)
}

/** Longer lines are wrapped at this width if the real width is unknown. */
const PIPE_COLUMNS = 100

/** A path and facts about it, on one line if they fit. */
export async function title(path: string, facts: string, out: Output): Promise<void> {
  const room = out.columns ?? PIPE_COLUMNS
  if (textWidth(escapeText(`${path}: ${facts}`)) <= room) {
    await heading(`${path}: ${facts}`, out)
    return
  }
  await heading(path, out)
  await line(facts, out)
}

/** An empty line and a heading, before another part of the same subject. */
export async function section(text: string, out: Output): Promise<void> {
  await out.write('\n')
  await heading(text, out)
}

/** A column, and what it shows of a row. */
export interface Shows<T> extends Column {
  cell(row: T, index: number): string
  /** False if the column is left out. */
  shown?: boolean | undefined
}

export interface ListContent {
  columns: readonly Column[]
  rows: readonly (readonly string[])[]
  /** Names of the rows, for lines below the table; by default their first column. */
  names?: readonly string[] | undefined
  limit?: number | undefined
  /** See {@link TableContent.leftOut}. */
  leftOut?: readonly string[] | undefined
}

/** The texts of a table. */
export function listOf<T>(
  all: readonly Shows<T>[],
  rows: readonly T[],
): Pick<ListContent, 'rows'> & { columns: readonly Shows<T>[] } {
  const columns = all.filter(({ shown }) => shown !== false)
  return { columns, rows: rows.map((row, i) => columns.map(({ cell }) => cell(row, i))) }
}

/** A table. If the terminal is too narrow, its last column goes below it, one line per row. @returns whether it went there */
export async function tableOrBelow(
  { columns, rows, names, limit, leftOut }: ListContent,
  out: Output,
): Promise<boolean> {
  const shown = rows.slice(0, limit)
  if (fits(columns, shown, out)) {
    const whole = columns.map((column, c) => (c === 0 ? column : { ...column, whole: true }))
    await table({ columns: whole, rows, limit, leftOut }, out)
    return false
  }
  await table({ columns: columns.slice(0, -1), rows: rows.map((row) => row.slice(0, -1)), limit, leftOut }, out)
  const last = columns.length - 1
  const lines = shown
    .map((row, r): Pair => [names?.[r] ?? row[0], row[last]])
    .filter(([, text]) => text !== '' && text !== NOTHING)
  if (lines.length === 0) return false
  await section(columns[last].name, out)
  await namedLines(lines, out)
  return true
}

/** The first rows of a long list, or all of them as they come if `limit` is undefined. */
export async function longTable(
  content: StreamContent,
  limit: number | undefined,
  total: number,
  out: Output,
): Promise<void> {
  if (limit === undefined) await streamTable(content, out)
  else await table({ ...content, limit, total }, out)
}

/** A column that may be left out for lack of room. Those with the lowest number go first. */
export interface Spare {
  spare?: number
}

/** Leaves out spare columns until the others have room. */
export function withoutSpares<C extends Spare>(
  columns: readonly C[],
  roomy: (kept: readonly C[]) => boolean,
): readonly C[] {
  let kept = columns
  while (!roomy(kept)) {
    const spares = kept.flatMap(({ spare }) => spare ?? [])
    if (spares.length === 0) break
    const next = Math.min(...spares)
    kept = kept.filter(({ spare }) => spare !== next)
  }
  return kept
}

/** Names and texts, on one line each. If a word, such as a digest, does not fit beside the name, it goes below it. */
async function namedLines(pairs: readonly Pair[], out: Output): Promise<void> {
  const names = pairs.map(([name]) => cutMiddle(escapeText(name), LINE_NAME_ROOM))
  const room = (out.columns ?? Number.POSITIVE_INFINITY) - Math.max(...names.map(textWidth)) - GAP.length
  const long = pairs.some(([, text]) => text.split(' ').some((word) => textWidth(escapeText(word)) > room))
  if (!long) {
    await keyValues(
      pairs.map(([, text], i): Pair => [names[i], text]),
      out,
    )
    return
  }
  for (const [name, text] of pairs) {
    await line(name, out, 'field')
    await line(`${GAP}${text}`, out)
  }
}

/** Whether a table fits the terminal if only the first column is cut, and not too much. */
export function fits(columns: readonly Column[], rows: readonly (readonly string[])[], out: Output): boolean {
  if (out.columns === undefined || out.vertical) return true
  const width = (text: string): number => textWidth(escapeText(text))
  const widths = columns.map(({ name }, c) => rows.reduce((most, row) => Math.max(most, width(row[c])), width(name)))
  const borders = 1 + 3 * columns.length
  const least = (one: number, c: number): number => (c > 0 || isWhole(columns[c]) ? one : Math.min(one, NAME_ROOM))
  return borders + widths.reduce((sum, one, c) => sum + least(one, c), 0) <= out.columns
}
