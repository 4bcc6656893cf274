import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))

/**
 * After all tests: no file of the fixtures was written to. Tests of several files run side by side, so that one that damages a
 * fixture, even for a moment, makes others fail now and then. A test that damages a file works on a copy.
 */
export default function fixturesAreKept() {
  const written = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).mtimeMs > performance.timeOrigin)
  if (written.length > 0) throw new Error(`tests wrote to fixtures; they must use copies:\n${written.join('\n')}`)
}
