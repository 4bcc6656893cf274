import { resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { NO_BYTES } from '../../src/base/bytes.ts'
import { bytes, textBytes, u64Bytes } from '../../src/damage/bytes.ts'
import { UUID } from '../../src/damage/damage.ts'
import type { EditableArray } from '../../src/damage/editable-array.ts'
import { localFiles } from '../../src/node/file.ts'
import { withFile } from '../../src/storage/overlay.ts'
import { check } from '../check/findings.ts'
import { runJson } from '../helpers/run.ts'
import { datasetOf } from './datasets.ts'
import { dataset } from './parts.ts'
import { store } from './specs.ts'

const BLOOD = resolve('examples/arrays/blood')

/** The path of the oldest file in a folder of the dataset. */
async function fileIn(folder: string): Promise<string> {
  const entries = await localFiles.list(`${BLOOD}/${folder}`)
  return `${BLOOD}/${folder}/${entries[0]?.name}`
}

test.each([
  ['obs/__fragments', '/__fragment_metadata.tdb', 'FOOTER_UNREADABLE'],
  ['obs/__schema', '', 'SCHEMA_UNREADABLE'],
  ['obs/__meta', '', 'METADATA_UNREADABLE'],
  ['ms/RNA/__meta', '', 'METADATA_UNREADABLE'],
  ['ms/__group', '', 'GROUP_DETAILS_UNREADABLE'],
])('an empty file of %s is one finding, not one more for each array beside it', async (folder, file, code) => {
  const storage = withFile(localFiles, (await fileIn(folder)) + file, NO_BYTES)
  const { documents } = await runJson(['check', BLOOD, '--level', 'cells'], { storage })
  expect(documents[0]).toMatchObject({ findings: [{ code }] })
})

const DATASETS = {
  variants: () => datasetOf('vcf'),
  index: () => datasetOf('vectorIndex'),
  store: () => dataset(store()),
}

const empty = (array: EditableArray, path: string): void => void array.files.set(path, NO_BYTES)
const cut = (array: EditableArray, path: string): void => array.cut(path, 40)
const remove = (array: EditableArray, path: string): void => void array.files.delete(path)

test.each([
  ['variants', /^metadata\/__group\//, empty, 'error GROUP_DETAILS_UNREADABLE'],
  ['variants', /^metadata\/__group\//, cut, 'error GROUP_DETAILS_UNREADABLE'],
  ['variants', /^metadata\/vcf_headers\//, remove, 'error GROUP_MEMBER_MISSING'],
  ['variants', /^data\//, remove, 'error GROUP_MEMBER_MISSING'],
  ['variants', /^data\/.*\.wrt$/, remove, 'error ARRAY_READS_EMPTY'],
  ['variants', /^metadata\/vcf_headers\/.*\.wrt$/, remove, 'error ARRAY_READS_EMPTY'],
  ['variants', /^sample_stats\/.*\.wrt$/, remove, 'error ARRAY_READS_EMPTY'],
  ['variants', /^sample_stats\/__schema\//, remove, 'error ARRAY_NO_SCHEMA'],
  ['variants', /^sample_stats\/__schema\//, empty, 'error SCHEMA_UNREADABLE'],
  ['store', /^assays\/__group\//, empty, 'error GROUP_DETAILS_UNREADABLE'],
  ['store', /^assays\/counts\//, remove, 'warning GROUP_MEMBER_MISSING'],
  ['index', /^shuffled_vectors\//, remove, 'error GROUP_MEMBER_MISSING'],
  ['index', /^partition_indexes\/.*\.wrt$/, remove, 'error ARRAY_READS_EMPTY'],
] as const)('%s, %s: the cause alone is told', async (name, pattern, damage, wanted) => {
  const array = await DATASETS[name]()
  const before = await findingsOf(array)
  const damaged = array.matching(/./).filter((path) => pattern.test(path.slice(array.root.length + 1)))
  expect(damaged.length).toBeGreaterThan(0)
  for (const path of damaged) damage(array, path)
  expect((await findingsOf(array)).filter((one) => !before.includes(one))).toEqual([wanted])
})

async function findingsOf(array: EditableArray): Promise<string[]> {
  const { findings } = await check(array.storage(), array.root)
  return findings.filter(({ severity }) => severity !== 'note').map(({ severity, code }) => `${severity} ${code}`)
}

test('a delete condition that is empty, or gone, is one finding, also if two files list all commits', async () => {
  const array = await datasetOf('deletes')
  const [condition = ''] = array.matching(/\.del$/)
  const tile = array.get(condition)
  const list = bytes(textBytes(`${condition.slice(array.root.length + 1)}\n`), u64Bytes(tile.length), tile)
  for (const times of ['10_20', '10_30']) array.add(`__commits/__${times}_${UUID}_22.con`, list)
  expect(await findingsOf(array)).toEqual([])
  empty(array, condition)
  expect(await findingsOf(array)).toEqual(['warning DELETE_CONDITION_UNREADABLE'])
  remove(array, condition)
  expect(await findingsOf(array)).toEqual(['warning DELETE_CONDITION_FILE'])
})
