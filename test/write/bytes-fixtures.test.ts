import { describe } from '@jest/globals'
import { casesIn, versionFolders } from '../golden/cases.ts'
import { FIXTURES } from '../helpers/fixtures.ts'
import { testBytes } from './bytes.ts'

for (const version of versionFolders(FIXTURES)) {
  describe(`fixtures of version ${version}`, () => {
    for (const path of casesIn(`${FIXTURES}/${version}`)) testBytes(path)
  })
}
