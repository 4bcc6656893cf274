import { type Output, Pages, type Result } from '../base/result.ts'
import { ColumnRows } from '../cells/column-rows.ts'
import type { ColumnLines } from './column-lines.ts'
import { type JsonNotes, type JsonStyle, JsonText, writeValue } from './json.ts'
import { eachRow, type Rows, TextBuffer } from './text-buffer.ts'

/**
 * Writes each row as one line of JSON, as the rows are produced. A row may contain iterables. If a row throws, the rows before it
 * are written.
 * @param flushRows whether to write each line at once, not in larger pieces
 * @returns notes, and what the rows return
 */
export async function writeNdjson<End>(
  rows: Rows<Result, End>,
  out: Output,
  { int64, flushRows = false }: Pick<JsonStyle, 'int64'> & { flushRows?: boolean | undefined },
): Promise<JsonNotes & { end: End | undefined }> {
  const buffer = new TextBuffer(out)
  const text = new JsonText(buffer, { int64, indent: false })
  const endLine = (): Promise<void> | void => {
    buffer.add('\n')
    if (buffer.full || flushRows) return buffer.flush()
  }
  const write = (row: Result): Promise<void> | void => {
    const { length, written } = buffer
    const giveUp = (error: unknown): never => {
      // A row that is partly written ends its line, so that the error after it starts a new one.
      if (buffer.written > written) buffer.add('\n')
      else buffer.cutTo(length)
      throw error
    }
    const wait = writeValue(row, buffer, text)
    return wait ? wait.then(endLine, giveUp) : endLine()
  }
  let columns: ColumnLines | undefined
  let end: End | undefined
  try {
    if (rows instanceof Pages) {
      for await (const page of rows.pages()) {
        if (page instanceof ColumnRows) {
          columns ??= new (await import('./column-lines.ts')).ColumnLines(buffer, int64)
          await columns.rows(page)
        } else await eachRow(page as Iterable<Result>, write)
      }
    } else end = await eachRow(rows, write)
  } finally {
    // The rows before an error are written.
    await buffer.flush()
  }
  return { rounded: text.rounded || columns?.rounded === true, end }
}
