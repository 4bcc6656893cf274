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
  'cli/jobs',
  'remote/clouds',
  'recover/recover',
  'mend/names',
  'remote/s3',
  'check/corpus',
  'steps/steps',
  'advice/query',
  'cli/in-motion',
  'check/jobs',
  'cells/large-tiles',
  'anatomy/corpus-coverage',
  'remote/at-once',
  'check/meanings',
  'mend/advice',
  'whatif/whatif',
  'genomicsdb/commands',
  'read/open-files',
  'advice/findings',
  'genomicsdb/workspace',
  'cli/node-example',
  'commands/diff-read',
  'cli/output',
  'check/damage',
  'read/small-fragments',
  'tile-lists',
  'cli/questions',
  'remote/in-motion',
  'filters/kernels',
  'remote/layers',
  'format/laws',
  'cli/bin',
  'cli/unfolding',
  'commands/overview',
  'golden/corpus-2',
  'commands/why',
  'golden/corpus-4',
  'storage/ends-of-files',
  'mend/tiles',
  'recover/interrupted',
  'contradictions/contradictions',
  'commands/explain',
  'cli/progress',
  'check/many-tiles',
  'golden/corpus-3',
  'render/column-lines',
  'remote/faults',
  'layers/layers',
  'render/cell-lines',
  'layers/hostile',
  'vectors/vectors',
  'cells/tile-units',
  'page/command',
  'render/arrow',
  'filters/codecs',
  'golden/corpus-1',
  'remote/http',
  'storage/growth',
  'commands/array-commands',
  'read/pruning',
  'explain/sparse',
  'layers/vcf',
  'commands/targets',
  'format/footer-layout',
  'golden/bit-flips',
  'docs/format',
  'cli/completion',
  'cli/pager',
  'mend/codes',
  'check/visible',
  'mend/other-damage',
  'write/bytes-corpus-2',
  'filters/claims',
  'anatomy/flip-alone',
  'fuzz/local-flips',
  'storage/names',
  'commands/stats-read',
  'remote/shards',
  'browser',
  'recover/remote',
  'golden/fixtures',
  'cli/help',
  'mend/losses',
  'cli/jq',
  'read/large-tiles',
  'fuzz/fuzz',
  'write/bytes-corpus-1',
  'read/dense',
  'commands/refused-openings',
  'remote/sweeps',
  'layers/words',
  'commands/sweeps',
  'fuzz/mutants',
  'write-sample/arrow',
  'check/ci',
  'anatomy/at',
  'filters/short-inflate',
  'cli/failing-output',
  'write-sample/round-trip',
  'commands/history',
  'render/parquet',
  'format/value',
  'page/bytes',
  'remote/hostile',
  'steps/like-tiledb',
  'render/row-kernel',
  'genomicsdb/crafted',
  'explain/legacy',
  'remote/folder-marks',
  'anatomy/flips',
  'cli/sessions',
  'commands/metadata-names',
  'genomicsdb/cells',
  'anatomy/hex',
  'shell-word',
  'storage/one-state',
  'commands/many-tiles',
  'commands/stats-findings',
  'commands/datasets',
  'check/names',
  'errors',
  'read/fixtures',
  'explain/cost',
  'filters/lz4',
  'mend/printed',
  'render/views/terminal-parts',
  'render/views/fixtures',
  'write-sample/command',
  'cells/claimed-sizes',
  'format/generated',
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
  if (longOf(0).length < LONG.length && TURN !== undefined)
    tellShare(SHARE_OF_GATE, `${LONG.length} longest test files`)
}
