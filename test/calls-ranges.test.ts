import { expect, test } from '@jest/globals'
import { parseRangeSets, wholeDays } from '../src/calls/ranges.ts'
import type { Datatype } from '../src/format/datatype.ts'
import type { Dimension } from '../src/format/dimension.ts'
import { rangeSets } from '../src/read/array-cells.ts'

function dimension(type: Datatype): Dimension {
  const filters = { max_chunk_size: 65_536, filters: [] }
  const cell_val_num = type === 'STRING_ASCII' ? 'var' : 1
  return { name: 'x', type, cell_val_num, filters, domain: new Uint8Array(16), tile_extent: undefined }
}

test.each([
  ['INT8', 'x=-5..9', [-5, 9]],
  ['INT64', 'x=-5..', [-5n, undefined]],
  ['UINT64', 'x=..18446744073709551615', [undefined, 2n ** 64n - 1n]],
  ['FLOAT32', 'x=0.1..2.5', [0.1, 2.5]],
  ['FLOAT64', 'x=-0..1e300', [-0, 1e300]],
  ['STRING_ASCII', 'x=a..b', ['a', 'b']],
  ['DATETIME_DAY', 'x=2024-01-01..2024-02-01', ['2024-01-01', '2024-02-01']],
] as const)('the range of %s is the same for --range and for the library: %s', (type, option, range) => {
  expect(rangeSets([dimension(type)], { x: range })).toEqual(parseRangeSets([dimension(type)], [option]))
})

test.each([
  ['DATETIME_SEC', 'x=2024-02-29', ['x=2024-02-29..2024-02-29T23:59:59']],
  ['DATETIME_HR', 'x=2024-02-29', ['x=2024-02-29..2024-02-29T23']],
  ['DATETIME_MS', 'x="2024-02-29"', ['x=2024-02-29..2024-02-29T23:59:59.999']],
  ['DATETIME_SEC', 'x=2024-02-29T10:00:00', []],
  ['DATETIME_SEC', 'x=2024-02-29..', []],
  ['DATETIME_DAY', 'x=2024-02-29', []],
  ['STRING_ASCII', 'x=2024-02-29', []],
] as const)('the day that %s may mean with %s', (type, option, days) => {
  expect(wholeDays([dimension(type)], [option])).toEqual(days)
  for (const day of days) expect(() => parseRangeSets([dimension(type)], [day])).not.toThrow()
})
