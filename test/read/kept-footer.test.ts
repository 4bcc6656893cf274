import { rmSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { fileOf, planFolder } from '../helpers/plan.ts'
import { run } from '../helpers/run.ts'

const { copyOf } = planFolder()

/** A copy whose first fragment has no metadata file, or no folder. Its columns are 0 to 3, those of the other fragment 2 to 5. */
function without(what: string): string {
  const path = copyOf('22/dense_fragment_metadata_consolidated', `${what}-gone`)
  const fragment = fileOf(`${path}/__fragments`, /^__10_10_/)
  rmSync(what === 'folder' ? fragment : `${fragment}/__fragment_metadata.tdb`, { recursive: true })
  return path
}

// As TileDB 2.30 reads them.
describe.each(['folder', 'file'])('a fragment whose %s is gone, but not its footer', (what) => {
  const path = without(what)

  test('the array opens', async () => {
    const { text } = await run([path, '--json'])
    expect(JSON.parse(text)).toMatchObject({ opens: true, ok: false })
  })

  test.each(['read', 'explain'])('%s of ranges that do not touch it works', async (command) => {
    expect(await run([command, path, '--range', 'x=4..7'])).toMatchObject({ code: 0, stderr: '' })
  })

  test.each(['x=0..1', 'x=3..3', 'x=2..2'])('a read of %s fails, whatever newer cells hide', async (range) => {
    for (const command of ['read', 'explain']) {
      const { code, stderr } = await run([command, path, '--range', range])
      expect(code).toBe(1)
      expect(stderr).toMatch(/TileDB opens the array, .* fails every read that touches the fragment/)
    }
  })

  test('--keep-going leaves it out', async () => {
    const { code, text } = await run(['read', path, '--keep-going', '--range', 'y=0..0', '--format', 'csv'])
    expect(code).toBe(1)
    expect(text).toMatch(/^0,2,/m)
  })
})

test('sparse: a read that touches a fragment without metadata fails, and consolidation has no answer', async () => {
  const path = copyOf('22/fragment_metadata_consolidated', 'sparse')
  rmSync(`${fileOf(`${path}/__fragments`, /^__30_30_/)}/__fragment_metadata.tdb`)
  expect(await run(['read', path, '--range', 'y=19..19'])).toMatchObject({ code: 1 })
  // Its columns begin at 0, its rows end at 17.
  expect(await run(['read', path, '--range', 'x=18..19'])).toMatchObject({ code: 0 })
  const { text } = await run(['explain', path, '--range', 'x=18..19', '--json'])
  expect(JSON.parse(text)).toMatchObject({ consolidation: null })
})
