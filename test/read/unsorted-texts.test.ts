import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()

/** Whether TileDB 2.30 gives wrong cells for `s[e:h]` of arrays with such dimensions, if texts repeat. */
test.each([
  ['row-major', ['s', 'i'], '10', true],
  ['row-major', ['s', 'i'], '100', false],
  ['row-major', ['i', 's'], '10', false],
  ['col-major', ['i', 's'], '10', true],
  ['col-major', ['s', 'i'], '10', false],
  ['hilbert', ['s', 'i'], '10', false],
])('a range of texts in %s order of %j, with tiles of %s cells: a note %s', async (order, names, extent, isNoted) => {
  const path = `${folder}/${order}-${names.join('')}-${extent}`
  const dims = names.flatMap((name) => ['--dim', name === 's' ? 's:STRING_ASCII' : `i:INT32:0..99:${extent}`])
  const args = [...dims, '--attr', 'q:INT32', '--cell-order', order]
  expect((await run(['write-sample', path, ...args])).code).toBe(0)
  for (const command of ['read', 'explain']) {
    const noted = (await run([command, path, '--range', 's=a..h'])).stderr
    if (isNoted) expect(noted).toMatch(/^note: TileDB 2\.30 may find wrong cells in a range of s: .* each tile of i\n$/)
    else expect(noted).toBe('')
    expect((await run([command, path, '--range', 'i=0..9'])).stderr).toBe('')
  }
})
