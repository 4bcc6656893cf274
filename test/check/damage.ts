import type { FindingCode } from '../../src/check/codes.ts'
import { METADATA, SCHEMA } from '../../src/damage/damage.ts'

/** A fixture that takes the damage of a code, and where it must be found. */
export interface Place {
  fixture: string
  /** End of the file's path. */
  file: RegExp
  offset?: number
  field?: string
  tile?: number
  chunk?: number
  cell?: number
}

const SPARSE = '22/sparse_basic'

export const PLACES: Readonly<Record<FindingCode, Place>> = {
  ARRAY_NO_SCHEMA: {
    fixture: '22/empty_sparse',
    file: /^\/array$/,
  },
  ARRAY_UNKNOWN_ENTRY: {
    fixture: SPARSE,
    file: /README\.txt$/,
  },
  LOCK_NOT_EMPTY: {
    fixture: '10/sparse_basic',
    file: /__lock\.tdb$/,
    offset: 0,
  },
  FRAGMENT_NAME_INVALID: {
    fixture: SPARSE,
    file: /__fragments\/mine$/,
  },
  FRAGMENT_WRONG_FOLDER: {
    fixture: SPARSE,
    file: /array\/__10_10_[^/]*$/,
  },
  FRAGMENT_TIMESTAMPS: {
    fixture: SPARSE,
    file: /__20_10_/,
  },
  FRAGMENT_UNCOMMITTED: {
    fixture: SPARSE,
    file: /__fragments\/__10_10/,
  },
  ARRAY_READS_EMPTY: {
    fixture: SPARSE,
    file: /^\/array$/,
  },
  FRAGMENT_FUTURE: {
    fixture: SPARSE,
    file: /__fragments\/__1700000000000000_/,
  },
  FRAGMENT_NO_METADATA: {
    fixture: SPARSE,
    file: /__fragments\/__10_10/,
  },
  COMMIT_UNREADABLE: {
    fixture: '22/commits_consolidated',
    file: /\.con$/,
  },
  COMMIT_DANGLING: {
    fixture: SPARSE,
    file: /__5_5_.*\.wrt$/,
  },
  COMMIT_NOT_EMPTY: {
    fixture: SPARSE,
    file: /\.wrt$/,
    offset: 0,
  },
  COMMIT_NAME_INVALID: {
    fixture: SPARSE,
    file: /notes\.txt$/,
  },
  COMMIT_WRONG_FOLDER: {
    fixture: SPARSE,
    file: /\.ok$/,
  },
  VACUUM_DANGLING: {
    fixture: '22/vacuum_left',
    file: /\.vac$/,
  },
  VACUUM_UNCOMMITTED: {
    fixture: '22/vacuum_left',
    file: /\.vac$/,
  },
  VACUUM_HIDES_CELLS: {
    fixture: '22/vacuum_left',
    file: /\.vac$/,
    offset: 0,
  },
  IGNORE_DANGLING: {
    fixture: '22/commits_ignored',
    file: /\.ign$/,
  },
  DELETE_FUTURE: {
    fixture: '22/deletes',
    file: /__commits\/__1700000000000000_.*\.del$/,
  },
  DELETE_CONDITION_UNREADABLE: {
    fixture: '22/deletes',
    file: /__15_15_.*\.del$/,
  },
  DELETE_CONDITION_FIELD: {
    fixture: '22/deletes',
    file: /__15_15_.*\.del$/,
  },
  DELETE_CONDITION_VALUE: {
    fixture: '22/deletes',
    file: /__15_15_.*\.del$/,
    field: 'value',
  },
  DELETE_CONDITION_OPERANDS: {
    fixture: '22/deletes',
    file: /__15_15_.*\.del$/,
    field: 'child_num',
  },
  COMMIT_DUPLICATE: {
    fixture: '22/commits_consolidated',
    file: /\.con$/,
  },
  DELETE_CONDITION_DIFFERS: {
    fixture: '22/deletes',
    file: /\.con$/,
  },
  CONSOLIDATED_METADATA_UNREADABLE: {
    fixture: '22/fragment_metadata_consolidated',
    file: /\.meta$/,
  },
  CONSOLIDATED_METADATA_OFFSET: {
    fixture: '22/fragment_metadata_consolidated',
    file: /\.meta$/,
    field: 'entries.2.offset',
  },
  CONSOLIDATED_METADATA_DIFFERS: {
    fixture: '22/fragment_metadata_consolidated',
    file: /\.meta$/,
    field: 'entries.2',
  },
  CONSOLIDATED_METADATA_DANGLING: {
    fixture: '22/fragment_metadata_consolidated',
    file: /\.meta$/,
  },
  SCHEMA_NAME_INVALID: {
    fixture: SPARSE,
    file: /__schema\/draft$/,
  },
  SCHEMA_UNREADABLE: {
    fixture: SPARSE,
    file: SCHEMA,
  },
  SCHEMA_MISSING: {
    fixture: SPARSE,
    file: METADATA,
    field: 'array_schema_name',
  },
  SCHEMA_NO_DIMENSION: {
    fixture: '22/empty_sparse',
    file: SCHEMA,
  },
  SCHEMA_DUPLICATE_FIELD: {
    fixture: SPARSE,
    file: SCHEMA,
  },
  SCHEMA_LAYOUT: {
    fixture: SPARSE,
    file: SCHEMA,
    field: 'cell_order',
  },
  SCHEMA_CAPACITY: {
    fixture: '22/empty_sparse',
    file: SCHEMA,
    field: 'capacity',
  },
  SCHEMA_DOMAIN: {
    fixture: SPARSE,
    file: SCHEMA,
  },
  SCHEMA_TILE_EXTENT: {
    fixture: '22/empty_dense',
    file: SCHEMA,
  },
  SCHEMA_CURRENT_DOMAIN: {
    fixture: '22/current_domain',
    file: SCHEMA,
  },
  SCHEMA_FILL_VALUE: {
    fixture: '22/empty_dense',
    file: SCHEMA,
    field: 'attributes.a.fill_value',
  },
  SCHEMA_FILTER_UNKNOWN: {
    fixture: '22/empty_sparse',
    file: SCHEMA,
  },
  SCHEMA_FILTER_COMPRESSOR: {
    fixture: SPARSE,
    file: SCHEMA,
  },
  SCHEMA_FILTER_OPTIONS: {
    fixture: SPARSE,
    file: SCHEMA,
  },
  ENUMERATION_UNLISTED: {
    fixture: '22/enumerations',
    file: SCHEMA,
    field: 'attributes.tree.enumeration',
  },
  ENUMERATION_MISSING: {
    fixture: '22/enumerations',
    file: SCHEMA,
  },
  ENUMERATION_UNREADABLE: {
    fixture: '22/enumerations',
    file: /\/__enumerations\//,
  },
  ENUMERATION_NAME: {
    fixture: '22/enumerations',
    file: /\/__enumerations\//,
    field: 'name',
  },
  ENUMERATION_VALUES: {
    fixture: '22/enumerations',
    file: /__enumerations\//,
    field: 'offsets.1',
  },
  LABEL_DIMENSION: {
    fixture: '22/dimension_labels',
    file: SCHEMA,
  },
  LABEL_MISSING: {
    fixture: '22/dimension_labels',
    file: SCHEMA,
  },
  FILE_MISSING: {
    fixture: SPARSE,
    file: /a2\.tdb$/,
  },
  FILE_SHORT: {
    fixture: SPARSE,
    file: /a3\.tdb$/,
    offset: 380,
  },
  FILE_LONG: {
    fixture: SPARSE,
    file: /a3\.tdb$/,
    offset: 390,
  },
  FILE_UNLISTED: {
    fixture: SPARSE,
    file: /a99\.tdb$/,
  },
  FOOTER_UNREADABLE: {
    fixture: SPARSE,
    file: METADATA,
  },
  FOOTER_VERSION: {
    fixture: SPARSE,
    file: METADATA,
    field: 'version',
  },
  FOOTER_DENSE: {
    fixture: SPARSE,
    file: METADATA,
    field: 'dense',
  },
  FIELD_CHANGED: {
    fixture: SPARSE,
    file: METADATA,
    field: 'attributes.a',
  },
  FOOTER_NULL_DOMAIN: {
    fixture: SPARSE,
    file: METADATA,
  },
  FOOTER_SLACK: {
    fixture: SPARSE,
    file: METADATA,
  },
  FOOTER_LAST_TILE: {
    fixture: SPARSE,
    file: METADATA,
    field: 'last_tile_cell_num',
  },
  FOOTER_IGNORED_FIELD: {
    fixture: '22/dense_3d_row_row',
    file: METADATA,
    field: 'sparse_tile_num',
  },
  FOOTER_FILE_SIZE: {
    fixture: SPARSE,
    file: METADATA,
    field: 'file_sizes.__coords',
  },
  NONEMPTY_DOMAIN: {
    fixture: SPARSE,
    file: METADATA,
    field: 'nonempty_domain.x',
  },
  SECTION_OFFSET: {
    fixture: SPARSE,
    file: METADATA,
    field: 'tile_offsets_offsets.a',
  },
  SECTION_UNREADABLE: {
    fixture: SPARSE,
    file: METADATA,
    field: 'tile_offsets.s.chunks.0.GZIP',
  },
  SECTION_OVERLAP: {
    fixture: SPARSE,
    file: METADATA,
  },
  SECTION_GAP: {
    fixture: SPARSE,
    file: METADATA,
  },
  GENERIC_TILE_HEADER: {
    fixture: SPARSE,
    file: SCHEMA,
    offset: 0,
    field: 'datatype',
  },
  RTREE_LEVELS: {
    fixture: '22/rtree_levels',
    file: METADATA,
    field: 'rtree',
  },
  RTREE_FANOUT: {
    fixture: SPARSE,
    file: METADATA,
    field: 'rtree',
  },
  RTREE_CONTAINMENT: {
    fixture: '22/rtree_levels',
    file: METADATA,
    field: 'rtree.levels.1.0',
  },
  MBR_INVALID: {
    fixture: SPARSE,
    file: METADATA,
  },
  MBR_NONEMPTY_DOMAIN: {
    fixture: SPARSE,
    file: METADATA,
    field: 'nonempty_domain.x',
  },
  RTREE_DENSE: {
    fixture: '22/dense_3d_row_row',
    file: METADATA,
  },
  TILE_OFFSETS_COUNT: {
    fixture: SPARSE,
    file: METADATA,
    field: 'tile_offsets.a',
  },
  TILE_OFFSETS_ORDER: {
    fixture: SPARSE,
    file: METADATA,
    tile: 2,
  },
  TILE_OFFSETS_OUTSIDE: {
    fixture: SPARSE,
    file: METADATA,
    field: 'tile_offsets.a.5',
  },
  STATISTICS_COUNT: {
    fixture: SPARSE,
    file: METADATA,
    field: 'tile_sums.a',
  },
  PROCESSED_CONDITION_NAME: {
    fixture: '22/deletes_consolidated',
    file: METADATA,
    field: 'processed_conditions.0',
  },
  TILE_UNREADABLE: {
    fixture: SPARSE,
    file: /a3\.tdb$/,
    tile: 0,
  },
  TILE_SIZE: {
    fixture: SPARSE,
    file: /a0\.tdb$/,
    tile: 1,
  },
  TILE_TRAILING_BYTES: {
    fixture: SPARSE,
    file: /a0\.tdb$/,
    tile: 1,
  },
  CHUNK_UNREADABLE: {
    fixture: SPARSE,
    file: /a2\.tdb$/,
    tile: 0,
    chunk: 0,
  },
  CHUNK_SPLITS_CELL: {
    fixture: SPARSE,
    file: /a3\.tdb$/,
    tile: 0,
    chunk: 0,
  },
  CHECKSUM_MISMATCH: {
    fixture: SPARSE,
    file: /a0\.tdb$/,
    field: 'CHECKSUM_SHA256',
    tile: 5,
    chunk: 0,
  },
  CELL_OFFSETS: {
    fixture: SPARSE,
    file: /a1\.tdb$/,
    field: 's',
    cell: 1,
    tile: 0,
  },
  CELL_VAR_SIZE: {
    fixture: '22/type_var_numeric',
    file: /\.tdb$/,
    tile: 0,
  },
  CELL_VALIDITY: {
    fixture: SPARSE,
    file: /a5_validity\.tdb$/,
    tile: 1,
  },
  CELL_BOOL: {
    fixture: '22/type_numbers_sparse',
    file: /\.tdb$/,
    tile: 0,
  },
  COORDINATE_DOMAIN: {
    fixture: SPARSE,
    file: /d0\.tdb$/,
    field: 'x',
    tile: 3,
  },
  COORDINATE_MBR: {
    fixture: SPARSE,
    file: /d1\.tdb$/,
    field: 'y',
    tile: 0,
  },
  MBR_LOOSE: {
    fixture: SPARSE,
    file: /d1\.tdb$/,
    tile: 0,
  },
  COORDINATE_ORDER: {
    fixture: SPARSE,
    file: /d0\.tdb$/,
    tile: 0,
  },
  COORDINATE_DUPLICATE: {
    fixture: SPARSE,
    file: /d0\.tdb$/,
    cell: 2,
    tile: 1,
  },
  TILE_MIN_MAX: {
    fixture: SPARSE,
    file: METADATA,
    field: 'tile_min_values.a',
    tile: 1,
  },
  TILE_SUM: {
    fixture: SPARSE,
    file: METADATA,
    field: 'tile_sums.n',
    tile: 2,
  },
  TILE_NULL_COUNT: {
    fixture: SPARSE,
    file: METADATA,
    field: 'tile_null_counts.n',
    tile: 0,
  },
  FRAGMENT_MIN_MAX: {
    fixture: SPARSE,
    file: METADATA,
    field: 'fragment_min.a',
  },
  FRAGMENT_SUM: {
    fixture: SPARSE,
    file: METADATA,
    field: 'fragment_sum.a',
  },
  FRAGMENT_NULL_COUNT: {
    fixture: SPARSE,
    file: METADATA,
    field: 'fragment_null_count.n',
  },
  CELL_TIMESTAMP: {
    fixture: '22/deletes_consolidated',
    file: /\/t\.tdb$/,
    field: '__timestamps',
    cell: 0,
    tile: 0,
  },
  DELETE_TIMESTAMP: {
    fixture: '22/deletes_consolidated',
    file: /\/dt\.tdb$/,
    field: '__delete_timestamps',
    cell: 0,
    tile: 0,
  },
  DELETE_CONDITION_INDEX: {
    fixture: '22/deletes_consolidated',
    file: /\/dci\.tdb$/,
    field: '__delete_condition_index',
    cell: 0,
    tile: 0,
  },
  ENUMERATION_INDEX: {
    fixture: '22/enumerations',
    file: /a0\.tdb$/,
    field: 'tree',
    cell: 0,
    tile: 0,
  },
  METADATA_NAME_INVALID: {
    fixture: '22/metadata',
    file: /__meta\/notes$/,
  },
  METADATA_UNREADABLE: {
    fixture: '22/metadata',
    file: /__meta\/__10_10/,
  },
  METADATA_FUTURE: {
    fixture: '22/metadata',
    file: /__meta\/__1700000000000000_/,
  },
  GROUP_DETAILS_UNREADABLE: {
    fixture: '22/group',
    file: /__group\//,
  },
  GROUP_DETAILS_FUTURE: {
    fixture: '22/group',
    file: /__group\/__1700000000000000_/,
  },
  GROUP_MEMBER_MISSING: {
    fixture: '22/group',
    file: /^\/array$/,
  },
  GROUP_MEMBER_TYPE: {
    fixture: '22/group',
    file: /^\/array$/,
  },
  GROUP_CYCLE: {
    fixture: '22/group',
    file: /^\/array$/,
  },
}
