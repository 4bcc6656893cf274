import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from '@jest/globals'

/** Creates a folder for the tests of one file. It is removed after them. Call it outside of tests, as hooks cannot begin in one. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tiledb-'))
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export { filesBelow } from './files-below.ts'
