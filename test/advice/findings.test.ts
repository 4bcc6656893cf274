import { describe, expect, test } from '@jest/globals'
import { arrayFindings } from '../../src/advice/findings.ts'
import { unlessFault } from '../../src/base/errors.ts'
import { localStorage } from '../../src/node/file.ts'
import { openAt } from '../../src/read/opening.ts'
import type { OpenedArray } from '../../src/read/query.ts'
import { openTarget } from '../../src/store/target.ts'
import { contextFor, FIXTURES, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { turnOfFamilies } from '../helpers/turn.ts'

async function opened(path: string): Promise<OpenedArray> {
  const target = await openTarget(localStorage, path, contextFor({ key: undefined }))
  if (target.type !== 'array') throw new TypeError('expected an array')
  return openAt(target.array)
}

describe('findings of an array', () => {
  test('are none for the fixtures, which are small', async () => {
    const arrays = fixtureFolders().filter(({ kind, key }) => kind === 'array' && key === undefined)
    for (const { path } of turnOfFamilies(arrays, 4, versionOf)) {
      const findings = await opened(path).then(arrayFindings).catch(unlessFault)
      expect([path, findings ?? []]).toEqual([path, []])
    }
  })

  test('many small fragments', async () => {
    const array = await opened(`${FIXTURES}/22/sparse_basic`)
    const fragments = Array.from({ length: 200 }, () => array.fragments[0])
    const [finding] = await arrayFindings({ ...array, fragments })
    expect(finding).toMatchObject({ code: 'FRAGMENTS_MANY', severity: 'warning', effect: { fragments: 200 } })
    expect(finding.advice[0]).toMatch(/^tiledb\.consolidate\("/)
    expect(await arrayFindings({ ...array, fragments: fragments.slice(0, 9) })).toEqual([])
  })
})
