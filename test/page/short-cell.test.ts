import { expect, test } from '@jest/globals'
import { parseCell } from '../../src/calls/cell-option.ts'
import type { Dimension } from '../../src/format/dimension.ts'
import { cellOption, shortCell } from '../../src/page/short-cell.ts'

test.each([
  [null, { text: 'null', isNull: true }],
  [-0, { text: '-0.0' }],
  [12n, { text: '12' }],
  ['null', { text: 'null' }],
  ['x'.repeat(300), { text: 'x'.repeat(300) }],
  ['x'.repeat(1301), { text: 'x'.repeat(300), more: '… 1,001 more characters' }],
  [new Uint8Array(0), { text: '' }],
  [new Uint8Array(1000), { text: `0x${'00'.repeat(64)}`, more: '… 936 more bytes' }],
  [[1, 2], { text: '[1, 2]' }],
  [new Array(1020).fill(7), { text: `[${'7, '.repeat(19)}7]`, more: '… 1,000 more values' }],
])('%# is shown short', (value, shown) => {
  expect(shortCell(value)).toEqual(shown)
})

const dimension = (name: string, type: string) =>
  ({ name, type, cell_val_num: type.startsWith('STRING') ? 'var' : 1 }) as Dimension

test.each([
  [{ x: 5, y: -7n }, ['INT32', 'INT64'], 'x=5,y=-7'],
  [{ x: 1e-7, y: -0.1 }, ['FLOAT64', 'FLOAT32'], 'x=1e-7,y=-0.1'],
  [{ x: '2024-05-01', y: '2024-05-01T10:00:00.000' }, ['DATETIME_DAY', 'DATETIME_MS'], undefined],
  [{ x: 'a..b', y: 'c"d' }, ['STRING_ASCII', 'STRING_ASCII'], 'x="a..b",y="c\\"d"'],
  [{ x: '', y: '7' }, ['STRING_ASCII', 'STRING_ASCII'], 'x="",y=7'],
])('%# is named as --cell takes it', (cell, types, text) => {
  const option = cellOption(['x', 'y'], cell)
  if (text !== undefined) expect(option).toBe(text)
  const bounds = parseCell(
    types.map((type, d) => dimension('xy'[d], type)),
    [option ?? ''],
  )
  expect([...bounds.keys()]).toEqual([0, 1])
  for (const { low, high } of bounds.values()) expect(low).toEqual(high)
})

test('bytes, and what is too long for a link, have no name', () => {
  expect(cellOption(['x'], { x: new Uint8Array(1) })).toBeUndefined()
  expect(cellOption(['x'], { x: 'x'.repeat(1000) })).toBeUndefined()
})
