import {
  type CodeRows,
  loss,
  noLoss,
  oddCompressorRow,
  type Refusal,
  UNNEEDED,
  UNSURE,
  UNUSED_OFFSETS,
  type VariantRow,
} from './row.ts'

/** What readers lose without a section that only some of them need, or none. Measured with TileDB 2.30. */
const LOST_SECTION = {
  aggregates: { severity: 'error', meaning: 'aggregates of the field fail; its cells can be read', refused: null },
  unneeded: { severity: 'warning', meaning: 'readers never need the section: the field has no such files' },
} as const satisfies Readonly<Record<string, VariantRow>>

const CUT_OFF = 'Cannot read from file; Read exceeds file size'

/** What is lost with the times of cells. */
const TIMES_LOST = loss('the times of the cells, or of their deletion; no field of a cell')

const TIMES_UNREAD =
  'readers need the times of cells of this array only for a part of the times of the fragment, or after a deletion at one of them: such reads fail, and consolidation does'

const CONDITION_INDEX = {
  severity: 'warning',
  meaning: 'no read needs the file, which says by which condition a cell was deleted: only consolidation fails',
  mend: 'leave',
  lost: noLoss('nothing that a reader sees: only which delete condition has marked a cell'),
  refused: null,
} as const satisfies VariantRow

/** Two files that have each other's names. */
export const BOTH_THERE = noLoss('nothing: the other file is there')

const EXCHANGED = {
  severity: 'error',
  meaning:
    'the file was exchanged with another of the array: readers fail, or get the cells of that. Nothing is lost, as both files are there',
  mend: 'exchange',
  lost: BOTH_THERE,
} as const satisfies VariantRow

export const MISNAMED = noLoss('nothing: the file is there, under another name')

/** A file whose second half repeats the first. */
const WRITTEN_TWICE = {
  severity: 'note',
  meaning:
    'the file was written twice over: both halves are equal, and readers need only one of them. This costs only space',
  mend: 'leave',
  lost: noLoss('nothing: both halves of the file are equal'),
} as const satisfies VariantRow

/** What TileDB refuses where the domain of an array is smaller than that of a fragment: ranges that leave the smaller one. */
export const REFUSED_RANGE: Refusal = { act: 'read', error: 'Subarray: Cannot add range to dimension' }

/** Codes about the files of a fragment, its footer, and the sections of its metadata. */
export const FRAGMENT_CODES = {
  // Files of a fragment.
  FILE_MISSING: {
    severity: 'error',
    meaning: 'readers fail on this field',
    mend: 'drop',
    refused: { act: 'fields', error: 'Cannot get file size of … No such file or directory' },
    variants: {
      unusedOffsets: UNUSED_OFFSETS,
      coordinates: {
        severity: 'error',
        meaning: 'every read of these cells fails, as each needs their coordinates. decode shows the other fields',
        refused: { act: 'read', error: 'Cannot get file size of … No such file or directory' },
      },
      times: {
        severity: 'error',
        meaning:
          'every read that touches the fragment fails, as it needs the times of the cells. All fields are whole: decode shows them',
        mend: 'copy',
        lost: TIMES_LOST,
        refused: { act: 'read', error: 'Cannot get file size of … No such file or directory' },
      },
      timesUnread: { severity: 'warning', meaning: TIMES_UNREAD, mend: 'leave', lost: TIMES_LOST, refused: null },
      conditionIndex: CONDITION_INDEX,
    },
  },
  FILE_SHORT: {
    severity: 'error',
    meaning: 'the end of the file is lost: readers fail on its last tiles',
    mend: 'drop',
    refused: { act: 'fields', error: CUT_OFF },
    variants: {
      unusedOffsets: UNUSED_OFFSETS,
      exchanged: EXCHANGED,
      coordinates: {
        severity: 'error',
        meaning:
          'the end of the file is lost: every read of cells of its last tiles fails, as each needs their coordinates. decode shows the other fields',
        refused: { act: 'read', error: CUT_OFF },
      },
      times: {
        severity: 'error',
        meaning:
          'the end of the file is lost: every read that touches its last tiles fails, as it needs the times of the cells. All fields are whole: decode shows them',
        mend: 'copy',
        lost: TIMES_LOST,
        refused: { act: 'read', error: CUT_OFF },
      },
      timesUnread: { severity: 'warning', meaning: TIMES_UNREAD, mend: 'leave', lost: TIMES_LOST, refused: null },
      conditionIndex: CONDITION_INDEX,
    },
  },
  FILE_LONG: {
    severity: 'warning',
    meaning: 'readers never look at the bytes after the size that the footer gives',
    mend: 'cut-off',
    variants: {
      // Only where data files are not read.
      doubled: {
        severity: 'note',
        meaning:
          'the file is exactly twice as long as the footer says: some writers write every file twice, and readers ignore the second half. A check that reads data files compares the halves',
        mend: 'leave',
        lost: UNNEEDED,
      },
      writtenTwice: WRITTEN_TWICE,
      exchanged: EXCHANGED,
    },
  },
  FILE_UNLISTED: {
    severity: 'warning',
    meaning: 'no field of the fragment has a file of this name: readers never look at it',
    mend: 'aside',
    variants: {
      missing: {
        severity: 'warning',
        meaning:
          'by its size, the file is the missing one of a field, under another name: do not delete it. Reads of the field fail until it has its name again',
        mend: 'rename',
        lost: MISNAMED,
      },
    },
  },
  // Footer.
  FOOTER_UNREADABLE: {
    severity: 'error',
    meaning: 'nothing of the fragment can be read, and while it is committed TileDB fails to open the whole array',
    mend: 'recover-places',
    refused: { act: 'open', error: 'std::bad_alloc, or Reading data past end of serialized data size.' },
    variants: {
      footerKept: {
        severity: 'error',
        meaning:
          'readers use the copy of the footer in consolidated fragment metadata, and read what else is left of the file. Consolidation fails, and without the copy TileDB does not open the array',
        refused: null,
      },
    },
  },
  FOOTER_VERSION: {
    severity: 'warning',
    meaning:
      'name and footer disagree on the format version: TileDB uses the version of the footer to read the fragment, and that of the name for what depends on the time of a read',
    mend: 'recover-places',
    variants: {
      elsewhere: {
        severity: 'error',
        meaning:
          'TileDB looks for the footer where the version in the name of the folder has it, takes other bytes for it, and fails to open the array',
      },
    },
  },
  FOOTER_DENSE: {
    severity: 'error',
    meaning: 'readers take dense cells for sparse ones or the other way round',
    mend: 'recover-places',
    refused: { act: 'read', error: 'Unexpected data block' },
  },
  FIELD_CHANGED: {
    severity: 'error',
    meaning:
      'TileDB reads the stored cells as if they had the form that the array has for the attribute now: it fails, or gives values that nobody wrote. The attribute was dropped and added again in another form, or with other filters. decode shows the cells as they were written',
    mend: 'leave',
    lost: noLoss('nothing: decode shows the cells as they were written'),
    variants: {
      footer: {
        severity: 'error',
        meaning:
          'attributes were added or dropped after the fragment was written. Before format 10 the length of a footer is not stored: TileDB computes it from the newest schema, and fails to open the array. It opens at a time before the change',
      },
      tiles: {
        severity: 'error',
        meaning:
          'the array has other dimensions, tiles that begin elsewhere or have another size, or another order than the schema of the fragment, or only one of both is dense: TileDB gives the cells at other coordinates or not at all, mostly without an error, or crashes. TileDB never changes these: a schema of another array lies in the folder, or was changed. decode shows the cells as they were written',
      },
      domain: {
        severity: 'error',
        meaning:
          'the domain of the array is smaller than when the fragment was written: reads leave the cells outside out without an error, and consolidation drops them for good. TileDB never makes a domain smaller: a schema of another array lies in the folder, or was changed. decode shows all cells',
      },
      domainSparse: {
        severity: 'warning',
        meaning:
          'the domain of the array is smaller than when the fragment was written: reads without ranges give the cells outside, too, but TileDB refuses ranges there, and consolidation fails. TileDB never makes a domain smaller: a schema of another array lies in the folder, or was changed',
      },
    },
  },
  FOOTER_NULL_DOMAIN: {
    severity: 'error',
    meaning: 'TileDB cannot read such footers',
    mend: 'recover',
    refused: { act: 'open', error: 'Reading data past end of serialized data size.' },
  },
  FOOTER_SLACK: {
    severity: 'note',
    meaning: 'readers skip bytes after the fields of a footer',
    mend: 'leave',
    lost: UNNEEDED,
  },
  FOOTER_LAST_TILE: {
    severity: 'error',
    meaning: 'the last tile cannot have this number of cells: readers expect too many or too few',
    mend: 'recover-places',
    refused: { act: 'read', error: 'Tile: Incorrect unfiltered tile size allocated.' },
  },
  FOOTER_IGNORED_FIELD: {
    severity: 'note',
    meaning: 'readers do not use this number in dense fragments',
    mend: 'leave',
    lost: UNNEEDED,
  },
  FOOTER_FILE_SIZE: {
    severity: 'warning',
    meaning: 'the field has no such file',
    mend: 'recover',
  },
  NONEMPTY_DOMAIN: {
    severity: 'error',
    meaning: 'dense: readers lay the cells over another grid; sparse: readers skip cells',
    mend: 'recover-places',
    lost: UNSURE,
    variants: {
      unwritten: {
        severity: 'error',
        meaning:
          'readers never show cells outside of the non-empty domain: the domain was larger when they were written, or the cells were changed since',
      },
    },
  },
  // Sections of the fragment metadata.
  SECTION_OFFSET: {
    severity: 'error',
    meaning: 'the section cannot be read: readers fail when they need it, on its field or on the whole fragment',
    mend: 'recover-places',
    refused: { act: 'fields', error: CUT_OFF },
    variants: LOST_SECTION,
  },
  SECTION_UNREADABLE: {
    severity: 'error',
    meaning: 'readers fail when they need the section',
    mend: 'recover-places',
    refused: { act: 'fields', error: 'Filter: CompressionFilter error' },
    variants: { ...LOST_SECTION, compressor: oddCompressorRow('fields', 'read fields that need the section') },
  },
  SECTION_OVERLAP: {
    severity: 'error',
    meaning: 'two sections claim the same bytes: one of them is damaged',
    mend: 'recover-places',
    refused: { act: 'fields', error: CUT_OFF },
  },
  SECTION_GAP: {
    severity: 'warning',
    meaning: 'nothing in the footer points at these bytes: a section was lost or moved',
    mend: 'recover',
    variants: { writtenTwice: WRITTEN_TWICE },
  },
  FLAG_VALUE: {
    severity: 'warning',
    meaning:
      'TileDB never writes this value of a flag: it takes all but 0 for true (measured with 2.30), as this program does',
    mend: 'leave',
    lost: noLoss('nothing: readers take the flag for true'),
  },
  GENERIC_TILE_HEADER: {
    severity: 'warning',
    meaning: 'TileDB never writes this, and never looks at it',
    mend: 'schema',
    lost: noLoss('nothing: readers need this file, but not the part of it that is wrong'),
    variants: {
      refused: {
        severity: 'warning',
        meaning: 'TileDB never writes this value; it may refuse the tile',
      },
      compressor: {
        severity: 'warning',
        meaning:
          'the number inside the options contradicts the filter, and the bytes are of the compressor with that number: TileDB goes by the number, and reads them, as this program does',
      },
    },
  },
  RTREE_LEVELS: {
    severity: 'error',
    meaning: 'readers look for tiles in the R-tree: they miss cells without an error',
    mend: 'recover',
  },
  RTREE_FANOUT: {
    severity: 'warning',
    meaning: 'TileDB always writes 10',
    mend: 'recover',
  },
  RTREE_CONTAINMENT: {
    severity: 'error',
    meaning: 'readers skip tiles whose boxes their parents do not contain: cells are missed',
    mend: 'recover',
  },
  MBR_INVALID: {
    severity: 'error',
    meaning: 'readers skip the tile: its cells are missed',
    mend: 'recover',
    variants: {
      cells: {
        severity: 'error',
        meaning:
          'the box of the tile and its number of cells contradict each other: readers miss cells, or expect cells that are not there',
      },
    },
  },
  MBR_NONEMPTY_DOMAIN: {
    severity: 'error',
    meaning: 'boxes of tiles and non-empty domain disagree: one of them is wrong',
    mend: 'recover',
  },
  RTREE_DENSE: {
    severity: 'note',
    meaning: 'dense fragments need no R-tree',
    mend: 'leave',
    lost: UNNEEDED,
  },
  TILE_OFFSETS_COUNT: {
    severity: 'error',
    meaning: 'the fragment has another number of tiles: readers fail',
    mend: 'recover-places',
    refused: { act: 'fields', error: 'vector::_M_default_append' },
  },
  TILE_OFFSETS_ORDER: {
    severity: 'error',
    meaning:
      'tiles lie one after another from the start of the file, but these offsets do not: readers take wrong bytes for a tile',
    mend: 'recover-places',
  },
  TILE_OFFSETS_OUTSIDE: {
    severity: 'error',
    meaning: 'the tile lies outside of its file: readers fail',
    mend: 'recover-places',
    refused: { act: 'fields', error: 'Unexpected data block' },
  },
  STATISTICS_COUNT: {
    severity: 'error',
    meaning: 'the list does not have one value for each tile: readers fail, or use the values of other tiles',
    mend: 'recover',
  },
  PROCESSED_CONDITION_NAME: {
    severity: 'warning',
    meaning: 'the entry names no delete condition',
    mend: 'leave',
    lost: UNNEEDED,
    variants: {
      lost: {
        severity: 'warning',
        meaning:
          'the fragment holds marks of deleted cells, but the array has no delete condition left. Reads are right. TileDB crashes when it consolidates the fragment with others (measured with 2.30), unless sm.consolidation.purge_deleted_cells is true: reads as of a time before the delete then lose the deleted cells. Another delete before it helps, too, even one that no cell meets',
        lost: noLoss('nothing that a reader sees: the fragment holds a mark in each cell that was deleted'),
      },
    },
  },
} as const satisfies CodeRows
