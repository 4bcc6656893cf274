import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { chdir, cwd } from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'
import { elided, sessionsOf, words } from '../helpers/sessions.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = `${ROOT}docs/tutorials`
const before = cwd()
afterAll(() => chdir(before))

describe.each(readdirSync(FOLDER))('what %s says is what happens', (page) => {
  const sessions = sessionsOf(readFileSync(`${FOLDER}/${page}`, 'utf8'))
  const folder = temporaryFolder()

  test('its calls, in order, in a folder with the sample arrays', async () => {
    expect(sessions.length).toBeGreaterThan(4)
    cpSync(`${ROOT}examples/arrays`, folder, { recursive: true })
    chdir(folder)
    for (const { command, printed } of sessions) {
      const toFile = / > (\S+)$/.exec(command)
      let found = ''
      if (!command.startsWith('tiledb-inspect ')) {
        const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
        expect({ command, status, stderr }).toEqual({ command, status: 0, stderr: '' })
        found = stdout
      } else {
        const { text, stderr } = await run(words(command.replace(/ > \S+$/, '')).slice(1))
        found = toFile ? stderr : text + stderr
      }
      // Code for TileDB-Py has whole paths.
      const lines = found.replaceAll(`${folder}/`, '/data/').trimEnd().split('\n')
      while (printed.at(-1) === '') printed.pop()
      const shown = lines.map((line) => line.trimEnd()).filter((line, i) => i > 0 || line !== '')
      expect({ command, shown: elided(shown, printed) }).toEqual({ command, shown: printed })
    }
  })
})
