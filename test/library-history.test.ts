import { expect, test } from '@jest/globals'
import { type CellWanted, cellHistory, type HistoryOptions, type InspectError, openArray } from '../src/index.ts'
import { failureOf } from './helpers/failure.ts'
import { FIXTURES } from './helpers/fixtures.ts'

async function history(name: string, cell: CellWanted, options?: HistoryOptions) {
  return cellHistory(await openArray(`${FIXTURES}/22/${name}`), cell, options)
}

test('versions, their values, and what hid them', async () => {
  const found = await history('deletes', { x: 15, y: 15 }, { fields: ['a'] })
  expect(found.map(({ written, values, state }) => ({ written, values: { ...values }, state }))).toEqual([
    { written: 10n, values: { a: 22 }, state: 'overwritten' },
    { written: 20n, values: { a: 41 }, state: 'deleted' },
  ])
  const [older, newer] = found
  expect(older.by).toEqual({ kind: 'fragment', name: newer.fragment, time: 20n })
  expect(newer.by).toMatchObject({ kind: 'delete', path: `__commits/${newer.by?.name}.del`, time: 25n })
})

test('at another time', async () => {
  const found = await history('deletes', { x: 15, y: 15 }, { between: [0, 20] })
  expect(found.map(({ state }) => state)).toEqual(['overwritten', 'current'])
})

test('a cell without versions', async () => {
  expect(await history('dense_vacuum_left', { y: 1, x: 7 })).toEqual([])
})

test.each<[CellWanted, HistoryOptions, string]>([
  [{ x: 1 }, {}, 'expected a value for each dimension, found none for y'],
  [{ x: 1, z: 1 }, {}, 'expected a dimension of the array (x, y), found "z"'],
  [{ x: 1, y: 1 }, { between: [20, 10] }, 'expected between to have its earlier time first, found 20 and 10'],
  [{ x: 1, y: 1 }, { fields: ['b'] }, 'expected a field of the array (x, y, a, s), found "b"'],
])('%j, %j', async (cell, options, message) => {
  const { code, message: said } = (await failureOf(() => history('deletes', cell, options))) as InspectError
  expect([code, said]).toEqual(['USAGE', message])
})

test('a .vac file that hides a fragment, and the fragment that has its cells', async () => {
  const found = await history('../removed/consolidated', { x: 1 }, { fields: ['a'] })
  expect(found.map(({ state }) => state)).toContain('hidden')
  for (const { state, by } of found)
    if (state === 'hidden')
      expect(by).toEqual({
        kind: 'vacuum',
        name: expect.stringMatching(/^__10_20_/),
        path: expect.stringMatching(/\.vac$/),
      })
})
