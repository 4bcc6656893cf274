import type { InspectError } from '../base/errors.ts'
import { CountedBytes, type Memory } from '../base/memory.ts'
import { extensionOf } from '../base/paths.ts'
import { isFields, type Output, Pages, type Result } from '../base/result.ts'
import { VERSION } from '../base/version.ts'
import { mapRows } from '../base/walk.ts'
import type { CommandModule, SpecialResult } from '../calls/command.ts'
import type {
  BytesOutcome,
  CellsOutcome,
  DocumentOutcome,
  ErrorOutcome,
  FindingsOutcome,
  Outcome,
  RowOrigin,
  RowsOutcome,
  StreamOutcome,
} from '../calls/outcome.ts'
import { ColumnRows } from '../cells/column-rows.ts'
import type { CellsTail } from '../documents/cells.ts'
import type { List } from '../documents/common.ts'
import { zstdInWasm } from '../node/node-codecs.ts'
import type { Reporter } from '../render/reports/reporter.ts'
import type { RowStyle } from '../rows/csv.ts'
import { type JsonNotes, type JsonParts, type JsonStyle, writeJson } from '../rows/json.ts'
import type { RecordFormat } from '../rows/records.ts'
import type { TableRows } from '../rows/table-records.ts'
import { eachRow, type Rows } from '../rows/text-buffer.ts'

/** What a format needs besides the outcome that it writes. */
export interface OutputContext {
  out: Output
  int64: JsonStyle['int64']
  /** What `--output` names; undefined for stdout. */
  file: string | undefined
  /** Whether this is the first outcome of the call. */
  first: boolean
  /** Whether rows must say which target they belong to. */
  several: boolean
  /** What a format keeps from one outcome of the call to the next. */
  kept: KeptByFormats
  memory: Memory
  /** The value of a document's last key, if an error ends the document early. */
  ending(error: InspectError): Result
}

/** What formats keep from one outcome of a call to the next. */
export interface KeptByFormats {
  /** The columns of the last header that a format of text wrote. */
  columns?: readonly string[] | undefined
  /** The rows of a format that needs all of them before it writes the first. */
  rows?: TableRows
}

/** An outcome that the formats of documents can write. */
export type ShownOutcome = Exclude<Outcome, BytesOutcome | ErrorOutcome>

/** What is known after an outcome is written. */
interface Written extends Partial<JsonNotes> {
  /** Whether cells were left out that the output does not show. */
  incomplete?: boolean
}

interface DocumentFormat {
  /** Extensions of `--output` that choose the format. */
  extensions: readonly string[]
  /** Whether the format is one of the JSON formats: an error is then a document, in place of the missing one. */
  isJson?: true
  /** Writes an outcome. */
  write(outcome: ShownOutcome, writing: OutputContext): Promise<Written>
  /** Writes the rows that were kept, after the last outcome. */
  end?(rows: TableRows, out: Output): Promise<void>
}

/** A format whose output is one report about all targets of a call, including their errors. */
interface ReportFormat {
  extensions: readonly string[]
  isJson?: undefined
  /** Begins a report. @param folder the folder that paths in the report are relative to */
  reporter(out: Output, folder: string): Promise<Reporter>
}

/** Formats that every command can write. Another one of text with columns gives its writer to {@link writeRows}. */
const COMMON_FORMATS = {
  table: {
    extensions: ['', 'txt'],
    async write(outcome, { out, first }) {
      if (!first) await out.write('\n')
      if (outcome.kind === 'cells') return afterCells(outcome, await outcome.table(out))
      await outcome.table?.(out)
      return {}
    },
  },
  json: { extensions: ['json'], isJson: true, write: (outcome, writing) => writeWhole(outcome, writing, true) },
  ndjson: {
    extensions: ['ndjson', 'jsonl'],
    isJson: true,
    async write(outcome, writing) {
      if (outcome.kind === 'document') return writeWhole(outcome, writing, false)
      const written = outcome.kind === 'cells' ? await writeCells(outcome, writing, 'ndjson') : undefined
      if (written) return written
      const { out, int64, several } = writing
      const { writeNdjson } = await import('../rows/ndjson.ts')
      switch (outcome.kind) {
        case 'cells': {
          const { end, ...notes } = await writeNdjson(rowsIn(outcome, outcome.walk(), several), out, { int64 })
          return { ...notes, ...afterCells(outcome, end) }
        }
        case 'findings':
          return writeNdjson(withSummary(outcome), out, { int64, flushRows: true })
        case 'stream': {
          const rows = outcome.endsWithSummary ? withSummary(outcome) : rowsIn(outcome, outcome.walk(), several)
          return writeNdjson(rows, out, { int64, flushRows: outcome.flushRows })
        }
        case 'rows':
          return writeNdjson(listedRows(outcome, several), out, { int64 })
      }
    },
  },
  csv: { extensions: ['csv'], write: (outcome, writing) => writeSeparated(outcome, writing, 'csv') },
  tsv: { extensions: ['tsv'], write: (outcome, writing) => writeSeparated(outcome, writing, 'tsv') },
  parquet: {
    extensions: ['parquet'],
    async write(outcome, writing) {
      if (outcome.kind !== 'cells') return keepRows(outcome, writing)
      return afterCells(outcome, await outcome.records(writing.out, await parquet()))
    },
    async end(rows, out) {
      await rows.write(out, await parquet())
    },
  },
} satisfies Record<string, DocumentFormat>

/** Formats of cells. */
const CELL_FORMATS = {
  arrow: {
    // `.arrow` and `.feather`, which pandas uses, are IPC files. `.arrows` is an IPC stream.
    extensions: ['arrow', 'feather', 'arrows'],
    async write(outcome, { out, file }) {
      if (outcome.kind !== 'cells') return {}
      const { arrowFormat } = await import('../rows/arrow.ts')
      const isFile = file !== undefined && extensionOf(file) !== 'arrows'
      return afterCells(outcome, await outcome.records(out, arrowFormat(isFile)))
    },
  },
} satisfies Record<string, DocumentFormat>

/** Formats of findings. */
const REPORT_FORMATS = {
  sarif: {
    extensions: ['sarif'],
    reporter: async (out, folder) => (await import('../render/reports/sarif.ts')).sarifReporter(out, folder, VERSION),
  },
  junit: {
    extensions: ['xml'],
    reporter: async (out) => (await import('../render/reports/junit.ts')).junitReporter(out),
  },
  github: {
    extensions: [],
    reporter: async (out, folder) => (await import('../render/reports/github.ts')).githubReporter(out, folder),
  },
} satisfies Record<string, ReportFormat>

const SPECIAL_FORMATS: Readonly<Record<SpecialResult, object>> = { cells: CELL_FORMATS, findings: REPORT_FORMATS }

export type Format = keyof typeof COMMON_FORMATS | keyof typeof CELL_FORMATS | keyof typeof REPORT_FORMATS

/** Every format of `--format`. */
export const FORMATS: Readonly<Record<Format, DocumentFormat | ReportFormat>> = {
  ...COMMON_FORMATS,
  ...CELL_FORMATS,
  ...REPORT_FORMATS,
}

/** Names of the formats that a command can write. Without a command: the names of all formats. */
export function formatNames(module?: Pick<CommandModule<never>, 'gives'>): readonly Format[] {
  const special = module?.gives && SPECIAL_FORMATS[module.gives]
  return Object.keys(module ? { ...COMMON_FORMATS, ...special } : FORMATS) as Format[]
}

/** Writes a document as JSON. @param indent whether it takes many lines; otherwise it takes one */
function writeWhole(outcome: ShownOutcome, { out, int64, ending }: OutputContext, indent: boolean): Promise<JsonNotes> {
  const columnLines: JsonParts['columnLines'] = async (lines, int64) => {
    const { ColumnLines } = await import('../rows/column-lines.ts')
    return new ColumnLines(lines, int64)
  }
  return writeJson(wholeDocument(outcome), out, { int64, indent }, { ending, columnLines })
}

/** The document of an outcome. The generator of rows returns the last keys. */
function wholeDocument(outcome: ShownOutcome): object {
  if ('document' in outcome) return outcome.document
  return { ...outcome.head, [outcome.list]: outcome.walk() }
}

/**
 * Writes cells without making an object for each row.
 * @returns undefined if the outcome cannot do that, or if rows must name their target
 */
async function writeCells(
  outcome: CellsOutcome,
  { out, int64, several }: OutputContext,
  format: 'ndjson' | 'csv' | 'tsv',
): Promise<Written | undefined> {
  if (several || !outcome.cellLines) return undefined
  const { tail, ...notes } = await outcome.cellLines(out, { format, int64, terminal: out.columns !== undefined })
  return { ...notes, ...afterCells(outcome, tail) }
}

/** What is known after cells are written. @param tail the last keys of the document, if all cells were read */
function afterCells({ keepGoing }: CellsOutcome, tail: CellsTail | undefined): Written {
  return { incomplete: !keepGoing && tail?.errors !== undefined }
}

/** The rows, and then the rest of the document. */
async function* withSummary({ head, walk }: FindingsOutcome | StreamOutcome): AsyncGenerator<Result> {
  yield { ...head, ...(yield* walk()) }
}

async function writeSeparated(outcome: ShownOutcome, writing: OutputContext, format: 'csv' | 'tsv'): Promise<Written> {
  const quickly = outcome.kind === 'cells' ? await writeCells(outcome, writing, format) : undefined
  if (quickly) return quickly
  const { writeCsv } = await import('../rows/csv.ts')
  return writeRows(outcome, writing, (rows, out, style) => writeCsv(rows, out, { ...style, format }))
}

/** Writes rows in a format of text that has columns, as rows/csv.ts does. @returns the columns, and what the rows return */
type RowWriter = <End>(
  rows: Rows<Result, End>,
  out: Output,
  style: RowStyle,
) => Promise<{ columns: readonly string[] | undefined; end: End | undefined }>

/** Writes an outcome as rows with the same columns. Those of several targets stand below one header. */
async function writeRows(outcome: ShownOutcome, writing: OutputContext, write: RowWriter): Promise<Written> {
  const { out, int64, several, kept } = writing
  const columns = outcome.kind === 'document' ? undefined : await outcome.columns?.()
  const origin = several && outcome.kind !== 'document' ? Object.keys(originOf(outcome)) : []
  const style: RowStyle = {
    int64,
    columns: columns && [...origin.filter((name) => !columns.includes(name)), ...columns],
    earlierColumns: kept.columns,
    terminal: out.columns !== undefined,
    flushRows: outcome.kind === 'stream' && outcome.flushRows,
  }
  const add = async <End>(rows: Rows<Result, End>): Promise<End | undefined> => {
    const written = await write(rows, out, style)
    kept.columns = written.columns
    return written.end
  }
  switch (outcome.kind) {
    case 'document':
      await add([outcome.document])
      return {}
    case 'rows':
      await add(listedRows(outcome, several))
      return {}
    case 'stream':
    case 'findings':
      await add(rowsIn(outcome, outcome.walk(), several))
      return {}
    case 'cells':
      return afterCells(outcome, await add(rowsIn(outcome, outcome.walk(), several)))
  }
}

async function parquet(): Promise<RecordFormat> {
  const { parquetFormat } = await import('../rows/parquet.ts')
  return parquetFormat(await zstdInWasm())
}

/** Keeps the rows of an outcome. Those of several targets are one table. */
async function keepRows(outcome: Exclude<ShownOutcome, CellsOutcome>, writing: OutputContext): Promise<Written> {
  const { kept, several, memory } = writing
  const { TableRows } = await import('../rows/table-records.ts')
  kept.rows ??= new TableRows(new CountedBytes(memory, 'rows for Parquet'))
  const { rows } = kept
  const { path } = 'document' in outcome ? outcome.document : outcome.head
  const add = (row: Result): void => rows.add(row, path)
  if (outcome.kind === 'document') {
    add(outcome.document)
    return {}
  }
  const columns = await outcome.columns?.()
  if (columns) rows.addColumns(several ? [...new Set([...Object.keys(originOf(outcome)), ...columns])] : columns)
  await eachRow(outcome.kind === 'rows' ? listedRows(outcome, several) : rowsIn(outcome, outcome.walk(), several), add)
  return {}
}

function originOf(outcome: Exclude<ShownOutcome, DocumentOutcome>): RowOrigin {
  const { path } = outcome.kind === 'rows' ? outcome.document : outcome.head
  return outcome.origin ?? { path }
}

/** The rows of an outcome, one by one. @param several as in {@link OutputContext} */
function rowsIn<Row extends Result, End>(
  outcome: Exclude<ShownOutcome, DocumentOutcome>,
  rows: AsyncGenerator<Row, End, undefined>,
  several: boolean,
): AsyncGenerator<Result, End> {
  return several ? mapRows(rows, withOrigin(originOf(outcome))) : rows
}

/** The rows of a list. @param several as in {@link OutputContext} */
function listedRows(outcome: RowsOutcome, several: boolean): List<Result> {
  const { rows } = outcome
  if (!several) return rows
  const origin = originOf(outcome)
  const named = withOrigin(origin)
  if (!(rows instanceof Pages)) return mapList(rows, named)
  const namedPage = (page: Iterable<Result>): Iterable<Result> =>
    page instanceof ColumnRows ? page.after(origin) : Array.from(page, named)
  return new Pages(() => mapList(rows.pages(), namedPage))
}

/**
 * Puts the keys of their origin in front of rows. Rows that have these keys already stay unchanged, so that their columns have the
 * same order for one target and for several.
 */
function withOrigin(origin: RowOrigin): (row: Result) => Result {
  const keys = Object.keys(origin)
  return (row) => (isFields(row) && !keys.every((key) => key in row) ? { ...origin, ...row } : row)
}

async function* mapList<A, B>(list: List<A>, change: (element: A) => B): AsyncGenerator<B> {
  for await (const element of list) yield change(element)
}
