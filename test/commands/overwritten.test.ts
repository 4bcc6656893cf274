import { expect, test } from '@jest/globals'
import { runJson } from '../helpers/run.ts'
import { shown } from '../helpers/views.ts'

const FIXTURES = 'test/fixtures'

interface Listed {
  name: string
  dense: boolean
  overwritten: boolean | null
}

/** What `ls` says of each fragment, and the fragments that a read takes cells from. */
async function saidAndRead(path: string) {
  const { documents } = await runJson(['ls', path])
  const { fragments } = documents[0] as unknown as { fragments: Listed[] }
  const read = await runJson(['read', path, '--provenance'])
  const { cells } = read.documents[0] as unknown as { cells: { __fragment: string | null }[] }
  return { fragments, read: new Set(cells.map(({ __fragment }) => __fragment)) }
}

test.each([
  ['22/dense_basic', 0],
  ['22/evolved_dense', 2],
  ['22/dense_vacuum_left', 0],
  ['dense_reads/merged', 0],
  ['4/dense_basic', 0],
  ['2/dense_basic', 0],
])('%s: a fragment is overwritten if a read takes no cell from it', async (name, overwritten_num) => {
  const { fragments, read } = await saidAndRead(`${FIXTURES}/${name}`)
  const known = fragments.filter(({ overwritten }) => overwritten !== null)
  expect(known.map(({ name }) => [name, !read.has(name)])).toEqual(known.map((one) => [one.name, one.overwritten]))
  expect(known.filter(({ overwritten }) => overwritten)).toHaveLength(overwritten_num)
})

test('a table says how many bytes are overwritten', async () => {
  expect(await shown(['ls', `${FIXTURES}/22/evolved_dense`], 80)).toMatch(
    /^live, overwritten \(2\): \d[\d.]* KiB .*no reader takes a cell$/m,
  )
})

test('of sparse fragments only their cells tell', async () => {
  const { fragments } = await saidAndRead(`${FIXTURES}/22/sparse_basic`)
  expect(fragments.map(({ overwritten }) => overwritten)).toEqual(fragments.map(() => null))
})
