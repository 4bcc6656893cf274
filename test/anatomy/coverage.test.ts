import { describe, expect, test } from '@jest/globals'
import { contextFor, fixtureFolders } from '../helpers/fixtures.ts'
import { dissect, filePaths } from './anatomy.ts'

/** Gaps that files of real releases have. */
const KNOWN_GAPS = [/^\d+ bytes: (?:the fragment's metadata does not name this file)$/]

describe('every byte of every file is told once', () => {
  for (const folder of fixtureFolders()) {
    test(folder.name, async () => {
      const faults: string[] = []
      for (const path of filePaths(folder.path)) {
        const found = await dissect(path, contextFor(folder))
        const unknown = found.gaps.filter((gap) => !KNOWN_GAPS.some((known) => known.test(gap)))
        const all = [...(found.coverage === undefined ? [] : [found.coverage]), ...found.faults, ...unknown]
        faults.push(...all.map((fault) => `${path.slice(folder.path.length)} (${found.role}): ${fault}`))
      }
      expect(faults).toEqual([])
    })
  }
})
