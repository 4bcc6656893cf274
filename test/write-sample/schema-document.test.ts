import { describe, expect, test } from '@jest/globals'
import { InspectError } from '../../src/base/errors.ts'
import { parseJson } from '../../src/base/json-text.ts'
import { schemaResult } from '../../src/calls/schema-result.ts'
import { toJson } from '../../src/rows/json.ts'
import { parseSchemaDocument } from '../../src/write/schema-document.ts'
import { fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { run } from '../helpers/run.ts'
import { turnOfFamilies } from '../helpers/turn.ts'

const uuid = (): string => '0'.repeat(32)

/** The fault that a document raises, as `field: message`. */
function fault(document: string): string {
  try {
    parseSchemaDocument(parseJson(document), undefined, uuid, { raw: false })
  } catch (error) {
    if (error instanceof InspectError) return `${error.code} ${error.at.field ?? ''}: ${error.message}`
    throw error
  }
  return 'none'
}

describe('the document that schema --json prints', () => {
  for (const style of [{ raw: false }, { raw: true }]) {
    test(`read and shown again is the same, for every schema of the fixtures${style.raw ? ', raw' : ''}`, async () => {
      const arrays = fixtureFolders().filter(({ kind }) => kind === 'array')
      expect(arrays.length).toBeGreaterThan(150)
      for (const folder of turnOfFamilies(arrays, 4, versionOf)) {
        const key = folder.key === undefined ? [] : ['--key', folder.key]
        const { text } = await run([
          'schema',
          '--all',
          folder.path,
          '--format',
          'ndjson',
          ...key,
          ...(style.raw ? ['--raw'] : []),
        ])
        for (const line of text.trim().split('\n')) {
          const { schema, enumerations } = parseSchemaDocument(parseJson(line), undefined, uuid, style)
          const again = toJson(schemaResult(schema, enumerations, style), { int64: 'number', indent: false })
          expect(line).toContain(again.slice(1, -1))
        }
      }
    })
  }

  test('a hand-written one needs little', () => {
    const { schema } = parseSchemaDocument(
      parseJson(
        '{"format_version":22,"array_type":"sparse","dimensions":[{"name":"x","type":"INT32","domain":[0,99]}],"attributes":[{"name":"a","type":"INT64"}]}',
      ),
      undefined,
      uuid,
      { raw: false },
    )
    expect(schema).toMatchObject({ capacity: 10_000n, cell_order: 'row-major', allows_duplicates: false })
    expect(schema.attributes[0]).toMatchObject({ cell_val_num: 1, nullable: false, enumeration: '' })
  })

  test('faults name the key', () => {
    const start =
      '{"format_version":22,"array_type":"sparse","dimensions":[{"name":"x","type":"INT32","domain":[0,99]}],'
    expect(fault('{}')).toMatch(/^BAD_VALUE format_version: expected an integer .*, found nothing$/)
    expect(fault(`${start}"attributes":[{"name":"a","type":"INT65"}]}`)).toMatch(
      /^BAD_VALUE attributes\.0\.type: expected one of .*found "INT65"; did you mean "INT64"\?$/,
    )
    expect(fault(`${start}"attributes":[{"name":"a","type":"INT32","filter":1}]}`)).toMatch(
      /^BAD_VALUE attributes\.0\.filter: /,
    )
    expect(fault(`${start}"attributes":[{"name":"a","type":"INT32","fill_value":"x"}]}`)).toMatch(
      /^BAD_VALUE attributes\.0\.fill_value: /,
    )
    expect(
      fault(`${start}"attributes":[{"name":"a","type":"INT32","filters":{"filters":[{"name":"ZSTD","scale":1}]}}]}`),
    ).toMatch(/^BAD_VALUE attributes\.0\.filters\.filters\.0\.scale: /)
    expect(fault(`${start}"attributes":[],"current_domain":{"x":[1]}}`)).toMatch(
      /^BAD_VALUE current_domain\.x: expected \[lowest, highest\]/,
    )
  })
})
