import { env } from 'node:process'
import { describe, test } from '@jest/globals'
import { archiveNames, casesIn, unpacked } from '../helpers/corpus.ts'
import { shortTurn } from '../helpers/turn.ts'
import { testCase } from './cases.ts'

/** Test files that share the corpus, each in a worker of its own. */
const SHARES = 4

/** The cases of an archive that a run tries: one in eight, in the gate one in four. */
function someCases(cases: readonly string[]): readonly string[] {
  return shortTurn(cases, 8)
}

/** Tests for cases of one share of the archives, by their paths; one skipped test where there is no corpus. */
export function testCorpus(share: number, each: (path: string) => void = testCase, chosen = someCases): void {
  const names = archiveNames()
  if (names.length === 0) {
    // The gate asks for it where its folder is there.
    if (env.REQUIRE_CORPUS === '1')
      throw new Error('expected the archives of the corpus in ../shared/corpus, found none')
    test.skip('the large corpus is not here: a folder ../shared/corpus with its archives beside the repository', () => {})
    return
  }
  for (const name of names.filter((_, i) => i % SHARES === share)) {
    describe(`corpus ${name}`, () => {
      for (const path of chosen(casesIn(unpacked(name)))) each(path)
    })
  }
}

/** Folders of the corpus, unpacked; none where it is not here. */
export function corpusFolders(): string[] {
  return archiveNames().map(unpacked)
}
