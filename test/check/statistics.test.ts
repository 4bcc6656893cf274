import { describe, expect, test } from '@jest/globals'
import type { FindingCode } from '../../src/check/codes.ts'
import type { SlotStatistics } from '../../src/format/fragment-min-max-sum-null-count.ts'
import { sectionPlaces } from '../../src/format/metadata-sections.ts'
import { localFiles } from '../../src/node/file.ts'
import { floats, madeArray } from '../advice/made-array.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { check, serious, shown } from './findings.ts'

/** Arrays whose statistics do not fit their cells, for different reasons, and the notes about them. */
const ODD: Record<string, string[]> = {
  all_null_first_tile_char: ['FRAGMENT_MIN_MAX fragment_min.a'],
  all_null_last_tile_consolidated: [],
  all_null_partial_last_tile_global: [],
  fragment_sum_saturated: [],
  null_count_blob_dense_padding: ['TILE_NULL_COUNT tile_null_counts.a'],
  null_count_utf16_dense: ['TILE_NULL_COUNT tile_null_counts.a'],
  null_count_utf8_sparse: ['TILE_NULL_COUNT tile_null_counts.a'],
  slabs_row_major: [
    'TILE_MIN_MAX tile_min_values.s',
    'TILE_NULL_COUNT tile_null_counts.s',
    'TILE_MIN_MAX tile_max_values.w',
    'TILE_NULL_COUNT tile_null_counts.b',
    'TILE_NULL_COUNT tile_null_counts.p',
  ],
  slabs_col_major: [
    'TILE_MIN_MAX tile_min_values.s',
    'TILE_NULL_COUNT tile_null_counts.s',
    'TILE_MIN_MAX tile_max_values.w',
    'TILE_NULL_COUNT tile_null_counts.b',
    'TILE_NULL_COUNT tile_null_counts.p',
  ],
  webp_lossless_alpha_sums: [],
}

describe('statistics that TileDB works out in its own way are no error', () => {
  test.each(Object.entries(ODD))('%s', async (name, notes) => {
    const { findings } = await check(localFiles, `${FIXTURES}/22/${name}`)
    expect(shown(serious(findings))).toEqual([])
    // A known fault of statistics is reported once per field.
    expect(findings.map(({ code, field }) => `${code} ${field}`)).toEqual(notes)
  })
})

describe('minima and maxima that miss cells because of NaN are noted, once a field', () => {
  const NAN = Number.NaN
  test.each<[string, number[], number]>([
    ['cells before it', [-3, 7, NAN, 5, 1, 2, 3, 4], 1],
    ['NaN last', [1, 2, 3, NAN, 1, NAN, 3, NAN], 1],
    ['NaN first: nothing is missed', [NAN, 1, 2, 3, NAN, NAN, 5, 6], 0],
    ['nothing but NaN in a tile', [NAN, NAN, NAN, NAN, 1, 2, 3, 4], 0],
    ['no NaN', [1, 2, 3, 4, 5, 6, 7, 8], 0],
  ])('%s', async (_, values, count) => {
    const { array } = await madeArray({
      dense: true,
      dimensions: [['t', 0, 7, 4]],
      attributes: { v: [] },
      fragments: [{ v: floats(8, (i) => values[i]) }],
    })
    const { findings } = await check(array.folder.storage, array.folder.path)
    const found = findings.map(({ severity, code, field }) => `${severity} ${code} ${field}`)
    expect(found).toEqual(Array(count).fill('note TILE_MIN_MAX tile_min_values.v'))
    for (const { meaning } of findings) expect(meaning).toMatch(/after a NaN: aggregates .* may be wrong/)
  })
})

interface Planted {
  code: FindingCode
  plant: (array: EditedArray, slot: number) => Promise<void>
}

const flipped = (bytes: Uint8Array): void => {
  for (let i = 0; i < bytes.length; i++) bytes[i] ^= 0x5a
}

/** Every statistic, with a value that fits neither the cells nor any order of writing them. */
const PLANTED: Record<string, Planted> = {
  'tile minima': {
    code: 'TILE_MIN_MAX',
    plant: (array, slot) => array.editSection('tile_mins', slot, ({ fixed }) => flipped(fixed)),
  },
  'tile maxima': {
    code: 'TILE_MIN_MAX',
    plant: (array, slot) => array.editSection('tile_maxs', slot, ({ fixed }) => flipped(fixed)),
  },
  'tile sums': {
    code: 'TILE_SUM',
    plant: (array, slot) => array.editSection('tile_sums', slot, ({ values }) => flipped(values)),
  },
  'tile null counts': {
    code: 'TILE_NULL_COUNT',
    plant: (array, slot) =>
      array.editSection('tile_null_counts', slot, ({ values }) => {
        values[0] += 7
      }),
  },
  'minimum of the fragment': { code: 'FRAGMENT_MIN_MAX', plant: onFragment(({ min }) => flipped(min)) },
  'sum of the fragment': { code: 'FRAGMENT_SUM', plant: onFragment(({ sum }) => flipped(sum)) },
  'null count of the fragment': {
    code: 'FRAGMENT_NULL_COUNT',
    plant: onFragment((statistics) => {
      statistics.null_count += 7
    }),
  },
}

function onFragment(change: (statistics: SlotStatistics) => void): Planted['plant'] {
  return (array, slot) => array.editSection('fragment_min_max_sum_null_count', undefined, (all) => change(all[slot]))
}

describe('a statistic that no way of writing gives is an error, in such arrays too', () => {
  const cases = Object.keys(ODD).flatMap((name) => Object.entries(PLANTED).map((one) => [name, ...one] as const))
  test.each(cases)('%s: %s', async (name, _, { code, plant }) => {
    const array = new EditedArray(`22/${name}`)
    const info = await (await array.fragment()).info()
    // An attribute whose statistic is right. The other ones show known faults.
    const slot = name.startsWith('slabs')
      ? info.slots.findIndex((one) => one.name === (code.endsWith('SUM') ? 'i' : code.endsWith('COUNT') ? 'p' : 'c'))
      : info.slots.findIndex(({ kind }) => kind === 'attribute')
    const { type, nullable } = info.slots[slot]
    const has = { MIN_MAX: !/UTF|BLOB/.test(type), SUM: !/UTF|BLOB/.test(type), NULL_COUNT: nullable }
    const [, what] = /^(?:TILE|FRAGMENT)_(.*)$/.exec(code) ?? []
    if (!has[what as keyof typeof has] || (code === 'FRAGMENT_SUM' && type === 'CHAR')) return
    await plant(array, slot)
    const { findings } = await check(array.storage(), EDITED)
    const codes = serious(findings).map((finding) => `${finding.severity} ${finding.code}`)
    expect(codes.includes(`error ${code}`)).toBe(true)
  })
})

test('lists of the field that no file has are read, too: a broken one is a warning', async () => {
  const array = new EditedArray('22/sparse_basic')
  const folder = array.fragmentPath()
  const { footer, slots } = await (await array.fragment(folder)).info()
  const slot = slots.findIndex(({ phantom }) => phantom)
  const place = footer && sectionPlaces(footer, slots).find((one) => one.name === 'tile_offsets' && one.slot === slot)
  const generic = 52
  // The number of chunks of the tile, after its header.
  array.patch(`${folder}/__fragment_metadata.tdb`, (place?.offset ?? 0) + generic, new Uint8Array(8).fill(0x7f))
  const { findings } = await check(array.storage(), EDITED)
  expect(findings.filter(({ code }) => code === 'SECTION_UNREADABLE')).toMatchObject([
    { severity: 'warning', field: expect.stringMatching(/^tile_offsets\.__coords/) },
  ])
})
