import type { InspectError } from '../base/errors.ts'
import { extensionOf } from '../base/paths.ts'
import { isFields, type Output, Pages, type Result } from '../base/result.ts'
import { VERSION } from '../base/version.ts'
import { ColumnRows } from '../cells/column-rows.ts'
import type { CommandModule, Special } from '../commands/command.ts'
import type { Outcome } from '../commands/outcome.ts'
import type { List } from '../documents/common.ts'
import { type JsonNotes, type JsonParts, type JsonStyle, writeJson } from '../render/json.ts'
import type { Reporter } from '../render/reports/reporter.ts'

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
  /** The columns of the last header that CSV wrote. */
  csv: { columns?: readonly string[] | undefined }
  /** The value of a document's last key, if an error ends the document early. */
  ending(error: InspectError): Result
}

interface DocumentFormat {
  /** Extensions of `--output` that choose the format. */
  extensions: readonly string[]
  /** Whether the format is one of the JSON formats: an error is then a document, in place of the missing one. */
  isJson?: true
  /** Writes an outcome. @returns what a note should tell the user; undefined if there is nothing to tell */
  write(outcome: Outcome, writing: OutputContext): Promise<JsonNotes | undefined>
}

/** A format whose output is one report about all targets of a call, including their errors. */
interface ReportFormat {
  extensions: readonly string[]
  isJson?: undefined
  /** Begins a report. @param folder the folder that paths in the report are relative to */
  reporter(out: Output, folder: string): Promise<Reporter>
}

/** Formats that every command can write. */
const COMMON_FORMATS = {
  table: {
    extensions: ['', 'txt'],
    async write(outcome, { out, first }) {
      if (!first) await out.write('\n')
      await outcome.table(out)
      return undefined
    },
  },
  json: { extensions: ['json'], isJson: true, write: (outcome, writing) => writeWhole(outcome, writing, true) },
  ndjson: {
    extensions: ['ndjson', 'jsonl'],
    isJson: true,
    async write(outcome, writing) {
      const notes = await writeCells(outcome, writing, 'ndjson')
      if (notes) return notes
      if (outcome.rows === undefined) return writeWhole(outcome, writing, false)
      const { out, int64, several } = writing
      const { writeNdjson } = await import('../render/ndjson.ts')
      return writeNdjson(outcome.lines?.() ?? rowsOf(outcome, several), out, { int64, flushRows: outcome.flushRows })
    },
  },
  csv: { extensions: ['csv'], write: (outcome, writing) => writeSeparated(outcome, writing, 'csv') },
  tsv: { extensions: ['tsv'], write: (outcome, writing) => writeSeparated(outcome, writing, 'tsv') },
} satisfies Record<string, DocumentFormat>

/** Formats of cells. */
const CELL_FORMATS = {
  arrow: {
    // `.arrow` and `.feather`, which pandas uses, are IPC files. `.arrows` is an IPC stream.
    extensions: ['arrow', 'feather', 'arrows'],
    async write(outcome, { out, file }) {
      await outcome.arrow?.(out, file !== undefined && extensionOf(file) !== 'arrows')
      return undefined
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

const SPECIAL_FORMATS: Readonly<Record<Special, object>> = { cells: CELL_FORMATS, findings: REPORT_FORMATS }

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
function writeWhole(
  { document, tail }: Outcome,
  { out, int64, ending }: OutputContext,
  indent: boolean,
): Promise<JsonNotes> {
  const columnLines: JsonParts['columnLines'] = async (lines, int64) => {
    const { ColumnLines } = await import('../render/column-lines.ts')
    return new ColumnLines(lines, int64)
  }
  return writeJson(document, out, { int64, indent }, { tail, ending, columnLines })
}

/**
 * Writes cells without making an object for each row.
 * @returns undefined if the outcome cannot do that, or if rows must name their target
 */
async function writeCells(
  outcome: Outcome,
  { out, int64, several }: OutputContext,
  format: 'ndjson' | 'csv' | 'tsv',
): Promise<JsonNotes | undefined> {
  return several ? undefined : outcome.cellLines?.(out, { format, int64, terminal: out.columns !== undefined })
}

async function writeSeparated(outcome: Outcome, writing: OutputContext, format: 'csv' | 'tsv'): Promise<JsonNotes> {
  const notes = await writeCells(outcome, writing, format)
  if (notes) return notes
  const { out, int64, several, csv } = writing
  const { writeCsv } = await import('../render/csv.ts')
  const columns = await outcome.columns?.()
  const origin = several ? Object.keys(originOf(outcome)).filter((name) => !columns?.includes(name)) : []
  const style = {
    int64,
    columns: columns && [...origin, ...columns],
    earlierColumns: csv.columns,
    tabs: format === 'tsv',
    terminal: out.columns !== undefined,
  }
  csv.columns = await writeCsv(rowsOf(outcome, several), out, style)
  return { rounded: false }
}

function originOf({ origin, document }: Outcome): { readonly [key: string]: Result } {
  return origin ?? { path: document.path }
}

/** The rows of an outcome. @param several whether rows must say which target they belong to */
function rowsOf({ rows, ...outcome }: Outcome, several: boolean): List<Result> {
  if (rows === undefined) return [outcome.document]
  return several ? withOrigin(rows, originOf(outcome)) : rows
}

/**
 * The rows with the keys of their origin in front. Rows that have these keys already stay unchanged, so that their columns have
 * the same order for one target and for several.
 */
function withOrigin(rows: List<Result>, origin: { readonly [key: string]: Result }): List<Result> {
  const keys = Object.keys(origin)
  const named = (row: Result): Result =>
    isFields(row) && !keys.every((key) => key in row) ? { ...origin, ...row } : row
  if (!(rows instanceof Pages)) return mapped(rows, named)
  const namedPage = (page: Iterable<Result>): Iterable<Result> =>
    page instanceof ColumnRows ? page.after(origin) : Array.from(page, named)
  return new Pages(() => mapped(rows.pages(), namedPage))
}

async function* mapped<A, B>(list: List<A>, change: (element: A) => B): AsyncGenerator<B> {
  for await (const element of list) yield change(element)
}
