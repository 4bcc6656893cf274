/**
 * How much a finding matters. `error`: readers fail, or get wrong cells. `warning`: something is wrong, but readers cope with it.
 * `note`: worth knowing.
 */
export type Severity = 'error' | 'warning' | 'note'

/** From the least to the most severe. */
export const SEVERITIES: readonly Severity[] = ['note', 'warning', 'error']

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least)
}

/** The severity of a finding, and its meaning for a reader. */
export type Meaning = readonly [Severity, string]

/** A way to mend a finding. plan/mending.ts describes each way in words. */
export type Mend =
  | 'aside'
  | 'empty-file'
  | 'cut-off'
  | 'list'
  | 'condition'
  | 'commit'
  | 'uncommitted'
  | 'dangling'
  | 'wrong-folder'
  | 'rename'
  | 'vacuum-file'
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

/** `cells` marks a code that only `--level cells` finds. */
type Code = readonly [...Meaning, Mend, level?: 'cells']

/**
 * Every finding code, with its severity, its meaning for a reader, and the way to mend it. Codes are part of the public contract:
 * they are never renamed. A known fault of a TileDB release has the same code, but becomes a `note`.
 */
export const FINDING_CODES = {
  // The array's folder, commits.
  ARRAY_NO_SCHEMA: ['error', 'without a schema nothing of the array can be read', 'copy'],
  ARRAY_UNKNOWN_ENTRY: ['note', 'TileDB skips files and folders whose names it does not know', 'aside'],
  LOCK_NOT_EMPTY: ['warning', 'TileDB only ever creates this file empty; something else wrote to it', 'empty-file'],
  FRAGMENT_NAME_INVALID: [
    'warning',
    'TileDB never gives a fragment such a name: it reads the folder only if a commit names it, and uses the parts of the name that it can read',
    'rename',
  ],
  FRAGMENT_WRONG_FOLDER: [
    'warning',
    'TileDB looks for fragments of this version elsewhere: it does not see this one',
    'wrong-folder',
  ],
  FRAGMENT_TIMESTAMPS: [
    'error',
    'TileDB refuses a name whose first timestamp is the later one: it fails to open the array',
    'rename',
  ],
  FRAGMENT_UNCOMMITTED: [
    'note',
    'no commit names the folder: readers do not see it (an unfinished or failed write)',
    'uncommitted',
  ],
  ARRAY_READS_EMPTY: [
    'error',
    'TileDB opens the array but finds no cells, because no commit names its fragments. Do not vacuum or delete them: their cells are nowhere else. Restore the commits from a copy of the array. Without a copy, make an empty file for each fragment that was written to its end (check --all says which): __commits/<name>.wrt, before format version 12 <name>.ok beside the fragment',
    'commit',
  ],
  FRAGMENT_FUTURE: [
    'warning',
    'TileDB does not read the fragment before that time, unless the array is opened at that time or later. If the time is wrong (not in milliseconds, or from a clock that was ahead), write the cells again',
    'rename',
  ],
  FRAGMENT_NO_METADATA: ['error', 'readers fail to open the fragment, and with it the array', 'recover-places'],
  COMMIT_UNREADABLE: ['error', 'readers do not know which fragments are committed', 'list'],
  COMMIT_DANGLING: [
    'error',
    'the commit names a fragment that is not there: TileDB since 2.8 fails to open the array',
    'dangling',
  ],
  COMMIT_NOT_EMPTY: [
    'warning',
    'TileDB only ever creates commit marks empty; something else wrote to it',
    'empty-file',
  ],
  COMMIT_NAME_INVALID: ['warning', 'TileDB skips the file, or uses the parts of its name that it can read', 'aside'],
  COMMIT_WRONG_FOLDER: [
    'warning',
    'TileDB looks for this commit elsewhere: the fragment may be invisible',
    'wrong-folder',
  ],
  VACUUM_DANGLING: [
    'note',
    'the fragments in the list are already gone, but the list is still there (an interrupted vacuum)',
    'list',
  ],
  VACUUM_UNCOMMITTED: [
    'warning',
    'the fragment that replaced those in the list is not committed: removing them loses their cells',
    'vacuum-file',
  ],
  VACUUM_HIDES_CELLS: [
    'error',
    'readers miss the cells of the fragments that the vacuum file lists, and no other fragment holds these cells. Do not vacuum or delete the fragments. Restore the fragment that the vacuum file is named after, with its commit. If there never was one, move the vacuum file out of the array: the fragments are then read again',
    'vacuum-file',
  ],
  IGNORE_DANGLING: ['note', 'no consolidated commits file lists what this file takes back', 'list'],
  DELETE_CONDITION_UNREADABLE: ['error', 'readers fail, or show cells that were deleted', 'condition'],
  DELETE_CONDITION_FIELD: [
    'error',
    'the condition compares a field that no schema of the array has: readers fail',
    'condition',
  ],
  DELETE_CONDITION_VALUE: [
    'error',
    "the size of the value is not that of the field's cells, or a set has no members with bytes: TileDB refuses the condition, and readers fail",
    'condition',
  ],
  DELETE_CONDITION_OPERANDS: [
    'error',
    'TileDB never combines conditions in this way: it refuses the condition, and readers fail',
    'condition',
  ],
  COMMIT_DUPLICATE: [
    'note',
    'the file lists the commit more than once: readers count it once, and TileDB lists each commit once',
    'list',
  ],
  DELETE_FUTURE: [
    'warning',
    'TileDB does not apply the condition before that time, unless the array is opened at that time or later. If the time is wrong (not in milliseconds, or from a clock that was ahead), delete the cells again',
    'rename',
  ],
  DELETE_CONDITION_DIFFERS: ['warning', 'two copies of one delete condition say different things', 'list'],
  CONSOLIDATED_METADATA_UNREADABLE: ['error', 'readers fail to open the array while this file is there', 'aside'],
  CONSOLIDATED_METADATA_OFFSET: ['error', 'readers take other bytes for the footer of this fragment', 'aside'],
  CONSOLIDATED_METADATA_DIFFERS: [
    'error',
    'readers take this copy and not the footer of the fragment itself, and so read other bytes than were written',
    'aside',
  ],
  CONSOLIDATED_METADATA_DANGLING: ['note', 'the file still holds the footer of a fragment that is gone', 'aside'],

  // Schemas and enumerations.
  SCHEMA_NAME_INVALID: [
    'error',
    'TileDB reads every file in __schema as a schema: it fails to open the array while this is there',
    'schema-file',
  ],
  SCHEMA_UNREADABLE: ['error', 'readers read all schemas of an array, so they fail to open it', 'schema-file'],
  SCHEMA_MISSING: [
    'error',
    'the footer names a schema that is not there: the fragment cannot be read',
    'recover-places',
  ],
  SCHEMA_NO_DIMENSION: ['error', 'an array has at least one dimension', 'copy'],
  SCHEMA_DUPLICATE_FIELD: ['error', 'two fields have the same name: readers take one for the other', 'copy'],
  SCHEMA_LAYOUT: ['error', 'no array has this order of cells or tiles: coordinates cannot be computed', 'schema'],
  SCHEMA_CAPACITY: ['error', 'tiles have no cells: the cells of sparse fragments cannot be found', 'schema'],
  SCHEMA_DOMAIN: ['error', 'the domain cannot be divided into tiles', 'schema'],
  SCHEMA_TILE_EXTENT: [
    'error',
    'the domain cannot be divided into tiles of this extent, or without an extent',
    'schema',
  ],
  SCHEMA_CURRENT_DOMAIN: ['error', 'readers fail on a current domain that does not lie inside the domain', 'schema'],
  SCHEMA_FILL_VALUE: [
    'error',
    'readers fill missing cells with this value, but its size is not that of a cell',
    'copy',
  ],
  SCHEMA_FILTER_UNKNOWN: ['error', 'no release has this filter: what it filtered cannot be read', 'schema'],
  SCHEMA_FILTER_COMPRESSOR: [
    'warning',
    'the number inside the options contradicts the filter; TileDB uses the filter',
    'schema',
  ],
  SCHEMA_FILTER_OPTIONS: [
    'warning',
    'TileDB never stores such a value for this option; readers may refuse it',
    'schema',
  ],
  ENUMERATION_UNLISTED: ['error', 'an attribute indexes an enumeration that the schema does not have', 'copy'],
  ENUMERATION_MISSING: ['error', 'the values that cells index are not there: only the indexes can be read', 'copy'],
  ENUMERATION_UNREADABLE: ['error', 'the values that cells index are lost: only the indexes can be read', 'copy'],
  ENUMERATION_NAME: [
    'error',
    'TileDB does not load an enumeration under another name than the schema gives it: only the indexes can be read',
    'copy',
  ],
  ENUMERATION_VALUES: ['error', 'it is unknown where each value begins', 'copy'],
  LABEL_DIMENSION: ['error', 'the label belongs to a dimension that the schema does not have', 'copy'],
  LABEL_MISSING: ['error', 'the array of the label is not there: the label cannot be read', 'copy'],

  // Files of a fragment.
  FILE_MISSING: ['error', 'readers fail on this field', 'drop'],
  FILE_SHORT: ['error', 'the end of the file is lost: readers fail on its last tiles', 'drop'],
  FILE_LONG: ['warning', 'readers never look at the bytes after the size that the footer gives', 'cut-off'],
  FILE_UNLISTED: ['warning', 'no field of the fragment has a file of this name: readers never look at it', 'aside'],

  // Footer.
  FOOTER_UNREADABLE: ['error', 'nothing of the fragment can be read', 'recover-places'],
  FOOTER_VERSION: [
    'warning',
    'name and footer disagree on the format version: TileDB uses the version of the footer to read the fragment, and that of the name for what depends on the time of a read',
    'recover-places',
  ],
  FOOTER_DENSE: ['error', 'readers take dense cells for sparse ones or the other way round', 'recover-places'],
  FIELD_CHANGED: [
    'error',
    'TileDB reads the stored cells as if they had the form that the array has for the attribute now: it fails, or gives values that nobody wrote. The attribute was dropped and added again with another type, number of values or nullability. decode shows the cells as they were written',
    'leave',
  ],
  FOOTER_NULL_DOMAIN: ['error', 'TileDB cannot read such footers', 'recover'],
  FOOTER_SLACK: ['note', 'readers skip bytes after the fields of a footer', 'leave'],
  FOOTER_LAST_TILE: [
    'error',
    'the last tile cannot have this number of cells: readers expect too many or too few',
    'recover-places',
  ],
  FOOTER_IGNORED_FIELD: ['note', 'readers do not use this number in dense fragments', 'leave'],
  FOOTER_FILE_SIZE: ['warning', 'the field has no such file', 'recover'],
  NONEMPTY_DOMAIN: [
    'error',
    'dense: readers lay the cells over another grid; sparse: readers skip cells',
    'recover-places',
  ],

  // Sections of the fragment metadata.
  SECTION_OFFSET: [
    'error',
    'the section cannot be read: readers fail when they need it, on its field or on the whole fragment',
    'recover-places',
  ],
  SECTION_UNREADABLE: ['error', 'readers fail when they need the section', 'recover-places'],
  SECTION_OVERLAP: ['error', 'two sections claim the same bytes: one of them is damaged', 'recover-places'],
  SECTION_GAP: ['warning', 'nothing in the footer points at these bytes: a section was lost or moved', 'recover'],
  GENERIC_TILE_HEADER: ['warning', 'TileDB never writes this, and never looks at it', 'schema'],
  RTREE_LEVELS: ['error', 'readers look for tiles in the R-tree: they miss cells without an error', 'recover'],
  RTREE_FANOUT: ['warning', 'TileDB always writes 10', 'recover'],
  RTREE_CONTAINMENT: [
    'error',
    'readers skip tiles whose boxes their parents do not contain: cells are missed',
    'recover',
  ],
  MBR_INVALID: ['error', 'readers skip the tile: its cells are missed', 'recover'],
  MBR_NONEMPTY_DOMAIN: ['error', 'boxes of tiles and non-empty domain disagree: one of them is wrong', 'recover'],
  RTREE_DENSE: ['note', 'dense fragments need no R-tree', 'leave'],
  TILE_OFFSETS_COUNT: ['error', 'the fragment has another number of tiles: readers fail', 'recover-places'],
  TILE_OFFSETS_ORDER: [
    'error',
    'tiles lie one after another from the start of the file, but these offsets do not: readers take wrong bytes for a tile',
    'recover-places',
  ],
  TILE_OFFSETS_OUTSIDE: ['error', 'the tile lies outside of its file: readers fail', 'recover-places'],
  STATISTICS_COUNT: [
    'error',
    'the list does not have one value for each tile: readers fail, or use the values of other tiles',
    'recover',
  ],
  PROCESSED_CONDITION_NAME: ['warning', 'the entry names no delete condition', 'leave'],

  // Data tiles.
  TILE_UNREADABLE: ['error', 'the cells of this field in this tile are lost', 'drop'],
  TILE_SIZE: ['error', 'the tile holds more or fewer bytes than its cells need: readers fail', 'drop'],
  TILE_TRAILING_BYTES: ['warning', 'readers never look at bytes after the last chunk', 'rewrite'],
  CHUNK_UNREADABLE: ['error', 'the filters of this chunk cannot be undone: its cells are lost', 'drop'],
  CHUNK_SPLITS_CELL: ['warning', 'since format 11 no cell lies in two chunks; readers that rely on it fail', 'rewrite'],
  CHECKSUM_MISMATCH: ['error', 'bytes changed since they were written: readers refuse the tile', 'drop'],

  // Cells.
  CELL_OFFSETS: ['error', 'it is unknown where the values of this tile begin', 'drop', 'cells'],
  CELL_VAR_SIZE: ['error', 'the size of the value is not a whole number of elements', 'drop', 'cells'],
  CELL_VALIDITY: ['warning', 'TileDB writes 0 or 1; readers may take other bytes for either', 'rewrite', 'cells'],
  CELL_BOOL: [
    'warning',
    'TileDB returns the stored byte as it is; readers may take a byte other than 0 and 1 for false or true',
    'rewrite',
    'cells',
  ],
  COORDINATE_DOMAIN: ['error', 'no query can select the cell', 'rewrite', 'cells'],
  COORDINATE_MBR: ['error', 'readers skip the tile when they look for this cell', 'recover', 'cells'],
  MBR_LOOSE: [
    'note',
    'the box of the tile is larger than its cells need: readers may read the tile without need',
    'recover',
    'cells',
  ],
  COORDINATE_ORDER: ['error', 'readers rely on the global order: merged reads give wrong results', 'rewrite', 'cells'],
  COORDINATE_DUPLICATE: [
    'error',
    'the schema forbids two cells at the same coordinates: readers show one of them',
    'rewrite',
    'cells',
  ],
  TILE_MIN_MAX: ['error', 'query conditions skip the tile, or aggregates are wrong', 'statistics', 'cells'],
  TILE_SUM: ['error', 'aggregates are wrong', 'statistics', 'cells'],
  TILE_NULL_COUNT: ['error', 'aggregates are wrong', 'statistics', 'cells'],
  FRAGMENT_MIN_MAX: ['error', 'aggregates are wrong', 'recover', 'cells'],
  FRAGMENT_SUM: ['error', 'aggregates are wrong', 'recover', 'cells'],
  FRAGMENT_NULL_COUNT: ['error', 'aggregates are wrong', 'recover', 'cells'],
  CELL_TIMESTAMP: ['error', 'the cell was written at a time that the name of its fragment excludes', 'leave', 'cells'],
  DELETE_TIMESTAMP: [
    'error',
    'readers show the cell at times at which it was deleted, or the other way round',
    'leave',
    'cells',
  ],
  DELETE_CONDITION_INDEX: [
    'error',
    'the cell was deleted by a condition that the fragment does not list',
    'leave',
    'cells',
  ],
  ENUMERATION_INDEX: ['warning', 'the cell indexes a value that its enumeration does not have', 'leave', 'cells'],

  // Key-value metadata and groups.
  METADATA_NAME_INVALID: [
    'error',
    'TileDB since 2.8 reads every file in the folder: it fails to open the array or group while this is there',
    'aside',
  ],
  METADATA_UNREADABLE: ['error', 'readers fail to open the array or group', 'aside'],
  METADATA_FUTURE: [
    'warning',
    'TileDB does not read this metadata before that time, unless the array or group is opened at that time or later. If the time is wrong (not in milliseconds, or from a clock that was ahead), write the metadata again',
    'rename',
  ],
  GROUP_DETAILS_UNREADABLE: ['error', 'the members of the group are unknown', 'members'],
  GROUP_DETAILS_FUTURE: [
    'warning',
    'TileDB does not read this list of members before that time, unless the group is opened at that time or later. If the time is wrong (not in milliseconds, or from a clock that was ahead), add the members again',
    'rename',
  ],
  GROUP_MEMBER_MISSING: ['warning', 'the group lists a member that is not there', 'members'],
  GROUP_MEMBER_TYPE: ['error', 'the group says that an array is a group, or the other way round', 'members'],
  GROUP_CYCLE: ['warning', 'the group contains itself: readers that walk it do not end', 'members'],
} as const satisfies Readonly<Record<string, Code>>

/** The code of a finding. Codes are never renamed. docs/check.md lists the meanings. */
export type FindingCode = keyof typeof FINDING_CODES

/** The codes that are mended in one of these ways. */
export type MendedBy<Way extends Mend> = {
  [Code in FindingCode]: (typeof FINDING_CODES)[Code][2] extends Way ? Code : never
}[FindingCode]

/** Whether a code is mended in one of these ways. */
export function isMendedBy<Way extends Mend>(code: FindingCode, ...ways: readonly Way[]): code is MendedBy<Way> {
  const [, , mend]: Code = FINDING_CODES[code]
  return ways.some((way) => way === mend)
}

/** Whether `recover` mends an error in a fragment. Metadata that is written again does not mend wrong cells. */
export function isMendedByRecover(code: FindingCode): boolean {
  return !isMendedBy(code, 'rewrite', 'leave')
}

/**
 * Codes about what makes reads of an undamaged array slow, or makes them need much memory. Each text has the meaning, and the limits
 * below which nothing is reported. Costs are those of S3 with 30 ms for a request, 8 requests at once, and 100 MB/s.
 */
export const ADVICE_CODES = {
  // Fragments and commits.
  FRAGMENTS_MANY: [
    'warning',
    'each read opens every fragment: several requests each, before the first cell. Reported for 10 or more fragments of less than 16 MiB on average, if one fragment in their place saves 0.1 s',
  ],
  FRAGMENTS_OVERLAP: [
    'warning',
    'many fragments hold the same box of cells: a read of it reads tiles of each, and compares their cells. Reported if a box of 1 % of the box around all fragments touches 5.5 fragments or more on average',
  ],
  FRAGMENTS_REPEATED: [
    'warning',
    'the array allows duplicates, and a fragment has the domain, sizes and statistics of another: reads return its cells twice. Reported for 100 cells and 5 % of all',
  ],
  METADATA_NOT_CONSOLIDATED: ['note', 'opening reads the footers of fragments one by one. Reported for 20 fragments'],
  COMMITS_NOT_CONSOLIDATED: [
    'note',
    'opening lists every commit file. Reported for 1,000 commit files, as many as one request lists',
  ],
  VACUUM_PENDING: [
    'note',
    'fragments that were consolidated are still there: they take space, and opening reads their .vac files. Reported for 8 such fragments or 1 MiB',
  ],
  // Tiles.
  TILES_SMALL: [
    'warning',
    'lists of tiles and headers of chunks take much of what is read. Reported for fragments with 100 tiles or more, if these take 20 % of the stored bytes and 32 KiB',
  ],
  TILES_LARGE: [
    'warning',
    'readers read whole tiles, so a small box costs as much as a large one. Reported for tiles of 8 MiB in all fields, if a box of 1 % of the domain reads 8 times the cells that it needs; for a query, if the query does, and reads 256 KiB too many before filtering',
  ],
  TILE_SHAPE: [
    'warning',
    'tiles are long and thin, so a box touches many of them. Reported if a box of 1 % of the domain reads 2.5 times what it reads in tiles of the same size and its own proportions, and 256 KiB more before filtering; for a query, if it also reads 8 times the cells in its ranges',
  ],
  BOXES_NOT_PRUNING: [
    'warning',
    'a range of a text dimension passes over few tiles. Reported for 16 tiles or more, if a value is in the boxes of 30 % of them, with 256 KiB before filtering',
  ],
  // Filters and values.
  STORED_LARGER: ['warning', 'the filters make a field larger. Reported if it is 5 % and 16 KiB larger'],
  FILTERS_SAVE_LITTLE: [
    'note',
    'undoing the filters of a field takes longer than reading the bytes that they save. Reported for fields that become less than 5 % smaller, if undoing the filters takes 0.02 s and half as long as reading them',
  ],
  FILTER_ORDER: [
    'warning',
    'a compressor comes before filters that rearrange values for it, or a checksum before a compressor. Reported if the other order makes a sample 5 % smaller, which is 16 KiB in all, or saves 0.1 s',
  ],
  NOTHING_COMPRESSED: [
    'warning',
    'more bytes are read than necessary. Reported for 1 MiB and half of the stored bytes without a compressor, if ZSTD makes a sample 25 % smaller',
  ],
  VALUES_CONSTANT: [
    'note',
    'all cells of an attribute have one value, and each read makes room for all of them. Reported for 64 KiB and 10 % of the bytes before filtering',
  ],
  STATISTICS_MISSING: [
    'note',
    'formats before 11 keep no minima and maxima of tiles: conditions read every tile, and aggregates every cell. Reported for 4 MiB and half of the stored bytes',
  ],
  DELETES_UNPURGED: [
    'warning',
    'each read loads the delete conditions, evaluates them on every cell, and drops what is deleted. Reported for 5 conditions, or if they certainly delete 20 % of the cells and at least 1,000; `explain --exact` counts them',
  ],
} as const satisfies Readonly<Record<string, Meaning>>

/** The code of a finding about the layout of an array. */
export type AdviceCode = keyof typeof ADVICE_CODES

/** The codes that only `--level cells` finds. */
export const CELL_CODES: ReadonlySet<string> = new Set(
  Object.entries<Code>(FINDING_CODES).flatMap(([code, [, , , level]]) => (level ? [code] : [])),
)

/** The meaning of a lost file of offsets, or of a part of it, if RLE or DICTIONARY_ENCODING keeps the offsets with the values. */
export const UNUSED_OFFSETS: Meaning = [
  'error',
  'readers fail on this field, although its values hold the offsets; nothing is lost, and decode reads it',
]

/** What readers lose without a section that only some of them need, or none. Measured with TileDB 2.30. */
export const LOST_SECTION = {
  aggregates: ['error', 'aggregates of the field fail; its cells can be read'],
  unneeded: ['warning', 'readers never need the section: the field has no such files'],
} as const satisfies Readonly<Record<string, Meaning>>

/**
 * Other meanings of some codes, for cases in which the usual one would be wrong. TileDB's behaviour was measured with 2.6 to
 * 2.30; test/fuzz/mutants_tiledb.py measures it again.
 * @see tiledb/sm/array/array_directory.cc; tiledb/sm/fragment/fragment_identifier.cc
 */
export const MEANINGS = {
  FIELD_CHANGED: {
    footer: [
      'error',
      'attributes were added or dropped after the fragment was written. Before format 10 the length of a footer is not stored: TileDB computes it from the newest schema, and fails to open the array. It opens at a time before the change',
    ],
  },
  FOOTER_VERSION: {
    elsewhere: [
      'error',
      'TileDB looks for the footer where the version in the name of the folder has it, takes other bytes for it, and fails to open the array',
    ],
  },
  ARRAY_UNKNOWN_ENTRY: {
    masking: ['error', 'TileDB fails to open the array: an empty file is named like one of the folders of arrays'],
  },
  FRAGMENT_TIMESTAMPS: {
    unseen: ['note', 'readers skip the folder, as no commit names it'],
  },
  ARRAY_READS_EMPTY: {
    lists: [
      'error',
      'TileDB opens the array but finds no cells, because vacuum or ignore files hide all fragments. Do not vacuum or delete them: their cells are nowhere else. The findings about those files say what to do',
    ],
    future: [
      'warning',
      'TileDB opens the array but finds no cells before the time in the names of the fragments. Do not delete them: their cells are nowhere else',
    ],
  },
  FRAGMENT_UNCOMMITTED: {
    ignored: [
      'warning',
      'an .ign file takes back the commit of the fragment: readers miss its cells. An interrupted deletion leaves such a file; if nobody deleted the fragment, the file does not belong there',
    ],
    replaced: [
      'note',
      'an .ign file takes back the commit of the fragment, and another fragment holds its cells (an interrupted vacuum)',
    ],
  },
  FRAGMENT_NO_METADATA: {
    uncommitted: ['note', 'readers skip it, as no commit names the fragment: a write that failed or is still going on'],
    future: ['warning', 'from the time in its name on, readers fail to open the fragment, and with it the array'],
    toVacuum: [
      'note',
      'readers skip it, because a .vac file hides the fragment, which waits for vacuum; in dense arrays and in formats before 15, reads as of a time before that of the .vac file still use it',
    ],
  },
  COMMIT_DANGLING: {
    skipped: ['warning', 'the fragment is gone, and its cells with it; TileDB reads what is left'],
    toVacuum: ['note', 'the fragment is gone, and a .vac file hides it: readers skip the commit'],
    future: ['warning', 'the fragment is gone: from the time in its name on, TileDB fails to open the array'],
  },
  COMMIT_UNREADABLE: {
    skipped: ['warning', 'TileDB skips lines that name no commit: readers do not see what these lines should commit'],
  },
  COMMIT_WRONG_FOLDER: {
    twice: ['error', 'TileDB takes it for another commit of the same fragment, and reads each of its cells twice'],
    listedTwice: [
      'warning',
      'TileDB takes it for another commit of the same fragment, lists the fragment twice and reads it twice',
    ],
  },
  COMMIT_NAME_INVALID: {
    fatal: ['error', 'TileDB recognizes the file by its suffix, cannot read the name, and fails to open the array'],
    folder: ['warning', 'TileDB asks only whether the name is there: the folder commits the fragment'],
    fatalFolder: ['error', 'TileDB recognizes it by its suffix, cannot read a folder, and fails to open the array'],
  },
  ENUMERATION_VALUES: {
    twice: ['error', 'TileDB does not load an enumeration that has a value twice: only the indexes can be read'],
  },
  SCHEMA_NAME_INVALID: {
    readable: ['warning', 'TileDB takes the file for one more schema'],
  },
  SCHEMA_DUPLICATE_FIELD: {
    own: [
      'error',
      'TileDB has an internal field with this name, and takes this one for it: reads fail, end the process, or give values that nobody wrote',
    ],
  },
  SCHEMA_DOMAIN: {
    denseFloat: ['error', 'dense arrays cannot have a float dimension: TileDB fails to open the array'],
  },
  SCHEMA_TILE_EXTENT: {
    sparse: [
      'warning',
      'TileDB refuses to create such an array, but needs no tile extent to read sparse cells: it opens the array and reads it all',
    ],
  },
  SCHEMA_FILL_VALUE: {
    sparse: [
      'warning',
      'TileDB refuses to create such an array, but sparse reads fill no cells: it opens the array and reads it all',
    ],
  },
  FILE_MISSING: {
    unusedOffsets: UNUSED_OFFSETS,
  },
  FILE_SHORT: {
    unusedOffsets: UNUSED_OFFSETS,
  },
  NONEMPTY_DOMAIN: {
    unwritten: [
      'error',
      'readers never show cells outside of the non-empty domain: the domain was larger when they were written, or the cells were changed since',
    ],
  },
  MBR_INVALID: {
    cells: [
      'error',
      'the box of the tile and its number of cells contradict each other: readers miss cells, or expect cells that are not there',
    ],
  },
  SECTION_OFFSET: LOST_SECTION,
  SECTION_UNREADABLE: LOST_SECTION,
  GENERIC_TILE_HEADER: {
    refused: ['warning', 'TileDB never writes this value; it may refuse the tile'],
  },
  TILE_UNREADABLE: {
    unusedOffsets: UNUSED_OFFSETS,
    unusedTile: ['warning', 'readers never look at the bytes of this tile, because the values hold the offsets'],
  },
  CHUNK_UNREADABLE: {
    brokenZstd: [
      'error',
      "the filters of this chunk cannot be undone: its cells are lost; TileDB's libzstd reads some broken frames without an error, and then gives other values",
    ],
    cutShort: [
      'error',
      'the chunk is empty, and TileDB before 2.27 wrote an incomplete GZIP stream for it: TileDB fails to read the tile; nothing is lost, and decode reads it',
    ],
    deltaOfNothing: [
      'note',
      'TileDB writes an empty chunk in this form under DELTA or DOUBLE_DELTA, but fails to read the tile; nothing is lost, and decode reads it',
    ],
    partOfNothing: [
      'note',
      'TileDB writes an empty chunk in this form with these filters, but fails to read the tile; nothing is lost, and decode reads it',
    ],
    otherTypes: [
      'warning',
      'TileDB before 2.17 gave each filter the type of the field. Later releases give it the type that the filter before it makes, and fail to read the tile or read other values; nothing is lost, and decode reads it',
    ],
    tailLost: [
      'warning',
      'TileDB dropped the bytes after the last whole element when it wrote. What a reader shows there is not defined, and cells may be wrong; decode takes zeros for the bytes',
    ],
    metadataTailLost: [
      'note',
      "TileDB dropped the end of another filter's metadata when it wrote, and may fail to read the tile; decode takes zeros for it, and reads the tile",
    ],
  },
  CELL_OFFSETS: {
    unusedStart: ['warning', 'readers never look at the start of this cell, which is padding; nothing is lost'],
  },
  TILE_NULL_COUNT: {
    notNullable: ['warning', 'the field is not nullable: TileDB stores no such counts, and readers ask for none'],
  },
  FRAGMENT_NULL_COUNT: {
    notNullable: ['warning', 'the field is not nullable: TileDB stores 0, and readers ask for none'],
  },
  GROUP_MEMBER_TYPE: {
    invalid: ['warning', 'the member did not exist when it was added: TileDB shows it as invalid'],
  },
  METADATA_NAME_INVALID: {
    readable: ['warning', 'TileDB takes what is in the file for metadata, too'],
  },
} as const satisfies { readonly [code in FindingCode]?: Readonly<Record<string, Meaning>> }
