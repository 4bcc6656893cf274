import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import type { ColumnType } from '../../src/cells/column.ts'
import { type DatetimeType, formatDatetime, parseDatetime } from '../../src/format/datetime.ts'
import { shortestFloat32 } from '../../src/format/value.ts'
import { KERNELS_WASM } from '../../src/rows/kernels/binary.js'
import { type KernelRowStyle, type RowColumn, RowKernel, type RowTexts } from '../../src/rows/row-kernel.ts'
import { Random } from '../helpers/random.ts'
import { ALL, SEED, shortTurn, shortTurnOf } from '../helpers/turn.ts'

const CODE = Buffer.from(KERNELS_WASM, 'base64')
const text = (of: string): Uint8Array => new TextEncoder().encode(of)
const TEXTS: RowTexts = {
  end: text('\n'),
  null: text('null'),
  emptyLine: text('nothing'),
  nan: text('NaN'),
  infinity: text('Infinity'),
  minusInfinity: text('-Infinity'),
  minusZero: text('-0'),
}
const STYLE: KernelRowStyle = {
  csv: false,
  quoted: false,
  raw: false,
  madeText: (column, cell) => text(`made ${column} ${cell}`),
}

function columnOf(type: ColumnType['type'], before = '', more: Partial<ColumnType> = {}): RowColumn {
  const column: ColumnType = {
    name: 'a',
    kind: 'attribute',
    type,
    cell_val_num: 1,
    nullable: false,
    ...more,
  }
  return { column, first: text(before), later: text(before), made: false }
}

/** What the kernel writes of values of one type, one a line. */
function lines(values: Float64Array | Float32Array): string[] {
  const kernel = RowKernel.make(CODE, [columnOf(values instanceof Float64Array ? 'FLOAT64' : 'FLOAT32')], TEXTS, STYLE)
  if (!kernel) throw new Error('no kernel')
  const data = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  kernel.begin({
    tile: 0,
    cell_num: values.length,
    rows: undefined,
    columns: [{ data, starts: undefined, validity: undefined }],
  })
  let all = ''
  for (let i = 0; i < values.length; ) {
    i = kernel.rows(undefined, i, values.length)
    if (kernel.full) all += Buffer.from(kernel.take()).toString('latin1')
  }
  return (all + Buffer.from(kernel.take()).toString('latin1')).split('\n').slice(0, -1)
}

/** The first values that print otherwise than by `String`. */
function different(values: Float64Array): string[] {
  const found = lines(values)
  return Array.from(values, (value, i) => [Object.is(value, -0) ? '-0' : String(value), found[i]])
    .filter(([expected, actual]) => expected !== actual)
    .slice(0, 5)
    .map(([expected, actual]) => `expected ${expected}, found ${actual}`)
}

function different32(values: Float32Array): string[] {
  const found = lines(values)
  return Array.from(values, (value, i) => [Object.is(value, -0) ? '-0' : String(shortestFloat32(value)), found[i]])
    .filter(([expected, actual]) => expected !== actual)
    .slice(0, 5)
    .map(([expected, actual]) => `expected ${expected}, found ${actual}`)
}

/** Values of each kind: others with each seed. */
const COUNT = ALL ? 100_000 : 20_000
const random = new Random(11 + SEED)
const fraction = (): number => random.bits() / 2 ** 32 + random.bits() / 2 ** 64
const sign = (): number => random.pick([1, -1])

/** A float64 by its bits. */
const scratch = new DataView(new ArrayBuffer(8))
function ofBits(bits: bigint): number {
  scratch.setBigInt64(0, bits)
  return scratch.getFloat64(0)
}
function bitsOf(value: number): bigint {
  scratch.setFloat64(0, value)
  return scratch.getBigInt64(0)
}

describe('a float64 prints as String does', () => {
  const kinds: [string, (i: number) => number][] = [
    ['any bits', () => ofBits((BigInt(random.bits()) << 32n) | BigInt(random.bits()))],
    ['subnormal', () => Math.floor(2 ** (52 * fraction())) * 5e-324],
    ['whole', () => sign() * Math.floor(2 ** (80 * fraction()))],
    ['half', () => sign() * (Math.floor(2 ** (53 * fraction())) + 0.5)],
    ['eighths', () => Math.floor(2 ** (50 * fraction())) / 8],
    ['of three places', () => Math.round((fraction() - 0.5) * 1e6) / 1e3],
    ['of few places', (i) => Math.round((fraction() - 0.5) * 10 ** (fraction() * 17)) / 10 ** (i % 18)],
    ['of few digits', (i) => Number((fraction() * 10 ** (fraction() * 44 - 22)).toPrecision(1 + (i % 17)))],
    ['of any digits below 1', () => fraction()],
    ['small', () => fraction() * 10 ** (-12 * fraction())],
  ]
  test.each(shortTurn(kinds, 20, 5))('%s', (_, make) => {
    expect(different(Float64Array.from({ length: COUNT }, (_, i) => make(i)))).toEqual([])
  })

  test('powers of two, and next to them', () => {
    const bits = Array.from({ length: 2047 * 7 }, (_, i) => (BigInt(Math.floor(i / 7)) << 52n) + BigInt((i % 7) - 3))
    expect(different(Float64Array.from(bits, ofBits))).toEqual([])
  })

  test('powers of ten and small multiples of them, and next to them', () => {
    const values: number[] = []
    for (let power = -325; power <= 308; power++) {
      for (const digits of [1, 2, 3, 5, 7, 9, 12, 25, 99, 123, 101, 999]) {
        const bits = bitsOf(Number(`${digits}e${power}`))
        for (let step = -2n; step <= 2n; step++) if (bits + step >= 0n) values.push(ofBits(bits + step))
      }
    }
    expect(different(Float64Array.from(values))).toEqual([])
  })

  test('where the form changes, and what is no number', () => {
    const edges = [0, NaN, Infinity, 5e-324, 1e-5, 1e-6, 1e-7, 0.5, 0.1 + 0.2, 1e15, 1e16, 1e20, 1e21, 1e22]
    const more = [
      2 ** 53,
      2 ** 53 + 2,
      2 ** 63,
      2 ** 64,
      1.7976931348623157e308,
      2.2250738585072014e-308,
      123456789.125,
    ]
    const all = [...edges, ...more].flatMap((value) => {
      const bits = bitsOf(value)
      const near = Number.isFinite(value) && value > 0 ? [ofBits(bits - 1n), ofBits(bits + 1n)] : []
      return [value, -value, ...near]
    })
    expect(different(Float64Array.from(all))).toEqual([])
  })
})

describe('a float32 prints as shortestFloat32 says', () => {
  test('any bits', () => {
    expect(different32(new Float32Array(random.bytes(4 * COUNT).buffer as ArrayBuffer))).toEqual([])
  })

  test('next to every power of two', () => {
    const bits = shortTurnOf(255, 5).flatMap((power) =>
      Array.from({ length: 512 }, (_, i) => Math.max(0, (power << 23) + i - 256)),
    )
    expect(different32(new Float32Array(Uint32Array.from(bits).buffer))).toEqual([])
  })

  test('of few digits', () => {
    const values = Float32Array.from({ length: COUNT }, (_, i) => Math.round(fraction() * 1e7) / 10 ** (i % 12))
    expect(different32(values)).toEqual([])
  })
})

describe('a date prints as formatDatetime says', () => {
  const units = ['YEAR', 'MONTH', 'WEEK', 'DAY', 'HR', 'MIN', 'SEC', 'MS', 'US', 'NS', 'PS', 'FS', 'AS'] as const
  const types = units.map((unit) => `DATETIME_${unit}` as const)

  /** Of the years 1000 to 9999 as far as 64 bits hold them, next to where they end, of few digits, and any bits. */
  function counts(type: DatetimeType): BigInt64Array {
    const limits = ['1000-01-01', '9999-12-31', '2000-02-29', '1900-03-01', '1969-12-31', '1970-01-01'].flatMap(
      (day) => {
        try {
          const text = type === 'DATETIME_YEAR' ? day.slice(0, 4) : type === 'DATETIME_MONTH' ? day.slice(0, 7) : day
          return [parseDatetime(type, type === 'DATETIME_WEEK' ? '2024-01-04' : text)]
        } catch (error) {
          if (!(error instanceof InspectError)) throw error
          return []
        }
      },
    )
    const near = limits.flatMap((count) => Array.from({ length: 41 }, (_, i) => count + BigInt(i) - 20n))
    const any = Array.from({ length: COUNT / 4 }, () =>
      BigInt.asIntN(64, (BigInt(random.bits()) << 32n) | BigInt(random.bits())),
    )
    const few = any.map((bits, i) => bits >> BigInt(i % 64))
    const corners = [-(2n ** 63n), -(2n ** 63n) + 1n, 2n ** 63n - 1n, 0n, -1n, 1n]
    return BigInt64Array.from([...corners, ...near, ...any, ...few])
  }

  test.each(shortTurn(types, 26, 6))('%s', (type) => {
    const values = counts(type)
    const kernel = RowKernel.make(CODE, [columnOf(type)], TEXTS, STYLE)
    const data = new Uint8Array(values.buffer)
    kernel?.begin({
      tile: 0,
      cell_num: values.length,
      rows: undefined,
      columns: [{ data, starts: undefined, validity: undefined }],
    })
    let found = ''
    let declined = 0
    for (let i = 0; kernel && i < values.length; ) {
      const next = kernel.rows(undefined, i, values.length)
      const { full } = kernel
      if (full || next === i) found += Buffer.from(kernel.take()).toString('latin1')
      if (next === i && !full) {
        const year = formatDatetime(type, values[i]).match(/^[0-9]{4}(?!\d)/)
        expect({ count: values[i], year: year && year[0] >= '1000' }).not.toMatchObject({ year: true })
        declined++
        found += `"${formatDatetime(type, values[i++])}"\n`
      } else i = next
    }
    if (kernel) found += Buffer.from(kernel.take()).toString('latin1')
    const expected = Array.from(values, (count) => `"${formatDatetime(type, count)}"`)
    expect(found.split('\n').slice(0, -1)).toEqual(expected)
    expect(declined).toBeLessThan(values.length)
  })
})

describe('a kernel of rows', () => {
  test('takes the text of other than single numbers as it is made', () => {
    const columns = [columnOf('INT32', '', { cell_val_num: 2 }), columnOf('FLOAT64', ' ', { cell_val_num: 'var' })]
    const kernel = RowKernel.make(CODE, columns, TEXTS, STYLE)
    const data = { data: new Uint8Array(24), starts: Float64Array.of(0, 8, 16, 24), validity: undefined }
    kernel?.begin({ tile: 0, cell_num: 3, rows: undefined, columns: [{ ...data, starts: undefined }, data] })
    expect(kernel?.rows(Uint32Array.of(0, 2), 0, 2)).toBe(2)
    expect(Buffer.from(kernel?.take() ?? []).toString()).toBe('made 0 0 made 1 0\nmade 0 2 made 1 2\n')
  })

  test('is not made for rows longer than its memory may be', () => {
    const many = Array.from({ length: 20_000 }, () => columnOf('INT64', 'x'.repeat(400)))
    expect(RowKernel.make(CODE, many, TEXTS, STYLE)).toBeUndefined()
    expect(RowKernel.make(new Uint8Array(8), [columnOf('INT8')], TEXTS, STYLE)).toBeUndefined()
  })

  test('writes rows of hundreds of columns with long names', () => {
    const columns = Array.from({ length: 700 }, (_, i) => columnOf('INT64', `${i}${'y'.repeat(i % 60)}:`))
    const kernel = RowKernel.make(CODE, columns, TEXTS, STYLE)
    if (!kernel) throw new Error('no kernel')
    const values = BigInt64Array.from({ length: 300 }, (_, i) => BigInt.asIntN(64, 3n ** BigInt(i % 90)))
    const data = { data: new Uint8Array(values.buffer), starts: undefined, validity: undefined }
    kernel.begin({ tile: 0, cell_num: 300, rows: undefined, columns: columns.map(() => data) })
    let found = ''
    for (let i = 0; i < 300; ) {
      i = kernel.rows(undefined, i, 300)
      if (kernel.full || i === 300) found += Buffer.from(kernel.take()).toString('latin1')
    }
    const before = columns.map(({ first }) => Buffer.from(first).toString())
    const expected = Array.from(values, (value) => `${before.map((name) => name + value).join('')}\n`).join('')
    expect(found === expected).toBe(true)
    expect(kernel.sawUnsafe).toBe(true)
  })
})
