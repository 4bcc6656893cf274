import type { CheckFinding, CheckSummary } from '../../documents/check.ts'
import type { DocumentHead, ErrorInfo, NotExamined, Severity } from '../../documents/common.ts'

/** What is known after the last finding. */
export type FindingsTail = Omit<CheckSummary, keyof DocumentHead | 'level' | 'shard'>

/** Results for one target, for formats that report findings to other programs. */
export interface FoundInTarget {
  path: string
  /** Findings in the order in which they are found. They are iterated once. */
  findings: AsyncIterator<CheckFinding, Pick<FindingsTail, 'not_examined'>, undefined>
  /** Whether a finding of this severity makes the target fail. */
  fails(severity: Severity): boolean
}

/** Writes one report about all targets of a call. */
export interface Reporter {
  /** Writes the findings of a target. */
  target(found: FoundInTarget): Promise<void>
  /** Writes the error of a target that could not be examined. */
  failure(error: ErrorInfo): Promise<void>
  /** Completes the report after the last target. */
  end(): Promise<void>
}

/** Returns a finding as one line: where it is, what was expected and found, and what it means. */
export function findingText(finding: CheckFinding): string {
  return `${placeText(finding)}: ${finding.message}. ${sentence(finding.meaning)}`
}

/** Returns the place of a finding as `file, byte 12, field a, tile 3`. */
export function placeText({ file, offset, space, field, tile, chunk, position }: CheckFinding): string {
  const inside = Object.entries({ field: field ?? undefined, tile, chunk, cell: position })
    .filter(([, at]) => at !== undefined)
    .map(([name, at]) => `${name} ${at}`)
  const byte = offset === null ? [] : [`byte ${offset}${space === undefined ? '' : ` of the ${space}`}`]
  return [file, ...byte, ...inside].join(', ')
}

/** Returns what was not examined as one line. */
export function notExaminedText({ code, file, message }: NotExamined | ErrorInfo): string {
  return `not examined: ${file === undefined ? '' : `${file}: `}${message} (${code})`
}

/** Returns a text with a capital letter at its start and a full stop at its end. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
}

/**
 * Returns the percent-encoded path of a file relative to the folder of the call, which CI systems take for the root of the repository.
 * The path of a file elsewhere only loses its scheme or first slash, as code scanning requires a path inside the repository.
 */
export function pathInRepository(file: string, folder: string): string {
  const root = `${encoded(folder)}/`
  const remote = /^(?:s3|gc?s|azure|https?):\/\//.exec(file)
  if (remote) return encoded(file.slice(remote[0].length))
  // In a URL, a name after two slashes would be a host.
  const local = file.replace(/^file:\/\/(?:localhost)?/, '').replace(/^\/+/, '/')
  const path = new URL(encoded(local), `file://${root}`).pathname
  return path.slice(path.startsWith(root) ? root.length : 1)
}

function encoded(path: string): string {
  return path.toWellFormed().split('/').map(encodeURIComponent).join('/')
}
