import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { serveBuckets } from '../helpers/s3-server.ts'
import { sessionsOf, words } from '../helpers/sessions.ts'
import { shortTurn } from '../helpers/turn.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const bucket = await serveBuckets({ bucket: `${ROOT}/examples/arrays` }, { pageSize: 1000 })
/** Lets `tiledb-inspect` be its sources. */
const LOADER = ['--no-warnings', '--import', './test/fuzz/register.mjs']

function node(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(execPath, [...LOADER, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
  })
}

describe('the programs of docs/library.md print what stands below them', () => {
  const page = readFileSync(`${ROOT}/docs/library.md`, 'utf8')
  const programs = [...page.matchAll(/^## ([^\n]*)\n(?:(?!^## ).)*?^```js\n(.*?)^```\n\n```text\n(.*?)^```$/gms)].map(
    ([, title, program, printed]) => ({ title, program, printed }),
  )

  test('all of them', () => {
    expect(programs.map(({ title }) => title)).toEqual([
      'The fragments of an array on S3',
      'The boxes of the tiles',
      'A column as a typed array',
      'Which cells',
      'Every version of a cell',
      'Cells to Arrow',
      'Cells to Parquet',
      'In a page',
      'The structures',
    ])
  })

  test.each(shortTurn(programs, 3))('$title', async ({ program, printed }) => {
    const environment = { PATH: process.env.PATH, AWS_ENDPOINT_URL: bucket.url, AWS_NO_SIGN_REQUEST: 'true' }
    const { stdout, stderr } = await promisify(execFile)(
      execPath,
      [...LOADER, '--input-type=module', '--eval', program],
      { cwd: ROOT, env: environment },
    )
    expect({ stderr, stdout }).toEqual({ stderr: '', stdout: printed })
  })
})

describe('examples/node/fragments.js', () => {
  const [session] = sessionsOf(readFileSync(`${ROOT}/examples/node/README.md`, 'utf8'))

  test('prints what its page shows', () => {
    const [program, ...args] = words(session.command)
    expect(program).toBe('node')
    const { status, stdout, stderr } = node(args)
    expect(stderr).toBe('')
    expect(stdout.trimEnd().split('\n')).toEqual(session.printed)
    expect(status).toBe(0)
  })

  test('passes over what no commit names', () => {
    const { stdout, status } = node(['examples/node/fragments.js', 'examples/damaged/failed_write', '0'])
    expect(stdout).toMatch(/_22: uncommitted\n__30_30_\w+: uncommitted\n$/)
    expect(status).toBe(0)
  })

  test('wants the key of an encrypted array, and takes it', () => {
    const call = ['examples/node/fragments.js', 'test/fixtures/22/encrypted']
    const without = node(call)
    expect(without.stderr).toMatch(/^KEY_NEEDED: /)
    expect(without.status).toBe(1)
    const { stdout, status } = node(call, { TILEDB_INSPECT_KEY: "a key for tiledb-inspect's tests" })
    expect(stdout).toMatch(/^ {3}\{"/m)
    expect(status).toBe(0)
  })
})
