import { arraySchema } from '../format/array-schema.ts'
import { fragmentMinMaxSumNullCount, type SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import { processedConditions } from '../format/processed-conditions.ts'
import { type RTree, rtree } from '../format/rtree.ts'
import { tileMinMax } from '../format/tile-min-max.ts'
import { tileOffsets } from '../format/tile-offsets.ts'
import { tileSums } from '../format/tile-sums.ts'
import { u64 } from './bytes.ts'
import { type Damages, METADATA, onFooter, SCHEMA, UUID } from './damage.ts'
import type { Change, EditableArray } from './editable-array.ts'

/** Slots of sparse samples: `a` is 0, `s` 1, `f` 2, `p` 3, `t` 4, `n` 5; then coords, `x` 7, `y` 8. */
const SLOT = { a: 0, n: 5 }

type Plant = (array: EditableArray) => Promise<void>

const onSection =
  <T>(...edit: Parameters<typeof EditableArray.prototype.editSection<T>>): Plant =>
  (array) =>
    array.editSection(...edit)

const onRTree =
  (change: Change<RTree>): Plant =>
  async (array) => {
    const { schema } = await (await array.fragment()).info()
    await array.editSection((footer) => footer.rtree_offset, rtree(22, schema.domain.dimensions), change)
  }

const onStatistics =
  (change: (statistics: SlotStatistics[]) => void): Plant =>
  async (array) => {
    const { slots } = await (await array.fragment()).info()
    await array.editSection(
      (footer) => footer.fragment_min_max_sum_null_count_offset,
      fragmentMinMaxSumNullCount(slots.map(({ name }) => name)),
      change,
    )
  }

/** Damage to the files of a fragment, its footer and its metadata. */
export const FRAGMENT_DAMAGE = {
  FILE_MISSING: {
    name: 'a data file that is gone',
    sample: 'sparse',
    plant: (array) => array.remove(array.find(/a2\.tdb$/)),
  },
  FILE_SHORT: {
    name: 'a data file without its end',
    sample: 'sparse',
    plant: (array) => array.cut(array.find(/a3\.tdb$/), array.get(array.find(/a3\.tdb$/)).length - 10),
  },
  FILE_LONG: {
    name: 'a data file with bytes behind its end',
    sample: 'sparse',
    plant: (array) => array.append(array.find(/a3\.tdb$/), [0, 0]),
  },
  FILE_UNLISTED: {
    name: 'a file of no field',
    sample: 'sparse',
    plant: (array) => array.add(`${array.fragmentPath().slice(array.root.length + 1)}/a99.tdb`, [1]),
  },
  FOOTER_UNREADABLE: {
    name: 'a metadata file without its end',
    sample: 'sparse',
    plant: (array) => array.cut(array.find(METADATA), array.get(array.find(METADATA)).length - 102),
  },
  FOOTER_VERSION: {
    name: 'a footer of another version than the name',
    sample: 'sparse',
    plant: onFooter((footer) => {
      footer.version = 21
    }),
  },
  FOOTER_DENSE: {
    name: 'a sparse fragment that says it is dense',
    sample: 'sparse',
    plant: onFooter((footer) => {
      footer.dense = true
    }),
  },
  FIELD_CHANGED: {
    name: 'an attribute that is wider in the array since',
    sample: 'sparse',
    plant: async (array) => {
      const schema = array.find(SCHEMA)
      const time = Number(/__schema\/__(\d+)_/.exec(schema)?.[1]) + 1
      const evolved = `__schema/__${time}_${time}_${UUID}`
      array.add(evolved, array.get(schema))
      await array.rewrite(`${array.root}/${evolved}`, arraySchema, ({ attributes }) => {
        attributes[0].cell_val_num = 'var'
      })
    },
  },
  FOOTER_NULL_DOMAIN: {
    name: 'a footer without non-empty domain',
    sample: 'sparse',
    plant: onFooter((footer) => {
      footer.null_nonempty_domain = true
    }),
  },
  FOOTER_SLACK: {
    name: 'bytes behind the footer’s fields',
    sample: 'sparse',
    plant: onFooter((footer) => {
      footer.slack = Uint8Array.of(0, 0, 0)
    }),
  },
  FOOTER_LAST_TILE: {
    name: 'more cells in the last tile than the capacity',
    sample: 'sparse',
    plant: onFooter((footer) => {
      footer.last_tile_cell_num = 9n
    }),
  },
  FOOTER_IGNORED_FIELD: {
    name: 'a dense fragment with a number of sparse tiles',
    sample: 'dense',
    plant: onFooter((footer) => {
      footer.sparse_tile_num = 3
    }),
  },
  FOOTER_FILE_SIZE: {
    name: 'a size for the slot without files',
    sample: 'sparse',
    plant: onFooter(({ file_sizes }) => {
      file_sizes[6] = 12
    }),
  },
  NONEMPTY_DOMAIN: {
    name: 'a non-empty domain outside of the domain',
    sample: 'sparse',
    plant: onFooter(({ nonempty_domain }) => {
      nonempty_domain[0].max[3] = 0x10
    }),
  },
  SECTION_OFFSET: {
    name: 'a section behind the footer',
    sample: 'sparse',
    plant: onFooter(({ tile_offsets_offsets }) => {
      tile_offsets_offsets[0] = 1e7
    }),
  },
  SECTION_UNREADABLE: {
    name: 'a flipped bit in a section',
    sample: 'sparse',
    plant: async (array) => {
      const { footer } = await (await array.fragment()).info()
      array.flip(array.find(METADATA), (footer?.tile_offsets_offsets[1] ?? 0) + 80)
    },
  },
  SECTION_OVERLAP: {
    name: 'a section in the middle of another one',
    sample: 'sparse',
    plant: onFooter(({ tile_offsets_offsets }) => {
      tile_offsets_offsets[0] = tile_offsets_offsets[1] + 5
    }),
  },
  SECTION_GAP: {
    name: 'a section that nothing names',
    sample: 'sparse',
    plant: onFooter((footer) => {
      if (footer.tile_sums_offsets) footer.tile_sums_offsets[0] = footer.tile_sums_offsets[1]
    }),
  },
  GENERIC_TILE_HEADER: {
    name: 'a generic tile of numbers',
    sample: 'sparse',
    plant: (array) => array.patch(array.find(SCHEMA), 20, [0]),
  },
  RTREE_LEVELS: {
    name: 'an R-tree without its root',
    sample: 'rtreeLevels',
    plant: onRTree((tree) => void tree.levels.shift()),
  },
  RTREE_FANOUT: {
    name: 'an R-tree with another fanout',
    sample: 'sparse',
    plant: onRTree((tree) => {
      tree.fanout = 16
    }),
  },
  RTREE_CONTAINMENT: {
    name: 'a box that leaves its parent',
    sample: 'rtreeLevels',
    plant: onRTree(({ levels }) => {
      // The upper end of the first dimension, in the first box below the root.
      levels[1].bytes[4] = 0
      levels[1].bytes[5] = 0
    }),
  },
  MBR_INVALID: {
    name: 'a box upside down',
    sample: 'sparse',
    plant: onRTree(({ levels }) => void levels[levels.length - 1].bytes.set([0xff, 0xff, 0xff, 0x7f], 0)),
  },
  MBR_NONEMPTY_DOMAIN: {
    name: 'a non-empty domain larger than all boxes',
    sample: 'sparse',
    plant: onFooter(({ nonempty_domain }) => void nonempty_domain[0].max.set([99, 0, 0, 0])),
  },
  RTREE_DENSE: {
    name: 'an R-tree in a dense fragment',
    sample: 'dense',
    plant: onRTree((tree) => void tree.levels.push({ mbr_num: 0, bytes: new Uint8Array(0), starts: undefined })),
  },
  TILE_OFFSETS_COUNT: {
    name: 'a tile without an offset',
    sample: 'sparse',
    plant: onSection(
      (footer) => footer.tile_offsets_offsets[SLOT.a],
      tileOffsets,
      ({ values }) => ({ values: values.slice(0, -1) }),
    ),
  },
  TILE_OFFSETS_ORDER: {
    name: 'offsets that fall',
    sample: 'sparse',
    plant: onSection(
      (footer) => footer.tile_offsets_offsets[SLOT.a],
      tileOffsets,
      ({ values }) => {
        values[2] = 1
      },
    ),
  },
  TILE_OFFSETS_OUTSIDE: {
    name: 'an offset behind the end of its file',
    sample: 'sparse',
    plant: onSection(
      (footer) => footer.tile_offsets_offsets[SLOT.a],
      tileOffsets,
      ({ values }) => {
        values[values.length - 1] = 1e6
      },
    ),
  },
  STATISTICS_COUNT: {
    name: 'a tile without its sum',
    sample: 'sparse',
    plant: onSection(
      (footer) => footer.tile_sums_offsets?.[SLOT.a],
      tileSums,
      ({ values }) => ({ values: values.slice(8) }),
    ),
  },
  PROCESSED_CONDITION_NAME: {
    name: 'a processed condition that names no file',
    sample: 'deleteMetadata',
    plant: onSection(
      (footer) => footer.processed_conditions_offset,
      processedConditions,
      ({ conditions }) => {
        conditions[0] = '../../etc/passwd'
      },
    ),
  },
  MBR_LOOSE: {
    name: 'a box larger than its cells',
    sample: 'sparse',
    plant: onRTree(({ levels }) => {
      const [first] = [levels[levels.length - 1]]
      // The upper end of the second dimension, for the first tile.
      first.bytes.set([49, 0, 0, 0], 12)
      for (const level of levels.slice(0, -1)) level.bytes.set([49, 0, 0, 0], 12)
    }),
  },
  TILE_MIN_MAX: {
    name: 'a minimum that no cell has',
    sample: 'sparse',
    plant: onSection(
      (footer) => footer.tile_min_values_offsets?.[SLOT.a],
      tileMinMax,
      ({ fixed }) => void fixed.set(u64(77), 8),
    ),
  },
  TILE_SUM: {
    name: 'a sum of other cells',
    sample: 'sparse',
    plant: onSection(
      (footer) => footer.tile_sums_offsets?.[SLOT.n],
      tileSums,
      ({ values }) => void values.set(u64(77), 16),
    ),
  },
  TILE_NULL_COUNT: {
    name: 'a null too many',
    sample: 'sparse',
    plant: onSection(
      (footer) => footer.tile_null_counts_offsets?.[SLOT.n],
      tileOffsets,
      ({ values }) => {
        values[0] += 1
      },
    ),
  },
  FRAGMENT_MIN_MAX: {
    name: 'another minimum of the fragment',
    sample: 'sparse',
    plant: onStatistics((statistics) => void statistics[SLOT.a].min.set(u64(5))),
  },
  FRAGMENT_SUM: {
    name: 'another sum of the fragment',
    sample: 'sparse',
    plant: onStatistics((statistics) => void statistics[SLOT.a].sum.set(u64(5))),
  },
  FRAGMENT_NULL_COUNT: {
    name: 'a null too many in the fragment',
    sample: 'sparse',
    plant: onStatistics((statistics) => {
      statistics[SLOT.n].null_count += 1
    }),
  },
} satisfies Damages
