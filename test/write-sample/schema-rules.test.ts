import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { type Json, type JsonObject, parseJson } from '../../src/base/json-text.ts'
import { checkSchema } from '../../src/write/schema-check.ts'
import { parseSchemaDocument } from '../../src/write/schema-document.ts'
import { run } from '../helpers/run.ts'

/** Documents, and the path of what TileDB refuses in them (test/tiledb/write/schemas.py asks TileDB). */
const RULES = (parseJson(readFileSync('test/tiledb/write/schemas.json', 'utf8')) as JsonObject[]).map((rule) => ({
  name: String(rule.name),
  path: rule.refused,
  document: rule.document,
}))
const folder = mkdtempSync(`${tmpdir()}/tiledb-inspect-rules-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const BASE = {
  format_version: 22,
  array_type: 'sparse',
  dimensions: [{ name: 'x', type: 'INT32', domain: [0, 99] }],
  attributes: [{ name: 'a', type: 'INT64' }],
}

/** The path of what is refused in a document; null if nothing is. */
function refused(document: Json, cells = false): string | null {
  try {
    checkSchema(
      parseSchemaDocument(document, undefined, () => '0'.repeat(32), { raw: true }),
      cells,
    )
  } catch (error) {
    if (error instanceof InspectError) return error.at.field ?? ''
    throw error
  }
  return null
}

for (const { name, path, document } of RULES) {
  test(`TileDB ${path === null ? 'makes' : 'refuses'}: ${name}`, () => {
    expect(refused(document)).toBe(path)
  })
}

test('unknown and mistyped keys are refused wherever they stand, with the one that was meant', async () => {
  const documents: [object, RegExp][] = [
    [{ ...BASE, cellorder: 'row-major' }, /cellorder: .*did you mean "cell_order"\?/],
    [{ ...BASE, capacty: 5 }, /capacty: .*did you mean "capacity"\?/],
    [{ ...BASE, format_version: '5' }, /format_version: expected an integer/],
    [{ ...BASE, cell_order: 'row_major' }, /cell_order: .*did you mean "row-major"\?/],
    [
      { ...BASE, dimensions: [{ ...BASE.dimensions[0], tile: 3 }] },
      /dimensions\.0\.tile: .*did you mean "tile_extent"\?/,
    ],
    [{ ...BASE, attributes: [{ name: 'a', type: 'INT64', nulable: true }] }, /attributes\.0\.nulable: /],
    [{ ...BASE, offsets_filters: { filter: [] } }, /offsets_filters\.filter: .*did you mean "filters"\?/],
    [{ ...BASE, attributes: [{ name: 'a', type: 'INT64', enumeration: '' }] }, /attributes\.0\.enumeration: /],
  ]
  for (const [document, message] of documents) {
    const file = `${folder}/schema.json`
    writeFileSync(file, JSON.stringify(document))
    const { code, stderr } = await run(['write-sample', `${folder}/array`, '--schema', file])
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
    expect(existsSync(`${folder}/array`)).toBe(false)
  }
})

test("what a document leaves out has TileDB's default, and null stays what is shown of it", () => {
  const schema = (document: Json) =>
    parseSchemaDocument(document, undefined, () => '0'.repeat(32), { raw: true }).schema
  expect(schema(BASE)).toMatchObject({
    coords_filters: { filters: [{ name: 'ZSTD', level: -1 }] },
    offsets_filters: { filters: [{ name: 'ZSTD', level: -1 }] },
    validity_filters: { filters: [{ name: 'RLE', level: -1 }] },
  })
  const extent = (dimension: JsonObject, more: JsonObject = {}) =>
    schema({ ...BASE, ...more, dimensions: [{ name: 'x', ...dimension }] }).domain.dimensions[0].tile_extent
  expect(extent({ type: 'INT32', domain: [0, 99] })).toEqual(new Uint8Array([100, 0, 0, 0]))
  expect(extent({ type: 'INT8', domain: [0, 127] })).toEqual(new Uint8Array([128]))
  expect(extent({ type: 'FLOAT32', domain: [0, 1] })).toEqual(new Uint8Array(new Float32Array([1]).buffer))
  expect(extent({ type: 'INT32', domain: [0, 99], tile_extent: null })).toBeUndefined()
  expect(extent({ type: 'INT32', domain: [0, 99] }, { cell_order: 'hilbert' })).toBeUndefined()
})

test('a filter that TileDB makes a schema with, and cannot write through, is refused where there are cells', () => {
  const document = {
    ...BASE,
    attributes: [{ name: 'a', type: 'INT64', filters: { filters: [{ name: 'DICTIONARY_ENCODING' }] } }],
  }
  expect(refused(document)).toBeNull()
  expect(refused(document, true)).toBe('attributes.0.filters')
})

test('before format 20 a filter that would do nothing is taken, as the releases of then do', () => {
  const document = (version: number) => ({
    ...BASE,
    format_version: version,
    attributes: [
      {
        name: 'a',
        type: 'FLOAT32',
        filters: { filters: [{ name: 'BIT_WIDTH_REDUCTION' }, { name: 'POSITIVE_DELTA' }] },
      },
    ],
  })
  expect(refused(document(19), true)).toBeNull()
  expect(refused(document(20), true)).toBe('attributes.0.filters')
})

test('cells go as far as the domain does where no number is asked for', async () => {
  for (const type of ['INT8', 'UINT8', 'INT16', 'DATETIME_DAY', 'TIME_SEC', 'FLOAT32', 'STRING_ASCII']) {
    const { code, stderr } = await run(['write-sample', `${folder}/${type}`, '--dim', `x:${type}`, '--attr', 'a:INT8'])
    expect({ type, code, stderr }).toEqual({ type, code: 0, stderr: '' })
  }
  const asked = ['write-sample', `${folder}/more`, '--dim', 'x:INT8:1..5', '--attr', 'a:INT8', '--cells', '11']
  expect((await run(asked)).stderr).toMatch(/--cells expects at most 10, .*found 11/)
})
