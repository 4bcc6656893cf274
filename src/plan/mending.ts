import { FINDING_CODES, type FindingCode, MEANINGS, type Mend, type MendedBy, UNUSED_OFFSETS } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'

/** A way to mend a finding. No code has the way `zeros`, only other meanings of some codes. */
export type Way = Exclude<Mend, 'recover-places'> | 'zeros'

/**
 * The ways in words, for docs/check.md. Every way but `copy` and `leave` has steps that can be undone, byte for byte. If a finding has no
 * steps after all, its plan says why.
 */
export const WAYS: Readonly<Record<Way, string>> = {
  aside: 'move it out of the array',
  'empty-file': 'move it out of the array, and put an empty file in its place',
  'cut-off': 'cut the file off where it should end',
  zeros: 'fill the file with zeros, as TileDB does',
  list: 'write the list again, without the line',
  condition: 'move the condition out of the array; the cells that it deleted come back',
  commit: 'create an empty commit file for each whole fragment',
  uncommitted: 'commit it if the array reads empty; otherwise move it out of the array',
  dangling: 'move the commit out of the array; if its fragment lies elsewhere, move the fragment to its place',
  'wrong-folder': 'move it to its place',
  rename: 'rename it, and its commit',
  'vacuum-file': 'commit the fragment that replaces the others; without one, move the .vac file out of the array',
  'schema-file': 'move it out of the array, if no fragment needs it',
  recover: '`recover` writes the metadata of the fragment again',
  statistics:
    '`recover` writes the metadata of the fragment again; if check tells that the cells were changed, only a copy of the array helps',
  drop: '`recover --drop-damaged` keeps all other tiles',
  rewrite: 'write the cells of the fragment again, as `decode` shows them',
  schema: 'write the schema again, if the file tells what is right; otherwise only a copy of the array helps',
  members: 'TileDB writes the list of members again',
  copy: 'only a copy of the array helps',
  leave: 'nothing: leave it as it is',
}

/** The way to mend a code. */
export function wayOfCode(code: FindingCode): Way {
  const [, , mend] = FINDING_CODES[code]
  return mend === 'recover-places' ? 'recover' : mend
}

/** Ways that write a fragment anew. */
export const ANEW: ReadonlySet<Way> = new Set<Way>(['recover', 'statistics', 'drop', 'rewrite'])

/** Codes whose other meanings say that `decode` reads the cells, so that they can be written again. */
const REWRITTEN: ReadonlySet<FindingCode> = new Set<FindingCode>(['CHUNK_UNREADABLE', 'CELL_OFFSETS'])

/** Meanings of findings about files of offsets that the values hold, too. */
const UNUSED = [UNUSED_OFFSETS, MEANINGS.TILE_UNREADABLE.unusedTile].map(([, meaning]) => meaning)

/** The way to mend a finding. Fragments with a known fault of a TileDB release are not written anew. */
export function wayOf({ code, severity, meaning }: Pick<Finding, 'code' | 'severity' | 'meaning'>): Way {
  const way = wayOfCode(code)
  if (UNUSED.some((unused) => meaning.startsWith(unused))) return 'zeros'
  if (!ANEW.has(way)) return way
  const [usual, ownMeaning] = FINDING_CODES[code]
  if (REWRITTEN.has(code) && !meaning.startsWith(ownMeaning)) return severity === 'note' ? 'leave' : 'rewrite'
  return severity === 'note' && usual !== 'note' ? 'leave' : way
}

const NOTHING = 'nothing: no reader needs it'
const STORED = 'nothing: its cells are still there'
const VALUES = 'the values of the enumeration; the cells still hold their indexes'
const SCHEMA = 'nothing: the cells are still there, but readers need the right schema to understand them'
const OWN_FOOTER = 'nothing: every fragment has its own footer'
/** Left out of a plan that says that cells were changed. */
export const UNSURE =
  'perhaps cells: either the cells were changed, or the metadata that was computed from them; nobody can tell which'

const CHANGED = 'cells: some were changed after they were written; nothing here tells which ones, or what they were'
const WRONG_STATISTICS = 'nothing: only the metadata is wrong'

/** What is already lost when a finding is mended in this way; undefined if that depends on the array. */
const USUALLY_LOST = {
  aside: NOTHING,
  'empty-file': NOTHING,
  'cut-off': NOTHING,
  list: NOTHING,
  condition: 'what the condition deletes: it cannot be applied',
  uncommitted: undefined,
  dangling: undefined,
  'wrong-folder': STORED,
  rename: 'nothing: readers see it from the time in its name on',
  'vacuum-file': STORED,
  'schema-file': undefined,
  recover: STORED,
  'recover-places': STORED,
  statistics: UNSURE,
  drop: undefined,
  schema: SCHEMA,
} as const satisfies { readonly [mend in Mend]?: string | undefined }

/** What is already lost with codes whose way does not tell, and with codes that are exceptions of their way. */
type Lost = { readonly [code in MendedBy<Exclude<Mend, keyof typeof USUALLY_LOST>>]: string } & {
  readonly [code in FindingCode]?: string | undefined
}

const LOST: Lost = {
  ARRAY_NO_SCHEMA: 'all schemas: nothing else in the array tells what the cells are',
  FRAGMENT_NAME_INVALID: STORED,
  FRAGMENT_TIMESTAMPS: STORED,
  ARRAY_READS_EMPTY: 'nothing: all cells are there, but no reader sees them',
  FRAGMENT_NO_METADATA: 'nothing but the metadata: the cells are still in the data files',
  COMMIT_UNREADABLE: 'what the file lists after the damage',
  VACUUM_HIDES_CELLS: 'nothing: all cells are there, but readers miss those of the listed fragments',
  DELETE_CONDITION_DIFFERS: 'nothing but which of the two conditions was meant',
  CONSOLIDATED_METADATA_UNREADABLE: OWN_FOOTER,
  CONSOLIDATED_METADATA_OFFSET: OWN_FOOTER,
  CONSOLIDATED_METADATA_DIFFERS: OWN_FOOTER,
  CONSOLIDATED_METADATA_DANGLING: OWN_FOOTER,
  SCHEMA_MISSING: 'nothing but the name of its schema: the cells are still there',
  SCHEMA_NO_DIMENSION: SCHEMA,
  SCHEMA_DUPLICATE_FIELD: SCHEMA,
  SCHEMA_FILL_VALUE: SCHEMA,
  SCHEMA_FILTER_COMPRESSOR: 'nothing: decode uses the filter; TileDB may use the number, and fail to read tiles',
  SCHEMA_FILTER_OPTIONS: NOTHING,
  ENUMERATION_UNLISTED: VALUES,
  ENUMERATION_MISSING: VALUES,
  ENUMERATION_UNREADABLE: VALUES,
  ENUMERATION_NAME: 'nothing but the right name; TileDB fails to read the attributes that use the enumeration',
  ENUMERATION_VALUES: VALUES,
  LABEL_DIMENSION: SCHEMA,
  LABEL_MISSING: 'the labels; cells can still be read by their coordinates',
  FIELD_CHANGED: 'nothing: decode shows the cells as they were written',
  FOOTER_SLACK: NOTHING,
  FOOTER_IGNORED_FIELD: NOTHING,
  NONEMPTY_DOMAIN: UNSURE,
  GENERIC_TILE_HEADER: 'nothing: readers need this file, but not the part of it that is wrong',
  RTREE_DENSE: NOTHING,
  PROCESSED_CONDITION_NAME: NOTHING,
  TILE_TRAILING_BYTES: NOTHING,
  CHUNK_SPLITS_CELL: NOTHING,
  CELL_VALIDITY: 'whether the cell was null: readers take it for not null',
  CELL_BOOL: 'which of the two values was meant: readers take it for true',
  COORDINATE_DOMAIN: 'where the cell was',
  COORDINATE_MBR: UNSURE,
  COORDINATE_ORDER: UNSURE,
  COORDINATE_DUPLICATE: UNSURE,
  FRAGMENT_MIN_MAX: UNSURE,
  FRAGMENT_SUM: UNSURE,
  FRAGMENT_NULL_COUNT: UNSURE,
  CELL_TIMESTAMP: 'when the cell was written',
  DELETE_TIMESTAMP: 'when the cell was deleted',
  DELETE_CONDITION_INDEX: 'which condition deleted the cell',
  ENUMERATION_INDEX: 'which value the cell has',
  METADATA_NAME_INVALID: undefined,
  METADATA_UNREADABLE: 'the keys that were set in this file; those of other files are still there',
  GROUP_DETAILS_UNREADABLE: 'which members this file added or removed, and their names',
  GROUP_MEMBER_MISSING: 'the member, unless it was only moved',
  GROUP_MEMBER_TYPE: 'nothing: the member is there',
  GROUP_CYCLE: 'nothing: the group is there',
}

/** What is already lost with a code; undefined if that depends on the array. */
function lostOfCode(code: FindingCode): string | undefined {
  if (code in LOST) return LOST[code]
  const usual: { readonly [mend in Mend]?: string | undefined } = USUALLY_LOST
  return usual[FINDING_CODES[code][2]]
}

/** Meanings of findings about tiles that `decode` reads. */
const READ_BY_DECODE = [
  ...UNUSED,
  MEANINGS.CHUNK_UNREADABLE.cutShort[1],
  MEANINGS.CHUNK_UNREADABLE.otherTypes[1],
  MEANINGS.CELL_OFFSETS.unusedStart[1],
]

/** What is already lost with a finding; undefined if that depends on the array. */
export function lostOf({ code, wrong, meaning }: Finding): string | undefined {
  if (READ_BY_DECODE.some((text) => meaning.startsWith(text))) return STORED
  if (wrong === 'cells') return CHANGED
  return wrong === 'metadata' ? WRONG_STATISTICS : lostOfCode(code)
}
