import { type CodeRows, loss, STORED, UNNEEDED, UNSURE, UNUSED_OFFSETS } from './row.ts'

/** Codes about data tiles and the cells in them. */
export const TILE_CODES = {
  // Data tiles.
  TILE_UNREADABLE: {
    severity: 'error',
    meaning: 'the cells of this field in this tile are lost',
    mend: 'drop',
    refused: { act: 'fields', error: 'Filter error, or std::bad_alloc' },
    variants: {
      unusedOffsets: UNUSED_OFFSETS,
      unusedTile: {
        severity: 'warning',
        meaning: 'readers never look at the bytes of this tile, because the values hold the offsets',
        mend: 'zeros',
        lost: STORED,
      },
    },
  },
  TILE_SIZE: {
    severity: 'error',
    meaning: 'the tile holds more or fewer bytes than its cells need: readers fail',
    mend: 'drop',
    refused: { act: 'fields', error: 'Tile: Incorrect unfiltered tile size allocated.' },
  },
  TILE_TRAILING_BYTES: {
    severity: 'warning',
    meaning: 'readers never look at bytes after the last chunk',
    mend: 'rewrite',
    lost: UNNEEDED,
  },
  CHUNK_UNREADABLE: {
    severity: 'error',
    meaning: 'the filters of this chunk cannot be undone: its cells are lost',
    mend: 'drop',
    refused: { act: 'fields', error: 'Filter error' },
    variants: {
      brokenZstd: {
        severity: 'error',
        meaning:
          "the filters of this chunk cannot be undone: its cells are lost; TileDB's libzstd reads some broken frames without an error, and then gives other values",
      },
      cutShort: {
        severity: 'error',
        meaning:
          'the chunk is empty, and TileDB before 2.27 wrote an incomplete GZIP stream for it: TileDB fails to read the tile; nothing is lost, and decode reads it',
        mend: 'rewrite',
        lost: STORED,
        refused: { act: 'fields', error: 'Cannot decompress with GZIP, Stream Error' },
      },
      deltaOfNothing: {
        severity: 'error',
        meaning:
          'TileDB writes an empty chunk in this form under DELTA or DOUBLE_DELTA, but fails to read the tile; nothing is lost, and decode reads it',
        mend: 'rewrite',
        lost: STORED,
        refused: { act: 'fields', error: 'Write would overflow buffer.' },
      },
      partOfNothing: {
        severity: 'error',
        meaning:
          'TileDB writes an empty chunk in this form with these filters, but fails to read the tile; nothing is lost, and decode reads it',
        mend: 'rewrite',
        lost: STORED,
        refused: { act: 'fields', error: 'FilterBuffer error; no current buffer.' },
      },
      otherTypes: {
        severity: 'warning',
        meaning:
          'TileDB before 2.17 gave each filter the type of the field. Later releases give it the type that the filter before it makes, and fail to read the tile or read other values; nothing is lost, and decode reads it',
        mend: 'rewrite',
        lost: STORED,
      },
      tailLost: {
        severity: 'warning',
        meaning:
          'TileDB dropped the bytes after the last whole element when it wrote. What a reader shows there is not defined, and cells may be wrong; decode takes zeros for the bytes',
        mend: 'rewrite',
      },
      metadataTailLost: {
        severity: 'note',
        meaning:
          "TileDB dropped the end of another filter's metadata when it wrote, and may fail to read the tile; decode takes zeros for it, and reads the tile",
        mend: 'leave',
      },
    },
  },
  CHUNK_SPLITS_CELL: {
    severity: 'warning',
    meaning: 'since format 11 no cell lies in two chunks; readers that rely on it fail',
    mend: 'rewrite',
    lost: UNNEEDED,
  },
  CHECKSUM_MISMATCH: {
    severity: 'error',
    meaning: 'bytes changed since they were written: readers refuse the tile',
    mend: 'drop',
    refused: { act: 'fields', error: 'ChecksumError: Checksum mismatch' },
  },
  // Cells.
  CELL_OFFSETS: {
    severity: 'error',
    meaning: 'it is unknown where the values of this tile begin',
    mend: 'drop',
    level: 'cells',
    variants: {
      unusedStart: {
        severity: 'warning',
        meaning: 'readers never look at the start of this cell, which is padding; nothing is lost',
        mend: 'rewrite',
        lost: STORED,
      },
    },
  },
  CELL_VAR_SIZE: {
    severity: 'error',
    meaning: 'the size of the value is not a whole number of elements',
    mend: 'drop',
    level: 'cells',
  },
  CELL_VALIDITY: {
    severity: 'warning',
    meaning: 'TileDB writes 0 or 1; readers may take other bytes for either',
    mend: 'rewrite',
    lost: loss('whether the cell was null: readers take it for not null'),
    level: 'cells',
  },
  CELL_BOOL: {
    severity: 'warning',
    meaning: 'TileDB returns the stored byte as it is; readers may take a byte other than 0 and 1 for false or true',
    mend: 'rewrite',
    lost: loss('which of the two values was meant: readers take it for true'),
    level: 'cells',
  },
  CELL_LOST: {
    severity: 'error',
    meaning:
      'a filter could not store the values of these cells when they were written: readers get other values in their place',
    mend: 'leave',
    lost: loss('the values of these cells: only who wrote them may still have them'),
    level: 'cells',
    variants: {
      doubleDelta: {
        severity: 'error',
        meaning:
          'DOUBLE_DELTA of older TileDB releases loses the highest bit of differences that are too large: readers get other values than were written',
      },
    },
  },
  COORDINATE_DOMAIN: {
    severity: 'error',
    meaning: 'no query can select the cell',
    mend: 'rewrite',
    lost: loss('where the cell was'),
    level: 'cells',
  },
  COORDINATE_MBR: {
    severity: 'error',
    meaning: 'readers skip the tile when they look for this cell',
    mend: 'recover',
    lost: UNSURE,
    level: 'cells',
  },
  MBR_LOOSE: {
    severity: 'note',
    meaning: 'the box of the tile is larger than its cells need: readers may read the tile without need',
    mend: 'recover',
    level: 'cells',
  },
  COORDINATE_ORDER: {
    severity: 'error',
    meaning: 'readers rely on the global order: merged reads give wrong results',
    mend: 'rewrite',
    lost: UNSURE,
    level: 'cells',
  },
  COORDINATE_DUPLICATE: {
    severity: 'error',
    meaning: 'the schema forbids two cells at the same coordinates: readers show one of them',
    mend: 'rewrite',
    lost: UNSURE,
    level: 'cells',
  },
  TILE_MIN_MAX: {
    severity: 'error',
    meaning: 'query conditions skip the tile, or aggregates are wrong',
    mend: 'statistics',
    level: 'cells',
  },
  TILE_SUM: {
    severity: 'error',
    meaning: 'aggregates are wrong',
    mend: 'statistics',
    level: 'cells',
  },
  TILE_NULL_COUNT: {
    severity: 'error',
    meaning: 'aggregates are wrong',
    mend: 'statistics',
    level: 'cells',
    variants: {
      notNullable: {
        severity: 'warning',
        meaning: 'the field is not nullable: TileDB stores no such counts, and readers ask for none',
      },
    },
  },
  FRAGMENT_MIN_MAX: {
    severity: 'error',
    meaning: 'aggregates are wrong',
    mend: 'recover',
    lost: UNSURE,
    level: 'cells',
  },
  FRAGMENT_SUM: {
    severity: 'error',
    meaning: 'aggregates are wrong',
    mend: 'recover',
    lost: UNSURE,
    level: 'cells',
  },
  FRAGMENT_NULL_COUNT: {
    severity: 'error',
    meaning: 'aggregates are wrong',
    mend: 'recover',
    lost: UNSURE,
    level: 'cells',
    variants: {
      notNullable: {
        severity: 'warning',
        meaning: 'the field is not nullable: TileDB stores 0, and readers ask for none',
      },
    },
  },
  CELL_TIMESTAMP: {
    severity: 'error',
    meaning: 'the cell was written at a time that the name of its fragment excludes',
    mend: 'leave',
    lost: loss('when the cell was written'),
    level: 'cells',
  },
  DELETE_TIMESTAMP: {
    severity: 'error',
    meaning: 'readers show the cell at times at which it was deleted, or the other way round',
    mend: 'leave',
    lost: loss('when the cell was deleted'),
    level: 'cells',
  },
  DELETE_CONDITION_INDEX: {
    severity: 'error',
    meaning: 'the cell was deleted by a condition that the fragment does not list',
    mend: 'leave',
    lost: loss('which condition deleted the cell'),
    level: 'cells',
  },
  ENUMERATION_INDEX: {
    severity: 'warning',
    meaning: 'the cell indexes a value that its enumeration does not have',
    mend: 'leave',
    lost: loss('which value the cell has'),
    level: 'cells',
  },
} as const satisfies CodeRows
