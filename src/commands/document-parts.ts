import type { InspectError } from '../base/errors.ts'
import type { DocumentHead, ErrorInfo, NotExamined } from '../documents/common.ts'
import type { CommandContext } from './command.ts'

/** The first keys of a document. */
export function documentHead<Kind extends string>(kind: Kind, path: string): DocumentHead<Kind> {
  return { kind, path, schema_version: 1 }
}

/** The error as part of a document. */
export function errorResult(cx: Pick<CommandContext, 'shownPath'>, error: InspectError): ErrorInfo {
  const { file, offset, field } = error.at
  return { code: error.code, message: error.message, file: file && cx.shownPath(file), offset, field }
}

/** What could not be examined, as part of a document. */
export function notExaminedResult(cx: CommandContext, { code, message, at }: InspectError): NotExamined {
  return { code, message, file: at.file === undefined ? undefined : cx.shownPath(at.file) }
}
