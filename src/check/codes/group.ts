import { type CodeRows, loss, noLoss, oddCompressorRow, UNNEEDED } from './row.ts'

/** Codes about key-value metadata and groups. */
export const GROUP_CODES = {
  METADATA_NAME_INVALID: {
    severity: 'error',
    meaning: 'TileDB since 2.8 reads every file in the folder: it fails to open the array or group while this is there',
    mend: 'aside',
    refused: { act: 'open', error: 'FragmentID: input URI is invalid, or Cannot read from file' },
    lost: undefined,
    variants: {
      readable: {
        severity: 'warning',
        meaning: 'TileDB takes what is in the file for metadata, too',
      },
      passedOver: {
        severity: 'note',
        meaning: 'TileDB passes over it: among lists of members there is no list of what to vacuum',
        refused: null,
        lost: UNNEEDED,
      },
      unreadable: {
        severity: 'error',
        meaning:
          'TileDB since 2.8 reads every file in the folder: it opens the array or group, but fails to read its key-value metadata while this is there',
        refused: { act: 'metadata', error: 'Cannot read from file; Read exceeds file size' },
      },
    },
  },
  METADATA_UNREADABLE: {
    severity: 'error',
    meaning: 'TileDB opens the array or group, but fails to read its key-value metadata while this is there',
    mend: 'aside',
    refused: { act: 'metadata', error: 'Cannot read from file; Read exceeds file size' },
    lost: loss('what this file set or deleted: readers see older values of these keys, if other files have them'),
    variants: {
      compressor: oddCompressorRow('metadata', 'read the key-value metadata'),
      refusedLine: {
        severity: 'error',
        meaning: 'TileDB takes each line of the file for a path, and fails to open the array',
        refused: { act: 'open', error: 'Invalid URI' },
        lost: UNNEEDED,
      },
      unusedLine: {
        severity: 'note',
        meaning: 'TileDB opens the group, and passes over this line',
        refused: null,
        lost: UNNEEDED,
      },
    },
  },
  METADATA_FUTURE: {
    severity: 'warning',
    meaning:
      'TileDB does not read this metadata before that time, unless the array or group is opened at that time or later. If the time is wrong (not in milliseconds, or from a clock that was ahead), write the metadata again',
    mend: 'milliseconds',
  },
  GROUP_DETAILS_UNREADABLE: {
    severity: 'error',
    meaning: 'the members of the group are unknown',
    mend: 'members',
    refused: { act: 'open', error: 'Cannot read from file; Read exceeds file size' },
    lost: loss('which members this file added or removed, and their names'),
    variants: { compressor: oddCompressorRow('open', 'open the group') },
  },
  GROUP_DETAILS_FUTURE: {
    severity: 'warning',
    meaning:
      'TileDB does not read this list of members before that time, unless the group is opened at that time or later. If the time is wrong (not in milliseconds, or from a clock that was ahead), add the members again',
    mend: 'milliseconds',
  },
  GROUP_MEMBER_MISSING: {
    severity: 'warning',
    meaning: 'the group lists a member that is not there: it opens and lists it, and only the member fails to open',
    mend: 'members',
    lost: loss('the member, unless it was only moved'),
    variants: {
      elsewhere: {
        severity: 'error',
        meaning:
          'readers look for the member outside of the dataset, and it is not there: the group or the member was moved',
      },
      never: {
        severity: 'warning',
        meaning: 'the group lists a member that was not there when it was added, and is not there now',
        lost: noLoss('nothing, unless the member was put there later and removed'),
      },
      needed: {
        severity: 'error',
        meaning: 'the group lists a part that is not there: the library of its layer fails where it opens the part',
      },
      temporary: {
        severity: 'note',
        meaning: 'the group still lists a member that was there for a while only: its library removed it',
        lost: noLoss('nothing: the library needs it no longer'),
      },
    },
  },
  GROUP_MEMBER_ELSEWHERE: {
    severity: 'warning',
    meaning: 'readers take the member from outside of the dataset: a copy of the dataset has no copy of it',
    mend: 'members',
    lost: noLoss('nothing: the member is there'),
  },
  GROUP_MEMBER_TYPE: {
    severity: 'error',
    meaning: 'the group says that an array is a group, or the other way round',
    mend: 'members',
    lost: noLoss('nothing: the member is there'),
    variants: {
      invalid: {
        severity: 'warning',
        meaning: 'the member did not exist when it was added: TileDB shows it as invalid',
      },
    },
  },
  GROUP_MEMBER_TWICE: {
    severity: 'note',
    meaning: 'two members lead to the same object: sums count it once, but who walks the group reads it twice',
    mend: 'leave',
    lost: noLoss('nothing: both members lead to it'),
  },
  GROUP_OBJECT_UNLISTED: {
    severity: 'note',
    meaning:
      'an array or group lies in the folder of the group, but is no member: who opens the group does not see it. Only check --all tells',
    mend: 'leave',
    onlyAll: true,
    lost: noLoss('nothing: it can be opened by its own path'),
  },
  GROUP_CYCLE: {
    severity: 'warning',
    meaning: 'the group contains itself: readers that walk it do not end',
    mend: 'members',
    lost: noLoss('nothing: the group is there'),
  },
} as const satisfies CodeRows
