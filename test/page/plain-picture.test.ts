import { writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { Engine } from '../../src/page/engine.ts'
import { type PlainPicture, plainPictureOf, type SmallImage } from '../../src/page/thumbnail.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { addZstd } from '../helpers/page-wasm.ts'
import { run } from '../helpers/run.ts'

addZstd()

/** Small pictures of arrays of which no layer says what they show. */

const folder = temporaryFolder()

async function pictureOf(path: string): Promise<PlainPicture | undefined> {
  return plainPictureOf(new Engine({ storage: localFiles, path, shown: path }, undefined), {})
}

async function written(name: string, ...args: string[]): Promise<string> {
  const path = `${folder}/${name}`
  const { code, stderr } = await run(['write-sample', path, ...args])
  if (code !== 0) throw new Error(stderr)
  return path
}

/** An array with these cells. */
async function withCells(name: string, cells: readonly object[], ...args: string[]): Promise<string> {
  const data = `${folder}/${name}.ndjson`
  writeFileSync(data, cells.map((cell) => JSON.stringify(cell)).join('\n'))
  return written(name, ...args, '--data', data)
}

const DENSE = ['--dense', '--dim', 'y:INT32:0..2:3', '--dim', 'x:INT32:0..1:2']

test('of few cells, each is shown, as it lies in the picture of the cells', async () => {
  const cells = Array.from({ length: 6 }, (_, i) => ({ y: i >> 1, x: i & 1, a: i }))
  const found = (await pictureOf(await withCells('few', cells, ...DENSE, '--attr', 'a:INT32'))) as PlainPicture
  const { planes, ...image } = found.drawn as SmallImage
  expect([found.title, found.isTrue]).toEqual(['a', true])
  // y rises to the top.
  expect([...(planes[0] ?? [])]).toEqual([4, 5, 2, 3, 0, 1])
  expect(image).toEqual({
    kind: 'image',
    width: 2,
    height: 3,
    aspect: 2 / 3,
    across: { dimension: 'x', ends: ['0', '1'] },
    up: { dimension: 'y', ends: ['0', '2'] },
    at: [],
    by: 'each',
  })
})

test('of a volume, the slice in the middle is shown', async () => {
  const cells = Array.from({ length: 20 }, (_, i) => ({ z: i >> 2, y: (i >> 1) & 1, x: i & 1, a: i >> 2 }))
  const dims = ['z:INT32:0..4:5', 'y:INT32:0..1:2', 'x:INT32:0..1:2'].flatMap((one) => ['--dim', one])
  const found = await pictureOf(await withCells('volume', cells, '--dense', ...dims, '--attr', 'a:INT32'))
  expect(found?.drawn).toMatchObject({ at: ['z 2'], planes: [Float64Array.of(2, 2, 2, 2)] })
})

test('of many cells, statistics are shown; where fragments overlap, all are read, or a sample of few tiles', async () => {
  const arrayOf = (lengths: readonly number[], extent: number): string[] => {
    const dims = lengths.flatMap((length, i) => ['--dim', `${'yx'[i]}:INT64:0..${length - 1}:${extent}`])
    return ['--dense', ...dims, '--attr', 'a:UINT8', '--cells', String(lengths[0] * lengths[1])]
  }
  const many = arrayOf([320, 640], 80)
  expect(await pictureOf(await written('many', ...many))).toMatchObject({ drawn: { by: 'preview' } })
  const steps = `${folder}/overlapping.json`
  writeFileSync(steps, JSON.stringify({ steps: [{ step: 'write', cells: [{ x: 5, y: 5, a: 1 }] }] }))
  // Each pixel has 2 x 4 cells: the picture is as wide as the array for all that.
  expect(await pictureOf(await written('overlapping', ...many, '--steps', steps))).toMatchObject({
    drawn: { by: 'mean', width: 160, height: 160, aspect: 2 },
  })
  const large = [1100, 1100]
  expect(await pictureOf(await written('large', ...arrayOf(large, 100), '--steps', steps))).toMatchObject({
    drawn: { by: 'sample' },
  })
  expect(await pictureOf(await written('one-tile', ...arrayOf(large, 1100), '--steps', steps))).toBeUndefined()
})

test('of one dimension, a line is shown; of texts, nothing', async () => {
  const cells = Array.from({ length: 9 }, (_, t) => ({ t: `1970-01-0${t + 1}`, a: t % 3 }))
  const line = await withCells(
    'line',
    cells,
    '--sparse',
    '--dim',
    't:DATETIME_DAY:1970-01-01..1970-04-10:10',
    '--attr',
    'a:INT32',
  )
  expect(await pictureOf(line)).toEqual({
    title: 'a',
    isTrue: false,
    drawn: {
      kind: 'line',
      across: { dimension: 't', ends: ['1970-01-01', '1970-01-09'] },
      lows: Float64Array.from(cells, ({ a }) => a),
      highs: Float64Array.from(cells, ({ a }) => a),
      by: 'exact',
    },
  })
  expect(await pictureOf('test/fixtures/22/string_dims_2d')).toBeUndefined()
})
