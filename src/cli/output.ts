import { ClosedPipe, type InspectError, usage } from '../base/errors.ts'
import { extensionOf } from '../base/extension.ts'
import { isFields, type Output, type Result } from '../base/result.ts'
import { documentHead, errorResult, type Outcome } from '../commands/command.ts'
import type { List } from '../documents/common.ts'
import type { FileOutput } from '../node/file-output.ts'
import { type JsonNotes, writeJson } from '../render/json.ts'
import type { CommonOptions, Format } from './args.ts'
import { type Process, usableWidth } from './process.ts'
import type { Report, ShownPath } from './report.ts'

const ARROW_STREAM = 'arrows'

/** What {@link Documents} needs to know of a call. */
export interface Call {
  process: Process
  report: Report
  options: CommonOptions
  shownPath: ShownPath
  /** Whether more than one target was given. */
  several: boolean
}

/** Opens stdout, or the file that `--output` names. */
export async function openDocuments(call: Call): Promise<Documents> {
  const { stdout } = call.process
  const { output, vertical } = call.options
  const color = inColor(call)
  if (output === undefined)
    return new Documents(call, { write: stdout.write, columns: usableWidth(stdout.columns), color, vertical })
  const { openFileOutput } = await import('../node/file-output.ts')
  const file = await openFileOutput(output)
  return new Documents(call, { write: (data) => file.write(data), columns: undefined, color, vertical }, file)
}

function inColor({ process: { env, stdout }, options: { color, output } }: Call): boolean {
  if (color !== 'auto') return color === 'always'
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return stdout.isTTY && !output
}

/** @throws InspectError USAGE if bytes would go to a terminal */
export function refuseTerminal(process: Process, options: CommonOptions): void {
  if (process.stdout.isTTY && options.output === undefined) {
    throw usage('bytes are not written to a terminal: redirect stdout or give --output FILE')
  }
}

/** The documents of a call, in the format of its report. */
class Documents {
  private readonly call: Call
  private readonly out: Output
  private readonly file: FileOutput | undefined
  private shownCount = 0
  /** Errors that were shown in place of a document. */
  private readonly failures: InspectError[] = []
  /** Whether an error ended a document in the middle. */
  private cut = false
  /** Columns of the CSV output so far. */
  private columns: readonly string[] | undefined

  constructor(call: Call, out: Output, file?: FileOutput) {
    this.call = call
    this.out = out
    this.file = file
  }

  /** How many documents, and errors in place of one, there are so far. */
  get count(): number {
    return this.shownCount + this.failures.length
  }

  /** Shows an outcome, or its error. */
  async add(outcome: Outcome): Promise<void> {
    const { report } = this.call
    try {
      if (outcome.error) await this.addFailure(outcome.error)
      else await this.show(outcome)
      this.cut ||= outcome.incomplete === true && report.format !== 'json'
    } catch (error) {
      this.cut = !(error instanceof ClosedPipe)
      throw error
    } finally {
      // Some outcomes know only after the last row whether all is right.
      if (outcome.foundWrong) report.addExitCode(1)
    }
  }

  async addFailure(error: unknown): Promise<void> {
    const { report, shownPath } = this.call
    this.failures.push(await report.failure(error, shownPath, this.out))
  }

  /**
   * Ensures that a reader of JSON gets a document even if there is nothing to show.
   * @param fault that was reported already, or else `note`
   */
  async addEmpty(path: string, fault: InspectError | undefined, note: string | undefined): Promise<void> {
    const { report, shownPath } = this.call
    if (fault) {
      this.failures.push(fault)
      await report.errorDocument(fault, shownPath, this.out)
    } else if (report.format === 'json') {
      this.shownCount++
      const document = { ...documentHead('empty', shownPath(path)), message: note ?? null }
      await writeJson(document, this.out, { int64: 'number', indent: true })
    }
  }

  /**
   * Gives the output its final name if it is complete. Otherwise the output is removed, and errors of a JSON format go to
   * stdout.
   * @param ended whether every target was tried
   */
  async close(ended: boolean): Promise<void> {
    if (!this.file) return
    const { process, report, options, shownPath } = this.call
    const { cut, failures, shownCount } = this
    // Only the JSON formats show an error in place of a missing target.
    const showsErrors = report.format === 'json' || report.format === 'ndjson'
    if (ended && !cut && (failures.length === 0 || (showsErrors && shownCount > 0))) {
      this.file.commit()
      return
    }
    this.file.discard()
    if ((cut || shownCount > 0) && this.file.isWhole)
      report.note(`${options.output} is not written: it would not be whole (stdout takes what there is)`)
    for (const error of failures) await report.errorDocument(error, shownPath, process.stdout)
  }

  private async show(outcome: Outcome): Promise<void> {
    const { out } = this
    const { process, report, options } = this.call
    const { format } = report
    if (format === 'table' && outcome.noTable && !outcome.bytes) return
    const first = this.shownCount++ === 0
    if (outcome.bytes) {
      refuseTerminal(process, options)
      for (const part of outcome.bytes) await out.write(part)
    } else if (format === 'arrow') {
      await outcome.arrow?.(out, options.output !== undefined && extensionOf(options.output) !== ARROW_STREAM)
    } else if (format === 'table') {
      if (!first) await out.write('\n')
      await outcome.table(out)
    } else await this.showForPrograms(outcome, format)
  }

  private async showForPrograms(outcome: Outcome, format: Exclude<Format, 'table' | 'arrow'>): Promise<void> {
    const { report, shownPath } = this.call
    const { rounded, failed } = await this.write(outcome, format)
    if (failed) {
      this.cut = true
      this.failures.push(failed)
      report.error(failed, shownPath)
    }
    if (rounded)
      report.note('integers beyond 2^53 were printed as numbers; readers that round them want --int64 string')
  }

  private async write(outcome: Outcome, format: Exclude<Format, 'table' | 'arrow'>): Promise<JsonNotes> {
    const { out } = this
    const { options, shownPath } = this.call
    const { int64 } = options
    const several = this.call.several || outcome.oneOfSeveral === true
    const terminal = out.columns !== undefined
    if (format !== 'json' && outcome.cellLines && !several) return outcome.cellLines(out, { format, int64, terminal })
    if (format === 'csv' || format === 'tsv') {
      const { writeCsv } = await import('../render/csv.ts')
      const rows = rowsOf(outcome, several)
      const own = await outcome.columns?.()
      const columns =
        own && (several ? [...Object.keys(originOf(outcome)).filter((name) => !own.includes(name)), ...own] : own)
      const style = { int64, columns, below: this.columns, tabs: format === 'tsv', terminal }
      this.columns = await writeCsv(rows, out, style)
      return { rounded: false }
    }
    if (format === 'json' || outcome.rows === undefined) {
      const ending = (error: InspectError) => errorResult({ shownPath }, error)
      return writeJson(outcome.document, out, { int64, indent: format === 'json' }, { tail: outcome.tail, ending })
    }
    const { writeNdjson } = await import('../render/ndjson.ts')
    return writeNdjson(outcome.lines?.() ?? rowsOf(outcome, several), out, { int64, flushRows: outcome.flushRows })
  }
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
async function* withOrigin(rows: List<Result>, origin: { readonly [key: string]: Result }): AsyncGenerator<Result> {
  const keys = Object.keys(origin)
  for await (const row of rows) yield isFields(row) && !keys.every((key) => key in row) ? { ...origin, ...row } : row
}
