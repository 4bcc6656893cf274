import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))

/**
 * Runs after all tests. Throws if a test wrote to a fixture: test files run in parallel, so a fixture that is damaged even for a moment
 * makes other tests fail now and then. A test that damages a file must work on a copy.
 */
export default function fixturesAreKept() {
  const written = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).mtimeMs > performance.timeOrigin)
  if (written.length > 0) throw new Error(`tests wrote to fixtures; they must use copies:\n${written.join('\n')}`)
}
