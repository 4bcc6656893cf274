import { cpSync, existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { get, type Json } from '../helpers/json.ts'
import { type Ran, run, runJson } from '../helpers/run.ts'

const ARRAY = `${FIXTURES}/22/sparse_basic`
const GROUP = `${FIXTURES}/22/group`
const SEVERAL = `${FIXTURES}/22/vacuum_left`
const [FRAGMENT_NAME] = fragmentNames(ARRAY)
const FRAGMENT = `${ARRAY}/__fragments/${FRAGMENT_NAME}`

const folder = temporaryFolder()
mkdirSync(`${folder}/empty`)
mkdirSync(`${folder}/other/inside`, { recursive: true })
writeFileSync(`${folder}/plain.txt`, 'no TileDB here\n')
const damaged = `${folder}/damaged`
cpSync(ARRAY, damaged, { recursive: true })
const metadata = `${damaged}/__fragments/${FRAGMENT_NAME}/__fragment_metadata.tdb`
truncateSync(metadata, 5000)

/** An error is lines that begin with `error: `, never a stack. */
function expectErrorLines({ stderr }: Ran): void {
  const lines = stderr.split('\n')
  expect(lines.pop()).toBe('')
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toMatch(/^error: \S/)
  expect(stderr).not.toMatch(/^\s+at /m)
}

const TARGET_COMMANDS = ['ls', 'schema', 'footer', 'rtree', 'metadata', 'decode', 'commits', 'verify-checksums']

describe.each(TARGET_COMMANDS)('%s', (command) => {
  test.each([
    ['a path where nothing is', `${folder}/nowhere`, 'NOT_FOUND'],
    ['a path below a file', `${folder}/plain.txt/x`, 'NOT_FOUND'],
    ['an empty folder', `${folder}/empty`, 'NOT_TILEDB'],
    ['a folder that is no array', `${folder}/other`, 'NOT_TILEDB'],
  ])('of %s is not examined: exit 3', async (_, path, code) => {
    const ran = await runJson([command, path])
    expect(ran.code).toBe(3)
    expect(ran.documents).toEqual([{ error: { code, message: expect.any(String), file: path } }])
    expectErrorLines(ran)
    expect(ran.stderr).toContain(path)
    expect(await run([command, path])).toMatchObject({ code: 3, text: '', stderr: ran.stderr })
  })

  test('of a file that is not of TileDB fails, without a fault of the program', async () => {
    const ran = await runJson([command, `${folder}/plain.txt`])
    expect([1, 2, 3]).toContain(ran.code)
    expectErrorLines(ran)
    expect(ran.stderr).not.toContain('fault of tiledb-inspect')
  })

  test('with an option that it does not have is wrong usage: exit 2', async () => {
    const ran = await runJson([command, '--no-such-option', ARRAY])
    expect(ran.code).toBe(2)
    expect(get(get(ran.documents[0], 'error'), 'code')).toBe('USAGE')
    expect(ran.stderr).toContain('--no-such-option')
    expectErrorLines(ran)
  })

  test('without a target is wrong usage: exit 2', async () => {
    const ran = await run([command])
    expect(ran).toMatchObject({ code: 2, text: '' })
    expectErrorLines(ran)
  })
})

test('TILEDB_INSPECT_ERRORS=json makes each error on stderr the document of the JSON formats', async () => {
  const target = ['decode', `${damaged}/__fragments/${FRAGMENT_NAME}`]
  const { documents } = await runJson(target)
  for (const format of ['arrow', 'csv', 'json']) {
    const ran = await run([...target, '--format', format], { env: { TILEDB_INSPECT_ERRORS: 'json' } })
    expect(
      ran.stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(documents)
    expect(ran.code).toBe(1)
  }
})

describe('wrong usage: exit 2', () => {
  test.each([
    ['tile of a group', ['tile', GROUP, 'a']],
    ['a picture of a group', ['rtree', GROUP, '--svg', `${folder}/boxes.svg`]],
    ['decode of a group', ['decode', GROUP]],
    ['commits of a fragment', ['commits', FRAGMENT]],
    ['decode of an array, which would not be its merged cells', ['decode', SEVERAL]],
    ['tile of an array', ['tile', SEVERAL, 'a']],
  ])('%s', async (_, args) => {
    const ran = await runJson(args)
    expect(ran.code).toBe(2)
    expect(get(get(ran.documents[0], 'error'), 'code')).toBe('WRONG_TARGET')
    expectErrorLines(ran)
  })

  test.each([
    ['22/dense_datetime_dim', 'day=2022-02-07', 'day in its domain, 2022-01-08 to 2022-02-06'],
    ['22/sparse_basic', 'x=1,y=-51', 'y in its domain, -50 to 49'],
  ])('a cell outside of the domain names the dimension: %s', async (name, cell, expected) => {
    const path = `${FIXTURES}/${name}`
    const [fragment] = fragmentNames(path)
    const { code, text, stderr } = await run(['at', `${path}/__fragments/${fragment}`, '--cell', cell])
    const found = JSON.stringify(cell.split(',').at(-1))
    expect({ code, text, stderr }).toEqual({
      code: 2,
      text: '',
      stderr: `error: --cell expects ${expected}, found ${found}\n`,
    })
  })

  test.each([
    [['schema', '--depth', '2', ARRAY], '--depth expects --hex beside it, found none'],
    [['footer', '--at', '1..2', FRAGMENT], '--at expects --hex beside it, found none'],
    [['rtree', '--depth', '2', FRAGMENT], '--depth expects --hex beside it, found none'],
    [['metadata', '--at', '1..2', FRAGMENT], '--at expects --hex beside it, found none'],
    [['tile', FRAGMENT, 'a', '0', '--depth', '1'], '--depth expects --hex beside it, found none'],
    [['rtree', '--dimension', 'x', FRAGMENT], '--dimension expects --svg beside it, found none'],
    [['rtree', '--hex', '--range', 'x=1', FRAGMENT], 'rtree expects --range or --hex, found both'],
    [['rtree', '--svg', 'x.svg', '--range', 'x=1', FRAGMENT], 'rtree expects --range or --svg, found both'],
    [['at', `${FRAGMENT}/a0.tdb`, '20', '--field', 'a'], '--field expects --cell beside it, found none'],
    [['ls', '--depth', '2', FRAGMENT], 'ls --depth expects a group, found a fragment'],
    [['ls', '--names', FRAGMENT], 'ls --names expects an array or a group, found a fragment'],
    [['ls', '--range', 'x=1', GROUP], 'ls --range expects an array, found a group'],
    [['read', FRAGMENT], `read expects an array, found a fragment; it lies in the array ${ARRAY}`],
    [
      ['history', '--cell', 'x=1', `${FRAGMENT}/a0.tdb`],
      `expects an array, found a file; it lies in the array ${ARRAY}`,
    ],
    [
      ['read', '--where', 'a > 1', '--where', 'a < 3', ARRAY],
      '--where expects one condition, found two: join them with and',
    ],
    [['schema', '--all', FRAGMENT], 'schema --all expects an array or a group, found a fragment'],
    [['tile', FRAGMENT, 'a', '--hex', '--bytes'], 'tile expects --hex or --bytes, found both'],
    [['tile', FRAGMENT, 'a', '--hex', '--stages', `${folder}/stages`], 'tile expects --hex or --stages, found both'],
    [['tile', FRAGMENT, 'a0.tdb', '--offset', '0', '--hex'], 'tile expects --offset or --hex, found both'],
    [['tile', FRAGMENT, 'a0.tdb', '--offset', '0', '--role', 'var'], 'tile expects --offset or --role, found both'],
    [['tile', FRAGMENT, 'a0.tdb', '1', '--offset', '0'], 'tile expects --offset or an index, found both'],
    [['whatif', '--emit', 'schema', '--range', 'x=1', ARRAY], 'whatif expects --range or --emit, found both'],
    [['write-sample', `${folder}/labels`, '--labels'], '--labels expects --data or --steps beside it, found neither'],
    [['at', FRAGMENT, '--cell', 'x=1..2,y=1'], '--cell expects one value for x, found a range'],
    [['at', FRAGMENT, '--cell', 'x=,y=1'], '--cell expects NAME=V, found "x="'],
  ])('an option that says nothing here is not passed over: %j', async (args, message) => {
    const { code, text, stderr } = await run(args)
    expect({ code, text }).toEqual({ code: 2, text: '' })
    expect(stderr).toContain(message)
  })

  test('too many arguments are counted', async () => {
    const ran = await run(['diff', ARRAY, ARRAY, ARRAY])
    expect(ran).toMatchObject({ code: 2, text: '', stderr: 'error: diff expects 2 arguments, found 3\n' })
    expect((await run(['completion', 'bash', 'x'])).stderr).toBe('error: completion expects 1 argument, found 2\n')
  })

  test('decode of an array names its fragments, and what to type', async () => {
    const names = fragmentNames(SEVERAL)
    expect(names.length).toBeGreaterThan(1)
    const { stderr } = await run(['decode', SEVERAL])
    for (const name of names) expect(stderr).toContain(name)
    const [, call] = /; as in: (decode .+)\n$/.exec(stderr) ?? []
    const live = names.filter((name) => existsSync(`${SEVERAL}/__commits/${name}.vac`))
    expect(call).toBe(`decode ${SEVERAL}/__fragments/${live[0]}`)
    expect((await run(call.split(' '))).code).toBe(0)
  })

  test('of a group the paths of its members are named', async () => {
    const { stderr } = await run(['decode', GROUP])
    const [, paths] = /; its members: (.+)\n$/.exec(stderr) ?? []
    expect(paths.split(', ').sort()).toEqual(['arr1', 'arr2', 'sub'].map((name) => `${GROUP}/${name}`))
  })

  test('lines on a terminal are broken between words, and never inside a path', async () => {
    const { stderr } = await run(['decode', SEVERAL], { columns: 80 })
    const lines = stderr.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(3)
    for (const line of lines) expect(line.length <= 80 || !line.trim().includes(' ')).toBe(true)
    expect(lines.slice(1).every((line) => line.startsWith('  '))).toBe(true)
    expect(lines.map((line) => line.trim()).join(' ')).toBe((await run(['decode', SEVERAL])).stderr.trimEnd())
    const noted = await run(['footer', `${FIXTURES}/22/empty_sparse`], { columns: 20 })
    expect(noted.stderr).toMatch(/^note:\n {2}\S+\n {2}has no fragments\n$/)
  })

  test('a limit below 0 is told what is allowed', async () => {
    expect((await run(['decode', FRAGMENT, '--limit', '-1'])).stderr).toBe(
      'error: --limit expects a whole number from 0 on, found "-1"\n',
    )
  })

  test('a tile below 0, and a field where a file is wanted, are told what is allowed', async () => {
    expect((await run(['decode', FRAGMENT, '--tiles', '-1'])).stderr).toMatch(
      /^error: --tiles expects I\.\.J, tiles from 0 to \d+, found "-1"\n$/,
    )
    const tile = await run(['tile', FRAGMENT, 'a', '--offset', '0'])
    expect(tile).toMatchObject({ code: 2, stderr: expect.stringContaining('as a0.tdb, found "a"\n') })
    expect((await run(['tile', FRAGMENT, 'a0', '--offset', '0'])).code).toBe(0)
  })

  test('a dimension that there is not: those that there are, and no guess from a single letter', async () => {
    const { stderr } = await run(['decode', FRAGMENT, '--range', 'z=9'])
    expect(stderr).toBe('error: --range expects NAME=LO..HI with a dimension (x, y), found "z=9"\n')
  })

  test.each([
    ['a command that there is not', ['list', ARRAY]],
    ['a format that there is not', ['ls', '--format', 'xml', ARRAY]],
    ['a range of no dimension', ['decode', '--range', 'nothing=1', FRAGMENT]],
    ['a field that the fragment lacks', ['decode', '--field', 'nothing', FRAGMENT]],
    ['tiles behind the last', ['decode', '--tiles', '99', FRAGMENT]],
    ['a limit that is no number', ['decode', '--limit', 'few', FRAGMENT]],
    ['a key that is none', ['ls', '--key', 'short', ARRAY]],
  ])('%s', async (_, args) => {
    const ran = await run(args)
    expect(ran.code).toBe(2)
    expectErrorLines(ran)
  })

  test('no command at all says how the program is used', async () => {
    const ran = await run([])
    expect(ran.code).toBe(2)
    expect(ran.text + ran.stderr).toContain('Usage:')
    expect(ran.text + ran.stderr).not.toContain('outputHelp')
  })

  test('an option in front of its target takes one value', async () => {
    expect(await run(['rtree', '--range', 'x=1..9', ARRAY])).toMatchObject({ code: 0, stderr: '' })
    expect(await run(['ls', '--range', 'x=1..9', ARRAY])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('damage: exit 1', () => {
  test('a metadata file that was cut is named, with the byte and the field', async () => {
    const ran = await run(['footer', damaged])
    expect(ran.code).toBe(1)
    expectErrorLines(ran)
    expect(ran.stderr).toContain(`${metadata}: byte `)
    expect(ran.stderr).toMatch(/field \S+: expected .*, found /)
  })

  test.each(['footer', 'rtree', 'metadata', 'decode'])('%s --json of it holds the error', async (command) => {
    const ran = await runJson([command, `${damaged}/__fragments/${FRAGMENT_NAME}`])
    expect(ran.code).toBe(1)
    const error = get(ran.documents.at(-1), 'error')
    expect(get(error, 'file')).toBe(metadata)
    expect(typeof get(error, 'offset')).toBe('number')
    expect(typeof get(error, 'field')).toBe('string')
  })

  test('what can be shown of it is shown', async () => {
    const ran = await runJson(['ls', damaged])
    expect(ran.code).toBe(1)
    const [fragment] = [get(ran.documents[0], 'fragments')].flat()
    expect(get(fragment, 'name')).toBe(FRAGMENT_NAME)
    expect(get(get(fragment, 'error'), 'file')).toBe(metadata)
  })

  test('is a result of verify-checksums, too', async () => {
    const ran = await runJson(['verify-checksums', damaged])
    expect(ran.code).toBe(1)
    expect(get(ran.documents[0], 'ok')).toBe(false)
    expect(get(ran.documents[0], 'verdict')).toBe('damaged')
  })

  test('anywhere in the metadata of a fragment is told as such, wherever the file is cut', async () => {
    const cut = `${folder}/cut`
    cpSync(ARRAY, cut, { recursive: true })
    const file = `${cut}/__fragments/${FRAGMENT_NAME}/__fragment_metadata.tdb`
    const wrong: Json[] = []
    for (let size = 9000; size >= 0; size -= 450) {
      truncateSync(file, size)
      for (const command of ['footer', 'rtree', 'metadata', 'verify-checksums']) {
        const ran = await run([command, `${cut}/__fragments/${FRAGMENT_NAME}`])
        if (ran.code !== 1 || ran.stderr.includes('fault of')) wrong.push([command, size, ran.code, ran.stderr])
      }
    }
    expect(wrong).toEqual([])
  })

  test('wins over what could not be examined', async () => {
    const ran = await run(['ls', damaged, `${folder}/nowhere`])
    expect(ran.code).toBe(1)
  })
})

describe('an array of a version that nobody knows', () => {
  test('is not examined: exit 3', async () => {
    const future = `${folder}/future`
    cpSync(ARRAY, future, { recursive: true })
    const [name] = readdirSync(`${future}/__schema`).filter((entry) => !entry.startsWith('__enum'))
    const { genericTileBytes } = await import('../helpers/generic-tile-bytes.ts')
    const schema = genericTileBytes({ version: 99 }, (io) => ({ version: io.u32('version', 'a field') }))
    writeFileSync(`${future}/__schema/${name}`, schema)
    const ran = await runJson(['schema', future])
    expect(ran.code).toBe(3)
    expect(get(get(ran.documents[0], 'error'), 'code')).toBe('UNSUPPORTED_VERSION')
    expect(ran.stderr).toContain('99')
  })
})

describe('DEBUG', () => {
  test('adds where in the program an error was raised', async () => {
    const ran = await run(['ls', `${folder}/nowhere`], { env: { DEBUG: '1' } })
    expect(ran.stderr).toMatch(/^\s+at /m)
  })
})

test('a name that JavaScript gives every object is no command', async () => {
  const ran = await runJson(['constructor'])
  expect(ran.code).toBe(2)
  expect(ran.stderr).toBe('error: unknown command or no such file or folder: constructor\n')
})

test('an error beside the target is told where a later argument is left out', async () => {
  const broken = `${folder}/broken_schema`
  cpSync(ARRAY, broken, { recursive: true })
  const [schema] = readdirSync(`${broken}/__schema`).filter((name) => name.startsWith('__1'))
  truncateSync(`${broken}/__schema/${schema}`, 10)
  const ran = await run(['at', `${broken}/__fragments/${FRAGMENT_NAME}`, '--cell', 'x=1'])
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain(`error: ${broken}/__schema/${schema}: `)
})

test.each([
  ['--output without a name', ['--json', '-o', '']],
  ['two formats', ['--json', '--format', 'csv']],
  ['a URL', ['--json', '-o', 'http://host/x.json']],
])('a JSON format has a document for an error of the output: %s', async (_, options) => {
  const ran = await run(['ls', ARRAY, ...options])
  expect(ran.code).toBe(2)
  const message = ran.stderr.replace(/^error: |\n$/g, '')
  expect(JSON.parse(ran.text)).toEqual({ error: { code: 'USAGE', message } })
})
