import { writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()
const ROOM = 'SCALE_FLOAT has room for -327.68 to 327.67, in steps of 0.01'

/** The table of filters for prices below 300, with the filters as they are. */
async function tried(name: string, filters: readonly object[]): Promise<string> {
  const path = `${folder}/${name}`
  const schema = {
    format_version: 22,
    array_type: 'dense',
    dimensions: [{ name: 'x', type: 'INT32', domain: [0, 99], tile_extent: 50 }],
    attributes: [{ name: 'price', type: 'FLOAT64', filters: { filters } }],
  }
  const cells = Array.from({ length: 100 }, (_, x) => ({ x, price: (x * 251) / 100 }))
  const steps = [
    { step: 'create', schema },
    { step: 'write', cells },
  ]
  writeFileSync(`${path}.json`, JSON.stringify(steps))
  expect((await run(['write-sample', path, '--steps', `${path}.json`])).stderr).toBe('')
  return (await run(['whatif', path, '--field', 'price'])).text
}

test.each([4, 8])(
  'integers of %i bytes: the table says that others are narrower, and what has room in them',
  async (byte_width) => {
    const text = await tried(`wide${byte_width}`, [{ name: 'SCALE_FLOAT', scale: 0.01, offset: 0, byte_width }])
    expect(text).toMatch(new RegExp(`\\nSCALE_FLOAT\\(0\\.01, ${byte_width} bytes\\) \\(now\\) `))
    expect(text).toMatch(/\nSCALE_FLOAT\(0\.01, 2 bytes\), ZSTD\(3\) /)
    expect(text.split('\n').filter((line) => line.includes('has room'))).toEqual([`with 2 bytes ${ROOM}`])
  },
)

test('integers of one width: the table does not name it', async () => {
  const text = await tried('same', [{ name: 'SCALE_FLOAT', scale: 0.01, offset: 0, byte_width: 2 }])
  expect(text).toMatch(/\nSCALE_FLOAT\(0\.01\) \(now\) /)
  expect(text).not.toContain('has room')
})

test('values that were not rounded have more room than any integers', async () => {
  const text = await tried('none', [])
  expect(text).toMatch(/\nSCALE_FLOAT\(0\.01\), ZSTD\(3\) /)
  expect(text.split('\n').filter((line) => line.includes('has room'))).toEqual([ROOM])
})
