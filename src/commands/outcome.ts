import type { InspectError } from '../base/errors.ts'
import type { Output, Result } from '../base/result.ts'
import type { DocumentHead, List } from '../documents/common.ts'
import type { CellLineStyle } from '../render/cell-lines.ts'
import type { JsonNotes } from '../render/json.ts'
import type { FoundInTarget } from '../render/reports/reporter.ts'

/** What a command found about one target. The data formats write `document`; `table` shows the same to a person. */
export interface Outcome {
  document: DocumentHead
  /** The last keys of the document, if they are known only after `rows`. */
  tail?(): object
  /** The list in the document whose elements are the lines of NDJSON and CSV. Without it, the whole document is one line. */
  rows?: List<Result>
  /** Whether each line of NDJSON is written at once, because the next row may take hours. */
  flushRows?: boolean
  /** The lines of NDJSON, if there are more of them than `rows`. */
  lines?(): AsyncIterable<Result>
  /** Whether this is one of several fragments or members of a target: rows then name their origin, as with several targets. */
  oneOfSeveral?: boolean
  /** The keys by which rows name their origin. By default the document's path. */
  origin?: { readonly [key: string]: Result }
  /** The columns of CSV, if they are known. CSV needs them for a header without rows, or if the first row may lack some. */
  columns?(): readonly string[] | Promise<readonly string[]>
  /** Writes `rows` as NDJSON or CSV without an object for each row. The text is the same. */
  cellLines?(out: Output, style: Omit<CellLineStyle, 'raw'>): Promise<JsonNotes>
  table(out: Output): Promise<void> | void
  /** Whether the table of a later outcome includes this one. */
  noTable?: boolean
  /** Writes Arrow IPC. @param file whether as a file; otherwise as a stream */
  arrow?(out: Output, file: boolean): Promise<void>
  /** The findings, for formats that report them to other programs. These formats read them instead of `rows`. */
  found?: FoundInTarget
  /** Bytes to write instead of a document. They are not written to a terminal. */
  bytes?: readonly Uint8Array[]
  /**
   * Whether something is missing that the document does not mention. An output file is then removed. Known after the end of the
   * document.
   */
  incomplete?: boolean
  /** Whether something is wrong without an error: exit code 1. Known after the end of the document. */
  foundWrong?: boolean
  /** An error that left nothing to show. It is printed in place of the document. */
  error?: InspectError
}
