import { type CodeRows, loss, noLoss } from './row.ts'

const CELLS_THERE = noLoss('nothing: the cells are still there')

/**
 * Codes about workspaces of GenomicsDB. What its library does was measured with release 1.5.5 and the Python package 0.1.6: where it
 * reads on, it returns fewer calls without a word.
 */
export const GENOMICSDB_CODES = {
  GENOMICSDB_FILE_MISSING: {
    severity: 'error',
    meaning: 'GATK refuses the workspace without this file',
    mend: 'leave',
    lost: noLoss(
      'nothing of the cells: the file can be taken from a copy, or from another workspace of the same import',
    ),
    variants: {
      callset: {
        severity: 'error',
        meaning:
          'nothing tells which sample a row is, and GATK refuses the workspace: an import writes this file last, so perhaps the first import did not end',
        lost: loss('the names of the samples, unless the import can be run again'),
      },
    },
  },
  GENOMICSDB_MAP: {
    severity: 'error',
    meaning: 'the map contradicts itself or cannot be read: readers refuse it, or give cells wrong names or places',
    mend: 'leave',
    lost: CELLS_THERE,
    variants: {
      gap: {
        severity: 'note',
        meaning: 'the importer gives contigs all columns from 0 on, one after another: a map made by hand need not',
      },
    },
  },
  GENOMICSDB_IMPORT: {
    severity: 'error',
    meaning:
      'an import that added samples did not end: readers see its cells in some intervals only, and they belong to no sample',
    mend: 'aside',
    lost: noLoss('nothing: the samples of that import can be imported again'),
    variants: {
      leftOver: {
        severity: 'warning',
        meaning:
          'the folder is what an import left that died, or that still runs: readers pass over it, and it only takes space',
      },
      nothing: {
        severity: 'note',
        meaning:
          'the folder has no bytes: release 1.1.2 leaves such a one where it consolidates nothing; readers pass over it',
        lost: noLoss('nothing: the folder has no bytes'),
      },
      list: {
        severity: 'error',
        meaning:
          'an import that added samples did not end, or still runs; it wrote no fragment that readers see, but GATK takes the workspace for one in work',
      },
    },
  },
  GENOMICSDB_SCHEMA: {
    severity: 'error',
    meaning: 'readers leave out the whole interval, or refuse it: they return no call of it, without an error',
    mend: 'copy',
    lost: noLoss('nothing: all intervals of one import have the same schema, but for the path in it'),
  },
  GENOMICSDB_FRAGMENT_MARK: {
    severity: 'error',
    meaning: 'readers pass over the folder, as it has no mark: its calls are missing, without an error',
    mend: 'mark',
    lost: CELLS_THERE,
    variants: {
      replaced: {
        severity: 'warning',
        meaning:
          'the folder has no mark, and readers pass over it: newer fragments have all of its cells, so it is what a consolidation left',
        mend: 'aside',
        lost: noLoss('nothing: newer fragments have its cells'),
      },
      unsure: {
        severity: 'warning',
        meaning:
          'the folder has no mark, and readers pass over it; its cells were not compared with those of newer fragments',
        mend: 'leave',
        lost: loss('perhaps calls: a write that died leaves such a folder, and so does a consolidation'),
      },
    },
  },
  GENOMICSDB_BOOK_KEEPING: {
    severity: 'error',
    meaning: 'readers refuse the fragment or hang, or miss calls: this file says where its tiles are',
    mend: 'copy',
    lost: loss('where the tiles of the fragment are: its samples are to be imported again'),
    variants: {
      boxes: {
        severity: 'error',
        meaning: 'a box says where the cells of a tile are, and its cells are elsewhere: readers of a range miss calls',
        mend: 'leave',
        lost: CELLS_THERE,
      },
    },
  },
  GENOMICSDB_DATA_FILE: {
    severity: 'error',
    meaning: 'readers refuse the fragment, or leave out its calls without an error',
    mend: 'copy',
    lost: loss('what is missing of the file: its samples are to be imported again'),
  },
  GENOMICSDB_TILE: {
    severity: 'error',
    meaning: 'readers fail on the tile, or return fewer calls',
    mend: 'copy',
    lost: loss('the tile: its samples are to be imported again'),
  },
  GENOMICSDB_CELL_ORDER: {
    severity: 'error',
    meaning: 'the cells of a fragment have to rise by column and row: readers of a range miss calls',
    mend: 'leave',
    lost: CELLS_THERE,
  },
  GENOMICSDB_VALUE: {
    severity: 'error',
    meaning: 'readers fail on the value, or show another one',
    mend: 'leave',
    level: 'cells',
    lost: loss('the value'),
  },
  GENOMICSDB_SAMPLE: {
    severity: 'error',
    meaning: 'the row has cells, but no name: readers leave out its calls, or fail on them',
    mend: 'leave',
    lost: noLoss('nothing of the cells: the name of the sample is missing'),
    variants: {
      empty: {
        severity: 'note',
        meaning:
          'samples have a row, but no interval has a cell of them: their import failed, or their files have no record there',
        lost: loss('perhaps the calls of the sample: compare with the file that was imported'),
      },
      interval: {
        severity: 'note',
        meaning:
          'samples have cells in other intervals and none here: their file has no record in this interval, or a fragment is gone',
        lost: loss('perhaps the calls of these samples in this interval: compare with the files that were imported'),
      },
    },
  },
  GENOMICSDB_ROWS: {
    severity: 'error',
    meaning:
      'readers leave out the cells of rows above this number, without an error, and the next import would use the rows again',
    mend: 'leave',
    lost: CELLS_THERE,
  },
  GENOMICSDB_INTERVAL: {
    severity: 'error',
    meaning: 'places of cells and of the interval contradict each other: readers give calls wrong places, or miss them',
    mend: 'leave',
    lost: CELLS_THERE,
    variants: {
      overlap: {
        severity: 'error',
        meaning: 'two intervals have the same positions: readers return calls there twice',
      },
      contig: {
        severity: 'error',
        meaning: 'a call ends after the last position of its contig: readers show it as reaching into the next contig',
      },
      batches: {
        severity: 'warning',
        meaning:
          'every batch of an import leaves a file in each interval: a batch did not reach this interval, or the file is gone',
        lost: loss('perhaps the calls of the batch in this interval'),
      },
    },
  },
} as const satisfies CodeRows
