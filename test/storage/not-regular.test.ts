import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { shortTurn } from '../helpers/turn.ts'

const folder = temporaryFolder()
const KEY = '0123456789abcdef0123456789abcdef'
let socket: Server

beforeAll(async () => {
  socket = createServer()
  await new Promise<void>((resolve) => socket.listen(`${folder}/socket`, resolve))
  expect(spawnSync('mkfifo', [`${folder}/pipe`]).status).toBe(0)
})
afterAll(() => void socket.close())

function firstIn(path: string, pattern: RegExp): string {
  const name = readdirSync(path).find((one) => pattern.test(one))
  if (name === undefined) throw new Error(`nothing in ${path} matches ${pattern}`)
  return `${path}/${name}`
}

/** Files of an array that commands read, by their kind. */
const FILES: Readonly<Record<string, [fixture: string, of: (array: string) => string]>> = {
  'a data file': ['22/sparse_basic', (array) => firstIn(firstIn(`${array}/__fragments`, /^__/), /^a0\.tdb/)],
  'the fragment metadata': [
    '22/sparse_basic',
    (array) => firstIn(firstIn(`${array}/__fragments`, /^__/), /^__fragment_metadata/),
  ],
  'a schema': ['22/sparse_basic', (array) => firstIn(`${array}/__schema`, /^__\d/)],
  'key-value metadata': ['22/metadata', (array) => firstIn(`${array}/__meta`, /^__\d/)],
  'an enumeration': ['22/enumerations', (array) => firstIn(`${array}/__schema/__enumerations`, /^__/)],
  'consolidated commits': ['22/commits_consolidated', (array) => firstIn(`${array}/__commits`, /\.con$/)],
  'a delete condition': ['22/deletes', (array) => firstIn(`${array}/__commits`, /\.del$/)],
}

const COMMANDS = [
  ['ls'],
  ['schema', '--all'],
  ['commits'],
  ['stats'],
  ['check', '--level', 'cells'],
  ['verify-checksums', '--deep'],
  ['footer'],
  ['metadata'],
  ['rtree'],
  ['tiles'],
  ['decode', '--all-fragments'],
]

describe.each(['a named pipe', 'a socket', 'a link to a device', 'a link to a pipe'])('%s in the place of', (kind) => {
  const put = (path: string): void => {
    rmSync(path)
    if (kind === 'a named pipe') spawnSync('mkfifo', [path])
    else
      symlinkSync(
        kind === 'a socket' ? `${folder}/socket` : kind === 'a link to a pipe' ? `${folder}/pipe` : '/dev/zero',
        path,
      )
  }

  /** An array in which a file of this kind is something else. */
  const withPut = (what: string): { array: string; path: string; fixture: string } => {
    const array = `${folder}/array`
    const [fixture, of] = FILES[what]
    rmSync(array, { recursive: true, force: true })
    cpSync(`${FIXTURES}/${fixture}`, array, { recursive: true })
    const path = of(array)
    put(path)
    return { array, path, fixture }
  }
  const kinds = shortTurn(Object.keys(FILES), 3)

  test.each(kinds)('%s: no command fails as a program, and check finds it', async (what) => {
    const { array, fixture } = withPut(what)
    const calls = COMMANDS.map(([command, ...options]) => [command, array, ...options])
    calls.push(['diff', array, `${FIXTURES}/${fixture}`, '--cells'])
    for (const call of calls) {
      const { code, stderr, text } = await run([...call, '--json'])
      expect([call[0], code]).toEqual([call[0], expect.any(Number)])
      expect(stderr + text).not.toMatch(/fault of tiledb-inspect/)
    }
    const { code } = await run(['check', array, '--level', 'cells'])
    expect([what, code > 0]).toEqual([what, true])
  })

  test.each(kinds)('%s: dump and at refuse to read it', async (what) => {
    const { path } = withPut(what)
    for (const call of [
      ['dump', path],
      ['at', path, '3'],
    ]) {
      const { code, stderr, text } = await run([...call, '--json'])
      expect([call[0], code]).toEqual([call[0], 3])
      expect(stderr).toMatch(/expected a regular file, found a (?:named pipe|socket|device)/)
      expect(stderr + text).not.toMatch(/fault of tiledb-inspect/)
    }
  })
})

test('commands agree that TileDB cannot open an array whose newest schema is a pipe', async () => {
  // TileDB 2.30 waits for a pipe without end. For a device it says that the read exceeds the file's size.
  const array = `${folder}/evolved`
  cpSync(`${FIXTURES}/22/evolved_sparse`, array, { recursive: true })
  const [, newest] = readdirSync(`${array}/__schema`)
    .filter((name) => /^__\d/.test(name))
    .sort()
  const path = `${array}/__schema/${newest}`
  rmSync(path)
  expect(spawnSync('mkfifo', [path]).status).toBe(0)
  for (const call of [['read'], ['explain'], ['schema']]) {
    const { code, stderr } = await run([...call, array])
    expect([call[0], code, stderr]).toEqual([call[0], 3, expect.stringMatching(/found a named pipe\n$/)])
  }
  const all = await run(['schema', '--all', array])
  expect([all.code, all.stderr]).toEqual([3, expect.stringMatching(/found a named pipe\n$/)])
  expect(all.text).toMatch(/^1 of 2 schemas/)
  const { documents } = await runJson(['check', array])
  expect(items(get(documents[0], 'findings')).map((one) => [get(one, 'code'), get(one, 'found')])).toEqual([
    ['SCHEMA_UNREADABLE', 'a pipe, socket or device'],
  ])
  expect((await run(['check', '--plan', array])).text).toMatch(/the schema of 1 of 2 fragments/)
})

test('fragment metadata that is a pipe is not called missing', async () => {
  const array = `${folder}/piped`
  cpSync(`${FIXTURES}/22/sparse_basic`, array, { recursive: true })
  const path = firstIn(firstIn(`${array}/__fragments`, /^__/), /^__fragment_metadata/)
  rmSync(path)
  expect(spawnSync('mkfifo', [path]).status).toBe(0)
  const { documents } = await runJson(['check', array])
  const [found] = items(get(documents[0], 'findings')).filter((one) => get(one, 'code') === 'FRAGMENT_NO_METADATA')
  expect(get(found, 'found')).toBe('a pipe, socket or device')
})

test('a walk does not follow links in circles, or out of the array', async () => {
  const array = `${folder}/circles`
  cpSync(`${FIXTURES}/22/sparse_basic`, array, { recursive: true })
  const sizes = async (): Promise<unknown> => get((await runJson(['stats', array])).documents[0], 'other_size')
  mkdirSync(`${array}/own`)
  writeFileSync(`${array}/own/file`, 'twelve bytes')
  const before = await sizes()
  symlinkSync(array, `${array}/up`)
  symlinkSync('/', `${array}/all`)
  symlinkSync(`${array}/own`, `${array}/__labels`)
  symlinkSync('..', `${array}/own/back`)
  expect(await sizes()).toBe(before)
  const { code } = await run(['at', firstIn(`${array}/__schema`, /^__\d/), '3', '--json'])
  expect(code).toBe(0)
})

test('an array is read even if its folders are links to a folder elsewhere', async () => {
  const array = `${folder}/linked`
  cpSync(`${FIXTURES}/22/sparse_basic`, `${folder}/far`, { recursive: true })
  mkdirSync(array)
  for (const name of readdirSync(`${folder}/far`)) symlinkSync(`${folder}/far/${name}`, `${array}/${name}`)
  const near = await runJson(['stats', array])
  const far = await runJson(['stats', `${folder}/far`])
  expect(get(near.documents[0], 'other_size')).toBe(get(far.documents[0], 'other_size'))
  expect(near.code).toBe(0)
})

describe('--key-file', () => {
  const encrypted = `${FIXTURES}/22/encrypted`

  test('refuses long files, devices and pipes without a writer', async () => {
    writeFileSync(`${folder}/long`, 'x'.repeat(1025))
    for (const [path, words] of [
      [`${folder}/long`, /expected at most 1024 bytes, found 1025/],
      ['/dev/zero', /expected a regular file, found a device/],
      [`${folder}/pipe`, /expected a regular file, found a named pipe/],
      [folder, /expected a regular file, found a folder/],
    ] as const) {
      const { code, stderr } = await run(['schema', encrypted, '--key-file', path])
      expect(stderr).toMatch(words)
      expect(code).toBe(3)
    }
  })

  test('reads a key', async () => {
    writeFileSync(`${folder}/key`, `${KEY}\n`)
    const { stderr } = await run(['schema', encrypted, '--key-file', `${folder}/key`])
    expect(stderr).not.toMatch(/regular file|at most/)
  })
})
