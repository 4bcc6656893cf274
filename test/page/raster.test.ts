import { writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { fillRaster, newRaster, pixelOf, pixelValue } from '../../src/page/raster.ts'
import { openAt } from '../../src/read/opening.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()

/** The picture of an array with these cells. */
async function pictured(name: string, cells: readonly object[], ...args: string[]) {
  const [path, data] = [`${folder}/${name}`, `${folder}/${name}.ndjson`]
  writeFileSync(data, cells.map((cell) => JSON.stringify(cell)).join('\n'))
  const { code, stderr } = await run(['write-sample', path, ...args, '--data', data])
  if (code !== 0) throw new Error(stderr)
  const opened = await openAt(new InspectArray(new Folder(localFiles, path), contextFor({ key: undefined })))
  const wanted = { down: 0, right: 1, attribute: 'a', ranges: new Map(), isWhole: false }
  const found = newRaster(opened, wanted)
  if (!found) throw new Error('nothing was written')
  for await (const _ of fillRaster(opened, found, () => false));
  return found.raster
}

test('NaN is the fill value where it fills', async () => {
  const dims = ['--dim', 'y:INT32:0..1:2', '--dim', 'x:INT32:0..1:2']
  const cells = [0, 1].map((x) => ({ y: 0, x, a: x }))
  const raster = await pictured(
    'dense',
    [...cells, { y: 1, x: 0, a: 5 }, { y: 1, x: 1, a: 'NaN' }],
    '--dense',
    ...dims,
    '--attr',
    'a:FLOAT64',
  )
  expect([0, 1, 2, 3].map((pixel) => pixelValue(raster, pixel))).toEqual([0, 1, 5, 'fill'])
})

test('points that lie further apart than the largest number have their places', async () => {
  const end = Number.MAX_VALUE
  const dims = ['y', 'x'].flatMap((name) => ['--dim', `${name}:FLOAT64:-${end}..${end}`])
  const places = [-end, -end / 2, 0, end / 2, end]
  const cells = places.map((place) => ({ y: place, x: place, a: 1 }))
  const raster = await pictured('sparse', cells, '--sparse', ...dims, '--attr', 'a:INT32')
  const found = Array.from(raster.counts).flatMap((count, pixel) => (count > 0 ? [pixel] : []))
  const { length } = raster.down
  const expected = [0, length / 4, length / 2, (3 * length) / 4, length - 1]
  expect(found).toEqual(expected.map((pixel) => pixel * length + pixel))
  for (const [i, pixel] of expected.entries()) {
    const [low, high] = pixelOf(raster.down, pixel)
    expect(Number.isFinite(low) && Number.isFinite(high)).toBe(true)
    expect(Math.abs(Number(low) / end - places[i] / end)).toBeLessThan(0.02)
  }
})
