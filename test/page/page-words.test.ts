import { expect, test } from '@jest/globals'
import { ERROR_CODES } from '../../src/base/errors.ts'
import { FINDING_CODES } from '../../src/check/codes.ts'
import { ERROR_TITLES, pageWords } from '../../src/page/page-words.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { run } from '../helpers/run.ts'

const ARRAY = `${FIXTURES}/22/sparse_basic`

/** Wrong calls that the forms and links of the page can make. */
const CALLS: readonly (readonly [args: readonly string[], words: string])[] = [
  [['read', '--range', 'foo=1..2'], 'expected a range LO..HI of a dimension (x, y), found "foo=1..2"'],
  [['read', '--range', 'x=9..3'], 'expected LO..HI with LO up to HI, found "x=9..3"'],
  [['read', '--where', 'foo'], 'condition "foo": expected a comparison, found only the field "foo" at character 1'],
  [['read', '--limit', 'x'], 'expected a whole number from 0 on, found "x"'],
  [['read', '--limit', '--x'], 'expected a whole number from 0 on, found "--x"'],
  [['read', '--order', 'foo'], 'expected row-major, col-major, global, unordered, found "foo"'],
  [
    ['read', '--as-of', 'x'],
    'expected milliseconds since 1970 or a date in UTC, as in 2024-05-01T10:00:00Z, found "x"',
  ],
  [['history', '--cell', 'x=1..2,y=1'], 'expected one value for x, found a range'],
  [['history', '--cell', 'abc'], 'expected a value for each dimension, by name (x, y), found "abc"'],
  [['check', '--level', 'x'], 'expected structure, chunks, cells, found "x"'],
]

test.each(CALLS)('what %j says has no option of the command line in the page', async ([name, ...args], words) => {
  const { text } = await run([name, '--json', ...args, ARRAY])
  const { error } = JSON.parse(text) as { error: { message: string } }
  expect(pageWords(error.message)).toBe(words)
})

test('no code and no meaning of a finding has an option, and quoted text stays', () => {
  for (const words of Object.values(ERROR_TITLES)) expect(words).toMatch(/^[A-Z][A-Za-z ]+$/)
  expect(Object.keys(ERROR_TITLES).sort()).toEqual(Object.keys(ERROR_CODES).sort())
  for (const { meaning } of Object.values(FINDING_CODES)) expect(pageWords(meaning)).not.toMatch(/ --?[a-z]/)
  expect(pageWords('expected a name, found "--range (--x)"')).toBe('expected a name, found "--range (--x)"')
  expect(pageWords('the array is encrypted (AES_256_GCM): give its key with --key or --key-file')).toBe(
    'the array is encrypted (AES_256_GCM): type its key below',
  )
})
