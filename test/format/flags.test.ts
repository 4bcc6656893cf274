import { expect, test } from '@jest/globals'
import { enumerationFile } from '../../src/format/enumeration.ts'
import { groupDetails } from '../../src/format/group-details.ts'
import { check, serious } from '../check/findings.ts'
import { EDITED, EditedArray } from '../helpers/edit-array.ts'
import { run } from '../helpers/run.ts'

// TileDB 2.30 takes all of them for true.
test.each([
  ['22/group', /__group\/__\d/, groupDetails, ['ls'], 17],
  // Version, length and text of the name, length and text of the path, type, values of a cell.
  ['22/enumerations', /__enumerations\//, enumerationFile, ['read'], undefined],
] as const)('a flag of 2 in %s %s is taken for true, and told', async (fixture, pattern, describe, command, offset) => {
  const array = new EditedArray(fixture)
  const [path] = array.matching(pattern)
  await array.rewrite<object>(path, describe as never, (value) => {
    if ('ordered' in value) value.ordered = true
  })
  const before = await run([...command, EDITED, '--json'], { storage: array.storage() })
  await array.rewriteContent(path, (content) => {
    const name = content[4] ?? 0
    const at = offset ?? 8 + name + 4 + (content[8 + name] ?? 0) + 5
    expect(content[at]).toBe(1)
    content[at] = 2
  })
  const { findings } = await check(array.storage(), EDITED, { level: 'structure' })
  expect(serious(findings).map(({ severity, code, found }) => `${severity} ${code} ${found}`)).toEqual([
    'warning FLAG_VALUE 2',
  ])
  expect(await run([...command, EDITED, '--json'], { storage: array.storage() })).toEqual(before)
})
