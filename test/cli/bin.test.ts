import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { run } from '../helpers/run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = `${ROOT}bin/tiledb-inspect.js`
const ARRAY = `${FIXTURES}/22/sparse_basic`

if (!existsSync(`${ROOT}dist/cli`)) test.skip('the built program is not here: npm run build', () => {})
else {
  test('the built program prints what the sources do, and gives their exit code', async () => {
    for (const args of [
      ['ls', '--json', ARRAY],
      ['schema', '--json', `${ARRAY}/nowhere`],
    ]) {
      const { status, stdout, stderr } = spawnSync(execPath, [BIN, ...args], { encoding: 'utf8', env: {} })
      const here = await run(args)
      expect({ status, stdout, stderr }).toEqual({ status: here.code, stdout: here.text, stderr: here.stderr })
    }
  })

  test('a reader that goes away early ends it quietly', () => {
    const script = `"${execPath}" "${BIN}" decode --all-fragments --format ndjson "${FIXTURES}/22/big_tile" 2>&1 | head -n 1`
    const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
    expect(stdout).toMatch(/^\{.*\}\n$/)
  })
}
