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
  const archives = existsSync(ARCHIVES)
    ? readdirSync(ARCHIVES)
        .filter((name) => name.endsWith(ARCHIVE))
        .sort()
    : []
  if (archives.length === 0) {
    test.skip('the large corpus is not here: a folder ../shared/corpus with its archives beside the repository', () => {})
    return
  }
  const names = archives.map((name) => name.slice(0, -ARCHIVE.length))
  for (const name of names.filter((_, i) => i % SHARES === share)) {
    describe(`corpus ${name}`, () => {
      for (const path of casesIn(unpacked(name))) each(path)
    })
  }
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
