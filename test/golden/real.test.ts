import { existsSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { get, items } from '../helpers/json.ts'
import { run, runJson } from '../helpers/run.ts'
import { casesIn, ROOT, testCase } from './cases.ts'

/** Arrays that others published, beside the repository where they are there. */
const REAL = `${ROOT}/../shared/real`

describe('arrays from elsewhere', () => {
  const cases = casesIn(REAL)
  if (cases.length === 0) {
    test.skip('they are not here: a folder ../shared/real beside the repository', () => {})
    return
  }
  for (const path of cases) testCase(path)

  const experimental = `${REAL}/experimental_array_vUINT32_MAX`
  const there = existsSync(experimental) ? test.each : test.skip.each
  there(['ls', 'schema', 'footer', 'verify-checksums'])(
    '%s says of an experimental format version that it is one: exit 3',
    async (command) => {
      const ran = await runJson([command, experimental])
      expect(ran.code).toBe(3)
      expect(ran.stderr).toMatch(
        /^error: .*expected a format version from 1 to \d+, found 4294967295 \(an experimental version/,
      )
      expect(ran.stderr).toContain(experimental)
      const line = await run([command, experimental])
      expect(line.code).toBe(3)
    },
  )

  const group = `${REAL}/group_v1`
  const withGroup = existsSync(group) ? test : test.skip
  withGroup('a group of version 1 lists its members', async () => {
    const { code, documents } = await runJson(['ls', group])
    expect(code).toBe(0)
    expect(items(get(documents[0], 'members')).length).toBeGreaterThan(0)
  })

  const dense = `${REAL}/dense_array_v1_3_0`
  const withDense = existsSync(dense) ? test : test.skip
  withDense('an array of TileDB 1.3, older than format version 1, is not examined: exit 3', async () => {
    const { code, stderr } = await run(['ls', dense])
    expect(code).toBe(3)
    expect(stderr).toContain(dense)
  })
})
