import type { InspectError } from '../base/errors.ts'
import type { Output, Result } from '../base/result.ts'
import type { CellsLine, CellsTail } from '../documents/cells.ts'
import type { CheckFinding } from '../documents/check.ts'
import type { DocumentHead, List, Severity } from '../documents/common.ts'
import type { FindingsTail } from '../render/reports/reporter.ts'
import type { CellLineStyle } from '../rows/cell-lines.ts'
import type { JsonNotes } from '../rows/json.ts'
import type { RecordFormat } from '../rows/records.ts'

/**
 * What a command found about one target. The data formats write its document; `table` shows the same to a person. What is known
 * only after the rows is what their walk returns.
 */
export type Outcome =
  | DocumentOutcome
  | RowsOutcome
  | StreamOutcome
  | FindingsOutcome
  | CellsOutcome
  | BytesOutcome
  | ErrorOutcome

/** Keys by which rows name their origin. */
export type RowOrigin = { readonly [key: string]: Result }

interface PartOfTarget {
  /** Whether this is one of several fragments or members of a target: rows then name their origin, as with several targets. */
  oneOfSeveral?: boolean
}

/** A document without rows. In NDJSON it is one line. */
export interface DocumentOutcome extends PartOfTarget {
  kind: 'document'
  document: DocumentHead
  /** Undefined if the table of a later outcome includes this one. */
  table: ((out: Output) => Promise<void> | void) | undefined
}

interface HasRows extends PartOfTarget {
  /** The columns of CSV, if they are known. CSV needs them for a header without rows, or if the first row may lack some. */
  columns?(): readonly string[] | Promise<readonly string[]>
  /** By default the document's path. */
  origin?: RowOrigin
}

/** A document with a list whose elements are the lines of NDJSON and CSV. */
export interface RowsOutcome extends HasRows {
  kind: 'rows'
  document: DocumentHead
  /** The list in the document. */
  rows: List<Result>
  table(out: Output): Promise<void> | void
}

/** A document that is made while its rows are written. */
interface Streamed<Row extends Result, Tail extends object> extends HasRows {
  /** The first keys of the document. */
  head: DocumentHead
  /** The key of the rows, which follow the head. */
  list: string
  /** Walks the rows. Returns the last keys of the document. Either this or one of the other ways to show the outcome is called, once. */
  walk(): AsyncGenerator<Row, Tail>
}

/** A document whose last keys are known only after its rows. */
export interface StreamOutcome extends Streamed<Result, object> {
  kind: 'stream'
  /** Whether each line of NDJSON is written at once, because the next row may take hours. */
  flushRows?: boolean
  /** Whether NDJSON ends with a line that has all other keys of the document. */
  endsWithSummary?: boolean
  table(out: Output): Promise<void>
}

/** Findings, which some formats report to other programs. In NDJSON, the rest of the document follows as the last line. */
export interface FindingsOutcome extends Streamed<CheckFinding, FindingsTail> {
  kind: 'findings'
  /** Whether a finding of this severity makes the target fail. */
  fails(severity: Severity): boolean
  table(out: Output): Promise<void>
}

/** Cells, for which there are faster ways than row by row. */
export interface CellsOutcome extends Streamed<CellsLine, CellsTail> {
  kind: 'cells'
  /**
   * Whether the user allows that cells are missing. Otherwise an output file with missing cells is removed: lines cannot tell a cell
   * that could not be read from a null.
   */
  keepGoing: boolean
  /** Writes the rows as NDJSON or CSV without an object for each row. The text is the same. */
  cellLines?(out: Output, style: Omit<CellLineStyle, 'raw'>): Promise<JsonNotes & { tail: CellsTail }>
  /** Writes the cells as record batches, in a format that has them. */
  records(out: Output, format: RecordFormat): Promise<CellsTail>
  /** Shows the cells. Returns nothing if a terminal did not show all of them. */
  table(out: Output): Promise<CellsTail | undefined>
}

/** Bytes in place of a document. They are not written to a terminal. */
export interface BytesOutcome extends PartOfTarget {
  kind: 'bytes'
  bytes: readonly Uint8Array[]
  /** Whether some are missing. An output file is then removed. */
  incomplete?: boolean
}

/** An error that left nothing to show. It is printed in place of the document. */
export interface ErrorOutcome extends PartOfTarget {
  kind: 'error'
  error: InspectError
}
