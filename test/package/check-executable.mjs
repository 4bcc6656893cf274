/**
 * Makes the single executable, and runs it without Node: PATH, environment and folder are empty, and the network is not used. It must
 * print what the program that npm installs prints. Prints its size, and its start-up time in pairs with that of bin/.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { ms, pairs } from '../../bench/measure.mjs'

const root = resolve(import.meta.dirname, '../..')
const bin = join(root, 'bin/tiledb-inspect.js')
const folder = mkdtempSync(join(tmpdir(), 'tiledb-inspect-executable-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const { status } = run(process.execPath, [join(root, 'executable/build.mjs')], { cwd: root, stdio: 'inherit' })
if (status !== 0) throw new Error(`executable/build.mjs ended with ${status}`)
const executable = join(folder, 'tiledb-inspect')
copyFileSync(join(root, 'build/executable/tiledb-inspect'), executable)
cpSync(join(root, 'examples/arrays/places'), join(folder, 'places'), { recursive: true })
cpSync(join(root, 'test/fixtures/22'), join(folder, 'fixtures'), { recursive: true })

function run(command, args, options) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    maxBuffer: 2 ** 28,
    timeout: 60_000,
    ...options,
  })
  if (error) throw error
  return { status, stdout: stdout?.toString('latin1'), stderr: stderr?.toString('latin1') }
}
const call = (...args) => run(executable, args, { cwd: folder, env: { PATH: '' } })
const callOfBin = (...args) => run(process.execPath, [bin, ...args], { cwd: folder, env: {} })

function same(found, expected, what) {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(
      `${what}: expected ${JSON.stringify(expected).slice(0, 500)}, found ${JSON.stringify(found).slice(0, 500)}`,
    )
}

/** Makes arrays whose filters need every package that the program loads, and one that is large enough for threads. */
const filters = ['zstd', 'bzip2', 'lz4', 'gzip', 'md5,sha256', 'rle', 'double-delta']
for (const [i, list] of filters.entries())
  same(call('write-sample', `a${i}`, '--filters', list).status, 0, `write-sample ${list}`)
const size = ['--dim', 'x:INT64:0..9999999:10000', '--attr', 'a:FLOAT64', '--cells', '6000000', '--capacity', '100000']
same(call('write-sample', 'large', ...size, '--filters', 'sha256').status, 0, 'write-sample of many cells')

const calls = [
  ['--version'],
  ['--help'],
  ['ls', 'places'],
  ['places'],
  ['schema', 'places', '--json'],
  ['read', 'places', '--format', 'ndjson'],
  ['decode', 'places/__17', '--format', 'arrow'],
  ['check', 'places', '--level', 'cells'],
  ['explain', 'places', '--range', 'lat=40..60'],
  ['ls', 'nowhere'],
  ...filters.map((_list, i) => ['read', `a${i}`, '--format', 'ndjson']),
  ['verify-checksums', 'a4'],
  ['read', 'fixtures/sparse_basic'],
  ...['1', '2'].flatMap((jobs) => [
    ['check', 'large', '--level', 'cells', '--jobs', jobs],
    ['verify-checksums', 'large', '--deep', '--jobs', jobs],
    ['decode', 'large', '--all-fragments', '--format', 'ndjson', '--limit', '10', '--jobs', jobs],
  ]),
]
for (const args of calls) same(call(...args), callOfBin(...args), args.join(' '))
same(call('page', 'places', '-o', 'report.html').status, 0, 'page -o')
same(/<script/.test(readFileSync(join(folder, 'report.html'), 'utf8')), true, 'page -o')

const licences = readFileSync(join(root, 'build/executable/LICENSES'), 'utf8')
for (const name of ['@noble/ciphers', '@aws-sdk/credential-provider-node', '@uwdata/flechette', 'commander', 'pako'])
  same(new RegExp(`^${name} \\d`, 'm').test(licences), true, `the licence of ${name}`)

console.log(`executable: ${statSync(executable).size} bytes, ${calls.length} calls as bin/ prints them`)
for (const args of [['--version'], ['ls', 'places', '--json'], ['read', 'places', '--json']]) {
  const { a, b, ratio } = pairs(
    [executable, args.map((word) => word.replace('places', join(folder, 'places')))],
    [process.execPath, [bin, ...args.map((word) => word.replace('places', join(folder, 'places')))]],
    9,
  )
  console.log(`start-up of ${args[0]}: ${ms(a)}, of bin/ ${ms(b)}: ratio ${ratio.toFixed(2)}`)
}
