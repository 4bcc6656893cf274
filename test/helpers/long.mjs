import { existsSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const TESTS = fileURLToPath(new URL('..', import.meta.url))

/**
 * The test files that take three seconds of processor time or more, the longest first, without `.test.ts`. `npm test` runs one in twelve of them, which the seed chooses, so that it
 * takes two minutes. The gate, a run on a second release of Node, and `TEST_ALL=1` run all of them; so does a run of files that are named.
 */
const LONG = [
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
]
const SHARE = 12

/** Whether a run names test files or tests. */
const names = process.argv
  .slice(2)
  .some((argument) => !argument.startsWith('--') || argument.startsWith('--testNamePattern'))
const RUN_ALL = ['TESTS_OF_GATE', 'TESTS_OF_NODE', 'TEST_ALL'].some((name) => process.env[name] === '1')

/** Patterns of the long test files that this run leaves to others. @param seed chooses which it runs */
export function leftToOtherRuns(seed) {
  const unknown = LONG.filter((name) => !existsSync(`${TESTS}${name}.test.ts`))
  if (unknown.length > 0) throw new Error(`expected the test files in LONG, found no ${unknown}`)
  if (names || RUN_ALL) return []
  return LONG.filter((_, i) => i % SHARE !== seed % SHARE).map((name) => `/test/${name}\\.test\\.ts$`)
}
