import { describe, expect, test } from '@jest/globals'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { fragmentNames } from '../helpers/fragments.ts'
import { run } from '../helpers/run.ts'
import { check } from './findings.ts'

describe('validity that TileDB 2.4 to 2.10 filtered as values is read, and said to be so', () => {
  test.each([
    ['10/validity_as_values', { a: 'INT64', t: 'DATETIME_DAY' }],
    ['14/validity_as_values', { a: 'INT64', t: 'DATETIME_DAY' }],
    ['14/validity_windows', { a: 'INT32', b: 'INT16' }],
  ])('%s', async (fixture, types) => {
    const { findings } = await check(new EditedArray(fixture).storage(), EDITED)
    expect(findings.map(({ severity, code, found }) => [severity, code, found])).toEqual(
      Object.values(types).map((type) => ['note', 'CELL_VALIDITY', type]),
    )
    for (const { meaning } of findings) expect(meaning).toMatch(/2\.4 to 2\.10/)
  })

  test('damage of such a chunk stays an error', async () => {
    const array = new EditedArray('14/validity_as_values')
    const path = array.find(/\/a0_validity\.tdb$/)
    // Changes the number of elements of the last part.
    array.patch(path, array.get(path).length - 24, [3])
    const { findings } = await check(array.storage(), EDITED)
    expect(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual([
      'CHUNK_UNREADABLE',
    ])
  })
})

describe('entries that TileDB 2.2 left for validity tiles', () => {
  test.each(['7/global_nullable', '8/global_nullable'])('%s: a note for each list', async (fixture) => {
    const { findings } = await check(new EditedArray(fixture).storage(), EDITED)
    expect(new Set(findings.map(({ severity, code }) => `${severity} ${code}`))).toEqual(
      new Set(['note TILE_OFFSETS_COUNT']),
    )
    for (const { meaning } of findings) expect(meaning).toMatch(/2\.2/)
  })
})

describe('nulls that a filter shows as they were written', () => {
  test.each(['read', 'decode'])('%s says once that TileDB may show others', async (command) => {
    const path = `${FIXTURES}/14/validity_as_values`
    const [fragment] = fragmentNames(path)
    const target = command === 'read' ? path : `${path}/__fragments/${fragment}`
    const { code, stderr } = await run([command, target, '--format', 'ndjson', '--field', 'a'])
    expect(code).toBe(0)
    expect(stderr.match(/note: a: nulls are shown as they were written; .* may show other nulls/g)).toHaveLength(1)
  })

  test('nothing is said of validity that was filtered as bytes', async () => {
    const { stderr } = await run(['read', `${FIXTURES}/22/all_null_first_tile_char`, '--format', 'ndjson'])
    expect(stderr).not.toMatch(/nulls are shown/)
  })
})
