import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { env } from 'node:process'
import { describe, test } from '@jest/globals'
import { casesIn, ROOT, testCase } from './cases.ts'

/** The large corpus: one archive for each format version, beside the repository where it is there. */
const ARCHIVES = `${ROOT}/../shared/corpus`
/** Outside of git. */
const UNPACKED = `${ROOT}/build/corpus`

const ARCHIVE = '.tar.gz'
const MARK = '.complete'

/** Test files that share the corpus, each in a worker of its own. */
const SHARES = 4

/** Tests for every case of one share of the archives, by its path; one skipped test where there is no corpus. */
export function testCorpus(share: number, each: (path: string) => void = testCase): void {
  const names = archiveNames()
  if (names.length === 0) {
    // The gate asks for it where its folder is there.
    if (env.REQUIRE_CORPUS === '1') throw new Error(`expected the archives of the corpus in ${ARCHIVES}, found none`)
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

/**
 * The folder of an archive's cases, unpacked the first time. Workers may come at once: each unpacks for itself, and the
 * first to finish puts the whole folder in its place, with a mark inside.
 */
function unpacked(name: string): string {
  const folder = `${UNPACKED}/${name}`
  const archive = `${ARCHIVES}/${name}${ARCHIVE}`
  if (isUnpacked(folder, archive)) return folder
  mkdirSync(UNPACKED, { recursive: true })
  const own = mkdtempSync(`${UNPACKED}/.unpacking-`)
  execFileSync('tar', ['xzf', archive, '-C', own])
  writeFileSync(`${own}/${name}/${MARK}`, '')
  if (!isUnpacked(folder, archive)) {
    try {
      if (existsSync(folder)) renameSync(folder, `${own}/outdated`)
      renameSync(`${own}/${name}`, folder)
    } catch (error) {
      if (!isUnpacked(folder, archive)) throw error
    }
  }
  rmSync(own, { recursive: true, force: true })
  return folder
}

function isUnpacked(folder: string, archive: string): boolean {
  const mark = `${folder}/${MARK}`
  return existsSync(mark) && statSync(mark).mtimeMs >= statSync(archive).mtimeMs
}
