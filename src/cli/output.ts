import { ClosedPipe, type InspectError, usage } from '../base/errors.ts'
import type { Output } from '../base/result.ts'
import { documentHead, errorResult, type Outcome } from '../commands/command.ts'
import { currentFolder } from '../node/current-folder.ts'
import type { FileOutput } from '../node/file-output.ts'
import { writeJson } from '../render/json.ts'
import type { Reporter } from '../render/reports/reporter.ts'
import type { CommonOptions } from './args.ts'
import { FORMATS } from './formats.ts'
import { type Process, usableWidth } from './process.ts'
import type { Report } from './report.ts'

/** What {@link Documents} needs to know of a call. */
export interface Call {
  process: Process
  report: Report
  options: CommonOptions
  /** Whether more than one target was given. */
  several: boolean
}

/** Opens stdout, or the file that `--output` names. */
export async function openDocuments(call: Call): Promise<Documents> {
  const { stdout } = call.process
  const { output, vertical, full } = call.options
  const color = inColor(call)
  if (output === undefined) {
    const out = { write: stdout.write, columns: usableWidth(stdout.columns), color, vertical, full }
    return new Documents(call, out, { reporter: await openReporter(call, out) })
  }
  const { openFileOutput } = await import('../node/file-output.ts')
  const file = await openFileOutput(output)
  const out = { write: file.write.bind(file), columns: undefined, color, vertical, full }
  return new Documents(call, out, { file, reporter: await openReporter(call, out) })
}

async function openReporter({ report }: Call, out: Output): Promise<Reporter | undefined> {
  const format = FORMATS[report.format]
  return 'reporter' in format ? format.reporter(out, currentFolder()) : undefined
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
  private readonly csv = {}
  /** Set for formats that write one report about all targets. */
  private readonly reporter: Reporter | undefined
  /** Whether a note has said that integers are printed that readers may round. */
  private roundedTold = false

  constructor(call: Call, out: Output, { file, reporter }: { file?: FileOutput; reporter: Reporter | undefined }) {
    this.call = call
    this.out = out
    this.file = file
    this.reporter = reporter
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
      // What stands in a report stays true, and the report says what is missing.
      this.cut = !this.reporter && !(error instanceof ClosedPipe)
      throw error
    } finally {
      // Some outcomes know only after the last row whether all is right.
      if (outcome.foundWrong) report.addExitCode(1)
    }
  }

  async addFailure(error: unknown): Promise<void> {
    const { report } = this.call
    const failure = await report.failure(error, this.out)
    this.failures.push(failure)
    await this.reporter?.failure(errorResult(report, failure))
  }

  /**
   * Ensures that a reader of JSON gets a document even if there is nothing to show.
   * @param fault why there is nothing; it was reported already
   * @param note why there is nothing if there was no fault
   */
  async addEmpty(path: string, fault: InspectError | undefined, note: string | undefined): Promise<void> {
    const { report } = this.call
    if (fault) {
      this.failures.push(fault)
      await report.errorDocument(fault, this.out)
      await this.reporter?.failure(errorResult(report, fault))
    } else if (report.format === 'json') {
      this.shownCount++
      const document = { ...documentHead('empty', report.shownPath(path)), message: note ?? null }
      await writeJson(document, this.out, { int64: 'number', indent: true })
    }
  }

  /**
   * Gives the output its final name if it is complete. Otherwise the output is removed, and errors of a JSON format go to
   * stdout.
   * @param ended whether every target was tried
   */
  async close(ended: boolean): Promise<void> {
    if (ended) await this.reporter?.end()
    if (!this.file) return
    const { process, report, options } = this.call
    const { cut, failures, shownCount } = this
    // Only reports and the JSON formats show an error in place of a missing target.
    const showsErrors = this.reporter !== undefined || (FORMATS[report.format].isJson && shownCount > 0)
    if (ended && !cut && (failures.length === 0 || showsErrors)) {
      this.file.commit()
      return
    }
    this.file.discard()
    if ((cut || shownCount > 0) && this.file.isWhole)
      report.note(`${options.output} is not written: it would not be whole (stdout takes what there is)`)
    for (const error of failures) await report.errorDocument(error, process.stdout)
  }

  private async show(outcome: Outcome): Promise<void> {
    const { out, csv } = this
    const { process, report, options } = this.call
    const { output: file, int64 } = options
    if (report.format === 'table' && outcome.noTable && !outcome.bytes) return
    const first = this.shownCount++ === 0
    if (outcome.bytes) {
      refuseTerminal(process, options)
      for (const part of outcome.bytes) await out.write(part)
      return
    }
    const format = FORMATS[report.format]
    if ('reporter' in format) {
      if (!outcome.found)
        throw usage(`--format ${report.format} holds findings, not a ${outcome.document.kind}: choose table or json`)
      await this.reporter?.target(outcome.found)
      return
    }
    const several = this.call.several || outcome.oneOfSeveral === true
    const ending = (error: InspectError) => errorResult(report, error)
    const notes = await format.write(outcome, { out, int64, file, first, several, csv, ending })
    if (notes?.failed) {
      this.cut = true
      this.failures.push(notes.failed)
      report.error(notes.failed)
    }
    if (notes?.rounded && !this.roundedTold)
      report.note('integers beyond 2^53 were printed as numbers; readers that round them want --int64 string')
    this.roundedTold ||= notes?.rounded === true
  }
}
