import { writeFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()
const ROUNDED = { name: 'SCALE_FLOAT', scale: 0.01, offset: 0, byte_width: 4 }

async function lastLine(path: string, level: string): Promise<string | undefined> {
  return (await run(['check', '--level', level, path])).text.match(/^not checked: .*$/m)?.[0]
}

test('a check of cells says what the sums of rounded fields do not show, unless they have checksums', async () => {
  const path = `${folder}/rounded`
  const attributes = [
    { name: 'price', type: 'FLOAT64', filters: { filters: [ROUNDED] } },
    { name: 'safe', type: 'FLOAT64', filters: { filters: [ROUNDED, { name: 'CHECKSUM_MD5' }] } },
    { name: 'exact', type: 'FLOAT64' },
  ]
  const dimensions = [{ name: 'x', type: 'INT32', domain: [0, 99], tile_extent: 50 }]
  const steps = [
    { step: 'create', schema: { format_version: 22, array_type: 'dense', dimensions, attributes } },
    { step: 'write', cells: Array.from({ length: 100 }, (_, x) => ({ x, price: x, safe: x, exact: x })) },
  ]
  writeFileSync(`${path}.json`, JSON.stringify(steps))
  expect((await run(['write-sample', path, '--steps', `${path}.json`])).stderr).toBe('')
  const hidden = /^not checked: changes of a tile's sum by less than 0\.25 \(price\), which SCALE_FLOAT may have made; /
  for (const target of [path, firstFragment(path)]) {
    expect(await lastLine(target, 'cells')).toMatch(hidden)
    expect(await lastLine(target, 'chunks')).not.toMatch(/SCALE_FLOAT/)
  }
})
