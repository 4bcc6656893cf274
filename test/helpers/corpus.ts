import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
/** The large corpus: one archive for each format version, beside the repository where it is there. */
const ARCHIVES = `${ROOT}/../shared/corpus`
/** Outside of git. */
const UNPACKED = `${ROOT}/build/corpus`

const ARCHIVE = '.tar.gz'
const MARK = '.complete'
const EXPECTED = '.expected.json'

/** Names of the archives; none where the corpus is not here. */
export function archiveNames(): string[] {
  if (!existsSync(ARCHIVES)) return []
  const archives = readdirSync(ARCHIVES).filter((name) => name.endsWith(ARCHIVE))
  return archives.map((name) => name.slice(0, -ARCHIVE.length)).sort()
}

/**
 * The folder of an archive's cases, unpacked the first time. Workers may come at once: each unpacks for itself, and the
 * first to finish puts the whole folder in its place, with a mark inside.
 */
export function unpacked(name: string): string {
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

/** Paths of the cases in a folder: everything that has an expected file beside it. */
export function casesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith(EXPECTED))
    .sort()
    .map((name) => `${folder}/${name.slice(0, -EXPECTED.length)}`)
}
