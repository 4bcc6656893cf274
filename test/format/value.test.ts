import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { DATATYPES, type Datatype, datatypeKind, datatypeSize } from '../../src/format/datatype.ts'
import { bytesOf, cellReader, cellValue, shortestFloat32, sumValue } from '../../src/format/value.ts'

const PLAIN = { raw: false }
const RAW = { raw: true }

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)
const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))
const int64 = (value: bigint): Uint8Array => new Uint8Array(BigInt64Array.of(value).buffer)

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof InspectError && error.code === 'BAD_VALUE') return error.message
    throw error
  }
  return 'no error'
}

describe('bytes to values', () => {
  test.each([
    ['INT8', bytes(0xff), -1],
    ['UINT8', bytes(0xff), 255],
    ['INT16', bytes(0xfe, 0xff), -2],
    ['UINT16', bytes(0xfe, 0xff), 65_534],
    ['INT32', hex('ffffff7f'), 2_147_483_647],
    ['UINT32', hex('ffffffff'), 4_294_967_295],
    ['INT64', hex('ffffffffffffffff'), -1n],
    ['UINT64', hex('ffffffffffffffff'), 18_446_744_073_709_551_615n],
    ['FLOAT32', hex('cdcccc3d'), 0.1],
    ['FLOAT64', hex('9a9999999999b93f'), 0.1],
    ['FLOAT64', hex('0000000000000080'), -0],
    ['FLOAT32', hex('0000c07f'), Number.NaN],
    ['FLOAT32', hex('000080ff'), Number.NEGATIVE_INFINITY],
    ['BOOL', bytes(1), true],
    ['BOOL', bytes(0), false],
    ['DATETIME_DAY', int64(19_753n), '2024-01-31'],
    ['DATETIME_NS', int64(-(2n ** 63n)), 'NaT'],
    ['TIME_NS', int64(-5n), -5n],
  ] as const)('a %s of one value is a scalar', (type, stored, value) => {
    expect(cellValue(type, 1, stored, PLAIN)).toBe(value)
  })

  test('values are read at any alignment', () => {
    const tile = bytes(9, 1, 0, 0, 0, 2, 0, 0, 0)
    const read = cellReader('INT32', 1, PLAIN)
    expect([read(tile, 1, 5), read(tile.subarray(1), 4, 8)]).toEqual([1, 2])
  })

  test('cells of several values are arrays, var ones also with one value or none', () => {
    expect(cellValue('INT16', 2, bytes(1, 0, 2, 0), PLAIN)).toEqual([1, 2])
    expect(cellValue('INT16', 'var', bytes(1, 0), PLAIN)).toEqual([1])
    expect(cellValue('BOOL', 'var', bytes(), PLAIN)).toEqual([])
    expect(cellValue('DATETIME_YEAR', 'var', int64(0n), PLAIN)).toEqual(['1970'])
  })

  test('raw values are what is stored', () => {
    expect(cellValue('DATETIME_DAY', 1, int64(-(2n ** 63n)), RAW)).toBe(-(2n ** 63n))
    expect(cellValue('BOOL', 2, bytes(1, 7), RAW)).toEqual([1, 7])
    expect(cellValue('STRING_ASCII', 'var', bytes(65), RAW)).toEqual(bytes(65))
  })

  test.each([
    ['CHAR', 3, '6162c3', hex('6162c3')],
    ['CHAR', 2, '6100', 'a\0'],
    ['STRING_ASCII', 'var', 'c3a9', 'é'],
    ['STRING_UTF8', 'var', '', ''],
    ['STRING_UTF8', 'var', 'efbbbf61', '\ufeffa'],
    ['STRING_UTF8', 'var', 'eda080', hex('eda080')],
    ['STRING_UTF16', 'var', '61003dd84ddc', 'a👍'],
    ['STRING_UTF16', 'var', '3dd8', hex('3dd8')],
    ['STRING_UTF16', 'var', '610062', hex('610062')],
    ['STRING_UCS2', 2, 'fffe6100', '\ufeffa'],
    ['STRING_UTF32', 'var', '4df40100', '👍'],
    ['STRING_UTF32', 'var', '00d80000', hex('00d80000')],
    ['STRING_UCS4', 1, '00001100', hex('00001100')],
    ['BLOB', 'var', '6162', hex('6162')],
    ['GEOM_WKT', 'var', '6162', hex('6162')],
    ['ANY', 2, '6162', hex('6162')],
  ] as const)('a %s cell (cell_val_num %s) of %s is one value', (type, cellValNum, stored, value) => {
    expect(cellValue(type, cellValNum, hex(stored), PLAIN)).toEqual(value)
  })

  test('long text is decoded like short text', () => {
    const text = 'é'.repeat(100)
    expect(cellValue('STRING_UTF8', 'var', new TextEncoder().encode(text), PLAIN)).toBe(text)
    expect(cellValue('CHAR', 'var', new Uint8Array(100).fill(0xe9), PLAIN)).toBeInstanceOf(Uint8Array)
  })

  test('a wrong number of bytes is named', () => {
    expect(messageOf(() => cellValue('INT32', 1, bytes(1, 2), PLAIN))).toBe(
      'expected 4 bytes for a cell of INT32, found 2 bytes',
    )
    expect(messageOf(() => cellValue('INT32', 'var', bytes(1, 2, 3, 4, 5), PLAIN))).toBe(
      'expected whole values of 4 bytes for a cell of INT32, found 5 bytes',
    )
    expect(messageOf(() => cellValue('CHAR', 2, bytes(1), PLAIN))).toBe(
      'expected 2 bytes for a cell of CHAR, found 1 byte',
    )
  })

  test('sums have the type of their field', () => {
    const ones = hex('ffffffffffffffff')
    expect([sumValue('INT8', ones), sumValue('CHAR', ones), sumValue('DATETIME_NS', ones)]).toEqual([-1n, -1n, -1n])
    expect([sumValue('UINT8', ones), sumValue('BOOL', ones)]).toEqual([2n ** 64n - 1n, 2n ** 64n - 1n])
    expect(sumValue('FLOAT32', hex('9a9999999999b93f'))).toBe(0.1)
  })
})

describe('values to bytes', () => {
  test.each(DATATYPES.flatMap((type) => ([1, 3, 'var'] as const).map((num) => [type, num] as const)))(
    '%s cells of %s values come back from what is printed, raw or not',
    (type, cellValNum) => {
      for (let seed = 1; seed < 50; seed++) {
        const length = datatypeSize(type) * (cellValNum === 'var' ? seed % 5 : cellValNum)
        const stored = storedBytes(type, length, seed)
        for (const style of [PLAIN, RAW]) {
          const value = cellValue(type, cellValNum, stored, style)
          expect(bytesOf(type, cellValNum, value, style)).toEqual(stored)
        }
      }
    },
  )

  test('bytes are written as JSON spells them', () => {
    expect(bytesOf('BLOB', 'var', { base64: 'AQID' })).toEqual(bytes(1, 2, 3))
    expect(bytesOf('STRING_UTF8', 'var', { base64: '/w==' })).toEqual(bytes(255))
    expect(bytesOf('STRING_UTF16', 'var', 'a👍')).toEqual(hex('61003dd84ddc'))
    expect(bytesOf('STRING_UCS4', 2, 'a👍')).toEqual(hex('610000004df40100'))
  })

  test('numbers are accepted as text and bigints, floats by name', () => {
    expect(bytesOf('UINT64', 1, '18446744073709551615')).toEqual(hex('ffffffffffffffff'))
    expect(bytesOf('UINT64', 1, 18_446_744_073_709_551_615n)).toEqual(hex('ffffffffffffffff'))
    expect(bytesOf('INT16', 1, -2n)).toEqual(bytes(0xfe, 0xff))
    expect(bytesOf('FLOAT32', 3, ['NaN', 'Infinity', '-Infinity'])).toEqual(hex('0000c07f0000807f000080ff'))
    expect(bytesOf('FLOAT64', 1, 10n ** 20n)).toEqual(new Uint8Array(Float64Array.of(1e20).buffer))
    expect(bytesOf('FLOAT64', 1, '-0.0')).toEqual(hex('0000000000000080'))
    expect(bytesOf('BOOL', 2, [true, 0])).toEqual(bytes(1, 0))
  })

  test('dates are ISO text or counts; digits are a year, or a count when raw', () => {
    expect(bytesOf('DATETIME_DAY', 1, '2024-01-31')).toEqual(int64(19_753n))
    expect(bytesOf('DATETIME_DAY', 1, 19_753)).toEqual(int64(19_753n))
    expect(bytesOf('DATETIME_DAY', 1, 'NaT')).toEqual(int64(-(2n ** 63n)))
    expect(bytesOf('DATETIME_YEAR', 1, '2024')).toEqual(int64(54n))
    expect(bytesOf('DATETIME_YEAR', 1, '2024', RAW)).toEqual(int64(2024n))
    expect(bytesOf('TIME_SEC', 1, '-5')).toEqual(int64(-5n))
  })

  test.each([
    ['INT8', 1, 128, 'expected an integer from -128 to 127 for INT8, found 128'],
    ['UINT32', 1, -1, 'expected an integer from 0 to 4294967295 for UINT32, found -1'],
    ['INT32', 1, 1.5, 'expected an integer from -2147483648 to 2147483647 for INT32, found 1.5'],
    ['INT32', 1, 'one', 'expected an integer from -2147483648 to 2147483647 for INT32, found "one"'],
    [
      'UINT64',
      1,
      2n ** 64n,
      'expected an integer from 0 to 18446744073709551615 for UINT64, found 18446744073709551616',
    ],
    [
      'INT64',
      1,
      2 ** 60,
      'expected an integer with all its digits for INT64, found 1152921504606847000, which may have been rounded',
    ],
    ['FLOAT32', 1, 1e39, 'expected a number within FLOAT32, found 1e+39'],
    ['FLOAT32', 1, '-1e400', 'expected a number within FLOAT32, found "-1e400"'],
    ['FLOAT64', 1, '1e400', 'expected a number within FLOAT64, found "1e400"'],
    ['FLOAT64', 1, 10n ** 309n, `expected a number within FLOAT64, found 1${'0'.repeat(309)}`],
    ['FLOAT64', 1, 'many', 'expected a number, "NaN", "Infinity" or "-Infinity" for FLOAT64, found "many"'],
    ['BOOL', 1, 2, 'expected true, false, 0 or 1 for BOOL, found 2'],
    ['INT32', 2, [1], 'expected an array of 2 INT32 values, found an array of 1'],
    ['INT32', 'var', 1, 'expected an array of INT32 values, found 1'],
    ['INT32', 1, null, 'expected an integer from -2147483648 to 2147483647 for INT32, found null'],
    ['CHAR', 2, 'abc', 'expected 2 bytes for a cell of CHAR, found 3 bytes'],
    ['STRING_UTF8', 'var', 7, 'expected text or {"base64": …} for STRING_UTF8, found 7'],
    ['STRING_UTF8', 'var', '\ud800', 'expected well-formed text for STRING_UTF8, found a lone surrogate'],
    ['BLOB', 'var', 'abc', 'expected {"base64": …} for BLOB, found "abc"'],
    ['BLOB', 'var', { base64: 'a' }, 'expected base64 with its padding, found "a"'],
    [
      'DATETIME_DAY',
      1,
      true,
      'expected a date or an integer from -9223372036854775808 to 9223372036854775807 for DATETIME_DAY, found true',
    ],
  ] as const)('%s (%s values) does not take %p', (type, cellValNum, value, message) => {
    expect(messageOf(() => bytesOf(type, cellValNum, value))).toBe(message)
  })
})

describe('the shortest form of a float32', () => {
  test.each([
    [0.1, '0.1'],
    [1 / 3, '0.33333334'],
    [16_777_216, '16777216'],
    [3.4028234663852886e38, '3.4028235e+38'],
    [1.401298464324817e-45, '1e-45'],
    [1.1754943508222875e-38, '1.1754944e-38'],
    [2514741.25, '2514741.2'],
    [9.96921e36, '9.96921e+36'],
    [-1e-20, '-1e-20'],
    [33_554_432, '33554432'],
    [0, '0'],
    [123.456, '123.456'],
  ])('of %d is %s', (x, text) => {
    expect(String(shortestFloat32(Math.fround(x)))).toBe(text)
  })

  test('rounds back, and no shorter form does', () => {
    const bits = new Uint32Array(1)
    const float = new Float32Array(bits.buffer)
    for (let i = 0, seed = 1; i < 20_000; i++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      bits[0] = seed
      const [x] = float
      if (!Number.isFinite(x)) continue
      const short = shortestFloat32(x)
      if (Math.fround(short) !== x) throw new Error(`${x} became ${short}`)
      const digits = short.toExponential().replace(/e.*|[-.]/g, '').length
      if (digits > 1 && Math.fround(Number(x.toPrecision(digits - 1))) === x)
        throw new Error(`${short} is not the shortest`)
    }
  })

  test('leaves zeros, NaN and infinities alone', () => {
    for (const x of [0, -0, Number.NaN, Number.POSITIVE_INFINITY]) expect(shortestFloat32(x)).toBe(x)
  })
})

/** Returns bytes whose text reads back as the same bytes: one NaN, booleans of 0 and 1, dates that text can express. */
function storedBytes(type: Datatype, length: number, seed: number): Uint8Array {
  const stored = new Uint8Array(length)
  for (let i = 0, state = seed; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    stored[i] = state >>> 24
    if (datatypeKind(type) === 'bool') stored[i] &= 1
    // Every exponent except that of NaN.
    if (datatypeKind(type) === 'float' && (i + 1) % datatypeSize(type) === 0) stored[i] &= 0xbf
  }
  return stored
}
