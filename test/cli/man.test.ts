import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { commandNames } from '../helpers/commands.ts'
import { run } from '../helpers/run.ts'

const FILE = fileURLToPath(new URL('../../dist/man/tiledb-inspect.1.gz', import.meta.url))
const hasGroff = spawnSync('groff', ['--version']).status === 0

if (!existsSync(FILE)) test.skip('the built manual page is not here: npm run build', () => {})
else {
  const source = gunzipSync(readFileSync(FILE)).toString('utf8')

  // The page is that of the last build: a later command or option is not in it.
  test('the manual page has every command with its description and options (else: npm run build)', async () => {
    const names = await commandNames()
    expect(names.length).toBeGreaterThan(12)
    const text = source.replace(/\\-/g, '-')
    for (const name of names) {
      const begin = text.indexOf(`\n.SS ${name}\n`)
      expect({ name, begin }).not.toEqual({ name, begin: -1 })
      const part = text.slice(begin, text.indexOf('\n.SS ', begin + 1) >>> 0)
      const help = (await run([name, '--help'])).text
      const own = help.slice(help.indexOf('\nOptions:'), help.indexOf('Options of every command:'))
      for (const [, option] of own.matchAll(/^ {2}(?:-\w, )?(--[a-z0-9-]+)/gm))
        if (option !== '--help') expect(part).toContain(option)
    }
    expect(text).toContain('--memory')
  })

  const groffTest = hasGroff ? test : test.skip
  groffTest('the manual page is set without a warning', () => {
    const { status, stdout, stderr } = spawnSync('groff', ['-ww', '-man', '-Tutf8'], {
      input: source,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.length).toBeGreaterThan(10_000)
  })
}
