import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { run } from '../helpers/run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = `${ROOT}/bin/tiledb-inspect.js`
const SCRIPT = `${ROOT}/examples/ci/check-arrays.sh`
const HEALTHY = [`${ROOT}/examples/arrays/places`, `${ROOT}/examples/arrays/weather`]
const folder = temporaryFolder()

/** The program, under the name that scripts call. */
const PROGRAM = `${folder}/tiledb-inspect`
writeFileSync(PROGRAM, `#!/bin/sh\nexec '${execPath}' '${BIN}' "$@"\n`)
chmodSync(PROGRAM, 0o755)

function script(
  targets: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { code: number | null; out: string } {
  const { status, stdout, stderr } = spawnSync('sh', [SCRIPT, ...targets], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TILEDB_INSPECT: PROGRAM, ...env },
  })
  return { code: status, out: stdout + stderr }
}

async function damaged(kind: string): Promise<string> {
  const path = `${folder}/${kind}`
  if (!existsSync(path)) expect(await run(['write-sample', path, '--damage', kind])).toMatchObject({ code: 0 })
  return path
}

const built = existsSync(`${ROOT}/dist/cli`) ? test : test.skip

describe('examples/ci/check-arrays.sh', () => {
  built('passes on healthy arrays', () => {
    const { code, out } = script(HEALTHY)
    expect(out).toMatch(/\bOK\b/)
    expect(code).toBe(0)
  })

  built('fails on damage, also where another array is healthy, and says where it is', async () => {
    const path = await damaged('TILE_SUM')
    const { code, out } = script([HEALTHY[0], path], { REPORT: `${folder}/report.ndjson` })
    expect(out).toMatch(/error TILE_SUM /)
    expect(code).toBe(1)
    const lines = readFileSync(`${folder}/report.ndjson`, 'utf8').trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { code?: string }).code)).toContain('TILE_SUM')
  })

  built('warnings count, notes only where they are asked for', async () => {
    expect(script([await damaged('RTREE_FANOUT')]).code).toBe(1)
    expect(script([await damaged('RTREE_FANOUT')], { FAIL_ON: 'error' }).code).toBe(0)
    expect(script([await damaged('ARRAY_UNKNOWN_ENTRY')]).code).toBe(0)
    expect(script([await damaged('ARRAY_UNKNOWN_ENTRY')], { FAIL_ON: 'note' }).code).toBe(1)
  })

  built('a missing array is not healthy; nothing to check is a mistake', () => {
    expect(script([`${folder}/nobody`]).code).toBe(3)
    expect(script([]).code).toBe(2)
  })

  test('the workflow calls the script with what it understands', () => {
    const workflow = readFileSync(`${ROOT}/examples/ci/github-actions.yml`, 'utf8')
    const known = readFileSync(SCRIPT, 'utf8')
    expect(workflow).toMatch(/sh ci\/check-arrays\.sh /)
    for (const name of ['LEVEL', 'FAIL_ON', 'REPORT']) {
      expect(workflow).toContain(`${name}: `)
      expect(known).toContain(`\${${name}:-`)
    }
  })
})
