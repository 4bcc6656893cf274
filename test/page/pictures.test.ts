import { describe, expect, test } from '@jest/globals'
import { recognise } from '../../src/layers/layers.ts'
import type { LayerPicture } from '../../src/layers/picture.ts'
import { localFiles } from '../../src/node/file.ts'
import { Engine } from '../../src/page/engine.ts'
import { type AxisFacts, orientationOf, roleOfName } from '../../src/page/orientation.ts'
import { pixelsOf, placesOf } from '../../src/page/small-pixels.ts'
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
  const facts = (text: string): AxisFacts => {
    const [dimension = '', falls] = text.split(' ')
    return { dimension, role: roleOfName(dimension), falls: falls === 'falls' }
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
})

describe('GDAL', () => {
  const raster = (transform: string, more = ''): ArraySpec => {
    const sizes = { BANDS: 1, Y: 3, X: 4 }
    const dim = ['BANDS:UINT64:1..1:1', 'Y:UINT64:0..2:3', 'X:UINT64:0..3:4']
    const values = cells(sizes, 'TDB_VALUES', (_, y = 0, x = 0) => 10 * y + x).replaceAll('"BANDS":0', '"BANDS":1')
    const _gdal = `<PAMDataset><GeoTransform>${transform}</GeoTransform><Metadata domain='IMAGE_STRUCTURE'><MDI key="X_SIZE">3</MDI><MDI key="Y_SIZE">3</MDI></Metadata>${more}</PAMDataset>`
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
    expect(found.rows).toBe(24)
  })

  test('the first number goes to the right, the second up', () => {
    const points = { kind: 'points' as const, groups: new Uint16Array(2), names: [], attribute: undefined, rows: 2 }
    const places = placesOf({ ...points, x: Float64Array.of(1, 3), y: Float64Array.of(-5, 5) }, 100, 50, 10)
    expect([...places]).toEqual([10, 40, 90, 10])
  })
})
