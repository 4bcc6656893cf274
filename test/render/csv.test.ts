import { describe, expect, test } from '@jest/globals'
import type { Result } from '../../src/base/result.ts'
import { writeCsv } from '../../src/rows/csv.ts'
import type { Rows } from '../../src/rows/text-buffer.ts'
import { later, sink } from './sink.ts'

async function csv(rows: Rows<Result>, columns?: readonly string[]): Promise<string> {
  const out = sink()
  await writeCsv(rows, out, { columns })
  return out.text()
}

describe('CSV', () => {
  test('has a header, and lines that end in CR LF', async () => {
    const rows = [
      { row: 1, name: 'a' },
      { row: 2, name: 'b' },
    ]
    expect(await csv(rows)).toBe('row,name\r\n1,a\r\n2,b\r\n')
    expect(await csv(later(rows))).toBe('row,name\r\n1,a\r\n2,b\r\n')
  })

  test.each([
    ['plain text', 'plain text'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['\r', '"\r"'],
    ['', '""'],
    [null, ''],
    [undefined, ''],
    [true, 'true'],
    [-0, '-0.0'],
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
    [2n ** 63n, '9223372036854775808'],
    [Uint8Array.of(1, 2, 3), 'base64:AQID'],
    [new Uint8Array(), 'base64:'],
    ['base64:AQID', 'base64:YmFzZTY0OkFRSUQ='],
    ['=HYPERLINK(1)', '"=HYPERLINK(1)"'],
    ['-5', '"-5"'],
    [-5, '-5'],
    ['a\udcff', 'base64:Yf8='],
    [[1, 'a', null], '"[1,""a"",null]"'],
    [[7], '[7]'],
    [{ a: 1 }, '"{""a"":1}"'],
    [Float64Array.of(1, 2), '"[1,2]"'],
  ] as const)('%p becomes %s', async (value, field) => {
    expect(await csv([{ a: 1, b: value, c: 2 }])).toBe(`a,b,c\r\n1,${field},2\r\n`)
  })

  test('names of columns are quoted like text', async () => {
    expect(await csv([{ 'x,y': 1, '': 2 }])).toBe('"x,y",""\r\n1,2\r\n')
  })

  test('the only column keeps its empty lines visible', async () => {
    expect(await csv([{ a: null }, { a: 1 }])).toBe('a\r\n""\r\n1\r\n')
  })

  test('columns given beforehand set the order, and the header where there is no row', async () => {
    expect(await csv([{ a: 1, b: 2 }], ['b', 'a', 'c'])).toBe('b,a,c\r\n2,1,\r\n')
    expect(await csv([], ['b', 'a'])).toBe('b,a\r\n')
    expect(await csv([])).toBe('')
  })

  test('a key without a column is an error, not a loss', async () => {
    await expect(csv([{ a: 1 }, { a: 1, b: 2 }])).rejects.toMatchObject({ code: 'USAGE' })
    expect(await csv([{ a: 1 }, { a: 2, b: undefined }])).toBe('a\r\n1\r\n2\r\n')
  })

  test('rows below others have the same columns, whose names may hold commas', async () => {
    const earlierColumns = ['a', 'b']
    expect(await writeCsv([{ a: 1, b: 2 }], sink(), { earlierColumns })).toEqual({ columns: earlierColumns })
    await expect(writeCsv([{ 'a,b': 1 }], sink(), { earlierColumns })).rejects.toMatchObject({ code: 'USAGE' })
  })

  test('rows that are no objects are one column', async () => {
    expect(await csv([1, [2, 3], 'x,y', null])).toBe('value\r\n1\r\n"[2,3]"\r\n"x,y"\r\n""\r\n')
  })

  test('refuses what is no row', async () => {
    const tree = { name: 'x', children: later([]) }
    await expect(writeCsv([tree] as never, sink(), {})).rejects.toMatchObject({ code: 'USAGE' })
  })

  test.each(['csv', 'tsv'] as const)('the errors of %s name it', async (format) => {
    const tree = { children: later([]) }
    for (const rows of [[tree], [{ a: 1 }, { b: 2 }]])
      await expect(writeCsv(rows as never, sink(), { format })).rejects.toThrow(` for ${format}, found `)
  })
})
