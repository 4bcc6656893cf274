import type { FindingCode } from '../check/codes.ts'
import type { Finding } from '../check/finding.ts'

/**
 * Ways to mend a finding, in words for docs/check.md. Every way but `copy` and `leave` has steps that can be undone, byte for byte;
 * where a finding has none in the end, its plan says why.
 */
export const WAYS = {
  aside: 'move it out of the array',
  'empty-file': 'an empty file in its place',
  'cut-off': 'cut it off where it should end',
  list: 'the list anew, without the line',
  condition: 'move the condition out of the array: the cells come back',
  commit: 'an empty commit file for each whole fragment',
  uncommitted: 'commit it if the array reads empty, else move it out of the array',
  dangling: 'take the commit away; the fragment, where it lies elsewhere, goes to its place',
  'wrong-folder': 'move it to its place',
  rename: 'rename it, and its commit',
  'vacuum-file': 'commit the fragment that replaces the others; without one, move the .vac file out of the array',
  'schema-file': 'move it out of the array, if no fragment needs it',
  recover: '`recover`: the metadata of the fragment anew',
  statistics:
    '`recover`: the metadata of the fragment anew; only from a copy of the array, if check tells that the cells were changed',
  drop: '`recover --drop-damaged`: all other tiles',
  rewrite: 'the cells of the fragment once more, as `decode` shows them',
  schema: 'the schema anew, where what is wrong can be told; else only from a copy of the array',
  members: 'the list of members anew, by TileDB',
  copy: 'only from a copy of the array',
  leave: 'nothing: leave it as it is',
} as const

export type Way = keyof typeof WAYS

/** How a finding is mended, and what is lost already when it is found: undefined where that depends on the array. */
type Mending = readonly [way: Way, lost?: string]

const NOTHING = 'nothing: no reader needs it'
const STORED = 'nothing: its cells are still there'
const TIMES = 'nothing: it counts from the time in its name on'
const CONDITION = 'what the condition deletes: it cannot be applied'
const VALUES = 'the values of the enumeration; the cells still hold their indexes'
const SCHEMA = 'nothing of the cells; but without the right schema readers cannot tell what they are'
/** Of a fragment of which it is told elsewhere that cells were changed, it says nothing more. */
export const UNSURE = 'perhaps cells: either the cells changed, or what was computed from them; nobody can tell which'

const CHANGED = 'cells: they were changed since they were written; nothing here tells which of them, and what they were'
const WRONG_STATISTICS = 'nothing: only the metadata is wrong'

/** The one list of what mends each finding code. */
export const MENDING: Readonly<Record<FindingCode, Mending>> = {
  ARRAY_NO_SCHEMA: ['copy', 'all schemas: nothing else in the array tells what the cells are'],
  ARRAY_UNKNOWN_ENTRY: ['aside', NOTHING],
  LOCK_NOT_EMPTY: ['empty-file', NOTHING],
  FRAGMENT_NAME_INVALID: ['rename', STORED],
  FRAGMENT_WRONG_FOLDER: ['wrong-folder', STORED],
  FRAGMENT_TIMESTAMPS: ['rename', STORED],
  FRAGMENT_UNCOMMITTED: ['uncommitted'],
  ARRAY_READS_EMPTY: ['commit', 'nothing: all cells are there, but no reader sees them'],
  FRAGMENT_FUTURE: ['rename', TIMES],
  FRAGMENT_NO_METADATA: ['recover', 'nothing but the metadata: the cells are still in the data files'],
  COMMIT_UNREADABLE: ['list', 'what the file lists after the damage'],
  COMMIT_DANGLING: ['dangling'],
  COMMIT_NOT_EMPTY: ['empty-file', NOTHING],
  COMMIT_NAME_INVALID: ['aside', NOTHING],
  COMMIT_WRONG_FOLDER: ['wrong-folder', STORED],
  VACUUM_DANGLING: ['list', NOTHING],
  VACUUM_UNCOMMITTED: ['vacuum-file', STORED],
  VACUUM_HIDES_CELLS: ['vacuum-file', 'nothing: all cells are there, but readers miss those of the listed fragments'],
  IGNORE_DANGLING: ['list', NOTHING],
  DELETE_FUTURE: ['rename', TIMES],
  DELETE_CONDITION_UNREADABLE: ['condition', CONDITION],
  DELETE_CONDITION_FIELD: ['condition', CONDITION],
  DELETE_CONDITION_VALUE: ['condition', CONDITION],
  DELETE_CONDITION_OPERANDS: ['condition', CONDITION],
  COMMIT_DUPLICATE: ['list', NOTHING],
  DELETE_CONDITION_DIFFERS: ['list', 'nothing but which of the two conditions was meant'],
  CONSOLIDATED_METADATA_UNREADABLE: ['aside', 'nothing: every fragment has its own footer'],
  CONSOLIDATED_METADATA_OFFSET: ['aside', 'nothing: every fragment has its own footer'],
  CONSOLIDATED_METADATA_DIFFERS: ['aside', 'nothing: every fragment has its own footer'],
  CONSOLIDATED_METADATA_DANGLING: ['aside', 'nothing: every fragment has its own footer'],

  SCHEMA_NAME_INVALID: ['schema-file'],
  SCHEMA_UNREADABLE: ['schema-file'],
  SCHEMA_MISSING: ['recover', 'nothing but the name of its schema: the cells are still there'],
  SCHEMA_NO_DIMENSION: ['copy', SCHEMA],
  SCHEMA_DUPLICATE_FIELD: ['copy', SCHEMA],
  SCHEMA_LAYOUT: ['schema', SCHEMA],
  SCHEMA_CAPACITY: ['schema', SCHEMA],
  SCHEMA_DOMAIN: ['schema', SCHEMA],
  SCHEMA_TILE_EXTENT: ['schema', SCHEMA],
  SCHEMA_CURRENT_DOMAIN: ['schema', SCHEMA],
  SCHEMA_FILL_VALUE: ['copy', SCHEMA],
  SCHEMA_FILTER_UNKNOWN: ['schema', SCHEMA],
  SCHEMA_FILTER_COMPRESSOR: [
    'schema',
    'nothing: decode uses the filter; TileDB may use the number, and fail to read tiles',
  ],
  SCHEMA_FILTER_OPTIONS: ['schema', NOTHING],
  ENUMERATION_UNLISTED: ['copy', VALUES],
  ENUMERATION_MISSING: ['copy', VALUES],
  ENUMERATION_UNREADABLE: ['copy', VALUES],
  ENUMERATION_NAME: [
    'copy',
    'nothing but the right name; TileDB fails to read the attributes that use the enumeration',
  ],
  ENUMERATION_VALUES: ['copy', VALUES],
  LABEL_DIMENSION: ['copy', SCHEMA],
  LABEL_MISSING: ['copy', 'the labels; cells can still be read by their coordinates'],

  FILE_MISSING: ['drop'],
  FILE_SHORT: ['drop'],
  FILE_LONG: ['cut-off', NOTHING],
  FILE_UNLISTED: ['aside', NOTHING],

  FOOTER_UNREADABLE: ['recover', STORED],
  FOOTER_VERSION: ['recover', STORED],
  FOOTER_DENSE: ['recover', STORED],
  FIELD_CHANGED: ['leave', 'nothing: decode shows the cells as they were written'],
  FOOTER_NULL_DOMAIN: ['recover', STORED],
  FOOTER_SLACK: ['leave', NOTHING],
  FOOTER_LAST_TILE: ['recover', STORED],
  FOOTER_IGNORED_FIELD: ['leave', NOTHING],
  FOOTER_FILE_SIZE: ['recover', STORED],
  NONEMPTY_DOMAIN: ['recover', UNSURE],
  SECTION_OFFSET: ['recover', STORED],
  SECTION_UNREADABLE: ['recover', STORED],
  SECTION_OVERLAP: ['recover', STORED],
  SECTION_GAP: ['recover', STORED],
  GENERIC_TILE_HEADER: ['schema', NOTHING],
  RTREE_LEVELS: ['recover', STORED],
  RTREE_FANOUT: ['recover', STORED],
  RTREE_CONTAINMENT: ['recover', STORED],
  MBR_INVALID: ['recover', STORED],
  MBR_NONEMPTY_DOMAIN: ['recover', STORED],
  RTREE_DENSE: ['leave', NOTHING],
  TILE_OFFSETS_COUNT: ['recover', STORED],
  TILE_OFFSETS_ORDER: ['recover', STORED],
  TILE_OFFSETS_OUTSIDE: ['recover', STORED],
  STATISTICS_COUNT: ['recover', STORED],
  PROCESSED_CONDITION_NAME: ['leave', NOTHING],

  TILE_UNREADABLE: ['drop'],
  TILE_SIZE: ['drop'],
  TILE_TRAILING_BYTES: ['rewrite', NOTHING],
  CHUNK_UNREADABLE: ['drop'],
  CHUNK_SPLITS_CELL: ['rewrite', NOTHING],
  CHECKSUM_MISMATCH: ['drop'],

  CELL_OFFSETS: ['drop'],
  CELL_VAR_SIZE: ['drop'],
  CELL_VALIDITY: ['rewrite', 'whether the cell was null: readers take it for not null'],
  CELL_BOOL: ['rewrite', 'which of the two values was meant: readers take it for true'],
  COORDINATE_DOMAIN: ['rewrite', 'where the cell was'],
  COORDINATE_MBR: ['recover', UNSURE],
  MBR_LOOSE: ['recover', STORED],
  COORDINATE_ORDER: ['rewrite', UNSURE],
  COORDINATE_DUPLICATE: ['rewrite', UNSURE],
  TILE_MIN_MAX: ['statistics', UNSURE],
  TILE_SUM: ['statistics', UNSURE],
  TILE_NULL_COUNT: ['statistics', UNSURE],
  FRAGMENT_MIN_MAX: ['recover', UNSURE],
  FRAGMENT_SUM: ['recover', UNSURE],
  FRAGMENT_NULL_COUNT: ['recover', UNSURE],
  CELL_TIMESTAMP: ['leave', 'when the cell was written'],
  DELETE_TIMESTAMP: ['leave', 'when the cell was deleted'],
  DELETE_CONDITION_INDEX: ['leave', 'which condition deleted the cell'],
  ENUMERATION_INDEX: ['leave', 'which value the cell has'],

  METADATA_NAME_INVALID: ['aside'],
  METADATA_UNREADABLE: ['aside', 'the keys that were set in this file; those of other files are still there'],
  METADATA_FUTURE: ['rename', TIMES],
  GROUP_DETAILS_UNREADABLE: ['members', 'which members this file added or removed, and their names'],
  GROUP_DETAILS_FUTURE: ['rename', TIMES],
  GROUP_MEMBER_MISSING: ['members', 'the member, if it did not move'],
  GROUP_MEMBER_TYPE: ['members', 'nothing: the member is there'],
  GROUP_CYCLE: ['members', 'nothing: the group is there'],
}

/** What is lost already when it is found: undefined where that depends on the array. */
export function lostOf({ code, wrong }: Finding): string | undefined {
  if (wrong === 'cells') return CHANGED
  return wrong === 'metadata' ? WRONG_STATISTICS : MENDING[code][1]
}
