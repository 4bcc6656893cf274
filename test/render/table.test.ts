import { describe, expect, test } from '@jest/globals'
import { painter, TINTS } from '../../src/render/color.ts'
import { type Column, type TableContent, writeHeading, writeKeyValues, writeTable } from '../../src/render/table.ts'
import { cutItems, cutMiddle, textWidth, wrapIndented, wrapText } from '../../src/render/text-width.ts'
import { later, sink } from './sink.ts'

const FRAGMENTS: TableContent = {
  columns: [{ name: 'name' }, { name: 'cells', align: 'right' }, { name: 'note' }],
  rows: [
    ['__1688888888888_1688888888888_0123456789abcdef0123456789abcdef_22', '12,345', 'ok'],
    ['日本語', '5', 'an escape \x1b[31m, a line\nfeed and \u202ereversed text'],
    ['', '', ''],
  ],
}

async function drawn(content: TableContent, columns?: number, color = false): Promise<string> {
  const out = sink(columns, color)
  await writeTable(content, out)
  return out.text()
}

describe('tables', () => {
  test('fit into 80 columns, long cells without their middle', async () => {
    expect(await drawn(FRAGMENTS, 80)).toBe(`\
┌──────────────────────────────────┬────────┬──────────────────────────────────┐
│ name                             │  cells │ note                             │
├──────────────────────────────────┼────────┼──────────────────────────────────┤
│ __1688888888888_…456789abcdef_22 │ 12,345 │ ok                               │
│ 日本語                           │      5 │ an escape \\x1b[3…2ereversed text │
│                                  │        │                                  │
└──────────────────────────────────┴────────┴──────────────────────────────────┘
… cut: note (--vertical shows all)
`)
  })

  test('names that are cut stay different', async () => {
    const rows = ['07', '17', '27'].map((number) => [`attribute_number_${number}_of_many`, 'x'.repeat(40)])
    const text = await drawn({ columns: [{ name: 'attribute' }, { name: 'value' }], rows }, 48)
    expect(text.match(/…\d\d_of_many/g)).toEqual(['…07_of_many', '…17_of_many', '…27_of_many'])
  })

  test('are as wide as their cells where there is room', async () => {
    expect(await drawn(FRAGMENTS, 200)).toBe(`\
┌───────────────────────────────────────────────────────────────────┬────────┬──────────────────────────────────────────────────────────┐
│ name                                                              │  cells │ note                                                     │
├───────────────────────────────────────────────────────────────────┼────────┼──────────────────────────────────────────────────────────┤
│ __1688888888888_1688888888888_0123456789abcdef0123456789abcdef_22 │ 12,345 │ ok                                                       │
│ 日本語                                                            │      5 │ an escape \\x1b[31m, a line\\nfeed and \\u202ereversed text │
│                                                                   │        │                                                          │
└───────────────────────────────────────────────────────────────────┴────────┴──────────────────────────────────────────────────────────┘
`)
  })

  test('are plain columns in a pipe, nothing cut, no spaces at the end of a line', async () => {
    expect(await drawn(FRAGMENTS)).toBe(`\
name                                                                cells  note
__1688888888888_1688888888888_0123456789abcdef0123456789abcdef_22  12,345  ok
日本語                                                                  5  an escape \\x1b[31m, a line\\nfeed and \\u202ereversed text

`)
  })

  test.each([1, 10, 20, 40, 79, 81, 120])(
    'never send control characters, nor exceed %i columns if that can be',
    async (columns) => {
      const text = await drawn(FRAGMENTS, columns)
      expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/)
      // without what is said of columns that there is no room for
      const lines = text
        .trimEnd()
        .split('\n')
        .filter((line) => /^[┌│├└]/.test(line))
      const widths = lines.map(textWidth)
      expect(new Set(widths).size).toBe(1)
      // borders, padding and one column each
      expect(widths[0]).toBeLessThanOrEqual(Math.max(columns, 13))
    },
  )

  test('of many columns show as many as there is room for, and how to see the others', async () => {
    const columns = Array.from(
      { length: 50 },
      (_, c): Column => ({ name: `a${c}`, align: c % 2 === 0 ? 'right' : 'left' }),
    )
    const rows = [columns.map((_, c) => (c % 2 === 0 ? '123456.789' : 'a text that is long, and may well be cut'))]
    const text = await drawn({ columns, rows, seeMore: '--field shows some' }, 80)
    expect(text.split('\n')[3]).toBe('│ 123456.789 │ a text that is long, and may well be cut │ 123456.789 │')
    expect(text.trimEnd().split('\n').at(-1)).toBe('… 47 more columns: a3, a4, a5, a6, a7, … (--field shows some)')
    const plain = await drawn({ columns, rows })
    expect(plain.split('\n')[0]).toMatch(/a49$/)
  })

  test.each([20, 40, 80])('never cut numbers, however narrow the terminal of %i columns', async (width) => {
    const columns = Array.from({ length: 9 }, (_, c): Column => ({ name: `n${c}`, align: 'right' }))
    const rows = [columns.map((_, c) => String(2n ** BigInt(7 * c)))]
    const text = await drawn({ columns, rows }, width)
    for (const number of text.match(/(?<=│ +)\d+(?= │)/g) ?? []) expect(rows[0]).toContain(number)
    expect(text).toMatch(/… \d more columns?:[ n\d,…\s]+\s+\(--vertical/)
    const long = '-1.7976931348623157e+308'
    expect(await drawn({ columns: columns.slice(0, 1), rows: [[long]] }, width)).toContain(`│ ${long} │`)
  })

  test('stand as blocks where that is wanted', async () => {
    const out = { ...sink(20), vertical: true }
    await writeTable(
      {
        columns: [{ name: 'a' }, { name: 'long' }],
        rows: [
          ['1', 'x y'.repeat(9)],
          ['2', ''],
        ],
        limit: 1,
      },
      out,
    )
    expect(out.text()).toBe('row 1\na     1\nlong  x yx yx yx yx\n      yx yx yx yx y\n… 1 more (--full shows all)\n')
  })

  test('numbers are cut last', async () => {
    const rows = [['x'.repeat(60), '1'.repeat(20)]]
    const text = await drawn({ columns: [{ name: 'a' }, { name: 'b', align: 'right' }], rows }, 40)
    expect(text).toContain('│ 11111111111111111111 │')
  })

  test('say how many rows are left out', async () => {
    const columns = [{ name: 'n' }]
    const rows = Array.from({ length: 1000 }, (_, i) => [String(i)])
    expect(await drawn({ columns, rows, limit: 2 })).toBe('n\n0\n1\n… 998 more (--full shows all)\n')
    expect(await drawn({ columns, rows: later(rows), limit: 1 })).toBe('n\n0\n… more (--full shows all)\n')
    expect(await drawn({ columns, rows: rows.slice(0, 1), total: 5001 })).toBe(
      'n\n0\n… 5,000 more (--full shows all)\n',
    )
    expect(await drawn({ columns, rows: rows.slice(0, 2), limit: 2 })).toBe('n\n0\n1\n')
    expect(await drawn({ columns, rows: later(rows.slice(0, 2)), limit: 2 })).toBe('n\n0\n1\n')
  })

  test('long ones have no seam', async () => {
    const rows = Array.from({ length: 450 }, (_, i) => [`row ${i}`, String(i)])
    const lines = (await drawn({ columns: [{ name: 'a' }, { name: 'b' }], rows }, 80)).trimEnd().split('\n')
    expect(lines.length).toBe(450 + 4)
    expect(new Set(lines.map((line) => line.length)).size).toBe(1)
    expect(lines.slice(3, -1).every((line) => line.startsWith('│ row '))).toBe(true)
  })

  test('without rows have their head', async () => {
    expect(await drawn({ columns: [{ name: 'a' }], rows: [] }, 80)).toBe('┌───┐\n│ a │\n└───┘\n')
    expect(await drawn({ columns: [{ name: 'a' }], rows: [] })).toBe('a\n')
  })

  test('colour goes around the text, not into its width', async () => {
    const content: TableContent = {
      columns: [{ name: 'state', role: (cell) => (cell === 'live' ? 'good' : 'bad') }],
      rows: [['live'], ['gone\x1b[0m']],
    }
    expect(await drawn(content, 80, true)).toBe(`\
┌─────────────┐
│ \x1b[1mstate\x1b[22m       │
├─────────────┤
│ \x1b[32mlive\x1b[39m        │
│ \x1b[31mgone\\x1b[0m\x1b[39m │
└─────────────┘
`)
    expect(await drawn(content, undefined, true)).toBe(
      '\x1b[1mstate\x1b[22m\n\x1b[32mlive\x1b[39m\n\x1b[31mgone\\x1b[0m\x1b[39m\n',
    )
  })
})

describe('records', () => {
  test('have a name and a value a line', async () => {
    const out = sink()
    await writeKeyValues(
      [
        ['name', 'a\tb'],
        ['日本', 'x'],
        ['none', ''],
      ],
      out,
    )
    expect(out.text()).toBe('name  a\\tb\n日本  x\nnone\n')
  })

  test('go on below themselves on a terminal', async () => {
    const out = sink(30)
    await writeKeyValues(
      [
        ['domain', '[[1, 4], [2, 3], [100, 2000]]'],
        ['id', 'x'.repeat(50)],
      ],
      out,
    )
    expect(out.text()).toBe(`\
domain  [[1, 4], [2, 3], [100,
        2000]]
id      ${'x'.repeat(22)}
        ${'x'.repeat(22)}
        xxxxxx
`)
  })

  test('have headings', async () => {
    const out = sink(80, true)
    await writeHeading('Schema \x07', out)
    expect(out.text()).toBe('\x1b[1mSchema \\x07\x1b[22m\n')
  })
})

describe('colours', () => {
  test('are left out where the output has none', async () => {
    const plain = await painter({ color: false })
    const colored = await painter({ color: true })
    for (const role of ['heading', 'field', 'dim', 'good', 'bad', 'number'] as const) {
      expect(plain(role, 'x')).toBe('x')
      expect(colored(role, 'x')).toMatch(/^\x1b\[[\d;]+mx\x1b\[\d+m$/)
    }
  })
})

describe('widths', () => {
  test.each([
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['ｆｕ', 4],
    ['👍', 2],
    ['👩‍👩‍👧', 2],
    ['한글', 4],
    ['नमस्ते', 3],
    ['', 0],
  ])('%s takes %i columns', (text, width) => {
    expect(textWidth(text)).toBe(width)
  })

  test('the middle is cut, never half a character', () => {
    expect(cutMiddle('0123456789', 10)).toBe('0123456789')
    expect(cutMiddle('0123456789', 6)).toBe('012…89')
    expect(cutMiddle('日本語日本語', 6)).toBe('日…語')
    expect(cutMiddle('日本', 1)).toBe('…')
    for (let width = 1; width < 12; width++)
      expect(textWidth(cutMiddle('a日b本c語👍é', width))).toBeLessThanOrEqual(width)
  })

  test('lines are broken at spaces, else anywhere', () => {
    expect(wrapText('  two words', 80)).toEqual(['  two words'])
    expect(wrapText('one two three', 7)).toEqual(['one two', 'three'])
    expect(wrapText('abcdefgh ij', 4)).toEqual(['abcd', 'efgh', 'ij'])
    expect(wrapText('see abc/def/ghijk: x', 8)).toEqual(['see', 'abc/def/', 'ghijk: x'])
    expect(wrapText('/abcdefgh', 4)).toEqual(['/abc', 'defg', 'h'])
    expect(wrapText('s3://bucket/name', 8)).toEqual(['s3://buc', 'ket/name'])
    expect(wrapIndented('one two three', 9, '  ')).toEqual(['one two', '  three'])
    expect(wrapIndented('one two three', undefined, '  ')).toEqual(['one two three'])
  })
})

test('colours of neighbouring bytes can be read on black and on white', () => {
  const steps = [0, 95, 135, 175, 215, 255]
  const linear = (value: number): number => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }
  for (const tint of TINTS) {
    const [red, green, blue] = [36, 6, 1].map((unit) => linear(steps[Math.floor((tint - 16) / unit) % 6]))
    const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    // W3C's contrast ratio
    expect((1 + 0.05) / (luminance + 0.05)).toBeGreaterThan(3.5)
    expect((luminance + 0.05) / 0.05).toBeGreaterThan(3.5)
  }
  expect(new Set(TINTS).size).toBe(TINTS.length)
})

test('lists of names and values are cut between them', () => {
  const text = 'temperature=-4.1, rain_mm=3, sky="snow, hail"'
  expect(cutItems(text, 45)).toBe(text)
  expect(cutItems(text, 44)).toBe('temperature=-4.1, rain_mm=3, and 1 more')
  expect(cutItems(text, 28)).toBe('temperature=-4.1, and 2 more')
  expect(cutItems(text, 27)).toBe('temperature=-4.1, …')
  expect(cutItems(text, 18)).toBe('3 fields')
  expect(cutItems('sky="snow and hail"', 9)).toBe('sky=…ail"')
})
