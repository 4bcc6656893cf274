import { type CodeRows, loss, noLoss } from './row.ts'

const THERE = noLoss('nothing: every array is as it was written')

/** Codes about what a layer above TileDB, such as SOMA, says of its groups and arrays. TileDB itself reads all of them. */
export const LAYER_CODES = {
  LAYER_VERSION: {
    severity: 'error',
    meaning: 'the libraries of the layer refuse what says that it has this version',
    mend: 'leave',
    lost: THERE,
    variants: {
      mixed: {
        severity: 'warning',
        meaning: 'parts of one dataset have different versions: a release that opens one of them may refuse another',
      },
    },
  },
  LAYER_METADATA: {
    severity: 'error',
    meaning: 'the libraries of the layer refuse the object, or take it for another kind',
    mend: 'leave',
    lost: THERE,
    variants: {
      stray: {
        severity: 'warning',
        meaning: 'the key belongs to a field or a part that is not there: nothing reads it',
      },
      unmarked: {
        severity: 'warning',
        meaning:
          'nothing says which layer the dataset belongs to: only some of its libraries find that out by its members',
      },
    },
  },
  LAYER_INCOMPLETE: {
    severity: 'error',
    meaning:
      'the write of the dataset did not end: parts of it may be missing, and the libraries of the layer refuse it',
    mend: 'leave',
    lost: loss('what was not written'),
    variants: {
      write: {
        severity: 'warning',
        meaning: 'a write to the dataset did not end: a part of its cells may be missing',
      },
      empty: {
        severity: 'warning',
        meaning:
          'nothing was ever written to the array, but others that belong to it have cells: readers get fill values',
      },
    },
  },
  LAYER_TEXT: {
    severity: 'error',
    meaning: 'the libraries of the layer cannot read this text, nor what it says of the dataset',
    mend: 'leave',
    lost: loss('what the text said'),
  },
  LAYER_MEMBER: {
    severity: 'error',
    meaning: 'the dataset lacks a part that its layer requires',
    mend: 'leave',
    lost: loss('the part, unless it is there under another name'),
    variants: {
      type: {
        severity: 'error',
        meaning: 'a part of the dataset is another kind of object than its layer requires',
        lost: THERE,
      },
      absolute: {
        severity: 'note',
        meaning: 'the part is found by its whole path: a copy of the dataset reads it from here',
        lost: THERE,
      },
      unlisted: {
        severity: 'warning',
        meaning:
          'a part lies in the folder of the dataset, but its group does not list it: no library of the layer finds it',
        lost: THERE,
      },
    },
  },
  LAYER_SCHEMA: {
    severity: 'error',
    meaning: 'the libraries of the layer cannot read the array: it lacks the fields that they look for',
    mend: 'leave',
    lost: THERE,
    variants: {
      reserved: {
        severity: 'warning',
        meaning: 'the layer keeps names of this kind for itself: its libraries may refuse the array',
      },
    },
  },
  LAYER_SHAPE: {
    severity: 'error',
    meaning: 'the shape of an array has no room for all rows of the dataset: their cells cannot be written',
    mend: 'leave',
    lost: THERE,
    level: 'cells',
  },
  LAYER_SHAPES_DIFFER: {
    severity: 'warning',
    meaning: 'arrays that belong to the same rows and columns have different shapes: only some of them were resized',
    mend: 'leave',
    lost: THERE,
    variants: {
      old: {
        severity: 'warning',
        meaning:
          'the array has no shape of its own, as the others have: the libraries of the layer refuse to resize it',
      },
      dimension: {
        severity: 'warning',
        meaning:
          'arrays of one dataset have different dimensions of one name: its libraries refuse it, or put wrong cells side by side',
      },
      stated: {
        severity: 'warning',
        meaning:
          'the array has another size than the metadata of the dataset says: libraries of the layer may read a wrong part of it',
      },
      factor: {
        severity: 'note',
        meaning:
          'each version of a raster is usually half as large as the one before it; another factor may be on purpose',
      },
      levels: {
        severity: 'warning',
        meaning:
          'each level of an image should be smaller than the one before it, in all directions alike: viewers show a wrong part',
      },
    },
  },
  LAYER_ID_UNKNOWN: {
    severity: 'error',
    meaning: 'cells belong to a row that is not there: a query by rows leaves them out, and counts of cells differ',
    mend: 'leave',
    lost: loss('the row, unless it was deleted on purpose; the cells are still there'),
    level: 'cells',
    variants: {
      unlisted: {
        severity: 'error',
        meaning: 'cells belong to a name that the dataset does not list: what asks by the listed names leaves them out',
        lost: loss('what the dataset knew of the name; the cells are still there'),
      },
    },
  },
  LAYER_ID_INVALID: {
    severity: 'error',
    meaning: 'ids of rows must be unique, and 0 or more: the libraries of the layer join wrong rows',
    mend: 'leave',
    lost: THERE,
    level: 'cells',
  },
  LAYER_ID_UNUSED: {
    severity: 'warning',
    meaning: 'none of the rows of the last write has any cell in the other arrays: the write may have broken off',
    mend: 'leave',
    lost: loss('the cells of these rows, if they were to be written'),
    level: 'cells',
    variants: {
      listed: {
        severity: 'warning',
        meaning: 'the dataset lists a name that no cell belongs to: the write of its cells may have broken off',
        lost: loss('the cells of the name, if they were to be written'),
      },
    },
  },
  LAYER_CELLS_AGAIN: {
    severity: 'note',
    meaning: 'cells were written again with the same coordinates: the same rows may have been added twice',
    mend: 'leave',
    lost: noLoss('nothing: readers get the cells of the last write'),
    level: 'cells',
    variants: {
      duplicates: {
        severity: 'warning',
        meaning: 'readers get several cells for the same coordinates, and count all of them',
        lost: THERE,
      },
      alike: {
        severity: 'note',
        meaning: 'readers count what is there several times: the same file may have been ingested twice',
        lost: THERE,
      },
    },
  },
  LAYER_COUNT: {
    severity: 'warning',
    meaning: 'two places of the dataset disagree on a number: one of them is wrong, or a write broke off',
    mend: 'leave',
    lost: THERE,
    variants: {
      unwritten: {
        severity: 'error',
        meaning: 'the dataset counts more than was written: the libraries of the layer read what nobody wrote',
        lost: loss('what was counted and is not there, if it was ever written'),
      },
      order: {
        severity: 'error',
        meaning: 'the numbers say where parts begin and must not fall: the libraries of the layer read wrong parts',
        lost: loss('where the parts begin; the parts themselves are still there'),
      },
      repeats: {
        severity: 'warning',
        meaning:
          'what is long is stored again at fixed distances, and here is not: queries in its middle do not find it',
      },
    },
  },
  LAYER_STALE: {
    severity: 'warning',
    meaning: 'it names or counts what the dataset does not have',
    mend: 'leave',
    lost: THERE,
    variants: {
      replaced: {
        severity: 'note',
        meaning: 'it names fragments that a consolidation replaced: what they held is still counted',
      },
      copied: {
        severity: 'note',
        meaning: 'it names fragments by the place that they had before the dataset was copied or moved',
      },
      deleted: {
        severity: 'note',
        meaning: 'it still counts what was deleted from the dataset: it was not computed again',
      },
      newer: {
        severity: 'warning',
        meaning: 'it is newer than the last ingestion that the dataset lists: the libraries of the layer do not see it',
      },
      temporary: {
        severity: 'warning',
        meaning: 'an ingestion makes it for a while: one that has not ended, or that broke off',
      },
    },
  },
} as const satisfies CodeRows
