import { describe, expect, test } from '@jest/globals'
import { shortSize } from '../../src/base/sizes.ts'
import { escapeText, formatCount, formatSize, shortValue } from '../../src/render/units.ts'
import { later } from './sink.ts'

describe('numbers for people', () => {
  test.each([
    [0, '0 bytes', '0 B'],
    [1, '1 byte', '1 B'],
    [1023, '1,023 bytes', '1023 B'],
    [1024, '1.0 KiB (1,024 bytes)', '1.0 KiB'],
    [12_595, '12.3 KiB (12,595 bytes)', '12.3 KiB'],
    [1_048_575, '1.0 MiB (1,048,575 bytes)', '1.0 MiB'],
    [5 * 2 ** 40, '5.0 TiB (5,497,558,138,880 bytes)', '5.0 TiB'],
  ])('%i bytes are %s', (bytes, long, short) => {
    expect([formatSize(bytes), shortSize(bytes)]).toEqual([long, short])
  })

  test('counts have separators', () => {
    expect([999, 1000, -1_234_567, 2n ** 64n].map(formatCount)).toEqual([
      '999',
      '1,000',
      '-1,234,567',
      '18,446,744,073,709,551,616',
    ])
  })

  test('counts are grouped before a decimal point only', () => {
    const counts = [
      0,
      -999,
      -1000,
      -123_456,
      12_345.678_9,
      1e-7,
      1e21,
      10n ** 15n,
      Number.NaN,
      Number.NEGATIVE_INFINITY,
    ]
    expect(counts.map(formatCount)).toEqual([
      '0',
      '-999',
      '-1,000',
      '-123,456',
      '12,345.6789',
      '1e-7',
      '1,000,000,000,000,000,000,000',
      '1,000,000,000,000,000',
      'NaN',
      '-Infinity',
    ])
  })
})

describe('text for a terminal', () => {
  test.each([
    ['plain é 日本 👩‍👧', 'plain é 日本 👩‍👧'],
    ['\x1b[31m', '\\x1b[31m'],
    ['\0\t\r\n\x7f\x9b', '\\x00\\t\\r\\n\\x7f\\x9b'],
    ['\u202eabc\u2069', '\\u202eabc\\u2069'],
    ['\ufeff\u200b\u2028', '\\ufeff\\u200b\\u2028'],
    ['\udc80', '\\udc80'],
    ['\u{e0041}', '\\u{e0041}'],
  ])('%j is shown as %s', (text, shown) => {
    expect(escapeText(text)).toBe(shown)
  })
})

describe('a value in one cell', () => {
  test.each([
    [null, 'null'],
    [undefined, 'null'],
    [true, 'true'],
    [-0, '-0.0'],
    [Number.NaN, 'NaN'],
    [2n ** 63n, '9223372036854775808'],
    ['text', '"text"'],
    ['a "b"\n\x1b', '"a \\"b\\"\\n\\x1b"'],
    ['2024-01-31', '2024-01-31'],
    ['-030-01-31T12:00:00.000000001', '-030-01-31T12:00:00.000000001'],
    ['NaT', 'NaT'],
    [Uint8Array.of(0, 255), '0x00ff'],
    [new Uint8Array(), '0x'],
    [
      [
        [1, 4],
        ['a', 'b'],
      ],
      '[[1, 4], ["a", "b"]]',
    ],
    [{ a: 1, 'b\n': [], c: undefined }, '{a: 1, b\\n: []}'],
    [new Set([1]), '[1]'],
  ] as const)('%p is shown as %s', (value, shown) => {
    expect(shortValue(value)).toBe(shown)
  })

  test('is cut where it is long', () => {
    expect(shortValue('x'.repeat(100), 5)).toBe('"xxxxx…"')
    expect(shortValue('xxxx😀x', 5)).toBe('"xxxx…"')
    expect(shortValue(new Uint8Array(2000), 8)).toBe('0x00000000… (2,000 bytes)')
    expect(
      shortValue(
        Array.from({ length: 1000 }, () => 7),
        9,
      ),
    ).toBe('[7, 7, 7, … 997 more]')
    expect(shortValue({ a: 1, b: 2, c: 3 }, 8)).toBe('{a: 1, b: 2, …}')
  })

  test('does not walk what is endless or asynchronous', () => {
    const endless = (function* () {
      for (;;) yield 1
    })()
    expect(shortValue(endless, 6)).toBe('[1, 1, …]')
    expect(shortValue(later([1]))).toBe('[…]')
  })
})
