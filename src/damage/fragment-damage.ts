import { arraySchema } from '../format/array-schema.ts'
import type { SlotStatistics } from '../format/fragment-min-max-sum-null-count.ts'
import { u64Bytes } from './bytes.ts'
import { cutShort, type Damage, type Damages, damage, inFooter, inSection, METADATA, SCHEMA, UUID } from './damage.ts'

/** Slots of sparse samples: `a` is 0, `s` 1, `f` 2, `p` 3, `t` 4, `n` 5; then coords, `x` 7, `y` 8. */
const SLOT = { a: 0, n: 5 }
const WHOLE_FRAGMENT = undefined

function inStatistics(name: string, slot: number, change: (statistics: SlotStatistics) => void): Damage {
  return inSection('sparse', name, 'fragment_min_max_sum_null_count', WHOLE_FRAGMENT, (all) => change(all[slot]))
}

/** Damage to the files of a fragment, its footer and its metadata. */
export const FRAGMENT_DAMAGE = {
  FILE_MISSING: damage('sparse', 'a data file that is gone', (array) => array.remove(array.find(/a2\.tdb$/))),
  FILE_SHORT: cutShort('sparse', 'a data file without its end', /a3\.tdb$/, -10),
  FILE_LONG: damage('sparse', 'a data file with bytes after its end', (array) =>
    array.append(array.find(/a3\.tdb$/), [0, 0]),
  ),
  FILE_UNLISTED: damage('sparse', 'a file that belongs to no field', (array) =>
    array.add(`${array.fragmentPath().slice(array.root.length + 1)}/a99.tdb`, [1]),
  ),
  FOOTER_UNREADABLE: cutShort('sparse', 'a metadata file without its end', METADATA, -102),
  FOOTER_VERSION: inFooter('sparse', 'a footer of another version than the name', { version: 21 }),
  FOOTER_DENSE: inFooter('sparse', 'a sparse fragment that says it is dense', { dense: true }),
  FIELD_CHANGED: damage('sparse', 'an attribute that is var-sized in a later schema', async (array) => {
    const schema = array.find(SCHEMA)
    const time = Number(/__schema\/__(\d+)_/.exec(schema)?.[1]) + 1
    const evolved = `__schema/__${time}_${time}_${UUID}`
    array.add(evolved, array.get(schema))
    await array.rewrite(`${array.root}/${evolved}`, arraySchema, ({ attributes }) => {
      attributes[0].cell_val_num = 'var'
    })
  }),
  FOOTER_NULL_DOMAIN: inFooter('sparse', 'a footer without non-empty domain', { null_nonempty_domain: true }),
  FOOTER_SLACK: inFooter('sparse', 'bytes after the footer’s fields', { slack: Uint8Array.of(0, 0, 0) }),
  FOOTER_LAST_TILE: inFooter('sparse', 'more cells in the last tile than the capacity', { last_tile_cell_num: 9n }),
  FOOTER_IGNORED_FIELD: inFooter('dense', 'a dense fragment with a number of sparse tiles', { sparse_tile_num: 3 }),
  FOOTER_FILE_SIZE: inFooter('sparse', 'a size for the slot without files', ({ file_sizes }) => {
    file_sizes[6] = 12
  }),
  NONEMPTY_DOMAIN: inFooter('sparse', 'a non-empty domain outside of the domain', ({ nonempty_domain }) => {
    nonempty_domain[0].max[3] = 0x10
  }),
  SECTION_OFFSET: inFooter('sparse', 'a section after the footer', ({ tile_offsets_offsets }) => {
    tile_offsets_offsets[0] = 1e7
  }),
  SECTION_UNREADABLE: damage('sparse', 'a flipped bit in a section', async (array) => {
    const { footer } = await (await array.fragment()).info()
    array.flip(array.find(METADATA), (footer?.tile_offsets_offsets[1] ?? 0) + 80)
  }),
  SECTION_OVERLAP: inFooter('sparse', 'a section in the middle of another one', ({ tile_offsets_offsets }) => {
    tile_offsets_offsets[0] = tile_offsets_offsets[1] + 5
  }),
  SECTION_GAP: inFooter('sparse', 'a section that nothing names', ({ tile_sums_offsets }) => {
    tile_sums_offsets?.copyWithin(0, 1, 2)
  }),
  GENERIC_TILE_HEADER: damage('sparse', 'a generic tile with the datatype INT32', (array) =>
    array.patch(array.find(SCHEMA), 20, [0]),
  ),
  RTREE_LEVELS: inSection('rtreeLevels', 'an R-tree without its root', 'rtree', WHOLE_FRAGMENT, ({ levels }) => {
    levels.shift()
  }),
  RTREE_FANOUT: inSection('sparse', 'an R-tree with another fanout', 'rtree', WHOLE_FRAGMENT, { fanout: 16 }),
  RTREE_CONTAINMENT: inSection('rtreeLevels', 'a box that leaves its parent', 'rtree', WHOLE_FRAGMENT, ({ levels }) => {
    // The upper end of the first dimension, in the first box below the root.
    levels[1].bytes.fill(0, 4, 6)
  }),
  MBR_INVALID: inSection('sparse', 'a box with the upper end first', 'rtree', WHOLE_FRAGMENT, ({ levels }) => {
    levels.at(-1)?.bytes.set([0xff, 0xff, 0xff, 0x7f])
  }),
  MBR_NONEMPTY_DOMAIN: inFooter('sparse', 'a non-empty domain larger than all boxes', ({ nonempty_domain }) => {
    nonempty_domain[0].max.set([99, 0, 0, 0])
  }),
  RTREE_DENSE: inSection('dense', 'an R-tree in a dense fragment', 'rtree', WHOLE_FRAGMENT, ({ levels }) => {
    levels.push({ mbr_num: 0, bytes: new Uint8Array(0), starts: undefined })
  }),
  TILE_OFFSETS_COUNT: inSection('sparse', 'a tile without an offset', 'tile_offsets', SLOT.a, ({ values }) => ({
    values: values.slice(0, -1),
  })),
  TILE_OFFSETS_ORDER: inSection('sparse', 'decreasing offsets', 'tile_offsets', SLOT.a, ({ values }) => {
    values[2] = 1
  }),
  TILE_OFFSETS_OUTSIDE: inSection(
    'sparse',
    'an offset after the end of its file',
    'tile_offsets',
    SLOT.a,
    ({ values }) => void values.fill(1e6, -1),
  ),
  STATISTICS_COUNT: inSection('sparse', 'a tile without its sum', 'tile_sums', SLOT.a, ({ values }) => ({
    values: values.slice(8),
  })),
  PROCESSED_CONDITION_NAME: inSection(
    'deleteMetadata',
    'a processed condition that names no file',
    'processed_conditions',
    WHOLE_FRAGMENT,
    ({ conditions }) => void conditions.fill('../../etc/passwd', 0, 1),
  ),
  MBR_LOOSE: inSection('sparse', 'a box larger than its cells', 'rtree', WHOLE_FRAGMENT, ({ levels }) => {
    // The upper end of the second dimension, for the first tile.
    for (const level of levels) level.bytes.set([49, 0, 0, 0], 12)
  }),
  TILE_MIN_MAX: inSection('sparse', 'a minimum that no cell has', 'tile_mins', SLOT.a, ({ fixed }) => {
    fixed.set(u64Bytes(77), 8)
  }),
  TILE_SUM: inSection('sparse', 'a wrong sum', 'tile_sums', SLOT.n, ({ values }) => {
    values.set(u64Bytes(77), 16)
  }),
  TILE_NULL_COUNT: inSection('sparse', 'one null too many', 'tile_null_counts', SLOT.n, ({ values }) => {
    values[0] += 1
  }),
  FRAGMENT_MIN_MAX: inStatistics('a wrong minimum of the fragment', SLOT.a, ({ min }) => min.set(u64Bytes(5))),
  FRAGMENT_SUM: inStatistics('a wrong sum of the fragment', SLOT.a, ({ sum }) => sum.set(u64Bytes(5))),
  FRAGMENT_NULL_COUNT: inStatistics('one null too many in the fragment', SLOT.n, (statistics) => {
    statistics.null_count += 1
  }),
} satisfies Damages
