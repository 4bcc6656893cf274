import { InspectError } from '../errors.ts'
import { type JsonStyle, NotAtOnce, toJson } from './json.ts'
import { isFields, type Output, type Result } from './result.ts'
import { eachRow, type Rows, TextBuffer } from './text-buffer.ts'

export interface CsvRow {
  readonly [key: string]: Result | undefined
}

export interface CsvStyle {
  /** Of 64-bit integers inside lists. */
  int64?: JsonStyle['int64']
  /** Without it, the keys of the first row: then no row gives no header. */
  columns?: readonly string[] | undefined
  /** Columns of rows written before: these go on below them, without another header. */
  below?: readonly string[] | undefined
}

export const LINE_END = '\r\n'
/** A line of nothing would be skipped by readers. */
export const LONE_NULL = '""'

/**
 * Writes rows as RFC 4180 text with a header line, while rows are made. Null is an empty field, empty text is `""`; bytes
 * are base64, lists and objects compact JSON. Rows are objects with the same keys; anything else is a column `value`.
 *
 * @returns the columns; undefined where there was nothing to tell them from
 * @throws InspectError USAGE if a row has a key that is no column, or the columns are not those of the rows before
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
    buffer.add((fields.length === 1 && fields[0] === '' ? LONE_NULL : fields.join(',')) + LINE_END)
  }
  const writeHeader = (names: readonly string[]): void => {
    if (!style.below) buffer.add(csvHeader(names))
    else if (names.join() !== style.below.join()) {
      throw new InspectError(
        'USAGE',
        `expected targets with the same columns for csv, found ${names.join(', ')} behind ${style.below.join(', ')}: ndjson holds them`,
      )
    }
  }
  if (columns !== undefined) writeHeader(columns)
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
  await buffer.flush()
  return columns ?? style.below
}

function checkKeys(row: CsvRow, columns: readonly string[]): void {
  let i = 0
  for (const key in row) {
    // rows nearly always have their keys in the columns' order
    if (columns[i] !== key && row[key] !== undefined && !columns.includes(key)) {
      const name = JSON.stringify(key)
      throw new InspectError(
        'USAGE',
        `expected rows with the same keys for csv, found ${name} in some only: ndjson holds them`,
      )
    }
    i++
  }
}

/** The line of the columns' names. */
export function csvHeader(names: readonly string[]): string {
  return names.map(quoted).join(',') + LINE_END
}

/** The text of one value. */
export function csvField(value: Result | undefined, style: CsvStyle): string {
  if (value === null || value === undefined) return ''
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'number':
      return Object.is(value, -0) ? '-0.0' : String(value)
    case 'bigint':
    case 'boolean':
      return String(value)
  }
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')
  try {
    return quoted(toJson(value, { int64: style.int64 ?? 'number', indent: false }))
  } catch (error) {
    if (!(error instanceof NotAtOnce)) throw error
    throw new InspectError('USAGE', 'expected rows for csv, found a tree: json and ndjson hold it')
  }
}

function quoted(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
