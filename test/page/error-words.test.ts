import { expect, test } from '@jest/globals'
import { asInspectError, ERROR_CODES, orError } from '../../src/base/errors.ts'
import { FINDING_CODES } from '../../src/check/codes.ts'
import { localFiles } from '../../src/node/file.ts'
import { type CommandName, Engine } from '../../src/page/engine.ts'
import { ERROR_TITLES } from '../../src/page/error-titles.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { addZstd } from '../helpers/page-wasm.ts'
import { run, runJson } from '../helpers/run.ts'

addZstd()

const ARRAY = `${FIXTURES}/22/sparse_basic`

function documentOf(name: CommandName, options: object, path = ARRAY): Promise<unknown> {
  return new Engine({ storage: localFiles, path, shown: path }, undefined).document(name, options, [path])
}

async function errorMessage(args: readonly string[]): Promise<string> {
  const { text } = await run([...args, '--json'])
  return (JSON.parse(text) as { error: { message: string } }).error.message
}

/** Wrong calls that the forms and links of the page can make: what the page says, and how the command line begins instead. */
const CALLS: readonly (readonly [name: CommandName, options: object, words: string, commandLine: string])[] = [
  [
    'read',
    { range: ['foo=1..2'] },
    'expected a range LO..HI of a dimension (x, y), found "foo=1..2"',
    '--range expects NAME=LO..HI with a dimension (x, y), found "foo=1..2"',
  ],
  [
    'read',
    { range: ['x=9..3'] },
    'expected LO..HI with LO up to HI, found "x=9..3"',
    '--range expects LO..HI with LO up to HI, found "x=9..3"',
  ],
  ['read', { range: ['x=a'] }, 'x=a: ', '--range x=a: '],
  [
    'read',
    { where: ['foo'] },
    'condition "foo": expected a comparison, found only the field "foo" at character 1',
    '--where "foo": expected a comparison, found only the field "foo" at character 1',
  ],
  [
    'read',
    { limit: 'x' },
    'expected a whole number from 0 on, found "x"',
    '--limit expects a whole number from 0 on, found "x"',
  ],
  [
    'read',
    { limit: '--x' },
    'expected a whole number from 0 on, found "--x"',
    '--limit expects a whole number from 0 on, found "--x"',
  ],
  [
    'read',
    { order: 'foo' },
    'expected row-major, col-major, global, unordered, found "foo"',
    '--order expects row-major, col-major, global, unordered, found "foo"',
  ],
  [
    'read',
    { asOf: 'x' },
    'expected milliseconds since 1970 or a date in UTC, as in 2024-05-01T10:00:00Z, found "x"',
    '--as-of expects milliseconds since 1970 or a date in UTC, as in 2024-05-01T10:00:00Z, found "x"',
  ],
  [
    'history',
    { cell: ['x=1..2,y=1'] },
    'expected one value for x, found a range',
    '--cell expects one value for x, found a range (--range takes ranges)',
  ],
  [
    'history',
    { cell: ['abc'] },
    'expected a value for each dimension, by name (x, y), found "abc"',
    '--cell expects NAME=V with a dimension (x, y), found "abc"',
  ],
  [
    'check',
    { level: 'x' },
    'expected structure, chunks, cells, found "x"',
    '--level expects structure, chunks, cells, found "x"',
  ],
]

test.each(CALLS)('%s %j: only the command line names the option', async (name, options, words, commandLine) => {
  const error = await orError(() => documentOf(name, options))
  expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(words) })
  const args = Object.entries(options).flatMap(([option, value]) => [
    `--${option === 'asOf' ? 'as-of' : option}`,
    ...[value].flat(),
  ])
  const told = await errorMessage([name, ...args, ARRAY])
  expect(told.startsWith(commandLine)).toBe(true)
})

test('without the key, the page says nothing of options, and the command line does', async () => {
  const path = `${FIXTURES}/22/encrypted`
  const message = 'the array is encrypted (AES_256_GCM)'
  expect(await orError(() => documentOf('schema', {}, path))).toMatchObject({ code: 'KEY_NEEDED', message })
  expect(await errorMessage(['schema', path])).toBe(`${message}: give its key with --key or --key-file`)
  const inPage = await documentOf('overview', {}, path)
  const onCommandLine = (await runJson(['overview', path])).documents[0]
  for (const [found, text] of [
    [inPage, message],
    [onCommandLine, `${message}: give its key with --key or --key-file`],
  ] as const)
    expect(found).toMatchObject({ not_examined: [expect.objectContaining({ message: text })] })
})

test('what was not checked names options on the command line only', async () => {
  const unchecked = ['cells', 'uncommitted fragments and unused enumerations']
  expect(await documentOf('check', {})).toMatchObject({ not_checked: unchecked })
  const [document] = (await runJson(['check', ARRAY])).documents
  expect(document).toMatchObject({ not_checked: [`${unchecked[0]} (--level cells)`, `${unchecked[1]} (--all)`] })
})

test('a fault of the page does not speak of DEBUG', () => {
  const error = asInspectError(new TypeError('x'))
  expect(error.message).toBe('this is a fault of tiledb-inspect (TypeError: x)')
  expect(error.commandLine).toBe(`${error.message}; DEBUG=1 shows where`)
})

test('every code has a title', () => {
  for (const words of Object.values(ERROR_TITLES)) expect(words).toMatch(/^[A-Z][A-Za-z ]+$/)
  expect(Object.keys(ERROR_TITLES).sort()).toEqual(Object.keys(ERROR_CODES).sort())
})

test('a meaning names no option alone, as the page shows it, too', () => {
  for (const { meaning } of Object.values(FINDING_CODES)) expect(meaning).not.toMatch(/(?<!\bcheck) --?[a-z]/)
})
