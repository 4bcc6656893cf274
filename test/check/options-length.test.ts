import { expect, test } from '@jest/globals'
import { SCHEMA } from '../../src/damage/damage.ts'
import type { PlanDocument } from '../../src/documents/plan.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'
import { check, serious } from './findings.ts'

const READ = ['read', EDITED, '--format', 'csv']

/** An array whose filters of attributes store a wrong length of their options. */
async function withLength(fixture: string, length: number): Promise<EditedArray> {
  const array = new EditedArray(fixture)
  await array.editSchema(({ attributes }) => {
    for (const { filters } of attributes) for (const one of filters.filters) one.options_length = length
  })
  return array
}

// TileDB 2.30 reads all of these. It looks at the length only to see whether so many bytes are left.
test.each([
  ['22/filter_gzip', 0],
  ['22/filter_gzip', 9],
  ['22/filter_bitshuffle', 9],
  ['22/filter_byteshuffle', 9],
  ['22/filter_bit_width_reduction', 9],
  ['22/filter_positive_delta', 0],
  ['22/filter_double_delta', 9],
  ['22/filter_float_scale', 0],
  ['22/filter_sha256', 9],
  ['22/filter_xor', 9],
  ['22/filter_webp', 0],
  ['22/filter_none', 9],
])('cells of %s are read although the schema stores %i as the length of options', async (fixture, length) => {
  const before = await run(READ, { storage: new EditedArray(fixture).storage() })
  const array = await withLength(fixture, length)
  expect(await run(READ, { storage: array.storage() })).toEqual(before)
  const { findings } = await check(array.storage(), EDITED, { level: 'structure' })
  const told = serious(findings).map(({ severity, code, variant }) => `${severity} ${code} ${variant}`)
  expect(new Set(told)).toEqual(new Set(['warning SCHEMA_FILTER_OPTIONS length']))
  for (const args of [[], ['explain']]) {
    const { code, stderr } = await run([...args, EDITED], { storage: array.storage() })
    expect([...args, code, stderr]).toEqual([...args, 0, ''])
  }
})

test('a length of options that leaves the schema keeps TileDB from opening the array', async () => {
  const array = await withLength('22/filter_gzip', 100000)
  for (const args of [['read'], ['explain'], ['schema'], []])
    expect([...args, (await run([...args, EDITED], { storage: array.storage() })).code]).toEqual([...args, 1])
  const { findings } = await check(array.storage(), EDITED, { level: 'structure' })
  expect(serious(findings).map(({ code }) => code)).toContain('SCHEMA_UNREADABLE')
})

test('a schema with a wrong length of options is written again with all options', async () => {
  const array = await withLength('22/filter_bit_width_reduction', 0)
  const { text } = await run(['check', '--plan', '--json', EDITED], { storage: array.storage() })
  const { plans } = JSON.parse(text) as PlanDocument
  expect(plans.map(({ outcome, loses }) => [outcome, loses])).toEqual([['mends', []]])
  expect(text).not.toContain('p.update')
  expect(array.matching(SCHEMA)).toHaveLength(1)
})
