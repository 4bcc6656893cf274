/**
 * Prints how fast the program is, as ratios to something that runs in turn with it:
 *
 *     npm run bench                       start-up, on the example arrays
 *     npm run bench -- FOLDER             and everything on the large arrays in FOLDER (see bench/README.md)
 *     npm run bench -- --zoo PYTHON …     reads of arrays of many shapes beside TileDB-Py, and nothing else (bench/zoo.py)
 *     npm run bench -- --growth           how cost grows with the work, and nothing else (the files growth-*.mjs)
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { ms, once, pairs, scratch, TOOL } from './measure.mjs'

const node = process.execPath
const large = process.argv[2]
if (large === '--zoo') {
  const [python, ...options] = process.argv.slice(3)
  if (!python) throw new TypeError('expected a Python that has tiledb, numpy and pandas')
  process.exit(spawnSync(python, ['bench/zoo.py', ...options], { stdio: 'inherit' }).status ?? 1)
}
if (large === '--growth') {
  const files = readdirSync('bench').filter((name) => /^growth-.*\.mjs$/.test(name))
  const failed = files.filter((name) => spawnSync(node, [join('bench', name)], { stdio: 'inherit' }).status !== 0)
  process.exit(failed.length > 0 ? 1 : 0)
}
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0].model}`)

function fragmentOf(array) {
  const folder = join(array, '__fragments')
  return join(folder, readdirSync(folder)[0])
}

function startUp(what, args) {
  const { a, b, ratio, difference } = pairs([node, [...TOOL, ...args]], [node, ['-e', '0']])
  console.log(`${what}: ${ms(a)}, bare node ${ms(b)}: + ${ms(difference)}, ratio ${ratio.toFixed(2)}`)
}

const places = 'examples/arrays/places'
startUp('--version', ['--version'])
startUp('--help', ['--help'])
startUp('footer', ['footer', fragmentOf(places), '--json'])
startUp('footer as table', ['footer', fragmentOf(places)])
startUp('schema', ['schema', places, '--json'])
startUp('ls', ['ls', places, '--json'])
const executable = 'build/executable/tiledb-inspect'
if (existsSync(executable)) {
  for (const args of [['--version'], ['ls', places, '--json'], ['read', places, '--json'], [places]]) {
    const { a, b, ratio } = pairs([executable, args], [node, [...TOOL, ...args]])
    console.log(`single executable, ${args[0]}: ${ms(a)}, bin/ ${ms(b)}: ratio ${ratio.toFixed(2)}`)
  }
}
const many = manyFragments(1000)
startUp('ls of 1,000 fragments', ['ls', many, '--json'])
{
  const { a, b, difference } = pairs([node, ['bench/listing.mjs', many]], [node, ['-e', '0']])
  console.log(`its system calls alone: ${ms(a)}, bare node ${ms(b)}: + ${ms(difference)}`)
}

/** Makes an array of `count` copies of the example's fragment. The copies are links under other names. */
function manyFragments(count) {
  const array = join(scratch, 'many')
  const [name] = readdirSync(join(places, '__fragments'))
  const [, , uuid] = name.match(/^__(\d+)_\d+_([0-9a-f]{32})/)
  for (const folder of ['__fragments', '__commits']) mkdirSync(join(array, folder), { recursive: true })
  cpSync(join(places, '__schema'), join(array, '__schema'), { recursive: true })
  const first = join(array, '__fragments', name)
  cpSync(join(places, '__fragments', name), first, { recursive: true })
  writeFileSync(join(array, '__commits', `${name}.wrt`), '')
  for (let i = 1; i < count; i++) {
    const other = `__${i}_${i}_${i.toString(16).padStart(8, '0')}${uuid.slice(8)}_22`
    mkdirSync(join(array, '__fragments', other))
    for (const file of readdirSync(first)) linkSync(join(first, file), join(array, '__fragments', other, file))
    writeFileSync(join(array, '__commits', `${other}.wrt`), '')
  }
  return array
}

/** Runs a command on a fragment twice: once for its time, once for its memory. */
function time(what, args, note = () => '') {
  const { seconds } = once(node, [...TOOL, ...args])
  const { megabytes } = once(node, [...TOOL, ...args], { memory: true })
  console.log(`${what}: ${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB at its highest${note(seconds)}`)
  return seconds
}

/** Compares a command with two threads to the same command with one. */
function twoJobs(what, args) {
  const [two, one] = ['2', '1'].map((jobs) => [node, [...TOOL, ...args, '--jobs', jobs]])
  const { a, b, ratio } = pairs(two, one, 5)
  const { megabytes } = once(node, [...TOOL, ...args, '--jobs', '2'], { memory: true })
  const faster = (1 / ratio).toFixed(2)
  console.log(
    `${what} with --jobs 2: ${ms(a)}, with --jobs 1 ${ms(b)}: ${faster} times as fast, ${megabytes.toFixed(0)} MB at its highest`,
  )
}

if (large) {
  const array = (name) => (existsSync(join(large, name)) ? fragmentOf(join(large, name)) : undefined)
  const huge = array('hugemeta')
  if (huge) {
    for (const args of [
      ['footer', '--json'],
      ['rtree', '--json'],
      ['metadata', '--json'],
      ['tiles', '--json'],
      ['tiles', '--format', 'ndjson'],
      ['rtree'],
    ]) {
      time(`${args.join(' ')}, 1.25 million tiles`, [args[0], huge, ...args.slice(1)])
    }
  }
  const sha = array('d1_sha256')
  if (sha) {
    const { a, b, ratio } = pairs([node, [...TOOL, 'verify-checksums', sha]], ['sha256sum', [join(sha, 'a0.tdb')]], 5)
    console.log(`verify-checksums of 268 MB under SHA-256: ${ms(a)}, sha256sum ${ms(b)}: ratio ${ratio.toFixed(2)}`)
    twoJobs('the same', ['verify-checksums', sha])
  }
  const zstd = array('d1_zstd')
  const plain = array('d1_none')
  if (zstd) {
    time(
      'verify-checksums --deep of 268 MB under zstd',
      ['verify-checksums', '--deep', zstd],
      (s) => `, ${(268.4 / s).toFixed(0)} MB/s`,
    )
    if (plain) {
      const packed = join(scratch, 'a.zst')
      once('zstd', ['-q', '-3', '-f', join(plain, 'a0.tdb'), '-o', packed])
      const deep = [...TOOL, 'verify-checksums', '--deep', '--jobs', '1', zstd]
      const { a, b, ratio } = pairs([node, deep], ['zstd', ['-q', '-t', packed]], 5)
      console.log(`the same beside zstd -t: ${ms(a)}, zstd -t ${ms(b)}: ratio ${ratio.toFixed(2)}`)
    }
    twoJobs('the same', ['verify-checksums', '--deep', zstd])
    const cells = 10_000_000
    for (const format of ['ndjson', 'csv']) {
      time(
        `decode --format ${format}, ${cells / 1e6} million cells of INT32 and their coordinate`,
        ['decode', '--format', format, '--limit', String(cells), zstd],
        (s) => `, ${(cells / s / 1e6).toFixed(2)} million rows/s`,
      )
    }
  }
  const sparse = array('sparse2d')
  if (sparse) {
    const cells = 10_000_000
    for (const format of ['ndjson', 'csv']) {
      time(
        `decode --format ${format}, ${cells / 1e6} million sparse cells of two INT64 coordinates and a FLOAT64`,
        ['decode', '--format', format, sparse],
        (s) => `, ${(cells / s / 1e6).toFixed(2)} million rows/s`,
      )
      twoJobs('the same', ['decode', '--format', format, sparse])
    }
    time(
      'decode --format arrow, the same',
      ['decode', '--format', 'arrow', sparse],
      (s) => `, ${((cells * 24) / s / 1e6).toFixed(0)} MB/s`,
    )
    twoJobs('the same', ['decode', '--format', 'arrow', sparse])
  }
  if (plain) {
    const bytes = 64 * 2 ** 20 * 12
    time(
      'decode --format arrow, 67 million cells of INT32 and their UINT64 coordinates',
      ['decode', '--format', 'arrow', plain],
      (s) => `, ${(bytes / s / 1e6).toFixed(0)} MB/s`,
    )
  }
}
