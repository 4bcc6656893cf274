import { cpSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

test('the title of the table says which time was asked for', async () => {
  const title = async (...times: string[]): Promise<string> =>
    (await run(['read', `${FIXTURES}/22/deletes`, ...times])).text.split('\n')[0]
  expect(await title()).toBe(`${FIXTURES}/22/deletes`)
  expect(await title('--as-of', '15')).toBe(`${FIXTURES}/22/deletes, as opened at 15`)
  expect(await title('--between', '5..15')).toBe(`${FIXTURES}/22/deletes, as opened between 5 and 15`)
})

test('on a narrow terminal, too, the table of --provenance shows the fragments', async () => {
  const { text } = await run(['read', `${FIXTURES}/22/dense_basic`, '--provenance'], { columns: 60 })
  expect(text).toMatch(/│ .*y.* │ .*x.* │ .*__fragment.* │ .*a.* │/)
})

const many = `${temporaryFolder()}/many`

test('on a narrow terminal, the fields that are asked about are beside the dimensions', async () => {
  const options = ['--dim', 'x:INT32:0..9:5', ...[...'abcdefgh'].flatMap((name) => ['--attr', `${name}:INT64`])]
  expect((await run(['write-sample', many, '--cells', '9', ...options])).code).toBe(0)
  const head = async (columns: number, ...asked: string[]): Promise<string[]> => {
    const { text } = await run(['read', many, ...asked], { columns, env: { NO_COLOR: '1' } })
    return text.match(/^.*\bx\b.*$/m)?.[0].match(/\w+/g) ?? []
  }
  expect((await head(60)).slice(0, 2)).toEqual(['x', 'a'])
  expect((await head(60, '--sort-by', 'g:desc', '--limit', '3')).slice(0, 3)).toEqual(['x', 'g', 'a'])
  expect((await head(60, '--where', 'h != 12345 or (x > 0 and g < 0)')).slice(0, 4)).toEqual(['x', 'g', 'h', 'a'])
  expect((await run(['read', many, '--where', 'h != 12345'])).text).toMatch(/^ *x +a +b +c +d +e +f +g +h$/m)
})

/** An array of which the tests damage a fragment in a copy. */
const INTACT = `${FIXTURES}/merged/later_than_named`
const DAMAGED_FRAGMENT = fragmentNames(INTACT).find((one) => one.startsWith('__20_20_'))
const LINES = ['--provenance', '--format', 'ndjson']
const copy = `${temporaryFolder()}/array`
const inCopy = `${copy}/__fragments/${DAMAGED_FRAGMENT}`

function copyArray(): void {
  rmSync(copy, { recursive: true, force: true })
  cpSync(INTACT, copy, { recursive: true })
}

describe('--keep-going: cells that cannot be read still hide older ones', () => {
  test.each([
    ['a file is missing', (file: string) => rmSync(file)],
    ['tiles are cut off', (file: string) => truncateSync(file, 60)],
  ])('%s', async (_, damage) => {
    copyArray()
    damage(`${inCopy}/a0.tdb`)
    const whole = await run(['read', INTACT, ...LINES])
    const { code, text } = await run(['read', copy, ...LINES, '--keep-going'])
    expect(code).toBe(1)
    const cellsOf = (lines: string): string[] => lines.split('\n').filter(Boolean)
    const [cells, all] = [cellsOf(text), cellsOf(whole.text)]
    // No older cell is shown in place of a lost one.
    expect(all).toEqual(expect.arrayContaining(cells))
    const ofOthers = all.filter((line) => !line.includes(`"${DAMAGED_FRAGMENT}"`))
    expect(cells).toEqual(expect.arrayContaining(ofOthers))
    expect(cells.length).toBeLessThan(all.length)
  })
})

describe('--keep-going leaves out fragments that cannot be opened', () => {
  test.each([
    ['no folder', () => rmSync(inCopy, { recursive: true })],
    ['no metadata', () => rmSync(`${inCopy}/__fragment_metadata.tdb`)],
    ['no footer', () => truncateSync(`${inCopy}/__fragment_metadata.tdb`, 100)],
  ])('%s', async (_, damage) => {
    copyArray()
    damage()
    const { code, text, stderr } = await run(['read', copy, ...LINES, '--keep-going'])
    expect(code).toBe(1)
    expect(stderr).toContain(DAMAGED_FRAGMENT)
    expect(stderr).toContain('older cells that the missing fragment hides are shown')
    expect(text).toContain('"__fragment"')
    expect(text).not.toContain(`"${DAMAGED_FRAGMENT}"`)
    expect((await run(['read', copy, ...LINES])).code).toBe(1)
  })
})

test('--raw leaves the names of --provenance as they are', async () => {
  const { text } = await run(['read', `${FIXTURES}/22/dense_basic`, ...LINES, '--raw', '--limit', '1'])
  expect(text).toMatch(/"__fragment":"__\d+_\d+_/)
})

test('a condition on a field that the array lacks is an error without notes', async () => {
  const ran = await run(['read', `${FIXTURES}/22/dense_basic`, '--where', 'zz > 3'])
  expect(ran).toMatchObject({ code: 2, text: '', stderr: expect.stringMatching(/^error: --where "zz > 3"/) })
})

describe('a date without a time', () => {
  const array = `${temporaryFolder()}/times`
  const note =
    /^note: no cells: a date without a time is one instant; --range t=2024-05-01\.\.2024-05-01T23:59:59 is the day$/m

  test('that has no cells is said to be one instant, and how the day is written', async () => {
    const options = ['--dim', 't:DATETIME_SEC:2024-01-01..2024-12-31', '--attr', 'a:INT32', '--data', `${array}.csv`]
    writeFileSync(`${array}.csv`, 't,a\n2024-05-01T10:00:00,1\n2024-05-02,2\n')
    expect((await run(['write-sample', array, ...options])).code).toBe(0)
    const stderr = async (...more: string[]): Promise<string> => (await run(['read', array, ...more])).stderr
    expect(await stderr('--range', 't=2024-05-01')).toMatch(note)
    expect(await stderr('--range', 't=2024-05-01', '--format', 'csv')).toMatch(note)
    for (const range of ['t=2024-05-01..2024-05-01T23:59:59', 't=2024-05-02', 't=2024-05-03..2024-05-04'])
      expect(await stderr('--range', range)).toBe('')
    expect(await stderr('--range', 't=2024-05-01', '--limit', '0')).toBe('')
  })
})
