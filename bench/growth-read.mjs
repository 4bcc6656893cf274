/**
 * Prints how the processor time of reads grows: eight times the cells may take at most ten times the time.
 *
 *     npm run bench -- --zoo PYTHON --grow      prints it for each shape of the zoo
 *     node bench/growth-read.mjs [CLI]          needs no Python: arrays that `write-sample` makes
 *
 * The time of a bare `node` is taken off, as it would hide growth. It ends with 1 if a read grows faster.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { median, scratch, TOOL } from './measure.mjs'

const cli = process.argv[2] ? [process.argv[2]] : TOOL
const GROWS = 8
const MOST = 10
const RUNS = 3

/** Each shape: how its array is written, for a number of cells, and what is read of it. */
const SHAPES = {
  'dense, one dimension': (n) => [['--dense', '--dim', `x:INT64:0..${n - 1}:10000`, '--attr', 'a:FLOAT64'], []],
  'dense, narrow tiles, three fragments': (n) => [
    [
      '--dense',
      '--dim',
      `x:INT32:0..${n / 100 - 1}:500`,
      '--dim',
      'y:INT32:0..99:4',
      '--attr',
      'a:INT32',
      '--fragments',
      '3',
    ],
    [],
  ],
  'dense, ten attributes': (n) => [
    [
      '--dense',
      '--dim',
      `x:INT64:0..${n / 10 - 1}:10000`,
      ...Array.from({ length: 10 }, (_, i) => ['--attr', `a${i}:INT32`]).flat(),
    ],
    [],
  ],
  'dense, a slab': (n) => [
    ['--dense', '--dim', `x:INT32:0..${n / 1000 - 1}:100`, '--dim', 'y:INT32:0..999:100', '--attr', 'a:INT32'],
    ['--range', 'y=100..249'],
  ],
  sparse: (n) => [['--dim', `x:INT64:0..${100 * n}:${n}`, '--attr', 'a:INT64'], []],
  'sparse, texts': (n) => [['--dim', `x:INT64:0..${100 * n}:${n}`, '--attr', 'a:STRING_UTF8:var'], []],
  'sparse, eight fragments merged': (n) => [
    ['--dim', `x:INT64:0..${100 * n}:${n}`, '--attr', 'a:INT64', '--fragments', '8'],
    ['--order', 'global'],
  ],
  'sparse, sorted in rows': (n) => [
    ['--dim', `x:INT64:0..${n}:1000`, '--dim', `y:INT64:0..${n}:1000`, '--attr', 'a:INT64'],
    ['--order', 'row-major'],
  ],
}

/** Seconds of processor time of a run of Node, by the shell. */
function seconds(args) {
  const times = []
  for (let run = 0; run < RUNS; run++) {
    const script = 'node "$@" >/dev/null; times'
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script, 'sh', ...args], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    const [user, system] = stdout
      .trim()
      .split('\n')[1]
      .split(' ')
      .map((time) => {
        const [, minutes, rest] = /^(\d+)m([\d.]+)s$/.exec(time)
        return 60 * minutes + Number(rest)
      })
    times.push(user + system)
  }
  return median(times)
}

const bare = seconds(['-e', '0'])
let failed = false
console.log('| read | cells | time | 8 times the cells | grows |\n| --- | ---: | ---: | ---: | ---: |')
for (const [name, shape] of Object.entries(SHAPES)) {
  const cells = 200_000
  const [small, large] = [cells, GROWS * cells].map((count) => {
    const path = join(scratch, `${name}-${count}`.replaceAll(/[ ,]+/g, '-'))
    const [written, read] = shape(count)
    execFileSync('node', [...cli, 'write-sample', path, ...written, '--cells', `${count}`, '--capacity', '10000'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return seconds([...cli, 'read', path, '--format', 'arrow', ...read]) - bare
  })
  failed ||= large > MOST * small
  console.log(`| ${name} | ${cells} | ${small.toFixed(2)} s | ${large.toFixed(2)} s | ${(large / small).toFixed(1)} |`)
}
process.exitCode = failed ? 1 : 0
