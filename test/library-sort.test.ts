import { expect, test } from '@jest/globals'
import { librarySort } from '../src/base/library-sort.ts'
import { EDITED, EditedArray } from './helpers/edit-array.ts'
import { openEdited } from './helpers/open-edited.ts'

/** Times of fragments that are listed by name, and their order in TileDB 2.30 for Linux. */
const MEASURED: readonly (readonly [what: string, times: readonly number[], order: readonly number[]])[] = [
  ['16 of one time', Array(16).fill(5), Array.from({ length: 16 }, (_, i) => i)],
  ['17 of one time', Array(17).fill(5), [8, 16, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1]],
  [
    '40 of one time',
    Array(40).fill(5),
    [
      ...[30, 21, 22, 23, 24, 25, 26, 27, 28, 29, 20, 31, 32, 33, 34, 35, 36, 37, 38, 39],
      ...[10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 11, 12, 13, 14, 15, 16, 17, 18, 19],
    ],
  ],
  [
    '33 of 12 times',
    [10, 10, 10, 11, 12, 12, 12, 1, 1, 1, 1, 1, 2, 2, 3, 4, 4, 4, 4, 5, 5, 5, 6, 7, 7, 7, 7, 8, 8, 9, 9, 9, 9],
    [
      7, 8, 9, 10, 11, 13, 12, 14, 18, 17, 16, 15, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 2, 1, 0, 3,
      6, 5, 4,
    ],
  ],
  // Each partition leaves nearly all of them in one part, so that a heap sorts them.
  [
    '38 of times 1 to 10, by name',
    [10, 10, ...Array.from({ length: 36 }, (_, i) => 1 + (i >> 2))],
    [
      ...[3, 2, 5, 4, 8, 9, 7, 6, 10, 11, 12, 13, 15, 16, 17, 14, 19, 21, 20, 18],
      ...[25, 23, 24, 22, 29, 27, 28, 26, 33, 31, 32, 30, 37, 35, 36, 34, 1, 0],
    ],
  ],
]

test.each(MEASURED)('%s', (_, times, order) => {
  const list = times.map((time, i) => ({ time, i }))
  expect(librarySort(list, ({ time }) => BigInt(time)).map(({ i }) => i)).toEqual(order)
})

test.each([0, 1, 2, 100, 1000])('%d elements with different keys are sorted', (count) => {
  const keys = Array.from({ length: count }, (_, i) => BigInt((i * 7919) % 1009))
  expect(librarySort([...keys], (key) => key)).toEqual([...keys].sort((a, b) => Number(a - b)))
})

/** Measured with TileDB 2.30, for arrays and groups: of 17 values with one time, the second file by name is applied last. */
test('of values with the same time, the one that TileDB applies last wins', async () => {
  const array = new EditedArray('22/metadata')
  const [older, newer] = [...array.files.keys()].filter((file) => file.includes('/__meta/__')).sort()
  const bytes = [older, newer].map((file) => array.files.get(file) ?? new Uint8Array())
  for (const file of [older, newer]) array.files.delete(file)
  for (let i = 0; i < 17; i++)
    array.files.set(`${EDITED}/__meta/__5_5_${i.toString(16).padStart(32, '0')}`, bytes[i === 1 ? 1 : 0])
  const { value } = (await (await openEdited(array)).metadata()).get('changed') ?? {}
  expect(new TextDecoder().decode(value)).toBe('new and longer')
})
