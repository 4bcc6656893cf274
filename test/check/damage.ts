import type { FindingCode } from '../../src/check/codes.ts'
import { type ArraySchema, arraySchema } from '../../src/format/array-schema.ts'
import { consolidatedFragmentMetadata } from '../../src/format/consolidated-fragment-metadata.ts'
import { type ConditionNode, deleteCondition } from '../../src/format/delete-condition.ts'
import { enumerationFile } from '../../src/format/enumeration.ts'
import type { FragmentFooter } from '../../src/format/fragment-footer.ts'
import { fragmentMinMaxSumNullCount } from '../../src/format/fragment-min-max-sum-null-count.ts'
import { groupDetails } from '../../src/format/group-details.ts'
import { processedConditions } from '../../src/format/processed-conditions.ts'
import { rtree } from '../../src/format/rtree.ts'
import { tileMinMax } from '../../src/format/tile-min-max.ts'
import { tileOffsets } from '../../src/format/tile-offsets.ts'
import { tileSums } from '../../src/format/tile-sums.ts'
import { bytes, u32, u64 } from '../helpers/build-bytes.ts'
import { EDITED, type EditedArray } from '../helpers/edit-array.ts'

/** One damage: which fixture, what is done to it, and where it must be found. */
export interface Damage {
  code: FindingCode
  name: string
  fixture: string
  plant(array: EditedArray): Promise<void> | void
  /** End of the file's path. */
  file: RegExp
  offset?: number
  field?: string
  tile?: number
  chunk?: number
  /** Where the check begins, if not at the array. */
  all?: boolean
}

const SCHEMA = /\/__schema\/__\d[^/]*$/
const METADATA = /__fragment_metadata\.tdb$/
const SPARSE = '22/sparse_basic'
const UUID = '0123456789abcdef0123456789abcdef'

const onSchema =
  (change: (schema: ArraySchema) => void) =>
  (array: EditedArray): Promise<void> =>
    array.rewrite(array.find(SCHEMA), arraySchema, change)

const onFooter =
  (change: (footer: FragmentFooter) => void) =>
  (array: EditedArray): Promise<void> =>
    array.editFooter(change)

const setI32 = (data: Uint8Array, cell: number, value: number): void =>
  new DataView(data.buffer, data.byteOffset).setInt32(4 * cell, value, true)

/** `a` is slot 0, `s` 1, `f` 2, `p` 3, `t` 4, `n` 5 of sparse_basic; then coords, `x` 7, `y` 8. */
const SLOT = { a: 0, s: 1, n: 5 }

const dimensionsOf = async (array: EditedArray): Promise<ArraySchema['domain']['dimensions']> =>
  (await (await array.fragment()).info()).schema.domain.dimensions

export const DAMAGES: readonly Damage[] = [
  {
    code: 'ARRAY_NO_SCHEMA',
    name: 'a schema folder without schemas',
    fixture: '22/empty_sparse',
    plant: (array) => {
      const schema = array.find(SCHEMA)
      array.add('__schema/__enumerations/x')
      array.remove(schema)
    },
    file: /^\/array$/,
  },
  {
    code: 'ARRAY_UNKNOWN_ENTRY',
    name: 'a file of no kind',
    fixture: SPARSE,
    plant: (array) => array.add('README.txt', [1]),
    file: /README\.txt$/,
  },
  {
    code: 'LOCK_NOT_EMPTY',
    name: 'bytes in the lock file',
    fixture: '10/sparse_basic',
    plant: (array) => array.add('__lock.tdb', [1, 2]),
    file: /__lock\.tdb$/,
    offset: 0,
  },
  {
    code: 'FRAGMENT_NAME_INVALID',
    name: 'a fragment with a name of its own',
    fixture: SPARSE,
    plant: (array) => array.move(array.fragmentPath(), `${EDITED}/__fragments/mine`),
    file: /__fragments\/mine$/,
  },
  {
    code: 'FRAGMENT_WRONG_FOLDER',
    name: 'a new fragment in the old place',
    fixture: SPARSE,
    plant: (array) => array.move(array.fragmentPath(), `${EDITED}/__10_10_${UUID}_22`),
    file: /array\/__10_10_[^/]*$/,
  },
  {
    code: 'FRAGMENT_TIMESTAMPS',
    name: 'time stamps upside down',
    fixture: SPARSE,
    plant: (array) => array.move(array.fragmentPath(), `${EDITED}/__fragments/__20_10_${UUID}_22`),
    file: /__20_10_/,
  },
  {
    code: 'FRAGMENT_UNCOMMITTED',
    name: 'a fragment without its commit',
    fixture: SPARSE,
    plant: (array) => array.remove(array.find(/\.wrt$/)),
    file: /__fragments\/__10_10/,
  },
  {
    code: 'FRAGMENT_NO_METADATA',
    name: 'a committed fragment without metadata',
    fixture: SPARSE,
    plant: (array) => array.remove(array.find(METADATA)),
    file: /__fragments\/__10_10/,
  },
  {
    code: 'COMMIT_UNREADABLE',
    name: 'consolidated commits cut in a delete condition',
    fixture: '22/commits_consolidated',
    plant: (array) => {
      const file = array.find(/\.con$/)
      array.append(file, new TextEncoder().encode(`__commits/__5_5_${UUID}_22.del\nab`))
    },
    file: /\.con$/,
  },
  {
    code: 'COMMIT_DANGLING',
    name: 'a commit of no fragment',
    fixture: SPARSE,
    plant: (array) => array.add(`__commits/__5_5_${UUID}_22.wrt`),
    file: /__5_5_.*\.wrt$/,
  },
  {
    code: 'COMMIT_NOT_EMPTY',
    name: 'a commit with bytes in it',
    fixture: SPARSE,
    plant: (array) => array.append(array.find(/\.wrt$/), [0]),
    file: /\.wrt$/,
    offset: 0,
  },
  {
    code: 'COMMIT_NAME_INVALID',
    name: 'a commit file of no kind',
    fixture: SPARSE,
    plant: (array) => array.add('__commits/notes.txt'),
    file: /notes\.txt$/,
  },
  {
    code: 'COMMIT_WRONG_FOLDER',
    name: 'an old commit mark for a new fragment',
    fixture: SPARSE,
    plant: (array) => {
      const mark = array.find(/\.wrt$/)
      array.move(mark, `${EDITED}/${mark.slice(mark.lastIndexOf('/') + 1, -4)}.ok`)
    },
    file: /\.ok$/,
  },
  {
    code: 'VACUUM_DANGLING',
    name: 'a vacuum file that lists a fragment that is gone',
    fixture: '22/vacuum_left',
    plant: (array) => {
      for (const path of [...array.files.keys()]) if (path.includes('/__10_10_')) array.remove(path)
    },
    file: /\.vac$/,
  },
  {
    code: 'VACUUM_UNCOMMITTED',
    name: 'a vacuum file of a fragment that is not committed',
    fixture: '22/vacuum_left',
    plant: (array) => array.remove(array.find(/__10_30_.*\.wrt$/)),
    file: /\.vac$/,
  },
  {
    code: 'IGNORE_DANGLING',
    name: 'an ignore file about no consolidated commit',
    fixture: '22/commits_ignored',
    plant: (array) => array.append(array.find(/\.ign$/), new TextEncoder().encode(`__commits/__5_5_${UUID}_22.wrt\n`)),
    file: /\.ign$/,
  },
  {
    code: 'DELETE_CONDITION_UNREADABLE',
    name: 'a delete condition cut short',
    fixture: '22/deletes',
    plant: (array) => {
      const file = array.find(/__15_15_.*\.del$/)
      array.cut(file, array.get(file).length - 3)
    },
    file: /__15_15_.*\.del$/,
  },
  {
    code: 'DELETE_CONDITION_FIELD',
    name: 'a delete condition about an unknown field',
    fixture: '22/deletes',
    plant: (array) =>
      array.rewrite(
        array.find(/__15_15_.*\.del$/),
        deleteCondition,
        (): ConditionNode => ({
          node: 'value',
          op: 'EQ',
          field: 'nobody',
          value: u32(1),
          offsets: undefined,
        }),
      ),
    file: /__15_15_.*\.del$/,
  },
  {
    code: 'DELETE_CONDITION_DIFFERS',
    name: 'two copies of a delete condition',
    fixture: '22/deletes',
    plant: (array) => {
      const [one, other] = [array.find(/__15_15_.*\.del$/), array.find(/__25_25_.*\.del$/)]
      const name = one.slice(EDITED.length + 1)
      const tile = array.get(other)
      array.add(
        `__commits/__15_15_${UUID}_22.con`,
        bytes(new TextEncoder().encode(`${name}\n`), u64(tile.length), tile),
      )
    },
    file: /\.con$/,
  },
  {
    code: 'CONSOLIDATED_METADATA_UNREADABLE',
    name: 'consolidated metadata cut short',
    fixture: '22/fragment_metadata_consolidated',
    plant: (array) => array.cut(array.find(/\.meta$/), 100),
    file: /\.meta$/,
  },
  {
    code: 'CONSOLIDATED_METADATA_OFFSET',
    name: 'a footer said to lie behind the end',
    fixture: '22/fragment_metadata_consolidated',
    plant: (array) =>
      array.rewrite(array.find(/\.meta$/), consolidatedFragmentMetadata, (meta) => {
        meta.entries[2].offset = 1e9
      }),
    file: /\.meta$/,
    field: 'entries.2.offset',
  },
  {
    code: 'CONSOLIDATED_METADATA_DIFFERS',
    name: 'a footer that is not the fragment’s',
    fixture: '22/fragment_metadata_consolidated',
    plant: (array) =>
      array.rewrite(array.find(/\.meta$/), consolidatedFragmentMetadata, (meta) => {
        meta.footers[meta.footers.length - 1] ^= 1
      }),
    file: /\.meta$/,
    field: 'entries.2',
  },
  {
    code: 'CONSOLIDATED_METADATA_DANGLING',
    name: 'a footer of a fragment that is gone',
    fixture: '22/fragment_metadata_consolidated',
    plant: (array) => {
      for (const path of [...array.files.keys()]) if (path.includes('/__20_20_')) array.remove(path)
    },
    file: /\.meta$/,
  },
  {
    code: 'SCHEMA_NAME_INVALID',
    name: 'a file without time stamps among the schemas',
    fixture: SPARSE,
    plant: (array) => array.add('__schema/draft'),
    file: /__schema\/draft$/,
  },
  {
    code: 'SCHEMA_UNREADABLE',
    name: 'a schema cut short',
    fixture: SPARSE,
    plant: (array) => array.cut(array.find(SCHEMA), 60),
    file: SCHEMA,
  },
  {
    code: 'SCHEMA_MISSING',
    name: 'a footer that names no schema',
    fixture: SPARSE,
    plant: onFooter((footer) => {
      footer.array_schema_name = `__1_1_${UUID}`
    }),
    file: METADATA,
    field: 'array_schema_name',
  },
  {
    code: 'SCHEMA_NO_DIMENSION',
    name: 'a schema without dimensions',
    fixture: '22/empty_sparse',
    plant: onSchema((schema) => {
      schema.domain.dimensions = []
    }),
    file: SCHEMA,
  },
  {
    code: 'SCHEMA_DUPLICATE_FIELD',
    name: 'two fields of one name',
    fixture: SPARSE,
    plant: onSchema((schema) => {
      schema.attributes[1].name = 'a'
    }),
    file: SCHEMA,
  },
  {
    code: 'SCHEMA_LAYOUT',
    name: 'an order that is none of cells',
    fixture: SPARSE,
    plant: onSchema((schema) => {
      schema.cell_order = 'unordered'
    }),
    file: SCHEMA,
    field: 'cell_order',
  },
  {
    code: 'SCHEMA_CAPACITY',
    name: 'tiles without cells',
    fixture: '22/empty_sparse',
    plant: onSchema((schema) => {
      schema.capacity = 0n
    }),
    file: SCHEMA,
    field: 'capacity',
  },
  {
    code: 'SCHEMA_DOMAIN',
    name: 'a domain upside down',
    fixture: SPARSE,
    plant: onSchema(({ domain }) => {
      const [first] = domain.dimensions
      const size = first.domain.length / 2
      first.domain = bytes(first.domain.subarray(size), first.domain.subarray(0, size))
    }),
    file: SCHEMA,
  },
  {
    code: 'SCHEMA_TILE_EXTENT',
    name: 'tiles of no width',
    fixture: '22/empty_dense',
    plant: onSchema(({ domain }) => {
      domain.dimensions[0].tile_extent?.fill(0)
    }),
    file: SCHEMA,
  },
  {
    code: 'SCHEMA_CURRENT_DOMAIN',
    name: 'a current domain outside of the domain',
    fixture: '22/current_domain',
    plant: onSchema(({ current_domain }) => {
      const max = current_domain?.range?.[0].max
      if (max) max[max.length - 1] = 0x7f
    }),
    file: SCHEMA,
  },
  {
    code: 'SCHEMA_FILL_VALUE',
    name: 'a fill value of half a cell',
    fixture: SPARSE,
    plant: onSchema(({ attributes }) => {
      attributes[0].fill_value = Uint8Array.of(1, 2, 3)
    }),
    file: SCHEMA,
    field: 'attributes.a.fill_value',
  },
  {
    code: 'SCHEMA_FILTER_UNKNOWN',
    name: 'a filter of no release',
    fixture: '22/empty_sparse',
    plant: onSchema(({ coords_filters }) => {
      coords_filters.filters.push({ name: 'UNKNOWN_77' })
    }),
    file: SCHEMA,
  },
  {
    code: 'SCHEMA_FILTER_COMPRESSOR',
    name: 'a compressor number that contradicts its filter',
    fixture: SPARSE,
    plant: onSchema(({ coords_filters }) => {
      coords_filters.filters[0].compressor = 5
    }),
    file: SCHEMA,
  },
  {
    code: 'SCHEMA_FILTER_OPTIONS',
    name: 'windows of no bytes',
    fixture: SPARSE,
    plant: onSchema(({ attributes }) => {
      attributes[0].filters.filters[0].max_window_size = 0
    }),
    file: SCHEMA,
  },
  {
    code: 'ENUMERATION_UNLISTED',
    name: 'an attribute with an enumeration that the schema lacks',
    fixture: '22/enumerations',
    plant: onSchema(({ attributes }) => {
      attributes[0].enumeration = 'nobody'
    }),
    file: SCHEMA,
    field: 'attributes.tree.enumeration',
  },
  {
    code: 'ENUMERATION_MISSING',
    name: 'an enumeration without its file',
    fixture: '22/enumerations',
    plant: (array) => array.remove(array.find(/__2cb25f5b0b[^/]*$/)),
    file: SCHEMA,
  },
  {
    code: 'ENUMERATION_UNREADABLE',
    name: 'an enumeration cut short',
    fixture: '22/enumerations',
    plant: (array) => array.cut(array.find(/__2cb25f5b0b[^/]*$/), 40),
    file: /__2cb25f5b0b[^/]*$/,
  },
  {
    code: 'ENUMERATION_NAME',
    name: 'an enumeration that says it is another one',
    fixture: '22/enumerations',
    plant: (array) =>
      array.rewrite(array.find(/__2cb25f5b0b[^/]*$/), enumerationFile, (enumeration) => {
        enumeration.name = 'other'
      }),
    file: /__2cb25f5b0b[^/]*$/,
    field: 'name',
  },
  {
    code: 'ENUMERATION_VALUES',
    name: 'offsets of values that fall',
    fixture: '22/enumerations',
    plant: async (array) => {
      for (const path of [...array.files.keys()].filter((one) => one.includes('/__enumerations/'))) {
        await array.rewrite(path, enumerationFile, ({ offsets }) => {
          if (offsets) offsets[1] = 1e6
        })
      }
    },
    file: /__enumerations\//,
    field: 'offsets.1',
  },
  {
    code: 'LABEL_DIMENSION',
    name: 'a label of no dimension',
    fixture: '22/dimension_labels',
    plant: (array) =>
      array.rewrite(array.find(/^\/array\/__schema\/__\d[^/]*$/), arraySchema, ({ dimension_labels }) => {
        dimension_labels[0].dimension_index = 9
      }),
    file: SCHEMA,
  },
  {
    code: 'LABEL_MISSING',
    name: 'a label without its array',
    fixture: '22/dimension_labels',
    plant: (array) => {
      for (const path of [...array.files.keys()]) if (path.includes('/l1/')) array.remove(path)
    },
    file: SCHEMA,
  },
  {
    code: 'FILE_MISSING',
    name: 'a data file that is gone',
    fixture: SPARSE,
    plant: (array) => array.remove(array.find(/a2\.tdb$/)),
    file: /a2\.tdb$/,
  },
  {
    code: 'FILE_SHORT',
    name: 'a data file without its end',
    fixture: SPARSE,
    plant: (array) => array.cut(array.find(/a3\.tdb$/), 380),
    file: /a3\.tdb$/,
    offset: 380,
  },
  {
    code: 'FILE_LONG',
    name: 'a data file with bytes behind its end',
    fixture: SPARSE,
    plant: (array) => array.append(array.find(/a3\.tdb$/), [0, 0]),
    file: /a3\.tdb$/,
    offset: 390,
  },
  {
    code: 'FILE_UNLISTED',
    name: 'a file of no field',
    fixture: SPARSE,
    plant: (array) => array.add(`${array.fragmentPath().slice(EDITED.length + 1)}/a99.tdb`, [1]),
    file: /a99\.tdb$/,
  },
  {
    code: 'FOOTER_UNREADABLE',
    name: 'a metadata file without its end',
    fixture: SPARSE,
    plant: (array) => array.cut(array.find(METADATA), 9000),
    file: METADATA,
  },
  {
    code: 'FOOTER_VERSION',
    name: 'a footer of another version than the name',
    fixture: SPARSE,
    plant: onFooter((footer) => {
      footer.version = 21
    }),
    file: METADATA,
    field: 'version',
  },
  {
    code: 'FOOTER_DENSE',
    name: 'a sparse fragment that says it is dense',
    fixture: SPARSE,
    plant: onFooter((footer) => {
      footer.dense = true
    }),
    file: METADATA,
    field: 'dense',
  },
  {
    code: 'FOOTER_NULL_DOMAIN',
    name: 'a footer without non-empty domain',
    fixture: SPARSE,
    plant: onFooter((footer) => {
      footer.null_nonempty_domain = true
    }),
    file: METADATA,
  },
  {
    code: 'FOOTER_SLACK',
    name: 'bytes behind the footer’s fields',
    fixture: SPARSE,
    plant: onFooter((footer) => {
      footer.slack = Uint8Array.of(0, 0, 0)
    }),
    file: METADATA,
  },
  {
    code: 'FOOTER_LAST_TILE',
    name: 'more cells in the last tile than the capacity',
    fixture: SPARSE,
    plant: onFooter((footer) => {
      footer.last_tile_cell_num = 9n
    }),
    file: METADATA,
    field: 'last_tile_cell_num',
  },
  {
    code: 'FOOTER_IGNORED_FIELD',
    name: 'a dense fragment with a number of sparse tiles',
    fixture: '22/dense_3d_row_row',
    plant: onFooter((footer) => {
      footer.sparse_tile_num = 3
    }),
    file: METADATA,
    field: 'sparse_tile_num',
  },
  {
    code: 'FOOTER_FILE_SIZE',
    name: 'a size for the slot without files',
    fixture: SPARSE,
    plant: onFooter(({ file_sizes }) => {
      file_sizes[6] = 12
    }),
    file: METADATA,
    field: 'file_sizes.__coords',
  },
  {
    code: 'NONEMPTY_DOMAIN',
    name: 'a non-empty domain outside of the domain',
    fixture: SPARSE,
    plant: onFooter(({ nonempty_domain }) => {
      nonempty_domain[0].max[3] = 0x10
    }),
    file: METADATA,
    field: 'nonempty_domain.x',
  },
  {
    code: 'SECTION_OFFSET',
    name: 'a section behind the footer',
    fixture: SPARSE,
    plant: onFooter(({ tile_offsets_offsets }) => {
      tile_offsets_offsets[0] = 1e7
    }),
    file: METADATA,
    field: 'tile_offsets_offsets.a',
  },
  {
    code: 'SECTION_UNREADABLE',
    name: 'a flipped bit in a section',
    fixture: SPARSE,
    plant: async (array) => {
      const { footer } = await (await array.fragment()).info()
      array.flip(array.find(METADATA), (footer?.tile_offsets_offsets[1] ?? 0) + 80)
    },
    file: METADATA,
    field: 'tile_offsets.s.chunks.0.GZIP',
  },
  {
    code: 'SECTION_OVERLAP',
    name: 'a section in the middle of another one',
    fixture: SPARSE,
    plant: onFooter(({ tile_offsets_offsets }) => {
      tile_offsets_offsets[0] = tile_offsets_offsets[1] + 5
    }),
    file: METADATA,
  },
  {
    code: 'SECTION_GAP',
    name: 'a section that nothing names',
    fixture: SPARSE,
    plant: onFooter((footer) => {
      if (footer.tile_sums_offsets) footer.tile_sums_offsets[0] = footer.tile_sums_offsets[1]
    }),
    file: METADATA,
  },
  {
    code: 'GENERIC_TILE_HEADER',
    name: 'a generic tile of numbers',
    fixture: SPARSE,
    plant: (array) => array.patch(array.find(SCHEMA), 20, [0]),
    file: SCHEMA,
    offset: 0,
    field: 'datatype',
  },
  {
    code: 'RTREE_LEVELS',
    name: 'an R-tree without its root',
    fixture: '22/rtree_levels',
    plant: async (array) =>
      array.editSection(
        (footer) => footer.rtree_offset,
        rtree(22, await dimensionsOf(array)),
        (tree) => void tree.levels.shift(),
      ),
    file: METADATA,
    field: 'rtree',
  },
  {
    code: 'RTREE_FANOUT',
    name: 'an R-tree with another fanout',
    fixture: SPARSE,
    plant: async (array) =>
      array.editSection(
        (footer) => footer.rtree_offset,
        rtree(22, await dimensionsOf(array)),
        (tree) => {
          tree.fanout = 16
        },
      ),
    file: METADATA,
    field: 'rtree',
  },
  {
    code: 'RTREE_CONTAINMENT',
    name: 'a box that leaves its parent',
    fixture: '22/rtree_levels',
    plant: async (array) =>
      array.editSection(
        (footer) => footer.rtree_offset,
        rtree(22, await dimensionsOf(array)),
        ({ levels }) => {
          // The upper end of the first dimension of the first box below the root.
          levels[1].bytes[4] = 0
          levels[1].bytes[5] = 0
        },
      ),
    file: METADATA,
    field: 'rtree.levels.1.0',
  },
  {
    code: 'MBR_INVALID',
    name: 'a box upside down',
    fixture: SPARSE,
    plant: async (array) =>
      array.editSection(
        (footer) => footer.rtree_offset,
        rtree(22, await dimensionsOf(array)),
        ({ levels }) => void levels[levels.length - 1].bytes.set([0xff, 0xff, 0xff, 0x7f], 0),
      ),
    file: METADATA,
  },
  {
    code: 'MBR_NONEMPTY_DOMAIN',
    name: 'a non-empty domain larger than all boxes',
    fixture: SPARSE,
    plant: onFooter(({ nonempty_domain }) => void nonempty_domain[0].max.set([99, 0, 0, 0])),
    file: METADATA,
    field: 'nonempty_domain.x',
  },
  {
    code: 'RTREE_DENSE',
    name: 'an R-tree in a dense fragment',
    fixture: '22/dense_3d_row_row',
    plant: async (array) => {
      const dimensions = await dimensionsOf(array)
      await array.editSection(
        (footer) => footer.rtree_offset,
        rtree(22, dimensions),
        (tree) => void tree.levels.push({ mbr_num: 0, bytes: new Uint8Array(0), starts: undefined }),
      )
    },
    file: METADATA,
  },
  {
    code: 'TILE_OFFSETS_COUNT',
    name: 'a tile without an offset',
    fixture: SPARSE,
    plant: (array) =>
      array.editSection(
        (footer) => footer.tile_offsets_offsets[SLOT.a],
        tileOffsets,
        ({ values }) => ({ values: values.slice(0, -1) }),
      ),
    file: METADATA,
    field: 'tile_offsets.a',
  },
  {
    code: 'TILE_OFFSETS_ORDER',
    name: 'offsets that fall',
    fixture: SPARSE,
    plant: (array) =>
      array.editSection(
        (footer) => footer.tile_offsets_offsets[SLOT.a],
        tileOffsets,
        ({ values }) => {
          values[2] = 1
        },
      ),
    file: METADATA,
    tile: 2,
  },
  {
    code: 'TILE_OFFSETS_OUTSIDE',
    name: 'an offset behind the end of its file',
    fixture: SPARSE,
    plant: (array) =>
      array.editSection(
        (footer) => footer.tile_offsets_offsets[SLOT.a],
        tileOffsets,
        ({ values }) => {
          values[values.length - 1] = 1e6
        },
      ),
    file: METADATA,
    field: 'tile_offsets.a.5',
  },
  {
    code: 'STATISTICS_COUNT',
    name: 'a tile without its sum',
    fixture: SPARSE,
    plant: (array) =>
      array.editSection(
        (footer) => footer.tile_sums_offsets?.[SLOT.a],
        tileSums,
        ({ values }) => ({ values: values.slice(8) }),
      ),
    file: METADATA,
    field: 'tile_sums.a',
  },
  {
    code: 'PROCESSED_CONDITION_NAME',
    name: 'a processed condition that names no file',
    fixture: '22/deletes_consolidated',
    plant: (array) =>
      array.editSection(
        (footer) => footer.processed_conditions_offset,
        processedConditions,
        ({ conditions }) => {
          conditions[0] = '../../etc/passwd'
        },
      ),
    file: METADATA,
    field: 'processed_conditions.0',
  },
  {
    code: 'TILE_UNREADABLE',
    name: 'a chunk count that cannot be',
    fixture: SPARSE,
    plant: (array) => array.patch(array.find(/a3\.tdb$/), 0, u64(2n ** 52n)),
    file: /a3\.tdb$/,
    tile: 0,
  },
  {
    code: 'TILE_SIZE',
    name: 'a tile of fewer cells than the metadata says',
    fixture: SPARSE,
    plant: (array) => array.editTile('a', 'data', 1, (data) => data.subarray(8)),
    file: /a0\.tdb$/,
    tile: 1,
  },
  {
    code: 'TILE_TRAILING_BYTES',
    name: 'bytes behind the last chunk of a tile',
    fixture: SPARSE,
    plant: (array) => array.editStored('a', 'data', 1, (stored) => bytes(stored, [0, 0, 0])),
    file: /a0\.tdb$/,
    tile: 1,
  },
  {
    code: 'CHUNK_UNREADABLE',
    name: 'a flipped bit in compressed bytes',
    fixture: SPARSE,
    plant: (array) => array.flip(array.find(/a2\.tdb$/), 40),
    file: /a2\.tdb$/,
    tile: 0,
    chunk: 0,
  },
  {
    code: 'CHUNK_SPLITS_CELL',
    name: 'a chunk that ends in a cell',
    fixture: SPARSE,
    plant: (array) =>
      array.editStored('p', 'data', 0, (stored) => {
        // One chunk of 48 bytes without filters becomes two.
        const data = stored.subarray(20)
        const chunk = (part: Uint8Array): Uint8Array => bytes(u32(part.length), u32(part.length), u32(0), part)
        return bytes(u64(2), chunk(data.subarray(0, 10)), chunk(data.subarray(10)))
      }),
    file: /a3\.tdb$/,
    tile: 0,
    chunk: 0,
  },
  {
    code: 'CHECKSUM_MISMATCH',
    name: 'a flipped bit under a checksum',
    fixture: SPARSE,
    plant: (array) => array.flip(array.find(/a0\.tdb$/), -1),
    file: /a0\.tdb$/,
    tile: 5,
    chunk: 0,
    field: 'CHECKSUM_SHA256',
  },
  {
    code: 'CELL_OFFSETS',
    name: 'an offset of a cell behind its values',
    fixture: SPARSE,
    plant: (array) => array.editTile('s', 'offsets', 0, (data) => void data.set(u64(1e6), 8)),
    file: /a1\.tdb$/,
    tile: 0,
    field: 's, cell 1',
  },
  {
    code: 'CELL_VAR_SIZE',
    name: 'a cell of half a number',
    fixture: '22/type_var_numeric',
    plant: async (array) => {
      const { schema } = await (await array.fragment()).info()
      const name = schema.attributes.find(({ type, cell_val_num }) => cell_val_num === 'var' && type === 'INT32')?.name
      await array.editTile(name ?? '', 'offsets', 0, (data) => {
        const view = new DataView(data.buffer, data.byteOffset)
        for (let i = 1; i < data.length / 8; i++) {
          if (view.getUint32(8 * i, true) === 0) continue
          view.setUint32(8 * i, view.getUint32(8 * i, true) - 1, true)
          return
        }
      })
    },
    file: /\.tdb$/,
    tile: 0,
  },
  {
    code: 'CELL_VALIDITY',
    name: 'a validity byte of 7',
    fixture: SPARSE,
    plant: (array) =>
      array.editTile('n', 'validity', 1, (data) => {
        const valid = data.indexOf(1)
        data[valid] = 7
      }),
    file: /a5_validity\.tdb$/,
    tile: 1,
  },
  {
    code: 'COORDINATE_DOMAIN',
    name: 'a coordinate outside of the domain',
    fixture: SPARSE,
    plant: (array) => array.editTile('x', 'data', 3, (data) => setI32(data, data.length / 4 - 1, 100_000)),
    file: /d0\.tdb$/,
    tile: 3,
    field: 'x',
  },
  {
    code: 'COORDINATE_MBR',
    name: 'a coordinate outside of its box',
    fixture: SPARSE,
    plant: (array) => array.editTile('y', 'data', 0, (data) => setI32(data, 0, 49)),
    file: /d1\.tdb$/,
    tile: 0,
    field: 'y',
  },
  {
    code: 'MBR_LOOSE',
    name: 'a box larger than its cells',
    fixture: SPARSE,
    plant: async (array) =>
      array.editSection(
        (footer) => footer.rtree_offset,
        rtree(22, await dimensionsOf(array)),
        ({ levels }) => {
          const [first] = [levels[levels.length - 1]]
          // Upper end of the second dimension of the first tile.
          first.bytes.set([49, 0, 0, 0], 12)
          for (const level of levels.slice(0, -1)) level.bytes.set([49, 0, 0, 0], 12)
        },
      ),
    file: /d1\.tdb$/,
    tile: 0,
  },
  {
    code: 'COORDINATE_ORDER',
    name: 'two cells that changed places',
    fixture: SPARSE,
    plant: async (array) => {
      for (const field of ['x', 'y']) {
        await array.editTile(field, 'data', 0, (data) => {
          const first = data.slice(0, 4)
          data.copyWithin(0, 12, 16)
          data.set(first, 12)
        })
      }
    },
    file: /d0\.tdb$/,
    tile: 0,
  },
  {
    code: 'COORDINATE_DUPLICATE',
    name: 'a cell at the coordinates of another',
    fixture: SPARSE,
    plant: async (array) => {
      for (const field of ['x', 'y']) await array.editTile(field, 'data', 1, (data) => void data.copyWithin(8, 4, 8))
    },
    file: /d0\.tdb$/,
    tile: 1,
    field: 'cell 2',
  },
  {
    code: 'TILE_MIN_MAX',
    name: 'a minimum that no cell has',
    fixture: SPARSE,
    plant: (array) =>
      array.editSection(
        (footer) => footer.tile_min_values_offsets?.[SLOT.a],
        tileMinMax,
        ({ fixed }) => void fixed.set(u64(77), 8),
      ),
    file: METADATA,
    tile: 1,
    field: 'tile_min_values.a',
  },
  {
    code: 'TILE_SUM',
    name: 'a sum of other cells',
    fixture: SPARSE,
    plant: (array) =>
      array.editSection(
        (footer) => footer.tile_sums_offsets?.[SLOT.n],
        tileSums,
        ({ values }) => void values.set(u64(77), 16),
      ),
    file: METADATA,
    tile: 2,
    field: 'tile_sums.n',
  },
  {
    code: 'TILE_NULL_COUNT',
    name: 'a null too many',
    fixture: SPARSE,
    plant: (array) =>
      array.editSection(
        (footer) => footer.tile_null_counts_offsets?.[SLOT.n],
        tileOffsets,
        ({ values }) => {
          values[0] += 1
        },
      ),
    file: METADATA,
    tile: 0,
    field: 'tile_null_counts.n',
  },
  ...(
    [
      ['FRAGMENT_MIN_MAX', 'min', 'fragment_min.a'],
      ['FRAGMENT_SUM', 'sum', 'fragment_sum.a'],
    ] as const
  ).map(
    ([code, part, field]): Damage => ({
      code,
      name: `another ${part} of the fragment`,
      fixture: SPARSE,
      plant: async (array) => {
        const { slots } = await (await array.fragment()).info()
        await array.editSection(
          (footer) => footer.fragment_min_max_sum_null_count_offset,
          fragmentMinMaxSumNullCount(slots.map(({ name }) => name)),
          (statistics) => void statistics[SLOT.a][part].set(u64(5)),
        )
      },
      file: METADATA,
      field,
    }),
  ),
  {
    code: 'FRAGMENT_NULL_COUNT',
    name: 'a null too many in the fragment',
    fixture: SPARSE,
    plant: async (array) => {
      const { slots } = await (await array.fragment()).info()
      await array.editSection(
        (footer) => footer.fragment_min_max_sum_null_count_offset,
        fragmentMinMaxSumNullCount(slots.map(({ name }) => name)),
        (statistics) => {
          statistics[SLOT.n].null_count += 1
        },
      )
    },
    file: METADATA,
    field: 'fragment_null_count.n',
  },
  {
    code: 'CELL_TIMESTAMP',
    name: 'a cell from the future',
    fixture: '22/deletes_consolidated',
    plant: (array) => array.editTile('__timestamps', 'data', 0, (data) => void data.set(u64(999), 0)),
    file: /\/t\.tdb$/,
    tile: 0,
    field: '__timestamps, cell 0',
  },
  {
    code: 'DELETE_TIMESTAMP',
    name: 'a cell deleted before it was written',
    fixture: '22/deletes_consolidated',
    plant: async (array) => {
      await array.editTile('__delete_timestamps', 'data', 0, (data) => void data.set(u64(1), 0))
      await array.editTile('__delete_condition_index', 'data', 0, (data) => void data.set(u64(0), 0))
    },
    file: /\/dt\.tdb$/,
    tile: 0,
    field: '__delete_timestamps, cell 0',
  },
  {
    code: 'DELETE_CONDITION_INDEX',
    name: 'a cell deleted by a condition that is not listed',
    fixture: '22/deletes_consolidated',
    plant: (array) => array.editTile('__delete_condition_index', 'data', 0, (data) => void data.set(u64(50), 0)),
    file: /\/dci\.tdb$/,
    tile: 0,
    field: '__delete_condition_index, cell 0',
  },
  {
    code: 'ENUMERATION_INDEX',
    name: 'an index outside of its enumeration',
    fixture: '22/enumerations',
    plant: (array) =>
      array.editTile('tree', 'data', 0, (data) => {
        data[0] = 200
      }),
    file: /a0\.tdb$/,
    tile: 0,
    field: 'tree, cell 0',
  },
  {
    code: 'METADATA_NAME_INVALID',
    name: 'a metadata file without time stamps',
    fixture: '22/metadata',
    plant: (array) => array.add('__meta/notes'),
    file: /__meta\/notes$/,
  },
  {
    code: 'METADATA_UNREADABLE',
    name: 'a metadata file cut short',
    fixture: '22/metadata',
    plant: (array) => array.cut(array.find(/__meta\/__10_10/), 50),
    file: /__meta\/__10_10/,
  },
  {
    code: 'GROUP_DETAILS_UNREADABLE',
    name: 'group details cut short',
    fixture: '22/group',
    plant: (array) => array.cut(array.find(/__group\//), 50),
    file: /__group\//,
  },
  {
    code: 'GROUP_MEMBER_MISSING',
    name: 'a member that is not there',
    fixture: '22/group',
    plant: (array) => {
      for (const path of [...array.files.keys()]) if (path.includes('/arr1/')) array.remove(path)
    },
    file: /^\/array$/,
  },
  {
    code: 'GROUP_MEMBER_TYPE',
    name: 'an array that is said to be a group',
    fixture: '22/group',
    plant: (array) =>
      array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
        for (const member of members) if (member.uri.endsWith('arr1')) member.type = 'group'
      }),
    file: /^\/array$/,
  },
  {
    code: 'GROUP_CYCLE',
    name: 'a group that contains itself',
    fixture: '22/group',
    plant: (array) =>
      array.rewrite(array.find(/__group\//), groupDetails, ({ members }) => {
        for (const member of members)
          if (member.type === 'group') {
            member.uri = `file://${EDITED}`
            member.relative = false
          }
      }),
    file: /^\/array$/,
  },
]
