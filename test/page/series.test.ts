import { writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { InspectArray } from '../../src/objects/array.ts'
import { runsOf, type Series, series } from '../../src/page/picture/series.ts'
import { openAt } from '../../src/read/opening.ts'
import { Folder } from '../../src/storage/source.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()

async function linesOf(name: string, cells: readonly object[], ...args: string[]): Promise<Series | undefined> {
  const [path, data] = [`${folder}/${name}`, `${folder}/${name}.ndjson`]
  writeFileSync(data, cells.map((cell) => JSON.stringify(cell)).join('\n'))
  const { code, stderr } = await run(['write-sample', path, ...args, '--data', data])
  if (code !== 0) throw new Error(stderr)
  const opened = await openAt(new InspectArray(new Folder(localFiles, path), contextFor({ key: undefined })))
  const steps = { isDue: () => false, isWhole: false, onFault: undefined }
  const lines = series(opened, { d: 0, attributes: ['a'], ranges: new Map() }, steps)
  while (true) {
    const { done, value } = await lines.next()
    if (done) return value
  }
}

test('a step has the least, the mean and the greatest of its cells; nulls and NaN have no value', async () => {
  const cells = Array.from({ length: 2500 }, (_, t) => ({ t, a: t % 10 === 3 ? null : t }))
  const dims = ['--sparse', '--dim', 't:INT64:0..2499:100', '--attr', 'a:INT32:nullable']
  const found = await linesOf('sparse', cells, ...dims)
  const [line] = found?.lines ?? []
  expect([found?.step, found?.length, found?.read]).toEqual([3n, 834, 2500])
  // Steps of three cells: 0 to 2, 3 to 5 of which 3 is null, and the last with one cell.
  const step = (bin: number) => [
    line?.lows[bin],
    line?.highs[bin],
    line?.sums[bin],
    line?.counts[bin],
    line?.lacks[bin],
  ]
  expect(step(0)).toEqual([0, 2, 3, 3, 0])
  expect(step(1)).toEqual([4, 5, 9, 2, 1])
  expect(step(833)).toEqual([2499, 2499, 2499, 1, 0])
})

test('cells of a dense array with the fill value have none', async () => {
  const cells = [0, 1, 2, 3].map((t) => ({ t, a: t === 2 ? -(2 ** 31) : t }))
  const found = await linesOf('dense', cells, '--dense', '--dim', 't:INT32:0..3:2', '--attr', 'a:INT32')
  const [line] = found?.lines ?? []
  expect([...(line?.counts ?? [])]).toEqual([1, 1, 0, 1])
  expect([...(line?.lacks ?? [])]).toEqual([0, 0, 1, 0])
})

test('a line ends where far fewer cells were written than beside it, and passes over single steps', () => {
  const runs = (counts: readonly number[], lacks = counts.map(() => 0)) =>
    runsOf([...counts.keys()], Uint32Array.from(counts), Uint32Array.from(lacks))
  // Steps with many cells: one without any is a gap.
  expect(runs([9, 9, 9, 0, 9, 9])).toEqual([
    [0, 1, 2],
    [4, 5],
  ])
  // Each second hour, and then a pause of ten.
  const sparse = Array.from({ length: 50 }, (_, i) => Number(i % 2 === 0 && (i < 20 || i > 38)))
  expect(runs(sparse).map((run) => [run[0], run.at(-1)])).toEqual([
    [0, 18],
    [40, 48],
  ])
  expect(runs([1, 0, 1, 1])).toEqual([[0, 2, 3]])
  expect(runs([1, 0, 1], [0, 1, 0])).toEqual([[0], [2]])
})
