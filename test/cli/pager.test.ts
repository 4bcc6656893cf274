import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import process, { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ARRAY = `${ROOT}examples/arrays/places`
const DAMAGED = `${ROOT}examples/damaged/places`

/** Runs the program on a terminal of 80 columns and so many rows. @returns what the terminal shows, and the exit code */
function onTerminal(rows: number, args: string, env: Record<string, string> = {}, input = '') {
  const program = `"${execPath}" "${ROOT}bin/tiledb-inspect.js" ${args}; echo "exit code $?"`
  const call = ['-qec', `stty rows ${rows} cols 80; ${program}`, '/dev/null']
  const { stdout } = spawnSync('script', call, {
    encoding: 'utf8',
    input,
    timeout: 30_000,
    env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/sh', ...env },
  })
  return stdout.replace(/\r/g, '')
}

const hasScript = spawnSync('script', ['--version']).status === 0 && existsSync(`${ROOT}dist/cli`)
const terminalTest = hasScript ? test : test.skip
/** Marks every line that it shows. */
const PAGER = 'sed s/^/paged:/'

terminalTest('what is longer than the terminal goes to $PAGER, with its colours; the rest does not', () => {
  const paged = onTerminal(10, `read ${ARRAY}`, { PAGER })
  expect(paged).toMatch(/^paged:.*lat/m)
  expect(paged).toContain('40 cells')
  expect(paged).toMatch(/^exit code 0$/m)
  expect(paged.split('\n').filter((line) => !line.startsWith('paged:') && line !== '')).toEqual(['exit code 0'])
  expect(onTerminal(60, `read ${ARRAY}`, { PAGER })).not.toContain('paged:')
  const color = onTerminal(10, `check ${DAMAGED}`, { PAGER: `${PAGER} ` })
  expect(color).toContain('\u001b[')
  expect(color).toMatch(/^exit code 1$/m)
  // A pipe of the shell.
  expect(onTerminal(10, `ls --help`, { PAGER: 'cat | tr a-z A-Z' })).toContain('FRAGMENT')
})

terminalTest(
  '--no-pager, NO_PAGER, PAGER=cat, a dumb terminal, and a pager that is not there leave it to the terminal',
  () => {
    const plain = onTerminal(10, `read ${ARRAY}`, { PAGER: 'cat' })
    expect(plain).toMatch(/40 cells.*\nexit code 0\n$/s)
    expect(onTerminal(10, `read --no-pager ${ARRAY}`, { PAGER })).toBe(plain)
    expect(onTerminal(10, `read ${ARRAY}`, { PAGER, NO_PAGER: '1' })).toBe(plain)
    expect(onTerminal(10, `read ${ARRAY}`, { PAGER: '' })).toBe(plain)
    expect(onTerminal(10, `read ${ARRAY}`, { PAGER: 'no-such-pager' })).toBe(plain)
    expect(onTerminal(10, `read ${ARRAY}`, { PAGER, TERM: 'dumb' }).includes('paged:')).toBe(false)
    // A pipe is no terminal.
    expect(onTerminal(10, `read --json ${ARRAY} | grep -c paged`, { PAGER })).toMatch(/^0\n/)
  },
)

terminalTest('a pager that ends early ends the program quietly', () => {
  const shown = onTerminal(10, `decode --format ndjson --all-fragments ${ROOT}test/fixtures/22/big_tile`, {
    PAGER: 'head -n 2',
  })
  expect(shown.split('\n').filter((line) => line.startsWith('{'))).toHaveLength(2)
  expect(shown.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual(['exit code 0'])
})

terminalTest('notes and errors come after what the pager shows, in the order of the calls without it', () => {
  const nowhere = onTerminal(10, `read ${ARRAY} ${ARRAY}/nowhere`, { PAGER })
  expect(nowhere).toMatch(/paged:.*40 cells[\s\S]*\nerror: [\s\S]*exit code 3/)
  const short = onTerminal(200, `read ${ARRAY} ${ARRAY}/nowhere`, { PAGER })
  expect(short).toMatch(/40 cells[\s\S]*\nerror: [\s\S]*exit code 3/)
  expect(short).not.toContain('paged:')
})
