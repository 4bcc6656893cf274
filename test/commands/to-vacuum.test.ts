import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { run } from '../helpers/run.ts'

// As TileDB 2.30 reads them: a consolidated sparse fragment has the time of each cell, and serves earlier times itself.
test('ls says whether fragments that wait for vacuum are read as of earlier times', async () => {
  const { text } = await run(['ls', `${FIXTURES}/22/vacuum_left`])
  expect(text).toMatch(/^to-vacuum \(\d+\): not read by TileDB; consolidation wrote/m)
  const dense = await run(['ls', `${FIXTURES}/22/dense_vacuum_left`])
  expect(dense.text).toMatch(/now, only as of earlier times/)
})
