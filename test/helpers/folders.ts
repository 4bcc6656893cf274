import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from '@jest/globals'

/** A folder for the tests of one file, removed behind them. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tiledb-inspect-'))
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Every file below a folder, by its path under `as`. */
export function filesBelow(path: string, as: string): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory())
      for (const [name, bytes] of filesBelow(`${path}/${entry.name}`, `${as}/${entry.name}`)) files.set(name, bytes)
    else files.set(`${as}/${entry.name}`, new Uint8Array(readFileSync(`${path}/${entry.name}`)))
  }
  return files
}
