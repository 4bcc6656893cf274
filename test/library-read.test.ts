import { describe, expect, test } from '@jest/globals'
import {
  collectColumns,
  type InspectError,
  MemoryStorage,
  openArray,
  type ReadOptions,
  readArray,
  readCells,
  writeArrowStream,
} from '../src/index.ts'
import { failureOf } from './helpers/failure.ts'
import { FIXTURES } from './helpers/fixtures.ts'
import { filesBelow } from './helpers/folders.ts'
import { run } from './helpers/run.ts'

async function rowsOf(name: string, options: ReadOptions = {}): Promise<{ [field: string]: unknown }[]> {
  const rows: { [field: string]: unknown }[] = []
  for await (const row of readCells(await readArray(await openArray(`${FIXTURES}/22/${name}`), options))) rows.push(row)
  return rows
}

async function printed(args: readonly string[]): Promise<{ [field: string]: unknown }[]> {
  const { text, code } = await run(['read', '--format', 'ndjson', ...args])
  expect(code).toBe(0)
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

const plain = (rows: unknown): unknown =>
  JSON.parse(
    JSON.stringify(rows, (_, value: unknown) => {
      if (typeof value === 'bigint') return Number(value)
      return value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value
    }),
  )

describe('readArray', () => {
  test.each<[string, ReadOptions, string[]]>([
    ['sparse_basic', {}, []],
    ['deletes', {}, []],
    ['evolved_sparse', {}, []],
    ['text_bytes', {}, []],
    ['sparse_2d_row_row', { order: 'col-major' }, ['--order', 'col-major']],
    ['sparse_basic', { provenance: true }, ['--provenance']],
    ['dense_basic', {}, []],
    ['evolved_dense', {}, []],
    ['dense_3d_col_row', { order: 'global' }, ['--order', 'global']],
  ])('%s, %j: the cells are those of `read`', async (name, options, args) => {
    const rows = await rowsOf(name, options)
    const own = await readArray(await openArray(`${FIXTURES}/22/${name}`), options)
    const named = rows.map((row) => {
      const index = row.__fragment
      return typeof index === 'number' ? { ...row, __fragment: own.fragments[index] } : row
    })
    expect(rows.length).toBeGreaterThan(0)
    expect(plain(named)).toEqual(await printed([...args, `${FIXTURES}/22/${name}`]))
  })

  test.each<[string, ReadOptions, string[]]>([
    ['one of a dimension', { ranges: { x: [10, 40] } }, ['x=10..40']],
    [
      'several of a dimension',
      {
        ranges: {
          x: [
            [0, 10],
            [50, 60n],
          ],
        },
      },
      ['x=0..10', 'x=50..60'],
    ],
    ['open ends', { ranges: { x: [undefined, 40], y: [0, undefined] } }, ['x=..40', 'y=0..']],
  ])('ranges: %s', async (_, options, ranges) => {
    const all = await rowsOf('sparse_basic')
    const rows = await rowsOf('sparse_basic', options)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThan(all.length)
    const args = ranges.flatMap((range) => ['--range', range])
    expect(plain(rows)).toEqual(await printed([...args, `${FIXTURES}/22/sparse_basic`]))
  })

  test('ranges of text and dates', async () => {
    const texts = await rowsOf('string_dim')
    const [dimension] = Object.keys(texts[0])
    const first = texts.map((row) => String(row[dimension])).sort()[0]
    expect(await rowsOf('string_dim', { ranges: { [dimension]: [first, first] } })).toEqual(
      texts.filter((row) => row[dimension] === first),
    )
  })

  test('between: the array at a time', async () => {
    const array = `${FIXTURES}/22/deletes`
    const rows = await rowsOf('deletes', { between: [0, 10n] })
    expect(rows.length).toBeGreaterThan(0)
    expect(plain(rows)).toEqual(await printed(['--as-of', '10', array]))
    const { between } = await readArray(await openArray(array), { between: [5, 15] })
    expect(between).toEqual([5n, 15n])
  })

  test('asOf: the same from the first time on, or at a date', async () => {
    const until = await rowsOf('deletes', { between: [0, 10] })
    expect(until.length).toBeGreaterThan(0)
    for (const asOf of [10, 10n, new Date(10)]) expect(await rowsOf('deletes', { asOf })).toEqual(until)
    expect(await rowsOf('deletes', { asOf: 9 })).toEqual([])
  })

  test.each([
    [{ asOf: 1, between: [0, 1] as const }, 'expected asOf or between, found both'],
    [{ asOf: new Date('never') }, 'expected a time in milliseconds since 1970, or a date, found Invalid Date'],
    [{ asOf: 0.5 }, 'found 0.5'],
    [{ between: [-1, 5] as const }, 'found -1'],
  ])('no times: %j', async (options, message) => {
    await expect(rowsOf('deletes', options)).rejects.toThrow(message)
  })

  test('where: the cells that meet a condition; fields: only these attributes', async () => {
    const all = await rowsOf('sparse_basic')
    const rows = await rowsOf('sparse_basic', { where: 'n != None and x > 20', fields: ['n'] })
    const kept = all.filter(({ n, x }) => n !== null && Number(x) > 20)
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThan(all.length)
    expect(rows).toEqual(kept.map(({ x, y, n }) => ({ x, y, n })))
  })

  test.each<[ReadOptions, string]>([
    [{ fields: ['aa'] }, 'expected a field of the array (x, y, a, s, f, p, t, n), found "aa"; did you mean "a"?'],
    [{ ranges: { z: [1, 2] } }, 'expected a dimension of the array (x, y), found "z"'],
    [{ ranges: { x: [2, 1] } }, 'expected a range of x that begins before its end, found 2 and 1'],
    [
      { ranges: { x: ['two', 3] } },
      'expected an end of a range of x: expected an integer from -2147483648 to 2147483647 for INT32, found "two"',
    ],
    [
      { between: ['2024-05-01', '2024-05-02'] as unknown as [number, number] },
      'expected a time in milliseconds since 1970, or a date, found 2024-05-01',
    ],
    [{ order: 'hilbert' as 'global' }, 'expected an order (row-major, col-major, global, unordered), found "hilbert"'],
  ])('%j is wrong usage', async (options, message) => {
    const array = await openArray(`${FIXTURES}/22/sparse_basic`)
    const { code, message: said } = await failureOf(() => readArray(array, options))
    expect([code, said]).toEqual(['USAGE', message])
  })

  test('onFault: a tile that cannot be read is left out', async () => {
    const files = new Map(filesBelow(`${FIXTURES}/22/sparse_2d_row_row`, 'array'))
    const [damaged] = [...files.keys()].filter((path) => /\/a0\.tdb$/.test(path))
    files.set(damaged, new Uint8Array(files.get(damaged)?.length ?? 0))
    const array = await openArray('array', { storage: new MemoryStorage(files) })
    const read = async (options: ReadOptions): Promise<number> => {
      let count = 0
      for await (const _ of readCells(await readArray(array, options))) count++
      return count
    }
    const { at } = await failureOf(() => read({}))
    expect(at.file).toBe(damaged)
    const faults: InspectError[] = []
    const left = await read({ onFault: (fault) => faults.push(fault) })
    expect(faults[0].at.file).toBe(damaged)
    expect(left).toBeLessThan((await rowsOf('sparse_2d_row_row')).length)
  })

  test('its cells go to typed arrays and to Arrow, and kept batches do not change', async () => {
    const array = await openArray(`${FIXTURES}/22/sparse_2d_row_row`)
    const cells = await readArray(array)
    const rows = await rowsOf('sparse_2d_row_row')
    const columns = await collectColumns(cells)
    const [{ name }] = cells.columns
    expect([...(columns.get(name)?.values ?? [])]).toEqual(rows.map((row) => row[name]))

    const pieces: Uint8Array[] = []
    await writeArrowStream(cells, (piece) => {
      pieces.push(piece)
    })
    const { stdout } = await run(['read', '--format', 'arrow', `${FIXTURES}/22/sparse_2d_row_row`])
    expect(Buffer.concat(pieces).equals(stdout)).toBe(true)

    const kept = []
    for await (const batch of cells.batches()) kept.push({ batch, copy: structuredClone(batch) })
    expect(kept.length).toBeGreaterThan(1)
    for (const { batch, copy } of kept) expect(batch).toEqual(copy)
  })
})

describe('what programs without types pass', () => {
  const array = `${FIXTURES}/22/sparse_basic`

  test.each<[string, () => Promise<unknown>, string]>([
    ['a number as a path', () => openArray(5 as never), 'expected a path or URL as text, found 5'],
    ['no path', () => openArray(undefined as never), 'expected a path or URL as text, found undefined'],
    [
      'an unknown option',
      () => openArray(array, { keys: '' } as never),
      'expected one of the options key, memory, storage, onNote, signRequests, found "keys"; did you mean "key"?',
    ],
    ['text as options', () => openArray(array, 'key' as never), 'expected options as an object, found "key"'],
    [
      'a misspelt option',
      async () => readArray(await openArray(array), { wher: 'x' } as never),
      'did you mean "where"?',
    ],
    [
      'a text as fields',
      async () => readArray(await openArray(array), { fields: 'a' as never }),
      'expected fields as an array of names, found "a"',
    ],
    [
      'a path in place of an array',
      () => readArray(array as never),
      `expected an array that this library opened, found ${JSON.stringify(array)}`,
    ],
    ['nothing in place of cells', () => readCells(null as never).next(), 'found null'],
  ])('%s is a wrong use', async (_, call, message) => {
    const error = await call().catch((one: unknown) => one)
    expect(error).toMatchObject({ name: 'InspectError', code: 'USAGE', message: expect.stringContaining(message) })
  })
})

test('of an error that nobody catches, the first line of its stack has the file', async () => {
  const error = await failureOf(() => openArray('nowhere/at/all'))
  expect(error.stack).toMatch(/^InspectError: nowhere\/at\/all: no such file or folder\n {4}at /)
})
