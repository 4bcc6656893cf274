import { ClosedPipe, type InspectError, usage } from '../base/errors.ts'
import type { Memory } from '../base/memory.ts'
import type { Output } from '../base/result.ts'
import { documentHead, errorResult } from '../calls/document-parts.ts'
import type { BytesOutcome, Outcome } from '../calls/outcome.ts'
import { currentFolder } from '../node/current-folder.ts'
import type { FileOutput } from '../node/file-output.ts'
import type { Reporter } from '../render/reports/reporter.ts'
import { writeJson } from '../rows/json.ts'
import type { CommonOptions } from './args.ts'
import { FORMATS, type KeptByFormats, type ShownOutcome } from './formats.ts'
import { colorWanted, type Process, usableWidth } from './process.ts'
import type { Report } from './report.ts'

/** What {@link Documents} needs to know about a call. */
export interface OutputSetting {
  process: Process
  report: Report
  options: CommonOptions
  /** Whether more than one target was given. */
  several: boolean
  memory: Memory
}

/** Opens stdout, or the file that `--output` names. */
export async function openDocuments(call: OutputSetting): Promise<Documents> {
  const { stdout } = call.process
  const { output, vertical, full } = call.options
  const file = output === undefined ? undefined : await openFile(output, call.report)
  const write = file ? file.write.bind(file) : stdout.write
  const out: Output = {
    write(data) {
      documents.beforeWrite()
      return write(data)
    },
    columns: file ? undefined : usableWidth(stdout.columns),
    color: isColored(call),
    vertical,
    full,
  }
  const format = FORMATS[call.report.format]
  const reporter = 'reporter' in format ? await format.reporter(out, currentFolder()) : undefined
  const documents = new Documents(call, out, file, reporter)
  return documents
}

async function openFile(output: string, report: Report): Promise<FileOutput> {
  const { noteLeftBeside, openFileOutput } = await import('../node/file-output.ts')
  noteLeftBeside(output, (text) => report.note(text))
  return openFileOutput(output)
}

function isColored({ process: { env, stdout }, options: { color, output } }: OutputSetting): boolean {
  return colorWanted(env, color) ?? (stdout.isTTY && !output)
}

/** @throws InspectError USAGE if bytes would go to a terminal */
export function refuseTerminal(process: Process, options: CommonOptions): void {
  if (process.stdout.isTTY && options.output === undefined) {
    throw usage('bytes are not written to a terminal: redirect stdout or give --output FILE')
  }
}

/** The documents of a call, in the format of its report. */
class Documents {
  /** Whether the run has written anything. */
  private hasWritten = false
  /** What the run has noticed: see {@link beginRun}. */
  private changed: () => InspectError | undefined = () => undefined
  private atBegin = { shownCount: 0, isCut: false }
  private keptAtBegin = 0
  private readonly call: OutputSetting
  private readonly out: Output
  private readonly file: FileOutput | undefined
  private shownCount = 0
  /** Errors that were shown in place of a document. */
  private readonly failures: InspectError[] = []
  /** Whether a document lacks its end. */
  private isCut = false
  private readonly kept: KeptByFormats = {}
  /** Set for formats that write one report about all targets. */
  private readonly reporter: Reporter | undefined
  /** Whether the note about integers that readers may round was printed. */
  private hasNotedRounding = false

  constructor(call: OutputSetting, out: Output, file: FileOutput | undefined, reporter: Reporter | undefined) {
    this.call = call
    this.out = out
    this.file = file
    this.reporter = reporter
  }

  /** Number of documents so far, including errors in place of a document. */
  get count(): number {
    return this.shownCount + this.failures.length
  }

  /** Begins a run. @param changed returns CHANGED_WHILE_READ once the run has noticed that its target was changed */
  beginRun(changed: () => InspectError | undefined): void {
    const { shownCount, isCut } = this
    this.atBegin = { shownCount, isCut }
    this.keptAtBegin = this.kept.rows?.length ?? 0
    this.hasWritten = false
    this.changed = changed
  }

  /** Ends a run, so that its failure can be shown. @returns whether another run may replace it, as it has written nothing */
  endRun(): boolean {
    this.changed = () => undefined
    if (this.hasWritten) return false
    Object.assign(this, this.atBegin)
    this.kept.rows?.cut(this.keptAtBegin)
    return true
  }

  /** To be called before anything is written. @throws what the run has noticed, unless it has written something before */
  beforeWrite(): void {
    const changed = this.hasWritten ? undefined : this.changed()
    if (changed) throw changed
    this.hasWritten = true
  }

  /** Shows an outcome, or its error. */
  async add(outcome: Outcome): Promise<void> {
    try {
      if (outcome.kind === 'error') await this.addFailure(outcome.error)
      else if (outcome.kind === 'bytes') await this.writeBytes(outcome)
      else await this.show(outcome)
    } catch (error) {
      // A report is still true without its end, and says what is missing.
      this.isCut = !this.reporter && !(error instanceof ClosedPipe)
      throw error
    }
  }

  /** Shows an error in place of a document. */
  async addFailure(error: unknown): Promise<void> {
    const { report } = this.call
    const failure = await report.failure(error, this.out)
    this.failures.push(failure)
    await this.reporter?.failure(errorResult(report, failure))
  }

  /**
   * Writes a JSON document about a target for which the command had nothing to show.
   * @param fault the fault that explains why; it was reported already
   * @param note the note that explains why, if there was no fault
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
   * Gives the output file its final name if it is complete. Otherwise the file is removed, and the errors of a JSON format go
   * to stdout.
   * @param hasTriedAll whether every target was tried
   */
  async close(hasTriedAll: boolean): Promise<void> {
    if (hasTriedAll) await this.reporter?.end()
    if (hasTriedAll) await this.writeKept()
    if (!this.file) return
    const { process, report, options } = this.call
    const { isCut, failures, shownCount } = this
    // Only reports and the JSON formats show an error in place of a missing target.
    const showsErrors = this.reporter !== undefined || (FORMATS[report.format].isJson && shownCount > 0)
    if (hasTriedAll && !isCut && (failures.length === 0 || showsErrors)) {
      this.file.commit()
      return
    }
    this.file.discard()
    if ((isCut || shownCount > 0) && this.file.isWhole)
      report.note(
        `${options.output} is not written: it would be incomplete (without --output, stdout gets what there is)`,
      )
    for (const error of failures) await report.errorDocument(error, process.stdout)
  }

  /** Writes the rows that the format has kept. */
  private async writeKept(): Promise<void> {
    const { kept, out, call } = this
    const format = FORMATS[call.report.format]
    if (!kept.rows || 'reporter' in format) return
    try {
      await format.end?.(kept.rows, out)
    } catch (error) {
      if (error instanceof ClosedPipe) throw error
      this.isCut = true
      this.failures.push(await call.report.failure(error, out))
    }
  }

  private async writeBytes({ bytes, incomplete }: BytesOutcome): Promise<void> {
    const { process, report, options } = this.call
    this.shownCount++
    refuseTerminal(process, options)
    for (const part of bytes) await this.out.write(part)
    this.isCut ||= incomplete === true && report.format !== 'json'
  }

  private async show(outcome: ShownOutcome): Promise<void> {
    const { out, kept } = this
    const { report, options, memory } = this.call
    const { output: file, int64 } = options
    if (report.format === 'table' && outcome.table === undefined) return
    const first = this.shownCount++ === 0
    const format = FORMATS[report.format]
    if ('reporter' in format) {
      if (outcome.kind !== 'findings') {
        const { kind } = 'document' in outcome ? outcome.document : outcome.head
        throw usage(`--format ${report.format} holds findings, not a ${kind}: choose table or json`)
      }
      const { head, fails } = outcome
      await this.reporter?.target({ path: head.path, findings: outcome.walk(), fails })
      return
    }
    const several = this.call.several || outcome.oneOfSeveral === true
    const ending = (error: InspectError) => errorResult(report, error)
    const written = await format.write(outcome, { out, int64, file, first, several, kept, memory, ending })
    // A JSON document mentions what is missing.
    this.isCut ||= written.incomplete === true && report.format !== 'json'
    if (written.failed) {
      this.isCut = true
      this.failures.push(written.failed)
      report.error(written.failed)
    }
    if (!written.rounded || this.hasNotedRounding) return
    report.note('integers beyond 2^53 were printed as numbers; readers that round them want --int64 string')
    this.hasNotedRounding = true
  }
}
