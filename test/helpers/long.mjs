import { existsSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { drawn, TURN, tellShare } from './gate-turn.mjs'

const TESTS = fileURLToPath(new URL('..', import.meta.url))

/**
 * The test files that take 1.5 seconds of processor time or more, the longest first, without `.test.ts`. `npm test` runs one in twelve of
 * them, which the seed chooses, so that it takes two minutes. The gate runs one in three, and on a second release of Node another one in
 * three: its turn chooses them. `TEST_ALL=1` runs all of them; so does a run of files that are named.
 */
export const LONG = [
  'remote/in-motion',
  'cli/in-motion',
  'golden/corpus-4',
  'cli/jobs',
  'golden/bit-flips',
  'golden/corpus-3',
  'golden/corpus-1',
  'golden/corpus-2',
  'remote/clouds',
  'check/jobs',
  'write-sample/round-trip',
  'check/corpus',
  'golden/fixtures',
  'contradictions/contradictions',
  'contradictions/datasets',
  'write/bytes-corpus-1',
  'remote/at-once',
  'advice/query',
  'remote/s3',
  'recover/remote',
  'anatomy/corpus-coverage',
  'mend/codes',
  'write/bytes-corpus-2',
  'read/open-files',
  'format/laws',
  'check/damage',
  'mend/names',
  'whatif/whatif',
  'recover/recover',
  'cells/large-tiles',
  'format/generated',
  'cli/node-example',
  'read/small-fragments',
  'storage/ends-of-files',
  'steps/steps',
  'mend/advice',
  'filters/kernels',
  'advice/findings',
  'layers/hostile',
  'cli/bin',
  'cli/help',
  'check/meanings',
  'anatomy/coverage',
  'write-sample/arrow',
  'genomicsdb/workspace',
  'check/visible',
  'render/cell-lines',
  'fuzz/fuzz',
  'check/names',
  'vectors/vectors',
  'tile-lists',
  'read/pruning',
  'remote/layers',
  'cli/output',
  'anatomy/flip-alone',
  'render/views/fixtures',
  'remote/shards',
  'docs/format',
  'anatomy/at',
  'layers/words',
  'recover/interrupted',
  'genomicsdb/commands',
  'cli/questions',
  'cli/unfolding',
  'check/many-tiles',
  'cells/tile-units',
  'commands/why',
  'cli/completion',
  'format/footer-layout',
  'commands/overview',
  'cli/progress',
  'commands/diff-read',
  'remote/sweeps',
  'commands/targets',
  'mend/tiles',
  'filters/codecs',
  'storage/growth',
  'layers/layers',
  'remote/faults',
  'commands/history',
  'explain/legacy',
  'remote/http',
  'read/dense',
  'render/column-lines',
  'commands/explain',
  'explain/sparse',
  'page/command',
  'read/fixtures',
  'remote/folder-marks',
  'filters/claims',
  'cli/sessions',
  'mend/other-damage',
  'cli/failing-output',
  'commands/refused-openings',
  'read/large-tiles',
  'commands/sweeps',
  'page/bytes',
  'remote/hostile',
  'render/arrow',
  'genomicsdb/crafted',
  'commands/array-commands',
  'genomicsdb/cells',
  'commands/stats-read',
  'fuzz/local-flips',
  'layers/vcf',
  'storage/names',
  'cli/pager',
  'fuzz/mutants',
  'storage/not-regular',
  'shell-word',
  'filters/short-inflate',
  'steps/like-tiledb',
  'check/ci',
  'check/odd-compressors',
  'commands/many-tiles',
  'commands/datasets',
  'mend/losses',
  'commands/diff-datasets',
  'render/parquet',
  'browser',
  'cli/jq',
  'format/value',
  'mend/printed',
  'render/views/terminal-parts',
  'write-sample/command',
  'errors',
  'cli/line-ends',
  'write/bytes-fixtures',
  'check/one-write',
  'commands/stats-findings',
  'render/row-kernel',
  'commands/metadata-names',
  'anatomy/hex',
  'anatomy/flips',
  'explain/cost',
  'filters/lz4',
  'cells/claimed-sizes',
  'storage/one-state',
]
const SHARE = 12
/** Of the gate, on each release of Node. */
export const SHARE_OF_GATE = 3

/** Whether an argument of Jest names test files or tests. */
const isName = (argument) => !argument.startsWith('--') || argument.startsWith('--testNamePattern')

/**
 * The long test files that a run has.
 *
 * @param seed chooses those of `npm test`
 * @param turn chooses those of the gate
 */
export function longOf(seed, { args = process.argv.slice(2), env = process.env, turn = TURN } = {}) {
  const isSet = (name) => env[name] === '1'
  if (args.some(isName) || isSet('TEST_ALL')) return LONG
  if (isSet('TESTS_OF_GATE') || isSet('TESTS_OF_NODE')) return drawn(LONG, SHARE_OF_GATE, turn)
  return LONG.filter((_, i) => i % SHARE === seed % SHARE)
}

/** Patterns of the long test files that this run leaves to others. @param seed chooses which it runs */
export function leftToOtherRuns(seed) {
  const unknown = LONG.filter((name) => !existsSync(`${TESTS}${name}.test.ts`))
  if (unknown.length > 0) throw new Error(`expected the test files in LONG, found no ${unknown}`)
  const own = new Set(longOf(seed))
  return LONG.filter((name) => !own.has(name)).map((name) => `/test/${name}\\.test\\.ts$`)
}

/** Says how many of the long test files a run of the gate has. */
export function tellTurn() {
  if (longOf(0).length < LONG.length && TURN !== null) tellShare(SHARE_OF_GATE, `${LONG.length} longest test files`)
}
