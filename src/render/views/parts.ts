/** Building blocks that several views share. */

import { grammatical } from '../../base/errors.ts'
import { relativePath } from '../../base/paths.ts'
import type { Output } from '../../base/result.ts'
import type { IgnoredNum } from '../../documents/check.ts'
import type { NotExamined } from '../../documents/common.ts'
import { type CodeLine, codeLines } from '../code-lines.ts'
import { painter, type Role } from '../color.ts'
import {
  type Column,
  isNeverCut,
  type Pair,
  type StreamContent,
  streamTable,
  writeHeading,
  writeKeyValues,
  writeTable,
} from '../table.ts'
import { cutItems, cutMiddle, textWidth, wrapText } from '../text-width.ts'
import { escapeText, formatCount } from '../units.ts'
import { NOTHING } from './wording.ts'

/** Number of rows of a long list that a terminal shows by default. */
export const ROWS = 20
/** Number of tiles that a terminal shows by default. */
export const TILES = 10
/** Least width of a cut first column, in terminal columns. */
const NAME_ROOM = 24
/** Most terminal columns of a name at the start of a line. */
const LINE_NAME_ROOM = 40
const GAP = '  '

/** Returns the first items of a list, at most `most`. */
export async function firstItems<T>(items: Iterable<T> | AsyncIterable<T>, most: number): Promise<T[]> {
  const first: T[] = []
  for await (const item of items) {
    first.push(item)
    if (first.length === most) break
  }
  return first
}

/** Returns the number of rows to show: `usual` on a terminal; undefined, for all rows, in a pipe and with `--full`. */
export function limitOf(usual: number, out: Output): number | undefined {
  return out.full || out.columns === undefined ? undefined : usual
}

/** Writes a line. On a terminal it is wrapped between words or folders, and keeps its indent. */
export async function writeLine(text: string, out: Output, role?: Role): Promise<void> {
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

/** Writes how many more items a long list has, if it has more. */
export async function writeMore(more: number, out: Output): Promise<void> {
  if (more > 0) await writeLine(`… ${formatCount(more)} more (--full shows all)`, out, 'dim')
}

/** Writes what was not examined. Paths are relative to the target. A terminal shows one of each code, and counts the others. */
export async function writeNotExamined(faults: readonly NotExamined[], path: string, out: Output): Promise<void> {
  const most = limitOf(1, out) ?? Number.POSITIVE_INFINITY
  const counts = new Map<string, number>()
  for (const { code, file = path, message } of faults) {
    const count = (counts.get(code) ?? 0) + 1
    counts.set(code, count)
    if (count > most) continue
    const place = shortPlace(relativePath(file, path), 'not examined: :'.length, out)
    await writeLine(`not examined: ${[place, message].filter(Boolean).join(': ')}`, out, 'bad')
  }
  for (const [code, count] of counts)
    if (count > most)
      await writeLine(`not examined: ${formatCount(count - most)} more ${code}, --full shows them`, out, 'bad')
}

/** Says what `--ignore` left out, if it was given. */
export async function writeIgnored(ignored: IgnoredNum | undefined, out: Output): Promise<void> {
  if (!ignored) return
  const parts = Object.entries(ignored).map(([name, num]) => `${formatCount(num)} ${name}`)
  await writeLine(`ignored: ${parts.join(', ')}`, out, 'dim')
}

/** Cuts the middle of a long path on a terminal, so that it stays on one line. `--full` shows it whole. @param before columns before it */
export function shortPlace(place: string, before: number, out: Output): string {
  return out.full || out.columns === undefined ? place : cutMiddle(place, Math.max(NAME_ROOM, out.columns - before))
}

/** Writes a line of advice that can be copied. It is not indented, as Python's prompt accepts no spaces before a statement. */
export async function writeCodeLine({ code, note }: CodeLine, out: Output): Promise<void> {
  const paint = await painter(out)
  const escaped = { code: escapeText(code), note: note === undefined ? undefined : escapeText(note) }
  for (const one of codeLines(escaped, out.columns)) await out.write(`${paint('field', one)}\n`)
}

/** Writes a command to try in a shell. */
export async function writeCommandLine(command: string, out: Output): Promise<void> {
  const room = out.columns === undefined ? undefined : out.columns - GAP.length
  for (const one of codeLines({ code: escapeText(command) }, room)) await out.write(`${GAP}${one}\n`)
}

/** Width that a title has room for if the output is a pipe. */
const PIPE_COLUMNS = 100

/** Writes a path and facts about it, on one line if they fit. */
export async function writeTitle(path: string, facts: string, out: Output): Promise<void> {
  const room = out.columns ?? PIPE_COLUMNS
  if (textWidth(escapeText(`${path}: ${facts}`)) <= room) {
    await writeHeading(`${path}: ${facts}`, out)
    return
  }
  await writeHeading(path, out)
  await writeLine(facts, out)
}

/** Writes an empty line and a heading for a part of a view. */
export async function writeSection(text: string, out: Output): Promise<void> {
  await out.write('\n')
  await writeHeading(text, out)
}

/** A column with the function that returns its text for a row. */
export interface Shows<T> extends Column {
  cell(row: T, index: number): string
  /** Whether the column is shown; by default it is. */
  shown?: boolean | undefined
}

export interface ListContent {
  columns: readonly Column[]
  rows: readonly (readonly string[])[]
  /** Names of the rows for lines below the table; by default, the texts of the first column. */
  names?: readonly string[] | undefined
  limit?: number | undefined
  /** See {@link TableContent.leftOut}. */
  leftOut?: readonly string[] | undefined
  /** A last row with sums of rows that are not shown. It has no text in the last column. */
  sums?: readonly string[] | undefined
}

/** Returns the columns that are shown, and their texts for each row. */
export function shownList<T>(
  all: readonly Shows<T>[],
  rows: readonly T[],
): Pick<ListContent, 'rows'> & { columns: readonly Shows<T>[] } {
  const columns = all.filter(({ shown }) => shown !== false)
  return { columns, rows: rows.map((row, i) => columns.map(({ cell }) => cell(row, i))) }
}

/**
 * Writes a table. If the terminal is too narrow, the columns that have no room and may stand below it are written there, with a line for
 * each row: the last one if no column says so.
 * @returns whether lines were written below the table
 */
export async function writeTableOrBelow(content: ListContent, out: Output): Promise<boolean> {
  const { columns, rows, names, limit, leftOut, sums } = content
  const shown = rows.slice(0, limit)
  const kept = columnsBeside(columns, shown, out)
  const part = (row: readonly string[]): string[] => kept.map((c) => row[c])
  const beside = kept.map((c) => columns[c])
  // A last column may be below without any that was chosen; the others are then cut as they always are.
  const isWhole = kept.length === columns.length || columns.some(({ below }) => below)
  const whole = isWhole && fits(beside, shown.map(part), out)
  const drawn = (sums ? [...rows, sums] : rows).map(part)
  await writeTable(
    {
      columns: whole ? beside.map((column, c) => (c === 0 ? column : { ...column, whole: true })) : beside,
      rows: drawn,
      limit,
      leftOut,
    },
    out,
  )
  let hasLines = false
  for (const [c, column] of columns.entries()) {
    if (kept.includes(c)) continue
    const lines = shown.map((row, r): Pair => [names?.[r] ?? row[0], row[c]])
    if (await writeColumnBelow(column, lines, out)) hasLines = true
  }
  return hasLines
}

/** Returns the indexes of the columns of a table that stand beside each other, so that their texts are whole if possible. */
function columnsBeside(columns: readonly Column[], rows: readonly (readonly string[])[], out: Output): number[] {
  const all = columns.map((_, c) => c)
  const hasRoom = (some: readonly number[]): boolean =>
    fits(
      some.map((c) => columns[c]),
      rows.map((row) => some.map((c) => row[c])),
      out,
    )
  if (hasRoom(all)) return all
  if (!columns.some(({ below }) => below)) return all.slice(0, -1)
  let kept = all.filter((c) => !columns[c].below)
  for (const c of all) {
    const more = all.filter((one) => one === c || kept.includes(one))
    if (columns[c].below && hasRoom(more)) kept = more
  }
  return kept
}

/** Most lines of a list of items below a table. */
const ITEM_LINES = 4

/** Writes a column as lines, each with the name of its row. @returns whether there was one to write */
async function writeColumnBelow(column: Column, all: readonly Pair[], out: Output): Promise<boolean> {
  const room = out.full ? Number.POSITIVE_INFINITY : ITEM_LINES * (out.columns ?? Number.POSITIVE_INFINITY)
  const lines = all
    .filter(([, text]) => text !== '' && text !== NOTHING)
    .map(([name, text]): Pair => [name, column.items ? cutItems(text, room) : text])
  if (lines.length === 0) return false
  const [[, same]] = lines
  const isShared = lines.length > 2 && lines.length === all.length && lines.every(([, text]) => text === same)
  await writeSection(column.name, out)
  await writeNamedLines(isShared ? [['all of these', same]] : lines, out)
  return true
}

/** Writes the first rows of a long list. If `limit` is undefined, it writes all rows as they are produced. */
export async function writeLongTable(
  content: StreamContent,
  limit: number | undefined,
  total: number,
  out: Output,
): Promise<void> {
  if (limit === undefined) await streamTable(content, out)
  else await writeTable({ ...content, limit, total }, out)
}

/** A column that may be left out if the terminal is too narrow. */
export interface Spare {
  /** Rank of the column: those with the lowest number are left out first. */
  spare?: number | undefined
}

/** Leaves out spare columns until the others fit. */
export function withoutSpares<C extends Spare>(
  columns: readonly C[],
  hasRoom: (kept: readonly C[]) => boolean,
): readonly C[] {
  let kept = columns
  while (!hasRoom(kept)) {
    const spares = kept.flatMap(({ spare }) => spare ?? [])
    if (spares.length === 0) break
    const next = Math.min(...spares)
    kept = kept.filter(({ spare }) => spare !== next)
  }
  return kept
}

/** Writes names and texts, each on a line. If a word is too long for that, such as a digest, the texts are below the names. */
async function writeNamedLines(pairs: readonly Pair[], out: Output): Promise<void> {
  const cut = pairs.map(([name, text]): Pair => [cutMiddle(escapeText(name), LINE_NAME_ROOM), text])
  const room =
    (out.columns ?? Number.POSITIVE_INFINITY) - Math.max(...cut.map(([name]) => textWidth(name))) - GAP.length
  const isLong = pairs.some(([, text]) => text.split(' ').some((word) => textWidth(escapeText(word)) > room))
  if (!isLong) {
    await writeKeyValues(cut, out)
    return
  }
  for (const [name, text] of pairs) {
    await writeLine(name, out, 'field')
    await writeLine(`${GAP}${text}`, out)
  }
}

/** Whether a table fits the terminal if only its first column is cut, and not below {@link NAME_ROOM}. */
export function fits(columns: readonly Column[], rows: readonly (readonly string[])[], out: Output): boolean {
  if (out.columns === undefined || out.vertical) return true
  const width = (text: string): number => textWidth(escapeText(text))
  const widths = columns.map(({ name }, c) => rows.reduce((most, row) => Math.max(most, width(row[c])), width(name)))
  const borders = 1 + 3 * columns.length
  const least = (one: number, c: number): number => (c > 0 || isNeverCut(columns[c]) ? one : Math.min(one, NAME_ROOM))
  return borders + widths.reduce((sum, one, c) => sum + least(one, c), 0) <= out.columns
}

/** Least number of characters of a shortened name: two underscores and a timestamp. */
const MIN_NAME = 15

/** Returns the length of the shortest prefixes that are different for all names. */
export function prefixLength(names: readonly string[]): number {
  const sorted = names.toSorted()
  let most = MIN_NAME
  for (let i = 1; i < sorted.length; i++) {
    let same = 0
    while (same < sorted[i].length && sorted[i][same] === sorted[i - 1][same]) same++
    most = Math.max(most, same + 1)
  }
  return most
}
