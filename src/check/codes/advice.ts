import type { Meaning } from './row.ts'

/**
 * Codes about what makes reads of an undamaged array slow, or makes them need much memory. Each text has the meaning, and the limits
 * below which nothing is reported. Costs are those of S3 with 30 ms for a request, 8 requests at once, and 100 MB/s.
 */
export const ADVICE_CODES = {
  // Fragments and commits.
  FRAGMENTS_MANY: {
    severity: 'warning',
    meaning:
      'each read opens every fragment: several requests each, before the first cell. Reported for 10 or more fragments of less than 16 MiB on average, if one fragment in their place saves 0.1 s',
  },
  FRAGMENTS_OVERLAP: {
    severity: 'warning',
    meaning:
      'many fragments hold the same box of cells: a read of it reads tiles of each, and compares their cells. Reported if a box of 1 % of the box around all fragments touches 5.5 fragments or more on average',
  },
  FRAGMENTS_REPEATED: {
    severity: 'warning',
    meaning:
      'the array allows duplicates, and a fragment has the domain, sizes and statistics of another, or a consolidated one has the cells of others that are read, too: reads return them twice. Reported for 100 cells and 5 % of all, and for consolidated fragments always',
  },
  METADATA_NOT_CONSOLIDATED: {
    severity: 'note',
    meaning: 'opening reads the footers of fragments one by one. Reported for 20 fragments',
  },
  COMMITS_NOT_CONSOLIDATED: {
    severity: 'note',
    meaning: 'opening lists every commit file. Reported for 1,000 commit files, as many as one request lists',
  },
  VACUUM_PENDING: {
    severity: 'note',
    meaning:
      'fragments that were consolidated are still there: they take space, and opening reads their .vac files. Reported for 8 such fragments or 1 MiB',
  },
  // Tiles.
  TILES_SMALL: {
    severity: 'warning',
    meaning:
      'lists of tiles and headers of chunks take much of what is read. Reported for fragments with 100 tiles or more, if these lists and headers take 20 % of the stored bytes and 32 KiB',
  },
  TILES_LARGE: {
    severity: 'warning',
    meaning:
      'readers read whole tiles, so a small box costs as much as a large one. Reported for tiles of 8 MiB in all fields, if a box of 1 % of the domain reads 8 times the cells that it needs; for a query, if the query does, and reads 256 KiB too many, unfiltered',
  },
  TILES_PADDED: {
    severity: 'warning',
    meaning:
      'dense tiles are stored whole: most of what they hold are cells that nobody wrote. Reported for 1 MiB of unfiltered padding, if it is half of the stored cells',
  },
  TILE_SHAPE: {
    severity: 'warning',
    meaning:
      'tiles are long and thin, so a box touches many of them. Reported if a box of 1 % of the domain reads 2.5 times what it reads in tiles of the same size and its own proportions, and 256 KiB more, unfiltered; for a query, if it also reads 8 times the cells in its ranges',
  },
  BOXES_NOT_PRUNING: {
    severity: 'warning',
    meaning:
      'a range of a string dimension excludes few tiles. Reported for 16 tiles or more, if a value is in the boxes of 30 % of them, and these have 256 KiB, unfiltered',
  },
  // Filters and values.
  STORED_LARGER: {
    severity: 'warning',
    meaning: 'the filters make a field larger. Reported if it is 5 % and 16 KiB larger',
  },
  FILTERS_SAVE_LITTLE: {
    severity: 'note',
    meaning:
      'undoing the filters of a field takes longer than reading the bytes that they save. Reported for fields that become less than 5 % smaller, if undoing the filters takes 0.02 s and half as long as reading them',
  },
  FILTER_ORDER: {
    severity: 'warning',
    meaning:
      'a compressor comes before filters that rearrange values for it, or a checksum before a compressor. Reported if the other order makes a sample 5 % smaller, which is 16 KiB in all, or saves 0.1 s',
  },
  NOTHING_COMPRESSED: {
    severity: 'warning',
    meaning:
      'more bytes are read than necessary. Reported for 1 MiB and half of the stored bytes without a compressor, if ZSTD makes a sample 25 % smaller',
  },
  VALUES_CONSTANT: {
    severity: 'note',
    meaning:
      'all cells of an attribute have one value, and each read makes room for all of them. Reported for 64 KiB and 10 % of the unfiltered bytes',
  },
  STATISTICS_MISSING: {
    severity: 'note',
    meaning:
      'formats before 11 keep no minima and maxima of tiles: conditions read every tile, and aggregates every cell. Reported for 4 MiB and half of the stored bytes',
  },
  DELETES_UNPURGED: {
    severity: 'warning',
    meaning:
      'each read loads the delete conditions, evaluates them on every cell, and drops what is deleted. Reported for 5 conditions, or if they certainly delete 20 % of the cells and at least 1,000; `explain --exact` counts these cells',
  },
} as const satisfies Readonly<Record<string, Meaning>>

/** The code of a finding about slow reads, or reads that need much memory. */
export type AdviceCode = keyof typeof ADVICE_CODES
