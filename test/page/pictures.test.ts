import { describe, expect, test } from '@jest/globals'
import { recognise } from '../../src/layers/layers.ts'
import type { AxisRole, LayerPicture } from '../../src/layers/picture.ts'
import { localFiles } from '../../src/node/file.ts'
import { Engine } from '../../src/page/engine.ts'
import { type AxisFacts, orientationOf } from '../../src/page/orientation.ts'
import { pixelsOf, sheetPlaces } from '../../src/page/small-pixels.ts'
import { type SmallImage, type SmallPoints, smallImage, smallPoints } from '../../src/page/thumbnail.ts'
import { addZstd } from '../helpers/page-wasm.ts'
import { run } from '../helpers/run.ts'
import { type ArraySpec, dataset, type GroupSpec, partOf, ROOT } from '../layers/parts.ts'

addZstd()

/** The small pictures of datasets: what is seen at each place, compared with the cells. */

async function picturesOf(spec: ArraySpec | GroupSpec): Promise<readonly LayerPicture[]> {
  const part = await partOf(spec)
  return (await (await recognise(part))?.describe(part))?.pictures ?? []
}

async function seen(spec: ArraySpec | GroupSpec, at = 0): Promise<SmallImage> {
  const picture = (await picturesOf(spec))[at]
  if (picture?.kind !== 'image') throw new Error('expected an image')
  const engine = new Engine({ storage: (await dataset(spec)).storage(), path: ROOT, shown: ROOT }, undefined)
  const found = await smallImage(engine, {}, picture)
  if (!found) throw new Error('expected cells')
  return found
}

/** What a call prints. */
async function jsonOf(...args: string[]): Promise<unknown> {
  return JSON.parse((await run([...args, '--json'])).text)
}

/** The values of a picture from the top, row by row. */
function rowsOf({ width, planes }: SmallImage, plane = 0): number[][] {
  const values = [...(planes[plane] ?? [])]
  return Array.from({ length: values.length / width }, (_, y) => values.slice(y * width, (y + 1) * width))
}

/** Cells as NDJSON. @param value of the cell at some coordinates */
function cells(
  sizes: Readonly<Record<string, number>>,
  attribute: string,
  value: (...at: number[]) => unknown,
): string {
  const names = Object.keys(sizes)
  let all: number[][] = [[]]
  for (const name of names) all = all.flatMap((at) => Array.from({ length: sizes[name] ?? 0 }, (_, i) => [...at, i]))
  return all
    .map(
      (at) =>
        `${JSON.stringify({ ...Object.fromEntries(names.map((name, d) => [name, at[d]])), [attribute]: value(...at) })}\n`,
    )
    .join('')
}

/** A dense array. @param low first coordinate of each dimension */
function dense(sizes: Readonly<Record<string, number>>, attr: string, values: string, type = 'INT64'): ArraySpec {
  const dim = Object.entries(sizes).map(([name, size]) => `${name}:${type}:0..${size - 1}:${size}`)
  return { options: { dense: true, dim, attr: [attr] }, cells: values }
}

describe('which way is up', () => {
  const ROLES: Readonly<Record<string, AxisRole>> = {
    lat: 'latitude',
    lon: 'longitude',
    y: 'y',
    x: 'x',
    row: 'row',
    col: 'column',
    time: 'time',
  }
  const facts = (text: string): AxisFacts => {
    const [dimension = '', falls] = text.split(' ')
    return { dimension, role: ROLES[dimension], falls: falls === 'falls' }
  }
  test.each([
    ['lat', 'lon', 'lon across, lat up, last at the top'],
    ['lon', 'lat', 'lon across, lat up, last at the top'],
    ['lat falls', 'lon', 'lon across, lat up, first at the top'],
    ['y', 'x', 'x across, y up, last at the top'],
    ['y falls', 'x falls', 'x across, y up, first at the top, last at the left'],
    ['row', 'col', 'col across, row up, first at the top'],
    ['col', 'row', 'col across, row up, first at the top'],
    ['time', 'lat', 'time across, lat up, last at the top'],
    ['a', 'b', 'b across, a up, first at the top'],
  ])('%s and %s', (first, second, expected) => {
    const axes = [facts(first), facts(second)] as const
    const { across, up, isLastLeft, isLastTop } = orientationOf(axes)
    const said = `${axes[across]?.dimension} across, ${axes[up]?.dimension} up, ${isLastTop ? 'last' : 'first'} at the top`
    expect(said + (isLastLeft ? ', last at the left' : '')).toBe(expected)
  })
})

describe('BioImaging', () => {
  const image = (members: GroupSpec['members'], keys = {}): GroupSpec => ({
    members,
    keys: { dataset_type: 'bioimg', fmt_version: '2', valid: 'true', axes: 'CYX', ...keys },
  })

  test('has the first row at the top, and three channels as colours; white is a colour, though it is the fill value', async () => {
    const sizes = { C: 3, Y: 2, X: 3 }
    const value = (c = 0, y = 0, x = 0): number => (y === 0 && x === 0 ? 255 : 100 * c + 10 * y + x)
    const level = dense(sizes, 'intensity:UINT8', cells(sizes, 'intensity', value), 'UINT16')
    const spec = image({ 'l_0.tdb': level }, { channels: '["BLUE","RED","GREEN"]' })
    const found = await seen(spec)
    expect(found).toMatchObject({ width: 3, height: 2, by: 'each' })
    const rows = (c: number): number[][] => [0, 1].map((y) => [0, 1, 2].map((x) => value(c, y, x)))
    expect([0, 1, 2].map((plane) => rowsOf(found, plane))).toEqual([rows(1), rows(2), rows(0)])
    expect([...pixelsOf(found, true)].slice(0, 8)).toEqual([255, 255, 255, 255, 101, 201, 1, 255])
  })

  test('shows the smallest level, and one channel if they are no colours', async () => {
    const of = (height: number): ArraySpec => {
      const sizes = { C: 2, Y: height, X: 2 }
      return dense(
        sizes,
        'intensity:UINT8',
        cells(sizes, 'intensity', (c = 0, y = 0, x = 0) => 100 * c + 10 * y + x),
      )
    }
    const spec = image({ 'l_0.tdb': of(4), 'l_1.tdb': of(2) })
    expect((await picturesOf(spec)).map(({ array }) => array)).toEqual(['l_1.tdb'])
    expect(rowsOf(await seen(spec))).toEqual([
      [0, 1],
      [10, 11],
    ])
  })

  test.each([
    ['channels that the array does not have', 2, '["GREEN","BLUE","x","RED"]', 0],
    ['a first channel that is not 0', 3, '[]', 5],
  ])('shows the first channel of %s', async (_, last, channels, first) => {
    const dim = [`C:UINT16:${first}..${first + last}:1`, 'Y:UINT16:0..1:2', 'X:UINT16:0..1:2']
    const level: ArraySpec = {
      options: { dense: true, dim, attr: ['intensity:UINT8'] },
      cells: cells({ C: last + 1, Y: 2, X: 2 }, 'intensity', (c = 0, y = 0, x = 0) => 100 * c + 10 * y + x)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
        .map((cell) => `${JSON.stringify({ ...cell, C: cell.C + first, intensity: cell.intensity % 256 })}\n`)
        .join(''),
    }
    const found = await seen(image({ 'l_0.tdb': level }, { channels }))
    expect(found.planes).toHaveLength(1)
    expect(found.at).toEqual([`C ${first}`])
    expect(rowsOf(found)).toEqual([
      [0, 1],
      [10, 11],
    ])
  })
})

describe('GDAL', () => {
  const raster = (transform: string, more = '', width: unknown = 3): ArraySpec => {
    const sizes = { BANDS: 1, Y: 3, X: 4 }
    const dim = ['BANDS:UINT64:1..1:1', 'Y:UINT64:0..2:3', 'X:UINT64:0..3:4']
    const values = cells(sizes, 'TDB_VALUES', (_, y = 0, x = 0) => 10 * y + x).replaceAll('"BANDS":0', '"BANDS":1')
    const _gdal = `<PAMDataset><GeoTransform>${transform}</GeoTransform><Metadata domain='IMAGE_STRUCTURE'><MDI key="X_SIZE">${width}</MDI><MDI key="Y_SIZE">3</MDI></Metadata>${more}</PAMDataset>`
    return {
      options: { dense: true, dim, attr: ['TDB_VALUES:INT32'] },
      cells: values,
      keys: { dataset_type: 'raster', _gdal },
    }
  }
  const down = [
    [0, 1, 2],
    [10, 11, 12],
    [20, 21, 22],
  ]

  test('has north at the top: the first row if the height of pixels is negative, else the last', async () => {
    const north = await seen(raster('10, 2, 0, 30, 0, -2'))
    expect(rowsOf(north)).toEqual(down)
    expect(north).toMatchObject({ up: { dimension: 'Y', ends: ['2', '0'] }, across: { ends: ['0', '2'] } })
    const south = await seen(raster('10, 2, 0, 30, 0, 2'))
    expect(rowsOf(south)).toEqual(down.toReversed())
    expect(south).toMatchObject({ up: { ends: ['0', '2'] } })
  })

  test('has east at the right, and the first row at the top without a place on earth', async () => {
    expect(rowsOf(await seen(raster('10, -2, 0, 30, 0, -2')))).toEqual(down.map((row) => row.toReversed()))
    expect(rowsOf(await seen(raster('')))).toEqual(down)
  })

  test.each([
    ['pixels without a width', '10, 0, 0, 30, 0, 2'],
    ['pixels without a height', '10, -2, 0, 30, 0, 0'],
    ['empty texts', '10, -2, , 30, 0, 2'],
    ['a turn by 90 degrees', '10, 1e-16, 2, 30, 2, 1e-16'],
  ])('has the first row at the top with a geotransform of %s', async (_, transform) => {
    const [picture] = await picturesOf(raster(transform))
    expect(picture).toMatchObject({ axes: [{ role: 'column' }, { role: 'row' }] })
    expect(rowsOf(await seen(raster(transform)))).toEqual(down)
  })

  test.each(['0', '5', '9'.repeat(30)])('shows the whole array if the raster is to be %s wide', async (width) => {
    const { width: shown } = await seen(raster('', '', width))
    expect(shown).toBe(4)
  })

  test('shows the first band if the colours are bands that the array does not have', async () => {
    const colours = ['Red', 'Green', 'Blue'].map(
      (name, i) => `<PAMRasterBand band="${i + 7}"><ColorInterp>${name}</ColorInterp></PAMRasterBand>`,
    )
    const spec = raster('', colours.join(''))
    expect(rowsOf(await seen(spec))).toEqual(down)
    const attr = ['TDB_VALUES_1:INT32', 'TDB_VALUES_2:INT32']
    const options = { dense: true, dim: ['Y:UINT64:0..2:3', 'X:UINT64:0..3:4'], attr, cells: '12' }
    const [picture] = await picturesOf({ options, keys: spec.keys ?? {} })
    expect(picture).toMatchObject({ attributes: ['TDB_VALUES_1'] })
  })
})

describe('CF', () => {
  const climate = (lats: readonly number[], order: readonly ['lat' | 'lon', 'lat' | 'lon']): GroupSpec => {
    const lengths = { lat: 3, lon: 2 }
    const sizes = { [order[0]]: lengths[order[0]], [order[1]]: lengths[order[1]] }
    const value = (a = 0, b = 0): number => (order[0] === 'lat' ? 10 * a + b : 10 * b + a)
    const along = (name: 'lat' | 'lon', values: readonly number[], units: string): ArraySpec => ({
      ...dense(
        { [name]: values.length },
        `${name}_:FLOAT64`,
        cells({ [name]: values.length }, `${name}_`, (i = 0) => values[i]),
      ),
      keys: { [`__tiledb_attr.${name}_.units`]: units },
    })
    const t = { ...dense(sizes, 't:FLOAT32', cells(sizes, 't', value)), keys: { '__tiledb_attr.t.units': 'K' } }
    return {
      members: { lat: along('lat', lats, 'degrees_north'), lon: along('lon', [5, 6], 'degrees_east'), t },
      keys: { Conventions: 'CF-1.8' },
    }
  }
  const byLatitude = [
    [0, 1],
    [10, 11],
    [20, 21],
  ]

  test.each([
    ['rising latitudes', [-10, 0, 10], ['lat', 'lon'], byLatitude.toReversed()],
    ['falling latitudes', [10, 0, -10], ['lat', 'lon'], byLatitude],
    ['longitude first', [-10, 0, 10], ['lon', 'lat'], byLatitude.toReversed()],
  ] as const)('of %s has the north at the top and longitude across', async (_, lats, order, expected) => {
    const spec = climate(lats, order)
    expect((await picturesOf(spec)).map(({ array }) => array)).toEqual(['t'])
    expect(rowsOf(await seen(spec))).toEqual(expected)
  })

  test('an array with the name of a dimension, but another dimension, has no coordinates of it', async () => {
    const spec = climate([10, 0, -10], ['lat', 'lon'])
    const station = dense(
      { station: 3 },
      'lat_:FLOAT64',
      cells({ station: 3 }, 'lat_', (i = 0) => -i),
    )
    const pictures = await picturesOf({ ...spec, members: { ...spec.members, lat: station } })
    const image = pictures.find(({ array }) => array === 't')
    expect(image).toMatchObject({ axes: [{ dimension: 'lon', values: { array: 'lon' } }, { dimension: 'lat' }] })
    expect(image?.kind === 'image' && image.axes[1].values).toBeUndefined()
  })

  test.each(['toString', 'valueOf', '__proto__'])('a dimension may be called %s', async (name) => {
    const dim = [`${name}:INT64:0..1:2`, 'lat:INT64:0..2:3', 'lon:INT64:0..1:2']
    const { members, keys } = climate([10, 0, -10], ['lat', 'lon'])
    const t: ArraySpec = { options: { dense: true, dim, attr: ['t:FLOAT32'], cells: '12' } }
    const found = await seen({ members: { ...members, t }, keys: keys ?? {} })
    expect(found).toMatchObject({ width: 2, height: 3, at: [`${name} 0`] })
  })
})

test('values whose difference is no number still have colours', () => {
  const axis = { dimension: 'x', ends: ['0', '1'] } as const
  const planes = [Float64Array.of(-1.7e308, 0, 1.7e308)]
  const image: SmallImage = {
    kind: 'image',
    width: 3,
    height: 1,
    aspect: 3,
    planes,
    across: axis,
    up: axis,
    at: [],
    by: 'each',
  }
  expect([...pixelsOf(image, true)].filter((_, i) => i % 4 === 0)).toEqual([0, 128, 255])
})

describe('SOMA', () => {
  test('an embedding is points of its first two numbers, with the category of each row', async () => {
    const path = 'examples/arrays/blood'
    const { layer } = (await jsonOf('overview', path)) as { layer: { pictures: LayerPicture[] } }
    const [picture] = layer.pictures
    if (picture?.kind !== 'points') throw new Error('expected points')
    expect(picture).toMatchObject({ array: 'ms/RNA/obsm/X_pca', colours: { array: 'obs', attributes: ['cell_type'] } })
    const engine = new Engine({ storage: localFiles, path, shown: path }, undefined)
    const found = (await smallPoints(engine, {}, picture)) as SmallPoints
    const { cells: numbers } = (await jsonOf('read', `${path}/ms/RNA/obsm/X_pca`)) as {
      cells: { soma_dim_0: number; soma_dim_1: number; soma_data: number }[]
    }
    const { cells: obs } = (await jsonOf('read', '--labels', `${path}/obs`)) as {
      cells: { soma_joinid: number; cell_type: string }[]
    }
    const expected = obs.map(({ soma_joinid: id, cell_type }) => {
      const number = (d: number) => numbers.find((one) => one.soma_dim_0 === id && one.soma_dim_1 === d)?.soma_data
      return [number(0), number(1), cell_type]
    })
    const points = [...found.x].map((x, i) => [x, found.y[i], found.names[found.groups[i] ?? -1]])
    expect(points.sort()).toEqual(expected.sort())
    expect(found.x).toHaveLength(24)
  })

  const points = async (
    numbers: readonly (readonly [row: bigint, number: bigint, value: number])[],
  ): Promise<SmallPoints | undefined> => {
    const dim = ['soma_dim_0:INT64:0..4611686018427387904:9', 'soma_dim_1:INT64:0..4611686018427387904:9']
    const lines = numbers.map(([row, at, value]) => `{"soma_dim_0":${row},"soma_dim_1":${at},"soma_data":${value}}\n`)
    const array = await dataset({ options: { dim, attr: ['soma_data:FLOAT64'] }, cells: lines.join('') })
    const engine = new Engine({ storage: array.storage(), path: ROOT, shown: ROOT }, undefined)
    const [row_dimension, number_dimension] = ['soma_dim_0', 'soma_dim_1']
    const picture = { title: '', array: '', attribute: 'soma_data', row_dimension, number_dimension }
    return smallPoints(engine, {}, { kind: 'points', ...picture })
  }

  test('ids and numbers may be as large as they can be', async () => {
    const far = 2n ** 61n
    const found = await points([0n, 1n].flatMap((i) => [[far + i, far, 1] as const, [far + i, far + 1n, 2] as const]))
    expect(found).toMatchObject({ x: Float64Array.of(1, 1), y: Float64Array.of(2, 2) })
  })

  test('nothing is drawn of rows that have not two numbers', async () => {
    expect(await points([0n, 1n].map((row) => [row, 0n, 5] as const))).toBeUndefined()
    expect(await points([0n, 9n].map((at) => [3n, at, 5] as const))).toBeUndefined()
  })

  test('the first number goes to the right, the second up', () => {
    const points = { kind: 'points' as const, groups: new Uint16Array(2), names: [], attribute: undefined }
    const places = sheetPlaces({ ...points, x: Float64Array.of(1, 3), y: Float64Array.of(-5, 5) }, 100, 50, 10)
    expect([...places]).toEqual([10, 40, 90, 10])
  })
})
