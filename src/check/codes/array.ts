import { type CodeRows, LISTED, loss, noLoss, OWN_FOOTER, oddCompressorRow, STORED } from './row.ts'

/** What follows if a vacuum file no longer names a fragment that a consolidated one replaced. Measured with TileDB 2.30. */
const READ_BESIDE =
  'readers read its cells beside those of the fragment that replaced it: twice if the array allows duplicates, and in dense arrays perhaps over newer ones. Do not vacuum before: write the line again'

/** A line of a list of commits of which a few bytes were changed. */
const NEARLY =
  'the line names no fragment, but nearly one that is there: the line was changed, or else the name of the folder. Do not move the fragment away: its cells are nowhere else'

/** What follows if consolidated fragment metadata holds the footer of a fragment that has no metadata file. Measured with TileDB 2.30. */
const BY_COPY =
  'readers open the array by the copy of the footer in consolidated fragment metadata, but every read whose ranges touch the fragment fails'

/** Codes about the folder of an array, and its commits. */
export const ARRAY_CODES = {
  ARRAY_NO_SCHEMA: {
    severity: 'error',
    meaning: 'without a schema nothing of the array can be read',
    mend: 'copy',
    isRoot: true,
    refused: { act: 'open', error: 'Cannot open array; Array does not exist.' },
    lost: loss('all schemas: nothing else in the array tells what the cells are'),
  },
  ARRAY_UNKNOWN_ENTRY: {
    severity: 'note',
    meaning: 'TileDB skips files and folders whose names it does not know',
    mend: 'aside',
    variants: {
      masking: {
        severity: 'error',
        meaning: 'TileDB fails to open the array: an empty file is named like one of the folders of arrays',
        refused: { act: 'open', error: 'Cannot list given uri; File … may be masking a non-empty directory' },
      },
    },
  },
  LOCK_NOT_EMPTY: {
    severity: 'warning',
    meaning: 'TileDB only ever creates this file empty; something else wrote to it',
    mend: 'empty-file',
  },
  FRAGMENT_NAME_INVALID: {
    severity: 'warning',
    meaning:
      'TileDB never gives a fragment such a name: it reads the folder only if a commit names it, and uses the parts of the name that it can read',
    mend: 'rename',
    lost: STORED,
    variants: {
      copy: {
        severity: 'warning',
        meaning:
          'the folder is a copy of a fragment beside it: TileDB reads it only if a commit names it, and then its cells a second time',
        mend: 'aside',
        lost: noLoss('nothing: the fragment of which it is a copy has the same cells'),
      },
    },
  },
  FRAGMENT_WRONG_FOLDER: {
    severity: 'warning',
    meaning: 'TileDB looks for fragments of this version elsewhere: it does not see this one',
    mend: 'wrong-folder',
  },
  FRAGMENT_TIMESTAMPS: {
    severity: 'error',
    meaning: 'TileDB refuses a name whose first timestamp is the later one: it fails to open the array',
    mend: 'swap-times',
    refused: {
      act: 'open',
      error: 'FragmentID: Failed to construct FragmentID; start timestamp cannot be after end timestamp',
    },
    lost: STORED,
    variants: {
      unseen: {
        severity: 'note',
        meaning: 'readers skip the folder, as no commit names it',
      },
    },
  },
  FRAGMENT_UNCOMMITTED: {
    severity: 'note',
    meaning: 'no commit names the folder: readers do not see it (an unfinished or failed write)',
    mend: 'uncommitted',
    variants: {
      ignored: {
        severity: 'warning',
        meaning:
          'an .ign file takes back the commit of the fragment: readers miss its cells. An interrupted deletion leaves such a file; if nobody deleted the fragment, the file does not belong there',
      },
      replaced: {
        severity: 'note',
        meaning:
          'an .ign file takes back the commit of the fragment, and another fragment holds its cells (an interrupted vacuum)',
      },
      cut: {
        severity: 'warning',
        meaning:
          'the fragment probably was committed by a list of commits that was cut off or changed: readers miss its cells. Do not delete it',
      },
    },
  },
  ARRAY_READS_EMPTY: {
    severity: 'error',
    meaning:
      'TileDB finds no cells, because no commit names its fragments. Do not vacuum or delete them: their cells are nowhere else. Restore the commits from a copy of the array. Without a copy, make an empty file for each fragment that was written to its end (check --all says which): __commits/<name>.wrt, before format version 12 <name>.ok beside the fragment',
    mend: 'commit',
    lost: noLoss('nothing: all cells are there, but no reader sees them'),
    variants: {
      lists: {
        severity: 'error',
        meaning:
          'TileDB finds no cells, because vacuum or ignore files hide all fragments. Do not vacuum or delete them: their cells are nowhere else. The findings about those files say what to do',
      },
      future: {
        severity: 'warning',
        meaning:
          'TileDB finds no cells before the time in the names of the fragments. Do not delete them: their cells are nowhere else',
      },
    },
  },
  FRAGMENT_FUTURE: {
    severity: 'warning',
    meaning:
      'TileDB does not read the fragment before that time, unless the array is opened at that time or later. If the time is wrong (not in milliseconds, or from a clock that was ahead), write the cells again',
    mend: 'fragment-milliseconds',
  },
  FRAGMENT_NO_METADATA: {
    severity: 'error',
    meaning: 'readers fail to open the fragment, and with it the array',
    mend: 'recover-places',
    refused: { act: 'open', error: 'Cannot get file size of … No such file or directory' },
    lost: noLoss('nothing but the metadata: the cells are still in the data files'),
    variants: {
      uncommitted: {
        severity: 'note',
        meaning: 'readers skip it, as no commit names the fragment: a write that failed or is still going on',
        mend: 'leave',
      },
      future: {
        severity: 'warning',
        meaning: 'from the time in its name on, readers fail to open the fragment, and with it the array',
      },
      footerKept: { severity: 'error', meaning: BY_COPY, refused: null },
      toVacuum: {
        severity: 'note',
        meaning:
          'readers skip it, because a .vac file hides the fragment, which waits for vacuum; in dense arrays and in formats before 15, reads as of a time before that of the .vac file still use it',
        mend: 'leave',
      },
    },
  },
  COMMIT_UNREADABLE: {
    severity: 'error',
    meaning: 'readers do not know which fragments are committed',
    mend: 'list',
    lost: loss('what the file lists after the damage'),
    variants: {
      skipped: {
        severity: 'warning',
        meaning:
          'TileDB skips lines that name no commit. Readers lose no fragment by that, unless another finding names one without a commit',
        lost: noLoss(
          'no fragment, unless another finding names one without a commit. Only delete conditions that the lines held are lost, if they have no file of their own',
        ),
      },
      cut: {
        severity: 'error',
        meaning:
          'the list of commits was cut off or changed, and fragments of its times have no commit: it probably named them. Readers miss their cells, without an error. Do not delete them: their cells are nowhere else',
        mend: 'commit',
        lost: noLoss(
          'nothing: the fragments are still there, but no reader sees them. Only delete conditions that the list held are lost, if they have no file of their own',
        ),
      },
      refusedLine: {
        severity: 'error',
        meaning: 'TileDB refuses a line of a vacuum file that is no path: it fails to open the array',
        refused: { act: 'open', error: 'Invalid URI' },
      },
    },
  },
  COMMIT_DANGLING: {
    severity: 'error',
    meaning: 'the commit names a fragment that is not there: TileDB since 2.8 fails to open the array',
    mend: 'dangling',
    refused: { act: 'open', error: 'Cannot get file size of … No such file or directory' },
    variants: {
      skipped: {
        severity: 'warning',
        meaning: 'the fragment is gone, and its cells with it; TileDB reads what is left',
      },
      toVacuum: {
        severity: 'note',
        meaning: 'the fragment is gone, and a .vac file hides it: readers skip the commit',
      },
      future: {
        severity: 'warning',
        meaning: 'the fragment is gone: from the time in its name on, TileDB fails to open the array',
      },
      footerKept: {
        severity: 'error',
        meaning: `the commit names a fragment that is not there; ${BY_COPY}`,
        refused: null,
      },
      near: {
        severity: 'error',
        meaning: `${NEARLY}. TileDB since 2.8 fails to open the array`,
        mend: 'line',
        lost: STORED,
      },
      nearLater: {
        severity: 'error',
        meaning: `${NEARLY}. Readers miss its cells if no other commit names it`,
        mend: 'line',
        refused: null,
        lost: STORED,
      },
    },
  },
  COMMIT_NOT_EMPTY: {
    severity: 'warning',
    meaning: 'TileDB only ever creates commit marks empty; something else wrote to it',
    mend: 'empty-file',
  },
  COMMIT_NAME_INVALID: {
    severity: 'warning',
    meaning: 'TileDB skips the file, or uses the parts of its name that it can read',
    mend: 'aside',
    variants: {
      fatal: {
        severity: 'error',
        meaning: 'TileDB recognizes the file by its suffix, cannot read the name, and fails to open the array',
        refused: { act: 'open', error: 'FragmentID: input URI is invalid' },
      },
      folder: {
        severity: 'warning',
        meaning: 'TileDB asks only whether the name is there: the folder commits the fragment',
      },
      fatalFolder: {
        severity: 'error',
        meaning: 'TileDB recognizes it by its suffix, cannot read a folder, and fails to open the array',
        refused: { act: 'open', error: 'POSIX read error: Is a directory' },
      },
      conditionFolder: {
        severity: 'error',
        meaning: 'TileDB takes the folder for a delete condition, opens the array, and fails every read',
        refused: { act: 'read', error: 'POSIX read error: Is a directory' },
      },
    },
  },
  COMMIT_WRONG_FOLDER: {
    severity: 'warning',
    meaning: 'TileDB looks for this commit elsewhere: the fragment may be invisible',
    mend: 'wrong-folder',
    variants: {
      twice: {
        severity: 'error',
        meaning: 'TileDB takes it for another commit of the same fragment, and reads each of its cells twice',
      },
      listedTwice: {
        severity: 'warning',
        meaning: 'TileDB takes it for another commit of the same fragment, lists the fragment twice and reads it twice',
      },
    },
  },
  VACUUM_DANGLING: {
    severity: 'note',
    meaning: 'the fragments in the list are already gone, but the list is still there (an interrupted vacuum)',
    mend: 'list',
    variants: {
      near: {
        severity: 'warning',
        meaning: `the line was cut or changed: it names no fragment, but nearly one that is there: ${READ_BESIDE}`,
        mend: 'line',
        lost: STORED,
      },
      noFragment: {
        severity: 'warning',
        meaning: `the line is no path of a fragment: TileDB never writes this. If it named a fragment that is still there, ${READ_BESIDE}`,
        mend: 'leave',
        lost: STORED,
      },
      empty: {
        severity: 'warning',
        meaning: `TileDB never writes an empty list. If it named a fragment that is still there, ${READ_BESIDE}`,
        mend: 'leave',
        lost: STORED,
      },
    },
  },
  VACUUM_MISSING: {
    severity: 'error',
    meaning:
      'readers get cells twice: the array allows duplicates, the fragment covers the times, the ranges and the number of cells of others, as after a consolidation, but no vacuum file names all of these, so they are read, too. Compare the cells. If they are the same, move the others out of the array, with their commits',
    mend: 'twice',
    variants: {
      sameCells: {
        severity: 'note',
        mend: 'leave',
        lost: STORED,
        meaning:
          'the fragment covers the times, the ranges and the number of cells of others, as after a consolidation, but no vacuum file names all of these. So readers read them, too: they get the same cells, at a higher cost',
      },
    },
  },
  VACUUM_UNCOMMITTED: {
    severity: 'warning',
    meaning: 'the fragment that replaced those in the list is not committed: removing them loses their cells',
    mend: 'vacuum-file',
  },
  VACUUM_HIDES_CELLS: {
    severity: 'error',
    meaning:
      'readers miss the cells of the fragments that the vacuum file lists, and no other fragment holds these cells. Do not vacuum or delete the fragments. Restore the fragment that the vacuum file is named after, with its commit. If there never was one, move the vacuum file out of the array: the fragments are then read again',
    mend: 'vacuum-file',
    lost: noLoss('nothing: all cells are there, but readers miss those of the listed fragments'),
  },
  IGNORE_DANGLING: {
    severity: 'note',
    meaning: 'no consolidated commits file lists what this file takes back',
    mend: 'list',
  },
  DELETE_CONDITION_UNREADABLE: {
    severity: 'error',
    meaning: 'readers fail, or show cells that were deleted',
    mend: 'condition',
    refused: { act: 'read', error: 'Cannot read from file; Read exceeds file size' },
    variants: {
      compressor: oddCompressorRow('read', 'read any cell'),
      listed: {
        severity: 'warning',
        meaning:
          'readers use the copy of the condition in consolidated commits. The next consolidation of commits takes this file instead: then readers fail (measured with 2.30)',
        mend: 'condition-file',
        lost: LISTED,
        refused: null,
      },
    },
  },
  DELETE_CONDITION_FIELD: {
    severity: 'error',
    meaning: 'the condition compares a field that no schema of the array has: readers fail',
    mend: 'condition',
    refused: { act: 'read', error: "QueryCondition: Field doesn't exist" },
  },
  DELETE_CONDITION_VALUE: {
    severity: 'error',
    meaning:
      "the size of the value is not that of the field's cells, or a set has no members with bytes: TileDB refuses the condition, and readers fail",
    mend: 'condition',
    refused: { act: 'read', error: 'QueryCondition: Value node condition value size mismatch' },
    variants: {
      nullTest: {
        severity: 'error',
        meaning:
          'TileDB writes tests for null in delete conditions, but reads back only those of text: every read fails (measured with 2.27 and 2.30). read shows the cells as if TileDB applied the condition',
      },
    },
  },
  DELETE_CONDITION_OPERANDS: {
    severity: 'error',
    meaning: 'TileDB never combines conditions in this way: it refuses the condition, and readers fail',
    mend: 'condition',
    refused: { act: 'read', error: 'QueryCondition: Non value AST node does not have at least 2 children.' },
  },
  COMMIT_DUPLICATE: {
    severity: 'note',
    meaning: 'the file lists the commit more than once: readers count it once, and TileDB lists each commit once',
    mend: 'list',
  },
  DELETE_FUTURE: {
    severity: 'warning',
    meaning:
      'TileDB does not apply the condition before that time, unless the array is opened at that time or later. If the time is wrong (not in milliseconds, or from a clock that was ahead), delete the cells again',
    mend: 'milliseconds',
  },
  DELETE_CONDITION_DIFFERS: {
    severity: 'warning',
    meaning: 'two copies of one delete condition say different things',
    mend: 'list',
    lost: noLoss('nothing but which of the two conditions was meant'),
  },
  DELETE_CONDITION_FILE: {
    severity: 'warning',
    meaning:
      'consolidated commits hold the delete condition, and a vacuum removed its own file. Readers need no more, but the next consolidation of commits looks for the file and fails (measured with 2.30). Consolidate fragments, not commits, from here on',
    mend: 'leave',
    lost: LISTED,
  },
  CONSOLIDATED_METADATA_UNREADABLE: {
    severity: 'error',
    meaning: 'readers fail to open the array while this file is there',
    mend: 'aside',
    refused: { act: 'open', error: 'Cannot read from file; Read exceeds file size' },
    lost: OWN_FOOTER,
    variants: {
      compressor: oddCompressorRow('open', 'open the array'),
      folder: {
        severity: 'error',
        meaning: 'TileDB reads whatever lies here, cannot read a folder, and fails to open the array',
        refused: { act: 'open', error: 'POSIX read error: Is a directory' },
      },
    },
  },
  CONSOLIDATED_METADATA_OFFSET: {
    severity: 'error',
    meaning: 'readers take other bytes for the footer of this fragment',
    mend: 'aside',
    lost: OWN_FOOTER,
  },
  CONSOLIDATED_METADATA_DIFFERS: {
    severity: 'error',
    meaning:
      'readers take this copy and not the footer of the fragment itself, and so read other bytes than were written',
    mend: 'aside',
    lost: OWN_FOOTER,
    variants: {
      ownDamaged: {
        severity: 'error',
        meaning:
          'the footer of the fragment is damaged, and its copy fits the rest of the file: readers take the copy, and read all cells. Without the copy they fail, or read other cells. Do not remove consolidated fragment metadata before the footer is mended',
        mend: 'recover-places',
        lost: noLoss('nothing: the copy of the footer is whole'),
      },
    },
  },
  CONSOLIDATED_METADATA_DANGLING: {
    severity: 'note',
    meaning: 'the file still holds the footer of a fragment that is gone',
    mend: 'aside',
    lost: OWN_FOOTER,
  },
} as const satisfies CodeRows
