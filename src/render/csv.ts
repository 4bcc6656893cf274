import { InspectError, usage } from '../base/errors.ts'
import { isFields, type Output, type Result } from '../base/result.ts'
import { escapedCharacter, UNSAFE } from '../base/unsafe-text.ts'
import { encodeText } from '../format/text.ts'
import { base64Text, isMarked, type JsonStyle, NotAtOnce, toJson } from './json.ts'
import { eachRow, type Rows, TextBuffer } from './text-buffer.ts'

interface CsvRow {
  readonly [key: string]: Result | undefined
}

export interface CsvStyle {
  /** Style of 64-bit integers inside lists. */
  int64?: JsonStyle['int64']
  /** By default, the keys of the first row; then without rows there is no header. */
  columns?: readonly string[] | undefined
  /** Columns of the rows written before. These rows continue below them without another header. */
  below?: readonly string[] | undefined
  /** Separates fields with tabs, as TSV, not with commas. */
  tabs?: boolean | undefined
  /** Whether the output is a terminal. Control characters are then escaped as in tables. */
  terminal?: boolean | undefined
}

/** The line end of RFC 4180; for TSV a line feed, as programs that split its lines expect no carriage return. */
export function lineEnd({ tabs }: CsvStyle): string {
  return tabs ? '\n' : '\r\n'
}

export function separator({ tabs }: CsvStyle): string {
  return tabs ? '\t' : ','
}

/** A line with a single null. Readers would skip an empty line. */
export const NULL_LINE = '""'

/**
 * Writes rows as RFC 4180 text with a header line, as they are made. Null is an empty field, and empty text is `""`. Bytes
 * are base64 after `base64:`. Lists and objects are compact JSON. Text that a spreadsheet could take for a formula is quoted.
 * Rows are objects with the same keys; any other value becomes a column `value`. The rows before one with a fault are written.
 *
 * @returns the columns; undefined if neither the rows nor the style give any
 * @throws InspectError USAGE if a row has a key that is not a column, or the columns differ from those of earlier rows
 * @see https://www.rfc-editor.org/rfc/rfc4180
 */
export async function writeCsv(
  rows: Rows<Result>,
  out: Output,
  style: CsvStyle = {},
): Promise<readonly string[] | undefined> {
  const buffer = new TextBuffer(out)
  let { columns } = style
  const writeLine = (fields: readonly string[]): void => {
    buffer.add((fields.length === 1 && fields[0] === '' ? NULL_LINE : fields.join(separator(style))) + lineEnd(style))
  }
  const writeHeader = (names: readonly string[]): void => {
    if (!style.below) buffer.add(csvHeader(names, style))
    else if (JSON.stringify(names) !== JSON.stringify(style.below)) {
      throw usage(
        'expected targets with the same columns, found other columns: give one target at a time, or --format ndjson',
      )
    }
  }
  if (columns !== undefined) writeHeader(columns)
  try {
    await eachRow(rows, (result) => {
      const row: CsvRow = isFields(result) ? result : { value: result }
      if (columns === undefined) {
        columns = Object.keys(row)
        writeHeader(columns)
      }
      checkKeys(row, columns)
      writeLine(columns.map((name) => csvField(row[name], style)))
      if (buffer.full) return buffer.flush()
    })
  } catch (error) {
    // Rows that do not fit into columns are the wrong thing to ask for, damaged ones are not.
    if (!(error instanceof InspectError && error.code === 'USAGE')) await buffer.flush()
    throw error
  }
  await buffer.flush()
  return columns ?? style.below
}

function checkKeys(row: CsvRow, columns: readonly string[]): void {
  let i = 0
  for (const key in row) {
    // Rows nearly always have their keys in the order of the columns.
    if (columns[i] !== key && row[key] !== undefined && !columns.includes(key)) {
      const name = JSON.stringify(key)
      throw usage(`expected rows with the same keys for csv, found ${name} in some only: ndjson holds them`)
    }
    i++
  }
}

/** The header line. */
export function csvHeader(names: readonly string[], style: CsvStyle): string {
  return names.map((name) => textField(name, style)).join(separator(style)) + lineEnd(style)
}

/** The text of one value. */
export function csvField(value: Result | undefined, style: CsvStyle): string {
  if (value === null || value === undefined) return ''
  switch (typeof value) {
    case 'string':
      return textField(value, style)
    case 'number':
      return Object.is(value, -0) ? '-0.0' : String(value)
    case 'bigint':
    case 'boolean':
      return String(value)
  }
  if (value instanceof Uint8Array) return base64Text(value)
  try {
    return quoted(toJson(value, { int64: style.int64 ?? 'number', indent: false }), style)
  } catch (error) {
    if (!(error instanceof NotAtOnce)) throw error
    throw usage('expected rows for csv, found a tree: json and ndjson hold it')
  }
}

/**
 * Text that looks like marked bytes is marked itself, and so is a name that is not UTF-8. So text and bytes cannot be
 * confused.
 */
function textField(text: string, style: CsvStyle): string {
  if (isMarked(text)) return base64Text(encodeText(text))
  return quoted(style.terminal ? text.replace(UNSAFE, escapedOrLine) : text, style)
}

/** A field with several lines stays in one piece on a terminal, too. */
function escapedOrLine(character: string): string {
  return character === '\n' || character === '\t' ? character : escapedCharacter(character)
}

/**
 * Characters that make a spreadsheet take text for a formula. Quotes say that it is text; numbers have none. In some languages
 * the wide forms count as well.
 */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/
const SPECIAL = /[",\r\n]/
const SPECIAL_IN_TSV = /["\t\r\n]/

function quoted(text: string, { tabs }: CsvStyle): string {
  const plain = text !== '' && !FORMULA.test(text) && !(tabs ? SPECIAL_IN_TSV : SPECIAL).test(text)
  return plain ? text : `"${text.replaceAll('"', '""')}"`
}
