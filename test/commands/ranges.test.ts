import { writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { commandLineText } from '../../src/base/errors.ts'
import { parseRanges } from '../../src/calls/ranges.ts'
import type { Bounds } from '../../src/cells/bounds.ts'
import { arraySchema } from '../../src/format/array-schema.ts'
import type { DimensionLabel } from '../../src/format/dimension-label.ts'
import type { RangeType } from '../../src/format/range.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { failure } from '../helpers/failure.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const DIMENSIONS: (RangeType & { name: string })[] = [
  { name: 'x', type: 'FLOAT64', cell_val_num: 1 },
  { name: 'n', type: 'INT32', cell_val_num: 1 },
  { name: 's', type: 'STRING_ASCII', cell_val_num: 'var' },
]

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

test.each<[string, number, Bounds]>([
  ['x=1.5', 0, { low: 1.5, high: 1.5 }],
  ['x=-1e3..+.5', 0, { low: -1000, high: 0.5 }],
  ['x=..7.', 0, { low: undefined, high: 7 }],
  ['x=-inf..Infinity', 0, { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY }],
  ['n=-3..5', 1, { low: -3, high: 5 }],
  ['n=..', 1, { low: undefined, high: undefined }],
  ['s=a..b', 2, { low: text('a'), high: text('b') }],
  ['s="a..b"', 2, { low: text('a..b'), high: text('a..b') }],
  ['s="\\"".."\\u00e9"', 2, { low: text('"'), high: text('é') }],
])('%s', (option, dimension, bounds) => {
  expect(parseRanges(DIMENSIONS, [option])).toEqual(new Map([[dimension, bounds]]))
})

test('of names that begin alike, as they may hold =, the longest is meant', () => {
  const dimensions = ['x', 'x=y'].map((name) => ({ name, type: 'INT32', cell_val_num: 1 }) as const)
  expect(parseRanges(dimensions, ['x=y=3', 'x=4'])).toEqual(
    new Map([
      [1, { low: 3, high: 3 }],
      [0, { low: 4, high: 4 }],
    ]),
  )
})

test('a number is a year of DATETIME_YEAR if it is as long as one; other numbers alone are counts', () => {
  const dimensions = (['DATETIME_YEAR', 'DATETIME_MONTH'] as const).map((type) => ({
    name: type,
    type,
    cell_val_num: 1,
  }))
  const lows = [...parseRanges(dimensions, ['DATETIME_YEAR=2024..', 'DATETIME_MONTH=648..']).values()]
  expect(lows).toMatchObject([{ low: 54n }, { low: 648n }])
  const yearIn = (range: string) => parseRanges(dimensions, [`DATETIME_YEAR=${range}`]).get(0)
  expect(yearIn('-030..0007')).toMatchObject({ low: -2000n, high: -1963n })
  expect(yearIn('-1000..10000')).toMatchObject({ low: -2970n, high: 8030n })
  expect(yearIn('-30..7')).toMatchObject({ low: -30n, high: 7n })
  expect(yearIn('-9223372036854775808..-1711695770296090887')).toMatchObject({
    low: -9223372036854775808n,
    high: -1711695770296090887n,
  })
  expect(yearIn('"-1711695770296088928"..')).toMatchObject({ low: -1711695770296090898n })
})

describe('refused', () => {
  test.each([
    ['x=0-10', 'expected a number, found "0-10"'],
    ['x=abc..5', 'expected a number, found "abc"'],
    ['x=1..NaN', 'expected a number, found "NaN"'],
    ['x=0x10', 'expected a number, found "0x10"'],
    ['n=3-5', 'n=3-5'],
    ['n=7..3', 'LO up to HI'],
    ['s="a', 'the quoted value has no end'],
    ['s="\\x"', 'expected a string as JSON writes it'],
    ['s="a"b', 'expected a string as JSON writes it'],
    ['y=1', 'with a dimension (x, n, s)'],
    ['x', 'expects NAME=LO..HI with a dimension (x, n, s), found "x"'],
    ['x=', '--range expects NAME=LO..HI, found "x="'],
    ['s=', '--range expects NAME=LO..HI, found "s="'],
  ])('%s', (option, message) => {
    const error = failure(() => parseRanges(DIMENSIONS, [option]))
    expect(error.code).toBe('USAGE')
    expect(commandLineText(error)).toContain(message)
  })

  test('two ranges of one dimension', () => {
    expect(() => parseRanges(DIMENSIONS, ['n=1..2', 'n=4..5'])).toThrow('one range for each dimension')
  })
})

test('FLOAT32: a number with more digits than its shortest form finds the cell', async () => {
  const { text } = await run([
    'read',
    `${FIXTURES}/22/float32_full_domain_2d`,
    '--range',
    'x=-3.3e38',
    '--format',
    'csv',
  ])
  expect(text.trim().split(/\s+/)).toEqual(['y,x,a', '0,-3.3e+38,0', '1,-3.3e+38,6', '3,-3.3e+38,12'])
})

const LABELLED = `${FIXTURES}/22/dimension_labels`

test('a range of a dimension label is that of its dimension, as TileDB finds it', async () => {
  const { code, documents, stderr } = await runJson(['read', LABELLED, '--range', 'height=-3..1'])
  expect(code).toBe(0)
  // As TileDB-Py's label_index(['height'])[-3.0:1.0].
  const places = items(get(documents[0], 'cells')).map((cell) => get(cell, 'd'))
  expect([...new Set(places)]).toEqual([1, 2, 3])
  expect(stderr).toContain('height=-3..1 is d=1..3')
  const explained = await runJson(['explain', LABELLED, '--range', 'height=-3..1'])
  const same = await runJson(['explain', LABELLED, '--range', 'd=1..3'])
  expect(get(explained.documents[0], 'steps')).toEqual(get(same.documents[0], 'steps'))
})

test('a range in which a dimension label has no value is refused, as by TileDB', async () => {
  const { code, stderr } = await run(['read', LABELLED, '--range', 'height=1000..'])
  expect(code).toBe(2)
  expect(stderr).toContain('--range height=1000..: the label has no value in this range')
})

const OF_HEIGHT = /^\/__labels\/l0\/__schema\/__\d/

test.each<[string, number, string, (array: EditedArray) => Promise<void>]>([
  ['that have no order', 2, 'TileDB finds no range of unordered labels', unlike({ order: 'unordered' })],
  ['of another order', 1, 'attributes.label.order: expected decreasing', unlike({ order: 'decreasing' })],
  ['of another type', 1, 'attributes.label.type: expected INT64, found FLOAT64', unlike({ type: 'INT64' })],
  ['of another attribute', 1, 'expected the attribute "a", found none', unlike({ attribute: 'a' })],
  ['of no dimension', 1, 'expected a dimension of the label height, found the index 7', unlike({ dimension_index: 7 })],
  [
    'by coordinates of another type',
    1,
    'dimensions.index.type: expected',
    (array) =>
      array.rewrite(array.find(OF_HEIGHT), arraySchema, ({ domain }) => {
        domain.dimensions[0].type = 'FLOAT32'
      }),
  ],
])('a range of labels %s is refused, as by TileDB', async (_, code, message, edit) => {
  const array = new EditedArray('22/dimension_labels')
  await edit(array)
  const told = await run(['read', EDITED, '--range', 'height=-3..1'], { storage: array.storage() })
  expect(told.stderr).toContain(message)
  expect(told.code).toBe(code)
})

test.each(['d', 'a', 'name'])(
  'check finds a label with the name %s of another field, as TileDB opens no such array',
  async (name) => {
    const array = new EditedArray('22/dimension_labels')
    await unlike({ name })(array)
    const { code, documents } = await runJson(['check', EDITED, '--level', 'structure'], { storage: array.storage() })
    expect(items(get(documents[0], 'findings')).map((one) => [get(one, 'code'), get(one, 'found')])).toEqual([
      ['SCHEMA_DUPLICATE_FIELD', `"${name}"`],
    ])
    expect(code).toBe(1)
  },
)

function unlike(change: Partial<DimensionLabel>): (array: EditedArray) => Promise<void> {
  return (array) =>
    array.editSchema(({ dimension_labels }) => {
      Object.assign(dimension_labels[0], change)
    })
}

const folder = temporaryFolder()
let made = 0

/** An array `i` of 0 to 5 with the label `l`, whose cells are written in steps. */
async function labelledBy(...writes: [index: number, label: number | string][][]): Promise<string> {
  const array = `${folder}/labelled${made++}`
  const steps = [
    {
      step: 'create',
      schema: {
        array_type: 'dense',
        dimensions: [{ name: 'i', type: 'INT32', domain: [0, 5], tile_extent: 2 }],
        attributes: [{ name: 'a', type: 'INT32' }],
        dimension_labels: [{ name: 'l', dimension_index: 0, order: 'increasing', type: 'FLOAT64' }],
      },
    },
    { step: 'write', cells: [0, 1, 2, 3, 4, 5].map((i) => ({ i, a: i })) },
    ...writes.map((cells) => ({
      step: 'write',
      path: '__labels/l0',
      cells: cells.map(([index, label]) => ({ index, label })),
    })),
  ]
  const file = `${array}.json`
  writeFileSync(file, JSON.stringify({ steps }))
  expect(await run(['write-sample', array, '--steps', file])).toMatchObject({ code: 0 })
  return array
}

// Each as TileDB-Py's label_index does it.
describe('labels that TileDB writes and does not search', () => {
  const ranges = ['l=1..2', 'l=..6']

  test('with a gap between fragments', async () => {
    const array = await labelledBy(
      [
        [0, 1],
        [1, 2],
      ],
      [
        [4, 5],
        [5, 6],
      ],
    )
    for (const range of ranges) {
      const { code, stderr } = await run(['read', array, '--range', range])
      expect(stderr).toContain('i=2..3 have no label, and TileDB finds no range of labels with a gap')
      expect(code).toBe(2)
    }
  })

  test('out of order where fragments meet', async () => {
    const array = await labelledBy(
      [0, 1, 2, 3, 4, 5].map((i) => [i, i + 1]),
      [
        [2, 30],
        [3, 31],
      ],
    )
    for (const range of ranges) {
      const { code, stderr } = await run(['read', array, '--range', range])
      expect(stderr).toContain('expected increasing labels of l, found another order at i=4')
      expect(code).toBe(1)
    }
  })

  test('a label that is NaN is told', async () => {
    const array = await labelledBy([0, 1, 2, 3, 4, 5].map((i) => [i, i === 2 ? 'NaN' : i + 1]))
    const { code, stderr } = await run(['read', array, '--range', 'l=2..5'])
    expect(stderr).toContain('l: the label of i=2 is NaN, so TileDB may find other cells')
    expect(stderr).toContain('l=2..5 is i=1..4')
    expect(code).toBe(0)
  })
})
