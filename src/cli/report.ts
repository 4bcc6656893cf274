import { asInspectError, commandLineText, exitCodeOf, InspectError } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import type { Output } from '../base/result.ts'
import { safeJson, UNSAFE } from '../base/unsafe-text.ts'
import { errorResult } from '../calls/document-parts.ts'
import { wrapWords } from '../render/text-width.ts'
import { writeJson } from '../rows/json.ts'
import { FORMATS, type Format } from './formats.ts'
import { type Process, usableWidth } from './process.ts'

/**
 * Prints errors and notes on stderr, and keeps the exit code. Errors are printed nowhere else. With
 * `TILEDB_INSPECT_ERRORS=json` they are error documents instead of lines of text: for programs that read cells as Arrow or CSV.
 */
export class Report {
  /** Whether notes are left out. */
  quiet = false
  /** The format of documents. With JSON and NDJSON, an error is a document, too. */
  format: Format = 'table'
  /** Turns a path of the storage back into what the user wrote. */
  shownPath = (path: string): string => path
  readonly namesOptions = true
  private readonly process: Process
  /** Whether the error was printed that too many files are open. */
  private hasToldOfFiles = false
  private readonly codes = new Set<number>()

  constructor(process: Process) {
    this.process = process
  }

  addExitCode(code: number): void {
    this.codes.add(code)
  }

  /** The most important exit code that was added: 2 before 1 before 3. 0 if none was added. */
  exitCode(): number {
    return [2, 1, 3].find((code) => this.codes.has(code)) ?? 0
  }

  note(text: Prose): void {
    if (!this.quiet) this.printLine(`note: ${escapeControls(text)}`)
  }

  error(error: InspectError): void {
    this.addExitCode(exitCodeOf(error))
    // This is a fault of the whole run, whatever file it was that could not be opened.
    if (error.code === 'TOO_MANY_FILES') {
      if (this.hasToldOfFiles) return
      this.hasToldOfFiles = true
    }
    if (this.process.env.TILEDB_INSPECT_ERRORS === 'json') {
      this.process.stderr(`${safeJson({ error: errorResult(this, error) })}\n`)
    } else this.printLine(errorLine(error, this.shownPath))
  }

  /** Reports an error that takes the place of a document. */
  async failure(error: unknown, out: Output): Promise<InspectError> {
    const known = asInspectError(error)
    this.error(known)
    if (this.process.env.DEBUG && error instanceof Error) this.process.stderr(`${error.stack}\n`)
    await this.errorDocument(known, out)
    return known
  }

  /** Writes an error as a document, if the format is one of the JSON formats. */
  async errorDocument(error: InspectError, out: Output): Promise<void> {
    const { format } = this
    if (!FORMATS[format].isJson) return
    const document = { error: errorResult(this, error) }
    try {
      await writeJson(document, out, { int64: 'number', indent: format === 'json' })
    } catch (again) {
      // The output itself failed, which stderr has said already.
      if (!(again instanceof InspectError)) throw again
    }
  }

  /** Prints a line on stderr. On a terminal, a long line is wrapped. */
  private printLine(text: string): void {
    const { stderr, stderrColumns } = this.process
    stderr(`${wrapWords(text, usableWidth(stderrColumns), '  ').join('\n')}\n`)
  }
}

/** `error: file: byte 12, field x: expected …, found …` */
function errorLine(error: InspectError, shownPath: (path: string) => string): string {
  // No file is at fault if too many are open.
  const { file, offset, field, space } = error.code === 'TOO_MANY_FILES' ? {} : error.at
  const place: string[] = []
  if (offset !== undefined) place.push(`byte ${offset}${space === undefined ? '' : ` of the ${space}`}`)
  else if (space !== undefined) place.push(space)
  if (field !== undefined) place.push(`field ${field}`)
  const parts = [file === undefined ? '' : shownPath(file), place.join(', '), commandLineText(error)]
  return `error: ${escapeControls(parts.filter((part) => part !== '').join(': '))}`
}

/** The text with control characters escaped. Those in names and values from files must not reach a terminal. */
function escapeControls(text: string): string {
  return text.replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      const unit = character.charCodeAt(i)
      return `\\u${unit.toString(16).padStart(4, '0')}`
    }).join(''),
  )
}
