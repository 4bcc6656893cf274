import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { get, items, parseJson } from '../helpers/json.ts'
import { run } from '../helpers/run.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = `${ROOT}bin/tiledb-inspect.js`
const array = `${temporaryFolder()}/array`
const FRAGMENTS = 24
/** Workers are begun only where there is more than that to read, bytes. */
const WORTH_WORKERS = 64 * 2 ** 20

/** One fragment under many names; every third is a damaged copy, each in another place. */
beforeAll(async () => {
  const spec = ['--dense', '--dim', 'x:INT64:0..399999', '--attr', 'a:INT64', '--attr', 'b:FLOAT32']
  const layout = ['--tile-extent', '20000', '--cells', '400000', '--fragments', '1', '--filters', 'sha256']
  const { code, stderr } = await run(['write-sample', array, ...spec, ...layout])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [original] = readdirSync(`${array}/__fragments`)
  for (let i = 0; i < FRAGMENTS; i++) {
    const name = original.replace(/^__\d+_\d+_/, `__${100 + i}_${100 + i}_`)
    mkdirSync(`${array}/__fragments/${name}`)
    for (const file of readdirSync(`${array}/__fragments/${original}`)) {
      const [from, to] = [original, name].map((one) => `${array}/__fragments/${one}/${file}`)
      if (i % 3 !== 0 || file === '__fragment_metadata.tdb') linkSync(from, to)
      else {
        copyFileSync(from, to)
        flipByte(to, (i + 1) / (FRAGMENTS + 2))
      }
    }
    writeFileSync(`${array}/__commits/${name}.wrt`, '')
  }
})

function flipByte(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[Math.floor(bytes.length * at)] ^= 1
  writeFileSync(path, bytes)
}

function verify(jobs: number, ...more: string[]): { status: number | null; stdout: string; stderr: string } {
  const args = [BIN, 'verify-checksums', array, '--jobs', String(jobs), ...more]
  const { status, stdout, stderr } = spawnSync(execPath, args, { encoding: 'utf8', env: {} })
  return { status, stdout, stderr }
}

if (!existsSync(`${ROOT}dist/cli`)) test.skip('the built program is not here: npm run build', () => {})
else {
  describe('verify-checksums --jobs', () => {
    test('has enough to share out', () => {
      const sizes = readdirSync(`${array}/__fragments`).flatMap((fragment) =>
        readdirSync(`${array}/__fragments/${fragment}`).map(
          (file) => statSync(`${array}/__fragments/${fragment}/${file}`).size,
        ),
      )
      expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(WORTH_WORKERS)
    })

    test.each(['--format=ndjson', '--json', '--json --deep'])(
      '%s prints the same, in the same order, whatever the number of workers',
      (options) => {
        const more = options.split(' ')
        const alone = verify(1, ...more)
        expect(alone.status).toBe(1)
        expect(verify(2, ...more)).toEqual(alone)
        expect(verify(4, ...more)).toEqual(alone)
      },
    )

    test('finds each damaged file, in the order of the fragments', () => {
      const { stdout } = verify(4, '--json')
      const failures = items(get(parseJson(stdout), 'failures'))
      expect(failures).toHaveLength((FRAGMENTS / 3) * 2)
      const names = failures.map((failure) => String(get(failure, 'fragment')))
      expect(names).toEqual([...names].sort())
    })
  })
}
