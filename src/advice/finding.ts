import type { Bytes, Count } from '../base/quantities.ts'
import { ADVICE_CODES, type AdviceCode, FINDING_CODES, type FindingCode, type Severity } from '../check/codes.ts'

/** What makes reads of an array slow or hungry, what it costs, and what to do. The documents print it as it is. */
export interface Finding {
  severity: Severity
  code: AdviceCode | FindingCode
  /** Field that it is about; left out where it is about all. */
  field?: string | undefined
  /** What was found, with its number. */
  message: string
  /** What it means for a reader, and from where on it is said. */
  meaning: string
  /**
   * What it costs, by name. `seconds` is always there: estimated, on S3, what a read would save. Others are `requests`
   * (to an object store), `bytes` (stored), `unfiltered_bytes`, `fragments`, `tiles`, `cells`, and `share` of the whole, 0 to 1.
   */
  effect: Readonly<Record<string, number>>
  /** What to do: lines of TileDB-Py, or commands of `tiledb-inspect`. */
  advice: readonly string[]
  /** What the read would cost afterwards; left out where that was not worked out. */
  remedies?: readonly Remedy[] | undefined
}

/** What a read costs, as TileDB counts it. */
export interface ReadCounts {
  /** A tile counts once for each field. */
  tiles_read: Count
  /** Cells of the tiles that are read. */
  cells_read: Count
  /** Bytes after the filters are undone. */
  unfiltered_bytes: Bytes
  /** Bytes of tiles on disk. */
  stored_bytes: Bytes
  /** Number of read operations. */
  requests: Count
}

/** A change of the array, and what the read costs before and after it. */
export interface Remedy {
  /** What is changed, in words. */
  change: string
  /** `computed`: planned on the changed array, made in memory; `estimated`: from metadata. */
  basis: 'computed' | 'estimated'
  before: ReadCounts
  after: ReadCounts
}

/** A finding with what its code says of it. */
export function advise(
  code: Finding['code'],
  { message, field, effect, advice, remedies }: Omit<Finding, 'code' | 'severity' | 'meaning'>,
): Finding {
  const [severity, meaning] = { ...FINDING_CODES, ...ADVICE_CODES }[code]
  return { severity, code, field, message, meaning, effect, advice, remedies }
}

const RANKS: Readonly<Record<Severity, number>> = { error: 2, warning: 1, note: 0 }

/** The worst first: by severity, then by seconds. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (a, b) => RANKS[b.severity] - RANKS[a.severity] || (b.effect.seconds ?? 0) - (a.effect.seconds ?? 0),
  )
}
