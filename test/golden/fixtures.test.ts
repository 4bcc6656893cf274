import { describe, expect, test } from '@jest/globals'
import { casesIn, ROOT, testCase, versionFolders } from './cases.ts'

const FIXTURES = `${ROOT}/test/fixtures`

describe('every fixture is what TileDB says it is', () => {
  test('there is a fixture of every format version', () => {
    expect(versionFolders(FIXTURES).map(Number)).toEqual(Array.from({ length: 23 }, (_, i) => i + 1))
  })
  for (const version of versionFolders(FIXTURES)) for (const path of casesIn(`${FIXTURES}/${version}`)) testCase(path)
})

describe('every example array is what TileDB says it is', () => {
  for (const path of casesIn(`${ROOT}/examples/arrays`)) testCase(path)
})
