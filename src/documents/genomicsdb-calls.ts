import type { CellValue, Count, DocumentHead, ErrorInfo } from './common.ts'

/** `tiledb-inspect read <target> --json` of a workspace or array of GenomicsDB. NDJSON: one call a line (`$defs/line`). */
export interface GenomicsdbCallsDocument extends DocumentHead<'genomicsdb-calls'> {
  /** Calls by interval, then by position and row. */
  calls: AsyncIterable<GenomicsdbCallsLine>
  /** Number of calls. */
  call_num?: Count | undefined
  /** The error that ended the calls early. */
  error?: ErrorInfo | undefined
}

/**
 * A call: `sample`, `contig`, `pos` and `end`, then the fields by their names in the schema. A field that is absent is null. Lists have
 * null for elements that are missing; allele-specific fields are lists of lists.
 */
export type GenomicsdbCallsLine = Record<string, GenomicsdbCallValue>

export type GenomicsdbCallValue = CellValue | readonly (CellValue | readonly CellValue[])[]
