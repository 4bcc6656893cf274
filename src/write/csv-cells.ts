import { badValue } from '../base/errors.ts'
import { type Json, type JsonObject, parseJson } from '../base/json-text.ts'
import { type Datatype, datatypeKind } from '../format/datatype.ts'
import { type RowInput, refuseTwice, tooLong } from './ndjson-cells.ts'

/** One field of a line. Quotes distinguish empty text from no value. */
interface CsvText {
  text: string
  quoted: boolean
}

/** Bytes in base64, as `--format csv` marks them. */
const MARKED = /^base64:([A-Za-z0-9+/]*={0,2})$/

/**
 * Rows of CSV with a header, as `--format csv` prints it. An empty field without quotes has no value.
 * @param pieces text in pieces of any length
 * @param separator a tab for TSV
 */
export function csvRows(pieces: AsyncIterable<string> | Iterable<string>, separator: ',' | '\t'): RowInput['each'] {
  return async (take, known) => {
    let columns: readonly CsvColumn[] | undefined
    for await (const { fields, line } of csvLines(pieces, separator)) {
      if (columns === undefined) {
        columns = fields.map(({ text: name }) => ({ name, type: known.of(name).type }))
        refuseTwice(columns)
      } else {
        const header = columns
        take(`line ${line}`, () => rowOf(header, fields))
      }
    }
  }
}

/** Limit on the characters of a field. Without it, a file without separators would fill the memory. */
const LONGEST_FIELD = 2 ** 26

interface CsvColumn {
  name: string
  type: Datatype
}

function rowOf(columns: readonly CsvColumn[], fields: readonly CsvText[]): JsonObject {
  if (fields.length !== columns.length)
    throw badValue({ expected: `${columns.length} fields, as in the header`, found: fields.length })
  return Object.fromEntries(
    fields.map(({ text, quoted }, i): [string, Json] => {
      const { name, type } = columns[i]
      if (text === '' && !quoted) return [name, null]
      const base64 = MARKED.exec(text)?.[1]
      return [name, base64 === undefined ? jsonOf(type, text) : { base64 }]
    }),
  )
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/

/** The JSON value of a field: a number, a list, true or false, or the text itself. */
function jsonOf(type: Datatype, text: string): Json {
  const kind = datatypeKind(type)
  if (kind === 'text' || kind === 'bytes') return text
  if (text.startsWith('[')) return parseJson(text)
  if (kind === 'bool' && (text === 'true' || text === 'false')) return text === 'true'
  return kind !== 'datetime' && NUMBER.test(text) ? parseJson(text) : text
}

/**
 * Yields the fields of each line that is not empty, and the number of the line. A line ends with LF, CR LF or CR.
 * @throws InspectError BAD_VALUE for quotes around a part of a field: what they mean is not known
 * @see RFC 4180
 */
async function* csvLines(
  pieces: AsyncIterable<string> | Iterable<string>,
  separator: string,
): AsyncGenerator<{ fields: CsvText[]; line: number }> {
  let fields: CsvText[] = []
  let text = ''
  let quoted = false
  let inside = false
  /** Whether a quote inside quotes came just before: it ends the text, or is the first of two. */
  let afterQuote = false
  let afterReturn = false
  let number = 1
  let line = 1
  const endField = (): void => {
    fields.push({ text, quoted })
    text = ''
    quoted = false
    afterQuote = false
  }
  for await (const piece of pieces) {
    if (text.length > LONGEST_FIELD) throw tooLong(line, LONGEST_FIELD, 'a field')
    // Reading a character makes one string of the many that were joined, which otherwise stay in memory.
    text.charCodeAt(0)
    for (const character of piece) {
      const endsLine = character === '\r' || (character === '\n' && !afterReturn)
      if (endsLine) number++
      if (inside && character !== '"') text += character
      else if (inside) {
        inside = false
        afterQuote = true
      } else if (character === '"') {
        if (afterQuote) text += '"'
        else if (text !== '')
          throw badValue(`line ${line}: expected quotes around a whole field, found one after ${JSON.stringify(text)}`)
        quoted = true
        inside = true
        afterQuote = false
      } else if (character === separator) endField()
      else if (endsLine) {
        const empty = fields.length === 0 && text === '' && !quoted
        if (!empty) {
          endField()
          yield { fields, line }
        }
        fields = []
        line = number
      } else if (afterQuote)
        throw badValue(
          `line ${line}: expected the end of the field after its quotes, found ${JSON.stringify(character)}`,
        )
      else if (character !== '\n' && (character !== '\ufeff' || number > 1)) text += character
      afterReturn = character === '\r'
    }
  }
  if (inside) throw badValue(`line ${line}: expected a quote that ends the text, found the end of the file`)
  if (fields.length > 0 || text !== '' || quoted) {
    endField()
    yield { fields, line }
  }
}
