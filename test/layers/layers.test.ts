import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import type { LayerDescription } from '../../src/layers/layer.ts'
import { LAYERS, recognise } from '../../src/layers/layers.ts'
import { check } from '../check/findings.ts'
import { type ArraySpec, dataset, type GroupSpec, partOf, ROOT } from './parts.ts'
import {
  climate,
  cloud,
  config,
  field,
  file,
  forest,
  image,
  level,
  line,
  listed,
  matrix,
  multidim,
  pam,
  raster,
  rows,
  store,
  vector,
} from './specs.ts'

type Spec = ArraySpec | GroupSpec

async function described(spec: Spec): Promise<LayerDescription | undefined> {
  const part = await partOf(spec)
  return (await recognise(part))?.describe(part)
}

/** The findings of layers: where, and what. */
async function found(spec: Spec): Promise<string[]> {
  const { findings, notExamined } = await check((await dataset(spec)).storage(), ROOT)
  expect(notExamined).toEqual([])
  return findings
    .filter(({ code }) => code.startsWith('LAYER_'))
    .map(
      ({ severity, code, variant, file, field, found: what }) =>
        `${severity} ${code}${variant ? ` ${variant}` : ''} ${file.slice(ROOT.length + 1)}${field ? ` ${field}` : ''}: ${what}`,
    )
}

function factsOf({ facts }: LayerDescription): Record<string, unknown> {
  return Object.fromEntries(facts.map(({ name, value }) => [name, value]))
}

test('each layer is a folder that loads', async () => {
  for (const [name, { load }] of Object.entries(LAYERS)) {
    const folder = { gdalMultidim: 'gdal', vectorSearch: 'vector-search' }[name] ?? name
    expect(existsSync(fileURLToPath(new URL(`../../src/layers/${folder}`, import.meta.url)))).toBe(true)
    expect(await load()).toMatchObject({ describe: expect.any(Function), check: expect.any(Function) })
  }
})

test.each([
  ['an image', image()],
  [
    'a raster',
    { members: { l_0: raster(32), l_1: raster(16) }, keys: { dataset_type: 'raster', _gdal: pam(31, 32, 1) } },
  ],
])('a lost level of %s is one error: that of its group', async (_name, spec) => {
  const array = await dataset(spec)
  array.removeAll(/\/l_1(?:\.tdb)?\//)
  const { findings } = await check(array.storage(), ROOT)
  expect(findings.map(({ severity, code, variant }) => [severity, code, variant])).toEqual([
    ['error', 'GROUP_MEMBER_MISSING', 'needed'],
  ])
})

describe('facts', () => {
  test('an image', async () => {
    const facts = await described(image({ channels: '["red","green"]', pkg_version: '0.3.10' }))
    expect(facts).toMatchObject({ layer: 'bioimg', type: 'image', version: '2', is_version_known: true })
    expect(facts && factsOf(facts)).toEqual({
      ingestion: 'ended',
      'axes of the source': 'YX',
      levels: 2,
      channels: ['red', 'green'],
      'written by': 'tiledb-bioimg 0.3.10',
    })
    expect(facts?.members.get('l_1.tdb')?.facts).toEqual([
      { name: 'axes', value: 'YX' },
      { name: 'shape', value: [10n, 8n] },
      { name: 'pixels', value: 'UINT8' },
    ])
    expect([...(facts?.members.keys() ?? [])]).toEqual(['l_0.tdb', 'l_1.tdb'])
  })

  test('a version that is not known is said', async () => {
    expect(await described(image({ fmt_version: '9' }))).toMatchObject({ version: '9', is_version_known: false })
  })

  test('a dataset of CF', async () => {
    const facts = await described({ ...climate(), keys: { Conventions: 'CF-1.8', title: 'made' } })
    expect(facts).toMatchObject({ layer: 'cf', type: 'dataset', version: '1.8' })
    expect(facts && factsOf(facts)).toEqual({ title: 'made', dimensions: ['lat 4', 'lon 4'] })
    expect(facts?.tables[0]?.rows).toContainEqual(['t', 't', 'variable', ['lat', 'lon'], 'FLOAT32', 'K'])
    expect(facts?.members.get('lat')).toMatchObject({ type: 'coordinate', facts: [{ name: 'lat_.units', value: 'm' }] })
  })

  test('a store of cellarr', async () => {
    const facts = await described(store())
    expect(facts).toMatchObject({ layer: 'cellarr', type: 'store' })
    expect(facts && factsOf(facts)).toEqual({ cells: 3n, genes: 2n, samples: 1n, matrices: ['counts'] })
  })

  test('a raster', async () => {
    const facts = await described(raster(16))
    expect(facts).toMatchObject({ layer: 'gdal', type: 'raster' })
    expect(facts && factsOf(facts)).toEqual({
      CRS: 'UTM 11 (EPSG:26711)',
      geotransform: [10, 2, 0, 30, 0, -2],
      'width, height': [15, 16],
      'width, height of the array': [16n, 16n],
      interleave: 'BAND',
    })
  })

  test('a point cloud, a database of forests, a file, a data frame, vectors, and a multidimensional raster', async () => {
    const all = [
      cloud,
      forest(),
      { ...file, keys: { ...file.keys, file_size: '9' } },
      rows(2),
      vector,
      multidim(4).members.wind,
    ]
    const facts = []
    for (const one of all) facts.push(await described(one))
    expect(facts[0] && factsOf(facts[0])).toEqual({ CRS: 'EPSG:4326', 'PDAL metadata': ['root'] })
    expect(facts.map((one) => `${one?.layer} ${one?.type} ${one?.version}`)).toEqual([
      'pdal point cloud null',
      'silvimetric database 1.2',
      'filestore file null',
      'pandas data frame null',
      'gdal vector layer null',
      'gdalMultidim multidimensional array null',
    ])
  })
})

describe('healthy ones have no findings', () => {
  const all: Readonly<Record<string, Spec>> = {
    image: image(),
    climate: climate(),
    store: store(),
    raster: raster(16),
    cloud,
    forest: forest(),
    rows: rows(2),
    vector,
    multidim: multidim(4),
    several: { members: { image: image(), climate: climate(), cloud } },
    // Names and keys that others use, too.
    other: {
      isPlain: true,
      members: { cell_metadata: field, assays: { members: {} }, config: { ...field, keys: { config: '{' } } },
    },
  }
  test.each(Object.entries(all))('%s', async (_, spec) => expect(await found(spec)).toEqual([]))
})

describe('faults', () => {
  test('of images', async () => {
    expect(await found(image({ valid: '' }))).toEqual(['error LAYER_INCOMPLETE  valid: false'])
    expect(await found(image({ fmt_version: '7' }))).toEqual(['error LAYER_VERSION  fmt_version: 7'])
    expect(await found(image({ channels: '[' }))).toEqual([
      'error LAYER_TEXT  channels: text of 1 character, which is no JSON',
    ])
    expect(await found(image({ levels: listed([20, 16], [10, 9]) }))).toEqual([
      'warning LAYER_SHAPES_DIFFER stated l_1.tdb X: 8',
    ])
    expect(await found(image({}, { 'l_1.tdb': level(10, 8, { level: '\x05' }) }))).toEqual([])
    expect(await found(image({ levels: listed([20, 16], [30, 8]) }, { 'l_1.tdb': level(30, 8) }))).toEqual([
      'warning LAYER_SHAPES_DIFFER levels l_1.tdb: 30 × 8',
    ])
    expect(await found(image({ levels: listed([20, 16]) }))).toEqual([
      'warning LAYER_METADATA stray l_1.tdb: no level l_1.tdb in the key levels of the group',
    ])
    expect(await found({ ...image(), unlisted: ['l_1.tdb'] })).toEqual([
      'warning LAYER_MEMBER unlisted  l_1.tdb: that the group does not list it',
    ])
    expect(await found(image({ levels: listed([20, 16], [10, 8], [5, 4]) }))).toEqual([
      'error LAYER_MEMBER  l_2.tdb: no such member',
    ])
  })

  test('of CF, also in a group that says nothing itself', async () => {
    expect(await found(climate({ more: line('lat', 6) }))).toEqual([
      'warning LAYER_SHAPES_DIFFER dimension more lat: INT32 0 to 5',
    ])
    expect(await found(climate({ lat: line('lat', 4, '0') }))).toEqual([
      'warning LAYER_INCOMPLETE empty lat: no fragment',
    ])
    expect(await found({ members: { deep: climate({}, ['lon']) } })).toEqual([
      'warning LAYER_MEMBER unlisted deep lon: an array lon in its folder that it does not list',
    ])
    expect(await found({ ...field, keys: { '__tiledb_attr.gone.units': 'K', '__tiledb_dim.lat.units': 'm' } })).toEqual(
      ['warning LAYER_METADATA stray  __tiledb_attr.gone.units: no gone, only t'],
    )
  })

  test('of cellarr', async () => {
    const counts = matrix([
      [0, 0],
      [4000, 1],
      [1, 700],
      [2, 1],
    ])
    expect(await found(store({ assays: { members: { counts } } }))).toEqual([
      'error LAYER_ID_UNKNOWN assays/counts cell_index: 1 cell with cell_index 4000, which cell_metadata does not have',
      'error LAYER_ID_UNKNOWN assays/counts gene_index: 1 cell with gene_index 700, which gene_annotation does not have',
    ])
    const { gene_annotation: _, ...others } = store().members
    expect(await found({ isPlain: true, members: others })).toEqual(['error LAYER_MEMBER  gene_annotation: none'])
    expect(await found(store({ assays: { members: {} } }))).toEqual(['error LAYER_MEMBER  assays: no matrix'])
    expect(await found(store({ assays: { members: { counts: field } } }))).toEqual([
      'error LAYER_SCHEMA assays/counts: a dense array of lat INT32, lon INT32',
    ])
  })

  test('of rasters', async () => {
    expect(await found(raster(16, { _gdal: '<PAMDataset><SRS>' }))).toEqual([
      'error LAYER_TEXT  _gdal: no end of the element SRS',
    ])
    expect(await found(raster(16, { _gdal: pam(17, 9) }))).toEqual(['warning LAYER_SHAPES_DIFFER stated  X: 16'])
    const group = (members: GroupSpec['members'], overviews: number): GroupSpec => ({
      members,
      keys: { dataset_type: 'raster', _gdal: pam(31, 32, overviews) },
    })
    expect(await found(group({ l_0: raster(32), l_1: raster(16) }, 2))).toEqual([
      'error LAYER_MEMBER  l_2: no such member',
    ])
    expect(await found(group({ l_0: raster(32), l_1: raster(40) }, 1))).toEqual([
      'warning LAYER_SHAPES_DIFFER levels l_1: 39 × 40',
    ])
    expect(await found(group({ l_0: raster(32), l_1: raster(8) }, 1))).toEqual([
      'note LAYER_SHAPES_DIFFER factor l_1: 7 × 8',
    ])
  })

  test('of others', async () => {
    expect(await found({ ...cloud, keys: { _pdal: '{"root"' } })).toEqual([
      'error LAYER_TEXT  _pdal: text of 7 characters, which is no JSON',
    ])
    expect(await found(forest({ shatter_2: '{"finished":false,"point_count":7}' }))).toEqual([
      'warning LAYER_INCOMPLETE write  shatter_2: that it did not finish, after 7 points',
    ])
    expect(await found(forest({ config: JSON.stringify({ ...config, next_time_slot: 6 }) }))).toEqual([
      'warning LAYER_INCOMPLETE write  shatter_3: none of the writes 3 to 5',
    ])
    expect(await found({ ...rows(2), keys: { __pandas_index_dims: '{"id": "int64"}' } })).toEqual([
      'error LAYER_SCHEMA  id: __tiledb_rows',
    ])
    const strangers = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`c${i}`, 'int64']))
    const many = await found({ ...rows(2), keys: { __pandas_index_dims: JSON.stringify(strangers) } })
    expect([many.length, many.at(-1)]).toEqual([9, 'error LAYER_SCHEMA  __pandas_index_dims: __tiledb_rows'])
    expect(await found({ ...vector, keys: { ...vector.keys, FID_ATTRIBUTE_NAME: 'fid' } })).toEqual([
      'error LAYER_SCHEMA  fid: FID, wkb_geometry',
    ])
    expect(await found(multidim(3))).toEqual(['warning LAYER_SHAPES_DIFFER dimension x x: 3'])
    expect(await found({ ...file, keys: { ...file.keys, file_size: '9' } })).toEqual([
      'error LAYER_METADATA  file_size: 9',
    ])
  })
})

describe('odd values are findings, or nothing, but no errors of the program', () => {
  const odd = [
    '',
    '[1,null,{"name":5,"shape":[1.5,1e300,"a"],"axes":7}]',
    '{"name":{}}',
    '"text"',
    'null',
    '1e400',
    '\ud83d',
    '<a/>',
  ]
  const keysOf: readonly (readonly [Spec, readonly string[]])[] = [
    [image(), ['levels', 'channels', 'pixel_depth', 'fmt_version', 'axes', 'valid']],
    [raster(16), ['_gdal']],
    [cloud, ['_pdal']],
    [forest(), ['config', 'shatter_1', 'shatter_99999999999999999999']],
    [{ ...file, keys: { ...file.keys, file_size: '9' } }, ['file_size', 'mime_type']],
    [rows(2), ['__pandas_index_dims', '__pandas_attribute_repr']],
    [vector, ['PAD_X', 'CRS', 'GeometryType', 'GEOMETRY_ATTRIBUTE_NAME']],
    [climate(), ['Conventions', '__tiledb_attr.', '__tiledb_dim', '__tiledb_attr.lat']],
  ]
  test.each(keysOf)('%#', async (spec, keys) => {
    for (const key of keys)
      for (const value of odd) {
        const changed = { ...spec, keys: { ...spec.keys, [key]: value } }
        const part = await partOf(changed)
        const layer = await recognise(part)
        await layer?.describe(part)
        if (layer) for await (const item of layer.check(part, 'structure')) expect(item).toHaveProperty('code')
      }
  })

  test('settings that are not what they should be', async () => {
    const settings = {
      root: ['a', 0, null, 1e308],
      resolution: 1e-320,
      attrs: [null, 3, '{"name": "Z"}'],
      next_time_slot: 1e308,
    }
    const forestOf = forest({ config: JSON.stringify(settings) })
    expect(await described(forestOf)).toMatchObject({ layer: 'silvimetric', version: null })
    expect(await found(forestOf)).toEqual(['warning LAYER_INCOMPLETE write  shatter_3: none of the writes 3 to 99999'])
  })
})
