import { describe, expect, test } from '@jest/globals'
import { contextFor, fixtureFolders, versionOf } from '../helpers/fixtures.ts'
import { turnOfFamilies } from '../helpers/turn.ts'
import { dissect, filePaths, isKnownGap } from './anatomy.ts'

describe('every byte of every file is told once', () => {
  for (const folder of turnOfFamilies(fixtureFolders(), 12, versionOf, 4)) {
    test(folder.name, async () => {
      const faults: string[] = []
      for (const path of filePaths(folder.path)) {
        const found = await dissect(path, contextFor(folder))
        const unknown = found.gaps.filter((gap) => !isKnownGap(gap))
        const all = [...(found.coverage === undefined ? [] : [found.coverage]), ...found.faults, ...unknown]
        faults.push(...all.map((fault) => `${path.slice(folder.path.length)} (${found.role}): ${fault}`))
      }
      expect(faults).toEqual([])
    })
  }
})
