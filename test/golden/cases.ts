import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { compareCase } from './compare.ts'

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

const SUFFIX = '.expected.json'

/** Paths of the cases in a folder: everything that has an expected file beside it. */
export function casesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .sort()
    .map((name) => `${folder}/${name.slice(0, -SUFFIX.length)}`)
}

/** Folders in a folder whose names are format versions, in order. */
export function versionFolders(folder: string): string[] {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return names
    .map(({ name }) => name)
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => Number(a) - Number(b))
}

/** One test for a case: no difference from what TileDB says. */
export function testCase(path: string): void {
  test(path.split('/').slice(-2).join('/'), async () => {
    expect(await compareCase(path)).toEqual([])
  })
}
