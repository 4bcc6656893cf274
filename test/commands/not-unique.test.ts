import { writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()

/** An array whose fragments were written at the given times, each with the cell 0. */
async function written(name: string, times: readonly number[], allows_duplicates = false): Promise<string> {
  const schema = {
    array_type: 'sparse',
    allows_duplicates,
    dimensions: [{ name: 'd', type: 'INT32', domain: [0, 9] }],
    attributes: [{ name: 'a', type: 'INT32' }],
  }
  const steps = [
    { step: 'create', schema, time: 1 },
    ...times.map((time, a) => ({
      step: 'write',
      time,
      cells: [
        { d: 0, a },
        { d: a + 1, a },
      ],
    })),
  ]
  writeFileSync(`${folder}/${name}.json`, JSON.stringify({ steps }))
  await run(['write-sample', `${folder}/${name}`, '--steps', `${folder}/${name}.json`])
  return `${folder}/${name}`
}

test('of a cell that fragments of one time have, read, stats, history and diff say that the answer is not unique', async () => {
  // TileDB 2.30 gives the last of three such writes in a global read, another in a row-major one.
  const array = await written('ties', [5, 5, 5])
  for (const order of ['global', 'row-major']) {
    const { documents, stderr } = await runJson(['read', array, '--order', order])
    const [reason] = items(get(documents[0], 'not_unique'))
    expect(get(reason, 'kind')).toBe('equal-times')
    expect(items(get(reason, 'fragments'))).toHaveLength(3)
    expect(stderr).toMatch(/^note: the answer is not unique: __5_5_\w+, .*at one time/)
  }
  expect((await run(['read', array])).stderr.match(/not unique/g)).toHaveLength(1)
  const history = await runJson(['history', array, '--cell', 'd=0'])
  expect(get(items(get(history.documents[0], 'not_unique'))[0], 'kind')).toBe('equal-times')
  expect((await run(['history', array, '--cell', 'd=1'])).stderr).toBe('')
  const stats = await runJson(['stats', '--read', array])
  expect(get(stats.documents[0], 'not_unique')).toEqual(get(history.documents[0], 'not_unique'))
  expect(stats.stderr).toMatch(/^note: the answer is not unique: __5_5_/)
  const other = await written('tie', [5, 5])
  const diff = await runJson(['diff', '--read', array, other])
  expect(diff.stderr.match(/not unique/g)).toHaveLength(2)
  const compared = get(diff.documents[0], 'reader_cells')
  expect(get(compared, 'not_unique')).toEqual(get(stats.documents[0], 'not_unique'))
  expect(get(compared, 'other_not_unique')).toEqual(get((await runJson(['read', other])).documents[0], 'not_unique'))
})

test.each([
  ['other times', [5, 6, 7], false],
  ['duplicates', [5, 5, 5], true],
])('with %s it is', async (name, times, duplicates) => {
  const array = await written(name.replace(' ', '-'), times, duplicates)
  const { documents, stderr } = await runJson(['read', array])
  expect([get(documents[0], 'not_unique'), stderr]).toEqual([undefined, ''])
  expect((await run(['history', array, '--cell', 'd=0'])).stderr).toBe('')
})

test('a fragment whose cells are out of order is named as soon as it is merged', async () => {
  const array = `${folder}/unordered`
  await run(['write-sample', array, '--damage', 'COORDINATE_ORDER'])
  const rows = [{ step: 'write', cells: await firstRow(array) }]
  writeFileSync(`${folder}/more.json`, JSON.stringify({ steps: rows }))
  const appended = await run(['write-sample', array, '--append', '--steps', `${folder}/more.json`])
  expect(appended.stderr).toBe('')
  const { documents } = await runJson(['read', array])
  expect(items(get(documents[0], 'not_unique')).map((one) => get(one, 'kind'))).toEqual(['out-of-order'])
})

/** The first cell of an array, as a step writes it. */
async function firstRow(array: string): Promise<unknown[]> {
  const { text } = await run(['read', array, '--limit', '1', '--format', 'ndjson'])
  return [JSON.parse(text.split('\n')[0])]
}

test('arrays that TileDB wrote are unique', async () => {
  for (const name of ['22/duplicates', '22/deletes_consolidated', '22/vacuum_left', '22/hilbert', '22/evolved_sparse'])
    expect([name, (await run(['read', `${FIXTURES}/${name}`])).stderr]).toEqual([name, ''])
})

test('the cells of Hilbert fragments of formats 7 and 8, whose order was another', async () => {
  // TileDB 2.30 gives 45 cells in a global read, and 40 in a row-major one.
  const { documents, stderr } = await runJson(['read', `${FIXTURES}/8/hilbert_consolidated`])
  expect(get(documents[0], 'cell_num')).toBe(40)
  expect(get(items(get(documents[0], 'not_unique'))[0], 'kind')).toBe('out-of-order')
  expect(stderr.match(/not unique/g)).toHaveLength(1)
})
