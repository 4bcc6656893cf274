import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism } from 'node:os'
import process, { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { temporaryFolder } from '../helpers/folders.ts'
import { firstFragment, fragmentNames } from '../helpers/fragments.ts'
import { get, items, parseJson } from '../helpers/json.ts'
import { shortTurn, tries } from '../helpers/turn.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BIN = `${ROOT}bin/tiledb-inspect.js`
const array = `${temporaryFolder()}/array`
const copyOfProgram = temporaryFolder()
/** Enough for several threads. A third is damaged. */
const FRAGMENTS = tries(15, 15, 24)
/** The program begins threads only if it has more bytes than this to read. */
const WORTH_THREADS = 64 * 2 ** 20

/** Writes one fragment under many names. Every third is a copy, both of whose data files are damaged, each copy in another place. */
function writeArray(): void {
  const spec = ['--dense', '--dim', 'x:INT64:0..399999', '--attr', 'a:INT64', '--attr', 'b:FLOAT32']
  const layout = ['--tile-extent', '20000', '--cells', '400000', '--fragments', '1', '--filters', 'sha256']
  const args = [BIN, 'write-sample', array, ...spec, ...layout]
  const { status, stderr } = spawnSync(execPath, args, { encoding: 'utf8', env: {} })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const [original] = fragmentNames(array)
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
}

function flipByte(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[Math.floor(bytes.length * at)] ^= 1
  writeFileSync(path, bytes)
}

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

function verify(jobs: number, ...more: string[]): Ended {
  const args = [BIN, 'verify-checksums', array, '--jobs', String(jobs), ...more]
  const { status, stdout, stderr } = spawnSync(execPath, args, { encoding: 'utf8', env: {} })
  return { status, stdout, stderr }
}

/** Runs decode. Only the length and digest of its output are returned, as it is some 100 MB. */
function decode(fragment: string, jobs: number, ...more: string[]): Ended {
  const args = [BIN, 'decode', fragment, '--jobs', String(jobs), ...more]
  const { status, stdout, stderr } = spawnSync(execPath, args, { env: {}, maxBuffer: 2 ** 30 })
  const digest = createHash('sha256').update(stdout).digest('hex')
  return { status, stdout: `${stdout.length} bytes, ${digest}`, stderr: stderr.toString() }
}

if (!existsSync(`${ROOT}dist/cli`)) test.skip('the built program is not here: npm run build', () => {})
else {
  describe('verify-checksums --jobs', () => {
    beforeAll(writeArray)

    test('has enough to share out', () => {
      const sizes = fragmentNames(array).flatMap((fragment) =>
        readdirSync(`${array}/__fragments/${fragment}`).map(
          (file) => statSync(`${array}/__fragments/${fragment}/${file}`).size,
        ),
      )
      expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(WORTH_THREADS)
    })

    test.each(shortTurn(['--format=ndjson', '--json', '--json --deep'], 3))(
      '%s prints the same, in the same order, whatever the number of threads',
      (options) => {
        const more = options.split(' ')
        const alone = verify(1, ...more)
        expect(alone.status).toBe(1)
        for (const jobs of shortTurn([2, 4], 2)) expect(verify(jobs, ...more)).toEqual(alone)
      },
    )

    test('finds each damaged file, in the order of the fragments', () => {
      const { stdout } = verify(4, '--json')
      const failures = items(get(parseJson(stdout), 'failures'))
      const dataFiles = 2
      expect(failures).toHaveLength((FRAGMENTS / 3) * dataFiles)
      const names = failures.map((failure) => String(get(failure, 'fragment')))
      expect(names).toEqual([...names].sort())
    })
  })

  describe('decode --jobs', () => {
    const cells = `${temporaryFolder()}/array`
    let fragment = ''

    /** More than 48 MiB unfiltered, of values of every kind. */
    beforeAll(() => {
      const dims = ['--dim', 'x:INT64:0..9999999', '--dim', 'y:INT32:0..999']
      const attrs = ['a:FLOAT64', 'c:CHAR:1000', 'n:INT32:nullable', 's:STRING_UTF8', 'r:STRING_ASCII', 'plain:INT64']
      const filters = ['--filters', 'zstd,sha256', '--field-filters', 'r=rle', '--field-filters', 'plain=']
      const sizes = ['--cells', '52000', '--capacity', '1000', '--fragments', '1']
      const attrOptions = attrs.flatMap((attr) => ['--attr', attr])
      const args = ['write-sample', cells, ...dims, ...attrOptions, ...filters, ...sizes]
      const { status, stderr } = spawnSync(execPath, [BIN, ...args], { encoding: 'utf8', env: {} })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      fragment = firstFragment(cells)
    })

    test.each(shortTurn(['ndjson', 'csv', 'arrow'], 3))('%s is the same whatever the number of threads', (format) => {
      const alone = decode(fragment, 1, '--format', format)
      expect(alone).toMatchObject({ status: 0, stderr: '' })
      for (const jobs of shortTurn([2, 3], 2)) expect(decode(fragment, jobs, '--format', format)).toEqual(alone)
    })

    const selections = [
      ['--range', 'y=100..300'],
      ['--tiles', '3..50'],
      ['--field', 'n'],
      ['--limit', '2000'],
    ]
    test.each(shortTurn(selections, 4))('%s %s, too', (...some) => {
      const alone = decode(fragment, 1, '--format', 'csv', ...some)
      expect(alone).toMatchObject({ status: 0, stderr: '' })
      expect(decode(fragment, 2, '--format', 'csv', ...some)).toEqual(alone)
    })

    test('whoever reads the output may stop', () => {
      const command = `'${execPath}' '${BIN}' decode '${fragment}' --jobs 3 --format ndjson | head -n 3`
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8', env: process.env })
      expect({ status, stderr, lines: stdout.split('\n').length }).toEqual({ status: 0, stderr: '', lines: 4 })
    })

    const severalProcessors = availableParallelism() > 1 ? test : test.skip
    severalProcessors('a thread that ends is no success', () => {
      for (const name of ['dist', 'bin', 'package.json'])
        cpSync(`${ROOT}${name}`, `${copyOfProgram}/${name}`, { recursive: true })
      symlinkSync(`${ROOT}node_modules`, `${copyOfProgram}/node_modules`)
      writeFileSync(`${copyOfProgram}/dist/cli/tile-worker.cjs`, 'throw new Error("broken on purpose")')
      const args = [`${copyOfProgram}/bin/tiledb-inspect.js`, 'decode', fragment, '--jobs', '2', '--format', 'csv']
      const { status, stderr } = spawnSync(execPath, args, { encoding: 'utf8', env: {}, maxBuffer: 2 ** 30 })
      expect(status).toBe(3)
      expect(stderr).toContain('broken on purpose')
    })

    test('damage is told the same', () => {
      const damaged = `${cells}-damaged`
      cpSync(cells, damaged, { recursive: true })
      const one = fragment.replace(cells, damaged)
      for (const [i, file] of ['a0.tdb', 'a1.tdb', 'a3_var.tdb'].entries()) flipByte(`${one}/${file}`, (i + 1) / 5)
      for (const more of shortTurn([[], ['--keep-going']], 2)) {
        const alone = decode(one, 1, '--format', 'csv', ...more)
        expect(alone.status).toBe(1)
        expect(alone.stderr.split('\n').length).toBeGreaterThanOrEqual(4)
        expect(decode(one, 2, '--format', 'csv', ...more)).toEqual(alone)
      }
    })
  })
}
