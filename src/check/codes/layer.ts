import { loss, noLoss, type Rows } from './row.ts'

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
    },
  },
  LAYER_ID_UNKNOWN: {
    severity: 'error',
    meaning: 'cells belong to a row that is not there: a query by rows leaves them out, and counts of cells differ',
    mend: 'leave',
    lost: loss('the row, unless it was deleted on purpose; the cells are still there'),
    level: 'cells',
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
    },
  },
} as const satisfies Rows
