import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = temporaryFolder()
let serial = 0

const json = (path: string) => JSON.parse(readFileSync(`${ROOT}${path}`, 'utf8'))
const { $defs } = json('schemas/steps-file.json')
const ajv = new Ajv2020({ strict: true, strictTypes: false })
for (const file of readdirSync(`${ROOT}schemas`)) ajv.addSchema(json(`schemas/${file}`), file)
const valid = ajv.getSchema('steps-file.json')

/** What write-sample says of steps; empty if it does them. */
async function said(steps: unknown): Promise<string> {
  const path = `${folder}/${serial++}`
  writeFileSync(`${path}.json`, JSON.stringify(steps))
  const { code, stderr } = await run(['write-sample', path, '--steps', `${path}.json`, '--quiet'])
  return code === 0 ? '' : stderr
}

const PIPELINE = { filters: [{ name: 'GZIP', level: 9 }] }
const SCHEMA = {
  format_version: 22,
  array_type: 'dense',
  capacity: 10,
  offsets_filters: PIPELINE,
  dimensions: [{ name: 'x', type: 'INT32', domain: [0, 9], tile_extent: 5, filters: PIPELINE }],
  attributes: [{ name: 'a', type: 'UINT8', nullable: true, fill_value: 3, enumeration: 'e', filters: PIPELINE }],
  enumerations: [{ name: 'e', type: 'STRING_ASCII', values: ['red', 'green'] }],
  dimension_labels: [{ name: 'l', dimension_index: 0, order: 'increasing', type: 'FLOAT64' }],
  current_domain: { x: [0, 4] },
}
const STEPS = [
  { step: 'group', add: [] },
  { step: 'create', path: 'd', schema: SCHEMA, time: 10 },
  {
    step: 'write',
    path: 'd',
    cells: [0, 1, 2, 3, 4].map((x) => ({ x, a: x === 2 ? null : x % 2 })),
    time: '1970-01-01T00:00:00.020',
  },
  { step: 'evolve', path: 'd', current_domain: { x: [0, 9] }, extend_enumerations: [{ name: 'e', values: ['blue'] }] },
  {
    step: 'metadata',
    path: 'd',
    put: { k: [1, 2], t: { type: 'STRING_ASCII', value: 'text' }, b: { base64: 'AAE=' } },
  },
  { step: 'metadata', path: 'd', delete: ['k'] },
  { step: 'consolidate', path: 'd', mode: 'array_meta' },
  { step: 'vacuum', path: 'd', mode: 'array_meta' },
  { step: 'group', add: [{ uri: 'd', name: 'dense' }] },
  { step: 'group', remove: ['dense'], time: 2_000_000_000_000 },
]

describe('schemas/steps-file.json', () => {
  test('what it takes, write-sample does', async () => {
    expect({ takes: valid?.({ $schema: 'steps-file.json', steps: STEPS }), why: valid?.errors }).toEqual({
      takes: true,
      why: null,
    })
    expect(await said({ $schema: 'steps-file.json', steps: STEPS })).toBe('')
  })

  test('it takes the steps of docs/writing.md', () => {
    const page = readFileSync(`${ROOT}docs/writing.md`, 'utf8')
    const blocks = Array.from(page.matchAll(/^```json\n(.*?)^```/gms), ([, text]) => JSON.parse(text))
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) expect(valid?.(block)).toBe(true)
  })

  test.each<[string, unknown]>([
    ['an unknown step', { step: 'wirte' }],
    ['an unknown key', { step: 'vacuum', modes: 'commits' }],
    ['a key of another step', { step: 'delete', where: 'a == 1', purge: true }],
    ['no time', { step: 'consolidate', time: 10 }],
    ['another type', { step: 'write', cells: { x: 1 } }],
    ['an unknown key of the schema', { step: 'create', schema: { ...SCHEMA, cellorder: 'hilbert' } }],
    ['an unknown datatype', { step: 'evolve', add_attributes: [{ name: 'b', type: 'INT' }] }],
  ])('%s: both refuse it', async (_, step) => {
    expect(valid?.({ steps: [step] })).toBe(false)
    expect(await said({ steps: [step] })).toMatch(/^error: .*expected/)
  })

  test('an error names the nearest step and key', async () => {
    expect(await said([{ step: 'wirte' }])).toContain('did you mean "write"')
    expect(await said([{ step: 'delete', wher: 'a == 1' }])).toContain('did you mean "where"')
    expect(await said({ stesp: [] })).toContain('did you mean "steps"')
  })

  const { kind, path, schema_version, as_of, name, encryption, changes, missing_enumerations, ...ofSchema } =
    $defs.GivenSchema.properties
  const inSchema = (changed: object) => ({ step: 'create', schema: { ...SCHEMA, ...changed } })
  const [dimension] = SCHEMA.dimensions
  test.each<[string, object, unknown]>([
    ...['Create', 'Write', 'Delete', 'Consolidate', 'Vacuum', 'Evolve', 'Metadata', 'Group'].map(
      (step): [string, object, unknown] => [
        step,
        $defs[`${step}Step`].properties,
        { step: step.toLowerCase(), zzz: 1 },
      ],
    ),
    ['a schema', ofSchema, inSchema({ zzz: 1 })],
    ['a dimension', $defs.GivenDimension.properties, inSchema({ dimensions: [{ ...dimension, zzz: 1 }] })],
    ['an attribute', $defs.GivenAttribute.properties, inSchema({ attributes: [{ zzz: 1 }] })],
    ['an enumeration', $defs.GivenEnumeration.properties, inSchema({ enumerations: [{ zzz: 1 }] })],
    ['a label', $defs.GivenDimensionLabel.properties, inSchema({ dimension_labels: [{ zzz: 1 }] })],
    ['a pipeline', $defs.GivenPipeline.properties, inSchema({ offsets_filters: { zzz: 1 } })],
    ['a member', $defs.GivenMember.properties, { step: 'group', add: [{ zzz: 1 }] }],
    [
      'an extended enumeration',
      $defs.ExtendedEnumeration.properties,
      { step: 'evolve', extend_enumerations: [{ zzz: 1 }] },
    ],
  ])('%s has the keys that write-sample takes', async (_, properties, step) => {
    const keys = /one of the keys (?<keys>[^\n]*?), found/.exec(await said([step]))?.groups?.keys
    expect(keys?.split(', ').sort()).toEqual(Object.keys(properties).sort())
  })
})
