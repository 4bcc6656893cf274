import type { Prose } from '../../base/prose.ts'
import type { RefusedAct } from '../../objects/condition.ts'

/** `error`: readers fail or get wrong cells. `warning`: something is not as it should be. `note`: worth knowing. */
export type Severity = 'error' | 'warning' | 'note'

/** A way to mend a finding. mend/ways.ts describes each way in words. */
export type Mend =
  | 'aside'
  | 'empty-file'
  | 'cut-off'
  // Only variants are mended in these two ways.
  | 'exchange'
  | 'zeros'
  | 'list'
  | 'line'
  | 'condition'
  // Only a variant is mended so.
  | 'condition-file'
  | 'commit'
  // Of a fragment of GenomicsDB.
  | 'mark'
  | 'uncommitted'
  | 'dangling'
  | 'wrong-folder'
  | 'rename'
  | 'swap-times'
  // The time in the name counts microseconds or nanoseconds.
  | 'fragment-milliseconds'
  | 'milliseconds'
  | 'vacuum-file'
  // Fragments whose cells are read twice.
  | 'twice'
  | 'schema-file'
  | 'recover'
  // As `recover`, for metadata that says where tiles are. Until then, undamaged tiles cannot be read.
  | 'recover-places'
  | 'statistics'
  // Readers lose a tile or a whole data file.
  | 'drop'
  | 'rewrite'
  | 'schema'
  | 'members'
  | 'copy'
  | 'leave'

/** What is already lost with a finding. */
export interface Loss {
  /** Whether something is lost. If not, the text says why. */
  isLost: boolean
  text: Prose
}

/** Says what is lost. */
export function loss(text: string): Loss {
  return { isLost: true, text }
}

/** Says that nothing is lost, and why. */
export function noLoss(text: string): Loss {
  return { isLost: false, text }
}

export const STORED = noLoss('nothing: its cells are still there')
export const UNNEEDED = noLoss('nothing: no reader needs it')
export const LISTED = noLoss('nothing: the list holds the condition')
export const OWN_FOOTER = noLoss('nothing: every fragment has its own footer')
const FROM_ITS_TIME = noLoss('nothing: readers see it from the time in its name on')
/** Left out of a plan that says that cells were changed. */
export const UNSURE = loss(
  'perhaps cells: either the cells were changed, or the metadata that was computed from them; nobody can tell which',
)

/** What is lost if a code is mended in this way, and its row says nothing else. Undefined if that depends on the array. */
export const USUALLY_LOST = {
  aside: UNNEEDED,
  'empty-file': UNNEEDED,
  'cut-off': UNNEEDED,
  list: UNNEEDED,
  condition: loss('what the condition deletes: it cannot be applied'),
  mark: STORED,
  uncommitted: undefined,
  dangling: undefined,
  'wrong-folder': STORED,
  rename: FROM_ITS_TIME,
  'swap-times': FROM_ITS_TIME,
  'fragment-milliseconds': FROM_ITS_TIME,
  milliseconds: FROM_ITS_TIME,
  'vacuum-file': STORED,
  twice: STORED,
  'schema-file': undefined,
  recover: STORED,
  'recover-places': STORED,
  statistics: UNSURE,
  drop: undefined,
  schema: noLoss('nothing: the cells are still there, but readers need the right schema to understand them'),
} as const satisfies { readonly [mend in Mend]?: Loss | undefined }

/** What TileDB refuses because of a finding, as measured with MEASURED_RELEASE (format/releases.ts). */
export interface Refusal {
  act: RefusedAct
  /** The words by which TileDB's error is known. Paths and numbers are left out. */
  error: string
}

/** How severe a finding is, and what it means for a reader. */
export interface Meaning {
  severity: Severity
  meaning: Prose
}

/**
 * Another state of what a code finds, where the usual severity or meaning would be wrong. What the variant does not say is as in the
 * row of the code.
 */
export interface VariantRow extends Meaning {
  mend?: Mend
  lost?: Loss
  /** Null if TileDB refuses nothing in this state, though it does in the usual one. */
  refused?: Refusal | null
}

/** What is lost: to be said if the way of mending does not tell. */
type Mending =
  | { mend: keyof typeof USUALLY_LOST; lost?: Loss | undefined }
  | { mend: Exclude<Mend, keyof typeof USUALLY_LOST>; lost: Loss | undefined }

/** All about a code: its usual meaning, how it is mended, what is lost, and its variants. */
export type CodeRow = Meaning &
  Mending & {
    /** What TileDB refuses, if it refuses anything while the finding is an error. */
    refused?: Refusal
    /** Set if only `--level cells` finds it. */
    level?: 'cells'
    /** Set if only `--all` finds it. */
    onlyAll?: true
    /** Set if faults of fragments may follow from it while it is an error: they are looked at again once it is mended. */
    isRoot?: true
    variants?: Readonly<Record<string, VariantRow>>
  }

export type CodeRows = Readonly<Record<string, CodeRow>>

/** A generic tile that TileDB fails to read, though this program does: its filter names another compressor. @param what TileDB cannot read */
export function oddCompressorRow(act: RefusedAct, what: string): VariantRow {
  return {
    severity: 'error',
    meaning: `the number inside the options of the file's own filter contradicts the filter: TileDB goes by the number, and fails to ${what} (measured with 2.30). This program goes by the filter`,
    refused: { act, error: 'that of the compressor of this number' },
  }
}

/** A lost file of offsets, or a part of it, if RLE or DICTIONARY_ENCODING keeps the offsets with the values. */
export const UNUSED_OFFSETS = {
  severity: 'error',
  meaning: 'readers fail on this field, although its values hold the offsets; nothing is lost, and decode reads it',
  mend: 'zeros',
  lost: STORED,
} as const satisfies VariantRow
