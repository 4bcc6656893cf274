import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const folder = temporaryFolder()

/** The lines of TileDB-Py for an array of this schema. */
async function linesFor(name: string, schema: object): Promise<string[]> {
  const steps = join(folder, `${name}.json`)
  const array = join(folder, name)
  const dimensions = [{ name: 'x', type: 'INT32', domain: [0, 9], tile_extent: 5 }]
  writeFileSync(steps, JSON.stringify([{ step: 'create', schema: { array_type: 'sparse', dimensions, ...schema } }]))
  expect((await run(['write-sample', array, '--steps', steps])).stderr).toBe('')
  const { code, text } = await run(['whatif', array, '--emit', 'python'])
  expect(code).toBe(0)
  return text.split('\n').map((line) => line.trim())
}

// What TileDB-Py 0.36 makes of each was compared with the schema (2026-11).
describe('an enumeration', () => {
  const make = async (name: string, enumeration: object): Promise<string[]> => {
    const attributes = [{ name: 'a', type: 'UINT8', enumeration: 'e' }]
    const lines = await linesFor(name, { attributes, enumerations: [{ name: 'e', ...enumeration }] })
    return lines
      .filter((line) => /(?:Attr|Enumeration)\(|^# /.test(line))
      .map((line) => line.replace(/, filters=.*/, ''))
  }
  const ATTRIBUTE = 'tiledb.Attr(name="a", dtype="uint8", enum_label="e"'
  const text = { cell_val_num: 'var' }

  test.each([
    ['ascii', { ...text, type: 'STRING_ASCII', values: ['a', ''] }, 'np.array([b"a", b""])'],
    [
      'marks',
      { ...text, type: 'STRING_UTF8', values: ['\ufeffx', 'é', '\u{e0041}'] },
      'np.array(["\\ufeffx", "é", "\\U000e0041"])',
    ],
    ['no_ascii', { ...text, type: 'STRING_ASCII', values: [] }, 'dtype="S0"'],
    ['no_utf8', { ...text, type: 'STRING_UTF8', values: [] }, 'dtype="U0"'],
    ['no_dates', { type: 'DATETIME_DAY', values: [] }, 'dtype="datetime64[D]"'],
    ['bools', { type: 'BOOL', values: [true, false] }, 'np.array([True, False], dtype="bool")'],
    ['floats', { type: 'FLOAT32', values: [0.1, 'Infinity'] }, 'np.array([0.1, float("infinity")], dtype="float32")'],
  ])('%s', async (name, enumeration, values) => {
    expect(await make(name, enumeration)).toEqual([ATTRIBUTE, `tiledb.Enumeration("e", False, ${values}),`])
  })

  test('of CHAR or of a fixed length becomes one of STRING_ASCII, which is said', async () => {
    expect(await make('char2', { type: 'CHAR', cell_val_num: 2, values: ['ab', 'cd'] })).toEqual([
      '# Not carried over: the type CHAR of the enumeration "e"',
      '# Not carried over: the fixed length of the enumeration "e"',
      ATTRIBUTE,
      'tiledb.Enumeration("e", False, np.array([b"ab", b"cd"])),',
    ])
  })

  test.each([
    ['zeros at the end, which numpy drops', { ...text, type: 'STRING_UTF8', values: ['a\0', 'a'] }],
    ['characters of two bytes', { ...text, type: 'STRING_UTF16', values: ['ab'] }],
    ['bytes', { ...text, type: 'BLOB', values: [{ base64: 'AAE=' }] }],
    ['dates', { type: 'DATETIME_NS', values: ['2024-01-01T00:00:00.000000001'] }],
    ['several numbers a value', { type: 'INT32', cell_val_num: 2, values: [[1, 2]] }],
  ])('of %s is left out with its use, which is said', async (name, enumeration) => {
    expect(await make(name.replaceAll(' ', '_'), enumeration)).toEqual([
      '# Not carried over: the enumeration "e": TileDB-Py makes none with such values',
      'tiledb.Attr(name="a", dtype="uint8"',
    ])
  })
})

test('fill values are what TileDB-Py takes, and others are said', async () => {
  const attributes = [
    { name: 'n', type: 'INT32', cell_val_num: 2, fill_value: [1, 2] },
    { name: 'c', type: 'CHAR', cell_val_num: 3, fill_value: 'a"\0' },
    { name: 'd', type: 'DATETIME_DAY', fill_value: '1970-01-03' },
    { name: 't', type: 'TIME_SEC', fill_value: 5 },
    { name: 'f', type: 'FLOAT64', fill_value: '-Infinity' },
    { name: 'b', type: 'BOOL', fill_value: true },
    { name: 'u', type: 'STRING_UTF8', cell_val_num: 'var', fill_value: '\ufeff' },
    { name: 'bad', type: 'STRING_UTF8', cell_val_num: 'var', fill_value: { base64: '/w==' } },
    { name: 'short', type: 'STRING_ASCII', cell_val_num: 2 },
    { name: 'wide', type: 'STRING_UTF16', cell_val_num: 'var' },
  ]
  const lines = await linesFor('fills', { attributes })
  const head = (line: string): string => line.replace(/, filters=.*/, '')
  expect(lines.filter((line) => /^(?:# |tiledb\.Attr)/.test(line)).map(head)).toEqual([
    '# Not carried over: the type STRING_UTF16 of "wide"',
    '# Not carried over: the fixed length of "short"',
    '# Not carried over: the fill value of "bad", which is not UTF-8',
    'tiledb.Attr(name="n", dtype=np.dtype("int32, int32"), fill=(1, 2)',
    'tiledb.Attr(name="c", dtype="S3", fill=b"a\\x22\\x00"',
    'tiledb.Attr(name="d", dtype="datetime64[D]", fill=np.datetime64(2, "D")',
    'tiledb.Attr(name="t", dtype="timedelta64[s]", fill=np.timedelta64(5, "s")',
    'tiledb.Attr(name="f", dtype="float64", fill=float("-infinity")',
    'tiledb.Attr(name="b", dtype="bool", fill=True',
    'tiledb.Attr(name="u", dtype="U0", var=True, fill="\\ufeff"',
    'tiledb.Attr(name="bad", dtype="U0", var=True',
    'tiledb.Attr(name="short", dtype="ascii", var=True',
    'tiledb.Attr(name="wide", dtype="float64", var=True',
  ])
})
