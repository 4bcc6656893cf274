import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, describe, expect, test } from '@jest/globals'
import { ndjsonRows } from '../../src/write/ndjson-cells.ts'
import { run } from '../helpers/run.ts'

const folder = mkdtempSync(`${tmpdir()}/tiledb-inspect-usage-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const array = `${folder}/array`

async function refused(message: RegExp, ...args: readonly string[]): Promise<void> {
  const { code, stderr, text } = await run(['write-sample', array, ...args, '--json'])
  expect(stderr).toMatch(/^error: [^\n]*\n$/)
  expect(stderr).toMatch(message)
  expect(JSON.parse(text).error.code).toBe('USAGE')
  expect(code).toBe(2)
  expect(existsSync(array)).toBe(false)
}

describe('a document of the user that is wrong is wrong usage', () => {
  test.each(['--steps', '--schema', '--data'])('%s: of any depth', async (option) => {
    const file = `${folder}/deep.json`
    const schema = `${folder}/of-deep.json`
    writeFileSync(
      schema,
      '{"array_type":"sparse","dimensions":[{"name":"d","type":"INT32","domain":[0,9]}],"attributes":[]}',
    )
    writeFileSync(file, `${'['.repeat(8000)}${']'.repeat(8000)}`)
    await refused(
      /deep\.json: (?:line 1: )?expected at most 500 levels in JSON/,
      ...(option === '--data' ? ['--schema', schema] : []),
      option,
      file,
    )
  })

  test('a line without an end', async () => {
    const piece = ' '.repeat(2 ** 20)
    function* pieces(): Generator<string> {
      for (let i = 0; i < 300; i++) yield piece
    }
    const none = { of: () => ({ type: 'INT32', nullable: false, labels: false }) as const, takeLabels: () => {} }
    await expect(ndjsonRows(pieces())(() => {}, none)).rejects.toThrow('line 1: expected at most 268435456 characters')
  })

  const schemas: readonly (readonly [name: string, document: string, message: RegExp])[] = [
    ['nothing', '', /JSON/],
    ['half', '{', /found the end of the text/],
    ['no JSON', 'nonsense', /JSON/],
    ['a list', '[]', /expected an object/],
    ['a key less', '{"array_type":"sparse"}', /dimensions/],
    ['a key more', '{"array_type":"sparse","capacty":3,"dimensions":[],"attributes":[]}', /capacty/],
    ['another type', '{"array_type":5,"dimensions":[],"attributes":[]}', /array_type/],
  ]
  test.each(schemas)('schema: %s', async (_, document, message) => {
    const file = `${folder}/schema.json`
    writeFileSync(file, document)
    await refused(message, '--schema', file)
  })

  const cells: readonly (readonly [name: string, lines: string, message: RegExp])[] = [
    ['half', '{"x":1,"a":1}\n{"x":', /line 2/],
    ['no object', '[1]', /expected an object for each cell/],
    ['a large number', '12345678901234567890', /expected an object for each cell, found 12345678901234567890/],
    ['a field less', '{"x":1}', /every field/],
    ['a field more', '{"x":1,"a":1,"b":1}', /field b/],
    ['text', '{"x":1,"a":"z"}', /expected an integer/],
    ['a number that does not fit', '{"x":1,"a":128}', /expected an integer from -128 to 127/],
    ['null', '{"x":1,"a":null}', /not nullable/],
    ['a coordinate outside of the domain', '{"x":11,"a":1}', /expected coordinates in \[1, 10\]/],
    [
      'when it was deleted without by what',
      '{"x":1,"a":1,"__delete_timestamps":5}',
      /field __delete_condition_index: expected cells of __delete_condition_index, found none/,
    ],
    [
      'by what it was deleted without when',
      '{"x":1,"a":1,"__delete_condition_index":0}',
      /expected cells of a, x, found __delete_condition_index/,
    ],
    ['coordinates twice', '{"x":1,"a":1}\n{"x":1,"a":2}', /other coordinates/],
  ]
  test.each([
    ['STRING_UTF16', '"AAAA"', /field k: line 1: expected whole values of 2 bytes, found 3 bytes/],
    ['STRING_UCS4', '"AA=="', /field k: line 1: expected whole values of 4 bytes, found 1 byte\n/],
  ] as const)('cells of %s that end within a character', async (type, base64, message) => {
    const file = `${folder}/cells.ndjson`
    writeFileSync(file, `{"x":1,"k":{"base64":${base64}}}`)
    for (const kind of ['--sparse', '--dense'])
      await refused(message, kind, '--dim', 'x:INT32:1..10', '--attr', `k:${type}`, '--data', file)
  })

  test.each(cells)('cells: %s', async (_, lines, message) => {
    const file = `${folder}/cells.ndjson`
    writeFileSync(file, lines)
    await refused(message, '--dim', 'x:INT32:1..10', '--attr', 'a:INT8', '--data', file)
  })

  test('a box with a hole', async () => {
    const file = `${folder}/cells.ndjson`
    writeFileSync(file, '{"x":1,"a":1}\n{"x":3,"a":1}')
    await refused(/every cell of the box/, '--dense', '--dim', 'x:INT32:1..10', '--attr', 'a:INT8', '--data', file)
  })

  test('a file that is not there was not examined', async () => {
    expect((await run(['write-sample', array, '--schema', `${folder}/nowhere`])).code).toBe(3)
  })
})

describe('what no memory holds is wrong usage', () => {
  test('a tile of too many cells', async () => {
    const dims = ['x', 'y'].flatMap((name) => ['--dim', `${name}:INT32:1..100000:100000`])
    await refused(/smaller tile extents/, '--dense', ...dims, '--attr', 'a:INT8', '--cells', '10')
    await refused(/smaller tile extents/, '--dense', '--dim', 'x:UINT32:0..4294967290:4294967290', '--attr', 'a:INT8')
  })

  test('too many tiles or cells for a number', async () => {
    const dims = Array.from({ length: 40 }, (_, d) => ['--dim', `d${d}:INT8:0..3`]).flat()
    await refused(/2\^53/, '--dense', ...dims, '--attr', 'a:INT8')
  })

  test('a column of cells', async () => {
    const sparse = ['--attr', 'a:INT8:10000000', '--cells', '50000', '--capacity', '50000']
    const dense = ['--dense', '--dim', 'x:INT32:1..10000:10000', '--attr', 'a:FLOAT64:10000000']
    for (const column of [sparse, dense]) await refused(/do not fit in memory/, ...column)
  })

  test('a dense domain of a whole type has an extent of its own', async () => {
    const { code } = await run(['write-sample', array, '--dense', '--dim', 'x:UINT32', '--attr', 'a:INT8'])
    expect(code).toBe(0)
    expect((await run(['check', '--level', 'cells', array])).code).toBe(0)
  })
})
