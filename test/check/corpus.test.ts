import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { localFiles } from '../../src/node/file.ts'
import { casesIn } from '../golden/cases.ts'
import { corpusFolders } from '../golden/corpus.ts'
import { get, parseJson } from '../helpers/json.ts'
import { turn } from '../helpers/turn.ts'
import { check, serious, shown } from './findings.ts'

/** Columns that some release cannot read, or reads with other values than were written. Findings about them are right. */
const BROKEN =
  /\/(?:7\/type_nullable_sparse|mixed\/type_nullable_sparse_from_7(?:_upgraded)?|1[345]\/filt_strings|1[5-9]\/filt_float_scale)$/

/** Every n-th case is checked, because all of them take a minute. */
const SHARE = 6

const folders = corpusFolders()

if (folders.length === 0) test.skip('the large corpus is not here', () => {})

for (const folder of folders)
  describe(`corpus ${folder} has no error and no warning`, () => {
    const cases = turn(
      casesIn(folder).filter((path) => !BROKEN.test(path)),
      SHARE,
    )
    test.each(cases.map((path) => [path.slice(folder.length + 1), path]))('%s', async (_, path) => {
      const key = get(parseJson(readFileSync(`${path}.expected.json`, 'utf8')), 'key')
      const { findings } = await check(localFiles, path, { key: typeof key === 'string' ? key : undefined })
      expect(shown(serious(findings))).toEqual([])
    })
  })
