import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { testCorpus } from '../golden/corpus.ts'
import { contextFor } from '../helpers/fixtures.ts'
import { get, parseJson } from '../helpers/json.ts'
import { dissect, filePaths, isKnownGap } from './anatomy.ts'

/** Cases that each release wrote with the same arrays. Some of them are enough. */
const STEP = 15

let count = 0
for (let share = 0; share < 4; share++) {
  const dissected = (path: string): void => {
    test(path.split('/').slice(-2).join('/'), async () => {
      const key = get(parseJson(readFileSync(`${path}.expected.json`, 'utf8')), 'key')
      const faults: string[] = []
      for (const file of filePaths(path)) {
        const found = await dissect(file, contextFor({ key: typeof key === 'string' ? key : undefined }))
        if (found.coverage !== undefined) faults.push(`${file}: ${found.coverage}`)
        for (const gap of found.gaps) if (!isKnownGap(gap)) faults.push(`${file}: gap of ${gap}`)
      }
      expect(faults).toEqual([])
    })
  }
  testCorpus(share, dissected, (cases) => cases.filter(() => count++ % STEP === 0))
}
