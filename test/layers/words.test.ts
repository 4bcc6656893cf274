import { describe, expect, test } from '@jest/globals'
import { type SampleName, sampleArray } from '../../src/damage/samples.ts'
import { placeOfArray } from '../../src/layers/around.ts'
import { writingCodecs } from '../../src/node/node-codecs.ts'
import { openTarget } from '../../src/objects/target.ts'
import type { Storage } from '../../src/storage/source.ts'
import { EDITED } from '../helpers/edit-array.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { run, runJson } from '../helpers/run.ts'
import { type ArraySpec, dataset, type GroupSpec, ROOT } from './parts.ts'
import { climate, cloud, field, file, forest, image, multidim, raster, rows, store, vector } from './specs.ts'

/*
 * What an array is called by the layer that it belongs to, found from the array up.
 */

const sample = async (name: SampleName) => (await sampleArray(name, EDITED, writingCodecs)).storage()

/** A storage that notes the folders that are listed. */
function counting(inner: Storage, listed: string[]): Storage {
  return {
    kind: (path) => inner.kind(path),
    open: (path) => inner.open(path),
    list(path) {
      listed.push(path)
      return inner.list(path)
    },
  }
}

async function wordsOf(spec: ArraySpec | GroupSpec, path: string): Promise<unknown> {
  const array = await dataset(spec)
  const target = await openTarget(array.storage(), path === '' ? ROOT : `${ROOT}/${path}`, array.newContext())
  if (target.type !== 'array') throw new Error(`${path} is no array`)
  const place = await placeOfArray(target)
  if (!place) return undefined
  const { dataset: whole, names, words } = place
  const fields = Object.entries(words.fields ?? {}).map(([name, is]) => `${name} ${is}`)
  return [whole ? `${names.join('/')} of ${words.dataset_type} ${whole.path}` : words.type, words.cell, ...fields]
}

describe('commands on one array', () => {
  const cells = `${EDITED}/ms/RNA/X/data`

  test('history says what the cell is', async () => {
    const storage = await sample('soma')
    const args = ['history', `${EDITED}/obs`, '--cell', 'obs_id=c']
    const { text } = await run(args, { storage })
    expect(text.split('\n').slice(0, 2)).toEqual([
      '/array/obs: obs_id="c": 1 version',
      'obs, of the SOMAExperiment /array; a cell is an observation',
    ])
    const { documents } = await runJson(args, { storage })
    expect(documents[0]).toMatchObject({
      layer_place: { name: 'soma', dataset: EDITED, member: 'obs', cell_is: 'an observation', fields: [] },
    })
  })

  test('explain says what the dimensions of its ranges are', async () => {
    const { text } = await run(['explain', cells, '--range', 'soma_dim_0=1..2'], { storage: await sample('soma') })
    expect(text).toMatch(/^ms\/RNA\/X\/data, of the SOMAExperiment \/array; a cell is a value of the layer data$/m)
    expect(text).toMatch(/^soma_dim_0 is the soma_joinid of obs, soma_dim_1 is the soma_joinid of ms\/RNA\/var$/m)
  })

  test('why says of which part a file is', async () => {
    const { text } = await run(['why', `${cells}/__schema`], { storage: await sample('soma') })
    expect(text).toMatch(/^in its layer +ms\/RNA\/X\/data, of the SOMAExperiment/m)
  })

  test.each(['history', 'explain', 'why'])('%s of an array of no layer looks at nothing else', async (command) => {
    const array = await dataset({ members: { plain: { ...field, keys: { anything: 'x' } } } })
    const inner = array.storage()
    const listed: string[] = []
    const storage = counting(inner, listed)
    const path = `${ROOT}/plain${command === 'why' ? '/__schema' : ''}`
    const args = command === 'history' ? ['--cell', 'lat=0,lon=0'] : []
    const { documents } = await runJson([command, path, ...args], { storage })
    expect(documents[0]).not.toHaveProperty('layer_place')
    // `why` names the group that needs the array.
    if (command !== 'why') expect(listed.filter((one) => !one.startsWith(`${ROOT}/plain`))).toEqual([])
  })
})

describe('arrays of each layer', () => {
  const all: readonly (readonly [ArraySpec | GroupSpec, string, ...unknown[]])[] = [
    [image(), 'l_1.tdb', 'l_1.tdb of image /dataset', 'a value of a pixel', 'Y the row', 'X the column'],
    [climate(), 't', 't of dataset /dataset', undefined, 't in K'],
    [field, '', 'variable', undefined, 't in K'],
    [
      store(),
      'assays/counts',
      'assays/counts of store /dataset',
      'a value of the matrix counts',
      'cell_index the row of cell_metadata',
      'gene_index the row of gene_annotation',
    ],
    [store(), 'cell_metadata', 'cell_metadata of store /dataset', 'a row of cells'],
    [raster(16), '', 'raster', 'a pixel', 'BANDS the band', 'Y the row', 'X the column'],
    [cloud, '', 'point cloud', 'a point'],
    [forest(), '', 'database', 'a square', 'X the column of the square', 'Y the row of the square'],
    [file, '', undefined],
    [{ ...file, keys: { ...file.keys, file_size: '9' } }, '', 'file', 'a byte of the file notes.txt'],
    [rows(2), '', 'data frame', 'a row', '__tiledb_rows the index'],
    [vector, '', 'vector layer', 'a feature', '_X the middle of the geometry', '_Y the middle of the geometry'],
    [multidim(4), 'wind', 'wind of multidimensional dataset /dataset', undefined, 'x_ in m/s'],
    // Names of parts, without the dataset.
    [{ isPlain: true, members: { allele_count: { ...field, keys: {} } } }, 'allele_count', undefined],
  ]
  test.each(all)('%#', async (spec, path, ...expected) => {
    expect(await wordsOf(spec, path)).toEqual(expected[0] === undefined ? undefined : expected)
  })

  const bare: ArraySpec = { ...field, keys: {} }
  const inGroup: GroupSpec = { members: { t: field } }
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`t${i}`, bare]))
  test.each<readonly [string, GroupSpec, string, string]>([
    ['a plain folder', { isPlain: true, members: { t: field } }, 't', 'variable'],
    ['a group whose arrays do not say so', inGroup, 't', 'variable'],
    ['a group with other arrays', climate({ cloud }), 't', 'variable'],
    ['a group with a list too long to ask', climate(many), 't', 'variable'],
    ['a group that says so', { ...inGroup, keys: { Conventions: 'CF-1.6' } }, 't', 't of dataset /dataset'],
    [
      'a group in one that says so',
      { members: { sub: inGroup }, keys: { Conventions: 'CF-1.6' } },
      'sub/t',
      'sub/t of dataset /dataset',
    ],
    ['a dataset in a group', { members: { sub: climate() } }, 'sub/t', 't of dataset /dataset/sub'],
    ['a group in one whose arrays say so', climate({ sub: inGroup }), 'sub/t', 'sub/t of dataset /dataset'],
    [
      'a group of another layer',
      { members: climate().members, keys: { soma_object_type: 'SOMACollection' } },
      't',
      'variable',
    ],
    [
      'a group of an array of GDAL',
      { members: { wind: multidim(4).members.wind ?? bare } },
      'wind',
      'multidimensional array',
    ],
  ])('in %s, the dataset is the one that an overview names', async (_, spec, path, expected) => {
    expect(await wordsOf(spec, path)).toEqual(expect.arrayContaining([expected]))
    const whole = / of \S.* (\/\S+)$/.exec(expected)?.[1]
    const storage = (await dataset(spec)).storage()
    const { documents } = await runJson(['overview', whole ?? ROOT], { storage })
    if (whole !== undefined) expect(documents[0]).toMatchObject({ layer: { name: 'cf' } })
  })

  test.each([
    [13, ROOT],
    [14, undefined],
  ])('over a network, no more than 16 members are opened: %i and 3', async (more, expected) => {
    const others = Object.fromEntries(Array.from({ length: more }, (_, i) => [`t${i}`, bare]))
    const array = await dataset(climate(others))
    const storage: Storage = { ...counting(array.storage(), []), isRemote: () => true }
    const target = await openTarget(storage, `${ROOT}/t`, array.newContext())
    const place = target.type === 'array' ? await placeOfArray(target) : undefined
    expect(place).toMatchObject({ layer: 'cf', words: { type: 'variable' } })
    expect(place?.dataset?.path).toBe(expected)
  })

  test.each([
    ['vcf', 'data', 'a record, or its repeat every 1000 positions'],
    ['vcf', 'metadata/vcf_headers', 'the header of a sample'],
    ['vcf', 'sample_stats', 'the statistics of a sample'],
    ['vectorIndex', 'shuffled_vectors', 'a number of a vector'],
    ['vectorIndex', 'shuffled_vector_ids', 'the id of a vector'],
  ] as const)('%s: %s', async (name, path, cell) => {
    const target = await openTarget(await sample(name), `${EDITED}/${path}`, contextFor({ key: undefined }))
    const place = target.type === 'array' ? await placeOfArray(target) : undefined
    expect(place).toMatchObject({ dataset: { path: EDITED }, names: path.split('/'), words: { cell } })
  })
})
