import { writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { FINDING_CODES } from '../../src/check/codes.ts'
import { type ArraySchema, arraySchema } from '../../src/format/array-schema.ts'
import type { Datatype } from '../../src/format/datatype.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { serveFolder } from '../helpers/http-server.ts'
import { get, items, parseJson } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'

const folder = temporaryFolder()
const READDED = `${FIXTURES}/changed_fields/readded`
const withIndex = await serveFolder(READDED, { index: true })
const withoutIndex = await serveFolder(READDED)
const [before, after] = fragmentNames(READDED)
  .sort()
  .map((name) => `${READDED}/__fragments/${name}`)

// TileDB 2.30 gives other values or none for these. It reads `same` as it was written, and does not know `gone`.
const CHANGED = [
  ['attributes.wider', "INT64 as in the array's schema", 'INT32'],
  ['attributes.narrower', "INT32 as in the array's schema", 'INT64'],
  ['attributes.real', "FLOAT32 as in the array's schema", 'INT32'],
  ['attributes.text', "STRING_UTF8, variable length as in the array's schema", 'INT32'],
  ['attributes.nullable', "INT32, nullable as in the array's schema", 'INT32'],
  ['attributes.pair', "INT32, 2 a cell as in the array's schema", 'INT32'],
]

describe('attributes that were dropped and added again', () => {
  test.each([
    ['the array', READDED],
    ['its old fragment', before],
  ])('are errors of the old fragment where their form changed: %s', async (_, target) => {
    const { documents } = await runJson(['check', target])
    const found = items(get(documents[0], 'findings'))
    expect(found.map((one) => [get(one, 'severity'), get(one, 'code')])).toEqual(
      CHANGED.map(() => ['error', 'FIELD_CHANGED']),
    )
    expect(found.map((one) => ['field', 'expected', 'found'].map((key) => get(one, key)))).toEqual(CHANGED)
    for (const one of found) expect(get(one, 'file')).toBe(`${before}/__fragment_metadata.tdb`)
  })

  test('leave newer fragments healthy', async () => {
    const { code, documents } = await runJson(['check', after])
    expect([code, get(documents[0], 'findings')]).toEqual([0, []])
  })

  test.each([
    ['with index pages', withIndex, true],
    ['without: nobody can list the schemas', withoutIndex, false],
  ])('decode says so over HTTP %s', async (_, { url }, isSaid) => {
    const target = `${url}/__fragments/${before.split('/').at(-1)}`
    const { text, stderr } = await run(['decode', target, '--format', 'ndjson', '--limit', '1'])
    expect(parseJson(text)).toMatchObject({ wider: 1 })
    expect(stderr.includes('TileDB reads these cells wrongly')).toBe(isSaid)
  })

  test('decode shows what was written, and says that TileDB does not', async () => {
    const { text, stderr } = await run(['decode', before, '--format', 'ndjson', '--limit', '1'])
    expect(parseJson(text)).toMatchObject({ wider: 1, narrower: 1, real: 1, text: 1, nullable: 1, pair: 1, same: 1 })
    expect(stderr).toContain('real: shown as written, INT32; TileDB reads these cells wrongly, as FLOAT32')
    expect(stderr).not.toContain('same')
    expect((await run(['decode', before, '--field', 'same', '--format', 'ndjson'])).stderr).toBe('')
    expect((await run(['decode', after, '--format', 'ndjson'])).stderr).toBe('')
  })

  // TileDB 2.30 undoes the filters of the array's schema: it gives 4.5 for both values of `scaled`.
  test('with other filters are misread, but not with another level', async () => {
    const path = `${folder}/filters`
    const steps = [
      { step: 'write', cells: [{ x: 1, scaled: 2.25, level: 7 }], time: 1 },
      { step: 'evolve', drop_attributes: ['scaled', 'level'], time: 2 },
      {
        step: 'evolve',
        add_attributes: [
          {
            name: 'scaled',
            type: 'FLOAT32',
            filters: { filters: [{ name: 'SCALE_FLOAT', scale: 0.5, offset: 0, byte_width: 4 }] },
          },
          { name: 'level', type: 'INT32', filters: { filters: [{ name: 'ZSTD', level: 19 }] } },
        ],
        time: 3,
      },
      { step: 'write', cells: [{ x: 2, scaled: 4.5, level: 8 }], time: 4 },
    ]
    writeFileSync(`${path}.json`, JSON.stringify({ steps }))
    const filters = ['scaled=scale-float:scale=0.25:byte_width=4', 'level=zstd:level=3'].flatMap((one) => [
      '--field-filters',
      one,
    ])
    const fields = ['--dim', 'x:INT32:0..9:5', '--attr', 'scaled:FLOAT32', '--attr', 'level:INT32', ...filters]
    const written = await run(['write-sample', path, '--sparse', '--cells', '0', ...fields, '--steps', `${path}.json`])
    expect(written).toMatchObject({ code: 0 })
    const { documents } = await runJson(['check', path])
    expect(items(get(documents[0], 'findings')).map((one) => [get(one, 'code'), get(one, 'field')])).toEqual([
      ['FIELD_CHANGED', 'attributes.scaled'],
    ])
    const { text, stderr } = await run(['read', path, '--format', 'csv'])
    expect(text.trim().split('\r\n')).toEqual(['x,scaled,level', '1,NaN,7', '2,4.5,8'])
    expect(stderr).toContain('scaled: cells that were written as FLOAT32 with SCALE_FLOAT(scale=0.25, byte_width=4)')
    const history = await run(['history', path, '--cell', 'x=1', '--json'])
    expect(history.text).toContain('"scaled": "NaN"')
  })
})

/** Gives the second dimension another type, with the same numbers. */
function retype({ domain: { dimensions } }: ArraySchema, type: Datatype, size: number): void {
  const [, dimension] = dimensions
  const old = dimension.domain.length / 2
  const resized = (bytes: Uint8Array): Uint8Array => {
    const out = new Uint8Array(size)
    out.set(bytes.subarray(0, size))
    return out
  }
  const [low, high] = [dimension.domain.subarray(0, old), dimension.domain.subarray(old)].map(resized)
  Object.assign(dimension, { type, domain: Buffer.concat([low, high]) })
  if (dimension.tile_extent) dimension.tile_extent = resized(dimension.tile_extent)
}

type Changes = Record<string, [field: string | undefined, change: (schema: ArraySchema) => void]>

/** An array with one schema more, the newest. */
async function withNewest(fixture: string, change: (schema: ArraySchema) => void): Promise<EditedArray> {
  const array = new EditedArray(fixture)
  const newer = `__schema/__99_99_${'0'.repeat(32)}`
  array.add(newer, array.get(array.find(/__schema\/__\d/)))
  await array.rewrite(`${EDITED}/${newer}`, arraySchema, change)
  return array
}

/** Expects that every command says that a newest schema changes cells, if it does. @param field the first that is changed */
async function expectSaid(
  fixture: string,
  field: string | undefined,
  change: (schema: ArraySchema) => void,
): Promise<void> {
  const storage = (await withNewest(fixture, change)).storage()
  const { documents } = await runJson(['check', EDITED], { storage })
  const found = items(get(documents[0], 'findings')).filter((one) => get(one, 'code') === 'FIELD_CHANGED')
  expect(found.map((one) => [get(one, 'variant'), get(one, 'field')])).toEqual(field ? [['tiles', field]] : [])
  const overview = await runJson([EDITED], { storage })
  expect(JSON.stringify(overview.documents).includes('FIELD_CHANGED')).toBe(field !== undefined)
  for (const command of [['read'], ['stats'], ['stats', '--read'], ['history', '--range', 'x=11..12']]) {
    const { code, stderr } = await run([...command, EDITED], { storage })
    if (!field || command.join() === 'stats') expect([command, code, stderr]).toEqual([command, 0, ''])
    else {
      expect([command, code]).toEqual([command, 1])
      expect(stderr).toMatch(/field \S+: expected .*, as in the array's schema, found .* in the schema of the fragment/)
    }
  }
  expect((await run(['explain', EDITED], { storage })).code).toBe(field ? 1 : 0)
}

describe('a newest schema by which the cells of dense fragments are elsewhere', () => {
  const changes: Changes = {
    'with one dimension more': [
      'dimensions',
      ({ domain: { dimensions } }) => void dimensions.push({ ...dimensions[0], name: 'more' }),
    ],
    'with one dimension fewer': ['dimensions', ({ domain }) => void domain.dimensions.shift()],
    'with another order of tiles': ['tile_order', (schema) => void Object.assign(schema, { tile_order: 'col-major' })],
    'with another order of cells': ['cell_order', (schema) => void Object.assign(schema, { cell_order: 'col-major' })],
    'with larger integers': ['dimensions.y', (schema) => retype(schema, 'INT32', 4)],
    'with smaller integers': ['dimensions.y', (schema) => retype(schema, 'INT8', 1)],
    'that is sparse': ['array_type', (schema) => void Object.assign(schema, { array_type: 'sparse' })],
    // TileDB 2.30 reads these as they were written.
    'with integers of the same size': [undefined, (schema) => retype(schema, 'UINT16', 2)],
    'with another name of a dimension': [
      undefined,
      ({ domain }) => void Object.assign(domain.dimensions[0], { name: 'q' }),
    ],
  }
  test.each(Object.entries(changes))('%s', (_, [field, change]) => expectSaid('22/dense_3d_row_row', field, change))
})

// TileDB 2.30 reads coordinates as if they had the array's form, or crashes.
describe('a newest schema by which sparse cells have other coordinates', () => {
  const changes: Changes = {
    'with one dimension more': [
      'dimensions',
      ({ domain: { dimensions } }) => void dimensions.push({ ...dimensions[0], name: 'more' }),
    ],
    'with one dimension fewer': ['dimensions', ({ domain }) => void domain.dimensions.shift()],
    'with another name of a dimension': [
      'dimensions.y',
      ({ domain }) => void Object.assign(domain.dimensions[0], { name: 'q' }),
    ],
    'with its dimensions the other way round': ['dimensions.y', ({ domain }) => void domain.dimensions.reverse()],
    'with larger integers': ['dimensions.x', (schema) => retype(schema, 'INT64', 8)],
    'with floats': ['dimensions.x', (schema) => retype(schema, 'FLOAT32', 4)],
    'with integers of the same size': [undefined, (schema) => retype(schema, 'UINT32', 4)],
    'with other tiles': [
      undefined,
      ({ domain }) => void Object.assign(domain.dimensions[0], { tile_extent: new Uint8Array([2, 0, 0, 0]) }),
    ],
  }
  test.each(Object.entries(changes))('%s', (_, [field, change]) => expectSaid('22/sparse_2d_row_row', field, change))

  test('integers of the same size are read as they were written', async () => {
    const before = await run(['read', EDITED, '--format', 'ndjson'], {
      storage: new EditedArray('22/sparse_2d_row_row').storage(),
    })
    const array = await withNewest('22/sparse_2d_row_row', (schema) => retype(schema, 'UINT32', 4))
    const { text } = await run(['read', EDITED, '--format', 'ndjson'], { storage: array.storage() })
    expect(text).toBe(before.text)
  })
})

test.each([
  ['22/dense_3d_row_row', 'domain', 1],
  ['22/sparse_2d_row_row', 'domainSparse', 0],
] as const)(
  'a newest schema with a smaller domain is told by check, explain and the overview: %s',
  async (fixture, variant, code) => {
    const array = await withNewest(fixture, ({ domain: { dimensions } }) => {
      for (const { domain, tile_extent } of dimensions) {
        // One tile is left.
        const half = domain.length / 2
        domain.copyWithin(half, 0, half)
        domain[half] += (tile_extent?.[0] ?? 1) - 1
      }
    })
    const seen: unknown[] = []
    for (const command of [['check'], ['explain'], []]) {
      const said = await runJson([...command, EDITED], { storage: array.storage() })
      const found = items(get(said.documents[0], 'findings')).filter((one) => get(one, 'code') === 'FIELD_CHANGED')
      expect(found.length).toBeGreaterThan(0)
      seen.push([said.code, get(found[0], 'severity'), get(found[0], 'meaning')])
    }
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(seen[0]).toMatchObject([
      code,
      code === 1 ? 'error' : 'warning',
      FINDING_CODES.FIELD_CHANGED.variants[variant].meaning,
    ])
  },
)
