import { grammatical } from '../base/errors.ts'
import type { Prose } from '../base/prose.ts'
import type { Bytes, Count } from '../base/quantities.ts'
import { ADVICE_CODES, type AdviceCode, FINDING_CODES, type FindingCode, type Severity } from '../check/codes.ts'
import { type AdviceLine, lineText } from './line.ts'

/** A reason why reads of an array are slow or need much memory: what it costs, and what to do. */
export interface ExplainFinding {
  severity: Severity
  code: AdviceCode | FindingCode
  /** The field with the problem; left out if it concerns the whole array. */
  field?: string | undefined
  /** What was found, with numbers. */
  message: Prose
  /** What it means for a reader, and the threshold of the finding. */
  meaning: Prose
  /**
   * What it costs, by name. `seconds` is always set: an estimate of what a read from S3 would save. The others are `requests` (to an
   * object store), `bytes` (stored), `unfiltered_bytes`, `fragments`, `tiles`, `cells`, and `share` of the whole, 0 to 1.
   */
  effect: Readonly<Record<string, number>>
  /** What to do: calls of TileDB-Py, or commands of `tiledb-inspect`. */
  advice: readonly Prose[]
  /** What the read would cost afterwards; left out if that was not computed. */
  remedies?: readonly Remedy[] | undefined
}

/** A finding in the program: its advice is data, by which a plan decides. */
export interface AdvisedFinding extends Omit<ExplainFinding, 'advice'> {
  advice: readonly AdviceLine[]
}

/** A finding as documents print it. */
export function printed(finding: AdvisedFinding): ExplainFinding {
  return { ...finding, advice: finding.advice.map(lineText) }
}

/** What a read costs, as TileDB counts it. */
export interface ReadCounts {
  /** Number of tiles that are read. A tile counts once for each field. */
  tiles_read: Count
  /** Number of cells in the tiles that are read. */
  cells_read: Count
  /** Unfiltered bytes of the tiles. */
  unfiltered_bytes: Bytes
  /** Stored bytes of the tiles. */
  stored_bytes: Bytes
  /** Number of read operations. */
  reads: Count
}

/** {@link ReadCounts} of tiles whose places are known. */
export interface StorageReadCounts extends ReadCounts {
  /** All bytes from storage. Tiles near each other are read together, with what lies between them. */
  vfs_bytes: Bytes
}

/** A change of the array, with the cost of the read before and after it. */
export interface Remedy {
  /** A description of the change. */
  change: string
  /**
   * `computed`: the changed array was made in memory, and the read was planned on it. `estimated`: from metadata, as if values were
   * compressed as well as now.
   */
  basis: 'computed' | 'estimated'
  before: ReadCounts
  after: ReadCounts
}

/** Makes a finding. Its severity and meaning follow from the code. */
export function advise(
  code: AdvisedFinding['code'],
  { message, field, effect, advice, remedies }: Omit<AdvisedFinding, 'code' | 'severity' | 'meaning'>,
): AdvisedFinding {
  const { severity, meaning } = { ...FINDING_CODES, ...ADVICE_CODES }[code]
  return { severity, code, field, message: grammatical(message), meaning, effect, advice, remedies }
}

const RANKS: Readonly<Record<Severity, number>> = { error: 2, warning: 1, note: 0 }

/** Sorts findings, the worst first: by severity, then by seconds. */
export function worstFirst(findings: readonly AdvisedFinding[]): AdvisedFinding[] {
  return [...findings].sort(
    (a, b) => RANKS[b.severity] - RANKS[a.severity] || (b.effect.seconds ?? 0) - (a.effect.seconds ?? 0),
  )
}
