import { describe, expect, test } from '@jest/globals'
import { NEWEST_FORMAT_VERSION } from '../../src/format/format-version.ts'
import { firstOf, turnOfFamilies } from '../helpers/turn.ts'
import { casesIn, ROOT, testCase, versionFolders } from './cases.ts'

const FIXTURES = `${ROOT}/test/fixtures`

describe('every fixture is what TileDB says it is', () => {
  test('there is a fixture of every format version', () => {
    expect(versionFolders(FIXTURES).map(Number)).toEqual(Array.from({ length: NEWEST_FORMAT_VERSION }, (_, i) => i + 1))
  })
  const cases = versionFolders(FIXTURES).flatMap((version) =>
    casesIn(`${FIXTURES}/${version}`).map((path) => ({ path, version: Number(version) })),
  )
  for (const { path } of turnOfFamilies(cases, 8, ({ version }) => version)) testCase(path)
})

describe('every example array is what TileDB says it is', () => {
  // Those of the gallery have many cells.
  for (const path of [...casesIn(`${ROOT}/examples/arrays`), ...firstOf(casesIn(`${ROOT}/examples/gallery`), 1)])
    testCase(path)
})
