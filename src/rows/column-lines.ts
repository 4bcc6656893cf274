import type { Result } from '../base/result.ts'
import type { ColumnData, ColumnType } from '../cells/column.ts'
import { type ColumnRows, ValueColumn } from '../cells/column-rows.ts'
import { encodeText } from '../format/text.ts'
import { CellLines, type LineTexts, type ShownColumn } from './cell-lines.ts'
import { type JsonStyle, jsonKey, toJson } from './json.ts'
import type { TextBuffer } from './text-buffer.ts'

/** Data and type of a column whose values are not stored cells. */
const NO_CELLS: ColumnData = { data: new Uint8Array(0), starts: undefined, validity: undefined }
const NO_CELL_TYPE: ColumnType = { name: '', kind: 'attribute', type: 'ANY', cell_val_num: 'var', nullable: false }

/** The parts of a row in JSON. */
interface RowParts {
  columns: ValueColumn<unknown>[]
  /** Text before the value of each column. */
  texts: string[]
  /** Text after the last value. */
  end: string
}

/**
 * Writes values in columns as JSON without spaces. The text is the same as from an object for each row, but this is faster. The
 * {@link CellLines} of one kind of row are used again for the next rows of that kind.
 */
export class ColumnLines {
  private readonly lines: TextBuffer
  private readonly int64: JsonStyle['int64']
  private readonly kinds = new Map<
    string,
    { cells: CellLines; show: (columns: readonly ValueColumn<unknown>[]) => void }
  >()

  constructor(lines: TextBuffer, int64: JsonStyle['int64']) {
    this.lines = lines
    this.int64 = int64
  }

  /** As in JsonNotes (json.ts). */
  get rounded(): boolean {
    return [...this.kinds.values()].some(({ cells }) => cells.rounded)
  }

  /** Adds each row as a line. If a value throws, the rows before it are added. */
  async rows({ shape, length, rows }: ColumnRows<unknown>): Promise<void> {
    const { columns, texts, end } = partsOf(shape, this.int64)
    await this.write(columns, texts, `${end}\n`, { rows, from: 0, to: rows?.length ?? length })
  }

  /** Adds the values of a list from `from` on. @param before text before each value */
  list(values: ValueColumn<unknown>, from: number, before: string): Promise<void> {
    return this.write([values], [before], '', { rows: undefined, from, to: values.length })
  }

  private async write(
    columns: readonly ValueColumn<unknown>[],
    texts: readonly string[],
    end: string,
    { rows, from, to }: { rows: Uint32Array | undefined; from: number; to: number },
  ): Promise<void> {
    const types = columns.map(({ stored }) => (stored ? `${stored.column.type} ${stored.column.cell_val_num}` : ''))
    const key = [...types, ...texts, end].join('\n')
    let kind = this.kinds.get(key)
    if (!kind) {
      kind = this.kind(columns, texts, end)
      this.kinds.set(key, kind)
    }
    kind.show(columns)
    const cell_num = columns[0]?.length ?? to
    const batch = { tile: 0, cell_num, rows, columns: columns.map(({ stored }) => stored?.data ?? NO_CELLS) }
    try {
      await kind.cells.write(batch, from, to)
    } finally {
      kind.cells.end()
    }
  }

  /** Creates the writer of rows with columns of these types. */
  private kind(columns: readonly ValueColumn<unknown>[], texts: readonly string[], end: string) {
    let shown = columns
    const first = texts.map(encodeText)
    const lineTexts: LineTexts = { first, later: first, end: encodeText(end) }
    const raw = columns.some(({ stored }) => stored?.raw)
    const cells = new CellLines(
      columns.map(
        ({ stored }, c): ShownColumn => ({
          column: stored?.column ?? NO_CELL_TYPE,
          value: (_, cell) => shown[c].at(cell) as Result,
          made: !stored,
        }),
      ),
      this.lines,
      { format: 'ndjson', int64: this.int64, raw },
      { texts: lineTexts },
    )
    return {
      cells,
      show(columns: readonly ValueColumn<unknown>[]) {
        shown = columns
      },
    }
  }
}

/** Splits the text of a row where the values of its columns belong. */
function partsOf(shape: unknown, int64: JsonStyle['int64']): RowParts {
  const columns: ValueColumn<unknown>[] = []
  const texts: string[] = []
  let text = ''
  const walk = (part: unknown): void => {
    if (part instanceof ValueColumn) {
      columns.push(part)
      texts.push(text)
      text = ''
    } else if (Array.isArray(part)) {
      text += '['
      for (const [i, element] of part.entries()) {
        if (i > 0) text += ','
        walk(element)
      }
      text += ']'
    } else if (typeof part === 'object' && part !== null && !(part instanceof Uint8Array)) {
      let mark = '{'
      for (const [key, value] of Object.entries(part)) {
        if (value === undefined) continue
        text += `${mark}${jsonKey(key)}:`
        mark = ','
        walk(value)
      }
      text += mark === '{' ? '{}' : '}'
    } else text += toJson(part as Result, { int64, indent: false })
  }
  walk(shape)
  return { columns, texts, end: text }
}
