import { describe } from '@jest/globals'
import { casesIn, versionFolders } from '../golden/cases.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { turnOfFamilies } from '../helpers/turn.ts'
import { testBytes } from './bytes.ts'

const cases = versionFolders(FIXTURES).flatMap((version) =>
  casesIn(`${FIXTURES}/${version}`).map((path) => ({ path, version: Number(version) })),
)

describe('fixtures', () => {
  for (const { path } of turnOfFamilies(cases, 8, ({ version }) => version)) testBytes(path)
})
