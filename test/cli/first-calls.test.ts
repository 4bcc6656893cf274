import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { grammatical } from '../../src/base/errors.ts'
import { run } from '../helpers/run.ts'

const PLACES = 'examples/arrays/places'

describe('options before the command', () => {
  test.each([
    ['--json', 'ls', PLACES],
    ['--format', 'csv', 'ls', PLACES],
    ['--int64', 'string', '--json', 'ls', PLACES],
    ['--limit', '2', '--field', 'name', 'decode', `${PLACES}/__17`],
    ['--key', 'ls'.repeat(16), 'ls', PLACES],
    ['--quiet', '--color=never', 'schema', PLACES],
  ])('%s %s %s', async (...args) => {
    const command = ['ls', 'decode', 'schema'].find((name) => args.includes(name)) ?? ''
    const at = args.lastIndexOf(command)
    const usual = await run([command, ...args.slice(0, at), ...args.slice(at + 1)])
    expect(await run(args)).toEqual(usual)
    expect(usual.code).toBe(0)
  })

  test('are not those of the program itself', async () => {
    expect((await run(['--version'])).text).toMatch(/^\d/)
    expect((await run(['--help'])).text).toContain('Usage:')
    expect((await run(['--json'])).code).toBe(2)
  })
})

describe('what people try first', () => {
  test('-- in front of a target changes nothing', async () => {
    expect(await run(['--', PLACES])).toEqual(await run([PLACES]))
  })

  test('verify is verify-checksums', async () => {
    expect(await run(['verify', PLACES])).toEqual(await run(['verify-checksums', PLACES]))
  })

  test.each([
    [['--quiet'], "missing required argument 'target'"],
    [['--key', 'abc', '--json'], "missing required argument 'target'"],
    [['--format'], "option '--format <format>' argument missing"],
    [['--', 'nowhere'], 'unknown command or no such file or folder: nowhere'],
    [['ls', PLACES, '--json=1'], '--json takes no value'],
    [['cat', PLACES], 'read shows the cells of an array, decode those of a fragment'],
    [['info', PLACES], 'schema, ls and stats'],
    [['du', PLACES], 'stats'],
    [['fsck', PLACES], 'check'],
    [['version'], '--version'],
    [['commits', '--sort', 'size', PLACES], '--format csv'],
    [['decode', '--head', PLACES], '--limit'],
  ])('%j gets a hint', async (args, hint) => {
    const { code, stderr } = await run(args)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: [^\n]+\n$/)
    expect(stderr).toContain(hint)
    expect(stderr).not.toContain('did you mean')
  })

  test('the package has what the examples speak of', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8')).files).toContain('examples')
  })
})

describe('what may be a key is not repeated', () => {
  const keys = ['0123456789abcdef'.repeat(4), 'q'.repeat(32), `${'A'.repeat(42)}8=`]
  test.each(
    keys.flatMap((key) => [
      [key, PLACES],
      [`--key${key}`, 'ls', PLACES],
      ['ls', PLACES, `--kye=${key}`],
      ['ls', PLACES, `-k${key}`],
      ['ls', PLACES, '--key-file', key],
      ['ls', PLACES, '--key', `${key}0`],
      ['ls', key, PLACES],
      ['ls', PLACES, '--format', key],
      ['--key', key],
    ]),
  )('%s %s %s %s', async (...args) => {
    const key = keys.find((one) => args.some((arg) => arg.includes(one))) ?? ''
    const { code, stderr, text } = await run([...args, '--json'])
    expect(code).toBeGreaterThan(1)
    expect(stderr + text).not.toContain(key)
    expect(stderr).toMatch(/^error: [^\n]+\n$/m)
  })
})

test.each([
  ['expected 1 bytes, found 2 bytes', 'expected 1 byte, found 2 bytes'],
  ['found 1 cells in 1 boxes of 1 entries', 'found 1 cell in 1 box of 1 entry'],
  ['found 11 cells, 1.1 bytes, x1 tiles, 0,1 bytes', 'found 11 cells, 1.1 bytes, x1 tiles, 0,1 bytes'],
  ['expected a array, found a index', 'expected an array, found an index'],
  ['found "a array of 1 cells"', 'found "a array of 1 cells"'],
  ['a is not a uint8', 'a is not a uint8'],
  ['expected 1 unfiltered bytes, found 1 other bytes', 'expected 1 unfiltered byte, found 1 other byte'],
  ['expected 1 fields, as in the header', 'expected 1 field, as in the header'],
])('%s reads %s', (message, said) => expect(grammatical(message)).toBe(said))

test('a folder of arrays is shown as a whole', async () => {
  const { code, text, stderr } = await run(['ls', 'examples/arrays'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(text).toMatch(
    /^examples\/arrays: folder, 3 members\n[\s\S]*^blood +group [\s\S]*^places +sparse [\s\S]*^weather +dense /m,
  )
})
