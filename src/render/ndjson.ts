import type { Output, Result } from '../base/result.ts'
import { type JsonNotes, type JsonStyle, JsonText, writeValue } from './json.ts'
import { eachRow, type Rows, TextBuffer } from './text-buffer.ts'

/**
 * Writes each row as one line of JSON, as rows are made. A row may itself contain iterables.
 * @param flushRows whether to write each line at once, not in larger pieces
 */
export async function writeNdjson(
  rows: Rows<Result>,
  out: Output,
  { int64, flushRows = false }: Pick<JsonStyle, 'int64'> & { flushRows?: boolean | undefined },
): Promise<JsonNotes> {
  const buffer = new TextBuffer(out)
  const text = new JsonText(buffer, { int64, indent: false })
  const endLine = (): Promise<void> | void => {
    buffer.add('\n')
    if (buffer.full || flushRows) return buffer.flush()
  }
  await eachRow(rows, (row) => {
    const wait = writeValue(row, buffer, text)
    return wait ? wait.then(endLine) : endLine()
  })
  await buffer.flush()
  return { rounded: text.rounded }
}
