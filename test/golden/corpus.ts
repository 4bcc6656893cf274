import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { describe, test } from '@jest/globals'
import { casesIn, ROOT, testCase } from './cases.ts'

/** The large corpus: one archive for each format version, beside the repository where it is there. */
const ARCHIVES = `${ROOT}/../shared/corpus`
/** Outside of git. */
const UNPACKED = `${ROOT}/build/corpus`

const ARCHIVE = '.tar.gz'

/** Test files that share the corpus, each in a worker of its own. */
const SHARES = 4

/** Tests for every case of one share of the archives, by its path; one skipped test where there is no corpus. */
export function testCorpus(share: number, each: (path: string) => void = testCase): void {
  const names = archiveNames()
  if (names.length === 0) {
    test.skip('the large corpus is not here: a folder ../shared/corpus with its archives beside the repository', () => {})
    return
  }
  for (const name of names.filter((_, i) => i % SHARES === share)) {
    describe(`corpus ${name}`, () => {
      for (const path of casesIn(unpacked(name))) each(path)
    })
  }
}

function archiveNames(): string[] {
  if (!existsSync(ARCHIVES)) return []
  const archives = readdirSync(ARCHIVES).filter((name) => name.endsWith(ARCHIVE))
  return archives.map((name) => name.slice(0, -ARCHIVE.length)).sort()
}

/** Folders of the corpus, unpacked; none where it is not here. */
export function corpusFolders(): string[] {
  return archiveNames().map(unpacked)
}

/** The folder of an archive's cases, unpacked the first time. A mark is left behind the last file. */
function unpacked(name: string): string {
  const folder = `${UNPACKED}/${name}`
  const archive = `${ARCHIVES}/${name}${ARCHIVE}`
  const mark = `${UNPACKED}/${name}.complete`
  if (existsSync(mark) && existsSync(folder) && statSync(mark).mtimeMs >= statSync(archive).mtimeMs) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(UNPACKED, { recursive: true })
  execFileSync('tar', ['xzf', archive, '-C', UNPACKED])
  writeFileSync(mark, '')
  return folder
}
