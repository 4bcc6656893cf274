import { expect, test } from '@jest/globals'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

type Row = Record<string, unknown>

const folder = temporaryFolder()

async function rowsOf(array: string, ...options: string[]): Promise<Row[]> {
  const { text, code, stderr } = await run(['read', array, '--format', 'ndjson', '--int64', 'string', ...options])
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') })
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** Sorts rows as `--sort-by` says it does. Integers of 64 bits are text here. */
function sorted(rows: Row[], field: string, descending: boolean): Row[] {
  const keyOf = (row: Row): unknown => {
    const value = row[field]
    if (value === null || value === 'NaN' || value === 'NaT') return undefined
    return typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : value
  }
  return rows.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)]
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    const order = Number((a as number) > (b as number)) - Number((a as number) < (b as number))
    return descending ? -order : order
  })
}

const FIELDS = [
  ['a', 'INT64?'],
  ['b', 'FLOAT32'],
  ['c', 'STRING_ASCII:var?'],
  ['d', 'UINT8'],
  ['e', 'DATETIME_DAY'],
] as const

test.each(['sparse', 'dense'])('%s cells come in the order of any field, equal ones as without it', async (kind) => {
  const array = `${folder}/${kind}`
  const attributes = FIELDS.flatMap(([name, type]) => ['--attr', `${name}:${type}`])
  const shape =
    kind === 'dense' ? ['--dense', '--dim', 'x:INT32:0..99:7'] : ['--dim', 'x:INT32:0..9999:7', '--cells', '300']
  const made = await run(['write-sample', array, ...shape, ...attributes, '--fragments', '3'])
  expect(made.code).toBe(0)
  const all = await rowsOf(array)
  expect(all.length).toBeGreaterThan(90)
  for (const field of ['x', ...FIELDS.map(([name]) => name)])
    for (const direction of ['', ':asc', ':desc'])
      for (const limit of [7, 10_000]) {
        const found = await rowsOf(array, '--sort-by', field + direction, '--limit', String(limit))
        expect(found).toEqual(sorted(all, field, direction === ':desc').slice(0, limit))
      }
})

test('with --where on a dense array, a note names the call that shows only cells that meet it', async () => {
  const array = `${FIXTURES}/22/dense_basic`
  const { stderr } = await run(['read', array, '--where', 'a > 3'])
  expect(stderr).toMatch(
    /shown with fill values; --sort-by a:desc --limit 10 shows only cells that meet it, stats --read --where counts them\n$/,
  )
  const met = await rowsOf(array, '--where', 'a > 3', '--sort-by', 'a:desc', '--limit', '10')
  expect(met.every(({ a }) => Number(a) > 3)).toBe(true)
  expect((await run(['read', array, '--where', 'a > 3', '--field', 'f'])).stderr).not.toContain('--sort-by a')
})

test('of a dense array only written cells that meet the condition are sorted', async () => {
  const array = `${FIXTURES}/22/dense_basic`
  const written = (await rowsOf(array, '--provenance')).filter((row) => row.__fragment !== null)
  const sortedA = await rowsOf(array, '--sort-by', 'a:desc', '--limit', '5', '--provenance')
  expect(sortedA).toEqual(sorted(written, 'a', true).slice(0, 5))
  const values = written.map((row) => Number(row.a)).toSorted((a, b) => a - b)
  const middle = values[values.length >> 1]
  const met = await rowsOf(array, '--sort-by', 'a', '--limit', '3', '--where', `a >= ${middle}`)
  expect(met.map((row) => Number(row.a))).toEqual(values.filter((value) => value >= (middle ?? 0)).slice(0, 3))
})

test.each([
  [['--sort-by', 'a'], '--sort-by needs --limit, of at most 100000 cells'],
  [['--sort-by', 'a', '--limit', '100001'], '--sort-by needs --limit, of at most 100000 cells'],
  [['--sort-by', 'aa', '--limit', '1'], '--sort-by expects a field ("y", "x", "a"'],
  [['--sort-by', 'a:down', '--limit', '1'], '--sort-by expects a field'],
])('%j is refused', async (options, message) => {
  const { code, stderr } = await run(['read', `${FIXTURES}/22/dense_basic`, ...options])
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
