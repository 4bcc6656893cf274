import { describe, expect, test } from '@jest/globals'
import { Memory } from '../../src/base/memory.ts'
import { LAYER_DAMAGE } from '../../src/damage/layer-damage.ts'
import { sampleArray } from '../../src/damage/samples.ts'
import { setKeys, writeCells } from '../../src/damage/soma-sample.ts'
import { IdSet } from '../../src/layers/id-set.ts'
import { idsText, MetIds } from '../../src/layers/id-text.ts'
import { writingCodecs } from '../../src/node/node-codecs.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { run, runJson } from '../helpers/run.ts'

const experiment = () => sampleArray('soma', EDITED, writingCodecs)

describe('an experiment', () => {
  test('has an overview in the words of SOMA', async () => {
    const storage = (await experiment()).storage()
    const { documents, code } = await runJson([EDITED], { storage })
    expect(code).toBe(0)
    expect(documents[0]).toMatchObject({
      layer: {
        name: 'soma',
        type: 'SOMAExperiment',
        version: '1',
        version_known: true,
        facts: expect.arrayContaining([
          { name: 'opened by', value: 'tiledbsoma 1.13 or newer' },
          { name: 'older ones refuse', value: 'format version 22 of TileDB' },
          { name: 'shapes', value: 'not upgraded' },
          { name: 'observations', value: 4 },
        ]),
        tables: [{ title: 'measurements', rows: [['ms/RNA', 3, ['data'], [], []]] }],
      },
    })
    const { text } = await run([EDITED], { storage })
    expect(text).toMatch(/^\/array: SOMAExperiment of SOMA 1, 2 members$/m)
    expect(text).toMatch(/^measurement +variables +layers/m)
    expect(text).toMatch(/^ms\/RNA +3 +data/m)
  })

  test('has a list with the type of each member', async () => {
    const storage = (await experiment()).storage()
    const { text } = await run(['ls', '--depth', 'all', EDITED], { storage })
    const [list] = text.split('\nmetadata')
    expect(list.match(/SOMA\w+/g)).toEqual([
      'SOMAExperiment',
      'SOMADataFrame',
      'SOMACollection',
      'SOMAMeasurement',
      'SOMADataFrame',
      'SOMACollection',
      'SOMASparseNDArray',
    ])
    const all = await runJson(['ls', '--depth', 'all', EDITED], { storage })
    expect(all.text).toMatch(/"upgrade would set",\s+"value": \[4, 3\]/)
    const { documents } = await runJson(['ls', EDITED], { storage })
    expect(documents[0]).toMatchObject({ layer: { name: 'soma' }, members: [{ layer_type: 'SOMADataFrame' }, {}] })
  })

  test('has no findings, at any level', async () => {
    const storage = (await experiment()).storage()
    const { documents } = await runJson(['check', '--level', 'cells', EDITED], { storage })
    expect(documents[0]).toMatchObject({ findings: [], ok: true })
  })

  test('of the new encoding is refused by releases that do not know it, whatever its format', async () => {
    const array = await experiment()
    for (const path of ['', 'obs/', 'ms/']) await setKeys(array, path, { soma_encoding_version: '1.1.0' }, 20)
    const { documents } = await runJson([EDITED], { storage: array.storage() })
    expect(documents[0]).toMatchObject({
      layer: {
        facts: expect.arrayContaining([
          { name: 'opened by', value: 'tiledbsoma 1.15 or newer' },
          { name: 'older ones refuse', value: 'encoding version 1.1.0' },
        ]),
      },
    })
  })

  test('of before 1.0 is known, and has no findings', async () => {
    const array = await experiment()
    const types = { '': 'SOMA', 'obs/': 'AnnotationDataFrame', 'ms/': 'AssayMatrixGroup' }
    for (const [path, soma_object_type] of Object.entries(types))
      await setKeys(array, path, { soma_object_type, soma_encoding_version: '0' }, 20)
    const { documents, code } = await runJson(['check', '--level', 'cells', EDITED], { storage: array.storage() })
    expect(documents[0]).toMatchObject({ findings: [] })
    expect(code).toBe(0)
    const { text } = await run([EDITED], { storage: array.storage() })
    expect(text).toMatch(/^\/array: SOMA of SOMA 0, 2 members$/m)
    expect(text).toMatch(/^opened by +tiledbsoma before 1\.0$/m)
    expect(text).toMatch(/^obs +AnnotationDataFrame/m)
  })

  test('is said to be of a version that is not known', async () => {
    const array = await experiment()
    await LAYER_DAMAGE.LAYER_VERSION.plant(array)
    const { text, code } = await run([EDITED], { storage: array.storage() })
    expect(text).toContain('SOMA 9.9, a version that is not known here')
    expect(text).toMatch(/^NOT OK/m)
    expect(code).toBe(1)
  })
})

describe('the cells of a layer', () => {
  const layer = ['read', EDITED, '--layer', 'RNA/X/data', '--format', 'csv']

  test('come with the names of their rows', async () => {
    const { text } = await run(layer, { storage: (await experiment()).storage() })
    expect(text.trim().split(/\r?\n/)).toEqual([
      'soma_dim_0,soma_dim_1,obs.obs_id,var.obs_id,soma_data',
      '0,0,a,g,1',
      '1,1,b,h,1',
      '2,2,c,i,1',
      '3,0,d,g,1',
    ])
  })

  test('are those whose observations and variables meet the conditions', async () => {
    const storage = (await experiment()).storage()
    const some = await run([...layer, '--where-obs', 'obs_id >= "b"', '--where-var', 'obs_id != "h"'], { storage })
    expect(some.text.trim().split(/\r?\n/).slice(1)).toEqual(['2,2,c,i,1', '3,0,d,g,1'])
    const none = await run([...layer, '--where-obs', 'obs_id == "z"'], { storage })
    expect(none.text.trim().split(/\r?\n/)).toHaveLength(1)
  })

  test.each([
    [['read', EDITED], 'expects an array'],
    [['read', EDITED, '--where-obs', 'obs_id == "a"'], '--where-obs needs --layer'],
    [['read', EDITED, '--layer', 'RNA/X/other'], 'such as RNA/X/data, found "RNA/X/other"'],
    [['read', EDITED, '--layer', 'obs'], 'found "obs"; it is a target of its own, without --layer'],
    [['read', `${EDITED}/obs`, '--layer', 'RNA/X/data'], '--layer expects an array of a measurement'],
  ])('%j is refused', async (args, words) => {
    const { stderr, code } = await run(args, { storage: (await experiment()).storage() })
    expect(stderr).toContain(words)
    expect(code).toBe(2)
  })
})

test.each([
  ['ms/RNA/X/data', /\/X\/data\//, ['error', 'GROUP_MEMBER_MISSING', 'needed', 'members.data']],
  ['ms/RNA/X', /\/RNA\/X\//, ['error', 'GROUP_MEMBER_MISSING', 'needed', 'members.X']],
  ['ms/RNA', /\/ms\/RNA\//, ['error', 'GROUP_MEMBER_MISSING', 'needed', 'members.RNA']],
])('%s, which its group lists and which is gone, is an error for every command', async (_, files, expected) => {
  const array = await experiment()
  array.removeAll(files)
  const storage = array.storage()
  const { documents, code } = await runJson(['check', EDITED], { storage })
  const [severity, finding, variant, field] = expected
  expect(documents[0]).toMatchObject({ findings: [{ severity, code: finding, variant, field }] })
  expect(code).toBe(1)
  for (const call of [[EDITED], ['ls', EDITED, '--depth', 'all']]) {
    const seen = await runJson(call, { storage })
    expect(seen.documents[0]).toMatchObject({ totals: { finding_num: { error: 1, warning: 0 } } })
  }
  expect((await run([EDITED], { storage })).code).toBe(1)
})

test('rows that were written last and have no cells are a finding; other rows without cells are none', async () => {
  const one = await experiment()
  await writeCells(one, 'obs/', '{"obs_id":"e","soma_joinid":4}\n{"obs_id":"f","soma_joinid":5}\n')
  const { documents } = await runJson(['check', '--level', 'cells', EDITED], { storage: one.storage() })
  expect(documents[0]).toMatchObject({
    findings: [{ code: 'LAYER_ID_UNUSED', found: 'none of soma_joinid 4, 5' }],
  })
  await writeCells(one, 'ms/RNA/X/data/', '{"soma_dim_0":5,"soma_dim_1":0,"soma_data":1}\n')
  const again = await runJson(['check', '--level', 'cells', EDITED], { storage: one.storage() })
  expect(again.documents[0]).toMatchObject({ findings: [] })
})

test('ids are told as runs', () => {
  expect(idsText([3, 8, 9, 10, 12, 13])).toBe('3, 8 to 10, 12, 13')
  expect(idsText(Array.from({ length: 20 }, (_, i) => 2 * i))).toBe('0, 2, 4, 6, 8, 10, 12, 14 and 12 more')
  const met = new MetIds()
  for (const id of [5n, -7n, 5n]) met.add(id)
  expect([String(met), met.count]).toEqual(['-7, 5', 3])
})

describe('a set of ids', () => {
  test('has what was added, in order, however far apart', () => {
    const ids = new IdSet(new Memory())
    expect([70_000, 3, 2 ** 52, 3].map((id) => ids.add(id))).toEqual([true, true, true, false])
    expect([...ids]).toEqual([3, 70_000, 2 ** 52])
    expect([ids.has(3), ids.has(4), ids.has(2 ** 52), ids.size]).toEqual([true, false, true, 3])
  })

  test('is refused if its pages do not fit into the memory', () => {
    const ids = new IdSet(new Memory(8 * 8192 * 2))
    ids.add(0)
    ids.add(65_536)
    expect(() => ids.add(131_072)).toThrow(/ids so far apart/)
  })
})

// The group says it, and that readers fail. SOMA has nothing to add.
test.each(['obs', 'ms', 'ms/RNA/var'])('a lost %s is one error', async (member) => {
  const array = await experiment()
  array.removeAll(new RegExp(`^/${member}/`))
  const { documents } = await runJson(['check', EDITED], { storage: array.storage() })
  const { findings } = documents[0] as { findings: { severity: string; code: string }[] }
  const errors = findings.filter(({ severity }) => severity === 'error')
  expect(errors.map(({ code }) => code)).toEqual(['GROUP_MEMBER_MISSING'])
})
