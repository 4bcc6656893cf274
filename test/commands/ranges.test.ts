import { describe, expect, test } from '@jest/globals'
import type { Bounds } from '../../src/cells/bounds.ts'
import { parseRanges } from '../../src/commands/ranges.ts'
import type { RangeType } from '../../src/format/range.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
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

test('a year is written as it is printed; of other dates a number is a count', () => {
  const dimensions = (['DATETIME_YEAR', 'DATETIME_MONTH'] as const).map((type) => ({
    name: type,
    type,
    cell_val_num: 1,
  }))
  const lows = [...parseRanges(dimensions, ['DATETIME_YEAR=2024..', 'DATETIME_MONTH=648..']).values()]
  expect(lows).toMatchObject([{ low: 54n }, { low: 648n }])
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
  ])('%s', (option, message) => {
    expect(() => parseRanges(DIMENSIONS, [option])).toThrow(expect.objectContaining({ code: 'USAGE' }))
    expect(() => parseRanges(DIMENSIONS, [option])).toThrow(message)
  })

  test('two ranges of one dimension', () => {
    expect(() => parseRanges(DIMENSIONS, ['n=1..2', 'n=4..5'])).toThrow('one range of each dimension')
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

test.each(['read', 'explain'])(
  '%s: a range of a dimension label says how to find that of the dimension',
  async (command) => {
    const array = `${FIXTURES}/22/dimension_labels`
    const { code, stderr } = await run([command, array, '--range', 'height=-3..1'])
    expect(code).toBe(2)
    const [, path, condition] =
      stderr.match(/found the dimension label "height".* read (\S+) --where "(.*)", .* --range d=FIRST\.\.LAST/) ?? []
    const { documents } = await runJson(['read', path, '--where', condition.replace('LO', '-3').replace('HI', '1')])
    const places = items(get(documents[0], 'cells')).filter((cell) => typeof get(cell, 'label') === 'number')
    // As TileDB-Py's label_index(['height'])[-3.0:1.0].
    expect(places.map((cell) => get(cell, 'index'))).toEqual([1, 2, 3])
  },
)
