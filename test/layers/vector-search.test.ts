import { describe, expect, test } from '@jest/globals'
import type { EditableArray } from '../../src/damage/editable-array.ts'
import { addCells, removeKey, rows, setKeys } from '../../src/damage/layer-sample.ts'
import { VECTOR_DATASET } from '../../src/damage/vector-sample.ts'
import { groupDetails } from '../../src/format/group-details.ts'
import { check } from '../check/findings.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { runJson } from '../helpers/run.ts'
import { datasetOf, described, factsOf, tableOf } from './datasets.ts'

async function found(array: EditableArray): Promise<string[]> {
  const { findings } = await check(array.storage(), EDITED)
  return findings.map(({ code, file, field, found }) => `${code} ${file.slice(EDITED.length)} ${field ?? ''}: ${found}`)
}

describe('a vector index', () => {
  test('has no findings', async () => {
    expect(await found(await datasetOf('vectorIndex'))).toEqual([])
  })

  test('is described: type, dimensions, vectors, ingestions', async () => {
    const description = await described(await datasetOf('vectorIndex'))
    expect(description).toMatchObject({ layer: 'vectorSearch', version: '0.3', is_version_known: true })
    expect(factsOf(description)).toEqual({
      'index type': 'IVF_FLAT',
      'type of vectors': 'float32',
      dimensions: 2,
      vectors: 4,
      partitions: 2,
      'distance metric': 'sum of squares',
      'last ingestion': '2025-09-27T19:06:40.000Z',
      'has updates': false,
    })
    expect(tableOf(description, 'ingestions')).toEqual([['2025-09-27T19:06:40.000Z', 4, 2]])
    expect(description?.members.get('partition_indexes')).toMatchObject({ type: 'partition indexes' })
  })

  test('says that updates are not among its vectors', async () => {
    const array = await datasetOf('vectorIndex')
    await setKeys(array, '', { has_updates: 1 })
    expect(factsOf(await described(array))).toMatchObject({ 'has updates': true, 'not among the vectors': 'updates' })
  })

  test('has as many dimensions as its vectors have rows, if it does not say', async () => {
    const array = await datasetOf('vectorIndex')
    await removeKey(array, 'dimensions')
    expect(factsOf(await described(array))).toMatchObject({ dimensions: 2 })
  })

  test('may be of a version, or a type, that is not known', async () => {
    const array = await datasetOf('vectorIndex')
    await setKeys(array, '', { storage_version: '7.7', index_type: 'TREE' })
    expect(await described(array)).toMatchObject({ version: '7.7', is_version_known: false })
    expect(await found(array)).toEqual(['LAYER_VERSION  storage_version: "7.7"', 'LAYER_METADATA  index_type: "TREE"'])
  })
})

test('an overview and a list take a temporary group that is gone as a note', async () => {
  const array = await datasetOf('vectorIndex')
  await array.rewrite(array.find(/^\/__group\//), groupDetails, ({ members }) => {
    members.push({ version: 2, type: 'group', relative: true, uri: 'write_temp', name: 'write_temp', deleted: false })
  })
  for (const call of [[EDITED], ['ls', EDITED]]) {
    const { documents, code } = await runJson(call, { storage: array.storage() })
    expect(documents[0]).toMatchObject({
      layer: { name: 'vectorSearch', type: 'vector index' },
      totals: { finding_num: { error: 0, warning: 0, note: 1 } },
    })
    expect(code).toBe(0)
  }
})

describe('the check of an index', () => {
  test('names the list that counts more than was written, and the arrays', async () => {
    const array = await datasetOf('vectorIndex')
    await setKeys(array, '', { base_sizes: '[99999]' })
    expect(await found(array)).toEqual(['LAYER_COUNT  base_sizes: 4 in shuffled_vectors, 4 in shuffled_vector_ids'])
  })

  test('names a list of another length than the others, and one that is none', async () => {
    const array = await datasetOf('vectorIndex')
    await setKeys(array, '', { partition_history: '[2,2]', base_sizes: '4 or so' })
    expect(await found(array)).toEqual([
      'LAYER_TEXT  base_sizes: something else',
      'LAYER_COUNT  partition_history: 2 in partition_history',
    ])
  })

  test('names partition indexes that do not end with the number of vectors', async () => {
    const array = await datasetOf('vectorIndex')
    await setKeys(array, '', { base_sizes: '[3]' })
    expect(await found(array)).toEqual(['LAYER_COUNT /partition_indexes values: 4'])
  })

  test('names fragments that are newer than the last ingestion', async () => {
    const array = await datasetOf('vectorIndex')
    await addCells(array, VECTOR_DATASET, 'shuffled_vector_ids/', rows({ rows: 0, values: 1 }))
    const [line, ...others] = await found(array)
    expect(line).toMatch(/^LAYER_STALE \/shuffled_vector_ids : __1760000000000_1760000000000_/)
    expect(others).toEqual([])
  })

  test('names an array that its type needs', async () => {
    const array = await datasetOf('vectorIndex')
    await array.rewrite(array.find(/^\/__group\//), groupDetails, ({ members }) => {
      members.splice(0, members.length, ...members.filter(({ uri }) => uri !== 'partition_indexes'))
    })
    expect(await found(array)).toEqual(['LAYER_MEMBER  partition_indexes: no such array'])
  })

  test.each([true, false])('names a leftover that its group does not list, as the list does (all: %s)', async (all) => {
    const array = await datasetOf('vectorIndex')
    for (const path of array.matching(/^\/shuffled_vectors\//))
      array.add(path.slice(EDITED.length + 1).replace('shuffled_vectors', 'temp_data_20240101'), array.get(path))
    array.add('temp_data_3/__tiledb_group.tdb')
    const { findings } = await check(array.storage(), EDITED, { all })
    const stale = findings.filter(({ code }) => code === 'LAYER_STALE')
    expect(stale.map(({ severity, variant, field }) => `${severity} ${variant} ${field}`)).toEqual([
      'warning temporary temp_data_20240101',
      'warning temporary temp_data_3',
    ])
    expect(factsOf(await described(array))).toMatchObject({
      'temporary groups': ['temp_data_20240101', 'temp_data_3'],
    })
  })

  test('knows an index that lost its metadata, which the library refuses', async () => {
    const array = await datasetOf('vectorIndex')
    array.removeAll(/^\/__meta\//)
    expect(await found(array)).toEqual(['LAYER_METADATA  storage_version: no such key'])
    expect(await described(array)).toMatchObject({ layer: 'vectorSearch', version: null })
    const { documents, code } = await runJson([EDITED], { storage: array.storage() })
    expect(documents[0]).toMatchObject({ layer: { name: 'vectorSearch' }, findings: [{ code: 'LAYER_METADATA' }] })
    expect(code).toBe(1)
  })

  test('takes a temporary group that is gone as a note, and any other member that is gone as what it is', async () => {
    const array = await datasetOf('vectorIndex')
    await array.rewrite(array.find(/^\/__group\//), groupDetails, ({ members }) => {
      for (const name of ['write_temp', 'temp_data_20240101', 'other'])
        members.push({ version: 2, type: 'group', relative: true, uri: name, name, deleted: false })
    })
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.map(({ severity, code, field }) => `${severity} ${code} ${field}`)).toEqual([
      'note GROUP_MEMBER_MISSING members.write_temp',
      'note GROUP_MEMBER_MISSING members.temp_data_20240101',
      'warning GROUP_MEMBER_MISSING members.other',
    ])
  })
})
