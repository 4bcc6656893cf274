import type { CheckFinding } from '../../documents/check.ts'
import type { ErrorInfo, NotExamined, Severity } from '../../documents/common.ts'

/** What a command found about one target, for formats that report findings to other programs. */
export interface FoundInTarget {
  path: string
  /** In the order in which they are found. Read once. */
  findings: AsyncIterable<CheckFinding>
  /** Whether a finding of this severity makes the target fail. */
  fails(severity: Severity): boolean
  /** Complete once the findings have been read. */
  not_examined: readonly NotExamined[]
}

/** Writes one report about all targets of a call. */
export interface Reporter {
  target(found: FoundInTarget): Promise<void>
  /** A target that could not be examined. */
  failure(error: ErrorInfo): Promise<void>
  /** Writes what follows the last target. */
  end(): Promise<void>
}

/** A finding in one line: where it is, what was expected and found, what it means. */
export function findingText(finding: CheckFinding): string {
  return `${placeText(finding)}: ${finding.message}. ${sentence(finding.meaning)}`
}

/** `file, byte 12, field a, tile 3` */
export function placeText({ file, offset, space, field, tile, chunk, cell }: CheckFinding): string {
  const inside = Object.entries({ field: field ?? undefined, tile, chunk, cell })
    .filter(([, at]) => at !== undefined)
    .map(([name, at]) => `${name} ${at}`)
  const byte = offset === null ? [] : [`byte ${offset}${space === undefined ? '' : ` of the ${space}`}`]
  return [file, ...byte, ...inside].join(', ')
}

/** What was not examined in one line. */
export function faultText({ code, file, message }: NotExamined | ErrorInfo): string {
  return `not examined: ${file === undefined ? '' : `${file}: `}${message} (${code})`
}

/** Starts with a capital letter and ends with a full stop. */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
}

/**
 * The percent-encoded path of a file below the folder of the call, which CI systems take for the root of the repository. A file
 * elsewhere keeps its path without the scheme or the first slash: code scanning takes no result without a path in the repository.
 */
export function pathInRepository(file: string, folder: string): string {
  const root = `${encoded(folder)}/`
  const remote = /^(?:s3|https?):\/\//.exec(file)
  if (remote) return encoded(file.slice(remote[0].length))
  // After several slashes at the start, a URL has a host.
  const local = file.replace(/^file:\/\/(?:localhost)?/, '').replace(/^\/+/, '/')
  const path = new URL(encoded(local), `file://${root}`).pathname
  return path.slice(path.startsWith(root) ? root.length : 1)
}

function encoded(path: string): string {
  return path.toWellFormed().split('/').map(encodeURIComponent).join('/')
}
