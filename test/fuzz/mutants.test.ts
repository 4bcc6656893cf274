import { expect, test } from '@jest/globals'
import { fixtureFolders } from '../helpers/fixtures.ts'
import { Random } from '../helpers/random.ts'
import { type Judged, Mutants } from './mutants.ts'

const MUTANTS = 200
const SEED = 3
/** One fixture of each kind: with checksums, encrypted, GZIP, consolidated metadata, deletes, a group, old formats. */
const NAMES = [
  '22/sparse_basic',
  '22/encrypted',
  '22/commits_ignored',
  '22/group',
  '10/dense_basic',
  '3/sparse_basic',
  '2/dense_basic',
]

test('damage under a sum, and every end cut off, is found or changes nothing', async () => {
  const random = new Random(SEED)
  const mutants = new Mutants(fixtureFolders().filter(({ name }) => NAMES.includes(name)))
  const judged: Judged[] = []
  for (let i = 0; i < MUTANTS; i++) judged.push(await mutants.judge(await mutants.pick(random)))
  expect(judged.filter(({ breach }) => breach !== undefined)).toEqual([])
  const silent = judged.filter(({ verdict }) => verdict === 'silent')
  expect(silent.filter(({ region, mutant }) => region.covered || mutant.kind === 'truncated')).toEqual([])
  expect(judged.filter(({ verdict }) => verdict === 'found').length).toBeGreaterThan(MUTANTS / 2)
})
