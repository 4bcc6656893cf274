import { expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { check } from './findings.ts'

const COMMIT = /\.wrt$/
const UUID = '0123456789abcdef0123456789abcdef'
const IN_2100 = `__4102444800000_4102444800001_${UUID}`

async function toldOf(array: EditedArray, code: string): Promise<string[]> {
  const { findings } = await check(array.storage(), EDITED)
  return findings.filter((finding) => finding.code === code).map(({ expected, found }) => `${expected}; ${found}`)
}

const NOW = /^a time up to now, \d{4}-\d\d-\d\dT[\d:.]+Z \(\d+\); 2100-01-01T00:00:00.001Z \(4102444800001\)$/

test('findings of what is dated ahead print ISO times beside the milliseconds', async () => {
  const fragment = new EditedArray('22/sparse_basic')
  fragment.move(fragment.fragmentPath(), `${fragment.root}/__fragments/${IN_2100}_22`)
  fragment.move(fragment.find(COMMIT), `${fragment.root}/__commits/${IN_2100}_22.wrt`)
  expect(await toldOf(fragment, 'FRAGMENT_FUTURE')).toEqual([expect.stringMatching(NOW)])

  const deletes = new EditedArray('22/deletes')
  deletes.move(deletes.first(/__25_25_.*\.del$/), `${deletes.root}/__commits/${IN_2100}_22.del`)
  expect(await toldOf(deletes, 'DELETE_FUTURE')).toEqual([expect.stringMatching(NOW)])

  const metadata = new EditedArray('22/metadata')
  metadata.move(metadata.first(/\/__meta\/__/), `${metadata.root}/__meta/${IN_2100}`)
  expect(await toldOf(metadata, 'METADATA_FUTURE')).toEqual([expect.stringMatching(NOW)])
})

test('a time beyond 2^63 is the same in findings of fragments and of metadata: what TileDB makes of it', async () => {
  const name = `__${2n ** 64n - 2n}_${2n ** 64n - 1n}_${UUID}`
  const told = [expect.stringMatching(/; 9223372036854775807$/)]
  const fragment = new EditedArray('22/sparse_basic')
  fragment.move(fragment.fragmentPath(), `${fragment.root}/__fragments/${name}_22`)
  fragment.move(fragment.find(COMMIT), `${fragment.root}/__commits/${name}_22.wrt`)
  expect(await toldOf(fragment, 'FRAGMENT_FUTURE')).toEqual(told)

  const metadata = new EditedArray('22/metadata')
  metadata.move(metadata.first(/\/__meta\/__/), `${metadata.root}/__meta/${name}`)
  expect(await toldOf(metadata, 'METADATA_FUTURE')).toEqual(told)
})

test('findings of cells written outside the time of their fragment print ISO times', async () => {
  const array = new EditedArray('22/deletes_consolidated')
  const [from, to] = ['1714557600000', '1714557600500']
  array.move(array.fragmentPath(), `${array.root}/__fragments/__${from}_${to}_${UUID}_22`)
  array.move(array.find(COMMIT), `${array.root}/__commits/__${from}_${to}_${UUID}_22.wrt`)
  const range = `2024-05-01T10:00:00Z (${from}) to 2024-05-01T10:00:00.500Z (${to})`
  expect((await toldOf(array, 'CELL_TIMESTAMP'))[0]).toBe(`${range}; 10`)
})
