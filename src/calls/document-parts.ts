import { commandLineText, type InspectError } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import type { DocumentHead, ErrorInfo, NotExamined } from '../documents/common.ts'
import type { CommandContext } from './command.ts'

/** The first keys of a document. */
export function documentHead<Kind extends string>(kind: Kind, path: string): DocumentHead<Kind> {
  return { kind, path, schema_version: 1 }
}

/** What an error says: on the command line with the names of options. */
export function messageOf({ namesOptions }: Pick<CommandContext, 'namesOptions'>, error: InspectError): Prose {
  return namesOptions ? commandLineText(error) : error.message
}

/** The error as part of a document. */
export function errorResult(cx: Pick<CommandContext, 'shownPath' | 'namesOptions'>, error: InspectError): ErrorInfo {
  const { file, offset, field } = error.at
  return { code: error.code, message: messageOf(cx, error), file: file && cx.shownPath(file), offset, field }
}

/** What could not be examined, as part of a document. */
export function notExaminedResult(cx: CommandContext, error: InspectError): NotExamined {
  const { code, at } = error
  return { code, message: messageOf(cx, error), file: at.file === undefined ? undefined : cx.shownPath(at.file) }
}
