import type { CellValue, Count, DocumentHead, ErrorInfo } from './common.ts'

/** `tiledb-inspect read <target> --json` of a workspace or array of GenomicsDB. NDJSON: one call a line (`$defs/line`). */
export interface GenomicsdbCallsDocument extends DocumentHead<'genomicsdb-calls'> {
  /** Calls by interval, then by position and row. */
  calls: AsyncIterable<GenomicsdbCallsLine>
  /** Number of calls. */
  call_num?: Count | undefined
  /** The first 1,000 errors about what could not be read. The calls concerned are left out. */
  errors?: readonly ErrorInfo[] | undefined
  /** The error that ended the calls early. */
  error?: ErrorInfo | undefined
}

/**
 * A call: `sample`, `contig`, `pos` and `end`, then the fields by their names in the schema. A field that is absent is null. Lists have
 * null for elements that are missing; allele-specific fields are lists of lists.
 */
export type GenomicsdbCallsLine = Record<string, GenomicsdbCallValue>

/** A value: of a list, its elements. */
export type GenomicsdbCallValue = CellValue | readonly GenomicsdbElement[]

/** An element of a list: null if it is missing; of an allele-specific field, the list of an allele. */
export type GenomicsdbElement = GenomicsdbNumber | readonly GenomicsdbNumber[]

/** A number or text; null if it is missing. */
export type GenomicsdbNumber = null | number | string
