import { type CodeRows, loss, noLoss, oddCompressorRow, STORED, UNNEEDED, USUALLY_LOST } from './row.ts'

const SCHEMA_NEEDED = USUALLY_LOST.schema
const VALUES = loss('the values of the enumeration; the cells still hold their indexes')

/** Codes about schemas and enumerations. */
export const SCHEMA_CODES = {
  SCHEMA_NAME_INVALID: {
    severity: 'error',
    meaning: 'TileDB reads every file in __schema as a schema: it fails to open the array while this is there',
    mend: 'schema-file',
    refused: { act: 'open', error: 'FragmentID: input URI is invalid. Provided URI does not contain a fragment name.' },
    variants: {
      readable: {
        severity: 'warning',
        meaning: 'TileDB takes the file for one more schema',
      },
    },
  },
  SCHEMA_UNREADABLE: {
    severity: 'error',
    meaning: 'readers read all schemas of an array, so they fail to open it',
    mend: 'schema-file',
    refused: { act: 'open', error: 'ArrayDirectory: Cannot read from file, or Error reading generic tile' },
    variants: {
      attributeType: {
        severity: 'error',
        meaning:
          'TileDB has no such type. It opens the array all the same, and reads the other fields (measured with 2.30). Nothing tells the size of the values of this one',
        refused: { act: 'fields', error: 'tiledb datatype not understood' },
      },
    },
  },
  SCHEMA_MISSING: {
    severity: 'error',
    meaning: 'the footer names a schema that is not there: readers fail to open the fragment, and with it the array',
    mend: 'recover-places',
    refused: { act: 'open', error: 'FragmentMetadata: Could not find schema … in map of schemas loaded.' },
    lost: noLoss(
      'nothing if only the name in the footer is wrong; the schema if its file was removed: the cells are still there',
    ),
  },
  SCHEMA_FOREIGN: {
    severity: 'error',
    meaning:
      'it cannot follow from the other schemas: it is that of another array, or was changed. TileDB opens the array, but reads fail, or give wrong cells or none (measured with 2.30)',
    mend: 'schema-file',
    isRoot: true,
    variants: {
      unused: {
        severity: 'warning',
        meaning: 'it cannot follow from the other schemas, but no fragment names it, and another one is used now',
      },
    },
  },
  SCHEMA_NO_DIMENSION: {
    severity: 'error',
    meaning: 'an array has at least one dimension',
    mend: 'copy',
    isRoot: true,
    refused: { act: 'open', error: 'no error: the process ends with a signal' },
    lost: SCHEMA_NEEDED,
  },
  SCHEMA_DUPLICATE_FIELD: {
    severity: 'error',
    meaning: 'two fields have the same name: readers take one for the other',
    mend: 'copy',
    isRoot: true,
    refused: {
      act: 'open',
      error:
        'ArraySchema: Array schema check failed; Attributes, dimensions and dimension labels must have unique names',
    },
    lost: SCHEMA_NEEDED,
    variants: {
      own: {
        severity: 'error',
        meaning:
          'TileDB has an internal field with this name, and takes this one for it: reads fail, end the process, or give values that nobody wrote',
        refused: { act: 'fields', error: 'another for each name, or none: then the values are wrong' },
      },
    },
  },
  SCHEMA_LAYOUT: {
    severity: 'error',
    meaning: 'TileDB has no such order of tiles: it fails to open the array',
    mend: 'schema',
    isRoot: true,
    refused: { act: 'open', error: '[ArraySchema::deserialize]' },
    variants: {
      cellOrder: {
        severity: 'error',
        meaning:
          'TileDB has no such order of cells. It opens the array all the same (measured with 2.30), but nothing tells in which order its cells are',
        refused: null,
      },
    },
  },
  SCHEMA_CAPACITY: {
    severity: 'error',
    meaning: 'the capacity is 0: the cells of sparse fragments cannot be found',
    mend: 'schema',
    isRoot: true,
    refused: { act: 'read', error: 'Tile: Incorrect unfiltered tile size allocated.' },
    variants: {
      large: {
        severity: 'warning',
        meaning:
          'a write reserves memory for a whole tile of each field: TileDB fails with std::bad_alloc (measured with 2.30), but reads',
        refused: null,
      },
    },
  },
  SCHEMA_DOMAIN: {
    severity: 'error',
    meaning: 'the ends of the domain are reversed, or NaN: readers fail',
    mend: 'schema',
    isRoot: true,
    refused: { act: 'read', error: 'Lower range bound cannot be larger than the higher bound' },
    variants: {
      denseFloat: {
        severity: 'error',
        meaning: 'dense arrays cannot have a float dimension: TileDB fails to open the array',
        refused: {
          act: 'open',
          error: 'ArraySchema: Array schema check failed; Dense arrays cannot have floating point domains',
        },
      },
    },
  },
  SCHEMA_TILE_EXTENT: {
    severity: 'error',
    meaning: 'the tile extent does not fit the domain, or is missing where one is needed',
    mend: 'schema',
    isRoot: true,
    refused: {
      act: 'read',
      error: 'std::bad_alloc, or Cannot process a single tile, or the process ends with a signal',
    },
    variants: {
      zero: {
        severity: 'error',
        meaning: 'to open the array TileDB divides by the tile extent, which is 0',
        refused: { act: 'open', error: 'no error: the process ends with a signal' },
      },
      sparse: {
        severity: 'warning',
        meaning:
          'TileDB refuses to create such an array, but needs no tile extent to read sparse cells: it opens the array and reads it all',
      },
      large: {
        severity: 'warning',
        meaning:
          'a write reserves memory for a whole tile of each field: TileDB fails with std::bad_alloc (measured with 2.30), but reads; a smaller tile extent helps',
        mend: 'leave',
        lost: STORED,
        refused: null,
      },
    },
  },
  SCHEMA_CURRENT_DOMAIN: {
    severity: 'error',
    meaning: 'readers fail on a current domain that does not lie inside the domain',
    mend: 'schema',
    isRoot: true,
    refused: { act: 'read', error: 'Subarray: Cannot add range to dimension' },
  },
  SCHEMA_FILL_VALUE: {
    severity: 'error',
    meaning: 'readers fill missing cells with this value, but its size is not that of a cell',
    mend: 'copy',
    isRoot: true,
    lost: SCHEMA_NEEDED,
    variants: {
      sparse: {
        severity: 'warning',
        meaning:
          'TileDB refuses to create such an array, but sparse reads fill no cells: it opens the array and reads it all',
      },
    },
  },
  SCHEMA_FILTER_UNKNOWN: {
    severity: 'error',
    meaning: 'TileDB has no such filter: what it filtered cannot be read',
    mend: 'schema',
    isRoot: true,
    refused: { act: 'open', error: 'FilterCreate: Deserialization error; unknown type' },
  },
  SCHEMA_FILTER_COMPRESSOR: {
    severity: 'warning',
    meaning:
      'the number inside the options contradicts the filter: TileDB goes by the number, but this filter makes nothing that it reads',
    mend: 'schema',
    isRoot: true,
    lost: noLoss('nothing: decode goes by the filter'),
    variants: {
      attribute: {
        severity: 'error',
        meaning:
          'the number inside the options contradicts the filter: TileDB goes by the number, and fails to read what the filter made (measured with 2.30)',
        refused: { act: 'fields', error: 'that of the compressor of this number' },
      },
      dimension: {
        severity: 'error',
        meaning:
          'the number inside the options contradicts the filter of coordinates: TileDB goes by the number, and fails to read any cell (measured with 2.30)',
        refused: { act: 'read', error: 'that of the compressor of this number' },
      },
      byNumber: {
        severity: 'warning',
        meaning:
          'the number inside the options contradicts the filter, and the cells are filtered by the compressor with that number: TileDB goes by the number, and reads them, as this program does',
        mend: 'leave',
        lost: noLoss('nothing: readers go by the number'),
      },
      tile: oddCompressorRow('open', 'open the array'),
    },
  },
  SCHEMA_FILTER_OPTIONS: {
    severity: 'warning',
    meaning: 'TileDB never stores such a value for this option; readers may refuse it',
    mend: 'schema',
    isRoot: true,
    lost: UNNEEDED,
    variants: {
      byteWidth: {
        severity: 'error',
        meaning: 'TileDB has no integers of this size: it fails to open the array, and what it filtered cannot be read',
        lost: SCHEMA_NEEDED,
        refused: {
          act: 'open',
          error: 'FloatScalingFilter::output_datatype: byte_width_ does not reflect the size of an integer type.',
        },
      },
      length: {
        severity: 'warning',
        meaning:
          'TileDB reads as many bytes of options as the filter has, whatever length is stored (measured with 2.30). Releases before 2.7 fail to open the array',
        lost: UNNEEDED,
      },
      aes: {
        severity: 'error',
        meaning:
          'TileDB encrypts by the key of an array, never by a filter of its schema. It has no key for this filter, so nobody can read what it filtered',
        lost: SCHEMA_NEEDED,
        refused: { act: 'fields', error: 'Encryption error; bad key.' },
      },
    },
  },
  ENUMERATION_UNLISTED: {
    severity: 'error',
    meaning: 'an attribute indexes an enumeration that the schema does not have',
    mend: 'copy',
    refused: { act: 'labels', error: 'ArraySchema: Unable to check if unknown enumeration is loaded.' },
    lost: VALUES,
  },
  ENUMERATION_MISSING: {
    severity: 'error',
    meaning: 'the values that cells index are not there: only the indexes can be read',
    mend: 'copy',
    refused: { act: 'labels', error: 'Cannot get file size of … No such file or directory' },
    lost: VALUES,
    variants: {
      older: {
        severity: 'warning',
        meaning: 'reads as of these times find only the indexes. Reads as of now do not need this enumeration',
        lost: loss('the values of the enumeration, for reads as of these times; the cells still hold their indexes'),
      },
      extended: {
        severity: 'warning',
        meaning:
          'reads as of these times find only the indexes. Reads as of now have all values: TileDB only adds values to an enumeration, so that of now begins with the missing ones',
        lost: noLoss('nothing: the enumeration of now begins with the missing values'),
      },
      unused: {
        severity: 'note',
        meaning:
          'no attribute uses this enumeration in a schema with which TileDB opens the array, now or as of another time',
        mend: 'leave',
        lost: UNNEEDED,
      },
    },
  },
  ENUMERATION_UNREADABLE: {
    severity: 'error',
    meaning: 'the values that cells index are lost: only the indexes can be read',
    mend: 'copy',
    refused: { act: 'labels', error: 'Cannot read from file; Read exceeds file size' },
    lost: VALUES,
    variants: {
      version: {
        severity: 'error',
        meaning:
          'no release so far has enumerations of this version, so only the indexes can be read: a newer release wrote it, or the number was changed',
        lost: noLoss('nothing, if a newer release wrote it: that release reads the values'),
        refused: { act: 'labels', error: 'Enumeration: Invalid Enumeration version' },
      },
      compressor: {
        ...oddCompressorRow('labels', 'read its values'),
        lost: noLoss('nothing: this program reads the values, and the cells still hold their indexes'),
      },
    },
  },
  ENUMERATION_NAME: {
    severity: 'error',
    meaning:
      'TileDB does not load an enumeration under another name than the schema gives it: only the indexes can be read',
    mend: 'copy',
    refused: { act: 'labels', error: 'ArraySchema: Unable to check if unknown enumeration is loaded.' },
    lost: noLoss('nothing but the right name; TileDB fails to read the attributes that use the enumeration'),
    variants: {
      exchanged: {
        severity: 'error',
        meaning: 'this file and another one have each the name of the other: TileDB loads neither',
        mend: 'exchange',
        lost: noLoss('nothing: the other file has the values'),
      },
    },
  },
  ENUMERATION_VALUES: {
    severity: 'error',
    meaning: 'it is unknown where each value begins',
    mend: 'copy',
    refused: {
      act: 'labels',
      error:
        'Enumeration: Invalid data input, data_size is smaller than the last provided offset; or the process ends with a signal',
    },
    lost: VALUES,
    variants: {
      twice: {
        severity: 'error',
        meaning: 'TileDB does not load an enumeration that has a value twice: only the indexes can be read',
        refused: { act: 'labels', error: 'Enumeration: Invalid duplicated value in enumeration' },
      },
      fewer: {
        severity: 'error',
        meaning:
          'the enumeration had more values before, and cells may still index them: readers that look these up fail. An older schema of the array has the values',
        refused: { act: 'labels', error: 'no error of TileDB itself; TileDB-Py: IndexError, index out of bounds' },
        lost: noLoss('nothing: an older schema of the array has the values, and the cells still hold their indexes'),
      },
      other: {
        severity: 'warning',
        meaning:
          'the enumeration had other values before, in these places: cells written then read as the new ones, without an error. An older schema of the array has the values',
        refused: null,
        lost: noLoss('nothing: an older schema of the array has the values, and the cells still hold their indexes'),
      },
    },
  },
  LABEL_DIMENSION: {
    severity: 'error',
    meaning: 'the label belongs to a dimension that the schema does not have',
    mend: 'copy',
    lost: SCHEMA_NEEDED,
  },
  LABEL_MISSING: {
    severity: 'error',
    meaning: 'the array of the label is not there: the label cannot be read',
    mend: 'copy',
    lost: loss('the labels; cells can still be read by their coordinates'),
  },
} as const satisfies CodeRows
