import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { type Output, Pages, type Result } from '../../src/base/result.ts'
import { ColumnRows, ValueColumn } from '../../src/cells/column-rows.ts'
import { DATATYPES, datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
import { ColumnLines } from '../../src/rows/column-lines.ts'
import { writeCsv } from '../../src/rows/csv.ts'
import { type JsonStyle, writeJson } from '../../src/rows/json.ts'
import { writeNdjson } from '../../src/rows/ndjson.ts'
import { Random } from '../helpers/random.ts'
import { shortTurn } from '../helpers/turn.ts'

/** More rows than are written before the module is compiled. */
const ROWS = 1300

const TYPES = DATATYPES.filter((type) =>
  ['int', 'uint', 'float', 'datetime', 'time', 'bool'].includes(datatypeKind(type)),
)

function textOutput(): { out: Output; text: () => string } {
  let all = ''
  const write = (piece: string | Uint8Array): void => {
    all += typeof piece === 'string' ? piece : new TextDecoder().decode(piece)
  }
  return { out: { columns: undefined, color: false, write }, text: () => all }
}

/** Random cells, often of few bits, so that floats are short, long, infinite and no numbers. */
function cells(random: Random, type: (typeof DATATYPES)[number], raw: boolean, length = ROWS): ValueColumn {
  const size = datatypeSize(type)
  const data = new Uint8Array(length * size)
  const view = new DataView(data.buffer)
  for (let i = 0; i < length; i++) {
    if (datatypeKind(type) === 'float' && random.below(2) === 0) {
      const value = random.pick([0, -0, 1.5, -0.001, Number.NaN, Number.POSITIVE_INFINITY, random.below(1e6) / 100])
      if (size === 4) view.setFloat32(i * size, value, true)
      else view.setFloat64(i * size, value, true)
    } else if (datatypeKind(type) === 'datetime') view.setBigInt64(i * 8, BigInt(random.below(2000)), true)
    else for (let b = 0; b < size; b++) data[i * size + b] = random.below(b % 4 === 3 ? 256 : 4)
  }
  return ValueColumn.of(type, 1, { data, length }, { raw })
}

const TEXTS = ['', 'a', 'with "quotes"', 'ü', 'two\nlines', 'x'.repeat(40)]

describe.each([
  ['number', false],
  ['string', true],
] as const)('integers as %s, raw: %s', (int64, raw) => {
  const random = new Random(raw ? 7 : 11)
  const shape = {
    tile: ValueColumn.numbers(Float64Array.from({ length: ROWS }, (_, i) => i)),
    constant: null,
    missing: undefined,
    pairs: TYPES.map((type) => [cells(random, type, raw), cells(random, type, raw)]),
    'a "key"': {},
    fields: [
      {
        name: 'ü',
        made: new ValueColumn(ROWS, (i) =>
          i % 3 === 0 ? null : i % 3 === 1 ? [i, BigInt(i)] : TEXTS[i % TEXTS.length],
        ),
        big: 2n ** 60n,
        empty: [],
        'a text at the end that is longer than sixteen bytes': 'and another',
      },
    ],
  }
  const every = new ColumnRows<object>(shape, ROWS)
  const some = new ColumnRows<object>(
    shape,
    1200,
    Uint32Array.from({ length: 1200 }, (_, i) => i + Math.floor(i / 12)),
  )

  async function ndjson(pages: Iterable<Result>[]): Promise<string> {
    const { out, text } = textOutput()
    await writeNdjson(
      new Pages(async function* () {
        yield* pages
      }),
      out,
      { int64 },
    )
    return text()
  }

  test('lines are those of the rows as objects', async () => {
    expect(await ndjson([every, some, every])).toBe(await ndjson([[...every], [...some], [...every]]))
  })

  test('rows of other types follow', async () => {
    const other = new ColumnRows<object>({ ...shape, tile: new ValueColumn(ROWS, (i) => -i) }, ROWS)
    expect(await ndjson([every, other, every])).toBe(await ndjson([[...every], [...other], [...every]]))
  })

  test('as a document they are those of the rows as objects', async () => {
    expect(await json([some, every], true)).toBe(await json([[...some], [...every]], false))
  })

  async function json(pages: Iterable<Result>[], fast: boolean, indent = true): Promise<string> {
    const { out, text } = textOutput()
    const columnLines = fast
      ? async (...given: ConstructorParameters<typeof ColumnLines>) => new ColumnLines(...given)
      : undefined
    const list = new Pages(async function* () {
      yield* pages
    })
    const style: JsonStyle = { int64, indent }
    const { rounded } = await writeJson({ list, end: [1n] }, out, style, { columnLines })
    return `${text()} ${rounded}`
  }

  test.each(shortTurn(TYPES, 8))('a long list of %s is that of its values', async (type) => {
    const first = cells(random, type, raw)
    const pages = [first, cells(random, type, raw, 1100), cells(random, type, raw, 3)]
    const values = pages.map((page) => [...page] as Result[])
    expect(await json(pages, true)).toBe(await json(values, false))
    expect(await json(pages, true, false)).toBe(await json(values, false, false))
  })

  test('a list of numbers', async () => {
    const page = Float64Array.from({ length: 5000 }, (_, i) => i * 77)
    expect(await json([page], true)).toBe(await json([[...page]], false))
  })
})

describe('rows before one with a fault', () => {
  const fault = new InspectError('INCONSISTENT', 'of one row')
  const rowsUpTo = (faulty: number, later = 0) => {
    const upTo = (at: number) => (i: number) => {
      if (i === at) throw fault
      return [i, 'a']
    }
    const tile = ValueColumn.numbers(Float64Array.from({ length: ROWS }, (_, i) => i))
    const shape = {
      tile,
      first: new ValueColumn(ROWS, upTo(faulty + later)),
      last: new ValueColumn(ROWS, upTo(faulty)),
    }
    return new ColumnRows<object>(shape, ROWS)
  }
  const places = [0, 1, 700, 1024, 1100, ROWS - 1].flatMap((at) => [[at, 0] as const, [at, 40] as const])

  test.each(places)('%i, and %i later in another column', async (at, later) => {
    const text = Array.from({ length: at }, (_, i) => `{"tile":${i},"first":[${i},"a"],"last":[${i},"a"]}\n`).join('')
    const rows = rowsUpTo(at, later)
    const csv = Array.from({ length: at }, (_, i) => `${i},"[${i},""a""]","[${i},""a""]"\r\n`).join('')
    for (const page of [rows, { [Symbol.iterator]: () => rows[Symbol.iterator]() }]) {
      const pages = new Pages<Result>(async function* () {
        yield page as Iterable<Result>
      })
      const asNdjson = textOutput()
      await expect(writeNdjson(pages, asNdjson.out, { int64: 'number' })).rejects.toBe(fault)
      expect(asNdjson.text()).toBe(text)
      const asCsv = textOutput()
      await expect(writeCsv(pages, asCsv.out, { columns: ['tile', 'first', 'last'] })).rejects.toBe(fault)
      expect(asCsv.text()).toBe(`tile,first,last\r\n${csv}`)
    }
  })

  test('what is written of a long row ends its line', async () => {
    const list = new Pages(async function* () {
      yield ['x'.repeat(100_000)]
      throw fault
    })
    const { out, text } = textOutput()
    await expect(writeNdjson([{ a: 1 }, { list }], out, { int64: 'number' })).rejects.toBe(fault)
    expect(text()).toMatch(/^\{"a":1\}\n\{"list":\["x{100000}"\n$/)
  })
})

test('a part of a column has its cells', () => {
  const texts = ValueColumn.of(
    'STRING_UTF8',
    'var',
    { data: new TextEncoder().encode('abcdef'), starts: Float64Array.of(0, 1, 3, 6), length: 3 },
    { raw: false },
  )
  expect([...texts.part(1, 3)]).toEqual(['bc', 'def'])
  expect([...(texts.part(1, 3).stored?.data.starts ?? [])]).toEqual([1, 3, 6])
  const numbers = ValueColumn.numbers(Float64Array.of(1, 2, 3))
  expect([...numbers.part(1, 2)]).toEqual([2])
  expect(numbers.part(1, 2).stored?.data.data).toHaveLength(8)
})
