import { expect, test } from '@jest/globals'
import {
  addPlace,
  addSection,
  asInspectError,
  ClosedPipe,
  commandLineText,
  InspectError,
  inconsistent,
  longer,
  orError,
  unlessFault,
  withHint,
} from '../src/base/errors.ts'

/** The error that `work` throws. */
function thrown(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

test.each<[what: string, () => unknown]>([
  ['memory', () => new ArrayBuffer(2 ** 52)],
  ['a tile of more bytes than an array can have', () => new Uint8Array(2 ** 40)],
  ['a text', () => 'x'.repeat(2 ** 30)],
])('%s that cannot be had is TOO_LARGE', (_, work) => {
  const error = asInspectError(thrown(work))
  expect(error).toMatchObject({ code: 'TOO_LARGE', message: expect.stringMatching(/^there is not enough memory/) })
})

test('a negative length is a fault of this program', () => {
  expect(asInspectError(thrown(() => new Uint8Array(-1))).code).toBe('INTERNAL')
})

test('an error of this program says so, and keeps its cause', () => {
  const cause = new TypeError('x is not a function')
  expect(asInspectError(cause)).toMatchObject({
    code: 'INTERNAL',
    message: 'this is a fault of tiledb-inspect (TypeError: x is not a function)',
    commandLine: 'this is a fault of tiledb-inspect (TypeError: x is not a function); DEBUG=1 shows where',
    cause,
  })
  expect(asInspectError('text').message).toContain('(text)')
})

test('the sentence of the command line stays with an error that is said again', () => {
  const mismatch = withHint({ expected: 'at most 2 cells', found: 3 }, '(--limit sets another bound)')
  const error = new InspectError('TOO_LARGE', mismatch)
  const commandLine = 'expected at most 2 cells (--limit sets another bound), found 3'
  const both = { message: 'expected at most 2 cells, found 3', commandLine }
  expect(error).toMatchObject(both)
  expect(commandLineText(error)).toBe(commandLine)
  const placed = addPlace(addSection(error, 'footer'), { file: 'a' })
  expect(placed).toMatchObject({ ...both, at: { file: 'a', field: 'footer' } })
  expect(new InspectError('TOO_LARGE', longer(error.fault, '; more'))).toMatchObject({
    message: `${both.message}; more`,
    commandLine: `${commandLine}; more`,
  })
  const sentence = new InspectError('KEY_NEEDED', { says: 'a array', commandLine: 'a array: --key' })
  expect(new InspectError('KEY_NEEDED', longer(sentence.fault, '; more'))).toMatchObject({
    message: 'an array; more',
    commandLine: 'an array: --key; more',
  })
  expect(commandLineText(inconsistent('the same'))).toBe('the same')
})

test('a closed pipe is no error of this program', () => {
  const closed = new ClosedPipe()
  expect(thrown(() => asInspectError(closed))).toBe(closed)
})

test('only errors of reading count as faults', async () => {
  const fault = inconsistent('expected one, found two')
  const other = new TypeError()
  expect(fault).toBeInstanceOf(InspectError)
  expect(unlessFault(fault)).toBeUndefined()
  expect(thrown(() => unlessFault(other))).toBe(other)
  await expect(orError(() => Promise.reject(fault))).resolves.toBe(fault)
  await expect(orError(() => Promise.reject(other))).rejects.toBe(other)
})

test('a name that is not UTF-8 becomes valid text in a message', () => {
  expect(inconsistent('expected a, found \udcff').message).toBe('expected a, found \\udcff')
})
