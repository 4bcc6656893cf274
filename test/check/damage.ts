import type { FindingCode } from '../../src/check/codes.ts'
import { METADATA, SCHEMA } from '../../src/damage/damage.ts'
import { DAMAGES } from '../../src/damage/damages.ts'
import type { EditableArray } from '../../src/damage/editable-array.ts'
import { sampleArray } from '../../src/damage/samples.ts'
import { writingCodecs } from '../../src/node/node-codecs.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'

/** The fixture that is damaged for a code, and the place of the finding. */
export interface Place {
  fixture: string
  /** Matches the path of the file. */
  file: RegExp
  offset?: number
  field?: string
  tile?: number
  chunk?: number
  cell?: number
}

function place(fixture: string, file: RegExp, found: Omit<Place, 'fixture' | 'file'> = {}): Place {
  return { fixture, file, ...found }
}

const SPARSE = '22/sparse_basic'

/** Codes without a row are planted in the sample of `write-sample --damage`. A snapshot holds the place of the finding. */
export const PLACES: Readonly<Partial<Record<FindingCode, Place>>> = {
  ARRAY_NO_SCHEMA: place('22/empty_sparse', /^\/array$/),
  ARRAY_UNKNOWN_ENTRY: place(SPARSE, /README\.txt$/),
  LOCK_NOT_EMPTY: place('10/sparse_basic', /__lock\.tdb$/, { offset: 0 }),
  FRAGMENT_NAME_INVALID: place(SPARSE, /__fragments\/mine$/),
  FRAGMENT_WRONG_FOLDER: place(SPARSE, /array\/__10_10_[^/]*$/),
  FRAGMENT_TIMESTAMPS: place(SPARSE, /__20_10_/),
  FRAGMENT_UNCOMMITTED: place(SPARSE, /__fragments\/__10_10/),
  ARRAY_READS_EMPTY: place(SPARSE, /^\/array$/),
  FRAGMENT_FUTURE: place(SPARSE, /__fragments\/__1700000000000000_/),
  FRAGMENT_NO_METADATA: place(SPARSE, /__fragments\/__10_10/),
  COMMIT_UNREADABLE: place('22/commits_consolidated', /\.con$/),
  COMMIT_DANGLING: place(SPARSE, /__5_5_.*\.wrt$/),
  COMMIT_NOT_EMPTY: place(SPARSE, /\.wrt$/, { offset: 0 }),
  COMMIT_NAME_INVALID: place(SPARSE, /notes\.txt$/),
  COMMIT_WRONG_FOLDER: place(SPARSE, /\.ok$/),
  VACUUM_DANGLING: place('22/vacuum_left', /\.vac$/),
  VACUUM_UNCOMMITTED: place('22/vacuum_left', /\.vac$/),
  VACUUM_HIDES_CELLS: place('22/vacuum_left', /\.vac$/, { offset: 0 }),
  IGNORE_DANGLING: place('22/commits_ignored', /\.ign$/),
  DELETE_FUTURE: place('22/deletes', /__commits\/__1700000000000000_.*\.del$/),
  DELETE_CONDITION_UNREADABLE: place('22/deletes', /__15_15_.*\.del$/),
  DELETE_CONDITION_FIELD: place('22/deletes', /__15_15_.*\.del$/),
  DELETE_CONDITION_VALUE: place('22/deletes', /__15_15_.*\.del$/, { field: 'value' }),
  DELETE_CONDITION_OPERANDS: place('22/deletes', /__15_15_.*\.del$/, { field: 'child_num' }),
  COMMIT_DUPLICATE: place('22/commits_consolidated', /\.con$/),
  DELETE_CONDITION_DIFFERS: place('22/deletes', /\.con$/),
  CONSOLIDATED_METADATA_UNREADABLE: place('22/fragment_metadata_consolidated', /\.meta$/),
  CONSOLIDATED_METADATA_OFFSET: place('22/fragment_metadata_consolidated', /\.meta$/, { field: 'entries.2.offset' }),
  CONSOLIDATED_METADATA_DIFFERS: place('22/fragment_metadata_consolidated', /\.meta$/, { field: 'entries.2' }),
  CONSOLIDATED_METADATA_DANGLING: place('22/fragment_metadata_consolidated', /\.meta$/),
  SCHEMA_NAME_INVALID: place(SPARSE, /__schema\/draft$/),
  SCHEMA_UNREADABLE: place(SPARSE, SCHEMA),
  SCHEMA_MISSING: place(SPARSE, METADATA, { field: 'array_schema_name' }),
  SCHEMA_FOREIGN: place(SPARSE, /__schema\/__\d+_\d+_0123\S*$/, { field: 'dimensions.other' }),
  SCHEMA_NO_DIMENSION: place('22/empty_sparse', SCHEMA),
  SCHEMA_DUPLICATE_FIELD: place(SPARSE, SCHEMA),
  SCHEMA_LAYOUT: place(SPARSE, SCHEMA, { field: 'cell_order' }),
  SCHEMA_CAPACITY: place('22/empty_sparse', SCHEMA, { field: 'capacity' }),
  SCHEMA_DOMAIN: place(SPARSE, SCHEMA),
  SCHEMA_TILE_EXTENT: place('22/empty_dense', SCHEMA),
  SCHEMA_CURRENT_DOMAIN: place('22/current_domain', SCHEMA),
  SCHEMA_FILL_VALUE: place('22/empty_dense', SCHEMA, { field: 'attributes.a.fill_value' }),
  SCHEMA_FILTER_UNKNOWN: place('22/empty_sparse', SCHEMA),
  SCHEMA_FILTER_COMPRESSOR: place('22/empty_dense', SCHEMA),
  FLAG_VALUE: place(SPARSE, SCHEMA, { field: 'allows_duplicates' }),
  SCHEMA_FILTER_OPTIONS: place(SPARSE, SCHEMA),
  ENUMERATION_UNLISTED: place('22/enumerations', SCHEMA, { field: 'attributes.tree.enumeration' }),
  ENUMERATION_MISSING: place('22/enumerations', SCHEMA),
  ENUMERATION_UNREADABLE: place('22/enumerations', /\/__enumerations\//),
  ENUMERATION_NAME: place('22/enumerations', /\/__enumerations\//, { field: 'name' }),
  ENUMERATION_VALUES: place('22/enumerations', /__enumerations\//, { field: 'offsets.1' }),
  LABEL_DIMENSION: place('22/dimension_labels', SCHEMA),
  LABEL_MISSING: place('22/dimension_labels', SCHEMA),
  FILE_MISSING: place(SPARSE, /a2\.tdb$/),
  FILE_SHORT: place(SPARSE, /a3\.tdb$/, { offset: 380 }),
  FILE_LONG: place(SPARSE, /a3\.tdb$/, { offset: 390 }),
  FILE_UNLISTED: place(SPARSE, /a99\.tdb$/),
  FOOTER_UNREADABLE: place(SPARSE, METADATA),
  FOOTER_VERSION: place(SPARSE, METADATA, { field: 'version' }),
  FOOTER_DENSE: place(SPARSE, METADATA, { field: 'dense' }),
  FIELD_CHANGED: place(SPARSE, METADATA, { field: 'attributes.a' }),
  FOOTER_NULL_DOMAIN: place(SPARSE, METADATA),
  FOOTER_SLACK: place(SPARSE, METADATA),
  FOOTER_LAST_TILE: place(SPARSE, METADATA, { field: 'last_tile_cell_num' }),
  FOOTER_IGNORED_FIELD: place('22/dense_3d_row_row', METADATA, { field: 'sparse_tile_num' }),
  FOOTER_FILE_SIZE: place(SPARSE, METADATA, { field: 'file_sizes.__coords' }),
  NONEMPTY_DOMAIN: place(SPARSE, METADATA, { field: 'nonempty_domain.x' }),
  SECTION_OFFSET: place(SPARSE, METADATA, { field: 'tile_offsets_offsets.a' }),
  SECTION_UNREADABLE: place(SPARSE, METADATA, { field: 'tile_offsets.s.chunks.0.GZIP' }),
  SECTION_OVERLAP: place(SPARSE, METADATA),
  SECTION_GAP: place(SPARSE, METADATA),
  GENERIC_TILE_HEADER: place(SPARSE, SCHEMA, { offset: 0, field: 'datatype' }),
  RTREE_LEVELS: place('22/rtree_levels', METADATA, { field: 'rtree' }),
  RTREE_FANOUT: place(SPARSE, METADATA, { field: 'rtree' }),
  RTREE_CONTAINMENT: place('22/rtree_levels', METADATA, { field: 'rtree.levels.1.0' }),
  MBR_INVALID: place(SPARSE, METADATA),
  MBR_NONEMPTY_DOMAIN: place(SPARSE, METADATA, { field: 'nonempty_domain.x' }),
  RTREE_DENSE: place('22/dense_3d_row_row', METADATA),
  TILE_OFFSETS_COUNT: place(SPARSE, METADATA, { field: 'tile_offsets.a' }),
  TILE_OFFSETS_ORDER: place(SPARSE, METADATA, { tile: 2 }),
  TILE_OFFSETS_OUTSIDE: place(SPARSE, METADATA, { field: 'tile_offsets.a.5' }),
  STATISTICS_COUNT: place(SPARSE, METADATA, { field: 'tile_sums.a' }),
  PROCESSED_CONDITION_NAME: place('22/deletes_consolidated', METADATA, { field: 'processed_conditions.0' }),
  TILE_UNREADABLE: place(SPARSE, /a3\.tdb$/, { tile: 0 }),
  TILE_SIZE: place(SPARSE, /a0\.tdb$/, { tile: 1 }),
  TILE_TRAILING_BYTES: place(SPARSE, /a0\.tdb$/, { tile: 1 }),
  CHUNK_UNREADABLE: place(SPARSE, /a2\.tdb$/, { tile: 0, chunk: 0 }),
  CHUNK_SPLITS_CELL: place(SPARSE, /a3\.tdb$/, { tile: 0, chunk: 0 }),
  CHECKSUM_MISMATCH: place(SPARSE, /a0\.tdb$/, { field: 'CHECKSUM_SHA256', tile: 5, chunk: 0 }),
  CELL_OFFSETS: place(SPARSE, /a1\.tdb$/, { field: 's', cell: 1, tile: 0 }),
  CELL_VAR_SIZE: place('22/type_var_numeric', /\.tdb$/, { tile: 0 }),
  CELL_VALIDITY: place(SPARSE, /a5_validity\.tdb$/, { tile: 1 }),
  CELL_BOOL: place('22/type_numbers_sparse', /\.tdb$/, { tile: 0 }),
  COORDINATE_DOMAIN: place(SPARSE, /d0\.tdb$/, { field: 'x', tile: 3 }),
  COORDINATE_MBR: place(SPARSE, /d1\.tdb$/, { field: 'y', tile: 0 }),
  MBR_LOOSE: place(SPARSE, /d1\.tdb$/, { tile: 0 }),
  COORDINATE_ORDER: place(SPARSE, /d0\.tdb$/, { tile: 0 }),
  COORDINATE_DUPLICATE: place(SPARSE, /d0\.tdb$/, { cell: 2, tile: 1 }),
  TILE_MIN_MAX: place(SPARSE, METADATA, { field: 'tile_min_values.a', tile: 1 }),
  TILE_SUM: place(SPARSE, METADATA, { field: 'tile_sums.n', tile: 2 }),
  TILE_NULL_COUNT: place(SPARSE, METADATA, { field: 'tile_null_counts.n', tile: 0 }),
  FRAGMENT_MIN_MAX: place(SPARSE, METADATA, { field: 'fragment_min.a' }),
  FRAGMENT_SUM: place(SPARSE, METADATA, { field: 'fragment_sum.a' }),
  FRAGMENT_NULL_COUNT: place(SPARSE, METADATA, { field: 'fragment_null_count.n' }),
  CELL_TIMESTAMP: place('22/deletes_consolidated', /\/t\.tdb$/, { field: '__timestamps', cell: 0, tile: 0 }),
  DELETE_TIMESTAMP: place('22/deletes_consolidated', /\/dt\.tdb$/, { field: '__delete_timestamps', cell: 0, tile: 0 }),
  DELETE_CONDITION_INDEX: place('22/deletes_consolidated', /\/dci\.tdb$/, {
    field: '__delete_condition_index',
    cell: 0,
    tile: 0,
  }),
  ENUMERATION_INDEX: place('22/enumerations', /a0\.tdb$/, { field: 'tree', cell: 0, tile: 0 }),
  METADATA_NAME_INVALID: place('22/metadata', /__meta\/notes$/),
  METADATA_UNREADABLE: place('22/metadata', /__meta\/__10_10/),
  METADATA_FUTURE: place('22/metadata', /__meta\/__1700000000000000_/),
  GROUP_DETAILS_UNREADABLE: place('22/group', /__group\//),
  GROUP_DETAILS_FUTURE: place('22/group', /__group\/__1700000000000000_/),
  GROUP_MEMBER_MISSING: place('22/group', /^\/array$/),
  GROUP_MEMBER_ELSEWHERE: place('22/group', /^\/array$/),
  GROUP_MEMBER_TYPE: place('22/group', /^\/array$/),
  GROUP_MEMBER_TWICE: place('22/group', /^\/array$/),
  GROUP_OBJECT_UNLISTED: place('22/group', /^\/array\/left$/),
  GROUP_CYCLE: place('22/group', /^\/array$/),
}

/** The array that a code's damage is planted in. */
export async function whole(code: FindingCode): Promise<EditableArray> {
  const found = PLACES[code]
  return found ? new EditedArray(found.fixture) : await sampleArray(DAMAGES[code].sample, EDITED, writingCodecs)
}

export function keyOf(array: EditableArray): string | undefined {
  return array instanceof EditedArray ? array.key : undefined
}
