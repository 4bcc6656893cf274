import { InspectError, usage } from '../base/errors.ts'
import { numberText } from '../base/number-text.ts'
import { isFields, type Output, type Result } from '../base/result.ts'
import { escapedCharacter, UNSAFE } from '../base/unsafe-text.ts'
import { encodeText } from '../format/text.ts'
import { AsyncValueError, base64Text, type JsonStyle, needsBase64, toJson } from './json.ts'
import { eachRow, type Rows, TextBuffer } from './text-buffer.ts'

interface CsvRow {
  readonly [key: string]: Result | undefined
}

/** How rows are written in any format of text that has columns. */
export interface RowStyle {
  /** Style of 64-bit integers inside lists. */
  int64?: JsonStyle['int64']
  /** Names of the columns. Default: the keys of the first row, and no header if there is none. */
  columns?: readonly string[] | undefined
  /** Columns of the rows that the output already has. New rows must have the same columns, and get no second header. */
  earlierColumns?: readonly string[] | undefined
  /** Whether the output is a terminal. Control characters are then escaped as in tables. */
  terminal?: boolean | undefined
  /** Whether each line is written at once. */
  flushRows?: boolean | undefined
}

export interface CsvStyle extends RowStyle {
  /** In TSV tabs separate fields, in CSV commas. Default: `csv`. Errors name the format. */
  format?: 'csv' | 'tsv'
}

/** Returns the line end of RFC 4180; for TSV a line feed, as programs that split its lines expect no carriage return. */
export function lineEnd({ format }: CsvStyle): string {
  return format === 'tsv' ? '\n' : '\r\n'
}

export function separator({ format }: CsvStyle): string {
  return format === 'tsv' ? '\t' : ','
}

/** Text of a line whose only field is null. Readers would skip an empty line. */
export const NULL_LINE = '""'

/**
 * Writes rows as RFC 4180 text with a header line, as the rows are produced. Null is an empty field, and empty text is `""`. Bytes
 * are written as `base64:…`, lists and objects as compact JSON. Text that a spreadsheet could take for a formula is quoted. Rows are
 * objects with the same keys; any other value becomes a column `value`. If a row throws, the rows before it are written.
 *
 * @returns the columns, undefined if neither the rows nor the style give any; and what the rows return
 * @throws InspectError USAGE if a row has a key that is not a column, or the columns differ from those of earlier rows
 * @see https://www.rfc-editor.org/rfc/rfc4180
 */
export async function writeCsv<End>(
  rows: Rows<Result, End>,
  out: Output,
  style: CsvStyle = {},
): Promise<{ columns: readonly string[] | undefined; end: End | undefined }> {
  const buffer = new TextBuffer(out)
  let { columns } = style
  const writeLine = (fields: readonly string[]): void => {
    buffer.add((fields.length === 1 && fields[0] === '' ? NULL_LINE : fields.join(separator(style))) + lineEnd(style))
  }
  const writeHeader = (names: readonly string[]): void => {
    if (!style.earlierColumns) buffer.add(csvHeader(names, style))
    else if (JSON.stringify(names) !== JSON.stringify(style.earlierColumns)) {
      throw usage({
        expected: 'targets with the same columns',
        found: 'other columns: give one target at a time, or --format ndjson',
      })
    }
  }
  if (columns !== undefined) writeHeader(columns)
  let end: End | undefined
  try {
    end = await eachRow(rows, (result) => {
      const row: CsvRow = isFields(result) ? result : { value: result }
      if (columns === undefined) {
        columns = Object.keys(row)
        writeHeader(columns)
      }
      checkKeys(row, columns, style)
      writeLine(columns.map((name) => csvField(row[name], style)))
      if (buffer.full || style.flushRows) return buffer.flush()
    })
  } catch (error) {
    // After a usage error the buffered rows are not written either.
    if (!(error instanceof InspectError && error.code === 'USAGE')) await buffer.flush()
    throw error
  }
  await buffer.flush()
  return { columns: columns ?? style.earlierColumns, end }
}

function checkKeys(row: CsvRow, columns: readonly string[], { format = 'csv' }: CsvStyle): void {
  let i = 0
  for (const key in row) {
    // The keys nearly always have the order of the columns.
    if (columns[i] !== key && row[key] !== undefined && !columns.includes(key)) {
      const name = JSON.stringify(key)
      throw usage({ expected: `rows with the same keys for ${format}`, found: `${name} only in some: use ndjson` })
    }
    i++
  }
}

/** Returns the header line. */
export function csvHeader(names: readonly string[], style: CsvStyle): string {
  return names.map((name) => textField(name, style)).join(separator(style)) + lineEnd(style)
}

/** Returns the text of a value. */
export function csvField(value: Result | undefined, style: CsvStyle): string {
  if (value === null || value === undefined) return ''
  switch (typeof value) {
    case 'string':
      return textField(value, style)
    case 'number':
      return numberText(value)
    case 'bigint':
    case 'boolean':
      return String(value)
  }
  if (value instanceof Uint8Array) return base64Text(value)
  try {
    return quoted(toJson(value, { int64: style.int64 ?? 'number', indent: false }), style)
  } catch (error) {
    if (!(error instanceof AsyncValueError)) throw error
    throw usage({ expected: `rows for ${style.format ?? 'csv'}`, found: 'a tree: use json or ndjson' })
  }
}

/** Returns the field of a text. Text that could be confused with bytes is written as bytes: see {@link needsBase64}. */
function textField(text: string, style: CsvStyle): string {
  if (needsBase64(text)) return base64Text(encodeText(text))
  return quoted(style.terminal ? text.replace(UNSAFE, escapedOrLine) : text, style)
}

/** Escapes a character. Line feeds and tabs are kept, so that a field is the same text on a terminal. */
function escapedOrLine(character: string): string {
  return character === '\n' || character === '\t' ? character : escapedCharacter(character)
}

/**
 * First characters of text that a spreadsheet takes for a formula. Some languages also have wide forms of them. Quotes show that it
 * is text, because numbers have none.
 */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/
const SPECIAL = /[",\r\n]/
const SPECIAL_IN_TSV = /["\t\r\n]/

function quoted(text: string, { format }: CsvStyle): string {
  const plain = text !== '' && !FORMULA.test(text) && !(format === 'tsv' ? SPECIAL_IN_TSV : SPECIAL).test(text)
  return plain ? text : `"${text.replaceAll('"', '""')}"`
}
