import type { InspectError } from '../base/errors.ts'
import { extensionOf } from '../base/extension.ts'
import { isFields, type Output, Pages, type Result } from '../base/result.ts'
import { VERSION } from '../base/version.ts'
import { ColumnRows } from '../cells/column-rows.ts'
import type { CommandModule, FormatOfSome, Outcome } from '../commands/command.ts'
import type { List } from '../documents/common.ts'
import { type JsonNotes, type JsonParts, type JsonStyle, writeJson } from '../render/json.ts'
import type { Reporter } from '../render/reports/reporter.ts'

/** What a format needs to know besides the outcome that it writes. */
export interface Writing {
  out: Output
  int64: JsonStyle['int64']
  /** What `--output` names; undefined for stdout. */
  file: string | undefined
  /** Whether this is the first outcome of the call. */
  first: boolean
  /** Whether rows must say which target they belong to. */
  several: boolean
  /** What CSV keeps from one outcome to the next. */
  csv: { columns?: readonly string[] | undefined }
  /** An error that ends a document, as its last key. */
  ending(error: InspectError): Result
}

interface FormatFacts {
  /** Extensions of `--output` that choose it. */
  extensions: readonly string[]
  /** Whether an error is a document, too, and stands in place of a missing one. */
  isJson?: true
  /** @returns what the user should know; a table says it itself */
  write(outcome: Outcome, writing: Writing): Promise<JsonNotes | undefined>
}

/** A format whose output is one report about all targets of a call, their errors included. */
interface ReportFormat {
  extensions: readonly string[]
  isJson?: undefined
  /** @param folder that paths in the report start from */
  reporter(out: Output, folder: string): Promise<Reporter>
}

/** Formats that every command writes. */
const OF_EVERY = {
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
} satisfies Record<string, FormatFacts>

const OF_SOME: Record<FormatOfSome, FormatFacts | ReportFormat> = {
  arrow: {
    // IPC files (one with the extension that pandas uses) and streams
    extensions: ['arrow', 'feather', 'arrows'],
    async write(outcome, { out, file }) {
      await outcome.arrow?.(out, file !== undefined && extensionOf(file) !== 'arrows')
      return undefined
    },
  },
  sarif: {
    extensions: ['sarif'],
    async reporter(out, folder) {
      const { sarifReporter } = await import('../render/reports/sarif.ts')
      return sarifReporter(out, folder, VERSION)
    },
  },
  junit: {
    extensions: ['xml'],
    reporter: async (out) => (await import('../render/reports/junit.ts')).junitReporter(out),
  },
  github: {
    extensions: [],
    reporter: async (out, folder) => (await import('../render/reports/github.ts')).githubReporter(out, folder),
  },
}

export type Format = keyof typeof OF_EVERY | FormatOfSome

/** Every format of `--format`. */
export const FORMATS: Readonly<Record<Format, FormatFacts | ReportFormat>> = { ...OF_EVERY, ...OF_SOME }

/** Names of the formats that a command writes; without a command, of all. */
export function formatNames(module?: Pick<CommandModule<never>, 'formats'>): readonly Format[] {
  return Object.keys(module ? OF_EVERY : FORMATS).concat(module?.formats ?? []) as Format[]
}

/** A document as JSON: over many lines, or in one. */
function writeWhole({ document, tail }: Outcome, { out, int64, ending }: Writing, indent: boolean): Promise<JsonNotes> {
  const columnLines: JsonParts['columnLines'] = async (lines, int64) => {
    const { ColumnLines } = await import('../render/column-lines.ts')
    return new ColumnLines(lines, int64)
  }
  return writeJson(document, out, { int64, indent }, { tail, ending, columnLines })
}

/** Cells without an object a row; undefined if the outcome has none, or its rows must name their target. */
async function writeCells(
  outcome: Outcome,
  { out, int64, several }: Writing,
  format: 'ndjson' | 'csv' | 'tsv',
): Promise<JsonNotes | undefined> {
  return several ? undefined : outcome.cellLines?.(out, { format, int64, terminal: out.columns !== undefined })
}

async function writeSeparated(outcome: Outcome, writing: Writing, format: 'csv' | 'tsv'): Promise<JsonNotes> {
  const notes = await writeCells(outcome, writing, format)
  if (notes) return notes
  const { out, int64, several, csv } = writing
  const { writeCsv } = await import('../render/csv.ts')
  const own = await outcome.columns?.()
  const origin = several ? Object.keys(originOf(outcome)).filter((name) => !own?.includes(name)) : []
  const style = {
    int64,
    columns: own && [...origin, ...own],
    below: csv.columns,
    tabs: format === 'tsv',
    terminal: out.columns !== undefined,
  }
  csv.columns = await writeCsv(rowsOf(outcome, several), out, style)
  return { rounded: false }
}

function originOf({ origin, document }: Outcome): { readonly [key: string]: Result } {
  return origin ?? { path: document.path }
}

/** @param several whether rows must say which target they belong to, if they do not say it already */
function rowsOf({ rows, ...outcome }: Outcome, several: boolean): List<Result> {
  if (rows === undefined) return [outcome.document]
  return several ? withOrigin(rows, originOf(outcome)) : rows
}

/** Rows that name their origin stay unchanged. So their columns have the same order for one target and for several. */
function withOrigin(rows: List<Result>, origin: { readonly [key: string]: Result }): List<Result> {
  const keys = Object.keys(origin)
  const named = (row: Result): Result =>
    isFields(row) && !keys.every((key) => key in row) ? { ...origin, ...row } : row
  if (rows instanceof Pages) return new Pages(() => mapped(rows.pages(), (page) => namedPage(page, origin, named)))
  return mapped(rows, named)
}

function namedPage(
  page: Iterable<Result>,
  origin: { readonly [key: string]: Result },
  named: (row: Result) => Result,
): Iterable<Result> {
  return page instanceof ColumnRows ? page.after(origin) : Array.from(page, named)
}

async function* mapped<A, B>(list: List<A>, change: (element: A) => B): AsyncGenerator<B> {
  for await (const element of list) yield change(element)
}
