import { readdirSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { compareCase } from './compare.ts'

export { casesIn, ROOT } from '../helpers/corpus.ts'

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
