import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, expect, test } from '@jest/globals'
import { firstFragment } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'

const folder = mkdtempSync(`${tmpdir()}/tiledb-inspect-nan-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SCHEMA = {
  format_version: 22,
  array_type: 'sparse',
  dimensions: [{ name: 'x', type: 'INT32', domain: [0, 99_999] }],
  attributes: [
    { name: 'd', type: 'FLOAT64' },
    { name: 'f', type: 'FLOAT32', nullable: true },
    { name: 'v', type: 'FLOAT64', cell_val_num: 'var' },
  ],
}
/** R's NA_real_; negative; signalling; VCF's missing value and end of a vector; the usual NaN. */
const DOUBLES = ['NaN:0x7ff00000000007a2', 'NaN:0xfff8000000000000', 'NaN:0x7ff0000000000001', 'NaN', 1.5]
const SINGLES = ['NaN:0x7f800001', 'NaN:0x7f800002', 'NaN:0xffc00000', null, 'NaN']

function rows(count: number): string {
  const line = (x: number): string => {
    const i = x % DOUBLES.length
    return JSON.stringify({ x, d: DOUBLES[i], f: SINGLES[i], v: DOUBLES.slice(0, i) })
  }
  return `${Array.from({ length: count }, (_, x) => line(x)).join('\n')}\n`
}

async function made(name: string, text: string, attributes: object[] = SCHEMA.attributes): Promise<string> {
  const [schema, data] = [`${folder}/${name}.json`, `${folder}/${name}.ndjson`]
  writeFileSync(schema, JSON.stringify({ ...SCHEMA, attributes }))
  writeFileSync(data, text)
  const { code, stderr } = await run(['write-sample', `${folder}/${name}`, '--schema', schema, '--data', data])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return firstFragment(`${folder}/${name}`)
}

test('--raw keeps the bits of NaN in NDJSON, JSON and CSV, and write-sample takes them back', async () => {
  const text = rows(50)
  const fragment = await made('few', text)
  const { text: ndjson } = await run(['decode', fragment, '--raw', '--format', 'ndjson'])
  expect(ndjson).toBe(text)
  const { text: json } = await run(['decode', fragment, '--raw', '--json'])
  for (const one of ['NaN:0x7ff00000000007a2', 'NaN:0xfff8000000000000', 'NaN:0x7f800001'])
    expect(json).toContain(`"${one}"`)
  const { text: csv } = await run(['decode', fragment, '--raw', '--format', 'csv', '--field', 'd', '--field', 'f'])
  expect(csv.split(/\r?\n/).slice(1, 6)).toEqual([
    '0,NaN:0x7ff00000000007a2,NaN:0x7f800001',
    '1,NaN:0xfff8000000000000,NaN:0x7f800002',
    '2,NaN:0x7ff0000000000001,NaN:0xffc00000',
    '3,NaN,',
    '4,1.5,NaN',
  ])
  const { text: table } = await run(['decode', fragment, '--raw', '--limit', '2', '--field', 'd'])
  expect(table).toContain('NaN:0x7ff00000000007a2')
  const { text: plain } = await run(['decode', fragment, '--format', 'ndjson', '--limit', '1'])
  expect(plain).toBe('{"x":0,"d":"NaN","f":"NaN","v":[]}\n')
})

test('the same with the kernel, for some unusual NaN or only such', async () => {
  const attributes = SCHEMA.attributes.slice(0, 2)
  for (const [name, every] of [
    ['rare', 997],
    ['all', 1],
  ] as const) {
    const line = (x: number): string =>
      JSON.stringify(
        x % every === 0
          ? { x, d: DOUBLES[x % 3], f: SINGLES[(x / every) % 5] }
          : { x, d: x / 4, f: x % 7 === 0 ? null : x / 8 },
      )
    const text = `${Array.from({ length: 20_000 }, (_, x) => line(x)).join('\n')}\n`
    const fragment = await made(name, text, attributes)
    const { text: ndjson } = await run(['decode', fragment, '--raw', '--format', 'ndjson'])
    expect(ndjson === text).toBe(true)
  }
})

test('bits of another number, or of another width, are refused', async () => {
  for (const wrong of ['NaN:0x3ff0000000000000', 'NaN:0x7ff0000000000000', 'NaN:0x7fc00001', 'NaN:0x', 'NaN(1)']) {
    const schema = `${folder}/wrong.json`
    writeFileSync(schema, JSON.stringify({ ...SCHEMA, attributes: SCHEMA.attributes.slice(0, 1) }))
    writeFileSync(`${folder}/wrong.ndjson`, `${JSON.stringify({ x: 1, d: wrong })}\n`)
    const { code, stderr } = await run([
      'write-sample',
      `${folder}/wrong`,
      '--schema',
      schema,
      '--data',
      `${folder}/wrong.ndjson`,
    ])
    expect(stderr).toMatch(/field d/)
    expect(code).not.toBe(0)
  }
  expect(readFileSync(`${folder}/few.ndjson`, 'utf8')).toContain('NaN:0x')
})
