import { describe, expect, test } from '@jest/globals'
import { Memory } from '../../src/base/memory.ts'
import { setKeys } from '../../src/damage/layer-sample.ts'
import { IdSet } from '../../src/layers/id-set.ts'
import { parseXml } from '../../src/layers/xml.ts'
import { layerPairs } from '../../src/render/views/layer.ts'
import { check } from '../check/findings.ts'
import { run, runJson } from '../helpers/run.ts'
import { datasetOf, described, factsOf } from './datasets.ts'
import { dataset, type GroupSpec, ROOT } from './parts.ts'
import { image, matrix, raster, store } from './specs.ts'

/*
 * Datasets that someone made to break what reads them.
 */

describe('a name that every object of JavaScript has', () => {
  test('of a dimension of a matrix is no axis', async () => {
    const counts = {
      options: { dim: ['constructor:UINT32:0..9:10', '__proto__:UINT32:0..9:10'], attr: ['data:INT32'], cells: '1' },
    }
    const array = await dataset(store({ assays: { members: { counts } } }))
    const { findings } = await check(array.storage(), ROOT, { level: 'cells' })
    expect(findings.map(({ code }) => code)).toEqual(['LAYER_SCHEMA'])
  })

  test('is no version of SOMA', async () => {
    const keys = { soma_object_type: 'SOMACollection', soma_encoding_version: 'constructor' }
    const spec: GroupSpec = { members: {}, keys }
    const { documents } = await runJson([ROOT], { storage: (await dataset(spec)).storage() })
    expect(documents[0]).toMatchObject({ layer: { version: 'constructor', version_known: false } })
  })

  test('is no version and no member of a vector index', async () => {
    const spec: GroupSpec = {
      members: { constructor: matrix([]), toString: matrix([]) },
      keys: { dataset_type: 'vector_search', storage_version: 'constructor', index_type: 'FLAT' },
    }
    const { documents } = await runJson([ROOT], { storage: (await dataset(spec)).storage() })
    expect(documents[0]).toMatchObject({ layer: { version_known: false } })
  })

  test('is no reference of XML', () => {
    expect(parseXml('<a>&constructor;&__proto__;</a>').text).toBe('&constructor;&__proto__;')
  })
})

describe('times of ingestions', () => {
  test.each(['[1.5]', '[1e999]', '["1"]'])('%s are no whole numbers', async (text) => {
    const array = await datasetOf('vectorIndex')
    await setKeys(array, '', { ingestion_timestamps: text })
    expect(factsOf(await described(array))).not.toHaveProperty('last ingestion')
    const { findings } = await check(array.storage(), array.root, { level: 'cells' })
    expect(findings.map(({ code, field }) => `${code} ${field}`)).toContain('LAYER_TEXT ingestion_timestamps')
  })

  test('that no date can have are shown as numbers', async () => {
    const array = await datasetOf('vectorIndex')
    await setKeys(array, '', { ingestion_timestamps: '[9007199254740991]' })
    expect(factsOf(await described(array))).toMatchObject({ 'last ingestion': 9007199254740991 })
  })
})

describe('a run of ids', () => {
  test('has only ids that the set can hold', () => {
    const ids = new IdSet(new Memory())
    ids.addRun(-(2 ** 62), 2)
    ids.addRun(Number.MAX_SAFE_INTEGER, 2 ** 60)
    expect([...ids]).toEqual([0, 1, 2, Number.MAX_SAFE_INTEGER])
  })

  test('is refused at once if it takes too much memory', () => {
    const ids = new IdSet(new Memory())
    expect(() => ids.addRun(0, 2 ** 60)).toThrow('a share of the memory')
    expect(ids.size).toBe(0)
  })
})

describe('a text that is too long', () => {
  test('is cut in a finding', async () => {
    const array = await datasetOf('vectorIndex')
    await setKeys(array, '', { index_type: 'x'.repeat(10_000_000) })
    const { findings } = await check(array.storage(), array.root, { level: 'structure' })
    expect(findings.map(({ code, found }) => `${code} ${found.length}`)).toEqual(['LAYER_METADATA 4001'])
  })

  test('is shown by its beginning', () => {
    const value = 'x'.repeat(100_000)
    const layer = { name: 'pdal', title: '', type: '', version: null, version_known: true, tables: [] } as const
    const pairs = layerPairs({
      ...layer,
      facts: [
        { name: 'a', value },
        { name: 'b', value: [value] },
      ],
    })
    for (const [, text] of pairs) expect(String(text).length).toBeLessThan(3000)
  })

  test('is not parsed: that is no damage, but was not examined', async () => {
    const long = `[${'[],'.repeat(2 ** 21)}[]]`
    for (const spec of [
      raster(4, { _gdal: `<PAMDataset>${'<a/>'.repeat(2 ** 21)}</PAMDataset>` }),
      image({ channels: long }),
    ]) {
      const { findings, notExamined } = await check((await dataset(spec)).storage(), ROOT, { level: 'structure' })
      expect(findings.filter(({ code }) => code === 'LAYER_TEXT')).toEqual([])
      expect(notExamined.map(({ code }) => code)).toEqual(['TOO_LARGE'])
    }
    const array = await datasetOf('vectorIndex')
    await setKeys(array, '', { base_sizes: long })
    const { notExamined } = await check(array.storage(), array.root, { level: 'structure' })
    expect(notExamined.map(({ code }) => code)).toEqual(['TOO_LARGE'])
  })
})

test('groups in groups end at a level that is said', async () => {
  let spec: GroupSpec = { members: {} }
  for (let level = 0; level < 210; level++) spec = { members: { g: spec } }
  const storage = (await dataset(spec)).storage()
  for (const call of [[ROOT], ['ls', ROOT]]) expect((await runJson(call, { storage })).code).toBe(3)
  const { notExamined } = await check(storage, ROOT, { level: 'structure' })
  expect(notExamined.map(({ message }) => message)).toEqual([expect.stringContaining('at most 200 levels of groups')])
})

test('a layer of one dimension has no axes to select by', async () => {
  const soma = (type: string): Record<string, string> => ({ soma_object_type: type, soma_encoding_version: '1.1.0' })
  const frame = {
    options: { dim: ['soma_joinid:INT64:0..9:10'], attr: ['x:INT32'], cells: '3' },
    keys: soma('SOMADataFrame'),
  }
  const data = { options: { dim: ['soma_dim_0:INT64:0..9:10'], attr: ['soma_data:INT32'], cells: '3' } }
  const X = { members: { data }, keys: soma('SOMACollection') }
  const RNA = { members: { var: frame, X }, keys: soma('SOMAMeasurement') }
  const ms = { members: { RNA }, keys: soma('SOMACollection') }
  const spec = { members: { obs: frame, ms }, keys: soma('SOMAExperiment') }
  const { code, stderr } = await run(['read', ROOT, '--layer', 'RNA/X/data'], {
    storage: (await dataset(spec)).storage(),
  })
  expect([code, stderr]).toEqual([2, expect.stringContaining('--layer expects an array of a measurement')])
})
