import { ARRAY_CODES } from './codes/array.ts'
import { TILE_CODES } from './codes/cell.ts'
import { FRAGMENT_CODES } from './codes/fragment.ts'
import { GENOMICSDB_CODES } from './codes/genomicsdb.ts'
import { GROUP_CODES } from './codes/group.ts'
import { KNOWN_FAULTS, type KnownFault } from './codes/known.ts'
import { LAYER_CODES } from './codes/layer.ts'
import {
  type CodeRow,
  type Loss,
  loss,
  type Meaning,
  type Mend,
  noLoss,
  type Refusal,
  type Severity,
  USUALLY_LOST,
} from './codes/row.ts'
import { SCHEMA_CODES } from './codes/schema.ts'

export { ADVICE_CODES, type AdviceCode } from './codes/advice.ts'
export type { Loss, Mend, Severity } from './codes/row.ts'

/** From the least to the most severe. */
export const SEVERITIES: readonly Severity[] = ['note', 'warning', 'error']

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least)
}

/**
 * Every finding code: its severity, its meaning for a reader, the way to mend it, what is lost, and its variants. Codes are part of the
 * public contract: they are never renamed.
 *
 * A variant says what a code means where the usual meaning would be wrong. TileDB's behaviour was measured with 2.6 to 2.30;
 * test/fuzz/mutants_tiledb.py measures it again.
 * @see tiledb/sm/array/array_directory.cc; tiledb/sm/fragment/fragment_identifier.cc
 */
export const FINDING_CODES = {
  ...ARRAY_CODES,
  ...SCHEMA_CODES,
  ...FRAGMENT_CODES,
  ...TILE_CODES,
  ...GROUP_CODES,
  ...LAYER_CODES,
  ...GENOMICSDB_CODES,
}

/** The code of a finding. Codes are never renamed. docs/check.md lists the meanings. */
export type FindingCode = keyof typeof FINDING_CODES

/** The keys of a code's variants. */
export type VariantOf<Code extends FindingCode> = Code extends FindingCode
  ? (typeof FINDING_CODES)[Code] extends { variants: infer Variants }
    ? keyof Variants & string
    : never
  : never

/** What a finding is, in keys. How severe it is, what it means, how it is mended and what is lost follow from these. */
export interface FindingState {
  code: FindingCode
  /** The key of a variant of the code. */
  variant?: string | undefined
  /** The known faults of TileDB releases that explain it. */
  knownFaults?: readonly KnownFault[] | undefined
  /** Which side is wrong if cells and metadata disagree; undefined if unknown. */
  wrong?: 'cells' | 'metadata' | undefined
  /** The one cell that was changed after it was written, in words; undefined if unknown. */
  changed?: string | undefined
}

/** {@link FINDING_CODES}, each row as what any row may have. One table, so that a row that lacks something is told once. */
export const CODE_ROWS: Readonly<Record<FindingCode, CodeRow>> = FINDING_CODES

/** The codes that are mended in one of these ways. */
export type MendedBy<Way extends Mend> = {
  [Code in FindingCode]: (typeof FINDING_CODES)[Code]['mend'] extends Way ? Code : never
}[FindingCode]

/** Whether a code is mended in one of these ways. */
export function isMendedBy<Way extends Mend>(code: FindingCode, ...ways: readonly Way[]): code is MendedBy<Way> {
  const { mend } = CODE_ROWS[code]
  return ways.some((way) => way === mend)
}

/** Whether `recover` mends an error in a fragment. Metadata that is written again does not mend wrong cells. */
export function isMendedByRecover(code: FindingCode): boolean {
  return !isMendedBy(code, 'rewrite', 'leave')
}

/** {@link isMendedByRecover} of a finding: a variant may be mended in another way than its code. */
export function isMendedByRecovering({ code, variant }: FindingState): boolean {
  const mend = mendOf({ code, variant })
  return mend !== 'rewrite' && mend !== 'leave'
}

/** Whether only `--level cells` finds a code. */
export function needsCells(code: FindingCode): boolean {
  const { level } = CODE_ROWS[code]
  return level === 'cells'
}

/** Whether only `--all` finds a code. */
export function needsAll(code: FindingCode): boolean {
  const { onlyAll } = CODE_ROWS[code]
  return onlyAll === true
}

/** Whether faults of fragments may follow from a code while it is an error. */
export function isRoot(code: FindingCode): boolean {
  const row = CODE_ROWS[code]
  return row.isRoot === true
}

/** {@link Meaning} of a finding. */
export function meaningOf({ code, variant, knownFaults = [] }: FindingState): Meaning {
  if (knownFaults.length > 0)
    return { severity: 'note', meaning: knownFaults.map((fault) => KNOWN_FAULTS[fault]).join('; ') }
  const row = CODE_ROWS[code]
  return (variant === undefined ? undefined : row.variants?.[variant]) ?? row
}

/** Ways that write a fragment anew. Those with a known fault of a TileDB release are not written anew: they would have it again. */
export const ANEW: ReadonlySet<Mend> = new Set<Mend>(['recover', 'recover-places', 'statistics', 'drop', 'rewrite'])

/** How a finding is mended. */
export function mendOf({ code, variant, knownFaults = [] }: FindingState): Mend {
  const { mend, variants } = CODE_ROWS[code]
  if (knownFaults.length > 0) return ANEW.has(mend) ? 'leave' : mend
  return (variant === undefined ? undefined : variants?.[variant]?.mend) ?? mend
}

/** What TileDB refuses because of an error; undefined if it reads on, rightly or wrongly. */
export function refusalOf({ code, variant, severity }: FindingState & Meaning): Refusal | undefined {
  if (severity !== 'error') return undefined
  const row = CODE_ROWS[code]
  const ofVariant = variant === undefined ? undefined : row.variants?.[variant]?.refused
  return ofVariant === undefined ? row.refused : (ofVariant ?? undefined)
}

const CHANGED = loss(
  'cells: some were changed after they were written; those below the stored minimum of their tile or above its maximum are among them (read --where finds them), nothing tells the others, or what they were',
)
const WRONG_STATISTICS = noLoss('nothing: only the metadata is wrong')

/** {@link Loss} of a finding; undefined if the array has to be asked. */
export function lostOf({ code, variant, wrong, changed }: FindingState): Loss | undefined {
  const row = CODE_ROWS[code]
  const ofVariant = variant === undefined ? undefined : row.variants?.[variant]?.lost
  if (ofVariant) return ofVariant
  if (wrong !== undefined) {
    if (wrong === 'metadata') return WRONG_STATISTICS
    return changed === undefined ? CHANGED : loss(`one cell: ${changed} before it was changed`)
  }
  if ('lost' in row) return row.lost
  const usual: { readonly [mend in Mend]?: Loss | undefined } = USUALLY_LOST
  return usual[row.mend]
}
