import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

if (!existsSync(`${ROOT}dist/cli`)) test.skip('the built program is not here: npm run build', () => {})

/** The built program, as the bundler's form of a module is another than that of the source. */
test('a line of progress is shown by the built program once the work takes long', () => {
  const script = `
    require('./dist/cli/progress.cjs').startProgress('reading', true).then((progress) => {
      progress.update(1, 2)
      setTimeout(() => progress.stop(), 1300)
    })`
  const { status, stderr } = spawnSync(execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '- reading: 1 of 2\n' })
})
